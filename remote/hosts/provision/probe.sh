#!/bin/sh
# Tell of each PROGRAM whether this host has it: `program TAB state TAB path TAB version`, one line each.
# Usage: probe.sh PROGRAM...     state: present, missing, old, or barred: this user may not use it for what it is for
PATH="$PATH:/usr/sbin:/sbin"
# Debian keeps PostgreSQL's programs in a folder of their version; the newest comes first.
for folder in /usr/lib/postgresql/*/bin; do
    ! [ -d "$folder" ] || PATH="$folder:$PATH"
done
oldest_java=17
oldest_postgresql=13

version_of() {
    case $1 in
        java) java -version 2>&1 ;;
        ip | ss | ping | memcached) "$1" -V ;;
        *) "$1" --version ;;
    esac 2>/dev/null </dev/null | head -n 1 | tr '\t' ' '
}

is_old() { # PROGRAM VERSION
    case $1 in
        # openjdk version "17.0.9" 2023-10-17, or "1.8.0_392"
        java) major=$(printf '%s' "$2" | sed -n 's/^[^"]*"\([0-9]*\).*/\1/p') least=$oldest_java ;;
        # postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
        postgres) major=$(printf '%s' "$2" | sed -n 's/^[^)]*) \([0-9]*\).*/\1/p') least=$oldest_postgresql ;;
        *) return 1 ;;
    esac
    [ "${major:-0}" -lt "$least" ]
}

works() { # PROGRAM
    case $1 in
        tcpdump) tcpdump -i any -d ;; # opens it, and no more
        ping) ping -n -c 1 -W 2 127.0.0.1 ;;
    esac
}

for program in "$@"; do
    path=$(command -v "$program") && [ -f "$path" ] && [ -x "$path" ] || path=''
    if [ -z "$path" ]; then
        printf '%s\tmissing\t\t\n' "$program"
        continue
    fi
    version=$(version_of "$program")
    state=present
    ! is_old "$program" "$version" || state=old
    works "$program" >/dev/null 2>&1 </dev/null || state=barred
    printf '%s\t%s\t%s\t%s\n' "$program" "$state" "$path" "$version"
done
