#!/bin/sh
# test_grade_limits.sh PROGRAM EXERCISES - what a submission may take, and that
# neither compilers nor a loaded machine take it away.
. "$(dirname "$0")/grade.inc"
need_compiler
cd "$top" || exit 1
mkdir tmp
TMPDIR=$top/tmp
export TMPDIR

# --- a compiler that waits for ever, meanwhile ---

mkfifo fifo
mkdir waits
printf '#include "fifo"\n' >fifo.cu
TMPDIR=$top/waits timeout 400 "$program" grade maxpool15 --timeout 1 \
    --sandbox off fifo.cu \
    >waits.out 2>waits.err </dev/null &
waits=$!

# --- time ---

options="--timeout 1"
fails "$subs/hangs.cu" "time limit: no result after 1 second"
real=$(realpath "$(command -v nvcc)" 2>/dev/null)
if [ -n "$real" ]; then # the compiler's time is not the student's
    printf '#!/bin/sh\nsleep 3\nexec "%s" "$@"\n' "$real" >nvcc
    chmod +x nvcc
    TILECOPY_NVCC=$top/nvcc run grade maxpool15 --seed 3 --timeout 1 \
        --sandbox off "$mine/reference.cu"
    is 0
    says out "22 of 22 cases pass"
fi
# On a machine that is loaded a run takes long by the clock.
load=
for _ in 1 2 3 4 5 6 7 8; do
    (while :; do :; done) &
    load="$load $!"
done
run grade maxpool15 --seed 3 --timeout 1 "$mine/reference.cu"
# shellcheck disable=SC2086 # words
kill $load
is 0
says out "22 of 22 cases pass"

# --- a machine that gives no namespaces, as many containers ---

none='echo 0 >/proc/sys/user/max_user_namespaces'
if unshare -Ur sh -c "$none" 2>/dev/null; then
    timeout 300 unshare -Ur sh -c "$none && exec \"\$@\"" sh \
        "$program" grade maxpool15 --seed 3 "$mine/reference.cu" \
        >"$top/out" 2>"$top/err" </dev/null
    status=$?
    what="without namespaces"
    is 0
    says out "22 of 22 cases pass"
    says out "note: this machine has part of the sandbox"
fi

# --- memory, and what it prints ---

options=
fails "$subs/fills.cu" "256 MiB are allowed" \
    "7 pieces, then cudaErrorMemoryAllocation" "memory limit: 33554432 bytes"
fails "$subs/shouts.cu" "it printed:" "| ?[2J00000" "... and 38 MB more"
lines err 0
flat "$subs/shouts.cu"
run grade maxpool15 --seed 3 --format json "$given"
is 1
says out '"output_left_out":'
what="the size of the verdict"
if [ "$(wc -c <"$top/out")" -lt 4000000 ]; then ok; else bad "too much"; fi

# --- compiling ---

printf '#include "/dev/stdin"\n' >stdin.cu
run grade maxpool15 stdin.cu
is 3
printf '#include "itself.cu"\n' >itself.cu
run grade maxpool15 itself.cu
is 3
says err "nested"

# A tool that passes its limit of processor time is ended by SIGXCPU.
# --timeout limits compilers too: three times that, from 20 s to 60 s.
bomb() { # bomb nvcc|ptxas TIMEOUT SECONDS: that one takes too much
    mkdir -p "bomb-$1"
    cat >"bomb-$1/nvcc" <<END
#!/bin/sh
case "$1 \$*" in
*--dryrun*) "$real" "\$@" 2>&1 | sed 's,_HERE_=.*,_HERE_=$top/bomb-$1,' >&2 ;;
*--version* | ptxas*) exec "$real" "\$@" ;;
*) kill -s XCPU \$\$ ;;
esac
END
    printf '#!/bin/sh\necho >>"%s"\nkill -s XCPU $$\n' "$top/asked" \
        >"bomb-$1/ptxas"
    chmod +x "bomb-$1/nvcc" "bomb-$1/ptxas"
    TILECOPY_NVCC=$top/bomb-$1/nvcc run grade maxpool15 --timeout "$2" \
        --sandbox off "$mine/reference.cu"
    is 3
    says err "cannot be built: $1 was stopped: it takes more than $3 s of processor time"
}
if [ -n "$real" ]; then
    bomb nvcc 5 20
    bomb ptxas 10 30
    bomb nvcc 0 60
    what="ptxas"
    if [ "$(wc -l <asked)" = 1 ]; then ok; else bad "it is asked again"; fi
    # One that cannot be started is the machine's fault.
    printf '#!/nowhere/at/all\n' >bomb-ptxas/ptxas
    TILECOPY_NVCC=$top/bomb-ptxas/nvcc run grade maxpool15 --sandbox off \
        "$mine/reference.cu"
    is 4
    says err "ptxas cannot be run: No such file or directory"
fi
empty "$top/tmp"

# A folder as a delegated cgroup's, made up: what would be asked of the kernel.
printf 'void maxpool15(float *, const float *, int) { __builtin_trap(); }\n' >crash.cu
mkdir -p group/tilecopy-999999999
TILECOPY_CGROUP=$top/group run grade maxpool15 --seed 3 crash.cu
is 1
what="the groups of a submission and its compiler"
for g in group/*; do
    if [ "$(cat "$g/memory.max")" = 4294967296 ] && [ "$(cat "$g/pids.max")" = 512 ] &&
        [ "$(cat "$g/cgroup.procs")" = 0 ]; then ok; else bad "$g"; fi
done
if [ -e group/tilecopy-999999999 ]; then bad "an old one is left"; else ok; fi
TILECOPY_CGROUP=$top/nowhere run grade maxpool15 crash.cu
is 4
says err "cannot grade: TILECOPY_CGROUP: $top/nowhere: No such file or directory"

wait $waits
status=$?
what="a FIFO"
cp waits.out out
cp waits.err err
is 3
says err "it waits for something that does not come, for 20 s"
empty "$top/waits"

the_end
