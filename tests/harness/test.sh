#!/bin/sh
# test.sh BUILD_FOLDER WORK_FOLDER JOBS [LIST...] - `make test-all`: the build,
# every test, the sanitized build, and the tests again but for those of
# sanitized.txt. `make test` leaves out those of a LIST, too, and of SANITIZED_LISTS
# in the second pass. Says last
# what each part took of the processor (user and system time of all it started),
# and what passed, failed and was skipped in all. MAKE and SANITIZE are make's.
set -u
build=$1 work=$2 jobs=$3
shift 3
here=$(dirname "$0")
MAKE=${MAKE:-make}
parts=$build/parts
mkdir -p "$build" || exit 2
: >"$parts"

# Sets taken to the seconds of the processor of all that was waited for; `times`
# is about this shell only where it is no part of a pipe.
count() {
    times >"$build/times"
    taken=$(awk 'NR == 2 { gsub(/[ms]/, " "); split($0, t, " ")
        printf "%.0f", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$build/times")
}

# part NAME COMMAND...: runs it; its output goes on, and its counts are noted.
part() {
    name=$1
    shift
    count
    before=$taken
    { "$@"; echo $? >"$build/status"; } | tee "$build/said"
    status=$(cat "$build/status")
    said=$(tail -n 1 "$build/said")
    case $said in *' passed, '*' failed, '*) ;; *) said= ;; esac
    count
    printf '%s\t%s\t%s\n' $((taken - before)) "$name" "$said" >>"$parts"
    [ "$status" = 0 ]
}

whole() {
    awk -F '\t' -v wall=$(($(date +%s) - begin)) '
    { printf "%6d s  %-15s  %s\n", $1, $2, $3; s += $1
      split($3, n, " "); p += n[1]; f += n[3]; k += n[5] }
    END { printf "%6d s of processor time, %d s by the clock\n", s, wall
          printf "%d passed, %d failed, %d skipped\n", p, f, k }' "$parts"
}

begin=$(date +%s)
# shellcheck disable=SC2086 # names without blanks
part 'build' "$MAKE" -s -j"$jobs" BUILD="$build" test-build &&
    part 'tests' sh "$here/run.sh" "$build" "$work" "$@" &&
    part 'sanitized build' "$MAKE" -s -j"$jobs" BUILD="$build/san" \
        OPT="-O1 -g1" SAN="$SANITIZE" test-build &&
    part 'sanitized tests' sh "$here/run.sh" "$build/san" "$work" \
        "$here/sanitized.txt" ${SANITIZED_LISTS:-} "$@"
status=$?
whole
exit $status
