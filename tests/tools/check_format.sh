#!/bin/sh
# check_format.sh - the C files are as clang-format leaves them; with --fix it
# makes them so.
set -u
cd "$(dirname "$0")/../.." || exit 1

format=${CLANG_FORMAT:-clang-format}
if ! command -v "$format" >/dev/null 2>&1; then
    echo "check_format: SKIPPED: there is no $format (package clang-format)"
    exit 0
fi
list=$(find src tests -name '*.[ch]' | sort)
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
bad=0
for f in $list; do
    # a header with @ in its strings would be taken for Objective-C
    "$format" --assume-filename="${f%.?}.c" <"$f" >"$tmp"
    if ! cmp -s "$tmp" "$f"; then
        echo "$f: is not as $format leaves it"
        bad=$((bad + 1))
        [ "${1:-}" = --fix ] && cat "$tmp" >"$f"
    fi
done
echo "check_format: $(echo "$list" | wc -l) files, $bad not formatted" \
    "($("$format" --version | grep -o 'version [0-9]*'))"
[ $bad = 0 ]
