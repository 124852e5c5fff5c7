/* Order within a CTA and between CTAs: correct programs, and what each missing
 * line is called (INTERFACE.md's table), in every schedule. */
#include "hazard_run.h"

#define OUT "st.global.u32 [%rd5], %r10;\n"

/* ---- within a CTA ---- */

static const char same_word[] = "st.shared.u32 [%r3], %r9; //same\n"
                                "st.shared.u32 [%r3], %r7; //lanes\n";
static const char same_half[] = /* a vector; lanes 2i and 2i + 1 meet */
    "shr.u32 %r11, %r7, 1;\nshl.b32 %r12, %r11, 3;\nadd.u32 %r12, %r12, %r3;\n"
    "st.shared.v2.u32 [%r12], {%r11, %r9}; //same\n"
    "st.shared.v2.u32 [%r12], {%r11, %r7}; //lanes\n";
/* Every thread's own byte; then a word of four neighbours' bytes. */
static const char bytes[] =
    "add.u32 %r11, %r3, %r1;\nst.shared.u8 [%r11], %r1;\n"
    "bar.sync 0; //barrier\n"
    "and.b32 %r12, %r1, 124;\nadd.u32 %r12, %r3, %r12;\n"
    "ld.shared.u32 %r10, [%r12];\n" OUT;
static const char vector[] = /* 16 bytes by one, read as words by four */
    "shl.b32 %r11, %r1, 4;\nadd.u32 %r11, %r3, %r11;\n"
    "st.shared.v4.u32 [%r11], {%r1, %r2, %r1, %r2};\n"
    "bar.sync 0; //barrier\n"
    "ld.shared.u32 %r10, [%r4];\n" OUT;
/* Bytes side by side in one word are no conflict. */
static const char neighbours[] =
    "add.u32 %r11, %r3, %r1;\nst.shared.u8 [%r11], %r1;\n"
    "ld.shared.u8 %r10, [%r11];\nst.shared.u8 [%r11], %r10;\n" OUT;
static const char half_written[] =
    "st.shared.u16 [%r4], %r1; //first\nst.shared.u16 [%r4+2], %r1; //second\n"
    "ld.shared.u32 %r10, [%r4];\n" OUT;
static const char local[] =
    "st.local.u32 [loc+4], %r1;\nst.local.u16 [loc+8], %r1; //half\n"
    "ld.local.u32 %r10, [loc+4];\nld.local.u16 %r11, [loc+8];\n"
    "add.u32 %r10, %r10, %r11;\n" OUT;

/* A tree in shared memory, and in the last warp alone. */
static const char block_sum[] =
    "st.shared.u32 [%r4], %r1;\nbar.sync 1; //first\nmov.u32 %r11, 64;\n"
    "L:\nsetp.ge.u32 %p2, %r1, %r11;\nshl.b32 %r12, %r11, 2;\n"
    "add.u32 %r12, %r12, %r4;\n"
    "@!%p2 ld.shared.u32 %r13, [%r12];\n@!%p2 ld.shared.u32 %r14, [%r4];\n"
    "@!%p2 add.u32 %r14, %r14, %r13;\n@!%p2 st.shared.u32 [%r4], %r14;\n"
    "bar.sync 2; //loop\n"
    "shr.u32 %r11, %r11, 1;\nsetp.ne.u32 %p3, %r11, 0;\n@%p3 bra L;\n"
    "ld.shared.u32 %r10, [%r3];\n" OUT;
static const char warp_sum[] =
    "st.shared.u32 [%r4], %r1;\nmov.u32 %r11, 16;\nbar.warp.sync -1; //first\n"
    "L:\nsetp.ge.u32 %p2, %r7, %r11;\nshl.b32 %r12, %r11, 2;\n"
    "add.u32 %r12, %r12, %r4;\n"
    "@!%p2 ld.shared.u32 %r13, [%r12];\n@!%p2 ld.shared.u32 %r14, [%r4];\n"
    "@!%p2 add.u32 %r14, %r14, %r13;\n@!%p2 st.shared.u32 [%r4], %r14;\n"
    "bar.warp.sync -1; //loop\n"
    "shr.u32 %r11, %r11, 1;\nsetp.ne.u32 %p3, %r11, 0;\n@%p3 bra L;\n"
    "setp.eq.u32 %p4, %r7, 0;\n@%p4 ld.shared.u32 %r10, [%r4];\n"
    "@%p4 st.global.u32 [%rd5], %r10;\n";
/* shfl orders nothing: the values go through registers here, and must not
 * through memory. */
static const char shuffle[] =
    "st.shared.u32 [%r4], %r1;\n"
    "shfl.sync.bfly.b32 %r11, %r1, 1, 31, -1;\n"
    "bar.warp.sync -1; //sync\n"
    "xor.b32 %r12, %r2, 4;\nadd.u32 %r12, %r12, %r3;\n"
    "ld.shared.u32 %r10, [%r12];\n" OUT;
static const char in_place[] = /* y = 2 x + y, each its own word */
    "ld.global.u32 %r10, [%rd4];\nld.global.u32 %r11, [%rd5];\n"
    "shl.b32 %r10, %r10, 1;\nadd.u32 %r10, %r10, %r11;\n" OUT;
static const char shifted[] = /* in place, but of the neighbour's word */
    "ld.global.u32 %r10, [%rd5+4];\nbar.sync 0; //barrier\n" OUT;
static const char histogram[] =
    "and.b32 %r11, %r1, 7;\nshl.b32 %r11, %r11, 2;\nadd.u32 %r11, %r11, %r3;\n"
    "setp.lt.u32 %p2, %r1, 8;\n@%p2 st.shared.u32 [%r4], 0; //zero\n"
    "bar.sync 1; //first\n"
    "atom.shared.add.u32 %r12, [%r11], 1;\n"
    "bar.sync 2; //second\n"
    "ld.shared.u32 %r10, [%r11];\n" OUT;
/* Two pairs of warps, each with a barrier of its own. */
static const char named[] =
    "shr.u32 %r11, %r8, 1;\nadd.u32 %r11, %r11, 1;\n"
    "st.shared.u32 [%r4], %r1;\n"
    "bar.sync %r11, 64; //pair\n"
    "xor.b32 %r12, %r2, 128; //right\n"
    "xor.b32 %r12, %r2, 256; //wrong\n"
    "add.u32 %r12, %r12, %r3;\nld.shared.u32 %r10, [%r12];\n" OUT;
static const char flag_in_cta[] =
    "@%p1 st.shared.u32 [%r3+1024], 0;\nbar.sync 0;\n"
    "setp.eq.u32 %p2, %r1, 32;\n@%p1 bra GIVE;\n@!%p2 bra E;\n"
    "L:\nld.acquire.cta.shared.u32 %r10, [%r3+1024]; //acquire\n"
    "ld.relaxed.cta.shared.u32 %r10, [%r3+1024]; //relaxed\n"
    "setp.eq.u32 %p3, %r10, 0;\n@%p3 bra L;\n"
    "ld.shared.u32 %r10, [%r3+1028];\n" OUT "bra E;\n"
    "GIVE:\nst.shared.u32 [%r3+1028], 7;\n"
    "st.release.cta.shared.u32 [%r3+1024], 1;\nE:\n";

/* ---- between CTAs ---- */

/* CTA 0 gives 128 words to CTA 1. */
#define GIVE_TAKE(fence1, give, take, fence2)                                  \
    "setp.ne.u32 %p2, %r9, 0;\nmul.wide.u32 %rd6, %r1, 4;\n"                   \
    "add.u64 %rd6, %rd2, %rd6;\n@%p2 bra TAKE;\n"                              \
    "st.global.u32 [%rd6], %r1;\nbar.sync 0; //before\n" fence1                \
    "@!%p1 bra E;\n" give "bra E;\n"                                           \
    "TAKE:\n@!%p1 bra M;\n"                                                    \
    "L:\n" take "setp.eq.u32 %p3, %r10, 0;\n@%p3 bra L;\n" fence2              \
    "M:\nbar.sync 0; //after\nld.global.u32 %r10, [%rd6];\n"                   \
    "st.global.u32 [%rd4+8192], %r10;\nE:\n"
static const char release[] =
    GIVE_TAKE("",
              "st.release.gpu.global.u32 [%rd1], 1; //release\n"
              "st.relaxed.gpu.global.u32 [%rd1], 1; //norelease\n",
              "ld.acquire.gpu.global.u32 %r10, [%rd1]; //acquire\n"
              "ld.relaxed.gpu.global.u32 %r10, [%rd1]; //noacquire\n",
              "");
static const char narrow[] =
    GIVE_TAKE("",
              "st.release.gpu.global.u32 [%rd1], 1; //gpu\n"
              "st.release.cta.global.u32 [%rd1], 1; //cta\n",
              "ld.acquire.gpu.global.u32 %r10, [%rd1];\n", "");
static const char fences[] = GIVE_TAKE(
    "membar.gl; //fence1\n",
    "atom.global.exch.b32 %r11, [%rd1], 1; //atomic\n"
    "st.volatile.global.u32 [%rd1], 1; //volatile\n",
    "ld.volatile.global.u32 %r10, [%rd1];\n", "fence.acq_rel.gpu; //fence2\n");
static const char handed[] = GIVE_TAKE(
    "membar.gl; //fence1\n", "atom.global.exch.b32 %r11, [%rd1], 1;\n",
    "ld.volatile.global.u32 %r10, [%rd1];\n", "fence.acq_rel.gpu; //fence2\n");
static const char plain_flag[] =
    GIVE_TAKE("membar.gl;\n",
              "st.global.u32 [%rd1], 1; //plain\n"
              "st.volatile.global.u32 [%rd1], 1; //volatile\n",
              "ld.volatile.global.u32 %r10, [%rd1];\n", "membar.gl;\n");

/* Each CTA writes a word; the last to come adds them up. A is zeroed where the
 * counter is, by the host: here the counter is A + 32768. */
static const char last_block[] =
    "mul.wide.u32 %rd6, %r9, 4;\nadd.u64 %rd6, %rd2, %rd6;\n"
    "@!%p1 bra E;\n"
    "st.global.u32 [%rd6], %r9;\n"
    "membar.gl; //fence1\n"
    "atom.global.add.u32 %r11, [%rd1+32768], 1;\n"
    "membar.gl; //fence2\n"
    "setp.ne.u32 %p2, %r11, 7;\n@%p2 bra E;\n"
    "mov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
    "L:\nld.global.u32 %r10, [%rd2];\nadd.u32 %r13, %r13, %r10;\n"
    "add.u64 %rd2, %rd2, 4;\nadd.u32 %r12, %r12, 1;\n"
    "setp.lt.u32 %p3, %r12, 8;\n@%p3 bra L;\nst.global.u32 [%rd1], %r13;\nE:\n";
static const char last_block_sem[] =
    "mul.wide.u32 %rd6, %r9, 4;\nadd.u64 %rd6, %rd2, %rd6;\n"
    "@!%p1 bra E;\n"
    "st.global.u32 [%rd6], %r9;\n"
    "atom.acq_rel.gpu.global.add.u32 %r11, [%rd1+32768], 1; //order\n"
    "atom.relaxed.gpu.global.add.u32 %r11, [%rd1+32768], 1; //none\n"
    "setp.ne.u32 %p2, %r11, 7;\n@%p2 bra E;\n"
    "mov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
    "L:\nld.global.u32 %r10, [%rd2];\nadd.u32 %r13, %r13, %r10;\n"
    "add.u64 %rd2, %rd2, 4;\nadd.u32 %r12, %r12, 1;\n"
    "setp.lt.u32 %p3, %r12, 8;\n@%p3 bra L;\nst.global.u32 [%rd1], %r13;\nE:\n";
/* Two CTAs take a lock, each with a fence after that and one before it gives it
 * back; which of them comes first is the schedule's choice, and must not matter. */
#define LOCK(n, fence1, value, fence2)                                         \
    "L" n ":\natom.global.cas.b32 %r10, [%rd1+32768], 0, 1;\n"                 \
    "setp.ne.u32 %p3, %r10, 0;\n@%p3 bra L" n ";\n" fence1                     \
    "st.global.u32 [%rd2], " value ";\n" fence2                                \
    "atom.global.exch.b32 %r10, [%rd1+32768], 0;\n"
static const char lock[] =
    "setp.ne.u32 %p2, %r9, 0;\n@!%p1 bra E;\n@%p2 bra SECOND;\n" LOCK(
        "0", "membar.gl; //after0\n", "1",
        "membar.gl; //before0\n") "bra E;\nSECOND:\n" LOCK("1",
                                                           "membar.gl; "
                                                           "//after1\n",
                                                           "2",
                                                           "membar.gl; "
                                                           "//before1\n") "E:"
                                                                          "\n";
/* A fence that orders nothing where it stands: between the two in the lock. */
static const char lock_behind[] =
    "setp.ne.u32 %p2, %r9, 0;\n@!%p1 bra E;\n@%p2 bra SECOND;\n" LOCK(
        "0", "", "1", "membar.gl;\n") "bra E;\n"
                                      "SECOND:\n" LOCK("1", "membar.gl;\n", "2",
                                                       "membar.gl;\n") "E:\n";
/* A block's own release and acquire, between two of the device: the reader's
 * fence of the block takes what its block has released, whatever else it has
 * read, and its fence of the device takes the rest. */
static const char two_scopes[] =
    "@!%p1 bra W;\nst.global.u32 [%rd4], %r9;\nmembar.gl;\n"
    "atom.global.add.u32 %r10, [%rd1+32768], 1;\nW:\n"
    "setp.eq.u32 %p2, %r1, 32;\nsetp.eq.u32 %p3, %r1, 64;\n"
    "mul.wide.u32 %rd6, %r9, 8;\nadd.u64 %rd6, %rd6, %rd1;\n"
    "@%p2 st.global.u32 [%rd5], 7;\n@%p2 membar.cta;\n"
    "@%p2 st.relaxed.cta.global.u32 [%rd6+33024], 1;\n"
    "@!%p3 bra E;\n"
    "L:\nld.relaxed.gpu.global.u32 %r11, [%rd1+32768];\n"
    "setp.ne.u32 %p4, %r11, 2;\n@%p4 bra L;\n"
    "K:\nld.relaxed.cta.global.u32 %r11, [%rd6+33024];\n"
    "setp.ne.u32 %p4, %r11, 1;\n@%p4 bra K;\n"
    "membar.cta; //cta\n"
    "ld.global.u32 %r12, [%rd5+-128];\n" /* thread 32's */
    "membar.gl; //gl\n"
    "xor.b32 %r12, %r9, 1;\nmul.wide.u32 %rd6, %r12, 512;\n"
    "add.u64 %rd6, %rd6, %rd1;\nld.global.u32 %r12, [%rd6];\nE:\n";
/* A narrow atomic of a thread, and then a wide one of its own on the word. */
static const char hidden[] =
    "setp.ne.u32 %p2, %r9, 0;\n@!%p1 bra E;\n@%p2 bra SECOND;\n"
    "atom.cta.global.exch.b32 %r10, [%rd1+32768], 5; //cta\n"
    "atom.gpu.global.exch.b32 %r10, [%rd1+32768], 5; //gpu\n"
    "atom.gpu.global.add.u32 %r10, [%rd1+32768], 0;\nbra E;\n"
    "SECOND:\natom.gpu.global.add.u32 %r10, [%rd1+32768], 1;\nE:\n";
/* A barrier of the grid, then everybody reads the next CTA's words. */
static const char grid_sync[] =
    "st.global.u32 [%rd5], %r1;\nbar.sync 0; //before\n@!%p1 bra M;\n"
    "membar.gl; //fence\n"
    "atom.global.add.u32 %r11, [%rd1+32768], 1;\n"
    "L:\nld.volatile.global.u32 %r11, [%rd1+32768];\n"
    "setp.lt.u32 %p2, %r11, 4;\n@%p2 bra L;\nmembar.gl;\n"
    "M:\nbar.sync 0; //after\n"
    "xor.b32 %r11, %r5, 128;\nmul.wide.u32 %rd6, %r11, 4;\n"
    "add.u64 %rd6, %rd2, %rd6;\nld.global.u32 %r10, [%rd6];\n"
    "st.global.u32 [%rd4+8192], %r10;\n";
static const char counters[] = /* all CTAs add to eight words */
    "and.b32 %r11, %r1, 7;\nmul.wide.u32 %rd6, %r11, 4;\n"
    "add.u64 %rd6, %rd2, %rd6;\nred.global.add.u32 [%rd6], 1; //gpu\n"
    "red.relaxed.cta.global.add.u32 [%rd6], 1; //cta\n";
static const char shared_input[] = /* all CTAs read all of it */
    "mul.wide.u32 %rd6, %r1, 4;\nadd.u64 %rd6, %rd1, %rd6;\n"
    "ld.global.u32 %r10, [%rd6];\nld.global.u32 %r11, [%rd6+64];\n"
    "add.u32 %r10, %r10, %r11;\n" OUT "setp.eq.u32 %p3, %r9, 5; //write\n"
    "@%p3 st.global.u32 [%rd6], %r10; //write\n";

static const hazard_case cases[] = {
    {"same word: other values", same_word, "//same", KIND(DATA_RACE),
     TC_MISSING_ONE_WRITER, TC_PTX_ST, TC_PTX_ST, 1, 32, 0},
    {"same word: same value", same_word, "//lanes", NONE, 0, 0, 0, 1, 32, 0},
    {"same half: other values", same_half, "//same", KIND(DATA_RACE),
     TC_MISSING_ONE_WRITER, TC_PTX_ST, TC_PTX_ST, 1, 32, 0},
    {"same half: same values", same_half, "//lanes", NONE, 0, 0, 0, 1, 32, 0},
    {"bytes", bytes, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"bytes: no barrier", bytes, "//barrier", KIND(DATA_RACE),
     TC_MISSING_BARRIER, TC_PTX_LD, TC_PTX_ST, 1, 128, 0},
    {"vector", vector, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"vector: no barrier", vector, "//barrier", KIND(DATA_RACE),
     TC_MISSING_BARRIER, TC_PTX_LD, TC_PTX_ST, 1, 128, 0},
    {"neighbours", neighbours, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"half written", half_written, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"half written: not first", half_written, "//first",
     KIND(UNINITIALIZED_READ), ANY, TC_PTX_LD, ANY, 1, 128, 0},
    {"half written: not second", half_written, "//second",
     KIND(UNINITIALIZED_READ), ANY, TC_PTX_LD, ANY, 1, 128, 0},
    {"local", local, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"local: not written", local, "//half", KIND(UNINITIALIZED_READ), ANY,
     TC_PTX_LD, ANY, 1, 128, 0},
    {"block sum", block_sum, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"block sum: not in the loop", block_sum, "//loop", SEVERAL,
     TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"block sum: not first", block_sum, "//first", KIND(DATA_RACE),
     TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"warp sum", warp_sum, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"warp sum: not in the loop", warp_sum, "//loop",
     KIND(OVERWRITE_BEFORE_READ), TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"warp sum: not first", warp_sum, "//first", KIND(DATA_RACE),
     TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"shuffle", shuffle, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"shuffle: orders nothing", shuffle, "//sync", KIND(DATA_RACE),
     TC_MISSING_BARRIER, TC_PTX_LD, TC_PTX_ST, 1, 128, 0},
    {"in place", in_place, NULL, NONE, 0, 0, 0, 4, 128, 0},
    {"shifted", shifted, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"shifted: no barrier", shifted, "//barrier", KIND(DATA_RACE),
     TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"histogram", histogram, NULL, NONE, 0, 0, 0, 1, 128, 0},
    {"histogram: not zeroed first", histogram, "//first", KIND(DATA_RACE),
     TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"histogram: read too early", histogram, "//second", KIND(DATA_RACE),
     TC_MISSING_BARRIER, ANY, ANY, 1, 128, 0},
    {"named", named, "//wrong", NONE, 0, 0, 0, 1, 128, 0},
    {"named: another pair's words", named, "//right", KIND(DATA_RACE),
     TC_MISSING_BARRIER, TC_PTX_LD, TC_PTX_ST, 1, 128, 0},
    {"named: none", named, "//pair", KIND(DATA_RACE), TC_MISSING_BARRIER,
     TC_PTX_LD, TC_PTX_ST, 1, 128, 0},
    {"flag in a CTA", flag_in_cta, "//relaxed", NONE, 0, 0, 0, 1, 128, 0},
    {"flag in a CTA: relaxed", flag_in_cta, "//acquire", KIND(DATA_RACE),
     TC_MISSING_BARRIER, TC_PTX_LD, TC_PTX_ST, 1, 128, 0},
    {"release", release, "//no", NONE, 0, 0, 0, 2, 128, 0},
    {"release: not released", release, "//release", KIND(DATA_RACE), ANY, ANY,
     ANY, 2, 128, 0},
    {"narrow", narrow, "//cta", NONE, 0, 0, 0, 2, 128, 0},
    {"narrow: of the CTA", narrow, "//gpu", KIND(DATA_RACE), TC_MISSING_SCOPE,
     ANY, ANY, 2, 128, 0},
    {"fences, atomic", fences, "//volatile", NONE, 0, 0, 0, 2, 128, 0},
    {"flag: no fence after", handed, "//fence2", KIND(DATA_RACE),
     TC_MISSING_FENCE_AFTER, ANY, ANY, 2, 128, 0},
    {"flag: no fence before", handed, "//fence1", KIND(DATA_RACE),
     TC_MISSING_FENCE_BEFORE, ANY, ANY, 2, 128, 0},
    {"lock", lock, NULL, NONE, 0, 0, 0, 2, 64, 0},
    {"lock: none after, first", lock, "//after0", KIND(DATA_RACE),
     TC_MISSING_FENCE_AFTER, ANY, ANY, 2, 64, 0},
    {"lock: none after, second", lock, "//after1", KIND(DATA_RACE),
     TC_MISSING_FENCE_AFTER, ANY, ANY, 2, 64, 0},
    {"lock: none before, first", lock, "//before0", KIND(DATA_RACE),
     TC_MISSING_FENCE_BEFORE, ANY, ANY, 2, 64, 0},
    {"lock: none before, second", lock, "//before1", KIND(DATA_RACE),
     TC_MISSING_FENCE_BEFORE, ANY, ANY, 2, 64, 0},
    {"lock: a fence at its end alone", lock_behind, NULL, KIND(DATA_RACE),
     TC_MISSING_FENCE_AFTER, ANY, ANY, 2, 64, 0},
    {"hidden", hidden, "//cta", NONE, 0, 0, 0, 2, 64, 0},
    {"hidden: of the CTA", hidden, "//gpu", KIND(DATA_RACE), TC_MISSING_SCOPE,
     ANY, ANY, 2, 64, 0},
    {"two scopes", two_scopes, NULL, NONE, 0, 0, 0, 2, 128, 0},
    {"two scopes: not the block's", two_scopes, "//cta", KIND(DATA_RACE), ANY,
     ANY, ANY, 2, 128, 0},
    {"two scopes: not the device's", two_scopes, "//gl", KIND(DATA_RACE),
     TC_MISSING_FENCE_AFTER, ANY, ANY, 2, 128, 0},
    {"fences, volatile", fences, "//atomic", NONE, 0, 0, 0, 2, 128, 0},
    {"last block", last_block, NULL, NONE, 0, 0, 0, 8, 64, 0},
    {"last block: no fence before", last_block, "//fence1", KIND(DATA_RACE),
     ANY, ANY, ANY, 8, 64, 0},
    {"last block: no fence after", last_block, "//fence2", KIND(DATA_RACE), ANY,
     ANY, ANY, 8, 64, 0},
    {"last block, acq_rel", last_block_sem, "//none", NONE, 0, 0, 0, 8, 64, 0},
    {"last block, relaxed", last_block_sem, "//order", KIND(DATA_RACE), ANY,
     ANY, ANY, 8, 64, 0},
    {"grid sync", grid_sync, NULL, NONE, 0, 0, 0, 4, 128, 0},
    {"grid sync: no fence", grid_sync, "//fence", KIND(DATA_RACE), ANY, ANY,
     ANY, 4, 128, 0},
    {"grid sync: no barrier before", grid_sync, "//before", KIND(DATA_RACE),
     ANY, ANY, ANY, 4, 128, 0},
    {"counters", counters, "//cta", NONE, 0, 0, 0, 4, 128, 0},
    {"counters: of the CTA", counters, "//gpu", KIND(DATA_RACE),
     TC_MISSING_SCOPE, ANY, ANY, 4, 128, 0},
    {"shared input", shared_input, "//write", NONE, 0, 0, 0, 8, 128, 0},
    {"shared input: written by one", shared_input, NULL, KIND(DATA_RACE), ANY,
     ANY, ANY, 8, 128, 0},
    {"plain flag", plain_flag, "//volatile", KIND(DATA_RACE), ANY, ANY, ANY, 2,
     128, 0},
};

static void test_cases(void **state) {
    (void)state;
    hazard_run_all(cases, (int)(sizeof cases / sizeof cases[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
