#!/usr/bin/env python3
"""make_class.py FOLDER [N] - N (200) submissions for maxpool15, as a class hands
them in: right ones of several designs, copies with other names, the wrong answers
of the exercise, the file to start from, and one in six that is broken or hostile.
Always the same."""
import os, random, re, sys

here = os.path.dirname(os.path.abspath(__file__))
exercise = os.path.join(here, "../../exercises/maxpool15")
folder, many = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
draw = random.Random(15)
os.makedirs(folder, exist_ok=True)


def read(path):
    with open(path) as f:
        return f.read()


def flat(name):
    text = read(os.path.join(here, name))
    return text.replace('#include "pool.cuh"', read(os.path.join(here, "pool.cuh")))


def listed(path, left_out=()):
    return [read(os.path.join(path, f)) for f in sorted(os.listdir(path))
            if f.endswith(".cu") and f not in left_out]


right = listed(os.path.join(here, "similar")) + [
    read(os.path.join(exercise, "reference.cu"))] + [
    flat(f) for f in ("prints.cu", "threads.cu", "writes.cu")]
wrong = listed(os.path.join(exercise, "wrong"))
start = [read(os.path.join(exercise, "maxpool15.cu"))]
whole = start[0] + "\n"
bad = [flat(f) for f in (
    "crashes.cu", "exits.cu", "fills.cu", "floods.cu", "forks.cu", "hangs.cu",
    "resets.cu", "shouts.cu", "sleeps.cu", "throws.cu", "derefs.cu")] + [
    "", "\0\1\2\377" * 300, "int x = ;\n",
    '#include "/etc/passwd"\n' + whole,
    'asm(".incbin \\"/etc/shadow\\"");\n' + whole,
    "template <int N> struct deep { static constexpr int v = deep<N + 1>::v; };\n"
    "int x = deep<0>::v;\n" + whole,
    "x" * (3 << 20)]

words = ("alpha beta gamma delta best big buf cache chunk cur data dest edge elem"
         " end first gap halo idx item last left lim local low mark mid most num"
         " off part place pos ptr rad reach rest right row scan seg shift size slot"
         " span spot src start step sum tile tmp top val view wide win").split()


def renamed(text):
    """The same with other names for what it declares itself."""
    names = sorted(set(re.findall(
        r"\b(?:int|float|long|bool|size_t|void|float4|\*|&) ?([a-z][a-z_]{0,12})\b", text)))
    keep = {"maxpool15", "main", "in", "const", "int", "float", "long", "sizeof"}
    for name in names:
        if name not in keep and not name.startswith(("cuda", "f")):
            other = "%s_%d" % (draw.choice(words), draw.randrange(1000))
            text = re.sub(r"(?<![.\"<\w])%s\b(?!\.)" % name, other, text)
    return text


for i in range(many):
    kind = i % 6
    if kind in (0, 1):
        text = draw.choice(right)
    elif kind in (2, 3):
        text = draw.choice(wrong)
    elif kind == 4:
        text = draw.choice(right + start)
        text = renamed(text)
    else:
        text = bad[(i // 6) % len(bad)]
    if text and kind != 5:
        text = "// submission %d\n%s" % (i, text)
    with open(os.path.join(folder, "s%03d.cu" % i), "w", encoding="latin-1") as f:
        f.write(text)
os.makedirs(os.path.join(folder, "t_folder"), exist_ok=True)
if not os.path.islink(os.path.join(folder, "t_link.cu")):
    os.symlink("/etc/passwd", os.path.join(folder, "t_link.cu"))
