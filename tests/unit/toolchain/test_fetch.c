/* test_fetch.c - the script in our program that fetches a compiler: what comes
 * back of it. tests/tools/test_need.sh tests the script itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "toolchain_fake.h"
#include <stdatomic.h>

static char lines[2048];

static void hear(void *user, const char *line) {
    (void)user;
    size_t n = strlen(lines);
    snprintf(lines + n, sizeof lines - n, "%s\n", line);
}

static bool fetch(machine *m, const atomic_int *cancel) {
    lines[0] = '\0';
    return tc_toolchain_fetch(hear, NULL, cancel, m->text, sizeof m->text);
}

/* No network: pip, curl and wget fail. */
static void offline(machine *m, const char *way) {
    script(m, "bin/python3", "exit 1");
    script(m, "bin/curl", way);
    script(m, "bin/wget", way);
    script(m, "bin/g++", "");
}

static void test_offline(void **state) {
    machine *m = *state;
    offline(m, "echo 'curl: (6) Could not resolve host' >&2; exit 6");
    assert_false(fetch(m, NULL));
    assert_non_null(
        strstr(m->text, "could not be fetched: is there a network"));
    assert_non_null(strstr(lines, "under NVIDIA's licence"));
    assert_non_null(strstr(lines, "fetching nvidia_nvvm 13.0.88 (5"));
    assert_non_null(strstr(lines, "Could not resolve host"));
    assert_null(strstr(lines, "error: "));
    assert_int_equal(access(in(m, "toolkit"), F_OK), -1);
}

static void test_no_host(void **state) {
    machine *m = *state;
    offline(m, "exit 6");
    setenv("CXX", "no-such-compiler", 1);
    assert_false(fetch(m, NULL));
    assert_non_null(strstr(m->text, "there is no no-such-compiler"));
    assert_null(strchr(m->text, '\n'));
}

static void test_interrupt(void **state) {
    machine *m = *state;
    atomic_int stop = 1;
    offline(m, "sleep 100");
    assert_false(fetch(m, &stop));
    assert_string_equal(m->text, "interrupted");
    assert_int_equal(access(in(m, "toolkit"), F_OK), -1);
}

/* What is there is not fetched again. */
static void test_there(void **state) {
    machine *m = *state;
    offline(m, "exit 6");
    fake_nvcc(m, "toolkit/nvidia/cu13", "13.0", "");
    assert_false(fetch(m, NULL)); /* of another release */
    put(m, "toolkit/release", "13.0.88-2\n");
    assert_true(fetch(m, NULL));
    assert_non_null(strstr(lines, "the CUDA compiler is there: "));
    assert_string_equal(found(m), "toolkit/nvidia/cu13/bin/nvcc");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, machine_new, machine_free)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_offline), TEST(test_no_host),
                                       TEST(test_interrupt), TEST(test_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
