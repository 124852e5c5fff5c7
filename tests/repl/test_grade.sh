#!/bin/sh
# test_grade.sh PROGRAM EXERCISES - `grade` as students and scripts see it: the
# reference passes, every wrong answer fails for what is wrong with it, and no
# submission can hang or fool the grader.
set -u

program=$(realpath "$1")
exercises=$(realpath "$2")
subs=$(realpath "$(dirname "$0")/../grade")
TILECOPY_EXERCISES=$exercises
TILECOPY_REPL=$program
export TILECOPY_EXERCISES TILECOPY_REPL
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0

run() { # run ARG...
    timeout 300 "$program" "$@" </dev/null >"$top/out" 2>"$top/err"
    status=$?
    what="tilecopy-repl $*"
}

ok() {
    passed=$((passed + 1))
}

bad() {
    failed=$((failed + 1))
    echo "FAILED: $what (status $status): $1"
    sed 's/^/  out: /' "$top/out" | head -n 30
    sed 's/^/  err: /' "$top/err" | head -n 20
}

is() { # is STATUS
    if [ $status = "$1" ]; then ok; else bad "status is not $1"; fi
}

# says out|err TEXT: on one line, whatever the breaks between words.
says() {
    if tr -s ' \n' '  ' <"$top/$1" | grep -qF -e "$2"; then
        ok
    else
        bad "$1 lacks: $2"
    fi
}

never() { # never out|err TEXT
    if grep -qF -e "$2" "$top/$1"; then bad "$1 has: $2"; else ok; fi
}

lines() { # lines out|err N
    n=$(wc -l <"$top/$1")
    if [ "$n" = "$2" ]; then ok; else bad "$1 has $n lines, not $2"; fi
}

# fails FILE TEXT...: graded, not passed, and each TEXT is in the verdict.
fails() {
    run grade maxpool15 --seed 3 $options "$1"
    is 1
    says out "the exercise is not passed."
    shift
    for text; do
        says out "$text"
    done
}

passes() { # passes FILE
    run grade maxpool15 --seed 3 "$1"
    is 0
    says out "21 of 21 cases pass: the exercise is passed."
    never out FAIL
    lines err 0
}

# --- what needs no compiler ---

mine=$exercises/maxpool15
run grade maxpol15 "$mine/reference.cu"
is 2
says err "there is no exercise 'maxpol15'"
says err maxpool15
lines out 0
run grade maxpool15 --format junit "$mine/reference.cu"
is 2
says err "is not built yet"
run grade maxpool15 --format yaml "$mine/reference.cu"
is 2
says err "there is no format 'yaml'"
run grade maxpool15 "$top/none.cu"
is 1
says err "No such file"
run grade
is 2
run grade maxpool15
is 2
TILECOPY_EXERCISES=$top
run grade maxpool15 "$mine/reference.cu"
TILECOPY_EXERCISES=$exercises
is 1
says err "not where they should be"

# --- the reference ---

run grade maxpool15 --seed 1 "$mine/reference.cu"
if grep -q 'cannot be built' "$top/err"; then
    echo "SKIPPED: no CUDA compiler here: $(sed -n 's/.*cannot be built: //p' \
        "$top/err")"
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
    exit
fi
is 0
says out "21 of 21 cases pass"
never out '--seed'
passes "$mine/reference.cu"
run grade maxpool15 "$mine/reference.cu" # a seed that nobody knows
is 0

# --- what is missing is nobody's failure ---

TILECOPY_LIBCUDA=no-such-library.so
export TILECOPY_LIBCUDA
run grade maxpool15 --backend gpu "$mine/reference.cu"
is 110
says err "no GPU here"
lines out 0
unset TILECOPY_LIBCUDA
what="grade without a compiler"
TILECOPY_NVCC=/no/such/nvcc "$program" grade maxpool15 "$mine/reference.cu" \
    >"$top/out" 2>"$top/err"
status=$?
is 1
says err "cannot be built"
says err "hint: "
lines out 0

# --- wrong answers: what a student should be told of each ---

options=
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
    "the launch failed: invalid argument" \
    "out[128] was never written" "ok n = 128"
fails "$mine/wrong/past_the_end.cu" \
    "line 13: out-of-bounds: thread 0 reads 4 bytes at in[1]: in has 4 bytes" \
    "cudaErrorIllegalAddress" "FAIL n = 15, rising values: the same"
fails "$mine/wrong/in_place.cu" \
    "in[0] was changed: the input must stay as it is"
fails "$mine/wrong/never_ends.cu" "line 10: deadlock: nobody can go on:" \
    "where 127 of 128 threads have arrived"

# --- what is no answer at all ---

cd "$top" || exit 1
echo 'void maxpool15(float *out, const float *in, int n) { x = 1; }' >syntax.cu
run grade maxpool15 syntax.cu
is 3
says err 'syntax.cu(1): error: identifier "x" is undefined'
lines out 0
run grade maxpool15 --format json syntax.cu
is 3
lines out 1
says out '"passed":false'
says out 'identifier \"x\" is undefined'
echo 'void maxpool15(float *out, float *in, int n) {}' >missing.cu
run grade maxpool15 missing.cu
is 3
says err "missing.cu does not define the function that is asked for, maxpool15"
says err "void maxpool15(float* out, const float* in, int n)"
never err main.cu
echo 'int main() {}' >main_too.cu
cat "$mine/reference.cu" >>main_too.cu
run grade maxpool15 main_too.cu
is 3
says err "main_too.cu defines main"

# --- submissions that do more than they should ---

for right in prints streams threads writes forks; do
    passes "$subs/$right.cu"
done
what="a process that a submission left behind"
if ps -eo args | grep -q "^$subs/forks$"; then
    bad "it is still there"
else
    ok
fi
fails "$subs/exits.cu" "the program ended with status 0 before the call of"
for status in 110 114 130; do # nobody's but its own
    sed "s/exit(0)/exit($status)/" "$subs/exits.cu" >exits.cu
    cp "$subs/pool.cuh" .
    fails exits.cu "the program ended with status $status before the call of" \
        "FAIL n drawn, extreme values"
done
fails "$subs/crashes.cu" "was ended by signal 11: Segmentation fault"
fails "$subs/throws.cu" "was ended by signal 6: Aborted"
fails "$subs/derefs.cu" "line 5: host-deref: host code reads device memory"
fails "$subs/frees.cu" "out cannot be read any more (was it freed?)"
fails "$subs/resets.cu" "out cannot be read any more"
fails "$subs/once.cu" "out[0] was never written"
fails "$subs/before.cu" "out[-1] was written, and out has only out[0] ..." \
    "ok n = 1,"
options="--timeout 1"
fails "$subs/sleeps.cu" "time limit: no result after 1 second" \
    "20 more cases were not run"
options="--timeout 0.8"
fails "$subs/slow.cu" "not run: no time was left."
run grade maxpool15 --timeout 0 "$mine/reference.cu" # without a limit
is 0
options="--timeout 1"
fails "$subs/floods.cu" "time limit: no result after 1 second"

# --- installed, from any folder ---

what="make install"
if make -s -o all -C "$mine/../.." install BUILD="$(dirname "$program")" \
    DESTDIR="$top/dest" PREFIX=/usr >out 2>err; then
    ok
else
    bad "it fails"
fi
unset TILECOPY_EXERCISES
with=$program
program=$top/dest/usr/bin/tilecopy-repl
options=
passes "$mine/reference.cu"
fails "$mine/maxpool15.cu" "out[0] was never written"
run lesson
is 0
says out 01-first-steps
for text in exercises/maxpool15/README.md exercises/maxpool15/maxpool15.cu \
    exercises/maxpool15/run.py lessons/cuda/saxpy/saxpy_v6.cu; do
    what="make install"
    if [ -f "dest/usr/share/tilecopy-repl/$text" ]; then
        ok
    else
        bad "$text is not installed"
    fi
done
run -e exercise
is 0
says out "maxpool15"
program=$with
TILECOPY_EXERCISES=$exercises
export TILECOPY_EXERCISES

# --- the same at the prompt and in a batch ---

run -e exercise
is 0
says out "maxpool15 1D max pooling"
run -e 'exercise max'
is 0
says out "void maxpool15(float* out, const float* in, int n);"
says out "Its files are in"
run -e 'exercise nothing'
is 1
run -e "grade maxpool15 $mine/maxpool15.cu" -e '6*7'
is 1
says out "0 of 21 cases pass"
says out 42
run --json -e "grade maxpool15 $mine/wrong/in_place.cu"
is 1
lines out 1
says out '{"command":"grade","ok":true,"exercise":"maxpool15","score":0,'
run --json -e 'grade maxpool15 syntax.cu'
is 3
lines out 1
says out '{"command":"grade","ok":false,"error":{'
says out 'identifier \"x\" is undefined'
run -e 'grade maxpool15'
is 2

# --- forms of the verdict ---

run grade maxpool15 --seed 3 --format json "$mine/wrong/no_barrier.cu"
is 1
lines out 1
lines err 0
cat >check.py <<'END'
import json, sys
j = json.load(open(sys.argv[1]))
assert j["exercise"] == "maxpool15" and j["passed"] is False, j
assert (j["score"], j["max_score"], j["seed"]) == (0, 21, "3"), j
assert len(j["tests"]) == 21
for t in j["tests"]:
    assert set(t) >= {"name", "score", "max_score", "status", "message",
                      "visibility"}, t
    assert (t["score"], t["max_score"], t["status"]) == (0, 1, "failed"), t
    assert "read-before-barrier" in t["message"], t
hidden = [t["name"] for t in j["tests"] if t["visibility"] == "hidden"]
assert len(hidden) == 3 and not any(c.isdigit() for n in hidden for c in n)
kinds = {(f["kind"], f["line"]) for f in j["findings"]}
assert ("read-before-barrier", 21) in kinds, kinds
assert len(kinds) == len(j["findings"])
END
if ! python3 -c ''; then
    echo "SKIPPED: no python3: run.py and the JSON's fields"
else
    what="the fields of the JSON"
    if python3 check.py out 2>err; then ok; else bad "not as they should be"; fi
    (cd "$mine" && timeout 300 python3 run.py test reference.cu) >out 2>err
    status=$?
    what="python run.py test reference.cu"
    is 0
    says out "21 of 21 cases pass"
    (cd "$mine" && timeout 300 python3 run.py test) >out 2>err
    status=$?
    what="python run.py test"
    is 1
    says out "out[0] was never written"
    (cd "$mine" && timeout 300 python3 run.py) >out 2>err
    status=$?
    what="python run.py"
    is 2
fi
run grade maxpool15 --format json --output verdict.json "$mine/reference.cu"
is 0
lines out 0
what="--output"
if grep -q '"passed":true' verdict.json; then ok; else bad "no verdict"; fi
run grade maxpool15 --output no/such/folder "$mine/reference.cu"
is 1
says err "cannot write"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
