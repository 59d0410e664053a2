# Sourced by azure-create.sh and azure-delete.sh: what may be chosen, each by an environment variable.
# shellcheck shell=sh disable=SC2034  # used by the scripts that source this

: "${GROUP:=middleware-lab}"      # resource group: everything is in it, and deleting it deletes everything
: "${LOCATION:=westeurope}"
: "${ADMIN:=lab}"                 # user on the VMs
: "${SSH_KEY:=$HOME/.ssh/id_ed25519}"
: "${KNOWN_HOSTS:=$HOME/.ssh/known_hosts}"
: "${IMAGE:=Debian:debian-12:12-gen2:latest}"

# The studies had Basic A2, A4 and A1 (2, 8 and 1 cores; 200, 800 and 100 Mbit/s), which are no longer
# offered. These have as many cores; their links are faster, so measure them with section 0.
: "${CLIENTS:=3}"     "${CLIENT_SIZE:=Standard_A2_v2}"
: "${MIDDLEWARES:=2}" "${MIDDLEWARE_SIZE:=Standard_A8_v2}"
: "${SERVERS:=3}"     "${SERVER_SIZE:=Standard_A1_v2}"

# By this tag the scripts know their own; a group without it is never deleted.
: "${TAG:=middleware-lab}"
TAG_NAME=purpose

NETWORK=10.0.0.0/24
SUBNET=experiment

# DRY_RUN=1 prints every az command instead of running it.
run_az() {
    if [ "${DRY_RUN:-0}" = 1 ]; then
        printf 'az' >&2
        for word in "$@"; do
            case $word in
                *[!A-Za-z0-9_./:=,@%+-]* | '') printf " '%s'" "$word" >&2 ;;
                *) printf ' %s' "$word" >&2 ;;
            esac
        done
        printf '\n' >&2
    else
        az "$@"
    fi
}

die() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}
