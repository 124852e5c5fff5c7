#!/bin/sh
# test_costs.sh PROGRAM - twice as much takes twice the processor time: blocks,
# launches, findings that repeat, copies that nobody waits for; and the trace,
# which is made when somebody looks, costs a run nothing. A square would be four
# times: three is the limit, and the best of three tries counts.
set -u
program=$1
top=$(mktemp -d) || exit 2
trap 'rm -rf "$top"' EXIT
passed=0 failed=0
export TILECOPY_PTXAS=none

head='.version 8.0
.target sm_90
.address_size 64'
cat >"$top/empty.ptx" <<EOF
$head
.visible .entry k(){ret;}
EOF
cat >"$top/race.ptx" <<EOF
$head
.visible .entry k(.param .u64 p){
    .reg .b64 %rd<3>; .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %ctaid.x;
    st.global.u32 [%rd1], %r1;
    ret;
}
EOF
# Each thread of a block has 1024 bytes of the same copied, and leaves.
cat >"$top/bulk.ptx" <<EOF
$head
.visible .entry k(.param .u64 in){
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
# Loads and stores, a million of each.
cat >"$top/copy.ptx" <<EOF
$head
.visible .entry k(.param .u64 in, .param .u64 out){
    .reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .pred %p;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    mov.u32 %r2, 0;
L:  ld.global.u32 %r3, [%rd1];
    st.global.u32 [%rd2], %r3;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, 200000;
    @%p bra L;
    ret;
}
EOF

# Hundredths of a second that a command takes of a processor.
used() {
    (
        "$@" >/dev/null 2>&1 </dev/null
        times
    ) | awk 'NR == 2 { split($1, a, /[ms]/); print int(6000 * a[1] + 100 * a[2]) }'
}

# holds WHAT PERCENT HALF WHOLE: the second command takes at most so much of
# what the first takes.
holds() {
    what=$1 most=$2
    shift 2
    for try in 1 2 3; do
        half=$(used "$1") whole=$(used "$2")
        [ $((whole * 100)) -le $(((half + 2) * most)) ] && break
    done
    if [ $((whole * 100)) -le $(((half + 2) * most)) ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what: $half and $whole hundredths of a second"
    fi
}

# command NAME ARGUMENT...: a script of that name which runs the program.
command() {
    name=$top/$1
    shift
    {
        printf '#!/bin/sh\nexec "%s" --timeout 300' "$(realpath "$program")"
        for a in "$@"; do
            printf " '%s'" "$a"
        done
        echo
    } >"$name"
    chmod +x "$name"
}

for timing in on off; do
    command a -e "set timing $timing" -e 'launch k 500000 32' "$top/empty.ptx"
    command b -e "set timing $timing" -e 'launch k 1000000 32' "$top/empty.ptx"
    holds "empty blocks, timing $timing" 300 "$top/a" "$top/b"
    command a -e "set timing $timing" -e 'launch k 100000 32 u32[64]' "$top/race.ptx"
    command b -e "set timing $timing" -e 'launch k 200000 32 u32[64]' "$top/race.ptx"
    holds "findings, timing $timing" 300 "$top/a" "$top/b"
    command a -e 'set hazards off' -e "set timing $timing" \
        -e 'launch k 4000 64 u8[1024]' "$top/bulk.ptx"
    command b -e 'set hazards off' -e "set timing $timing" \
        -e 'launch k 8000 64 u8[1024]' "$top/bulk.ptx"
    holds "copies in flight, timing $timing" 300 "$top/a" "$top/b"
done

set --
for i in $(seq 800); do
    set -- "$@" -e 'launch k 1 32'
done
command a "$@" "$top/empty.ptx"
command b "$@" "$@" "$top/empty.ptx"
holds launches 300 "$top/a" "$top/b"

command a -e 'set trace off' -e 'set hazards off' -e 'set timing off' \
    -e 'launch k 8 256 u32[256] u32[256]' "$top/copy.ptx"
command b -e 'set trace on' -e 'set hazards off' -e 'set timing off' \
    -e 'launch k 8 256 u32[256] u32[256]' "$top/copy.ptx"
holds 'the trace' 130 "$top/a" "$top/b"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
