#!/bin/sh
# static.sh FOLDER - the program of `make static`, alone in a folder: it wants libc and no
# other library, and has its lessons, exercises and terminals with it.
. "$(dirname "$0")/package.inc"
mkdir home bin
cp "$folder/tilecopy-repl" bin/

ldd bin/tilecopy-repl >libraries
sed -E 's/ (=>|\().*//; s/^[[:space:]]+//' libraries |
    grep -vE '^(linux-vdso|libc|libm|libmvec|libdl|libpthread|.*ld-linux.*)\.so' >out
[ -s out ] || echo none >out
check "libraries beside libc" none

try() { # try ARG...: as somebody who has nothing yet
    env -i HOME="$top/home" PATH=/usr/bin:/bin TILECOPY_PTXAS=none TERM="${terminal:-dumb}" \
        timeout 120 bin/tilecopy-repl "$@" >out 2>&1 </dev/null
}
try --version
check version "tilecopy-repl $(sed -n 's/^#define TC_VERSION "\(.*\)"$/\1/p' "$root/src/tilecopy.h")"
try -e lesson
check lesson 25-max-pooling
try exercise maxpool15
check exercise "max pooling"
try -e 'load lessons/ldgsts.py' -e run
check run "B equals A, byte by byte"
try lesson check 02-layouts # asks libjq, with regular expressions
check "lesson check" "6 tasks, 0 wrong"
try -e 'set profile a100'
check profile a100
# a machine without descriptions of terminals has ours
if command -v infocmp >/dev/null 2>&1; then
    infocmp -A home/.local/share/tilecopy-repl/*/terminfo xterm-256color >out 2>&1
    check terminfo "xterm-256color|"
else
    skip "infocmp is not installed"
fi
# two at once, at the first start
rm -rf home/.local
for i in 1 2 3 4; do
    env -i HOME="$top/home" PATH=/usr/bin:/bin timeout 120 bin/tilecopy-repl -e lesson \
        >"out.$i" 2>&1 </dev/null &
done
wait
cat out.? | grep -c 25-max-pooling >out
check "four at the first start" 4
ls home/.local/share/tilecopy-repl | wc -l >out
check "one folder is left" 1
finish
