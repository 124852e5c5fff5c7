#!/bin/sh
# The table of the planted bugs in CUDA programs and of their twins, as Markdown:
# what each tool of compute-sanitizer said on a GPU (cuda_sanitize.sh's
# sanitizer.tsv) and what `exec` finds.
#
#     cuda_table.sh TILECOPY_REPL SANITIZER.tsv >table.md
#
# Twins, which are correct, come last: who says something of them is wrong. "-"
# is nothing, "hangs" was killed, "?" ended without a count, "not run" has no line
# in SANITIZER.tsv. OURS, if set, keeps
# what exec said, one line a program, and is used again where it is there.
set -u
repl=$1
table=$2
tests=$(dirname "$0")/../cuda
ours=${OURS:-$(mktemp)}
touch "$ours"
report=$(mktemp)
for kind in bugs twins; do
    for file in "$tests/$kind"/*.cu; do
        name=$(basename "$file" .cu)
        grep -q "^$kind	$name	" "$ours" && continue
        pedantic=$(grep -q '^// @pedantic' "$file" && echo --pedantic)
        want=$(sed -n 's,.*// @finding \([a-z|-]*\).*,\1,p' "$file" | head -n 1)
        line=$(grep -n '// @finding' "$file" | head -n 1 | cut -d : -f 1)
        # shellcheck disable=SC2086
        "$repl" exec --quiet --report "$report" $pedantic --timeout 60 "$file" \
            >/dev/null 2>&1
        found=$(python3 - "$report" <<'PY'
import json, sys
said = []
for f in json.load(open(sys.argv[1]))["findings"]:
    s = "%s at %d" % (f["kind"], f.get("line") or 0)
    if s not in said:
        said.append(s)
print(", ".join(said) or "-")
PY
        )
        printf '%s\t%s\t%s\t%s\n' "$kind" "$name" \
            "${want:-none}${line:+ at $line}" "$found" >>"$ours"
    done
done
awk -F '\t' -v table="$table" '
function cell(k, t) {
    if (!((k, t) in errors)) return "not run"
    if (end[k, t] == "hangs") return "hangs"
    return errors[k, t] == "0" ? "-" : errors[k, t]
}
function says(k,    i, c) { # a tool counted something
    for (i = 1; i <= 4; i++) {
        c = cell(k, tool[i])
        if (c != "-" && c != "?" && c != "hangs" && c != "not run") return 1
    }
    return 0
}
function fits(found, want,    k, n, i, at) { # "A|B at 7"
    at = want; sub(/^[^ ]*/, "", at); sub(/ .*/, "", want)
    n = split(want, k, "|")
    for (i = 1; i <= n; i++) if (found == k[i] at) return 1
    return 0
}
BEGIN {
    split("memcheck racecheck synccheck initcheck", tool, " ")
    while ((getline line < table) > 0) {
        split(line, f, "\t")
        k = f[1] SUBSEP f[2]
        end[k, f[3]] = f[4]; status[k, f[3]] = f[5]; errors[k, f[3]] = f[6]
    }
}
{ n++; kind[n] = $1; name[n] = $2; want[n] = $3; found[n] = $4 }
END {
    print "| program | planted | alone | memcheck | racecheck | synccheck | initcheck | here |"
    print "|---|---|---|---|---|---|---|---|"
    for (pass = 1; pass <= 2; pass++)
        for (i = 1; i <= n; i++) {
            if ((kind[i] == "twins") != (pass == 2)) continue
            k = kind[i] SUBSEP name[i]
            alone = !((k, "none") in end) ? "not run" \
                  : end[k, "none"] == "hangs" ? "hangs" : "exits " status[k, "none"]
            shown = want[i]; sub(/\|/, " or ", shown)
            printf "| %s%s | %s | %s |", name[i], pass == 2 ? " (twin)" : "", shown, alone
            for (t = 1; t <= 4; t++) printf " %s |", cell(k, tool[t])
            printf " %s |\n", found[i]
            us = found[i] != "-"; they = says(k)
            if (pass == 1) {
                bugs++; ours += fits(found[i], want[i]); theirs += they
                hang += alone == "hangs"
                if (they && !us) missed = missed " " name[i]
                if (!fits(found[i], want[i])) other = other " " name[i]
            } else {
                twins++; wrong += us; wrongly += they
                right += alone == "exits 0"
                if (they) accused = accused " " name[i]
            }
        }
    printf "\n%d planted bugs: %d found by compute-sanitizer (by one of its tools; %d hang on the GPU), %d here with kind and line%s; found there and not here:%s\n", \
        bugs, theirs, hang, ours, other == "" ? "" : " (not so:" other ")", \
        missed == "" ? " none" : missed
    printf "%d correct twins: %d accused by compute-sanitizer (%s), %d here; right on the GPU: %d\n", \
        twins, wrongly, accused == "" ? "none" : substr(accused, 2), wrong, right
}' "$ours"
rm -f "$report"
[ -n "${OURS:-}" ] || rm -f "$ours"
