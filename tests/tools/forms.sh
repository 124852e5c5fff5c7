#!/bin/bash
# forms.sh OUT - asks ptxas which of the instructions that tests/ptx/forms.txt
# stands for it takes, and writes tests/ptx/forms.txt.gz's lines to OUT: a digit
# for each target below (- for what tests/ptx/forms_lax.txt names), and the
# instruction. All that some target takes, and one in 16 of the rest. Takes
# some minutes. From the root of the repository.
set -u
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
targets="sm_80 sm_90 sm_90a sm_100 sm_100a sm_120a"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
command -v ptxas >/dev/null || { echo "forms.sh: no ptxas" >&2; exit 1; }
${CC:-cc} -O1 -o "$work/gen" tests/tools/forms_gen.c || exit 1
"$work/gen" tests/ptx/forms.txt | awk '!seen[$0]++' >"$work/all"

# module TARGET FILE LAST: each line of FILE (number, instruction) in a kernel.
module() {
    awk -v target="$1" -v last="$3" -v header="$(sed "s/@/$1/" <<'EOF'
.version 9.0 .target @ .address_size 64 .global .align 128 .b8 gv[256]; .const .align 16 .b8 cv[64]; .shared .align 128 .b8 sv[256]; .func nothing() { ret; } .func (.reg .b32 %o) one(.reg .b32 %i) { mov.b32 %o, %i; ret; }
EOF
)" 'BEGIN { print header }
    { n = $1; sub(/^[0-9]+ /, "")
      printf ".visible .entry k%d(.param .b64 kp) { .reg .b32 %%r<140>; " \
             ".reg .b64 %%d<40>; .reg .b16 %%h<90>; .reg .b128 %%q<9>; " \
             ".reg .pred %%p<9>; .local .align 16 .b8 lv[64]; %s L: ret; }\n",
             n, $0 }
    END { print last }' "$2"
}

# judge TARGET FILE: the numbers of FILE's lines that ptxas refuses. It names
# the line of each, goes on after an error and stops after a fatal one.
judge() {
    cp "$2" "$work/left"
    while [ -s "$work/left" ]; do
        module "$1" "$work/left" '.entry zz() { bogus; }' >"$work/m.ptx"
        ptxas -arch "$1" "$work/m.ptx" -o /dev/null 2>&1 |
            sed -n 's/.*, line \([0-9]*\); \(error\|fatal\).*/\1 \2/p' \
                >"$work/said"
        awk 'NR == FNR { bad[$1 - 1] = 1; next } FNR in bad { print $1 }' \
            "$work/said" "$work/left"
        stop=$(awk '$2 == "fatal" { print $1 - 1 }' "$work/said")
        [ -n "$stop" ] || break
        tail -n +$((stop + 1)) "$work/left" >"$work/next"
        mv "$work/next" "$work/left"
    done
}

# compile TARGET FILE: the same of what only the whole compilation finds. Of
# addresses in 32 bits it names the lines; of all else it does not, so halve.
compile() {
    [ -s "$2" ] || return
    module "$1" "$2" '' >"$2.ptx"
    ptxas -O0 -arch "$1" "$2.ptx" -o /dev/null >"$2.out" 2>&1 && return
    sed -n "s/.* on line '\([0-9]*\)'.*/\1/p; s/.*, line \([0-9]*\); .*/\1/p" \
        "$2.out" >"$2.lines"
    if [ -s "$2.lines" ]; then
        awk 'NR == FNR { bad[$1 - 1] = 1; next } FNR in bad { print $1 }' \
            "$2.lines" "$2"
        awk 'NR == FNR { bad[$1 - 1] = 1; next } !(FNR in bad)' \
            "$2.lines" "$2" >"$2.a"
        compile "$1" "$2.a"
    elif [ "$(wc -l <"$2")" -eq 1 ]; then
        awk '{ print $1 }' "$2"
    else
        half=$((($(wc -l <"$2") + 1) / 2))
        head -n $half "$2" >"$2.a"
        tail -n +$((half + 1)) "$2" >"$2.b"
        compile "$1" "$2.a"
        compile "$1" "$2.b"
    fi
}

awk '{ print NR, $0 }' "$work/all" >"$work/numbered"
for t in $targets; do
    split -l 2000 "$work/numbered" "$work/part."
    for f in "$work"/part.*; do judge "$t" "$f"; done >"$work/bad.$t"
    rm -f "$work"/part.*
    awk 'NR == FNR { bad[$1] = 1; next } !($1 in bad)' "$work/bad.$t" \
        "$work/numbered" >"$work/good"
    split -l 250 "$work/good" "$work/part."
    for f in "$work"/part.*; do compile "$t" "$f"; done >>"$work/bad.$t"
    rm -f "$work"/part.*
done
awk -v targets="$targets" -v work="$work" 'BEGIN { n = split(targets, t)
      for (i = 1; i <= n; i++)
          while ((getline line < (work "/bad." t[i])) > 0) bad[i, line] = 1 }
    { s = ""
      for (i = 1; i <= n; i++) s = s (((i, FNR) in bad) ? "0" : "1")
      if (s ~ /1/ || FNR % 16 == 0) print s, $0 }' "$work/all" >"$work/judged"
grep -v '^#' tests/ptx/forms_lax.txt >"$work/lax"
cut -d' ' -f2- "$work/judged" | grep -nEf "$work/lax" | cut -d: -f1 >"$work/not"
awk 'NR == FNR { lax[$1] = 1; next }
    FNR in lax { gsub(/1/, "-", $1) } { print }' "$work/not" "$work/judged" >"$1"
wc -l "$1"
