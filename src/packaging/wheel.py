#!/usr/bin/env python3
"""wheel.py PROGRAM FOLDER - a wheel (PyPA's binary distribution format 1.0) in FOLDER: the
program, which should be that of `make static`, as a script; tilecopy.py, the Jupyter
magic; man pages and completions. The standard library alone; the same bytes from the
same files. The platform is the oldest glibc that the program wants."""
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def glibc(program):
    """(2, 35), of the symbols that the program takes from it."""
    wanted = re.findall(rb"GLIBC_2\.(\d+)\b", read(program))
    return (2, max(int(n) for n in wanted))


def made(program):
    """{path below share/: bytes} of what share.sh makes."""
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["sh", os.path.join(TOP, "src/packaging/share.sh"), program, folder],
                       check=True)
        for top, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(top, name)
                files[os.path.relpath(path, folder)] = read(path)
    return files


def main(program, folder):
    header = read(TOP, "src/tilecopy.h").decode()
    version = re.search(r'#define TC_VERSION "(.*)"', header).group(1)
    tag = "py3-none-manylinux_%d_%d_%s" % (*glibc(program), platform.machine())
    name = f"tilecopy_repl-{version}"
    info, data = f"{name}.dist-info", f"{name}.data"
    files = {"tilecopy.py": read(TOP, "src/packaging/python/tilecopy.py"),
             f"{data}/scripts/tilecopy-repl": read(program),
             f"{info}/LICENSE": read(TOP, "LICENSE"),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tilecopy-repl\n"
                              f"Root-Is-Purelib: false\nTag: {tag}\n".encode(),
             f"{info}/METADATA": (
                 f"Metadata-Version: 2.1\nName: tilecopy-repl\nVersion: {version}\n"
                 "Summary: learn how a GPU copies tiles: prompt, simulator, course\n"
                 "License: Apache-2.0; the program as a whole GPL-3.0-or-later (GNU Readline)\n"
                 "Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n"
             ).encode() + read(TOP, "README.md")}
    files.update({f"{data}/data/{p}": b for p, b in made(program).items()})

    def digest(b):
        return base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b"=").decode()

    record = "".join(f"{p},sha256={digest(b)},{len(b)}\n" for p, b in sorted(files.items()))
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for p, b in sorted(files.items()):
            entry = zipfile.ZipInfo(p, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if "/scripts/" in p else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, b)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: wheel.py PROGRAM FOLDER")
    main(*sys.argv[1:])
