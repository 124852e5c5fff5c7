#!/bin/sh
# test_files.sh PROGRAM DEMO.py - paths that are no ordinary files: nothing
# waits for somebody else, and what was there before a failed write is there
# after it.
set -u

program=$1
demo=$2
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
TILECOPY_CACHE=$top/cache
HOME=$top/home
XDG_STATE_HOME=$top/state
export TILECOPY_CACHE HOME XDG_STATE_HOME
unset XDG_CONFIG_HOME

# run ARG...: the program; 124 if it waits for ever.
run() {
    timeout 60 "$program" "$@" <"$top/in" >"$top/out" 2>"$top/err"
    status=$?
    what=$*
}
: >"$top/in"

check() { # check TEXT COMMAND...: the command's success
    text=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what (status $status): $text"
        sed 's/^/  out: /' "$top/out" | head -n 20
        sed 's/^/  err: /' "$top/err" | head -n 20
    fi
}
is() { check "status is not $1" [ $status = "$1" ]; }
says() { check "$1 lacks $2" grep -qE -e "$2" "$top/$1"; }

mkdir "$top/folder"
mkfifo "$top/fifo" "$top/fifo.py" "$top/fifo.cu" "$top/fifo.ptx" \
    "$top/fifo.trace"
python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$top/socket" 2>/dev/null

# --- reading ---

for f in fifo fifo.py fifo.cu fifo.ptx fifo.trace; do
    run -e "load $top/$f"
    is 1
    says err "cannot read '$top/$f': it is a FIFO, not a file"
    run "$top/$f"
    is 1
    says err "it is a FIFO, not a file"
done
run exec "$top/fifo.cu"
is 1
says err "it is a FIFO"
run -e "load $top/folder"
is 1
says err "Is a directory"
for device in /dev/zero /dev/null /dev/tty; do
    [ -e "$device" ] || continue
    run -e "load $device"
    is 1
    says err "it is a device, not a file"
done
if [ -S "$top/socket" ]; then
    run -e "load $top/socket"
    is 1
    says err "it is a socket, not a file"
fi
run -e "load $top/none.py"
is 1
says err "cannot open '$top/none.py': No such file"
head -c 9000000 /dev/zero | tr '\0' '\n' >"$top/large.py"
run -e "load $top/large.py"
is 1
says err 'it is larger than 8 MiB'

# What a shell hands over as a descriptor is read to its end.
echo 'n = 6 * 7' | timeout 60 "$program" -e 'load /dev/stdin' -e n \
    >"$top/out" 2>"$top/err"
status=$? what='load /dev/stdin'
is 0
says out '^42$'
what='load /dev/fd/9'
{ echo 'n = 6 * 7' | timeout 60 "$program" -e 'load /dev/fd/9' -e n 9<&0 \
    </dev/null >"$top/out" 2>"$top/err"; status=$?; }
is 0
says out '^42$'
exec 8<>"$top/fifo" # somebody who says nothing
timeout 30 "$program" --timeout 1 -e 'load /dev/stdin' \
    <&8 >"$top/out" 2>"$top/err"
status=$? what='load /dev/stdin, of somebody who says nothing'
is 114
says err 'stopped by the time limit'
exec 8<&-
timeout 60 "$program" -e 'load /dev/stdin' </dev/zero >"$top/out" 2>"$top/err"
status=$? what='load /dev/stdin </dev/zero'
is 1
says err 'it is larger than 8 MiB'

# --- writing ---

for format in chrome trace; do
    run "$demo" -e run -e "export $format $top/fifo"
    is 1
    says err "cannot write '$top/fifo': it is a FIFO that nobody reads"
    run "$demo" -e run -e "export $format $top/folder"
    is 1
    says err "Is a directory"
done
run "$demo" -e "show A_smem --svg $top/fifo"
is 1
says err "it is a FIFO that nobody reads"
run "$demo" -e run -e 'export chrome /dev/full'
is 1
says err 'No space left on device'
run "$demo" -e run -e 'export chrome /dev/null' -e 'export chrome /dev/stdout'
is 0
says out traceEvents

# A reader of a FIFO gets all of it.
cat "$top/fifo" >"$top/read" &
run "$demo" -e run -e "export chrome $top/plain"
is 0
what='export to a FIFO that is read'
timeout 60 "$program" "$demo" -e run -e "export chrome $top/fifo" \
    >"$top/out" 2>"$top/err"
status=$?
wait
is 0
check 'it is another text' cmp "$top/plain" "$top/read"

# The old file is there as long as the new one is not whole; its mode, and a
# link to it, stay.
echo old >"$top/kept"
chmod 640 "$top/kept"
ln -s kept "$top/link"
what='export with a limit of a block of file size'
(
    ulimit -f 1
    trap '' XFSZ
    exec timeout 60 "$program" "$demo" -e run -e "export chrome $top/link"
) >"$top/out" 2>"$top/err" </dev/null
status=$?
is 1
says err "cannot write '$top/link': File too large"
check 'the old text is gone' [ "$(cat "$top/kept")" = old ]
check 'something is left' [ "$(find "$top" -name 'kept*' | wc -l)" = 1 ]
run "$demo" -e run -e "export chrome $top/link"
is 0
check 'it is another text' cmp "$top/plain" "$top/kept"
check 'it is no link' [ -L "$top/link" ]
check 'the mode is another' [ "$(stat -c %a "$top/kept")" = 640 ]

# --- grade and exec ---

echo 'int main() { return 0; }' >"$top/k.cu"
for out in "$top/fifo" "$top/folder" "$top/none/here"; do
    run grade maxpool15 "$top/k.cu" --output "$out"
    check "status is 0" [ $status != 0 -a $status != 124 ]
    says err "cannot write '$out'|FIFO that nobody reads"
    run exec --report "$out" "$top/k.cu"
    check "status is 0" [ $status != 0 -a $status != 124 ]
    says err "cannot write the report '$out'|FIFO that nobody reads"
done

# --- the prompt's own files ---

mkdir -p "$top/home/.config/tilecopy-repl" "$top/state/tilecopy-repl"
mkfifo "$top/home/.config/tilecopy-repl/rc" "$top/state/tilecopy-repl/history"
what='the prompt, its rc and history FIFOs'
printf 'n = 6 * 7\nn\nquit\n' >"$top/keys"
exec 8<>"$top/fifo" # never at its end, as a terminal
cat "$top/keys" >&8
timeout 60 script -qec "$program" /dev/null <&8 >"$top/out" 2>"$top/err"
status=$?
is 0
exec 8<&-
says out '42.?$'
says out 'rc is not read: it is a FIFO'
says out 'history is not kept: cannot write'
what='lesson, its text a FIFO'
mkdir "$top/lessons"
mkfifo "$top/lessons/01-here.md"
TILECOPY_LESSONS=$top/lessons
export TILECOPY_LESSONS
run -e lesson
is 0

echo "$passed passed, $failed failed"
[ $failed = 0 ]
