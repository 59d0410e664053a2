#!/bin/sh
# Build memcached's own proxy, which Debian's memcached lacks, from Debian's source package: build/peers/memcached.
# Everything stays in build/peers, also apt's package lists: the machine's own apt and packages are not changed.
set -eu
umask 022

peers=$(cd "$(dirname -- "$0")/../.." && pwd)/build/peers
program=$peers/memcached
if [ -x "$program" ]; then exit 0; fi

fail() {
    echo "peers.sh: $1" >&2
    exit 1
}
for tool in apt-get dpkg-source dpkg-deb gcc make; do
    command -v "$tool" >/dev/null 2>&1 ||
        fail "no $tool found; memcached's proxy is built on Debian with the packages dpkg-dev, gcc, libc6-dev and make"
done

rm -rf "$peers"
mkdir -p "$peers/apt/lists/partial" "$peers/apt/archives/partial"
cd "$peers"
# run <what failed> <command> [<argument> ...]: what it prints is kept in a file, and shown if it fails.
run() {
    what=$1
    shift
    if ! "$@" >>"$peers/log" 2>&1; then
        tail -n 5 "$peers/log" >&2
        fail "$what; everything that was printed is in $peers/log"
    fi
}
apt() {
    apt-get -q -o Dir::State="$peers/apt" -o Dir::Cache="$peers/apt" -o APT::Sandbox::User=root \
        -o Dir::Etc::SourceList="$peers/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o APT::Update::Error-Mode=any "$@"
}

# The machine's own Debian mirrors, for sources as well.
apt-get indextargets --format "\$(REPO_URI) \$(CODENAME) \$(COMPONENT)" 'Created-By: Packages' |
    awk '{ print "deb " $0; print "deb-src " $0 }' >sources.list
echo "Building memcached's proxy from Debian's source package"
run "Debian's package lists cannot be fetched (is this machine offline?)" apt update
run "Debian's source of memcached cannot be fetched" apt source --download-only memcached
run "Debian's libevent-dev cannot be fetched" apt download libevent-dev
run "the source cannot be unpacked" dpkg-source --extract memcached_*.dsc source
run "libevent-dev cannot be unpacked" dpkg-deb --extract libevent-dev_*.deb libevent
cd source
run "memcached cannot be configured" ./configure --enable-proxy \
    CPPFLAGS="-I$peers/libevent/usr/include" LDFLAGS="-L$(echo "$peers"/libevent/usr/lib/*/)"
run "the libraries of the proxy cannot be built" make -C vendor
run "memcached cannot be built" make memcached
run "the program that was built has no proxy" sh -c './memcached -h | grep proxy_config'
mv memcached "$program"
