#!/bin/sh
# process.sh - the device process on a real GPU: faults, Ctrl-C, kills, and after
# each the next command; the devices of CUDA programs; exec --backend both.
#
#   process.sh build BUILD OUT   on a machine where `make test-build tools` has
#                                left BUILD: OUT gets what is needed there
#   process.sh run OUT           on a machine with a GPU, in the repository's root
#                                (nvcc: else exec is left out)
#
# Its last line is "process: 0 failed" when all is well.
set -u

usage() {
    sed -n '5,8s/^# *//p' "$0" >&2
    exit 2
}

[ $# -ge 2 ] || usage

build() {
    mkdir -p "$2/lib" || exit 1
    cp "$1/tilecopy-repl" "$1/tests/pty_gpu" "$1/tools/device_host" "$2" ||
        exit 1
    # libraries that a machine with a GPU may lack
    ldd "$1/tilecopy-repl" | grep 'readline\|ncursesw\|tinfo\|jansson' |
        sed 's/.*=> \([^ ]*\) .*/\1/' | while read -r file; do
        cp -L "$file" "$2/lib" || exit 1
    done
    strip "$2"/tilecopy-repl "$2"/pty_gpu "$2"/device_host
    du -sh "$2"
}

failed=0

# one NAME COMMAND...: with our libraries; says how it ended.
one() {
    name=$1
    shift
    LD_LIBRARY_PATH=$out/lib timeout 240 "$@" >"$log" 2>&1
    status=$?
    cat "$log"
    echo "== $name: status $status"
    [ $status -eq 0 ] || failed=$((failed + 1))
}

run() {
    log=$(mktemp)
    PATH=$PATH:/usr/local/cuda/bin
    program=$out/tilecopy-repl
    nvidia-smi -L
    one "at the prompt" "$out/pty_gpu" "$program" real
    since=$(date +%s%N)
    one "three times" "$program" -e gpu -e gpu -e gpu lessons/ldgsts.py
    echo "   $((($(date +%s%N) - since) / 1000000)) ms in all"
    one "device gpu" "$out/device_host" gpu
    one "device both" "$out/device_host" both
    for f in lessons/cuda/saxpy/*.cu lessons/cuda/stencil-halo/*.cu; do
        grep -q '@finding\|@exit [1-9]' "$f" ||
            one "both $f" "$program" exec --backend both "$f"
    done
    TILECOPY_EXERCISES=$PWD/exercises
    export TILECOPY_EXERCISES
    one "grade" "$program" grade maxpool15 --backend gpu \
        exercises/maxpool15/reference.cu
    rm -f "$log"
    echo "process: $failed failed"
    [ $failed = 0 ]
}

case $1 in
build)
    [ $# = 3 ] || usage
    build "$2" "$3"
    ;;
run)
    out=$(cd "$2" && pwd) || exit 1
    run
    ;;
*) usage ;;
esac
