/* test_stub.c - the runtime that is linked into CUDA programs: what it answers
 * them (stub_program.c), and what it says to its parent (stub_parent.h). With
 * the real parent, and programs of nvcc's: test_stub_cuda.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "stub_build.h"
#include "stub_parent.h"
#include <signal.h>

static char program[128];
static parent p;

static int build(void **state) {
    (void)state;
    return stub_build("tests/built/stub_program.c", program, sizeof program)
               ? 0
               : 1;
}

static int clean(void **state) {
    (void)state;
    stub_clean(program);
    return 0;
}

/* Runs the scenario; it must end with that status. */
static void run_as(const char *scenario, int status) {
    run_program(&p, program, scenario, false);
    if (!WIFEXITED(p.wait_status) || WEXITSTATUS(p.wait_status) != status) {
        print_message("%s: wait status %x\n%s", scenario, p.wait_status, p.err);
    }
    assert_true(WIFEXITED(p.wait_status));
    assert_int_equal(WEXITSTATUS(p.wait_status), status);
}

static void start(void) {
    memset(&p, 0, sizeof p);
    p.close_at = -1;
}

static void assert_note(int i, tc_rt_misuse misuse, bool write) {
    assert_true(i < p.nnotes);
    assert_int_equal(p.notes[i].misuse, misuse);
    assert_int_equal(p.notes[i].write, write);
    assert_true(p.note_where[i] != 0);
}

/* A program that asks nothing of the device says nothing. */
static void test_nothing(void **state) {
    (void)state;
    start();
    run_as("nothing", 3);
    for (int i = 0; i < TC_RT_CALL_COUNT; i++) {
        assert_int_equal(p.counts[i], 0);
    }
}

static void test_answers(void **state) {
    static const char *const scenarios[] = {"errors", "boxes",   "symbols",
                                            "facts",  "threads", "forks"};
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        start();
        run_as(scenarios[i], 0);
        assert_int_equal(p.counts[TC_RT_HELLO], 1);
        assert_true(p.said_bye);
        assert_int_equal(p.bye.unchecked, 0);
        assert_int_equal(p.nnotes, 0);
    }
    assert_int_equal(p.hello.version, TC_RT_VERSION);
    assert_int_equal(p.hello.events, 1); /* it has cudaEventElapsedTime */
}

/* Copies go in pieces of at most a mebibyte. */
static void test_memory(void **state) {
    (void)state;
    start();
    run_as("memory", 0);
    assert_true(p.largest >= 1 << 20);
    assert_true(p.largest <= (1 << 20) + sizeof(tc_rt_copy));
    assert_int_equal(p.nnotes, 0);
}

/* What kernels print comes between the program's own lines, where it waits. */
static void test_launches(void **state) {
    (void)state;
    start();
    run_as("launches", 0);
    assert_string_equal(p.out, "first\ntwice\nsecond\ntwice\nthird\n");
    assert_int_equal(p.counts[TC_RT_LAUNCH], 4);
    assert_int_equal(p.counts[TC_RT_FUNCTION], 1);
    assert_int_equal(p.launch.function, 7);
    assert_int_equal(p.launch.grid[0], 4);
    assert_int_equal(p.launch.nparams, 12);
    assert_int_equal(p.bye.unchecked, 0);
    assert_int_equal(p.launches[1].block[1], 2);
    assert_int_equal(p.launches[1].cluster[0], 2);
    assert_int_equal(p.launches[1].dynamic_shared, 1000);
}

/* One finding for each: the first by a note, the second with the end. */
static void test_unchecked(void **state) {
    (void)state;
    start();
    run_as("unchecked", 0);
    assert_int_equal(p.nnotes, 1);
    assert_note(0, TC_RT_NOTE_UNCHECKED, false);
    assert_int_equal(p.notes[0].error, 9);
    assert_int_equal(p.bye.unchecked, 9);
    assert_true(p.bye.where != 0);
}

static void test_managed(void **state) {
    (void)state;
    start();
    run_as("managed", 0);
    assert_int_equal(p.nnotes, 3);
    assert_note(0, TC_RT_NOTE_MISSING_SYNC, false);
    assert_note(1, TC_RT_NOTE_MISSING_SYNC, true);
    assert_note(2, TC_RT_NOTE_MISSING_SYNC, false);
    assert_true(p.note_where[0] < p.note_where[1]);
}

static void test_handler(void **state) {
    (void)state;
    start();
    run_as("handler", 0);
    assert_int_equal(p.nnotes, 2);
    assert_note(0, TC_RT_NOTE_MISSING_SYNC, false);
    assert_note(1, TC_RT_NOTE_DEREF, true);
}

static void assert_killed(const char *scenario) {
    start();
    run_program(&p, program, scenario, false);
    assert_true(WIFSIGNALED(p.wait_status));
    assert_int_equal(WTERMSIG(p.wait_status), SIGSEGV);
    assert_false(p.said_bye);
}

static void test_deref(void **state) {
    (void)state;
    assert_killed("deref");
    assert_int_equal(p.nnotes, 1);
    assert_note(0, TC_RT_NOTE_DEREF, true);
    assert_int_equal(p.notes[0].address, TC_RT_DEVICE_BASE + 8);
    assert_string_equal(p.out, "before\n");
    assert_killed("bad_pointer");
    assert_int_equal(p.nnotes, 0);
}

/* As natively: our handler for device memory is not in the way. */
static void test_raise(void **state) {
    (void)state;
    assert_killed("raises");
    assert_string_equal(p.out, "before\n");
    assert_int_equal(p.nnotes, 0);
    assert_killed("once_handler");
    assert_killed("passes_on");
    start();
    run_as("raises_ignored", 0);
    assert_string_equal(p.out, "still here\n");
    start();
    run_as("own_handlers", 0);
    assert_int_equal(p.nnotes, 1);
    assert_note(0, TC_RT_NOTE_MISSING_SYNC, false);
}

static void test_double_free(void **state) {
    (void)state;
    start();
    run_as("double_free", 0);
    assert_int_equal(p.nnotes, 2);
    assert_note(0, TC_RT_NOTE_DOUBLE_FREE, false);
    assert_note(1, TC_RT_NOTE_DOUBLE_FREE, false);
    assert_int_equal(p.notes[0].address, TC_RT_DEVICE_BASE);
    assert_int_equal(p.counts[TC_RT_FREE], 2);
}

static void test_faults(void **state) {
    (void)state;
    start();
    run_as("sticky", 0);
    assert_int_equal(p.bye.unchecked, 0);
    assert_int_equal(p.nnotes, 0);
}

static void test_no_place(void **state) {
    (void)state;
    start();
    run_as("no_place", 0);
    assert_int_equal(p.nnotes, 1);
    assert_note(0, TC_RT_NOTE_UNBUILT, false);
    assert_non_null(strstr(p.note_text, "the __managed__ variable"));
}

static void test_events(void **state) {
    (void)state;
    start();
    run_as("events", 0);
    assert_int_equal(p.counts[TC_RT_TIME], 2);
    start();
    run_as("tensor", 0);
    assert_int_equal(p.nnotes, 1);
    assert_note(0, TC_RT_NOTE_UNBUILT, false);
    assert_string_equal(p.note_text, "cuNoSuchThing() of the driver API");
    start();
    run_as("unbuilt", 0);
    assert_note(0, TC_RT_NOTE_UNBUILT, false);
}

/* Started by hand, or left alone. */
static void test_alone(void **state) {
    (void)state;
    start();
    run_program(&p, program, "no_parent", true);
    assert_int_equal(p.wait_status, 0);
    assert_non_null(strstr(p.err, "tilecopy-repl exec"));
    assert_null(strchr(strchr(p.err, '\n') + 1, '\n'));
    start();
    p.close_at = TC_RT_ALLOC;
    run_as("gone", 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_answers),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_launches),
        cmocka_unit_test(test_unchecked), cmocka_unit_test(test_managed),
        cmocka_unit_test(test_handler),   cmocka_unit_test(test_deref),
        cmocka_unit_test(test_raise),     cmocka_unit_test(test_double_free),
        cmocka_unit_test(test_faults),    cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_events),    cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, build, clean);
}
