#!/bin/sh
# test_grade_kits.sh PROGRAM EXERCISES - `exercise gradescope|classroom|slurm`: the
# folders that they make do their work: the autograder in /autograder's layout,
# the workflow's steps one after the other, as far as that can be without either.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1
if ! python3 -c '' || ! command -v bash >/dev/null; then
    echo "SKIPPED: no python3, or no bash"
    the_end
fi
KIT_NO_INSTALL=1
export KIT_NO_INSTALL

best=$(points_of "$mine/reference.cu")
best=${best#* }
less=$(points_of "$mine/wrong/no_copies.cu")
less=${less% *}

there() { # there FILE...
    for file; do
        what="$file"
        if [ -s "$file" ]; then ok; else bad "it is not there"; fi
    done
}

# --- Gradescope ---

run exercise gradescope maxpool15
is 0
says out "maxpool15-gradescope: zip what is in it"
cd maxpool15-gradescope || exit 1
there setup.sh run_autograder toolkit.sh README.md maxpool15/exercise.yml
what="the reference is no part of it"
if [ -z "$(find . -name 'reference*' -o -name wrong)" ]; then ok; else bad "it is"; fi
cd ..
run exercise gradescope maxpool15
is 1
says err "cannot make the folder 'maxpool15-gradescope'"
run exercise gradescope nothing
is 2
run exercise gradescope
is 2

mkdir auto auto/submission auto/results
cp -r maxpool15-gradescope auto/source
cp auto/source/run_autograder auto/run_autograder
AUTOGRADER=$top/auto
export AUTOGRADER
what="setup.sh"
bash auto/source/setup.sh >out 2>err
status=$?
is 0
says out "tilecopy-repl"

cat >results.py <<'END'
import json, sys
j = json.load(open(sys.argv[1]))
assert j["score"] == int(sys.argv[2]), j["score"]
assert j["score"] == sum(t["score"] for t in j.get("tests", []))
assert sys.argv[3] in json.dumps(j), j["output"]
END
autograde() { # autograde SCORE TEXT: of what is in auto/submission
    rm -rf auto/results
    (unset TILECOPY_EXERCISES && auto/run_autograder) >out 2>err
    status=$?
    what="run_autograder: $2"
    is 0
    if python3 results.py auto/results/results.json "$1" "$2" 2>err; then ok; else
        cp auto/results/results.json out
        bad "another results.json"
    fi
}
cp "$mine/reference.cu" auto/submission/maxpool15.cu
autograde "$best" "$best of $best points"
cp "$mine/wrong/no_copies.cu" auto/submission/maxpool15.cu
autograde "$less" "copied to shared memory asynchronously"
echo 'int x = ;' >auto/submission/maxpool15.cu
autograde 0 "expected an expression"
rm auto/submission/maxpool15.cu
autograde 0 "it cannot be read"
cp "$mine/reference.cu" auto/submission/my_solution.cu # the only one
autograde "$best" "$best of $best points"
cp "$mine/reference.cu" auto/submission/another.cu
autograde 0 "it cannot be read"

# --- GitHub Classroom: the run: steps, with what Actions gives them ---

run exercise classroom maxpool15
is 0
there maxpool15-classroom/.github/workflows/classroom.yml \
    maxpool15-classroom/maxpool15.cu maxpool15-classroom/.tilecopy/setup.sh
cat >steps.py <<'END'
"""Its run: steps, each in a file of its own; what else a workflow must have."""
import re, sys
text = open(sys.argv[1]).read()
try:
    import yaml
    w = yaml.safe_load(text)
    steps = w["jobs"]["run-autograding-tests"]["steps"]
    assert w[True] if True in w else w["on"]
    runs = [s["run"] for s in steps if "run" in s]
    last = steps[-1]
    assert last["uses"].startswith("classroom-resources/autograding-grading-reporter@")
    for runner in last["with"]["runners"].split(","):
        assert any(s.get("id") == runner for s in steps), runner
        assert runner.upper() + "_RESULTS" in last["env"]
except ImportError:  # the part of YAML that it uses
    runs, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        m = re.match(r"( *)run: ?(.*)", lines[i])
        i += 1
        if not m:
            continue
        if m.group(2) != "|":
            runs.append(m.group(2))
            continue
        body = []
        while i < len(lines) and lines[i].startswith(m.group(1) + "  "):
            body.append(lines[i][len(m.group(1)) + 2:])
            i += 1
        runs.append("\n".join(body))
    assert "GRADE_RESULTS:" in text and "runners: grade" in text
assert len(runs) == 2, runs
for n, step in enumerate(runs):
    open("step%d.sh" % n, "w").write(step + "\n")
END
what="classroom.yml"
if python3 steps.py maxpool15-classroom/.github/workflows/classroom.yml 2>err; then
    ok
else
    bad "not its form"
fi
mkdir bin
cat >bin/sudo <<'END'
#!/bin/sh
[ "$1" = sysctl ] && exit 0 # not of this machine
exec "$@"
END
chmod +x bin/sudo
cat >result.py <<'END'
import base64, json, sys
(line,) = [l for l in open(sys.argv[1]) if l.startswith("result=")]
j = json.loads(base64.b64decode(line[len("result="):]))
assert sum(t["score"] for t in j["tests"]) == int(sys.argv[2]), j
assert j["max_score"] == int(sys.argv[4]) and j["status"] == sys.argv[3], j["status"]
END
push() { # push FILE POINTS STATUS
    cp "$1" maxpool15-classroom/maxpool15.cu
    : >output
    for step in step0.sh step1.sh; do # as Actions runs them
        (unset TILECOPY_EXERCISES && cd maxpool15-classroom &&
            PATH=$top/bin:$PATH GITHUB_OUTPUT=$top/output CI=true \
                bash --noprofile --norc -eo pipefail "../$step") >out 2>err
        status=$?
        what="$step for $1"
        is 0
    done
    what="the result of $1"
    if python3 result.py output "$2" "$3" "$best" 2>err; then ok; else bad "another"; fi
}
push "$mine/reference.cu" "$best" pass
push "$mine/wrong/no_copies.cu" "$less" fail
echo 'int x = ;' >broken.cu
push broken.cu 0 error

# --- Slurm (test_grade_slurm.sh submits it) ---

run exercise slurm maxpool15
is 0
what="grade.sbatch"
if bash -n maxpool15-slurm/grade.sbatch 2>err &&
    grep -q 'exercise=${EXERCISE:-maxpool15}' maxpool15-slurm/grade.sbatch; then
    ok
else
    bad "not its form"
fi

the_end
