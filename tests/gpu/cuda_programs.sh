#!/bin/sh
# cuda_programs.sh - the annotated CUDA programs, as native ones on a GPU: what
# CUDA itself says about them, to put beside what the simulator says.
#
#   cuda_programs.sh build OUT [PROGRAM.cu...]   with nvcc, on any machine:
#       OUT gets the programs, a list, and a copy of this script
#   cuda_programs.sh run OUT                     on a machine with a GPU
#   cuda_programs.sh sanitize OUT TOOL           the same under compute-sanitizer
#
# Without PROGRAM.cu: lessons/cuda/*/*.cu. A line of the table: the program, its
# status ("ok" where it is the one of @exit), its last line.
# NVCC, ARCH (sm_90a), LIMIT (20 seconds a program) say otherwise.
set -u

usage() {
    sed -n '5,9s/^# *//p' "$0" >&2
    exit 2
}

[ $# -ge 2 ] || usage
how=$1 out=$2
shift 2

# lessons/cuda/saxpy/saxpy_v5.cu -> saxpy.saxpy_v5
name_of() {
    echo "$1" | sed 's/\.cu$//; s,.*/\([^/]*\)/\([^/]*\)$,\1.\2,'
}

build() {
    nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    [ $# -gt 0 ] || set -- "$(dirname "$0")"/../../lessons/cuda/*/*.cu
    mkdir -p "$out" && : >"$out/list" || exit 1
    failed=0
    for f in "$@"; do
        name=$(name_of "$f")
        if ! "$nvcc" -std=c++17 -arch="${ARCH:-sm_90a}" -lineinfo \
            -cudart static -o "$out/$name" "$f"; then
            echo "$name: does not build" >&2
            failed=$((failed + 1))
            continue
        fi
        args=$(sed -n 's,^// @args *,,p' "$f" | head -n 1)
        want=$(sed -n 's,^// @exit *,,p' "$f" | head -n 1)
        finding=$(grep -o '@finding [a-z|-]*' "$f" | head -n 1)
        echo "$name|${want:-0}|${finding#@finding }|$args" >>"$out/list"
    done
    cp "$0" "$out/cuda_programs.sh"
    echo "cuda_programs: $(wc -l <"$out/list") built, $failed not"
    [ $failed = 0 ]
}

# One program; sets status, last.
one() {
    timeout "${LIMIT:-20}" "$@" >"$tmp" 2>&1
    status=$?
    last=$(tail -n 1 "$tmp" | tr -d '\r' | cut -c 1-90)
}

run() {
    wrong=0 n=0
    tmp=$(mktemp)
    trap 'rm -f "$tmp"' EXIT
    while IFS='|' read -r name want finding args; do
        # shellcheck disable=SC2086 # arguments are words
        if [ "$how" = sanitize ]; then
            one "${SANITIZER:-compute-sanitizer}" --tool "$1" \
                "$out/$name" $args </dev/null
            last=$(grep -E 'ERROR SUMMARY|hazard.* displayed|RACECHECK SUMMARY' \
                "$tmp" | tail -n 1)
            said="status $status"
        else
            one "$out/$name" $args </dev/null
            said=ok
            [ "$status" = "$want" ] || said="STATUS $status"
            [ "$status" = "$want" ] || wrong=$((wrong + 1))
        fi
        n=$((n + 1))
        printf '%-42s %-10s %s%s\n' "$name" "$said" "$last" \
            "${finding:+   [wrong as printed: $finding]}"
    done <"$out/list"
    echo "cuda_programs: $n run, $wrong with a status that they should not have"
    [ $wrong = 0 ]
}

case $how in
build) build "$@" ;;
run) run ;;
sanitize) [ $# = 1 ] && run "$1" ;;
*) usage ;;
esac
