#!/bin/sh
# test_cublas.sh PROGRAM - cuBLAS by a BLAS of this machine; wrong calls are told
# with their reason. Skipped where there is no nvcc, no cublas_v2.h or no BLAS.
program=$(realpath "$1")
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
[ -n "${HOME:-}" ] || export TILECOPY_CACHE="${TILECOPY_CACHE:-$top/cache}"

report() { # report OK NAME : with what was said where it failed
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        tail -n 20 "$top/out"
    fi
}

skip() {
    echo "SKIPPED: $1"
    echo "0 passed, 0 failed"
    exit 0
}

"$program" nvcc --toolkit </dev/null >"$top/out" 2>&1 || skip "no nvcc here"
"$program" exec tests/cuda/build/cublas.cu -lcublas </dev/null >"$top/out" 2>&1
status=$?
grep -q 'cublas_v2.h: No such file' "$top/out" && skip "no cublas_v2.h here"
grep -q '^no BLAS' "$top/out" && skip "no BLAS here"
[ $status = 0 ] && grep -q '^0 wrong' "$top/out"
report $? "operations of all kinds, against loops on the host"

cat >"$top/short.cu" <<'CUDA'
#include <cublas_v2.h>
int main() {
    cublasHandle_t h;
    cublasCreate(&h);
    float *d, one = 1;
    cudaMalloc(&d, 64);
    cublasSscal(h, 17, &one, d, 1);
    cudaFree(d);
    cublasDestroy(h);
}
CUDA
"$program" exec "$top/short.cu" </dev/null >"$top/out" 2>&1
grep -q 'short.cu:7: finding: host-failed' "$top/out" &&
    grep -q 'cublasSscal_v2: x' "$top/out"
report $? "a vector that reaches beyond its memory is a finding"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
