/* test_bundle.c - the archive that travels in some programs is unpacked below a folder and nowhere
 * else; one that is broken is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bundle.h"
#include "base/temporary.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/bundle.XXXXXX";
static int top;

static int make(void **state) {
    (void)state;
    strcpy(folder, "/tmp/bundle.XXXXXX");
    assert_non_null(mkdtemp(folder));
    top = open(folder, O_RDONLY | O_DIRECTORY);
    return top < 0;
}

static int end(void **state) {
    (void)state;
    close(top);
    tc_remove_tree(folder);
    return 0;
}

/* A header of POSIX's ustar, then the text; what it takes. */
static size_t entry(char *at, const char *prefix, const char *name, char type,
                    const char *text) {
    memset(at, 0, 1024);
    memcpy(at, name, strlen(name));
    memcpy(at + 345, prefix, strlen(prefix));
    snprintf(at + 124, 12, "%011o", (unsigned)(strlen(text) & 0777));
    at[156] = type;
    memcpy(at + 257, "ustar", 6);
    memcpy(at + 263, "00", 2);
    memcpy(at + 512, text, strlen(text));
    return 1024;
}

static void assert_file(const char *name, const char *text) {
    char got[64] = "";
    int fd = openat(top, name, O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, got, sizeof got - 1) >= 0);
    close(fd);
    assert_string_equal(got, text);
}

static void test_files_and_folders(void **state) {
    (void)state;
    char tar[8192] = "";
    size_t n = entry(tar, "", "lessons/01.md", '0', "one");
    n += entry(tar + n, "a/b", "c.md", '0', "two");
    n += entry(tar + n, "", "top", '\0', "three");
    assert_true(tc_bundle_unpack(top, tar, n + 1024));
    assert_file("lessons/01.md", "one");
    assert_file("a/b/c.md", "two");
    assert_file("top", "three");
}

static void test_nothing_outside(void **state) {
    (void)state;
    static const char *const names[] = {"/tmp/outside", "../outside",
                                        "a/../../outside"};
    for (size_t i = 0; i < 3; i++) {
        char tar[4096] = "";
        size_t n = entry(tar, "", names[i], '0', "x");
        assert_false(tc_bundle_unpack(top, tar, n));
    }
    /* nor through a link that is there, nor over a file */
    assert_int_equal(symlinkat("/tmp", top, "link"), 0);
    char tar[4096] = "";
    size_t n = entry(tar, "", "link", '0', "x");
    assert_false(tc_bundle_unpack(top, tar, n));
}

static void test_broken(void **state) {
    (void)state;
    char tar[4096] = "";
    entry(tar, "", "a", '0', "text");
    assert_false(tc_bundle_unpack(top, tar, 513)); /* ends in the text */
    memset(tar + 257, 0, 6);
    assert_false(tc_bundle_unpack(top, tar, 1024)); /* no ustar */
    assert_true(tc_bundle_unpack(top, "", 0));
}

/* The tests' programs have no bundle: nothing is made for them. */
static void test_none(void **state) {
    (void)state;
    char path[256];
    setenv("XDG_DATA_HOME", folder, 1);
    assert_false(tc_bundle_folder(path, sizeof path));
    tc_bundle_terminals();
    assert_null(getenv("TERMINFO_DIRS"));
    assert_int_equal(faccessat(top, "tilecopy-repl", F_OK, 0), -1);
    unsetenv("XDG_DATA_HOME");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_files_and_folders, make, end),
        cmocka_unit_test_setup_teardown(test_nothing_outside, make, end),
        cmocka_unit_test_setup_teardown(test_broken, make, end),
        cmocka_unit_test_setup_teardown(test_none, make, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
