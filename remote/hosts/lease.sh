#!/bin/sh
# Take, renew or return the lease of this host: the file FOLDER/lease, one line `renewed since token holder`,
# times in epoch seconds by this host's clock.
# Usage: lease.sh take|renew|return FOLDER AFTER_S TOKEN HOLDER [ENDED]
#   AFTER_S  whoever has not renewed for so long has lost it
#   ENDED    token of a holder that is known to have ended
# Prints the time now and the line if somebody else holds it; else nothing.
set -eu
verb=$1 folder=$2 after_s=$3 own=$4 own_name=$5 ended=${6:-}
command -v flock >/dev/null || { echo 'flock is missing: install util-linux' >&2 && exit 1; }
mkdir -p "$folder"
cd "$folder"
# One at a time; and what was locked must still be what stands there, for who had it may have removed it.
# shellcheck disable=SC3013
until exec 9>>lease && flock -w 10 9 && [ "/proc/$$/fd/9" -ef lease ]; do
    sleep 0.1
done
renewed='' since='' token='' holder=''
read -r renewed since token holder <lease || :
now=$(date +%s)
case $renewed in
    '' | *[!0-9]*) renewed=0 token='' ;;
esac
age_s=$((now - renewed))
[ "$age_s" -ge 0 ] || age_s=$((-age_s)) # the clock was set back
if [ "$verb" = take ] && { [ "$token" = "$ended" ] || [ "$age_s" -ge "$after_s" ]; }; then
    token=''
fi
if [ -n "$token" ] && [ "$token" != "$own" ]; then
    printf '%s %s %s %s %s\n' "$now" "$renewed" "$since" "$token" "$holder"
elif [ "$verb" = return ] || [ "$verb$token" = renew ]; then
    rm -f lease # nobody renews what was returned, or removed by hand
else
    [ -n "$token" ] || since=$now
    printf '%s %s %s %s\n' "$now" "$since" "$own" "$own_name" 1<>lease # in place: the disk may be full
fi
