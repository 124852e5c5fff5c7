#!/bin/sh
# check_sizes.sh - no source file has more than 600 lines.
set -u
cd "$(dirname "$0")/../.." || exit 1

find src tests \( -name '*.[ch]' -o -name '*.def' -o -name '*.sh' \) \
    -exec awk '
{ lines[FILENAME] = FNR }
END {
    for (f in lines) {
        n++
        if (lines[f] > 600) {
            printf "%s: %d lines, more than 600\n", f, lines[f]
            bad++
        }
    }
    printf "check_sizes: %d files, %d too long\n", n, bad
    exit bad > 0
}' {} +
