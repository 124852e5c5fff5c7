"""Cells of CUDA C++ and of TVM's TIRx, run by tilecopy-repl: no GPU needed.

    %load_ext tilecopy

    %%tirx                a program of TVMScript: it is run
    %%cuda                a whole CUDA program: it is built with nvcc and run
    %%cuda --arch sm_80 -e 'launch saxpy 4 256 f32[1024] 2.0f'
                          options of tilecopy-repl, and commands in the place of `run`

Below the cell stand what came of it, the findings at their lines, and the timeline, to
step through. The cell's value has them too: `.findings`, `.replies`, `.ok`, `.stdout`.
The program is that of this installation, or what TILECOPY_REPL names. Without IPython,
`run("cuda", text)` gives the same object.
"""
import html
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

SUFFIXES = {"tirx": ".py", "cuda": ".cu"}
STYLE = """<style>
.tilecopy pre{margin:0;line-height:1.35;white-space:pre-wrap}
.tilecopy .n{color:#888;user-select:none}
.tilecopy .at{background:#ffe3e3}.tilecopy .cause{background:#fff3cd}
.tilecopy .finding{color:#a00;margin:0 0 .4em 4em;white-space:pre-wrap}
.tilecopy .said{margin:.4em 0}.tilecopy iframe{width:100%;height:340px;border:1px solid #ccc}
</style>"""


def program():
    """The path of tilecopy-repl; an error that says what to do where there is none."""
    given = os.environ.get("TILECOPY_REPL")
    places = [given] if given else [
        os.path.join(sysconfig.get_path("scripts"), "tilecopy-repl"),
        os.path.join(os.path.dirname(sys.executable), "tilecopy-repl"),
        shutil.which("tilecopy-repl")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    raise RuntimeError("there is no tilecopy-repl: pip install it, or let TILECOPY_REPL name it")


def parse(line):
    """A cell's first line: (options, commands)."""
    options, commands, words = [], [], shlex.split(line)
    while words:
        word = words.pop(0)
        if word in ("-e", "--eval") and words:
            commands.append(words.pop(0))
        else:
            options.append(word)
    return options, commands or ["run"]


class Result:
    """What came of a cell."""

    def __init__(self, text, name, replies, page, status):
        self.text, self.name, self.replies = text, name, replies
        self.page, self.status = page, status
        self.findings = [f for r in replies for f in r.get("findings", [])]
        self.stdout = "".join(r.get("stdout", "") for r in replies)
        self.errors = [r["error"] for r in replies if "error" in r]
        self.ok = status == 0

    def lines_of(self, finding):
        """(line, line of the cause or 0) in the cell; 0 where it is in another file."""
        cause = finding.get("cause") or {}
        own = os.path.basename(finding.get("file") or "") == self.name
        elsewhere = "file" in cause and os.path.basename(cause["file"]) != self.name
        return (finding.get("line") or 0 if own else 0,
                0 if elsewhere or not own else cause.get("line") or 0)

    def summary(self):
        """A sentence a reply."""
        said = []
        for r in self.replies:
            if "kernels" in r:
                for k in r["kernels"]:
                    cycles = "" if k.get("cycles") is None else f", {k['cycles']:,} cycles"
                    said.append(f"{k['name']}: {k['thread_instructions']:,} thread instructions{cycles}")
                said.append(f"{r.get('status', '')}: {len(r.get('findings', []))} findings")
            elif "text" in r or "value" in r:
                said.append(str(r.get("text", r.get("value"))))
        for e in self.errors:
            place = f"line {e['line']}: " if e.get("line") else ""
            hint = f" (hint: {e['hint']})" if e.get("hint") else ""
            said.append(f"error: {place}{e['message']}{hint}")
        return said

    def __repr__(self):
        said = [self.stdout.rstrip("\n")] if self.stdout else []
        said += self.summary()
        for f in self.findings:
            said.append(f"line {self.lines_of(f)[0]}: {f['kind']}: {f['message']}")
        return "\n".join(said)

    def _source(self):
        marks, notes = {}, {}
        for f in self.findings:
            at, cause = self.lines_of(f)
            marks.setdefault(cause, "cause")
            marks[at] = "at"
            missing = (f.get("cause") or {}).get("missing")
            text = f"{f['kind']}: {f['message']}" + (f"\nmissing: {missing}" if missing else "")
            notes.setdefault(at, []).append(text)
        for e in self.errors:
            marks[e.get("line") or 0] = "at"
        out = [note(t) for t in notes.get(0, [])] # of another file
        for i, line in enumerate(self.text.split("\n"), 1):
            out.append(f'<pre class="{marks.get(i, "")}"><span class="n">{i:4d}</span> '
                       f"{html.escape(line)}</pre>")
            out += [note(t) for t in notes.get(i, [])]
        return out

    def _repr_html_(self):
        out = [STYLE, '<div class="tilecopy">']
        if self.stdout:
            out.append(f"<pre>{html.escape(self.stdout)}</pre>")
        out += [f'<div class="said">{html.escape(s)}</div>' for s in self.summary()]
        if self.findings or self.errors:
            out += self._source()
        if self.page:
            out.append(f'<iframe srcdoc="{html.escape(self.page)}"></iframe>')
        return "\n".join(out + ["</div>"])


def note(text):
    return f'<div class="finding">{html.escape(text)}</div>'


def run(kind, text, line=""):
    """Runs a cell of the kind, "cuda" or "tirx"; `line` is what stands behind its name."""
    options, commands = parse(line)
    name = "cell" + SUFFIXES[kind]
    with tempfile.TemporaryDirectory(prefix="tilecopy.") as folder:
        path, page = os.path.join(folder, name), os.path.join(folder, "timeline.html")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        command = [program(), "--json", *options, path]
        for c in commands:
            command += ["-e", c]
        done = subprocess.run(command + ["-e", f'export html "{page}"'], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        replies = [json.loads(r) for r in done.stdout.splitlines() if r.startswith("{")]
        # the page is a picture of what ran; where nothing did, that is said already
        drawn = [r for r in replies if r.get("command") == "export"]
        replies = [r for r in replies if r.get("command") != "export"]
        shown = None
        if drawn and drawn[-1].get("ok"):
            with open(page, encoding="utf-8") as f:
                shown = f.read()
        if not replies and done.returncode != 0:
            replies = [{"error": {"line": 0, "message": done.stderr.strip(), "hint": None}}]
        bad = any("error" in r for r in replies) or any(r.get("findings") for r in replies)
        return Result(text, name, replies, shown, 1 if bad else 0)


def load_ipython_extension(ipython):
    """%load_ext tilecopy"""
    for kind in SUFFIXES:
        def magic(line, cell, kind=kind):
            return run(kind, cell, line)
        ipython.register_magic_function(magic, "cell", kind)
