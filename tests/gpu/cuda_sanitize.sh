#!/bin/sh
# What compute-sanitizer's four tools say of the planted bugs in tests/cuda/bugs
# and of their correct twins, on a machine with a GPU.
#
#     cuda_sanitize.sh build OUTDIR    compiles all of them (needs nvcc); leaves
#                                      OUTDIR/programs.tar.xz
#     cuda_sanitize.sh run OUTDIR [TOOL]...
#                                      runs each of them plainly and under each
#                                      tool, from that archive (needs a GPU and
#                                      compute-sanitizer, no nvcc); leaves
#                                      OUTDIR/sanitizer.tsv
#
# NVCC, SANITIZER and ARCH name other ones; LIMIT (10) seconds for each run, JOBS
# (12) at a time; what hangs is killed. A line of the table, by tabs:
#     bugs|twins  NAME  none|memcheck|racecheck|synccheck|initcheck
#     ended|hangs  STATUS  ERRORS  MESSAGE
# ERRORS: errors or hazards that the tool counted, "?" where it gave no count;
# of the plain run 0. MESSAGE: the tool's first, or the program's last line.
set -u

# first OUT TOOL: the message of a run.
first() {
    if [ "$2" = none ]; then
        tail -n 1 "$1"
    else
        grep '^========= ' "$1" | grep -v 'COMPUTE-SANITIZER\|SUMMARY\|^========= *$' |
            head -n 1 | sed 's/^========= *//'
    fi | tr -d '\000-\010\013-\037' | tr '\t' ' ' | cut -c 1-160
}

# one BINDIR TOOL KIND/NAME: prints the line.
one() {
    out=$(mktemp)
    tool=$2
    set -- "$1/$3" "$3"
    if [ "$tool" = none ]; then
        timeout -s KILL "${LIMIT:-10}" "$1" >"$out" 2>&1
    else
        timeout -s KILL "${LIMIT:-10}" "${SANITIZER:-compute-sanitizer}" \
            --tool "$tool" --print-limit 20 "$1" >"$out" 2>&1
    fi
    status=$?
    end=ended
    [ "$status" -eq 124 ] || [ "$status" -eq 137 ] && end=hangs
    errors=0
    if [ "$tool" != none ]; then
        # "RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)"
        errors=$(sed -n 's/^========= RACECHECK SUMMARY: \([0-9]*\) haz.*/\1/p
            s/^========= ERROR SUMMARY: \([0-9]*\) err.*/\1/p' "$out" |
            sort -n | tail -n 1)
    fi
    printf '%s\t%s\t%s\t%s\t%d\t%s\t%s\n' "${2%/*}" "${2#*/}" "$tool" "$end" \
        "$status" "${errors:-?}" "$(first "$out" "$tool")"
    rm -f "$out"
}

compile() { # NVCC ARCH SOURCE BINARY
    mkdir -p "${4%/*}"
    [ -n "$(find "$4" -newer "$3" 2>/dev/null)" ] || "$1" -std=c++17 -lineinfo "-arch=$2" -cudart static -w \
        -o "$4" "$3" || echo "not built: $3" >&2
}

here=$(dirname "$0")
case "${1:-}" in
--one)
    shift
    one "$@"
    ;;
--compile)
    shift
    compile "$@"
    ;;
build)
    mkdir -p "$2/bin"
    for source in "$here"/../cuda/bugs/*.cu "$here"/../cuda/twins/*.cu; do
        name=$(basename "$source" .cu)
        printf '%s\n%s\n' "$source" \
            "$2/bin/$(basename "$(dirname "$source")")/$name"
    done | xargs -P "${JOBS:-2}" -n 2 sh "$0" --compile "${NVCC:-nvcc}" \
        "${ARCH:-sm_90a}"
    tar -C "$2/bin" -cf - bugs twins | xz -T1 -2 --lzma2=preset=2,dict=64MiB \
        >"$2/programs.tar.xz"
    ls -l "$2/programs.tar.xz"
    ;;
run)
    out=$2
    shift 2
    [ $# -gt 0 ] || set -- none memcheck racecheck synccheck initcheck
    bin=$(mktemp -d)
    tar -C "$bin" -xJf "$out/programs.tar.xz" || exit 1
    for kind in twins bugs; do
        for tool in "$@"; do
            for program in "$bin/$kind"/*; do
                printf '%s\n%s\n' "$tool" "$kind/$(basename "$program")"
            done
        done
    done | xargs -P "${JOBS:-12}" -n 2 sh "$0" --one "$bin" \
        >"$out/sanitizer.tsv.part"
    sort "$out/sanitizer.tsv.part" >"$out/sanitizer.tsv"
    wc -l "$out/sanitizer.tsv"
    rm -rf "$bin"
    ;;
*)
    echo "usage: cuda_sanitize.sh build OUTDIR | run OUTDIR [TOOL]..." >&2
    exit 2
    ;;
esac
