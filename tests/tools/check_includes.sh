#!/bin/sh
# check_includes.sh - includes go one way. A row names a folder of src/ (or one
# header of it) and what it may include besides itself, base/ and tilecopy.h:
# folders and headers of rows above its own, so that there is no cycle. A folder
# within a folder is one of its own. A header with a row stands alone: its
# folder may include it too.
set -u
cd "$(dirname "$0")/../.." || exit 1

rows='
base:
base/near:
base/progress:
lang:
layout:
course:
ir: layout
front/front.h: lang layout ir
front/value: lang layout ir front/front.h
front: lang layout ir front/value
front/python: lang layout ir front front/value
dispatch: layout ir
variants: layout ir dispatch
variants/tcgen05: layout ir dispatch variants
variants/tma: layout ir dispatch variants
suggest: front dispatch layout ir lang
emit: layout ir
emit/cuda: layout ir emit
emit/ptx: layout ir emit
ptx:
ptx/rules: ptx
trace:
trace/export: trace
trace/draw: trace
sass:
sim/findings.def:
sim/suppressions.def:
sim/finding.h: ptx sim/findings.def sim/suppressions.def
sim/sim.h: ptx trace sim/finding.h
sim/state.h: ptx
sim/tensormap.h:
sim/texture.h:
sim/profile.h:
sim/core: ptx trace sim/sim.h sim/finding.h sim/findings.def
sim/alu: ptx sim/core
sim/race: ptx trace sim/sim.h sim/core sim/suppressions.def
sim/order: ptx sim/sim.h sim/core sim/race
sim/timing: ptx trace sass sim/sim.h sim/profile.h sim/core base/progress
sim/isa: ptx trace sim/sim.h sim/texture.h sim/core sim/alu sim/race sim/timing
sim/async: ptx trace sim/sim.h sim/tensormap.h sim/core sim/alu sim/race sim/timing sim/isa
sim/fast: ptx sim/core sim/alu sim/isa
sim: ptx trace sim/core sim/race sim/timing sim/isa sim/async sim/fast base/progress
gpu: trace
sandbox:
runtime/protocol.h:
runtime/host_findings.def:
runtime/stub/errors.def:
runtime/stub: runtime/protocol.h
runtime/stub/api: runtime/protocol.h runtime/stub
runtime/stub/blas: runtime/protocol.h runtime/stub
runtime/order: sim/sim.h
runtime/blas: runtime/protocol.h
runtime: runtime/order runtime/blas ptx sim gpu trace sandbox runtime/stub/errors.def
toolchain/toolchain.h: sandbox
toolchain/internal.h: toolchain/toolchain.h
toolchain/nvcc/main.h:
toolchain/nvcc: toolchain/internal.h toolchain/nvcc/main.h
toolchain: sandbox toolchain/nvcc base/progress
reply: layout ir front dispatch
session: front dispatch emit ptx sim gpu trace reply base/near
load: ptx sass sandbox toolchain toolchain/nvcc reply session base/near
run: ir ptx sim gpu toolchain reply session load
explain: layout emit ptx sass sim trace reply session load run
exec: ptx sandbox runtime reply session load run explain base/progress
calibrate: ptx sim/sim.h sim/profile.h gpu runtime run ir
commands/report: course sim/findings.def runtime/host_findings.def
commands: course layout dispatch suggest emit gpu trace sandbox reply session load run explain exec calibrate commands/report
commands/lesson: course front sim dispatch session load run commands
commands/prompt: session run commands base/near
commands/time: trace trace/draw trace/export reply session sim run explain exec calibrate gpu runtime commands commands/report
view: trace trace/draw
grade: trace sandbox runtime/stub/errors.def base/progress
grade/yml: grade
grade/class: grade sandbox
repl/terminal: base/progress
repl: trace view/view.h grade/grade.h grade/kit.h repl/terminal toolchain/nvcc/main.h base/near
'

find src \( -name '*.[ch]' -o -name '*.def' -o -name '*.inc' \) \
    -exec grep -n '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null {} + |
    ROWS=$rows awk '
function folder(path) {
    return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : ""
}
BEGIN {
    n = split(ENVIRON["ROWS"], lines, "\n")
    for (i = 1; i <= n; i++) {
        m = split(lines[i], w, /[: ]+/)
        if (m == 0 || w[1] == "") continue
        known[w[1]] = 1
        may[w[1], w[1]] = may[w[1], "base"] = 1
        for (j = 2; j <= m; j++) {
            if (w[j] == "") continue
            may[w[1], w[j]] = 1
            if ((w[j] in known || folder(w[j]) in known) && w[j] != w[1]) continue
            printf "check_includes: %s names %s, whose row is not above\n", w[1], w[j]
            bad++
        }
    }
}
{
    split($0, at, ":")
    path = substr(at[1], 5) # without src/
    from = path in known ? path : folder(path)
    match($0, /"[^"]*"/)
    file = substr($0, RSTART + 1, RLENGTH - 2)
    to = folder(file)
    checked++
    if (file == "tilecopy.h") next
    if (from == "") why = "src/tilecopy.h stands alone"
    else if (!(from in known)) why = "tests/tools/check_includes.sh has no row for " from "/"
    else if (to == "") why = "write the folder too"
    else if (may[from, to] || may[from, file]) next
    else why = from " may not include " to "/"
    printf "%s:%s: %s: %s\n", at[1], at[2], file, why
    bad++
}
END {
    printf "check_includes: %d includes, %d against the rules\n", checked, bad
    exit bad > 0
}'
