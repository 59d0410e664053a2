#!/bin/sh
# Makes the network namespace of a host of an ordinary user's lab, by a name for `ip netns`.
#
#   namespace.sh USER NAME
#
# It belongs to a user namespace of its own, in which this root is USER again; /run/users/NAME leads
# there. So rights over the host's network can be had on the host without being root.
set -eu
user=$1 name=$2

mkdir -p /run/netns /run/users
: >"/run/netns/$name"
: >"/run/users/$name"
pid=$(unshare --user --map-user="$(id -u "$user")" --map-group="$(id -g "$user")" --net \
  sh -c 'sleep 60 >/dev/null 2>&1 & echo $!')
mount -n --bind "/proc/$pid/ns/net" "/run/netns/$name"
mount -n --bind "/proc/$pid/ns/user" "/run/users/$name"
kill "$pid"
