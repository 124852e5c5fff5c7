#!/bin/sh
# run.sh - every test of a build, in parallel: run.sh BUILD_FOLDER WORK_FOLDER
# [LIST]. WORK_FOLDER has each test's own folder while it runs; two builds that
# are given the same one share what nvcc made, as its path is the same then.
# LIST is a file that names, a line each, tests to leave out and why. Prints what
# fails in full and one line for what passes; the last line is "N passed,
# N failed, N skipped".
set -u
build=$1 work=$2 without=${3:-/dev/null}
program=$build/tilecopy-repl
lesson=lessons/ldgsts.py
# Cycles are the same with and without ptxas (src/run/facts.c).
TILECOPY_PTXAS=none
# Examples of pages run in folders of their own, on builds that lie anywhere.
TILECOPY_EXERCISES=$PWD/exercises
# What is built for the first pass is there for the second.
TILECOPY_CACHE_MB=${TILECOPY_CACHE_MB:-4096}
export TILECOPY_PTXAS TILECOPY_EXERCISES TILECOPY_CACHE_MB

# CUDA programs, some to a test: NAME FILE...
programs() {
    name=$1
    shift
    [ $# -gt 0 ] || return
    printf '%s\n' "$@" | xargs -n 6 | awk -v name="$name" -v run="\
'$build/tests/programs' '$program'" '{ printf "%s %d\t%s %s\n", name, NR, run, $0 }'
}

# The name of each test, a tab, and its command.
plan() {
    for t in "$build"/tests/test_*; do
        case $t in
        *.d | *.so) ;;
        *) printf '%s\t%s\n' "${t##*/}" "'$t'" ;;
        esac
    done
    for t in tests/pages/*.md lessons/[0-9]*.md lessons/glossary/*.md \
        lessons/TEACHING.md lessons/manual/*.md README.md; do
        printf '%s\t%s\n' "$t" "'$build/tests/page' '$program' lessons '$t'"
    done
    for t in lessons/[0-9]*.md; do
        printf 'tasks of %s\t%s\n' "$t" "'$program' lesson check '$t'"
    done
    for t in tests/cuda/*/; do
        programs "${t%/}" "$t"*.cu
    done
    # shellcheck disable=SC2046 # names without blanks
    programs lessons/cuda $(find lessons -name '*.cu' ! -path 'lessons/findings/*' | sort)
    # shellcheck disable=SC2046
    programs exercises $(find exercises -name '*.cu' -exec grep -l '// @' {} + |
        sort)
    for t in tests/repl/*.sh; do
        case $t in
        *_grade*.sh) echo "$t	sh '$t' '$program' exercises" ;;
        *) echo "$t	sh '$t' '$program' $lesson" ;;
        esac
    done
    echo "tests/repl/pty	'$build/tests/pty' '$program' $lesson"
    echo "tests/repl/pty_lesson	'$build/tests/pty_lesson' '$program' lessons tests/course/sample"
    echo "tests/repl/pty_exec	'$build/tests/pty_exec' '$program'"
    echo "tests/repl/pty_gpu	'$build/tests/pty_gpu' '$program'"
    echo "tests/faults	sh tests/faults/faults.sh '$program' '$build/tests/faults.so' 4"
    echo "tests/tools/check_names.sh	sh tests/tools/check_names.sh '$build/libtilecopy.a'"
    echo "tests/tools/test_need.sh	sh tests/tools/test_need.sh"
    echo "tests/course/lesson.sh	sh tests/course/lesson.sh '$program'"
    echo "tests/course/teaching.sh	sh tests/course/teaching.sh '$program'"
    echo "tests/course/site.sh	sh tests/course/site.sh '$program'"
    echo "tests/course/sections.sh	sh tests/course/sections.sh"
    echo "tests/tui/terminal.sh	sh tests/tui/terminal.sh '$program' $lesson"
    for t in tests/tui/*.tui; do
        echo "$t	sh tests/tui/case.sh '$program' '$t'"
    done
}

sed 's/^\([^ ]*\) *\(.*\)/left out: \1: \2/' "$without"
plan | awk -v list="$without" '
BEGIN { while ((getline line <list) > 0) { split(line, w, " "); out[w[1]] = 1 } }
{ split($0, w, "\t") }
!(w[1] in out)' |
    "$build/tests/run" -t "${TEST_SECONDS:-600}" -s tests/harness/seconds.txt \
        -s "$build/tests/seconds" -o "$build/tests/seconds" "$work"
