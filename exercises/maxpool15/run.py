#!/usr/bin/env python3
"""python run.py test [FILE.cu]: grades maxpool15.cu, or the file named."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def program():
    """tilecopy-repl: of this project's build folder, of the prefix that this is
    installed in, or in PATH."""
    built = os.path.join(HERE, "..", "..", "build", "tilecopy-repl")
    installed = os.path.join(HERE, *[".."] * 4, "bin", "tilecopy-repl")
    return (os.environ.get("TILECOPY_REPL")
            or next((p for p in (built, installed) if os.access(p, os.X_OK)),
                    None)
            or shutil.which("tilecopy-repl"))


def main(args):
    if not args or args[0] != "test" or len(args) > 2:
        print("usage: python run.py test [FILE.cu]", file=sys.stderr)
        return 2
    repl = program()
    if repl is None:
        print("tilecopy-repl is not built: run `make` in the project's folder",
              file=sys.stderr)
        return 2
    file = args[1] if len(args) == 2 else os.path.join(HERE, "maxpool15.cu")
    return subprocess.call([repl, "grade", os.path.basename(HERE), file])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
