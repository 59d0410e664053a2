#!/bin/sh
# Holds the namespaces that it is started in until it is killed.
#
#   holder.sh FILE
#     FILE: where it notes its number and start time outside, when they can be entered
#
# It is process 1 of a PID namespace: when it is killed, all that was started in it ends.
set -eu

# `ip netns` keeps its namespaces in /run/netns, and /run is the machine's.
mount -n -t tmpfs -o mode=755 mwlab /run

read -r stat </proc/self/stat
echo "$stat" >"$1.half"
mv "$1.half" "$1"

trap '' CHLD # so that what is orphaned here ends without anyone who waits for it
exec sleep infinity
