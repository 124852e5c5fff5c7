#!/usr/bin/env python3
"""triton_kernels.py PROGRAM [NAME...] - Triton's kernels on the simulator.

Each kernel is compiled by Triton without a GPU, for three machines; what comes out
is launched by PROGRAM (tilecopy-repl) with --init and --save, and compared with
numpy. A table goes to standard output: kernel, machine, verdict, seconds, why.
Needs `pip install triton numpy`; nothing else of this project does."""
import os
import resource
import subprocess
import sys
import tempfile

# Triton 3.10's default. With fusion the lanes of a warp may sum in ways that
# differ in the last bit and then store to one address: layer_norm has a data-race
# then, rightly.
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "0")

import numpy as np  # noqa: E402
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

MACHINES = [("sm_80", 80), ("sm_90a", 90), ("sm_100a", 100)]
random = np.random.default_rng(1)


@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def gelu(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m)
    tl.store(out + i, 0.5 * v * (1 + tl.erf(v * 0.70710678)), mask=m)


@triton.jit
def softmax(x, out, C: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, C)
    v = tl.load(x + r * C + i)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + r * C + i, e / tl.sum(e, axis=0))


@triton.jit
def layer_norm(x, w, b, out, C: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, C)
    v = tl.load(x + r * C + i)
    d = v - tl.sum(v, axis=0) / C
    s = 1 / tl.sqrt(tl.sum(d * d, axis=0) / C + 1e-5)
    tl.store(out + r * C + i, d * s * tl.load(w + i) + tl.load(b + i))


@triton.jit
def row_sums(x, out, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    v = tl.load(x + r[:, None] * C + c[None, :])
    tl.store(out + r, tl.sum(v, axis=1))


@triton.jit
def transpose(x, out, N: tl.constexpr):
    r = tl.arange(0, N)
    v = tl.load(x + r[:, None] * N + r[None, :])
    tl.store(out + r[:, None] * N + r[None, :], tl.trans(v))


@triton.jit
def scan(x, out, C: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, C)
    tl.store(out + r * C + i, tl.cumsum(tl.load(x + r * C + i), axis=0))


@triton.jit
def histogram(x, out, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.histogram(tl.load(x + i), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), h)


@triton.jit
def total(x, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i), axis=0))


@triton.jit
def largest(x, out, C: tl.constexpr):
    r = tl.program_id(0)
    v = tl.load(x + r * C + tl.arange(0, C))
    tl.store(out + r, tl.argmax(v, axis=0))


@triton.jit
def gather(x, index, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + tl.load(index + i)))


@triton.jit
def sort(x, out, C: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, C)
    tl.store(out + r * C + i, tl.sort(tl.load(x + r * C + i)))


@triton.jit
def product(a, b, out, K, M: tl.constexpr, N: tl.constexpr, S: tl.constexpr):
    r = tl.arange(0, M)
    c = tl.arange(0, N)
    k = tl.arange(0, S)
    sum = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, K, S):
        x = tl.load(a + r[:, None] * K + at + k[None, :])
        y = tl.load(b + (at + k)[:, None] * N + c[None, :])
        sum = tl.dot(x, y, sum)
    tl.store(out + r[:, None] * N + c[None, :], sum)


@triton.jit
def outer(a, b, out, M: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, M)
    c = tl.arange(0, N)
    tl.store(out + r[:, None] * N + c[None, :],
             tl.load(a + r)[:, None] * tl.load(b + c)[None, :])


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def cases():
    """name, function, arguments (arrays, numbers), constants, grid, which array is
    the result, what it should be, how near."""
    x, y = floats(1000), floats(1000)
    yield "add", add, [x, y, np.zeros_like(x), 1000], {"B": 256}, 4, 2, x + y, 0
    # erf of numpy is not there: of the math library
    from math import erf
    g = np.array([0.5 * v * (1 + erf(float(v) * 0.70710678)) for v in x])
    yield "gelu", gelu, [x, np.zeros_like(x), 1000], {"B": 256}, 4, 1, g, 1e-5
    m = floats(16, 128)
    e = np.exp(m - m.max(1, keepdims=True))
    yield ("softmax", softmax, [m, np.zeros_like(m)], {"C": 128}, 16, 1,
           e / e.sum(1, keepdims=True), 1e-5)
    w, b = floats(128), floats(128)
    n = (m - m.mean(1, keepdims=True)) / np.sqrt(m.var(1, keepdims=True) + 1e-5)
    yield ("layer_norm", layer_norm, [m, w, b, np.zeros_like(m)], {"C": 128}, 16,
           3, n * w + b, 1e-4)
    yield ("row_sums", row_sums, [m, floats(16)], {"R": 16, "C": 128}, 1, 1,
           m.sum(1), 1e-4)
    s = floats(32, 32)
    yield "transpose", transpose, [s, np.zeros_like(s)], {"N": 32}, 1, 1, s.T, 0
    yield "scan", scan, [m, np.zeros_like(m)], {"C": 128}, 16, 1, m.cumsum(1), 1e-4
    i = random.integers(0, 16, 1024).astype(np.int32)
    yield ("histogram", histogram, [i, np.zeros(16, np.int32)],
           {"B": 256, "BINS": 16}, 4, 1, np.bincount(i, minlength=16), 0)
    t = random.integers(-9, 9, 1024).astype(np.float32)
    yield ("total", total, [t, np.zeros(1, np.float32)], {"B": 256}, 4, 1,
           t.sum(), 0)
    yield ("largest", largest, [m, np.zeros(16, np.int32)], {"C": 128}, 16, 1,
           m.argmax(1), 0)
    at = random.integers(0, 1000, 512).astype(np.int32)
    yield ("gather", gather, [x, at, floats(512)], {"B": 128}, 4, 2, x[at], 0)
    yield "sort", sort, [m, np.zeros_like(m)], {"C": 128}, 16, 1, np.sort(m, 1), 0
    a, c = floats(64, 64), floats(64, 64)
    h, k = a.astype(np.float16), c.astype(np.float16)
    yield ("product_f16", product, [h, k, np.zeros_like(a), 64],
           {"M": 64, "N": 64, "S": 32}, 1, 2,
           h.astype(np.float64) @ k.astype(np.float64), 1e-3)
    yield ("product_tf32", product, [a, c, np.zeros_like(a), 64],
           {"M": 64, "N": 64, "S": 32}, 1, 2, a.astype(np.float64) @ c, 5e-2)
    yield ("outer", outer, [w, b, np.zeros((128, 128), np.float32)],
           {"M": 128, "N": 128}, 1, 2, np.outer(w, b), 0)


TYPES = {"float32": ("*fp32", "f32"), "float16": ("*fp16", "f16"),
         "int32": ("*i32", "i32")}


def compiled(function, arguments, constants, sm):
    names = function.arg_names
    signature = {}
    for name, value in zip(names, arguments):
        array = isinstance(value, np.ndarray)
        signature[name] = TYPES[str(value.dtype)][0] if array else "i32"
    for name in constants:
        signature[name] = "constexpr"
    source = ASTSource(fn=function, signature=signature,
                       constexprs={(names.index(k),): v
                                   for k, v in constants.items()})
    return triton.compile(source, target=GPUTarget("cuda", sm, 32))


def launch(program, kernel, arguments, grid, result, machine, folder):
    ptx = os.path.join(folder, "k.ptx")
    text = kernel.asm["ptx"]
    with open(ptx, "w", encoding="utf-8") as f:
        f.write(text)
    meta = kernel.metadata
    words, files, buffers = [], [], 0
    for value in arguments:
        if not isinstance(value, np.ndarray):
            words.append(str(value))
            continue
        np.save("%s/a%d.npy" % (folder, buffers), value)
        files.append("--init a%d=%s/a%d.npy" % (buffers, folder, buffers))
        words.append("%s[%s]" % (TYPES[str(value.dtype)][1],
                                 ",".join(map(str, value.shape))))
        buffers += 1
    head = text[text.index(".entry"):]
    params = head[:head.index(")")].count(".param")
    words += ["0"] * (params - len(words))  # scratch memory that it does not use
    files.append("--save a%d=%s/out.npy" % (result, folder))
    command = "launch %s %d %d --smem %d %s %s" % (
        meta.name, grid, meta.num_warps * 32, meta.shared, " ".join(files),
        " ".join(words))
    return subprocess.run([program, "--arch", machine, ptx, "-e", command],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, check=False)


def try_one(program, case, machine, sm):
    _, function, arguments, constants, grid, result, wanted, near = case
    with tempfile.TemporaryDirectory() as folder:
        try:
            kernel = compiled(function, arguments, constants, sm)
        except Exception as e:  # Triton's own, of many kinds
            return "not compiled", str(e).strip().splitlines()[-1][:120]
        done = launch(program, kernel, arguments, grid, result, machine, folder)
        said = done.stdout + done.stderr
        lines = [l for l in said.splitlines() if "error" in l or "finding:" in l]
        if not os.path.exists(folder + "/out.npy"):
            return "stopped", (lines or [said.strip()[-120:]])[0][:150]
        got = np.load(folder + "/out.npy").astype(np.float64).reshape(-1)
        off = np.abs(got - np.asarray(wanted, np.float64).reshape(-1)).max()
        if not off <= near:
            return "wrong", "off by %g, and %g is allowed" % (off, near)
        return ("findings", lines[0][:150]) if lines else ("right", "")


def main():
    program, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:]
    counts = {}
    print("# Triton %s, numpy %s" % (triton.__version__, np.__version__))
    print("kernel\tmachine\tverdict\tseconds\twhy")
    for case in cases():
        for machine, sm in MACHINES:
            if chosen and case[0] not in chosen:
                continue
            def used():
                return sum(resource.getrusage(w).ru_utime for w in
                           (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
            before = used()
            verdict, why = try_one(program, case, machine, sm)
            counts[verdict] = counts.get(verdict, 0) + 1
            print("%s\t%s\t%s\t%.1f\t%s" % (case[0], machine, verdict,
                                            used() - before, why), flush=True)
    print("# " + ", ".join("%d %s" % (n, v) for v, n in sorted(counts.items())))
    return 0 if set(counts) <= {"right"} else 1


if __name__ == "__main__":
    sys.exit(main())
