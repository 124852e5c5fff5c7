#!/bin/sh
# replay.sh - under the names nvcc and g++: what $REAL_nvcc or $REAL_gxx makes of
# a file is kept in $REPLAY the first time, and made again without it.
case $0 in
*nvcc) tool=nvcc real=$REAL_nvcc ;;
*) tool=gxx real=$REAL_gxx ;;
esac
out='' deps='' keep='' prev='' of=$1
for a; do
    case $prev in
    -o) out=$a ;;
    -MF) deps=$a ;;
    --keep-dir) keep=$a ;;
    *)
        case $a in
        *.cu | *.cpp | *.o | *.ii) of="$of $(cksum <"$a")" ;;
        esac
        ;;
    esac
    prev=$a
done
kept=$REPLAY/$tool.${out##*/}.$(echo "$of" | cksum | tr ' ' .)
if [ ! -d "$kept" ]; then
    mkdir -p "$kept"
    "$real" "$@" >"$kept/said" 2>"$kept/err" || exit
    # where it lies would lead past us
    sed -i '/_HERE_=/d' "$kept/err"
    [ -z "$out" ] || cp "$out" "$kept/out"
    [ -z "$keep" ] || cp "$keep"/*.ptx "$kept"
    [ -z "$deps" ] || cp "$deps" "$kept/deps"
    : >"$kept/whole"
fi
[ -f "$kept/whole" ] || exit 1
cat "$kept/said"
cat "$kept/err" >&2
# a full disk is the caller's fault too
{ [ -z "$out" ] || cp "$kept/out" "$out"; } &&
    { [ -z "$keep" ] || cp "$kept"/*.ptx "$keep"; } &&
    { [ -z "$deps" ] || cp "$kept/deps" "$deps"; }
