#!/bin/sh
# Tell of each PROGRAM whether this host has it: `program TAB state TAB path TAB version`, one line each.
# Usage: probe.sh PROGRAM...     state: present, missing, old, or barred: this user may not capture with it
PATH="$PATH:/usr/sbin:/sbin"
oldest_java=17

version_of() {
    case $1 in
        java) java -version 2>&1 ;;
        ip | ss | ping | memcached) "$1" -V ;;
        *) "$1" --version ;;
    esac 2>/dev/null </dev/null | head -n 1 | tr '\t' ' '
}

for program in "$@"; do
    path=$(command -v "$program") && [ -f "$path" ] && [ -x "$path" ] || path=''
    if [ -z "$path" ]; then
        printf '%s\tmissing\t\t\n' "$program"
        continue
    fi
    version=$(version_of "$program")
    state=present
    if [ "$program" = java ]; then # openjdk version "17.0.9" 2023-10-17, or "1.8.0_392"
        major=$(printf '%s' "$version" | sed -n 's/^[^"]*"\([0-9]*\).*/\1/p')
        [ "${major:-0}" -ge "$oldest_java" ] || state=old
    fi
    if [ "$program" = tcpdump ] && ! tcpdump -i any -d >/dev/null 2>&1 </dev/null; then # opens it, and no more
        state=barred
    fi
    printf '%s\t%s\t%s\t%s\n' "$program" "$state" "$path" "$version"
done
