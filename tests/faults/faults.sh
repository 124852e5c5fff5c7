#!/bin/sh
# faults.sh PROGRAM FAULTS.so [MOST] - every n-th allocation, write, open and
# fork fails in turn, alone and with all after it (as SQLite's tests do): each
# time the program either does its work or says why not; it does not crash, hang
# or lose a file, and leaves no process and no temporary file. `grade` never
# blames the submission. MOST: so many places of each class, spread evenly; else
# all.
set -u

program=$1
faults=$(realpath "$2")
most=${3:-1000000}
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
mkdir "$top/tmp" "$top/bin"
TILECOPY_CACHE=$top/cache
TILECOPY_PTXAS=none
TMPDIR=$top/tmp
HOME=$top
XDG_STATE_HOME=$top/state
export TILECOPY_CACHE TILECOPY_PTXAS TMPDIR HOME XDG_STATE_HOME
unset XDG_CONFIG_HOME TILECOPY_GRADE_CACHE

if grep -q __asan_init "$program"; then
    echo "SKIPPED: a sanitizer has an allocator of its own"
    exit 0
fi

bad() {
    failed=$((failed + 1))
    echo "FAILED: $1: $class at $n${2:+, and all after it}: $3"
    sed 's/^/  /' "$top/err" | head -n 5
}

# Without what differs from one time to the next.
still() {
    sed -i 's/"\(wall\|compile\)_ns":[0-9]*//g' "$top/out"
}

# What ran for us is gone, or soon is.
gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -lqsaF "FAULT_RUN=$top" $(ls -d /proc/[0-9]*/environ 2>/dev/null |
            grep -v "^/proc/$$/") || return 0
        sleep 0.1
    done
    return 1
}

# judge ALL ARG...
judge() {
    every=$1
    shift
    echo old >"$top/kept"
    FAULT_RUN=$top timeout 60 env FAULT_CLASS=$class FAULT_AT=$n \
        ${every:+FAULT_ALL=1} LD_PRELOAD="$faults" "$program" "$@" \
        >"$top/out" 2>"$top/err" </dev/null
    status=$?
    still
    if [ $status -ge 124 ]; then
        bad "$name" "$every" "status $status"
    elif [ $status != 0 ] && [ $status != 4 ] && [ "${name#grade}" != "$name" ]
    then
        bad "$name" "$every" "status $status: the machine's fault is 4"
    elif ! gone; then
        bad "$name" "$every" "a process is left"
    elif [ $status = 0 ] && ! cmp -s "$top/want" "$top/out"; then
        bad "$name" "$every" "status 0, and another output"
    elif [ $status != 0 ] && [ ! -s "$top/err" ] &&
        [ $class != write ] && ! grep -q '"error":' "$top/out"; then
        bad "$name" "$every" "status $status without a word"
    elif [ "$(cat "$top/kept")" != old ] && ! cmp -s "$top/file" "$top/kept"
    then
        bad "$name" "$every" "neither the old file nor the new one"
    elif [ $status = 0 ] && [ "${name#export}" != "$name" ] &&
        ! cmp -s "$top/file" "$top/kept"; then
        bad "$name" "$every" "status 0, and another file"
    elif { [ -n "$(ls "$top/tmp")" ] && # a folder is read by a descriptor
        [ "$class$every" != open1 ]; } || [ "$(ls "$top"/kept*)" != "$top/kept" ]; then
        bad "$name" "$every" "something is left"
        rm -rf "$top"/tmp/* "$top"/kept.*
    else
        rm -rf "$top"/tmp/*
        passed=$((passed + 1))
    fi
}

# The number of calls; before it, what a cold run needs is taken away.
calls() {
    rm -f "$top/count"
    [ -z "$cold" ] || rm -rf "$top/cache"
    FAULT_CLASS=$class FAULT_COUNT=$top/count LD_PRELOAD=$faults \
        "$program" "$@" >/dev/null 2>&1 </dev/null
    tail -n 1 "$top/count"
}

# under NAME ARG...: all faults of it, at $places places of each class at most.
# cold=yes: each time without the cache.
cold='' places=$most
under() {
    name=$1
    shift
    "$program" "$@" >"$top/out" 2>/dev/null </dev/null
    still
    cp "$top/out" "$top/want"
    cp "$top/kept" "$top/file" 2>/dev/null
    for class in memory write open fork; do
        calls=$(calls "$@")
        step=$(((calls + places - 1) / places))
        n=1
        while [ $n -le "$calls" ]; do
            for all in '' 1; do
                [ -z "$cold" ] || rm -rf "$top/cache"
                judge "$all" "$@"
            done
            n=$((n + step))
        done
    done
}

# The prompt at a terminal, which quits by itself or ends as its memory does:
# fewer places, as each one starts a terminal.
under_prompt() {
    name=prompt
    printf '6*7\nwhy\nquit\n' >"$top/keys"
    for class in memory write open fork; do
        rm -f "$top/count"
        at_terminal "FAULT_COUNT=$top/count" ''
        if [ $status != 0 ] || ! grep -q 42 "$top/out"; then
            n=0 bad "$name" '' "status $status without a fault"
        fi
        calls=$(tail -n 1 "$top/count")
        step=$((calls / (most < 16 ? most : 16) + 1))
        n=1
        while [ $n -le "$calls" ]; do
            for every in '' 1; do
                at_terminal "FAULT_AT=$n" "$every"
                if [ $status -ge 124 ]; then
                    bad "$name" "$every" "status $status"
                elif ! gone; then
                    bad "$name" "$every" "a process is left"
                elif [ -n "$(ls "$top/tmp")" ] && [ $class$every != open1 ]
                then
                    bad "$name" "$every" "something is left"
                else
                    passed=$((passed + 1))
                fi
                rm -rf "$top"/tmp/*
            done
            n=$((n + step))
        done
    done
}

# at_terminal FAULT ALL: what was typed, answered, and the status.
at_terminal() {
    FAULT_RUN=$top timeout 60 script -qfec "env FAULT_CLASS=$class $1 \
${2:+FAULT_ALL=1} LD_PRELOAD='$faults' '$program' '$demo'" /dev/null \
        <"$top/keys" >"$top/out" 2>"$top/err"
    status=$?
}

cat >"$top/k.ptx" <<'EOF'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], 7;
    ret;
}
EOF
demo=lessons/ldgsts.py
under 'load and why' "$demo" -e why
under 'load of a .ptx and launch' "$top/k.ptx" -e 'launch k 1 1 i32[4]'
under 'run, in JSON' --json "$demo" -e run
under 'timeline' "$demo" -e 'timeline --text'
if command -v script >/dev/null; then
    under_prompt
else
    echo "SKIPPED: no script(1) here, so no prompt at a terminal"
fi
under 'export over a file' "$demo" -e run -e "export chrome $top/kept"

# --- what nvcc builds: it and g++ are asked once, and then replayed ---

REAL_nvcc=$(realpath "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")
REAL_gxx=$(command -v g++)
if [ ! -x "$REAL_nvcc" ] || [ -z "$REAL_gxx" ]; then
    echo "SKIPPED: no CUDA compiler here"
else
    REPLAY=$top/made
    TILECOPY_NVCC=$top/bin/nvcc
    CXX=$top/bin/g++
    export REAL_nvcc REAL_gxx REPLAY TILECOPY_NVCC CXX
    cp tests/faults/replay.sh "$top/bin/nvcc"
    cp tests/faults/replay.sh "$top/bin/g++"
    chmod +x "$top/bin/nvcc" "$top/bin/g++"
    cat >"$top/k.cu" <<'EOF'
#include <cstdio>
__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x; }
int main() {
    int *p, h[4] = {};
    if (cudaMalloc(&p, sizeof h) != cudaSuccess) {
        return 9;
    }
    k<<<1, 4>>>(p);
    if (cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) {
        return 8;
    }
    printf("%d\n", h[3]);
    return cudaFree(p) != cudaSuccess;
}
EOF
    under 'exec' exec "$top/k.cu"
    under 'load of a .cu' -e "load $top/k.cu" -e 'show kernel'
    cold=yes
    under 'exec, cold' exec "$top/k.cu"
    under 'load of a .cu, cold' -e "load $top/k.cu" -e 'show kernel'
    places=$((most > 400 ? 100 : most / 2))
    # a sandbox's environment has neither LD_PRELOAD nor what is replayed
    under 'grade' grade maxpool15 --seed 3 --sandbox off exercises/maxpool15/reference.cu
    cold=
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
