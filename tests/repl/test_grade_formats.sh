#!/bin/sh
# test_grade_formats.sh PROGRAM EXERCISES - the verdict as JUnit XML, Gradescope's
# results.json, GitHub Classroom's autograding JSON and nbgrader's CSV, held to
# their published shapes.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1
if ! python3 -c ''; then
    echo "SKIPPED: no python3, which reads the formats"
    the_end
fi

cat >shape.py <<'END'
import csv, json, re, sys, xml.etree.ElementTree as tree
form, path, how = sys.argv[1:4]
passed = how == "passed"

# Jenkins' junit-10.xsd: an element's attributes (True: required) and children.
text = {}
JUNIT = {
    "testsuites": (dict.fromkeys(["name", "time", "tests", "failures", "errors",
                                  "disabled"], False), {"testsuite"}),
    "testsuite": ({"name": True, "tests": True, "failures": True, "errors": True,
                   "time": False, "skipped": False, "timestamp": False,
                   "hostname": False, "id": False, "package": False,
                   "group": False, "file": False, "log": False, "url": False,
                   "version": False},
                  {"testsuite", "properties", "testcase", "system-out",
                   "system-err"}),
    "testcase": ({"name": True, "classname": False, "time": False, "group": False},
                 {"skipped", "error", "failure", "rerunFailure", "rerunError",
                  "flakyFailure", "flakyError", "system-out", "system-err"}),
    "failure": ({"type": False, "message": False}, text),
    "error": ({"type": False, "message": False}, text),
    "skipped": ({"type": False, "message": False}, text),
    "system-out": ({}, text)}


def junit(e):
    attributes, children = JUNIT[e.tag]
    assert set(e.attrib) <= set(attributes), (e.tag, e.attrib)
    for key, needed in attributes.items():
        assert key in e.attrib or not needed, (e.tag, key)
    for key in ("tests", "failures", "errors", "skipped"):
        assert re.fullmatch(r"\d+", e.get(key, "0")), (key, e.get(key))
    float(e.get("time", "0"))
    for child in e:
        assert child.tag in children, (e.tag, child.tag)
        junit(child)


if form == "junit":
    root = tree.parse(path).getroot()
    assert root.tag == "testsuites", root.tag
    junit(root)
    (s,) = root
    cases = s.findall("testcase")
    assert len(cases) == int(s.get("tests")) == int(root.get("tests"))
    kinds = {k: sum(c.find(k) is not None for c in cases)
             for k in ("failure", "error", "skipped")}
    assert kinds == {"failure": int(s.get("failures")),
                     "error": int(s.get("errors")),
                     "skipped": int(s.get("skipped"))}, (kinds, s.attrib)
    assert all(c.get("name") and c.get("classname") for c in cases)
    assert passed == (kinds["failure"] == kinds["error"] == 0)
elif form == "gradescope":
    # gradescope-autograders.readthedocs.io, "Autograder Specifications".
    VISIBLE = ("hidden", "visible", "after_due_date", "after_published")
    FORMATS = ("text", "html", "simple_format", "md", "ansi")
    j = json.load(open(path))
    assert set(j) <= {"score", "execution_time", "output", "output_format",
                      "test_output_format", "test_name_format", "visibility",
                      "stdout_visibility", "extra_data", "tests",
                      "leaderboard"}, set(j)
    assert "score" in j or all("score" in t for t in j["tests"])
    assert isinstance(j["score"], (int, float))
    assert j["visibility"] in VISIBLE and j["stdout_visibility"] in VISIBLE
    assert j["output_format"] in FORMATS
    assert isinstance(j["execution_time"], (int, float)) and j["output"]
    for t in j["tests"]:
        assert set(t) <= {"score", "max_score", "status", "name", "name_format",
                          "number", "output", "output_format", "tags",
                          "visibility", "extra_data"}, t
        assert t.get("status", "failed") in ("passed", "failed"), t
        assert t["output_format"] in FORMATS and t["visibility"] in VISIBLE
        assert isinstance(t["number"], str) and isinstance(t["tags"], list)
        assert 0 <= t["score"] <= t["max_score"], t
    for b in j["leaderboard"]:
        assert {"name", "value"} <= set(b) <= {"name", "value", "order"}
        assert b.get("order", "desc") in ("asc", "desc")
    assert j["score"] == sum(t["score"] for t in j["tests"])
    most = sum(t["max_score"] for t in j["tests"])
    assert not passed or j["score"] == most, (j["score"], most) # nor here
    assert any(t["visibility"] != "visible" for t in j["tests"]) or not passed
elif form == "classroom":
    # classroom-resources/autograding-grading-reporter, src/: what it reads of a
    # runner's result, and how it adds up.
    j = json.load(open(path))
    assert j["version"] == 1 and j["status"] in ("pass", "fail", "error")
    assert passed == (j["status"] == "pass")
    assert isinstance(j["max_score"], int)
    for t in j["tests"]:
        assert set(t) == {"name", "status", "score", "message", "test_code",
                          "filename", "line_no", "duration"}, t
        assert t["status"] in ("pass", "fail", "error"), t
        assert not passed or t["status"] == "pass", t # none that is deferred
        assert isinstance(t["score"], int), t
    total = sum(t["score"] for t in j["tests"])
    assert 0 <= total <= j["max_score"] and passed == (total == j["max_score"])
else:
    # nbgrader/plugins/export.py: CsvExportPlugin's keys, in their order.
    rows = list(csv.DictReader(open(path)))
    assert list(rows[0]) == ["assignment", "duedate", "timestamp", "student_id",
                             "last_name", "first_name", "email", "raw_score",
                             "late_submission_penalty", "score", "max_score"]
    assert len(rows) == 1 and None not in rows[0]
    assert passed == (rows[0]["score"] == rows[0]["max_score"])
END

# of FILE HOW STATUS: in every form.
forms() {
    for form in junit gradescope classroom csv; do
        rm -f verdict
        run grade maxpool15 --seed 3 --timeout 5 --format $form \
            --output verdict "$1"
        is "$3"
        what="$form of $1"
        if python3 shape.py $form verdict "$2" >out 2>err; then
            ok
        else
            bad "not its shape"
        fi
    done
}

forms "$mine/reference.cu" passed 0
flat "$subs/crashes.cu"
forms "$given" failed 1
flat "$subs/shouts.cu"
forms "$given" failed 1
echo 'int x = "]]>&\001<'"'"'";' >'a "<&>.cu'
forms 'a "<&>.cu' failed 3
flat "$subs/floods.cu" # prints without end
forms "$given" failed 1
flat "$subs/hangs.cu"
forms "$given" failed 1
ln -s /etc/passwd link.cu
forms link.cu failed 1

# Killed meanwhile: the file is whole, and no verdict on the submission.
flat "$subs/sleeps.cu"
for form in json junit gradescope classroom csv; do
    rm -f verdict
    "$program" grade maxpool15 --timeout 0 --format $form --output verdict \
        "$given" >out 2>err &
    pid=$!
    sleep 2
    kill -s KILL $pid
    wait $pid 2>wait
    status=$?
    what="$form of a grader that was killed"
    is 137
    if [ $form != json ]; then
        if python3 shape.py $form verdict killed >out 2>err; then
            ok
        else
            bad "not its shape"
        fi
    fi
    cp verdict out # the worker may have said it after its supervisor's end
    [ $form = csv ] || says out "grading "
done

# Colours, where they are asked for.
run grade maxpool15 --color always --seed 3 "$mine/wrong/no_tail.cu"
is 1
says out "$(printf '\033[32mok')"
says out "$(printf '\033[31mFAIL')"
run grade maxpool15 --seed 3 "$mine/wrong/no_tail.cu"
never out "$(printf '\033')"

the_end
