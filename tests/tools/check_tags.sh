#!/bin/sh
# check_tags.sh - no struct, enum or union of src has a body in two files: a
# debugger's "ptype struct NAME" and a reader find one. Tests may have their own.
set -u
git ls-files 'src/*.c' 'src/*.h' 'src/*.inc' 'src/*.def' | xargs awk '
{
    line = $0
    while (match(line, /(^|[^A-Za-z0-9_])(struct|enum|union) +[A-Za-z_][A-Za-z0-9_]* *\{/)) {
        tag = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        sub(/ *\{$/, "", tag)
        sub(/^.*(struct|enum|union) +/, "", tag)
        n++
        if (tag in first && first[tag] != FILENAME) {
            printf "%s:%d: %s has a body in %s as well\n", FILENAME, FNR, tag, first[tag]
            bad++
        }
        first[tag] = FILENAME
    }
}
END {
    printf "check_tags: %d tags, %d twice\n", n, bad
    exit bad > 0
}'
