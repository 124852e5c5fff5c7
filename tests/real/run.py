#!/usr/bin/env python3
"""run.py PROGRAM FOLDER [LIST] - public CUDA programs, run on the simulator.

PROGRAM is tilecopy-repl; FOLDER has the repositories, each in a folder
OWNER+NAME (a checkout, or what git archive gives; nothing is fetched). LIST, by
default programs.tsv beside this file, has a line a program: its name, repository,
commit, the folder within it to run in, exec's words (sources and nvcc's options),
the program's arguments, and a text that its output has where it is right.

A table goes to standard output: program, verdict, seconds, rate, why.
  passes    it ran, its status is 0, the text is there, and there is no finding
  findings  the same with findings: why has the first
  wrong     it ran, and the text is not there, or its status is not 0
  stopped   by a time limit or a signal
  refused   it was not built, or a call is not there: why says which
  missing   its repository is not in FOLDER
seconds are of processor time, the build's too; rate is of thread instructions in
a second of the kernels' execution."""
import csv
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile

LIMIT = float(os.environ.get("REAL_LIMIT", "300"))


def first_error(text):
    for line in text.splitlines():
        if "finding:" in line or "error:" in line or "undefined" in line:
            return line.strip()[:150]
    lines = text.strip().splitlines()
    return lines[0].strip()[:150] if lines else ""


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rate_of(report):
    instructions = sum(k.get("thread_instructions") or 0
                       for k in report.get("kernels", []))
    ns = report.get("wall_ns") or 0
    return "%.0f M/s" % (instructions / ns * 1e3) if ns and instructions else ""


def verdict_of(status, report, out, err, wanted):
    findings = report.get("findings", [])
    if report.get("status") == "refused" or status == 3 or not report:
        return "refused", first_error(err)
    if status in (114, 124) or status > 128:
        return "stopped", first_error(err)
    if report.get("exit", status) != 0 or wanted not in out:
        lines = out.strip().splitlines()
        return "wrong", (first_error(err) or (lines[-1] if lines else ""))[:150]
    if findings:
        f = findings[0]
        return "findings", "%s at %s:%s (%d in all)" % (
            f.get("kind"), f.get("file"), f.get("line"), len(findings))
    return "passes", ""


def run(program, folder, row):
    home = os.path.join(folder, row["repository"].replace("/", "+"), row["path"])
    if not os.path.isdir(home):
        return "missing", 0, "", home
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        words = ([program, "exec", "--timeout", "%g" % LIMIT, "--report",
                  report.name] + shlex.split(row["words"]) + ["--"] +
                 shlex.split(row["arguments"]))
        before = cpu()
        try:
            done = subprocess.run(words, cwd=home, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=LIMIT + 60)
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            status, out, err = 124, late.stdout or b"", late.stderr or b""
        seconds = cpu() - before
        try:
            told = json.load(open(report.name, encoding="utf-8"))
        except ValueError:
            told = {}
    verdict, why = verdict_of(status, told, out.decode(errors="replace"),
                              err.decode(errors="replace"), row["wanted"])
    return verdict, seconds, rate_of(told), why


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          "programs.tsv")
    path = sys.argv[3] if len(sys.argv) > 3 else beside
    with open(path, encoding="utf-8") as f:
        rows = list(csv.DictReader((l for l in f if not l.startswith("#")),
                                   delimiter="\t", quoting=csv.QUOTE_NONE))
    print("program\tverdict\tseconds\trate\twhy")
    counts = {}
    for row in rows:
        verdict, seconds, rate, why = run(program, folder, row)
        counts[verdict] = counts.get(verdict, 0) + 1
        print("%s\t%s\t%.1f\t%s\t%s" % (row["program"], verdict, seconds, rate,
                                        why.replace("\t", " ")), flush=True)
    print("# %d programs: %s" % (len(rows), ", ".join(
        "%d %s" % (n, v) for v, n in sorted(counts.items()))))


if __name__ == "__main__":
    main()
