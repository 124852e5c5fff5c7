#!/bin/sh
# check_includes.sh - includes go one way: a folder of src/ may include itself,
# base/, tilecopy.h, and what its row here names. "view/view.h" is a file.
set -u
cd "$(dirname "$0")/../.." || exit 1

rows='
base:
lang:
layout:
ir: layout
front: lang layout ir
dispatch: layout ir
variants: layout ir dispatch
suggest: front dispatch layout ir lang
emit: layout ir
ptx:
trace:
sim: ptx trace
gpu: trace
runtime: ptx sim gpu trace
toolchain:
session: lang layout ir front dispatch variants suggest emit ptx trace sim gpu runtime toolchain
repl: trace view/view.h grade/grade.h
view: trace
grade: trace
'

grep -n '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' src/*.h src/*/*.[ch] \
    src/*/*.def 2>/dev/null | ROWS=$rows awk '
BEGIN {
    n = split(ENVIRON["ROWS"], lines, "\n")
    for (i = 1; i <= n; i++) {
        m = split(lines[i], w, /[: ]+/)
        if (m == 0 || w[1] == "") continue
        known[w[1]] = 1
        may[w[1], w[1]] = may[w[1], "base"] = 1
        for (j = 2; j <= m; j++) if (w[j] != "") may[w[1], w[j]] = 1
    }
}
{
    split($0, at, ":")
    split(at[1], path, "/")
    from = path[3] == "" ? "" : path[2]
    match($0, /"[^"]*"/)
    file = substr($0, RSTART + 1, RLENGTH - 2)
    to = file
    sub(/\/.*/, "", to)
    checked++
    if (file == "tilecopy.h") next
    if (from == "") why = "src/tilecopy.h stands alone"
    else if (!(from in known)) why = "tests/tools/check_includes.sh has no row for " from "/"
    else if (file !~ /\//) why = "write the folder too"
    else if (may[from, to] || may[from, file]) next
    else why = from "/ may not include " to "/"
    printf "%s:%s: %s: %s\n", at[1], at[2], file, why
    bad++
}
END {
    printf "check_includes: %d includes, %d against the rules\n", checked, bad
    exit bad > 0
}'
