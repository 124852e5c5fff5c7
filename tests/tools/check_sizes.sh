#!/bin/sh
# check_sizes.sh - no source file has more than 600 lines, no folder of src/
# more than 30 files of C (.c, .h, .def, .inc).
set -u
cd "$(dirname "$0")/../.." || exit 1

bad=0
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
}' {} + || bad=1

find src \( -name '*.[ch]' -o -name '*.def' -o -name '*.inc' \) | sed 's,/[^/]*$,,' | sort | uniq -c | awk '
{ n++ }
$1 > 30 {
    printf "%s: %d C files, more than 30\n", $2, $1
    bad++
}
END {
    printf "check_sizes: %d folders, %d too full\n", n, bad
    exit bad > 0
}' || bad=1
exit $bad
