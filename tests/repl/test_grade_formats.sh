#!/bin/sh
# test_grade_formats.sh PROGRAM EXERCISES - the verdict as JUnit XML, Gradescope's
# results.json, GitHub Classroom's autograding JSON and nbgrader's CSV, held to
# their published shapes; and a class at once, which goes on where it stopped.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1
if ! python3 -c ''; then
    echo "SKIPPED: no python3, which reads the formats"
    the_end
fi

cat >shape.py <<'END'
import csv, json, sys, xml.etree.ElementTree as tree
form, path, how = sys.argv[1:4]
passed = how == "passed"
if form == "junit":
    root = tree.parse(path).getroot()
    assert root.tag == "testsuites", root.tag
    suites = list(root)
    assert len(suites) == 1 and suites[0].tag == "testsuite"
    s = suites[0]
    for key in ("name", "tests", "failures", "errors", "skipped", "time",
                "timestamp", "hostname"):
        assert key in s.attrib, key
    cases = s.findall("testcase")
    assert len(cases) == int(s.get("tests"))
    kinds = {k: sum(c.find(k) is not None for c in cases)
             for k in ("failure", "error", "skipped")}
    assert kinds == {"failure": int(s.get("failures")),
                     "error": int(s.get("errors")),
                     "skipped": int(s.get("skipped"))}, (kinds, s.attrib)
    assert all(c.get("name") and c.get("classname") for c in cases)
    assert passed == (kinds["failure"] == kinds["error"] == 0)
elif form == "gradescope":
    j = json.load(open(path))
    assert isinstance(j["score"], (int, float))
    assert j["visibility"] in ("hidden", "visible", "after_due_date",
                               "after_published")
    assert isinstance(j["execution_time"], (int, float)) and j["output"]
    for t in j["tests"]:
        assert set(t) <= {"score", "max_score", "status", "name", "name_format",
                          "number", "output", "output_format", "tags",
                          "visibility", "extra_data"}, t
        assert t.get("status", "failed") in ("passed", "failed"), t
        assert 0 <= t["score"] <= t["max_score"], t
    assert [set(b) for b in j["leaderboard"]] == [{"name", "value"}]
    assert j["score"] == sum(t["score"] for t in j["tests"])
    assert any(t["visibility"] != "visible" for t in j["tests"]) or not passed
elif form == "classroom":
    j = json.load(open(path))
    assert j["version"] == 1 and j["status"] in ("pass", "fail", "error")
    assert passed == (j["status"] == "pass")
    for t in j["tests"]:
        assert set(t) == {"name", "status", "score", "message", "test_code",
                          "filename", "line_no", "duration"}, t
        assert t["status"] in ("pass", "fail", "error"), t
else:
    rows = list(csv.DictReader(open(path)))
    assert list(rows[0]) == ["assignment", "duedate", "timestamp", "student_id",
                             "last_name", "first_name", "email", "raw_score",
                             "late_submission_penalty", "score", "max_score"]
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

# --- a class ---

mkdir class class/dora
cp "$mine/reference.cu" class/anna.cu
cp "$mine/wrong/no_copies.cu" class/bob.cu
flat "$subs/sleeps.cu"
cp "$given" class/carl.cu
cp "$mine/maxpool15.cu" class/dora/maxpool15.cu
echo 'no C++ at all' >class/=eve.cu
ln -s /etc/passwd class/mallory.cu
run grade maxpool15 --all class -j 3 --timeout 2 --format csv
is 0
what="the rows of a class"
cat >rows.py <<'END'
import csv, sys
rows = {r["student_id"]: (r["score"], r["max_score"])
        for r in csv.DictReader(open(sys.argv[1]))}
assert rows == {"anna": ("31", "31"), "bob": ("28", "31"), "carl": ("0", "31"),
                "dora": ("0", "31"), "'=eve": ("0", "31")}, rows
END
cp out all.csv
if python3 rows.py all.csv >out 2>err; then ok; else bad "other rows"; fi

# Again: nothing is graded a second time but what has changed.
cp "$mine/reference.cu" class/carl.cu
run grade maxpool15 --all class -j 2 --timeout 2
is 0
says out "anna 31 of 31 (graded before)"
says out "carl 31 of 31"
says out "=eve 0 of 31, it does not compile"
never out "carl                      31 of  31 (graded before)"
run grade maxpool15 --all nothing
is 4
run grade maxpool15 --all class --format junit
is 2
run grade maxpool15 --all class "$mine/reference.cu"
is 2

the_end
