#!/bin/sh
# teaching.sh PROGRAM - what lessons/TEACHING.md promises: its example of a lesson
# passes `lesson check`, its examples run, and the slides' pictures are made.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
top=$(mktemp -d "${TMPDIR:-/tmp}/teaching.XXXXXX") || exit 1
trap 'rm -rf "$top"' EXIT
TILECOPY_LESSONS=$root/lessons
export TILECOPY_LESSONS
awk '/^````/ { p = !p; next } p' "$root/lessons/TEACHING.md" >"$top/90-our-machine.md"
"$program" lesson check "$top/90-our-machine.md" >"$top/out" 2>&1
status=$?
cat "$top/out"
[ "$status" = 0 ] && grep -q '2 tasks, 0 wrong' "$top/out" || exit 1
page=$(dirname "$program")/tests/page
if [ -x "$page" ]; then # its examples, as the page says they are run
    PATH=$(dirname "$program"):$PATH "$page" "$program" "$root/lessons" \
        "$top/90-our-machine.md" >"$top/out" 2>&1 || {
        cat "$top/out"
        exit 1
    }
fi
(cd "$root" && sh src/tools/slides.sh "$program" "$top/slides") || exit 1
for f in "$top"/slides/*.svg; do
    grep -q '</svg>' "$f" || exit 1
done
echo "2 passed, 0 failed"
