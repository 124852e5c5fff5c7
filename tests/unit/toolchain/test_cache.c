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

static const char *folder(machine *m) {
    return in(m, "cache/tilecopy-repl/v1");
}

static int entries_of(machine *m, const char *suffix) {
    int n = 0;
    DIR *d = opendir(folder(m));
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        size_t len = strlen(e->d_name), s = strlen(suffix);
        n += len >= s && strcmp(e->d_name + len - s, suffix) == 0;
    }
    closedir(d);
    return n;
}

static void used_before(const char *path, int seconds) {
    struct timespec at[2];
    clock_gettime(CLOCK_REALTIME, &at[0]);
    at[0].tv_sec -= seconds;
    at[1] = at[0];
    assert_int_equal(utimensat(AT_FDCWD, path, at, AT_SYMLINK_NOFOLLOW), 0);
}

static const char *numbered(machine *m, int i) {
    return tc_format(m->a, "%064x.cubin", i);
}

static void test_eviction(void **state) {
    machine *m = *state;
    const char *note = NULL, *cache = tc_cache_folder(m->a, NULL, &note);
    tc_part part = {"cubin", 0600, TC_NEWN(m->a, char, 400 << 10), 400 << 10};
    setenv("TILECOPY_CACHE_MB", "1", 1);
    assert_string_equal(cache, folder(m));
    assert_null(note);
    for (int i = 0; i < 5; i++) { /* 4 was used longest ago */
        const char *path = tc_cache_put(m->a, cache, numbered(m, i), &part, 1);
        assert_non_null(path);
        used_before(path, 100 * (i + 1));
    }
    tc_cache_trim(m->a, cache);
    assert_int_equal(entries_of(m, ".cubin"), 2);
    assert_non_null(tc_cache_find(m->a, cache, numbered(m, 0), &part, 1));
    assert_non_null(tc_cache_find(m->a, cache, numbered(m, 1), &part, 1));
    /* both have just been used: they stay, whatever comes */
    tc_cache_put(m->a, cache, numbered(m, 5), &part, 1);
    tc_cache_trim(m->a, cache);
    assert_int_equal(entries_of(m, ".cubin"), 3);
}

/* What was put since the last look is added up, and only what passes the limit,
 * or an hour, makes it look again. */
static void test_grew(void **state) {
    machine *m = *state;
    const char *note = NULL, *cache = tc_cache_folder(m->a, NULL, &note);
    tc_part part = {"cubin", 0600, TC_NEWN(m->a, char, 400 << 10), 400 << 10};
    const char *used = in(m, "cache/tilecopy-repl/v1/used");
    setenv("TILECOPY_CACHE_MB", "1", 1);
    for (int i = 0; i < 2; i++) {
        const char *path = tc_cache_put(m->a, cache, numbered(m, i), &part, 1);
        tc_cache_grew(m->a, cache, path);
        used_before(path, 100);
    }
    unsigned long long bytes = strtoull(text_of(m, used), NULL, 10);
    assert_in_range(bytes, 800 << 10, 900 << 10);
    /* nobody looks: what it does not know of stays */
    for (int i = 2; i < 6; i++) {
        used_before(tc_cache_put(m->a, cache, numbered(m, i), &part, 1), 100);
    }
    tc_part small = {"cubin", 0600, "x", 1};
    tc_cache_grew(m->a, cache,
                  tc_cache_put(m->a, cache, numbered(m, 6), &small, 1));
    assert_int_equal(entries_of(m, ".cubin"), 7);
    /* it passes the limit; and then it is known what is left */
    tc_cache_grew(m->a, cache,
                  tc_cache_put(m->a, cache, numbered(m, 7), &part, 1));
    assert_true(entries_of(m, ".cubin") <= 4);
    assert_true(strtoull(text_of(m, used), NULL, 10) <= 1 << 20);
    /* a note that is old, or no note, is not taken */
    static const char *const notes[] = {"0 1000\n", "none\n", ""};
    for (int i = 0; i < 3; i++) {
        put(m, "cache/tilecopy-repl/v1/used", notes[i]);
        tc_cache_grew(m->a, cache,
                      tc_cache_find(m->a, cache, numbered(m, 6), &small, 1));
        assert_true(strtoull(text_of(m, used), NULL, 10) >= 400 << 10);
    }
}

static void test_took(void **state) {
    machine *m = *state;
    const char *note = NULL, *cache = tc_cache_folder(m->a, NULL, &note);
    assert_true(tc_took_before(m->a, cache, "ptx", "/a/k.cu") == 0);
    tc_took(m->a, cache, "ptx", "/a/k.cu", 4);
    tc_took(m->a, cache, "program", "/a/k.cu", 9);
    tc_took(m->a, cache, "ptx", "/a/k.cu", 5); /* in the place of the first */
    tc_took(m->a, cache, "ptx", "/a/other.cu", 7);
    tc_took(m->a, cache, "ptx", "/a/third.cu", 6);
    assert_true(tc_took_before(m->a, cache, "ptx", "/a/k.cu") == 5);
    assert_true(tc_took_before(m->a, cache, "program", "/a/k.cu") == 9);
    assert_true(tc_took_before(m->a, cache, "ptx", "/a/new.cu") == 6);
    for (int i = 0; i < 200; i++) {
        tc_took(m->a, cache, "ptx", tc_format(m->a, "/b/%d", i), 1);
    }
    assert_true(tc_took_before(m->a, cache, "ptx", "/a/k.cu") == 1);
    put(m, "cache/tilecopy-repl/v1/took", "nothing of use\nptx x y\n\n");
    assert_true(tc_took_before(m->a, cache, "ptx", "/a/k.cu") == 0);
}

/* Files of the user's, beside the cache and in it, whatever their names; and
 * what a link leads to. */
static void test_not_ours(void **state) {
    static const char *const names[] = {
        "cache/thesis/ch1.tex",
        "cache/data.bin",
        "cache/tilecopy-repl/notes",
        "cache/tilecopy-repl/v1/my.build",
        "cache/tilecopy-repl/v1/new-folder/x",
        "cache/tilecopy-repl/v1/0123456789abcdef.deps",
        "other/kept"};
    enum { N = sizeof names / sizeof *names };
    machine *m = *state;
    const char *note = NULL, *cache = tc_cache_folder(m->a, NULL, &note);
    const char *link = tc_format(m->a, "%s/%s", cache, numbered(m, 1));
    const char *abandoned = in(m, "cache/tilecopy-repl/v1/tilecopy-new-aB3dEf");
    setenv("TILECOPY_CACHE_MB", "0", 1);
    for (int i = 0; i < N; i++) {
        used_before(put(m, names[i], "mine\n"), 200000);
        used_before(tc_folder_of(m->a, in(m, names[i])), 200000);
    }
    put(m, "cache/tilecopy-repl/v1/tilecopy-new-aB3dEf/part", "");
    used_before(abandoned, 200000);
    assert_int_equal(symlink(in(m, "other"), link), 0);
    used_before(link, 200000);
    tc_cache_trim(m->a, cache);
    for (int i = 0; i < N; i++) {
        assert_string_equal(text_of(m, in(m, names[i])), "mine\n");
    }
    assert_int_equal(access(abandoned, F_OK), -1);
    /* an entry that is a link is no entry, and is put anew */
    tc_part part = {"cubin", 0600, "x", 1};
    assert_null(tc_cache_find(m->a, cache, numbered(m, 1), &part, 1));
    part = (tc_part){"cubin", 0600, "x", 1};
    assert_non_null(tc_cache_put(m->a, cache, numbered(m, 1), &part, 1));
    assert_string_equal(text_of(m, in(m, "other/kept")), "mine\n");
}

static void expect_private(machine *m, const char *why) {
    expect_build(m, true, false, "// first\n");
    assert_int_equal(
        strncmp(m->b.program, in(m, "tmp/"), strlen(in(m, "tmp/"))), 0);
    if (why != NULL) {
        assert_non_null(m->b.note);
        assert_non_null(strstr(m->b.note, why));
    } else {
        assert_null(m->b.note);
    }
    const char *program = m->b.program;
    expect_build(m, true, true, "// first\n");
    tc_private_end();
    assert_int_equal(access(program, F_OK), -1);
}

/* What is not ours alone is not used, but said. */
static void test_refused(void **state) {
    machine *m = *state;
    const char *own = in(m, "cache/tilecopy-repl"), *v1 = folder(m);
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    fake_host(m, "");
    assert_true(tc_make_folders(in(m, "cache")));
    assert_true(tc_make_folders(in(m, "other")));
    assert_int_equal(symlink(in(m, "other"), own), 0);
    expect_private(m, "/cache/tilecopy-repl is a symbolic link");
    assert_int_equal(unlink(own), 0);
    assert_int_equal(mkdir(own, 0700), 0);
    assert_int_equal(symlink(in(m, "other"), v1), 0);
    expect_private(m, "/v1 is a symbolic link");
    assert_int_equal(unlink(v1), 0);
    assert_int_equal(mkdir(v1, 0700), 0);
    assert_int_equal(chmod(v1, 0770), 0);
    expect_private(m, "/v1 can be written to by others");
    assert_int_equal(chmod(v1, 0700), 0);
    put(m, "cache/tilecopy-repl/v1/letter.txt", "");
    expect_private(m, "/v1 has files in it that are not ours");
    assert_int_equal(rmdir(in(m, "other")), 0); /* nothing came into it */
    tc_remove_tree(own);
    put(m, "cache/tilecopy-repl", "a file");
    expect_private(m, "/cache/tilecopy-repl: Not a directory");
    setenv("TILECOPY_CACHE", put(m, "file", ""), 1);
    expect_private(m, "/file");
    if (geteuid() == 0) {
        assert_int_equal(mkdir(in(m, "theirs"), 0700), 0);
        assert_int_equal(mkdir(in(m, "theirs/tilecopy-repl"), 0700), 0);
        assert_int_equal(chown(in(m, "theirs/tilecopy-repl"), 12345, 12345), 0);
        setenv("TILECOPY_CACHE", in(m, "theirs"), 1);
        expect_private(m, "belongs to somebody else");
    }
    char *home = getenv("HOME") ? tc_strdup(m->a, getenv("HOME")) : NULL;
    unsetenv("TILECOPY_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    expect_private(m, NULL);
    if (home != NULL) {
        setenv("HOME", home, 1);
    }
}

/* A tag that somebody cleared away is made again. */
static void test_tag(void **state) {
    machine *m = *state;
    const char *tag = in(m, "cache/tilecopy-repl/v1/CACHEDIR.TAG");
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    fake_host(m, "");
    expect_build(m, true, false, "// first\n");
    assert_int_equal(strncmp(text_of(m, tag),
                             "Signature: 8a477f597d28d1727"
                             "89f06886806bc55\n",
                             44),
                     0);
    assert_int_equal(unlink(tag), 0);
    expect_build(m, true, true, "// first\n");
    assert_int_equal(access(tag, F_OK), 0);
}

/* What has been damaged is built anew, and then whole again. */
static void test_damage(void **state) {
    static const char *const how[] = {"rm program",
                                      "rm kernels.ptx",
                                      "rm said",
                                      "rm sum",
                                      ": >sum",
                                      ": >program",
                                      "echo >>program",
                                      "echo poison >kernels.ptx",
                                      "echo error >said",
                                      "chmod 755 program",
                                      "chmod 622 kernels.ptx",
                                      "chmod 0770 .",
                                      "mv said x; ln -s x said",
                                      "rm said; mkfifo said",
                                      "sed -i 's/^name ..../name 0000/' sum",
                                      "rm *"};
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "echo words");
    fake_host(m, "");
    expect_build(m, true, false, "// first\n");
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        const char *at = tc_folder_of(m->a, m->b.program);
        const char *line = tc_format(m->a, "cd %s && %s", at, how[i]);
        assert_int_equal(system(line), 0);
        expect_build(m, true, false, "// first\n");
        expect_build(m, true, true, "// first\n");
        assert_string_equal(m->b.said, "words\n");
        assert_int_equal(system(m->b.program), 0);
    }
    const char *deps = tc_format(m->a,
                                 "cd %s && for f in *.deps; do : "
                                 ">$f/deps; done",
                                 folder(m));
    assert_int_equal(system(deps), 0);
    expect_build(m, true, false, "// first\n");
    expect_build(m, true, true, "// first\n");
}

/* One entry in the place of another's. */
static void test_swapped(void **state) {
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    fake_host(m, "");
    expect_build(m, true, false, "// first\n");
    const char *one = tc_folder_of(m->a, m->b.program);
    put(m, "p.cu", "second\n");
    expect_build(m, true, false, "// second\n");
    const char *two = tc_folder_of(m->a, m->b.program);
    tc_remove_tree(two);
    assert_int_equal(rename(one, two), 0);
    expect_build(m, true, false, "// second\n");
    put(m, "p.cu", "first\n");
    expect_build(m, true, false, "// first\n");
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
    /* ., .., the tag, what is used, what it took, what it depends on, it */
    assert_int_equal(entries_of(m, ""), 2 + 5);
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

/* Another process trims while this one reads: what is found is whole. */
static void test_trimmed_at_once(void **state) {
    enum { ROUNDS = 60, SIZE = 100000 };
    machine *m = *state;
    const char *note = NULL, *cache = tc_cache_folder(m->a, NULL, &note);
    tc_part part = {"cubin", 0600, memset(tc_alloc(m->a, SIZE), 'x', SIZE),
                    SIZE};
    setenv("TILECOPY_CACHE_MB", "0", 1);
    pid_t child = fork();
    for (int i = 0; child == 0 && i < ROUNDS; i++) {
        const char *path = tc_cache_put(m->a, cache, numbered(m, 1), &part, 1);
        if (path != NULL) {
            struct timespec at[2] = {{0, UTIME_OMIT}, {time(NULL) - 200, 0}};
            utimensat(AT_FDCWD, path, at, 0);
        }
        tc_cache_trim(m->a, cache);
    }
    if (child == 0) {
        _exit(0);
    }
    int status = 1, found = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        tc_part got = {"cubin", 0600, NULL, 0};
        if (tc_cache_find(m->a, cache, numbered(m, 1), &got, 1) != NULL) {
            assert_int_equal(got.len, SIZE);
            assert_memory_equal(got.bytes, part.bytes, SIZE);
            found++;
        }
    }
    assert_int_equal(status, 0);
    print_message("found %d times\n", found);
    const char *last = tc_format(m->a, "%s/%s", cache, numbered(m, 1));
    if (access(last, F_OK) == 0) { /* it was found after it was aged */
        used_before(last, 200);
        tc_cache_trim(m->a, cache);
    }
    assert_int_equal(entries_of(m, ""), 4); /* ., .., the tag, what is used */
}

/* A build that is removed while it is in use comes back, as it was. */
static void test_restored(void **state) {
    machine *m = *state;
    fake_nvcc(m, "root/opt/cuda", "13.0", "");
    fake_host(m, "");
    for (int cached = 0; cached < 2; cached++) {
        expect_build(m, true, cached, "// first\n");
        const char *before = m->b.program;
        const char *text = text_of(m, before);
        assert_true(tc_build_restore(m->a, &m->b));
        assert_ptr_equal(m->b.program, before);
        if (cached == 0) {
            continue;
        }
        tc_remove_tree(folder(m));
        for (int i = 0; i < 2; i++) { /* and again */
            assert_true(tc_build_restore(m->a, &m->b));
            assert_int_equal(access(m->b.program, X_OK), 0);
            assert_string_equal(text_of(m, m->b.program), text);
            tc_remove_tree(tc_folder_of(m->a, m->b.program));
        }
    }
    tc_private_end();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, machine_new, machine_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_eviction),
        TEST(test_grew),
        TEST(test_took),
        TEST(test_not_ours),
        TEST(test_refused),
        TEST(test_tag),
        TEST(test_damage),
        TEST(test_swapped),
        TEST(test_at_once),
        TEST(test_own_cache),
        TEST(test_trimmed_at_once),
        TEST(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
