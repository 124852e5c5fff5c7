/* test_cache.c - where builds are kept, what is trusted of it, and what is
 * removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "toolchain_fake.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

/* --- the cache's bounds ----------------------------------------------------*/

static int entries_of(machine *m, const char *suffix) {
    int n = 0;
    DIR *d = opendir(in(m, "cache"));
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        size_t len = strlen(e->d_name), s = strlen(suffix);
        n += len >= s && strcmp(e->d_name + len - s, suffix) == 0;
    }
    closedir(d);
    return n;
}

static void test_eviction(void **state) {
    machine *m = *state;
    char *bytes = tc_xcalloc(1, 400 << 10);
    memset(bytes, 'x', 400 << 10);
    setenv("TILECOPY_CACHE_MB", "1", 1);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (int i = 0; i < 5; i++) { /* 4.old was used longest ago */
        const char *path = tc_cache_text(
            m->a, NULL, tc_format(m->a, "%d.old", i), bytes, 400 << 10);
        assert_non_null(path);
        struct timespec at[2] = {now, now};
        at[0].tv_sec = at[1].tv_sec = now.tv_sec - 100 * (i + 1);
        assert_int_equal(utimensat(AT_FDCWD, path, at, 0), 0);
    }
    tc_cache_trim(m->a, NULL);
    assert_int_equal(entries_of(m, ".old"), 2);
    assert_non_null(tc_cache_find(m->a, NULL, "0.old"));
    assert_non_null(tc_cache_find(m->a, NULL, "1.old"));
    /* both have just been used: they stay, whatever comes */
    tc_cache_text(m->a, NULL, "5.old", bytes, 400 << 10);
    tc_cache_trim(m->a, NULL);
    assert_int_equal(entries_of(m, ".old"), 3);
    free(bytes);
}

/* A cache that cannot be written, or has been damaged, costs time alone. */
static void test_no_cache(void **state) {
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    fake_host(m, "");
    setenv("TILECOPY_CACHE", put(m, "file", ""), 1);
    expect_build(m, true, false, "// first\n");
    expect_build(m, true, true, "// first\n");
    char *other = tc_format(m->a, "tmp/tilecopy-repl-%ld", (long)geteuid());
    assert_int_equal(strncmp(m->b.program, in(m, other), strlen(in(m, other))),
                     0);
    tc_remove_tree(in(m, other));
    setenv("TILECOPY_CACHE", in(m, "cache"), 1);
    expect_build(m, true, false, "// first\n");
    unlink(m->b.program);
    expect_build(m, true, false, "// first\n");
    expect_build(m, true, true, "// first\n");
}

/* Several at once on the same source: all get it, one entry is kept. */
static void test_at_once(void **state) {
    machine *m = *state;
    pid_t child[4];
    fake_nvcc(m, "root/opt/cuda", "13.0", "sleep 0.2");
    fake_host(m, "");
    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            bool ok = build(m, in(m, "p.cu"), "sm_90a", true) == TC_BUILD_OK &&
                      access(m->b.program, X_OK) == 0;
            _exit(ok ? 0 : 1);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status = 1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(entries_of(m, ".deps"), 1);
    assert_int_equal(entries_of(m, ""), 2 + 3); /* ., .., .nvcc, .deps, it */
    expect_build(m, true, true, "// first\n");
}

/* Another folder in the place of the user's cache. */
static void test_own_cache(void **state) {
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    fake_host(m, "");
    expect_build(m, true, false, "// first\n");
    tc_build_options o = {
        .arch = "sm_90a", .program = true, .cache = in(m, "own")};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tc_build_cu(m->a, find(m), in(m, "p.cu"), &o, &m->b,
                                     m->text, sizeof m->text),
                         TC_BUILD_OK);
        assert_int_equal(m->b.cached, i);
        assert_int_equal(
            strncmp(m->b.program, in(m, "own/"), strlen(in(m, "own/"))), 0);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, machine_new, machine_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_eviction),
        TEST(test_no_cache),
        TEST(test_at_once),
        TEST(test_own_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
