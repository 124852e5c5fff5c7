#!/bin/sh
# timelines.sh PROGRAM PAGE.md FOLDER NAME - the timelines that a page's sessions
# show, as FOLDER/NAME-1.svg and .html and so on, one for each "timeline" of its
# blocks ```tilecopy. The page's own files and sessions are run up to there; what
# cannot be run here (a .cu without nvcc) leaves no picture.
set -eu
program=$1
page=$2
name=$4
lessons=$(cd "$(dirname "$2")" && pwd)
to=$(cd "$3" && pwd)
grep -q '^tilecopy> timeline$' "$page" || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$lessons" "$work/lessons"
awk -v work="$work" -v to="$to" -v name="$name" '
/^```/ && !fence { fence = 1; kind = substr($1, 4); file = $2; next }
/^```$/ { if (file) close(work "/" file); fence = 0; file = kind = ""; next }
fence && file && kind != "console" { print >(work "/" file) }
fence && kind == "tilecopy" && /^tilecopy> timeline$/ {
    n++
    print "export svg " to "/" name "-" n ".svg"
    print "export html " to "/" name "-" n ".html"
    next
}
fence && kind == "tilecopy" && /^tilecopy> / { print substr($0, 11) }
fence && kind == "tilecopy" && /^      \.\.\. / { print substr($0, 11) }
' "$page" >"$work/.session"
cd "$work"
"$program" --batch <.session >/dev/null 2>&1 || :
