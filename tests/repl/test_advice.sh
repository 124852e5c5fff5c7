#!/bin/sh
# test_advice.sh PROGRAM - what is said to be missing is put in where it is said
# that it is missing, and then nothing is found: a sample of tests/cuda/bugs (all of
# them by hand: tests/tools/advice.py). Skipped where there is no nvcc or Python.
program=$1
for tool in nvcc python3; do
    if ! command -v $tool >/dev/null 2>&1; then
        echo "SKIPPED: no $tool"
        exit 0
    fi
done
timeout 300 python3 tests/tools/advice.py "$program" \
    tests/cuda/bugs/dsmem_no_end.cu tests/cuda/bugs/flag_volatile.cu \
    tests/cuda/bugs/barrier_token_dropped.cu </dev/null
