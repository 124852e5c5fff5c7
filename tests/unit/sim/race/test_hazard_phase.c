/* Waits on an mbarrier that name the wrong phase: told as that, whether they
 * pass too early or never, and not where another line is what is missing. */
#include "hazard_run.h"

#define OUT "st.global.u32 [%rd5], %r10;\n"
#define INIT                                                                   \
    "@%p1 mbarrier.init.shared.b64 [bar], 128;\nbar.sync 0;\n"                 \
    "mov.u32 %r20, 0;\nmov.u32 %r21, 0;\n"
/* Of turn r21: own word in r23, the neighbour's in r24. */
#define SLOT                                                                   \
    "R:\nshl.b32 %r22, %r21, 9;\nadd.u32 %r23, %r4, %r22;\n"                   \
    "add.u32 %r24, %r6, %r22;\n"
#define TURNS                                                                  \
    "add.u32 %r21, %r21, 1;\nsetp.lt.u32 %p3, %r21, 4;\n@%p3 bra R;\n" OUT

/* In place of a barrier: everybody arrives and waits, by parity. */
static const char rounds[] =
    INIT SLOT "st.shared.u32 [%r23], %r1;\n"
              "mbarrier.arrive.shared.b64 %rd10, [bar]; //arrive\n"
              "W:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], %r20;\n"
              "@!%p2 bra W;\n"
              "ld.shared.u32 %r10, [%r24];\n"
              "xor.b32 %r20, %r20, 1; //flip\n" TURNS;
/* The same with a test that spins. */
static const char tests[] =
    INIT SLOT "st.shared.u32 [%r23], %r1;\n"
              "mbarrier.arrive.shared.b64 %rd10, [bar];\n"
              "W:\nmbarrier.test_wait.parity.shared.b64 %p2, [bar], %r20;\n"
              "@!%p2 bra W;\n"
              "ld.shared.u32 %r10, [%r24];\n"
              "xor.b32 %r20, %r20, 1; //flip\n" TURNS;
/* A phase that is over for good is waited for in every turn; the turns
 * themselves have a barrier. */
static const char once[] =
    INIT "mbarrier.arrive.shared.b64 %rd10, [bar];\n" SLOT
         "W:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n"
         "@!%p2 bra W;\n"
         "st.shared.u32 [%r23], %r1;\n"
         "bar.sync 0; //barrier\n"
         "ld.shared.u32 %r10, [%r24];\n" TURNS;

static const hazard_case cases[] = {
    {"rounds", rounds, NULL, NONE, 0, 0, 0, 0, 0, 0},
    {"rounds: the parity is not flipped", rounds, "//flip",
     KIND(MBARRIER_PHASE), ANY, TC_PTX_MBARRIER_TRY_WAIT, ANY, 0, 0, 0},
    {"tests", tests, NULL, NONE, 0, 0, 0, 0, 0, 0},
    {"tests: the parity is not flipped", tests, "//flip", KIND(MBARRIER_PHASE),
     ANY, TC_PTX_MBARRIER_TEST_WAIT, ANY, 0, 0, 0},
    {"once", once, NULL, NONE, 0, 0, 0, 0, 0, 0},
    {"once: no barrier", once, "//barrier", KIND(DATA_RACE), TC_MISSING_BARRIER,
     TC_PTX_LD, TC_PTX_ST, 0, 0, 0},
};

static void test_cases(void **state) {
    (void)state;
    hazard_run_all(cases, (int)(sizeof cases / sizeof cases[0]));
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_cases),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
