#!/bin/sh
# wheel.sh FOLDER - the wheel of `make wheel`, installed by pip in a clean environment:
# the program with its data, and a notebook, whose cells nbclient executes (from PyPI).
. "$(dirname "$0")/package.inc"
wheel=$(ls "$folder"/tilecopy_repl-*.whl 2>/dev/null | tail -n 1)
if ! python3 -m venv env >out 2>&1; then
    skip "python3 -m venv: $(tail -n 1 out)"
    finish
    exit
fi
env/bin/pip install --no-index "$wheel" >out 2>&1
check pip "Successfully installed tilecopy-repl"
mkdir home
try() {
    env -i HOME="$top/home" PATH="$top/env/bin:/usr/bin:/bin" TILECOPY_PTXAS=none "$@" \
        >out 2>&1 </dev/null
}
try tilecopy-repl -e lesson
check lesson 25-max-pooling
try tilecopy-repl exercise
check exercise maxpool15
try ls env/share/man/man1/tilecopy-repl.1 env/share/bash-completion/completions/tilecopy-repl
check "man page, completion" completions/tilecopy-repl
try env/bin/python -c 'import tilecopy; print(tilecopy.run("tirx", "", "-e \"eval 6*7\""))'
check "import tilecopy" 42

if env/bin/pip install --quiet nbclient ipykernel >out 2>&1; then
    cat >execute.py <<'END'
import sys, nbformat
from nbclient import NotebookClient
nb = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(nb, timeout=120, kernel_name="python3").execute()
for cell in nb.cells:
    for o in cell.get("outputs", []):
        print(o.get("text") or "".join(
            f"{kind}: {text}\n" for kind, text in o.get("data", {}).items()))
END
    try env/bin/python execute.py "$here/cells.ipynb"
    check "the notebook: %%tirx" "line 12: read-before-complete"
    check "the notebook: the finding at its line" '<pre class="at"><span class="n">  12</span>'
    check "the notebook: the timeline" '<iframe srcdoc='
    check "the notebook: from Python" "kinds: ['read-before-complete']"
    if command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ]; then
        check "the notebook: %%cuda" "line 6: data-race"
    else
        check "the notebook: %%cuda" "no CUDA compiler"
        skip "%%cuda: there is no nvcc"
    fi
else
    skip "the notebook: nbclient cannot be installed: $(tail -n 1 out)"
fi
env/bin/pip uninstall -y tilecopy-repl >out 2>&1
check "pip uninstall" "Successfully uninstalled"
finish
