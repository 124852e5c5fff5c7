#!/bin/sh
# test_time_limits.sh PROGRAM - --timeout and Ctrl-C end launches that are long
# in each engine: with and without clock, with and without hazards. Half a minute
# is allowed for what takes seconds: a loaded machine fails nothing, what cannot
# be stopped does.
set -u
program=$1
top=$(mktemp -d) || exit 2
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
export TILECOPY_PTXAS=none

head='.version 8.0
.target sm_90
.address_size 64'
cat >"$top/k.ptx" <<EOF
$head
.visible .entry empty(){ret;}
.visible .entry spin(.param .u64 p){
    .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p;
    ld.param.u64 %rd1, [p];
L:  ld.volatile.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%rd1], %r1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra L;
    bra L;
}
.visible .entry wait(.param .u64 p){
    .reg .b64 %rd<3>; .reg .pred %p;
L:  mov.u64 %rd1, %clock64;
    setp.ne.u64 %p, %rd1, 0;
    @%p bra L;
    bra L;
}
.visible .entry bulk(.param .u64 in){
    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
    .shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [in];
    mov.u32 %r1, tile;
    mov.u32 %r2, bar;
    mov.u32 %r3, %tid.x;
    setp.ne.u32 %p, %r3, 0;
    @%p bra L;
    mbarrier.init.shared::cta.b64 [%r2], 64;
L:  bar.sync 0;
    mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [%r2], 1024;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 1024, [%r2];
    ret;
}
EOF

now() {
    date +%s
}

# judge WHAT STATUS WANTED SECONDS
judge() {
    if [ "$2" = "$3" ] && [ "$4" -le 30 ] &&
        ! grep -q 'cannot be stopped' "$top/err"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1: status $2, $4 s: $(tail -n 2 "$top/err")"
    fi
}

for launch in 'empty 2147483647 1' 'spin 1000 256 u32[64]' 'wait 8 32 u32[64]' \
    'bulk 1000000 64 u8[1024]'; do
    for timing in on off; do
        for hazards in on off; do
            what="launch $launch, timing $timing, hazards $hazards"
            set -- -e "set timing $timing" -e "set hazards $hazards" \
                -e "launch $launch" "$top/k.ptx"
            begin=$(now)
            "$program" --timeout 0.2 "$@" >"$top/out" 2>"$top/err" </dev/null
            judge "$what" $? 114 $(($(now) - begin))
            # From a shell that ignores SIGINT in the background: env resets it.
            env --default-signal=INT "$program" --timeout 60 "$@" \
                >"$top/out" 2>"$top/err" </dev/null &
            pid=$!
            # Before that it would be lost.
            until grep -q tilecopy "/proc/$pid/comm" || ! kill -0 $pid; do
                sleep 0.05
            done 2>/dev/null
            sleep 0.3
            begin=$(now)
            kill -INT $pid
            wait $pid
            judge "$what, Ctrl-C" $? 130 $(($(now) - begin))
        done
    done
done
# What is long before anything runs. reads FILE WHAT: it says where it ended.
reads() {
    begin=$(now)
    "$program" --timeout 0.05 -e "load $1" >"$top/out" 2>"$top/err" </dev/null
    judge "load $1" $? 114 $(($(now) - begin))
    # On a loaded machine it may not even have begun.
    grep -q -e "stopped by the time limit while $2" \
        -e "stopped by the time limit while '$1' was read" "$top/err" || {
        failed=$((failed + 1))
        echo "FAILED: load $1: $(tail -n 2 "$top/err")"
    }
}
{
    echo "$head"
    echo '.visible .entry k(){ .reg .b32 %r<9>;'
    yes 'add.u32 %r1, %r2, 3;' | head -n 300000
    echo 'ret; }'
} >"$top/long.ptx"
reads "$top/long.ptx" 'the PTX was read'
yes 'x = (1 + 2) * 3' | head -n 400000 >"$top/long.py"
reads "$top/long.py" 'the program was'
echo "$passed passed, $failed failed"
[ $failed = 0 ]
