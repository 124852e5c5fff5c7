#!/bin/sh
# accuracy.sh - the validation set in the simulator, beside an H200's cycles:
#
#     accuracy.sh BUILD [OPTION OF accuracy]...
#
# Prints the table, and fails where an error is larger than bounds.txt allows.
set -u
build=$1
shift
here=$(dirname "$0")
set=$here/validation
work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
"$build/tools/measure" --part 1/2 "$set/set.txt" >"$work/1" &
"$build/tools/measure" --part 0/2 "$set/set.txt" >"$work/0" || exit 1
wait $! || exit 1
cat "$work/0" "$work/1" >"$work/simulated"
"$build/tools/accuracy" "$set/h200.jsonl" "$work/simulated" \
    --order "$here/order.txt" --bounds "$here/bounds.txt" "$@"
