#!/bin/sh
# test_grade.sh PROGRAM EXERCISES - `grade` as students and
# scripts see it: what is asked wrongly, the reference, no answer at all, the
# forms of the verdict.
. "$(dirname "$0")/grade.inc"

# --- what needs no compiler ---

run grade maxpol15 "$mine/reference.cu"
is 2
says err "there is no exercise 'maxpol15'"
says err maxpool15
lines out 0
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
is 4
says err "not where they should be"

# --- the reference ---

need_compiler
run grade maxpool15 --seed 1 "$mine/reference.cu"
is 0
says out "22 of 22 cases pass"
never out '--seed'
passes "$mine/reference.cu"
run grade maxpool15 "$mine/reference.cu" # a seed that nobody knows
is 0

# --- builds that are kept ---

shared=$TILECOPY_GRADE_CACHE
TILECOPY_GRADE_CACHE=$top/kept
for _ in 1 2; do
    run grade maxpool15 --seed 1 "$mine/reference.cu"
    is 0
    says out "22 of 22 cases pass"
    what="builds kept in TILECOPY_GRADE_CACHE"
    if [ "$(find "$top/kept" -name '*.build' 2>/dev/null | wc -l)" = 1 ]
    then ok; else bad "not one"; fi
done
TILECOPY_GRADE_CACHE=$shared

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
is 4
says err "cannot be built"
says err "hint: "
says out "it has neither passed nor failed"
never out "0 of 21"

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
says out "0 of 22 cases pass"
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
assert (j["score"], j["max_score"], j["seed"]) == (0, 39, "3"), j
assert len(j["tests"]) == 35 and j["sandbox"] in ("full", "part", "none")
for t in j["tests"][21:]:
    assert (t["reason"], t["score"]) == ("not-judged", 0), t
for t in j["tests"][:21]:
    assert set(t) >= {"name", "score", "max_score", "status", "message",
                      "visibility"}, t
    assert (t["score"], t["max_score"], t["status"]) == (0, 1, "failed"), t
    assert "read-before-barrier" in t["message"], t
    assert t["findings"][0]["kind"] == "read-before-barrier", t
    assert t["reason"] in ("finding", "wrong-value"), t
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
    says out "22 of 22 cases pass"
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
what="the file before the verdict"
TILECOPY_NVCC=/no/such/nvcc run grade maxpool15 --format json \
    --output verdict.json "$mine/reference.cu"
is 4
if grep -q '"passed":false' verdict.json; then ok; else bad "it is a pass"; fi
run grade maxpool15 --output no/such/folder "$mine/reference.cu"
is 4
says err "cannot write"

the_end
