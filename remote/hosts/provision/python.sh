#!/bin/sh
# Make the virtual environment .venv with the packages of requirements.lock, each held to its hash.
# Usage: python.sh PYTHON, in the project's folder
# uv installs them, and is in the lock as well; pip does it where uv has no build for this machine, or fails.
set -eu
base=$1
log=build/set-up/python.log
mkdir -p "${log%/*}"

"$base" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>"$log" || {
    cat "$log" >&2
    echo "Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python3.11" >&2
    exit 1
}
echo "Installing the Python environment into .venv"

# run COMMAND ...: what it says is shown only if it fails, and then whole.
run() {
    "$@" >"$log" 2>&1 || {
        status=$?
        cat "$log" >&2
        exit "$status"
    }
}

# An environment that was left half done, or is of another Python, is made anew.
kind='import sys; print(sys.version, sys.base_prefix)'
if [ ! -e .venv/installed ] || [ "$("$base" -c "$kind")" != "$(.venv/bin/python -c "$kind" 2>/dev/null)" ]; then
    run "$base" -m venv --clear .venv
fi
rm -f .venv/installed
python=.venv/bin/python

# pip's settings say where packages come from and which certificates are trusted; uv does not read them.
settings=$("$python" -m pip config list 2>/dev/null) || settings=''
set_from_pip() { # VARIABLE-OF-UV SETTING-OF-PIP
    for place in :env: install global; do
        value=$(echo "$settings" | sed -n "s/^$place\.$2='\(.*\)'\$/\1/p")
        if [ -n "$value" ]; then
            eval "export $1=\"\${$1:-\$value}\""
            return
        fi
    done
}
set_from_pip UV_DEFAULT_INDEX index-url
set_from_pip SSL_CERT_FILE cert
[ -z "${PIP_NO_CACHE_DIR:-}" ] || export UV_NO_CACHE=1
export UV_PYTHON_DOWNLOADS=never

by_uv() {
    awk '/^[^ ]/ {wanted = /^uv==/} wanted' requirements.lock >build/set-up/uv.txt &&
        "$python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
            --only-binary :all: --requirement build/set-up/uv.txt &&
        .venv/bin/uv pip install --quiet --python "$python" --require-hashes --requirement requirements.lock &&
        .venv/bin/uv pip install --quiet --python "$python" --no-deps --no-build-isolation --editable .
}
by_pip() {
    "$python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement "$1" &&
        "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
}
if ! by_uv >build/set-up/uv.log 2>&1; then
    echo "uv did not install the Python packages (build/set-up/uv.log says why); pip does, which takes minutes"
    # Without uv itself, which may have no build for this machine.
    awk '/^[^ ]/ {unwanted = /^uv==/} !unwanted' requirements.lock >build/set-up/pip.txt
    run by_pip build/set-up/pip.txt
fi
# pip has compiled the packages, uv has not: what the commands load is compiled here, once, for those, too, who may not
# write here. All of the packages would take a minute of two processors.
run env -u PYTHONDONTWRITEBYTECODE "$python" -c 'import lab.measuring, report.make'
touch .venv/installed
