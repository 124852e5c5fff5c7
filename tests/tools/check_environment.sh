#!/bin/sh
# check_environment.sh - every variable of the environment that the source reads,
# and every name that begins with TILECOPY_, stands in the manual's table
# (lessons/manual/environment.md), and what stands there is read somewhere.
set -u
cd "$(dirname "$0")/../.." || exit 1

table=lessons/manual/environment.md
tmp=$(mktemp -d "${TMPDIR:-/tmp}/environment.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT

# The include guard of tilecopy.h, and the beginning of names in a test, are none.
grep -rhoE '\bTILECOPY_[A-Z_0-9]+\b' Makefile src tests exercises lessons/*.md \
    --include='*' --exclude-dir=__pycache__ |
    grep -vxE 'TILECOPY_(H|EX)' | sort -u >"$tmp/ours"
grep -rhoE '\bgetenv\("[A-Z_]+"\)' src --include='*.c' |
    sed 's/.*"\(.*\)".*/\1/' | sort -u >"$tmp/read"
grep -oE '`[A-Z][A-Z_]+`' "$table" | tr -d '`' | sort -u >"$tmp/told"
sort -u "$tmp/ours" "$tmp/read" >"$tmp/all"

comm -23 "$tmp/all" "$tmp/told" | sed "s,^,$table has no row for ," >"$tmp/bad"
comm -13 "$tmp/ours" "$tmp/told" | grep '^TILECOPY_' |
    sed "s,^,$table: nobody reads ," >>"$tmp/bad"
cat "$tmp/bad"
echo "check_environment: $(wc -l <"$tmp/all") variables, $(wc -l <"$tmp/bad") of them not told"
[ ! -s "$tmp/bad" ]
