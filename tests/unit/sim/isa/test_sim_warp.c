/* test_sim_warp.c - lanes together (vote, match, redux, elect, activemask,
 * shfl, bar.warp.sync) and threads together (bar, barrier, with ids, counts,
 * arrive and red), nanosleep, fences and other control that gives no value.
 * Expected values follow from PTX ISA 9.7.13 by hand. */
#include "detail_text.h"
#include "sim_program.h"

typedef uint32_t expected_fn(uint32_t thread);

#define OUT "st.global.u32 [%rd5], %r10;\n"
#define ODD "and.b32 %r11, %r1, 1;\nsetp.ne.u32 %p1, %r11, 0;\n"
#define P2  "selp.u32 %r10, 1, 0, %p2;\n" OUT
#define LOW "setp.lt.u32 %p3, %r7, 10;\n" /* lanes 0 to 9 */

static uint32_t odd_lanes(uint32_t t) {
    (void)t;
    return 0xaaaaaaaa;
}
static uint32_t one(uint32_t t) {
    (void)t;
    return 1;
}
static uint32_t none(uint32_t t) {
    (void)t;
    return 0;
}
static uint32_t own_half(uint32_t t) {
    return t % 32 < 10 ? 0x2aa : 0xaaaaa800;
}
static uint32_t half_mask(uint32_t t) {
    return t % 32 < 10 ? 0x3ff : 0xfffffc00;
}
static uint32_t same_mod_3(uint32_t t) { /* lanes 0, 3, 6, ... and so on */
    return 0x49249249u << t % 32 % 3;
}
static uint32_t all_lanes(uint32_t t) {
    (void)t;
    return 0xffffffff;
}
static uint32_t lane_sum(uint32_t t) {
    (void)t;
    return 496; /* 0 + .. + 31 */
}
static uint32_t least_signed(uint32_t t) {
    (void)t;
    return (uint32_t)-15; /* 16 - 31 */
}
static uint32_t most_unsigned(uint32_t t) {
    (void)t;
    return (uint32_t)-1; /* 16 - 17 */
}
static uint32_t elected(uint32_t t) {
    return t % 32 == 4 ? 0x104 : 4; /* the leader's id, and a bit for it */
}
static uint32_t next_lane(uint32_t t) {
    return t % 32 == 31 ? 31 : t % 32 + 1;
}
static uint32_t number_of_evens(uint32_t t) {
    (void)t;
    return 48;
}
static uint32_t by_group(uint32_t t) {
    return t < 64 ? 64 : 32;
}
static uint32_t posted(uint32_t t) {
    return t < 32 ? 7 : 7 + t;
}
static uint32_t self(uint32_t t) {
    return t;
}
static uint32_t big_float(uint32_t t) {
    (void)t;
    return 0x41f80000; /* |-31| */
}
static uint32_t nan_float(uint32_t t) {
    (void)t;
    return 0x7fffffff;
}
static uint32_t zero_float(uint32_t t) {
    (void)t;
    return 0x80000000; /* -0, of 0 to -31 and one NaN the greatest is -0 */
}

static const struct {
    const char *target, *name, *body;
    expected_fn *want;
} rows[] = {
    {"sm_90a", "ballot", ODD "vote.sync.ballot.b32 %r10, %p1, -1;\n" OUT,
     odd_lanes},
    {"sm_90a", "ballot of !p",
     ODD "vote.sync.ballot.b32 %r10, !%p1, -1;\nnot.b32 %r10, %r10;\n" OUT,
     odd_lanes},
    {"sm_90a", "ballot, as CUB writes it",
     ODD "vote.ballot.sync.b32 %r10, %p1, -1;\n" OUT, odd_lanes},
    {"sm_90a", "any", ODD "vote.sync.any.pred %p2, %p1, -1;\n" P2, one},
    {"sm_90a", "all", ODD "vote.sync.all.pred %p2, %p1, -1;\n" P2, none},
    {"sm_90a", "uni", ODD "vote.sync.uni.pred %p2, %p1, -1;\n" P2, none},
    {"sm_90a", "uni of all false",
     "setp.gt.u32 %p1, %r1, 500;\nvote.sync.uni.pred %p2, %p1, -1;\n" P2, one},
    {"sm_90a", "all of a member mask, within a branch",
     ODD LOW "mov.u32 %r10, 1;\n@!%p1 bra END;\nvote.sync.all.pred %p2, %p1, "
             "0xaaaaaaaa;\nselp.u32 %r10, 1, 0, %p2;\nEND:\n" OUT,
     one},
    {"sm_90a", "two groups at one instruction, each with its mask",
     ODD LOW "selp.b32 %r12, 0x3ff, 0xfffffc00, %p3;\n"
             "vote.sync.ballot.b32 %r10, %p1, %r12;\n" OUT,
     own_half},
    {"sm_90a", "a guarded vote waits for who comes later",
     LOW "mov.u32 %r13, 0;\nL:\nsetp.eq.u32 %p4, %r13, 1;\nor.pred %p4, %p4, "
         "%p3;\n@%p4 vote.sync.ballot.b32 %r10, 1, -1;\nadd.u32 %r13, %r13, "
         "1;\n@%p4 bra DONE;\nbra L;\nDONE:\n" OUT,
     all_lanes},
    {"sm_90a", "activemask in a branch",
     LOW "@%p3 bra L;\nactivemask.b32 %r10;\nbra END;\nL:\nactivemask.b32 "
         "%r10;\nEND:\n" OUT,
     half_mask},
    {"sm_90a", "match.any",
     "rem.u32 %r11, %r7, 3;\nmatch.any.sync.b32 %r10, %r11, -1;\n" OUT,
     same_mod_3},
    {"sm_90a", "match.any of 64 bits",
     "rem.u32 %r11, %r7, 3;\ncvt.u64.u32 %rd10, %r11;\nshl.b64 %rd10, %rd10, "
     "40;\nmatch.any.sync.b64 %r10, %rd10, -1;\n" OUT,
     same_mod_3},
    {"sm_90a", "match.all of equal values",
     "match.all.sync.b32 %r10|%p2, %r8, -1;\n@!%p2 mov.u32 %r10, 1;\n" OUT,
     all_lanes},
    {"sm_90a", "match.all of others",
     "match.all.sync.b32 %r10|%p2, %r7, -1;\n@%p2 mov.u32 %r10, 1;\n" OUT,
     none},
    {"sm_90a", "redux.add", "redux.sync.add.u32 %r10, %r7, -1;\n" OUT,
     lane_sum},
    {"sm_90a", "redux.min of signed",
     "sub.s32 %r11, 16, %r7;\nredux.sync.min.s32 %r10, %r11, -1;\n" OUT,
     least_signed},
    {"sm_90a", "redux.max of unsigned",
     "sub.s32 %r11, 16, %r7;\nredux.sync.max.u32 %r10, %r11, -1;\n" OUT,
     most_unsigned},
    {"sm_90a", "redux.or",
     "mov.u32 %r11, 1;\nshl.b32 %r11, %r11, %r7;\nredux.sync.or.b32 %r10, "
     "%r11, -1;\n" OUT,
     all_lanes},
    {"sm_90a", "redux.xor",
     "mov.u32 %r11, 1;\nshl.b32 %r11, %r11, %r7;\nredux.sync.xor.b32 %r10, "
     "%r11, -1;\n" OUT,
     all_lanes},
    {"sm_90a", "redux.and", "redux.sync.and.b32 %r10, %r7, -1;\n" OUT, none},
    {"sm_100a", "redux.max.abs of floats",
     "cvt.rn.f32.u32 %f1, %r7;\nneg.f32 %f1, %f1;\nredux.sync.max.abs.f32 "
     "%f2, %f1, -1;\nmov.b32 %r10, %f2;\n" OUT,
     big_float},
    {"sm_100a", "redux.max of floats, one NaN",
     "cvt.rn.f32.u32 %f1, %r7;\nneg.f32 %f1, %f1;\nsetp.eq.u32 %p1, %r7, 9;\n"
     "@%p1 mov.f32 %f1, 0f7FC00000;\nredux.sync.max.f32 %f2, %f1, -1;\n"
     "mov.b32 %r10, %f2;\n" OUT,
     zero_float},
    {"sm_100a", "redux.max.NaN of floats, one NaN",
     "cvt.rn.f32.u32 %f1, %r7;\nsetp.eq.u32 %p1, %r7, 9;\n"
     "@%p1 mov.f32 %f1, 0f7FC00000;\nredux.sync.max.NaN.f32 %f2, %f1, -1;\n"
     "mov.b32 %r10, %f2;\n" OUT,
     nan_float},
    {"sm_90a", "elect: the first of the members",
     "setp.lt.u32 %p1, %r7, 4;\nmov.u32 %r10, 4;\n@%p1 bra END;\n"
     "elect.sync %r10|%p2, 0xfffffff0;\n@%p2 add.u32 %r10, %r10, 256;\n"
     "END:\n" OUT,
     elected},
    {"sm_90a", "bar.warp.sync in both arms of a branch",
     "shl.b32 %r12, %r1, 2;\nadd.u32 %r12, %r12, %r3;\n" LOW
     "@%p3 bra L;\nst.shared.u32 [%r12], %r7;\nbar.warp.sync -1;\nbra END;\n"
     "L:\nst.shared.u32 [%r12], %r7;\nbar.warp.sync -1;\nEND:\n"
     "min.u32 %r13, %r7, 30;\nsub.u32 %r13, %r13, %r7;\nadd.u32 %r13, %r13, "
     "1;\nshl.b32 %r13, %r13, 2;\nadd.u32 %r12, %r12, %r13;\nld.shared.u32 "
     "%r10, [%r12];\n" OUT,
     next_lane},
    /* 96 threads from here on make sense of barriers */
    {"sm_90a", "bar.red.popc of all",
     ODD "bar.red.popc.u32 %r10, 3, !%p1;\n" OUT, number_of_evens},
    {"sm_90a", "bar.red.and", ODD "bar.red.and.pred %p2, 0, %p1;\n" P2, none},
    {"sm_90a", "bar.red.or", ODD "bar.red.or.pred %p2, 0, 96, %p1;\n" P2, one},
    {"sm_90a", "two barriers, the ids and counts in registers",
     "setp.lt.u32 %p1, %r1, 64;\nselp.u32 %r11, 1, 2, %p1;\nselp.u32 %r12, 64, "
     "32, %p1;\nsetp.eq.u32 %p2, %r1, %r1;\n"
     "barrier.red.popc.u32 %r10, %r11, %r12, %p2;\n" OUT,
     by_group},
    {"sm_90a", "one warp arrives, two wait",
     "setp.lt.u32 %p1, %r1, 32;\nmov.u32 %r10, 7;\n@!%p1 bra WAIT;\n"
     "st.shared.u32 [%r4], 7;\nbar.arrive 5, 96;\nbra END;\nWAIT:\n"
     "bar.sync 5, 96;\nld.shared.u32 %r10, [%r3];\nadd.u32 %r10, %r10, %r1;\n"
     "END:\n" OUT,
     posted},
    {"sm_90a", "the cta spellings, aligned and not",
     "mov.u32 %r10, %r1;\nbar.cta.sync 1;\nbar.cta.arrive 2, 192;\n"
     "bar.cta.sync 2, 192;\nbarrier.cta.sync 3;\nbarrier.cta.sync.aligned 4, "
     "96;\nbarrier.cta.arrive 5, 192;\nbarrier.cta.sync 5, 192;\n" OUT,
     self},
    {"sm_90a", "what gives no value",
     "mov.u32 %r10, %r1;\nnanosleep.u32 %r1;\nnanosleep.u32 20;\nmembar.cta;\n"
     "membar.gl;\nmembar.sys;\nfence.sc.cluster;\nfence.acq_rel.gpu;\n"
     "fence.cta;\nfence.acquire.sync_restrict::shared::cluster.cluster;\n"
     "fence.release.sync_restrict::shared::cta.cluster;\npmevent 3;\n"
     "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\n"
     "setmaxnreg.inc.sync.aligned.u32 128;\nsetmaxnreg.dec.sync.aligned.u32 "
     "64;\n" OUT,
     self},
};

static void values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = program(rows[i].target, "", rows[i].body);
        assert_true(ptxas_takes(rows[i].target, text));
        for (int how = 0; how < 3; how++) {
            sim_case c = {.block = 96, .hazards = how == 1, .timing = how == 2};
            run_text(&c, text);
            if (c.r.status != TC_RUN_OK) {
                fail_msg("%s: status %d, %s: %s", rows[i].name, (int)c.r.status,
                         tc_finding_kind_names[c.r.findings[0].kind],
                         detail_text(&c.r.findings[0]));
            }
            for (uint32_t t = 0; t < 96; t++) {
                if (word(c.b, t * 8) != rows[i].want(t)) {
                    fail_msg("%s: thread %u: 0x%x, not 0x%x", rows[i].name, t,
                             word(c.b, t * 8), rows[i].want(t));
                }
            }
            end_case(&c);
        }
        free(text);
    }
}

/* tests/ptx/warps.ptx, of one CTA of 64 threads, thread i with v = in[i]: to
 * shared bins[v & 15] (add 1), sum (double, add v), most (max v), tail (inc to
 * 40); to words 1016 (xor v), 1018 (64 bits, add v), 1020 (float, add v) and
 * 1021 (cas 0 to 77) of out; then out[6 i ...] is: bins[v & 15] + sum + most +
 * tail; odd v of the warp + 100 for any v of 18 + 1000 for all below 1000000;
 * the lanes with the same v & 3; sum + least of the warp; the warp's sum less
 * the sum up to the lane, + the warp's first thread; 4 times the CTA's odd
 * prefix sums + 2 for all above -5000000 + 1 for any 12345678. */
static void nvcc_warps(void **state) {
    (void)state;
    char *text = ptx_file("warps");
    int32_t in[64], prefix[64], bins[16] = {0};
    int32_t sum = 0, most = -1000000, odd = 0, bits = 0;
    for (int i = 0; i < 64; i++) {
        in[i] = i * 29 % 83 - 20;
        bins[in[i] & 15]++;
        sum += in[i];
        bits ^= in[i];
        most = in[i] > most ? in[i] : most;
        prefix[i] = in[i] + (i % 32 ? prefix[i - 1] : 0);
        odd += prefix[i] & 1;
    }
    for (int timing = 0; timing < 2; timing++) {
        sim_file c = {
            .entry = "warps", .block = 64, .hazards = true, .timing = timing};
        memcpy(c.a, in, sizeof in);
        launch_text(&c, text);
        assert_int_equal(c.r.status, TC_RUN_OK);
        for (int i = 0; i < 64; i++) {
            int32_t total = 0, least = in[i & 32], odds = 0, any = 0;
            uint32_t same = 0;
            for (int k = i & 32; k < (i & 32) + 32; k++) {
                total += in[k];
                least = in[k] < least ? in[k] : least;
                odds += in[k] & 1;
                any |= in[k] == 18;
                same |= (uint32_t)((in[k] & 3) == (in[i] & 3)) << k % 32;
            }
            int32_t want[6] = {
                /* 64 times inc with 40: 41 steps come back to 0 */
                bins[in[i] & 15] + sum + most + 64 % 41,
                odds + 100 * any + 1000,
                (int32_t)same,
                total + least,
                total - prefix[i] + (i & ~31),
                odd * 4 + 2};
            for (int k = 0; k < 6; k++) {
                assert_int_equal((int32_t)word(c.b, (uint32_t)(i * 6 + k)),
                                 want[k]);
            }
        }
        float f;
        memcpy(&f, c.b + 4 * 1020, 4);
        assert_true(f == (float)sum);
        assert_int_equal((int32_t)word(c.b, 1016), bits);
        assert_int_equal((int64_t)dword(c.b, 4 * 1018), sum);
        assert_int_equal(word(c.b, 1021), 77);
        end_file(&c);
    }
    free(text);
}

/* vote and shfl without .sync: for PTX 6.3 and older targets. */
static void legacy(void **state) {
    (void)state;
    sim_case c = {.block = 32};
    run_text(&c,
             ".version 6.3\n.target sm_75\n.address_size 64\n"
             ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
             ".reg .b64 %rd<6>;\n.reg .b32 %r<6>;\n.reg .pred %p<3>;\n"
             "ld.param.u64 %rd2, [B];\nmov.u32 %r1, %laneid;\n"
             "mul.wide.u32 %rd3, %r1, 8;\nadd.u64 %rd4, %rd2, %rd3;\n"
             "shfl.down.b32 %r2|%p1, %r1, 1, 31;\nsetp.lt.u32 %p2, %r1, 5;\n"
             "vote.ballot.b32 %r3, %p2;\n"
             "st.global.v2.u32 [%rd4], {%r2, %r3};\nret;\n}\n");
    assert_int_equal(c.r.status, TC_RUN_OK);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(word(c.b, t * 2), next_lane(t));
        assert_int_equal(word(c.b, t * 2 + 1), 0x1f);
    }
    end_case(&c);
}

static const struct {
    const char *name, *body;
    tc_run_status status;
    int kind;
    const char *substring;
} wrong[] = {
    {"a lane outside its membermask", "vote.sync.ballot.b32 %r10, 1, 0xffff;\n",
     TC_RUN_FINDINGS, TC_FINDING_BARRIER_DIVERGENCE, "membermask"},
    {"lanes with different masks",
     "setp.lt.u32 %p1, %r7, 16;\nselp.b32 %r11, 0x1ffff, 0xffff0000, %p1;\n"
     "shfl.sync.idx.b32 %r10, %r7, 0, 31, %r11;\n",
     TC_RUN_FINDINGS, TC_FINDING_BARRIER_DIVERGENCE, "different membermasks"},
    {"a lane that never comes",
     "setp.lt.u32 %p1, %r7, 31;\n@!%p1 bra L;\nredux.sync.add.u32 %r10, %r7, "
     "-1;\nbra END;\nL:\nbra L;\nEND:\n",
     TC_RUN_DEADLOCK, TC_FINDING_DEADLOCK, "redux.sync"},
    {"barrier 16", "add.u32 %r10, %r8, 16;\nbarrier.sync %r10;\n", TC_RUN_FAULT,
     TC_FINDING_TRAP, "0 to 15"},
    {"a count that is no multiple of 32",
     "mov.u32 %r10, 33;\nbarrier.sync 1, %r10;\n", TC_RUN_FAULT,
     TC_FINDING_TRAP, "multiple of 32"},
    {"counts that differ",
     "setp.lt.u32 %p1, %r1, 64;\nselp.u32 %r10, 96, 128, %p1;\n"
     "barrier.sync 1, %r10;\n",
     TC_RUN_FINDINGS, TC_FINDING_BARRIER_DIVERGENCE, "different counts"},
    {"red and sync at one barrier",
     "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\nbarrier.sync 1;\nbra END;\nL:\n"
     "barrier.red.popc.u32 %r10, 1, %p1;\nEND:\n",
     TC_RUN_FINDINGS, TC_FINDING_BARRIER_DIVERGENCE, ".red"},
    {"arriving twice",
     "setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra L;\nbar.arrive 1, 128;\n"
     "bar.arrive 1, 128;\nbra END;\nL:\nbar.sync 1, 128;\nEND:\n",
     TC_RUN_FINDINGS, TC_FINDING_BARRIER_DIVERGENCE, "again"},
    {"one arrival too few",
     "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra END;\nbar.sync 1, 96;\nEND:\n",
     TC_RUN_DEADLOCK, TC_FINDING_BARRIER_DIVERGENCE, "64 of 96"},
};

static void misuse(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = program("sm_90a", "", wrong[i].body);
        assert_true(ptxas_takes("sm_90a", text));
        for (int timing = 0; timing < 2; timing++) {
            sim_case c = {.block = 96, .hazards = true, .timing = timing != 0};
            bool said = false;
            run_text(&c, text);
            for (int k = 0; k < c.r.nfindings; k++) {
                const tc_finding *f = &c.r.findings[k];
                said |= (int)f->kind == wrong[i].kind &&
                        strstr(detail_text(f), wrong[i].substring);
            }
            if (c.r.status != wrong[i].status || !said) {
                fail_msg("%s: status %d: %s", wrong[i].name, (int)c.r.status,
                         c.r.nfindings ? detail_text(&c.r.findings[0]) : "");
            }
            end_case(&c);
        }
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(nvcc_warps),
        cmocka_unit_test(legacy),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
