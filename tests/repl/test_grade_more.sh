#!/bin/sh
# test_grade_more.sh PROGRAM EXERCISES - submissions that do more
# than they should.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1

# --- submissions that do more than they should ---

# All cases pass; the points of speed are lost.
for right in prints threads writes forks; do
    flat "$subs/$right.cu"
    run grade maxpool15 --seed 3 "$given"
    is 1
    says out "22 of 22 cases pass, "
    never out "FAIL  n "
    lines err 0
done
gone "$top/flat/forks$"
flat "$subs/streams.cu" # loads its windows from global memory
run grade maxpool15 --seed 3 "$given"
is 1
says out "22 of 22 cases pass, "
says out "async_read_bytes: 0 bytes"
# Unusual ways that are right: what they lose is speed, or memory's sectors.
for unusual in groups barrier; do
    run grade maxpool15 --seed 3 "$subs/unusual/$unusual.cu"
    says out "22 of 22 cases pass, "
    for point in "and these share it (1 of 1" \
        "the input is copied to shared memory asynchronously (2 of 2" \
        "and it is the copies that are used (2 of 2" \
        "the input is read about once (2 of 2"; do
        says out "ok $point"
    done
    lines err 0
done
# The last was barrier; groups waits as long as wrong/waits_at_once.cu does.
says out "ok there is work while copies are in flight (2 of 2"
fails "$subs/wraps.cu" "FAIL n = 2147483647, random values, in part" \
    "21 of 22 cases pass"
fails "$subs/exits.cu" "the program ended with status 0 before the call of"
for status in 110 114 130; do # nobody's but its own
    sed "s/exit(0)/exit($status)/" "$subs/exits.cu" >exits.cu
    fails exits.cu "the program ended with status $status before the call of" \
        "FAIL n drawn, extreme values"
done
fails "$subs/crashes.cu" "was ended by signal 11: Segmentation fault"
fails "$subs/throws.cu" "was ended by signal 6: Aborted"
fails "$subs/derefs.cu" "line 5: host-deref: host code reads device memory"
fails "$subs/frees.cu" "invalid argument (cudaErrorInvalidValue)"
fails "$subs/resets.cu" "the host frees device memory or resets the device"
fails "$subs/once.cu" "out[0] was never written"
fails "$subs/before.cu" "out[-1] was written, and out has only out[0] ..." \
    "ok n = 1,"
options="--timeout 1"
fails "$subs/sleeps.cu" "time limit: no result after 1 second" \
    "21 more cases were not run"
options="--timeout 0.8"
fails "$subs/slow.cu" "not run: no time was left."
run grade maxpool15 --timeout 0 "$mine/reference.cu" # without a limit
is 0
options="--timeout 1"
fails "$subs/floods.cu" "time limit: no result after 1 second"

the_end
