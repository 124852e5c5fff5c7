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
how="--dry-run -Werror"
[ "${1:-}" = --fix ] && how=-i
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Many files to a process: its start takes longer than a file does.
# shellcheck disable=SC2086 # options, a word each
find src tests -name '*.[ch]' | sort |
    xargs -n 100 -P "$(getconf _NPROCESSORS_ONLN)" "$format" $how >"$log" 2>&1
status=$?
if [ $status != 0 ]; then
    sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: .*/\1/p' "$log" | sort -u |
        sed "s|\$|: is not as $format leaves it|"
    # an error of another kind
    grep -i error "$log" | grep -v 'code should be clang-formatted' | head
fi
echo "check_format: $(find src tests -name '*.[ch]' | wc -l) files," \
    "$(grep 'code should be' "$log" | cut -d: -f1 | sort -u | wc -l)" \
    "not formatted ($("$format" --version | grep -o 'version [0-9]*'))"
[ $status = 0 ]
