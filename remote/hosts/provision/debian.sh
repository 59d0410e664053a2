#!/bin/sh
# Install the Debian packages that the local lab and the report need, and only those that are missing.
# Usage: debian.sh [--check] [report|python|build]
#   --check   only say what is missing (exit status 1 if anything is)
#   report    only what the report of a measured campaign needs, not the lab
#   python    only what a virtual environment of Python needs
#   build     only what builds the middleware and the lab's programs
set -eu

check=false
[ "${1:-}" != --check ] || { check=true; shift; }
part=${1:-all}

# Each line: a program, then the packages that have it, the first available one is taken.
wanted=''
browser=chromium
[ ! -x "${BROWSER_PATH:-}" ] || browser=''
builders='javac      openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless
mvn        maven
gcc        gcc'
case $part in
python) ;;
build) wanted=$builders ;;
report) wanted="$browser $browser" ;;
*) wanted="$browser $browser
$builders
memcached  memcached
memccapable libmemcached-tools
postgres   postgresql
sshd       openssh-server
ssh        openssh-client
ip         iproute2
unshare    util-linux
ping       iputils-ping
iperf3     iperf3
tcpdump    tcpdump
nc         netcat-openbsd
nutcracker nutcracker
haproxy    haproxy" ;;
esac
PATH="$PATH:/usr/sbin:/sbin"
# Debian keeps PostgreSQL's programs in a folder of their version.
for folder in /usr/lib/postgresql/*/bin; do
    ! [ -d "$folder" ] || PATH="$folder:$PATH"
done

missing=''
while read -r program packages; do
    [ -n "$program" ] || continue
    command -v "$program" >/dev/null 2>&1 || missing="$missing
$program $packages"
done <<LIST
$wanted
LIST
[ "$part" = report ] || [ "$part" = python ] || { [ -e /usr/include/linux/if_packet.h ] && [ -e /usr/include/stdio.h ]; } || missing="$missing
libc6-dev libc6-dev"
"${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing
python3-venv python3-venv"

[ -n "$missing" ] || exit 0
programs=$(echo "$missing" | awk 'NF {printf "%s ", $1}')
if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing programs: $programs. This is not Debian or Ubuntu: install them with its package manager." >&2
    exit 1
fi

first=$(echo "$missing" | awk 'NF {printf "%s ", $2}')
if "$check" || [ "$(id -u)" -ne 0 ]; then
    case $check$part in # not one part after the other: whoever must ask root asks once
    falsebuild) exec "$0" --check ;;
    falsepython) exec "$0" --check report ;;
    esac
    echo "Missing programs: $programs" >&2
    echo "Install them as root, then run again:  apt-get install --no-install-recommends $first" >&2
    exit 1
fi

echo "Installing Debian packages for: $programs"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM
# apt COMMAND ...: what it says is shown only if it fails, and then whole.
apt() {
    DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$log" 2>&1 || {
        status=$?
        cat "$log" >&2
        exit "$status"
    }
}
apt update -qq
available=''
while read -r program packages; do
    [ -n "$program" ] || continue
    for package in $packages; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            available="$available $package"
            break
        fi
    done
done <<LIST
$missing
LIST

# The lab runs its own sshd, memcached and PostgreSQL: the machine's are not to be started by their
# installation, and of PostgreSQL there is to be no cluster that the next boot would start.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy" "$log"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
fi
case " $available " in
*" postgresql "*)
    mkdir -p /etc/postgresql-common/createcluster.d
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/middleware-lab.conf
    ;;
esac
# shellcheck disable=SC2086  # one word a package
apt install -y -qq --no-install-recommends $available
disable() { # PACKAGE SERVICE: nor by the next boot, if this script brought it
    case " $available " in
    *" $1 "*) systemctl disable --quiet "$2" 2>/dev/null || true ;;
    esac
}
if command -v systemctl >/dev/null 2>&1; then
    disable openssh-server ssh
    disable memcached memcached
    disable nutcracker nutcracker
    disable haproxy haproxy
fi
"$0" --check "$part"
