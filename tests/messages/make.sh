#!/bin/sh
# Builds the .ptx beside each .cu again: make.sh [NVCC [NAME...]], here. The
# folders of the machine that built it are taken out of the .file lines: the
# learner's files are named as they are here, the toolkit's below /cuda/include.
set -eu
nvcc=${1:-nvcc}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(ls *.cu)
for f; do
    name=${f%.cu}
    "$nvcc" -std=c++17 -lineinfo -arch=compute_90a -ptx -o "$name.ptx" "$name.cu"
    sed -i -e '/^\t\.file/{
        s|"[^"]*/\(cccl/[^"]*\)"|"/cuda/include/\1"|
        s|"[^"]*/include/\([^"]*\)"|"/cuda/include/\1"|
        s|"'"$PWD"'/\([^"]*\)"|"\1"|
    }' "$name.ptx"
done
