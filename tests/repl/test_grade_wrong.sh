#!/bin/sh
# test_grade_wrong.sh PROGRAM EXERCISES - wrong answers: what a
# student should be told of each.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1

# --- wrong answers: what a student should be told of each ---

fails "$mine/maxpool15.cu" "out[0] was never written"
cp "$top/out" "$top/first"
run grade maxpool15 --seed 3 "$mine/maxpool15.cu"
what="the same seed twice"
if cmp -s "$top/out" "$top/first"; then ok; else bad "another verdict"; fi
says out "--seed 3"
run grade maxpool15 --seed 4 "$mine/maxpool15.cu"
what="another seed"
if cmp -s "$top/out" "$top/first"; then bad "the same data"; else ok; fi

fails "$mine/wrong/short_window.cu" \
    "All values are those of the window in[i - 15] ... in[i + 14]." \
    "ok n = 257, falling values" # which never need in[i + 15]
fails "$mine/wrong/no_barrier.cu" "the values are right this time, by luck:" \
    "line 21: read-before-barrier: " "missing: __syncthreads()"
fails "$mine/wrong/no_tail.cu" \
    "the kernel or its launch failed: invalid argument" \
    "out[128] was never written" "ok n = 128"
fails "$mine/wrong/past_the_end.cu" \
    "line 13: out-of-bounds: thread 0 reads 4 bytes at in[1]: in has 4 bytes" \
    "cudaErrorIllegalAddress" "FAIL n = 15, rising values: the same"
fails "$mine/wrong/in_place.cu" \
    "in[0] was changed: the input must stay as it is"
fails "$mine/wrong/never_ends.cu" "line 10: deadlock: nobody can go on:" \
    "where 127 of 128 threads have arrived"
what="each waiter begins a line"
if grep -q '^ *block 0, warp 0, lanes 1-31: ' "$top/out" &&
    grep -q '^ *block 0, warps 1-3, all lanes: ' "$top/out"; then ok
else bad "not so"; fi

the_end
