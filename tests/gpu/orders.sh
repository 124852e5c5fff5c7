#!/bin/sh
# orders.sh - does the timing model put things in the order of a GPU?
#
#   orders.sh GPU OURS     two outputs of orders.cu
#   orders.sh OURS         one, beside what is sure of any GPU
#
# OURS is what `tilecopy-repl exec --timeout 0 --quiet orders.cu -- 1` prints.
# Each line of the list below names what takes longer, then what takes less, and
# by how much at least on a machine that is not measured. A line of the answer:
# the two ratios and a word: ok; FLAT, where the GPU tells two things apart and
# the model does not; WRONG, where the order is another.
set -u
[ $# -eq 1 ] || [ $# -eq 2 ] || { sed -n '4,5s/^# *//p' "$0" >&2; exit 2; }
list=$(mktemp) || exit 2
trap 'rm -f "$list"' EXIT
cat >"$list" <<'LIST'
us.load.stride2 us.load.stride1 1.1
us.load.stride4 us.load.stride2 1.1
us.load.stride8 us.load.stride4 1.1
us.store.stride8 us.store.stride1 1.1
us.copy.off1 us.copy.aligned 1
c.chase.l2 c.chase.l1 3
c.chase.dram c.chase.l2 1.3
c.banks.stride2 c.banks.stride1 1.02
c.banks.stride4 c.banks.stride2 1.05
c.banks.stride8 c.banks.stride4 1.1
c.banks.stride16 c.banks.stride8 1.2
c.banks.stride32 c.banks.stride16 1.2
c.dsmem.remote c.dsmem.local 2
c.chase.l2 c.dsmem.remote 1.1
us.atom.one us.atom.spread 1.3
us.add.one us.add.spread 1
c.add.shared.mask0 c.add.shared.mask1023 1.1
c.add.shared.mask31 c.add.shared.mask1023 1
c.diverge.2 c.diverge.1 1.7
c.diverge.4 c.diverge.2 1.7
c.diverge.8 c.diverge.4 1.7
c.diverge.32 c.diverge.8 3
c.op_dfma c.op_fma 1.2
c.op_ex2 c.op_fma 2
c.op_shfl c.op_fma 2
c.op_mul64 c.op_mad 1.3
c.op_div c.op_ex2 1.2
c.op_sqrt c.op_ex2 1.2
c.op_rem c.op_mad 5
c.op_ddiv c.op_dfma 5
c.op_ddiv c.op_div 1.2
c.bar.128 c.bar.32 1.05
c.bar.512 c.bar.128 1.3
c.bar.1024 c.bar.512 1.3
c.fence.gpu c.fence.cta 1.3
c.fence.cta c.fence.none 1
c.const.each c.const.same 1.3
us.hide.smem120000 us.hide.smem72000 1.3
us.hide.smem72000 us.hide.smem36000 1.1
us.hide.smem36000 us.hide.smem18000 1.05
us.tiles.work0.sync us.tiles.work0.stages2 1.2
us.tiles.work0.stages2 us.tiles.work0.stages4 1.1
us.tiles.work64.sync us.tiles.work64.stages2 1.1
us.tiles.work64.stages2 us.tiles.work64.stages4 0.9
us.tiles.work512.sync us.tiles.work512.stages2 1.05
us.tiles.work512.stages2 us.tiles.work512.stages4 0.9
c.tile65536.ldst c.tile65536.cpasync 1.2
c.tile65536.cpasync c.tile65536.bulk 1
c.tile8192.ldst c.tile8192.cpasync 1.2
us.wave.one_more us.wave.full 1.5
us.wave.double us.wave.one_more 0.9
us.empty.100000 us.empty.1000 2
LIST
awk -v two=$(($# - 1)) '
FILENAME == ARGV[1] { slow[++n] = $1; fast[n] = $2; least[n] = $3; next }
FILENAME == ARGV[2] { value["first", $1] = $2 }
FILENAME == ARGV[3] { value["second", $1] = $2 }
function ratio(which, i) {
    if (value[which, fast[i]] + 0 == 0) {
        return 0
    }
    return value[which, slow[i]] / value[which, fast[i]]
}
END {
    for (i = 1; i <= n; i++) {
        ours = two ? ratio("second", i) : ratio("first", i)
        gpu = two ? ratio("first", i) : least[i]
        if (ours == 0 || gpu == 0) {
            continue # not on this machine
        }
        word = "ok"
        if ((two && gpu > 1.15 && ours < 1.05) ||
            (!two && gpu > 1 && ours < gpu && ours >= 0.95)) {
            word = "FLAT"
        }
        if ((gpu > 1.05 && ours < 0.95) ||
            (two && gpu < 0.95 && ours > 1.05) ||
            (!two && gpu <= 1 && ours < gpu - 0.05)) {
            word = "WRONG"
        }
        bad += word != "ok"
        printf "%-5s %6.2f %6.2f  %s over %s\n", word, gpu, ours, slow[i],
               fast[i]
    }
    print bad + 0 " of " n " orders differ"
    exit bad > 0
}' "$list" "$@"
