#!/bin/sh
# test_grade_limits.sh PROGRAM EXERCISES - what a submission may take, and that
# neither compilers nor a loaded machine take it away.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1
mkdir tmp
TMPDIR=$top/tmp
export TMPDIR

# --- time ---

options="--timeout 1"
fails "$subs/hangs.cu" "time limit: no result after 1 second"
printf '#!/bin/sh\nsleep 3\nexec "%s" "$@"\n' "$(command -v nvcc)" >nvcc
chmod +x nvcc
if command -v nvcc >/dev/null; then # the compiler's time is not the student's
    real=$(realpath "$(command -v nvcc)")
    printf '#!/bin/sh\nsleep 3\nexec "%s" "$@"\n' "$real" >nvcc
    TILECOPY_NVCC=$top/nvcc run grade maxpool15 --seed 3 --timeout 1 \
        "$mine/reference.cu"
    is 0
    says out "21 of 21 cases pass"
fi
# On a machine that is loaded a run takes long by the clock.
load=
for _ in 1 2 3 4 5 6 7 8; do
    (while :; do :; done) &
    load="$load $!"
done
run grade maxpool15 --seed 3 --timeout 1 "$mine/reference.cu"
# shellcheck disable=SC2086 # words
kill $load
is 0
says out "21 of 21 cases pass"

# --- memory, and what it prints ---

options=
fails "$subs/fills.cu" "256 MiB are allowed" \
    "7 pieces, then cudaErrorMemoryAllocation" "memory limit: 33554432 bytes"
fails "$subs/shouts.cu" "it printed:" "| ?[2J00000" "... and 19 MB more"
lines err 0
run grade maxpool15 --seed 3 --format json "$subs/shouts.cu"
is 1
says out '"output_left_out":'
what="the size of the verdict"
if [ "$(wc -c <"$top/out")" -lt 4000000 ]; then ok; else bad "too much"; fi

# --- compiling ---

printf '#include "/dev/stdin"\n' >stdin.cu
run grade maxpool15 stdin.cu
is 3
printf '#include "itself.cu"\n' >itself.cu
run grade maxpool15 itself.cu
is 3
says err "nested"
empty "$top/tmp"

the_end
