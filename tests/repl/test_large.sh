#!/bin/sh
# test_large.sh PROGRAM - large inputs take processor time in proportion: what
# takes well under a second has thirty, and what grows as the square needs more.
set -u

program=$1
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0

# holds INPUT WANT ARG...: the program's last line within the limit.
holds() {
    in=$1 want=$2
    shift 2
    got=$(ulimit -t 30 && "$program" --timeout 600 "$@" <"$in" 2>&1 | tail -n 1)
    if [ "$got" = "$want" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $(echo "$*" | cut -c1-70): '$got' is not '$want'"
    fi
}

# numbers N FORMAT: a line of each number from 1, as awk's printf has it.
numbers() {
    awk -v n="$1" -v f="$2" 'BEGIN { for (i = 1; i <= n; i++) printf f, i, i }'
}

# Names: in batch, in a file, on the command line.
numbers 40000 'x%d = %d\n' >"$top/names.py"
(cat "$top/names.py" && echo x39999) >"$top/names.batch"
holds "$top/names.batch" 39999 --batch
holds /dev/null 39999 "$top/names.py" -e x39999
numbers 7000 'x%d = %d\n' >"$top/entry"
holds /dev/null 6999 -e "$(cat "$top/entry")
set timing off
x6999"
# Values that hold memory, each replaced once.
(
    numbers 10000 'x%d = TileLayout(S[%d, 2])\n'
    numbers 10000 'x%d = %d\n'
    echo x9999
) >"$top/layouts.batch"
holds "$top/layouts.batch" 9999 --batch

# Functions, kernels and labels.
head='.version 8.0
.target sm_80
.address_size 64'
ran='  no findings'
export TILECOPY_PTXAS=none
(echo "$head" && numbers 40000 '.visible .entry k%d(){ret;}\n') >"$top/k.ptx"
holds /dev/null "$ran" "$top/k.ptx" -e 'launch k39999 1 1'
(
    echo "$head"
    numbers 40000 '.func f%d(){ret;}\n'
    echo '.visible .entry k(){ ret; }'
) >"$top/f.ptx"
holds /dev/null "$ran" "$top/f.ptx" -e 'launch k 1 1'
(
    echo "$head"
    echo '.visible .entry k(){'
    numbers 80000 'L%d:\n'
    echo 'ret; }'
) >"$top/l.ptx"
holds /dev/null "$ran" "$top/l.ptx" -e 'launch k 1 1'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
