#!/bin/sh
# slides.sh PROGRAM FOLDER - SVG for slides, from real layouts and runs: a row a
# picture. A timeline is made where `export` has the format.
set -eu
program=$1
out=$2
mkdir -p "$out"
n=0
picture() { # picture NAME LAYOUT...
    name=$1
    shift
    "$program" -e "show $* --svg $out/$name.svg" >/dev/null
    n=$((n + 1))
}
picture row-major 'TileLayout(S[(8, 16) : (16, 1)])'
picture column-major 'TileLayout(S[(8, 16) : (1, 8)])'
picture padded 'TileLayout(S[(8, 16) : (20, 1)])'
picture lanes 'TileLayout(S[(8, 4, 2) : (4@laneid, 1@laneid, 1)])'
picture swizzled 'ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(8, 64) : (64, 1)]))'
picture tensor-memory 'TileLayout(S[(32, 8) : (1@TLane, 1@TCol)])'
for f in lessons/ldgsts.py lessons/dsmem.py lessons/tma.py; do
    if "$program" "$f" -e run -e "export svg $out/$(basename "$f" .py)-time.svg" >/dev/null 2>&1; then
        n=$((n + 1))
    fi
done
echo "$n pictures in $out"
