#!/bin/sh
# test_notebook.sh PROGRAM - the cells of a notebook without Jupyter (tests/package has one
# with it): what a cell's value has, its findings at their lines, its picture; and the
# files of a wheel, which are what its RECORD says.
set -u
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
top=$(mktemp -d "${TMPDIR:-/tmp}/notebook.XXXXXX") || exit 1
trap 'rm -rf "$top"' EXIT
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
    echo "SKIPPED: there is no Python 3.8"
    exit 0
fi
cd "$top" || exit 1
TILECOPY_REPL=$program PYTHONPATH=$root/src/packaging/python PYTHONDONTWRITEBYTECODE=1
export TILECOPY_REPL PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 - "$root" "$top" <<'END'
import base64, hashlib, json, os, subprocess, sys, zipfile
import tilecopy

root, top = sys.argv[1:]
passed = failed = 0


def check(what, ok):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED:", what)


with open(os.path.join(root, "tests/package/cells.ipynb")) as f:
    cells = ["".join(c["source"]) for c in json.load(f)["cells"]]
tirx = next(c for c in cells if c.startswith("%%tirx")).split("\n", 1)[1]
r = tilecopy.run("tirx", tirx)
page = r._repr_html_()
check("a finding", [f["kind"] for f in r.findings] == ["read-before-complete"] and not r.ok)
check("its lines", r.lines_of(r.findings[0]) == (12, 10))
check("the line is marked", '<pre class="at"><span class="n">  12</span>' in page)
check("the cause is marked", '<pre class="cause"><span class="n">  10</span>' in page)
check("what is missing", "missing: T.ptx.cp_async.wait_group(0)" in page)
check("the timeline", "<iframe srcdoc=" in page and "in flight" in r.page)
check("text", "line 12: read-before-complete" in repr(r))

r = tilecopy.run("tirx", tirx, "--arch sm_80 -e 'eval 6 * 7' -e 'why ldgsts'")
check("commands", r.ok and "42" in repr(r) and r.replies[-1]["command"] == "why")
r = tilecopy.run("tirx", "x = (1,\n")
check("an error at its line", not r.ok and r.errors[0]["line"] == 1 and 'class="at"' in r._repr_html_())
r = tilecopy.run("tirx", "x = 1", "--nonsense")
check("a wrong option", not r.ok and "no option '--nonsense'" in repr(r))
check("a cell's text is text", "&lt;b&gt;" in tilecopy.Result("<b>", "cell.py", [{"error": {
    "line": 1, "message": "<i>", "hint": None}}], None, 1)._repr_html_())


class Shell:
    def __init__(self):
        self.magics = {}

    def register_magic_function(self, fn, kind, name):
        self.magics[kind, name] = fn


shell = Shell()
tilecopy.load_ipython_extension(shell)
check("magics", sorted(shell.magics) == [("cell", "cuda"), ("cell", "tirx")])
check("a magic", shell.magics["cell", "tirx"]("-e 'eval 1 + 1'", "").replies[0]["value"] == 2)

# a wheel of any program: its RECORD has each file, with its size and hash
made = subprocess.run([sys.executable, os.path.join(root, "src/packaging/wheel.py"),
                       os.environ["TILECOPY_REPL"], top], text=True, capture_output=True)
check("wheel.py: " + made.stderr, made.returncode == 0)
with zipfile.ZipFile(made.stdout.strip()) as z:
    names = z.namelist()
    record = z.read(next(n for n in names if n.endswith("/RECORD"))).decode()
    rows = [line.rsplit(",", 2) for line in record.splitlines()]
    check("RECORD has every file", sorted(r[0] for r in rows) == sorted(names))
    for path, digest, size in rows:
        if digest:
            b = z.read(path)
            want = base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b"=").decode()
            check(path, digest == "sha256=" + want and int(size) == len(b))
    check("a man page", any(n.endswith("/man1/tilecopy-repl.1") for n in names))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
END
