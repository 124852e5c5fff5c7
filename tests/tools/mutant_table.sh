#!/bin/sh
# The table of the mutants, as Markdown: what each tool of compute-sanitizer
# said on a GPU (sanitizer_table.sh's lines) and what the simulator finds.
#
#     mutant_table.sh TILECOPY_REPL TABLE.jsonl >table.md
#
# Twins, which are correct, come last; a tool that says something of them is
# wrong, and the GPU's bytes must be the simulator's. "-" is nothing, "hangs"
# was killed, "?" ended without a count.
set -u
repl=$1
table=$2
mutants=$(dirname "$0")/../mutants
ours=$(mktemp)
for file in "$mutants"/*.ptx; do
    launch=$(sed -n 's,^// launch: ,,p' "$file")
    reply=$("$repl" --json "$file" -e 'set completion late' -e "launch $launch" |
        tail -n 1)
    bytes=$(printf '%s' "$reply" | grep -o '"buffers":[^]]*' |
        grep -o '"name":"[^}]*' |
        sed 's/"name":"\(.*\)","bytes":\([0-9]*\),"fnv1a64":"\(.*\)"/\1 \2 \3/' |
        paste -sd ';' -)
    found=$(printf '%s\n' "$reply" | sed 's/},{"kind"/}\n{"kind"/g' |
        sed -n 's/.*"kind":"\([a-z-]*\)","message".*"line":\([0-9]*\),"cycle".*/\1 at \2/p' |
        paste -sd , - | sed 's/,/, /g')
    printf '%s\t%s\t%s\n' "$(basename "$file" .ptx)" "${found:--}" "$bytes"
done >"$ours"
awk -F '\t' -v table="$table" '
function field(line, name,    at, rest) {
    at = index(line, "\"" name "\":")
    rest = substr(line, at + length(name) + 3)
    return substr(rest, 1, 1) == "\"" ? substr(rest, 2, index(substr(rest, 2), "\"") - 1) \
                                      : substr(rest, 1, match(rest, /[,}]/) - 1)
}
function cell(m, t) {
    if (!((m, t) in errors)) return ""
    if (end[m, t] == "timeout") return "hangs"
    if (errors[m, t] == "null") return "?"
    return errors[m, t] == 0 ? "-" : errors[m, t]
}
function said(m,    i, c) {
    for (i = 1; i <= 4; i++) {
        c = cell(m, tool[i])
        if (c != "" && c != "-" && c != "?" && c != "hangs") return 1
    }
    return 0
}
BEGIN {
    split("memcheck racecheck synccheck initcheck", tool, " ")
    while ((getline line < table) > 0) {
        m = field(line, "mutant"); t = field(line, "tool")
        errors[m, t] = field(line, "errors"); end[m, t] = field(line, "end")
        expect[m] = field(line, "expect")
        if (t == "none") gpu[m] = field(line, "message")
    }
}
{ names[++n] = $1; found[$1] = $2; bytes[$1] = $3 }
END {
    print "| mutant | its mistake | memcheck | racecheck | synccheck | initcheck | here |"
    print "|---|---|---|---|---|---|---|"
    for (pass = 1; pass <= 2; pass++)
        for (i = 1; i <= n; i++) {
            m = names[i]
            if ((expect[m] == "none") != (pass == 2)) continue
            kind = expect[m]; sub(/ at .*/, "", kind)
            printf "| %s | %s |", m, kind
            for (k = 1; k <= 4; k++) printf " %s |", cell(m, tool[k])
            printf " %s |\n", found[m]
            us = found[m] != "-"; they = said(m)
            if (pass == 1) {
                total++; ours += us; theirs += they
                if (they && !us) missed = missed " " m
            } else {
                twins++; wrong += us; wrongly += they
                equal += gpu[m] == bytes[m]
                if (gpu[m] != bytes[m]) differ = differ " " m
            }
        }
    printf "\n%d mutants: %d found by compute-sanitizer (one of its tools), %d here; found there and not here:%s\n", \
        total, theirs, ours, missed == "" ? " none" : missed
    printf "%d correct twins: %d accused by compute-sanitizer, %d here; the same bytes on the GPU: %d%s\n", \
        twins, wrongly, wrong, equal, differ == "" ? "" : ", not" differ
}' "$ours"
rm -f "$ours"
