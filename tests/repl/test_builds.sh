#!/bin/sh
# test_builds.sh PROGRAM - exec with several sources and nvcc's options: what is
# built, what it prints, where findings are; and what is refused. Skipped where
# there is no nvcc.
program=$1
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
cases=tests/cuda/build

report() { # report OK NAME : with what was said where it failed
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        cat "$top/out" "$top/err"
    fi
}

has() { # has FILE WORDS : no words are in every file
    [ -z "$2" ] || grep -q -- "$2" "$1"
}

runs() { # runs STATUS OUT ERR WORD... : what it prints and what is said
    status=$1 out=$2 err=$3
    shift 3
    timeout 100 "$program" exec "$@" </dev/null >"$top/out" 2>"$top/err"
    [ $? = "$status" ] && has "$top/out" "$out" && has "$top/err" "$err"
    report $? "exec $*"
}

# What cannot be is said before anything is compiled.
runs 2 '' 'nvcc.s option -ptx is not for exec' -ptx $cases/apart_a.cu
runs 2 '' 'needs a value' $cases/apart_a.cu -I
runs 2 '' "'1000' is one word too many" $cases/apart_a.cu 1000
runs 2 '' "there is no option '-q'" $cases/apart_a.cu -q

if "$program" exec $cases/wild.cu </dev/null 2>&1 | grep -q 'there is no CUDA compiler'; then
    echo "SKIPPED: no nvcc here"
    echo "$passed passed, $failed failed"
    exit $((failed != 0))
fi

# Five sources: device code that refers to another source's, host code with
# OpenMP, C, folders, macros.
runs 0 'hello: 512 values by 2 threads: as expected' '' -rdc=true \
    -I$cases/include -DSCALE=2.0f -D OFFSET=6 -Xcompiler -fopenmp,-Wall \
    -std=c++17 -O3 $cases/main.cpp $cases/scale.cu $cases/shift.cu \
    $cases/expected.c -lm -- x hello

# The same names in two sources; the machine by nvcc's option.
runs 0 '^13 1 on sm_80$' '' -arch=sm_80 $cases/apart_a.cu $cases/apart_b.cu

# Calls that one device has little to do for.
runs 0 '^access 3, priority -1$' '' $cases/attributes.cu

# A finding in the second source has its line.
runs 1 '' 'wild.cu:3.*out-of-bounds' $cases/apart_a.cu $cases/wild.cu

# Device code of another source without -rdc=true.
runs 1 '' 'rdc=true' -I$cases/include -DSCALE=2 -DOFFSET=6 $cases/main.cpp \
    $cases/scale.cu $cases/shift.cu $cases/expected.c

echo "$passed passed, $failed failed"
exit $((failed != 0))
