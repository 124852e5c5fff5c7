#!/usr/bin/env python3
"""advice.py - applies what findings say is missing, and executes again.

    tests/tools/advice.py [-j N] [-k DIR] TILECOPY_REPL PROGRAM.cu...

Each program is executed; of its first finding that says what is missing, the line
is put in as text at the place that is named, and the program is built and executed
again: the finding's kind must be gone from there, and no other come in its place.
Where the advice names several places ("between lines A and B"), one of them must
do. Prints a row a program: right, WRONG (with what is found then), no line (nothing
that can be put in as text), nothing (no advice at all). Status 1: one was WRONG.
-k keeps the changed programs in a folder."""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

CALL = r"[\w:.>&*-]+(?:<[^<>()]*>)?\((?:[^()]|\([^()]*\))*\)"


def execute(tool, path, folder):
    report = os.path.join(folder, "report.json")
    if os.path.exists(report):
        os.remove(report)
    subprocess.run([tool, "exec", "--quiet", "--timeout", "120", "--report",
                    report, path], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    if not os.path.exists(report):
        return None
    with open(report, encoding="utf-8") as f:
        return json.load(f)


def headed(lines, i):
    """Is line i the only statement of an `if` or a loop, without braces?"""
    above = re.sub(r"//.*", "", lines[i - 1]).rstrip() if i > 0 else ""
    return bool(re.match(r"\s*(\}?\s*else|if|for|while)\b", above)
                and not above.endswith(("{", ";")))


def put(lines, i, code, after):
    """One line more, at line i (from 0); braces where it needs some."""
    out = list(lines)
    code = code.rstrip(";") + ";"
    if not headed(lines, i):
        out.insert(i + after, code)
        return out
    own, comment = re.match(r"(.*?)(//.*)?$", lines[i]).groups()
    if not own.rstrip().endswith(";"):
        return None
    out[i] = "{ %s }" % (own + code if after else code + own) + (comment or "")
    return out


def replaced(lines, i, name, code):
    """The call of that name in line i is another one."""
    line = re.sub(r"(?:\w+::)*\b" + name + r"\w*(?:<[^<>]*>)?"
                  r"\((?:[^()]|\([^()]*\))*\)", lambda m: code, lines[i], 1)
    return lines[:i] + [line] + lines[i + 1:] if line != lines[i] else None


def in_call(lines, call, i, change):
    """An argument list in line i, written as `call`, is changed."""
    line = lines[i].replace(call, change(call))
    return lines[:i] + [line] + lines[i + 1:] if line != lines[i] else None


def base(call):
    """A name that the call in its place has too."""
    name = re.sub(r"<.*", "", call.split("(")[0]).split("::")[-1]
    return re.sub(r"(_prior|_read)?$", "", name.split(".")[-1])


def ends(lines, i):
    """The line in which the statement that begins in line i ends."""
    depth = 0
    for j in range(i, len(lines)):
        code = re.sub(r"//.*", "", lines[j])
        depth += sum(code.count(c) for c in "({") - sum(
            code.count(c) for c in ")}")
        if depth <= 0 and code.rstrip().endswith((";", "}")):
            return j
    return i


def outermost(lines, i):
    """First and last line of the kernel's own statement that line i is of."""
    begin = max(j for j in range(i + 1) if "__global__" in lines[j])
    while not lines[begin].rstrip().endswith("{"):
        begin += 1
    at = begin + 1
    while at <= i:
        last = ends(lines, at)
        if re.match(r"\s*(\} )?else\b", lines[last]):
            last = ends(lines, last)
        if last >= i:
            return at, last
        at = last + 1
    return i, i


def candidates(text, lines):
    """Programs that follow the advice, each a list of lines; None: no line."""
    def n(m, g):
        return int(m.group(g)) - 1

    m = re.match(r"__threadfence\(\) (?:before line (\d+)[^,]*, and )?after "
                 r"(the loop of )?line (\d+)", text)
    if m:
        after = ends(lines, n(m, 3)) if m.group(2) else n(m, 3)
        places = [(after, 1)] + ([(n(m, 1), 0)] if m.group(1) else [])
        for i, behind in sorted(places, reverse=True):
            lines = lines and put(lines, i, "__threadfence()", behind)
        return [lines]
    m = re.match(r"(%s) (before|after) line (\d+), where all threads of the "
                 r"cluster" % CALL, text)
    if m:
        first, last = outermost(lines, n(m, 3))
        after = m.group(2) == "after"
        return [put(lines, last if after else first, m.group(1), after)]
    m = re.match(r"(\w+\.wait\((\w+\.arrive\(\))\)), in place of", text)
    if m:
        out = [x.replace("(void)" + m.group(2), m.group(1)) for x in lines]
        return [out] if out != lines else None
    m = re.match(r"consumer_release\(\)", text)
    if m:
        return None
    m = re.match(r"an atomic operation, such as atomicAdd, at line (\d+)", text)
    if m:
        line = re.sub(r"(\S.*?) \+= (.*?);", r"atomicAdd(&(\1), \2);",
                      re.sub(r"(\S+)\+\+;", r"\1 += 1;", lines[n(m, 1)]), 1)
        out = list(lines)
        out[n(m, 1)] = line
        return [out] if line != lines[n(m, 1)] else None
    m = re.match(r"a wait for (\w+)'s phase, such as (%s), before line (\d+)"
                 % CALL, text)
    if m:
        return [put(lines, n(m, 3), m.group(2), 0)]
    m = re.match(r"a wait for (\w+)'s phase \((\S+)\) before line (\d+)", text)
    if m:
        return [put(lines, n(m, 3), "while (!%s(&%s, 0)) ;"
                    % (m.group(2), m.group(1)), 0)]
    m = re.match(r"(%s)(?: or less)? at line (\d+)" % CALL, text)
    if m:
        return [replaced(lines, n(m, 2), base(m.group(1)), m.group(1))]
    m = re.match(r"(%s) between lines (\d+) and (\d+)(, after the wait)?"
                 % CALL, text)
    if m:
        a, b = n(m, 2), n(m, 3)
        every = [put(lines, b, m.group(1), 0)]
        if not m.group(4):
            every += [put(lines, a, m.group(1), 1)]
        return every + [put(lines, i, m.group(1), 0) for i in range(a + 1, b)]
    m = re.match(r"(%s) after line (\d+)(?:, before line \d+ comes round "
                 r"again|, before the (?:wait|other block ends))?" % CALL, text)
    if m:
        return [put(lines, n(m, 2), m.group(1), 1)]
    m = re.match(r"(%s),? before line (\d+)" % CALL, text)
    if m:
        return [put(lines, n(m, 2), m.group(1), 0)]
    m = re.search(r"a count that is (\d+) lower in `(.*)` at line (\d+)", text)
    if m:
        return [in_call(lines, m.group(2), n(m, 3),
                        lambda c: c[:-1] + " - %s)" % m.group(1))]
    m = re.match(r"(\d+) bytes in `(.*)` at line (\d+)", text)
    if m:
        return [in_call(lines, m.group(2), n(m, 3), lambda c: re.sub(
            r", [^,]*\)$", ", %s)" % m.group(1), c))]
    return None


def told(report):
    return ["%s at %s" % (f["kind"], f["line"]) for f in report["findings"]]


def examine(tool, path, keep, turns=3):
    """More than one line may be missing: each time that of the first finding."""
    name = os.path.basename(path)
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    with tempfile.TemporaryDirectory() as folder:
        report = execute(tool, path, folder)
        if report is None:
            return name, "WRONG", "it does not run"
        advised = [f for f in report["findings"]
                   if (f.get("cause") or {}).get("missing")]
        if not advised:
            return name, "nothing", "; ".join(told(report))
        text = advised[0]["cause"]["missing"]
        tries = candidates(text, lines)
        tries = [t for t in tries or [] if t]
        if not tries:
            return name, "no line", text
        last = ""
        for t in tries:
            made = os.path.join(keep or folder, name)
            with open(made, "w", encoding="utf-8") as f:
                f.write("\n".join(t))
            after = execute(tool, made, folder)
            if after is None:
                last = "it is not built"
            elif not after["findings"] and after["status"] == "ok":
                return name, "right", text
            else:
                last = "; ".join(told(after)) or after["status"]
            if after and turns > 1 and told(after)[:1] != told(report)[:1]:
                _, verdict, more = examine(tool, made, None, turns - 1)
                if verdict == "right":
                    return name, "right", "%s; then %s" % (text, more)
        return name, "WRONG", "%s -> %s" % (text, last)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("-j", type=int, default=1)
    a.add_argument("-k")
    a.add_argument("tool")
    a.add_argument("program", nargs="+")
    o = a.parse_args()
    with concurrent.futures.ThreadPoolExecutor(o.j) as pool:
        rows = pool.map(lambda p: examine(o.tool, p, o.k), o.program)
        count = tell(rows)
    print(", ".join("%d %s" % (count[k], k) for k in sorted(count)))
    return 1 if "WRONG" in count else 0


def tell(rows):
    count = {}
    for name, verdict, text in rows:
        print("%-24s %-8s %s" % (name, verdict, text), flush=True)
        count[verdict] = count.get(verdict, 0) + 1
    return count


sys.exit(main())
