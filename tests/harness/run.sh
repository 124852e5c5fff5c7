#!/bin/sh
# Runs every test of a build: run.sh BUILD_FOLDER. Prints what fails in full and
# one line for what passes; the last line is "N passed, N failed".
set -u
build=$1
passed=0
failed=0
log=$build/tests/log
mkdir -p "$build/tests"
# Cycles are the same with and without ptxas (src/run/facts.c).
TILECOPY_PTXAS=none
# Examples of pages run in folders of their own, on builds that lie anywhere.
TILECOPY_EXERCISES=$PWD/exercises
export TILECOPY_PTXAS TILECOPY_EXERCISES

# count OK NAME: one more program that passed or failed as a whole.
one() {
    name=$1
    shift
    if "$@" >"$log" 2>&1; then
        ok=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
        pages=$(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$log" | tail -n 1)
        n=${ok:-${pages:-1}}
        passed=$((passed + n))
        echo "ok      $name ($n)"
        grep -h '[Ss][Kk][Ii][Pp][Pp][Ee][Dd]:\|^compared' "$log" | sort -u | sed 's/^ */        /'
    else
        echo "FAILED  $name (status $?)"
        cat "$log"
        ok=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
        bad=$(sed -n 's/^ *\([0-9]*\) FAILED TEST.*/\1/p' "$log" | tail -n 1)
        pages=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$log" | tail -n 1)
        passed=$((passed + ${ok:-0}))
        failed=$((failed + ${bad:-${pages:-1}}))
    fi
}

for t in "$build"/tests/test_*; do
    case $t in
    *.d | *.so) continue ;;
    esac
    one "${t##*/}" "$t"
done
for page in tests/pages/*.md lessons/*.md README.md; do
    one "$page" "$build/tests/page" "$build/tilecopy-repl" lessons "$page"
done
one tests/harness/programs "$build/tests/programs" "$build/tilecopy-repl" \
    lessons tests/cuda exercises
one tests/repl/pty "$build/tests/pty" "$build/tilecopy-repl" lessons/ldgsts.py
one tests/repl/pty_exec "$build/tests/pty_exec" "$build/tilecopy-repl"
one tests/repl/pty_gpu "$build/tests/pty_gpu" "$build/tilecopy-repl"
one tests/repl/test_cli.sh sh tests/repl/test_cli.sh "$build/tilecopy-repl" \
    lessons/ldgsts.py
one tests/repl/test_grade.sh sh tests/repl/test_grade.sh \
    "$build/tilecopy-repl" exercises
one tests/tools/test_need.sh sh tests/tools/test_need.sh
for t in tests/tui/*.sh; do
    one "$t" sh "$t" "$build/tilecopy-repl" lessons/ldgsts.py
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
