#!/bin/sh
# test_grade_ended.sh PROGRAM EXERCISES - gradings that are interrupted, and
# those that the machine does not allow: nothing is left, the verdict says so,
# and it is no verdict on the submission.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1
mkdir tmp
TMPDIR=$top/tmp
DAEMON=daemon-$$
export TMPDIR DAEMON

# Waits until the submission runs.
begun() {
    for _ in $(seq 1 100); do
        ps -eo args | grep -q "^$DAEMON" && return
        sleep 1
    done
}

# The name that ps shows comes with the file: a submission has no environment.
sed "s/getenv(\"DAEMON\")/\"$DAEMON\"/" "$subs/daemons.cu" >daemons.cu
flat daemons.cu

# --- interrupted ---

# A shell without job control has its background jobs ignore SIGINT.
for signal in TERM HUP KILL; do
    rm -f verdict.json
    "$program" grade maxpool15 --timeout 0 --format json \
        --output verdict.json "$given" >out 2>err &
    pid=$!
    begun
    kill -s $signal $pid
    wait $pid 2>wait
    status=$?
    gone "$DAEMON"
    for _ in 1 2 3 4 5; do # after SIGKILL the worker clears up by itself
        [ -z "$(ls -A tmp)" ] || sleep 1
    done
    what="grade and SIG$signal"
    empty tmp
    if [ $signal = KILL ]; then
        is 137
        cp verdict.json out
        says out '"error":"grading '
    else
        is 4
        says err "grading was interrupted"
        cp verdict.json out
        says out '"passed":false'
        says out '"error":"grading was interrupted"'
        never out '"failed"'
    fi
done
options="--timeout 1"
fails daemons.cu "time limit: no result after 1 second"
gone "$DAEMON"
sed 's/void maxpool15.*/int main() {/' daemons.cu | grep -v pool.cuh >main.cu
mv main.cu daemons.cu
for signal in TERM HUP KILL; do
    "$program" exec daemons.cu >out 2>err &
    pid=$!
    begun
    kill -s $signal $pid
    wait $pid 2>wait
    status=$?
    what="exec and SIG$signal"
    gone "$DAEMON"
    empty tmp
done
run exec --timeout 1 daemons.cu
is 114
gone "$DAEMON"

# --- stopped and continued ---

"$program" grade maxpool15 --seed 3 --timeout 2 "$mine/reference.cu" >out 2>err &
pid=$!
for _ in 1 2 3; do
    sleep 2
    pkill -STOP -P $pid 2>/dev/null
    kill -STOP $pid 2>/dev/null
    sleep 3
    pkill -CONT -P $pid 2>/dev/null
    kill -CONT $pid 2>/dev/null
done
wait $pid
status=$?
what="stopped and continued"
is 0
says out "22 of 22 cases pass"

# --- the machine's fault ---

for n in 20 60 100; do
    (ulimit -n $n && "$program" grade maxpool15 "$mine/reference.cu") \
        >out 2>err </dev/null
    status=$?
    what="$n open files"
    is 4
    says err "open files"
    never out "0 of 21"
done
run grade maxpool15 --seed 3 --output /dev/full "$mine/maxpool15.cu"
is 4
says err "No space left on device"
TMPDIR=/proc run grade maxpool15 "$mine/reference.cu"
is 4
says err "there is no folder for temporary files"
never out "0 of 21"

the_end
