#!/bin/sh
# test_drop_in.sh PROGRAM - tilecopy-repl in the place of nvcc: by make, by CMake
# and by hand; what comes out runs on the simulator, with findings. Skipped where
# there is no nvcc.
program=$(realpath "$1")
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
cases=$PWD/tests/cuda/build
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

toolkit=$("$program" nvcc --toolkit 2>/dev/null </dev/null)
if [ -z "$toolkit" ]; then
    echo "SKIPPED: no nvcc here"
    echo "0 passed, 0 failed"
    exit 0
fi
[ -x "$toolkit/bin/nvcc" ] && [ -e "$toolkit/lib64/libcudart.so" ] &&
    [ -e "$toolkit/include/cuda_runtime.h" ]
report $? "the folder in the place of the toolkit"

# What only asks goes to nvcc itself.
"$toolkit/bin/nvcc" --version </dev/null >"$top/out" 2>&1 &&
    grep -q release "$top/out"
report $? "nvcc --version"

# By make; the program is started by its name.
cd "$top" && timeout 100 make -s -f "$cases/Makefile" FROM="$cases" \
    CUDA_PATH="$toolkit" </dev/null >"$top/out" 2>&1 && [ -s apart_a.d ]
report $? "make"
timeout 20 ./apart </dev/null >"$top/out" 2>&1 && grep -q '^13 1 on sm_80$' out
report $? "the program that make made"
TILECOPY_EXEC="--arch sm_100a --report $top/report" timeout 20 ./apart \
    </dev/null >"$top/out" 2>&1
grep -q '^13 1 on sm_100$' out && grep -q '"kernels"' report
report $? "its options in the environment"
PATH=/usr/bin:/bin TILECOPY_NVCC= timeout 20 "$program" exec ./apart -- x \
    </dev/null >"$top/out" 2>&1
[ $? != 2 ] # there may be no nvcc to be found then
report $? "exec of a program that is built"

# By hand, with relocatable device code of a source that has a mistake.
timeout 100 "$program" nvcc -rdc=true -o wrong "$cases/wild.cu" apart_a.o \
    </dev/null >"$top/out" 2>&1
timeout 20 ./wrong 7 </dev/null >"$top/out" 2>&1
[ $? = 1 ] && grep -q 'wild.cu:3:5: finding: out-of-bounds' out
report $? "a finding in a program that nvcc linked"

# What cudart the build names first does not matter.
real=$(dirname "$(readlink -f "$toolkit/nvvm")")
if [ -e "$real/lib64/libcudart.so" ]; then
    "$program" nvcc -c -o shared.o "$cases/attributes.cu" </dev/null \
        >"$top/out" 2>&1 &&
        g++ -o shared shared.o "$real/lib64/libcudart.so" -L"$toolkit/lib64" \
            -lcudart_static >>"$top/out" 2>&1 &&
        timeout 20 ./shared </dev/null >"$top/out" 2>&1 &&
        grep -q "^access 3, priority -1" out
    report $? "a shared cudart that is named before ours"
fi

# Without a folder that lasts there can be no toolkit.
env -u HOME -u XDG_CACHE_HOME -u TILECOPY_CACHE "$program" nvcc --toolkit \
    </dev/null >"$top/out" 2>&1
[ $? = 1 ] && grep -q 'set HOME or TILECOPY_CACHE' "$top/out"
report $? "no folder to keep a toolkit in"

if command -v cmake >/dev/null; then
    CUDACXX=$toolkit/bin/nvcc CUDAToolkit_ROOT=$real timeout 300 \
        cmake -S "$cases" -B b </dev/null \
        >"$top/out" 2>&1 &&
        timeout 200 cmake --build b </dev/null >"$top/out" 2>&1
    report $? "cmake"
    timeout 20 b/scales 1 2 </dev/null >"$top/out" 2>&1 &&
        grep -q '^2: 512 values by 1 threads: as expected' out
    report $? "the program that cmake made"
else
    echo "SKIPPED: no cmake here"
fi

echo "$passed passed, $failed failed"
exit $((failed != 0))
