#!/bin/sh
# check_private.sh - what is committed names no folder of somebody's machine,
# and leaves no note about work to be done.
set -u
cd "$(dirname "$0")/../.." || exit 1

if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "check_private: SKIPPED: this is not a git checkout"
    exit 0
fi
# The words are put together here, so that this file does not hold them.
words="/wo""rk/|\.\./sha""red|\\b(TO""DO|FIX""ME|XX""X)\\b"
git grep -nIE "$words" -- . >"${TMPDIR:-/tmp}/private.$$"
found=$(wc -l <"${TMPDIR:-/tmp}/private.$$")
cut -c 1-160 "${TMPDIR:-/tmp}/private.$$"
rm -f "${TMPDIR:-/tmp}/private.$$"
echo "check_private: $(git ls-files | wc -l) files, $found such lines"
[ "$found" = 0 ]
