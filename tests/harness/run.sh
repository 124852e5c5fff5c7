#!/bin/sh
# run.sh - every test of a build, in parallel: run.sh BUILD_FOLDER WORK_FOLDER
# [LIST...]. WORK_FOLDER has each test's own folder while it runs; two builds that
# are given the same one share what nvcc made, as its path is the same then.
# A LIST is a file that has, a line each, tests to leave out and why: a pattern of
# the shell that fits their names, and after two blanks the reason. A line
# "1/N FOLDER..." takes every Nth CUDA program of the folders (the largest N of
# all lists counts); "translations" leaves those of pages out; "judges" does not
# ask ptxas and nvcc for an opinion on texts of ours; "few" tells tests to take few
# of what is costly: programs that nvcc builds, places where calls fail. Prints what fails in full
# and one line for what passes; the last line is "N passed, N failed, N skipped".
set -u
build=$1 work=$2
shift 2
mkdir -p "$work" || exit 2
without=$work/without.$$
cat /dev/null "$@" >"$without" || exit 2
trap 'rm -f "$without"' EXIT
program=$build/tilecopy-repl
lesson=lessons/ldgsts.py
# What is shown of times is the PTX's in its order, the same with and without ptxas;
# tests/repl/test_machine_code.sh looks for it itself.
TILECOPY_PTXAS=none
# Examples of pages run in folders of their own, on builds that lie anywhere.
TILECOPY_EXERCISES=$PWD/exercises
# What is built for the first pass is there for the second.
TILECOPY_CACHE_MB=${TILECOPY_CACHE_MB:-4096}
# Gradings share it, too.
TILECOPY_GRADE_CACHE=${TILECOPY_CACHE:-}
export TILECOPY_PTXAS TILECOPY_EXERCISES TILECOPY_CACHE_MB TILECOPY_GRADE_CACHE

if grep -q '^judges  ' "$without"; then
    TEST_WITHOUT_JUDGES=1
    export TEST_WITHOUT_JUDGES
fi
places=4 # at which each class of calls fails
if grep -q '^few  ' "$without"; then
    TEST_FEW=1
    export TEST_FEW
    places=2
fi

# Of how many CUDA programs of a folder one is taken.
every() {
    awk -v folder="$1" '
    /^1\// {
        split($1, n, "/")
        for (i = 2; i <= NF; i++) if ($i == folder && n[2] > e) e = n[2]
    }
    END { print e ? e : 1 }' "$without"
}

# The tests of the plan whose names no pattern of the list fits.
wanted() {
    while IFS='	' read -r name command; do
        out=
        while IFS= read -r line; do
            # shellcheck disable=SC2254 # a pattern
            case $name in ${line%%  *}) out=1 ;; esac
        done <"$without"
        [ "$out" ] || printf '%s\t%s\n' "$name" "$command"
    done
}

# CUDA programs, some to a test: NAME FILE...
programs() {
    name=$1
    shift
    [ $# -gt 0 ] || return
    printf '%s\n' "$@" | awk -v every="$(every "$name")" '
        NR % every == 1 % every' | xargs -n 6 | awk -v name="$name" -v run="\
'$build/tests/programs' '$program'" '{ printf "%s %d\t%s %s\n", name, NR, run, $0 }'
}

# A page, and its translations unless the list has "translations".
translated() {
    if grep -q '^translations  ' "$without"; then
        echo "'$1'"
    else
        ls "$1" "${1%.md}".*.md 2>/dev/null | tr '\n' ' '
    fi
}

# The name of each test, a tab, and its command.
plan() {
    for t in "$build"/tests/test_*; do
        case $t in
        *.d | *.so) ;;
        *) printf '%s\t%s\n' "${t##*/}" "'$t'" ;;
        esac
    done
    # A page and its translations: they share the builds of their programs.
    for t in tests/pages/*.md lessons/[0-9]*.md lessons/glossary/*.md \
        lessons/TEACHING.md lessons/manual/*.md README.md; do
        case $t in *.*.md) continue ;; esac
        printf '%s\t%s\n' "$t" "'$build/tests/page' '$program' lessons \
$(translated "$t")"
    done
    for t in lessons/[0-9]*.md; do
        printf 'tasks of %s\t%s\n' "$t" "'$program' lesson check '$t'"
    done
    for t in tests/cuda/*/; do
        [ "$t" = tests/cuda/build/ ] || # units of programs: test_builds.sh
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
    echo "tests/repl/pty_interrupt	'$build/tests/pty_interrupt' '$program'"
    echo "tests/repl/pty_gpu	'$build/tests/pty_gpu' '$program'"
    echo "tests/faults	sh tests/faults/faults.sh '$program' '$build/tests/faults.so' $places"
    echo "tests/tools/check_names.sh	sh tests/tools/check_names.sh '$build/libtilecopy.a'"
    echo "tests/tools/test_need.sh	sh tests/tools/test_need.sh"
    echo "tests/course/lesson.sh	sh tests/course/lesson.sh '$program'"
    echo "tests/course/teaching.sh	sh tests/course/teaching.sh '$program'"
    echo "tests/course/site.sh	sh tests/course/site.sh '$program'"
    echo "tests/course/sections.sh	sh tests/course/sections.sh"
    echo "tests/calibrate/accuracy.sh	sh tests/calibrate/accuracy.sh '$build'"
    echo "tests/tui/terminal.sh	sh tests/tui/terminal.sh '$program' $lesson"
    for t in tests/tui/*.tui; do
        echo "$t	sh tests/tui/case.sh '$program' '$t'"
    done
}

sed 's/   */: /; s/^/left out: /' "$without"
plan | wanted |
    "$build/tests/run" -t "${TEST_SECONDS:-600}" -s tests/harness/seconds.txt \
        -s "$build/tests/seconds" -o "$build/tests/seconds" "$work"
