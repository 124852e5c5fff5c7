#!/bin/sh
# Runs each fuzz target for some seconds: fuzz.sh FOLDER SECONDS. What has
# crashed before lies in tests/fuzz/corpus/ and is replayed by a unit test.
set -eu
out=$1
seconds=$2
if ! command -v clang >/dev/null 2>&1; then
    echo "make fuzz needs clang with libFuzzer (Debian: clang libclang-rt-dev)" >&2
    exit 2
fi
mkdir -p "$out"
flags="-std=c17 -O1 -g -Isrc -D_GNU_SOURCE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
if [ ! -e "$out/built" ] || [ -n "$(find src \( -name '*.h' -o -name '*.def' \
    -o -name '*.inc' \) -newer "$out/built")" ]; then
    rm -f "$out"/*.o
    touch "$out/built"
fi
for f in src/*/*.c src/*/*/*.c; do
    vector=
    case $(uname -m):$f in
    *:src/repl/* | *:src/view/* | *:src/runtime/stub/*) continue ;;
    x86_64:*/fast/avx2.c) vector="-mavx2 -mfma" ;;
    x86_64:*/fast/avx512.c)
        vector="-mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma"
        ;;
    esac
    o=$out/$(echo "$f" | tr / _).o
    # shellcheck disable=SC2086
    [ "$o" -nt "$f" ] || clang $flags $vector -ffp-contract=off -c -o "$o" "$f"
done
for f in tests/fuzz/fuzz_*.c; do
    name=$(basename "$f" .c)
    seeds=tests/fuzz/corpus/${name#fuzz_}
    mkdir -p "$out/$name.corpus" "$seeds"
    # shellcheck disable=SC2086
    clang $flags -DTC_FUZZ -fsanitize=fuzzer -o "$out/$name" "$f" "$out"/*.o \
        -ljansson -lyaml -lseccomp -lcmark -ljq -ldl -lm
    dict=
    programs="lessons tests/gpu"
    case $name in
    fuzz_ptx | fuzz_run) programs="tests/ptx tests/mutants" ;;
    esac
    [ -e "tests/fuzz/${name#fuzz_}.dict" ] && dict=-dict=tests/fuzz/${name#fuzz_}.dict
    echo "== $name, $seconds s"
    # shellcheck disable=SC2086
    "$out/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 \
        -print_final_stats=0 -verbosity=0 -artifact_prefix="$out/$name-" $dict \
        "$out/$name.corpus" "$seeds" $programs
done
