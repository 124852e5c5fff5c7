#!/bin/sh
# test_pictures.sh PROGRAM - the pictures that the README links to are those of runs made
# now, by src/tools/pictures.sh.
set -u
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
top=$(mktemp -d "${TMPDIR:-/tmp}/pictures.XXXXXX") || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
sh "$root/src/tools/pictures.sh" "$program" "$top" || exit 1
for f in wrong right; do
    if cmp -s "$top/$f.svg" "$root/lessons/manual/$f.svg" && [ -s "$top/$f.svg" ] &&
        grep -qF "lessons/manual/$f.svg" "$root/README.md"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: lessons/manual/$f.svg is not what a run gives:" \
            "sh src/tools/pictures.sh build/tilecopy-repl makes it anew"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
