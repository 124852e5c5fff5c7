#!/bin/sh
# faults.sh PROGRAM FAULTS.so [MOST] - every n-th allocation, write, open and
# fork fails in turn, alone and with all after it (as SQLite's tests do): each
# time the program either does its work or says why not; it does not crash, hang
# or lose a file. MOST: so many places of each class, spread evenly; else all.
set -u

program=$1
faults=$(realpath "$2")
most=${3:-1000000}
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
mkdir "$top/tmp"
TILECOPY_CACHE=$top/cache
TILECOPY_PTXAS=none
TMPDIR=$top/tmp
HOME=$top
export TILECOPY_CACHE TILECOPY_PTXAS TMPDIR HOME

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
    sed -i 's/"wall_ns":[0-9]*//g' "$top/out"
}

# judge ALL ARG...
judge() {
    every=$1
    shift
    echo old >"$top/kept"
    timeout 60 env FAULT_CLASS=$class FAULT_AT=$n ${every:+FAULT_ALL=1} \
        LD_PRELOAD="$faults" "$program" "$@" \
        >"$top/out" 2>"$top/err" </dev/null
    status=$?
    still
    if [ $status -ge 124 ]; then
        bad "$name" "$every" "status $status"
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
    elif [ -n "$(ls "$top/tmp")" ] || [ "$(ls "$top"/kept*)" != "$top/kept" ]; then
        bad "$name" "$every" "something is left"
        rm -rf "$top"/tmp/* "$top"/kept.*
    else
        passed=$((passed + 1))
    fi
}

# under NAME ARG...: all faults of it.
under() {
    name=$1
    shift
    "$program" "$@" >"$top/out" 2>/dev/null </dev/null
    still
    cp "$top/out" "$top/want"
    cp "$top/kept" "$top/file" 2>/dev/null
    for class in memory write open fork; do
        FAULT_CLASS=$class FAULT_COUNT=$top/count LD_PRELOAD=$faults \
            "$program" "$@" >/dev/null 2>&1 </dev/null
        calls=$(cat "$top/count")
        step=$((calls / most + 1))
        n=1
        while [ $n -le "$calls" ]; do
            judge "" "$@"
            judge 1 "$@"
            n=$((n + step))
        done
    done
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
under 'export over a file' "$demo" -e run -e "export chrome $top/kept"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
