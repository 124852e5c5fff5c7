#!/bin/sh
# pictures.sh PROGRAM [FOLDER] - the README's pictures, from runs of its programs made now,
# in FOLDER (lessons/manual): wrong.svg and right.svg, timelines of the program that
# forgets to wait and of the one that waits. The session to be played is cast.py's.
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")/../.."
out=$(realpath "${2:-lessons/manual}")
# times are the PTX's in its order: the same where there is no ptxas
TILECOPY_PTXAS=none
export TILECOPY_PTXAS
work=$(mktemp -d "${TMPDIR:-/tmp}/pictures.XXXXXX")
trap 'rm -rf "$work"' EXIT
sed -n '/^```python forgot.py$/,/^```$/{/^```/d;p;}' README.md >"$work/forgot.py"

# a run with findings ends with status 1, and is what is wanted
"$program" "$work/forgot.py" -e run -e "export svg $out/wrong.svg" >"$work/log" || [ $? = 1 ]
"$program" lessons/ldgsts.py -e run -e "export svg $out/right.svg" >"$work/log"
