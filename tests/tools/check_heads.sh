#!/bin/sh
# check_heads.sh - each source file begins with a comment that says what it is
# for; a script's comes after the line that names its interpreter.
set -u
cd "$(dirname "$0")/../.." || exit 1

find src tests \( -name '*.[ch]' -o -name '*.def' -o -name '*.inc' -o \
    -name '*.sh' \) -exec awk '
FNR == 1 { n++; ok = 0 }
FNR <= 2 && /^(\/[*\/]|# )/ { ok = 1 }
FNR == 2 && !ok {
    printf "%s: it does not begin with a comment\n", FILENAME
    bad++
}
END {
    printf "check_heads: %d files, %d without a head comment\n", n, bad
    exit bad > 0
}' {} +
