#!/usr/bin/env bash
# setup.sh - run once by Gradescope while it makes the autograder's image: what
# tilecopy-repl needs, and a CUDA compiler. The files are in /autograder/source.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export DEBIAN_FRONTEND=noninteractive

# KIT_NO_INSTALL: everything is there, as where this is tried by hand.
if [ -z "${KIT_NO_INSTALL:-}" ]; then
    apt-get update
    apt-get install -y --no-install-recommends gcc g++ make ca-certificates curl \
        unzip libreadline-dev libncurses-dev libjansson-dev libcmark-dev \
        libjq-dev libyaml-dev libseccomp-dev
fi

# The program is of the machine where this folder was made. Elsewhere it is built
# from source.tar.gz (a checkout, packed: tar czf source.tar.gz -C CHECKOUT .).
if ! "$here/tilecopy-repl" --version; then
    if [ ! -f "$here/source.tar.gz" ]; then
        echo "setup.sh: tilecopy-repl does not run on this system; add its" \
            "sources as source.tar.gz to the zip" >&2
        exit 1
    fi
    mkdir -p "$here/build"
    tar xzf "$here/source.tar.gz" -C "$here/build"
    make -C "$here/build" -j"$(nproc)" all
    cp "$here/build/build/tilecopy-repl" "$here/tilecopy-repl"
    "$here/tilecopy-repl" --version
fi

if [ -z "${KIT_NO_INSTALL:-}" ] && ! command -v nvcc >/dev/null &&
    [ ! -x /usr/local/cuda/bin/nvcc ]; then
    sh "$here/toolkit.sh" "$here/toolkit"
fi
