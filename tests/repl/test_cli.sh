#!/bin/sh
# test_cli.sh PROGRAM DEMO.py - the command line as scripts rely on it: what goes
# to which stream, and the exit status.
set -u

program=$1
demo=$2
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
unset FORCE_COLOR NO_COLOR COLUMNS

# run ARG...: the program, with $input as its standard input.
input=
run() {
    printf "$input" >"$top/in"
    "$program" "$@" <"$top/in" >"$top/out" 2>"$top/err"
    status=$?
    what="$program $*"
}

ok() {
    passed=$((passed + 1))
}

bad() {
    failed=$((failed + 1))
    echo "FAILED: $what (status $status): $1"
    sed 's/^/  out: /' "$top/out" | head -n 20
    sed 's/^/  err: /' "$top/err" | head -n 20
}

is() { # is STATUS
    if [ $status = "$1" ]; then ok; else bad "status is not $1"; fi
}

says() { # says out|err REGEX
    if grep -qE -e "$2" "$top/$1"; then ok; else bad "$1 lacks: $2"; fi
}

never() { # never out|err REGEX
    if grep -qE -e "$2" "$top/$1"; then bad "$1 has: $2"; else ok; fi
}

lines() { # lines out|err N
    n=$(wc -l <"$top/$1")
    if [ "$n" = "$2" ]; then ok; else bad "$1 has $n lines, not $2"; fi
}

run --version
is 0
says out '^tilecopy-repl [0-9.]+$'
run --help
is 0
says out '^Usage: tilecopy-repl'
lines err 0

# bad usage: one line and a hint, and nothing is run
for args in --evall --arch=sm_1 --backend=x --seed=z --timeout=x -q exec grade; do
    run $args -e 6*7
    is 2
    lines out 0
    lines err 2
    says err '^hint: '
done

run -e '6*7' -e '20+1'
is 0
says out '^42$'
says out '^21$'

# the first failure stops, and its status is the program's
run -e 'set width x' -e '6*7'
is 2
never out 42
run --keep-going -e '6*7' -e 'set width x' -e 'no_such_name' -e '20+1'
is 2
says out '^42$'
says out '^21$'
run -e 'no_such_name'
is 3
says err '^<input>:1:1: error: '

# standard input that is no terminal is a batch; a definition ends at a blank
# line, or with the input
input='# a comment\n\n6*7\nx = (20 +\n1)\nx\n'
run
is 0
says out '^42$'
says out '^21$'
never out 'tilecopy>'
input='no_such_name\n6*7\n'
run --batch
is 3
never out 42
run --batch --keep-going
is 3
says out '^42$'
input='x = 40\r\nx + 2\r\nquit\r\n20+1\r\n'
run --batch
is 0
says out '^42$'
never out '^21$'

# one JSON object a command, and nothing else
input=
run --json -e '6*7' -e 'why' "$demo"
is 0
lines out 2
lines err 0
says out '^\{"command":.*"ok": ?true.*\}$'
run --json --keep-going -e 'no_such_name' -e '6*7'
is 3
lines out 2
lines err 0
says out '"ok": ?false.*"error": ?\{'

# files
run "$top/missing.py" -e '6*7'
is 1
never out 42
says err missing.py
printf 'x = 6 * 7\nx\n' >"$top/a.tcs"
run "$top/a.tcs"
is 0
says out '^42$'
run "$demo" -e why
is 0
says out ldgsts

# the tour, when nobody is at a terminal
run --tour "$demo"
is 0
for heading in why partition run timeline; do
    says out "^== $heading: "
done

# a program that does not end
cat >"$top/spin.py" <<'END'
@T.prim_func
def spinner(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128,), "int32")
    T.device_entry(); T.cta_id([1]); T.warp_id([4]); T.lane_id([32])
    tid = T.thread_id([128])
    for i in range(1000000000):
        A[tid] = A[tid] + 1
END
run --timeout 0.3 "$top/spin.py" -e run -e '6*7'
is 114
never out '^42$'

# colours only where they are wanted
run --color always -e no_such_name
says err "$(printf '\033')"
FORCE_COLOR=1 run -e no_such_name
says err "$(printf '\033')"
FORCE_COLOR=1 NO_COLOR=1 run -e no_such_name
never err "$(printf '\033')"
run -e no_such_name
never err "$(printf '\033')"

if [ -w /dev/full ]; then
    "$program" -e '6*7' >/dev/full 2>"$top/err"
    status=$?
    what="output to a full disk"
    is 1
    says err 'cannot write'
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
