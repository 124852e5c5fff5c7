/* test_cancel.c - long work ends early: what each sort of it says and leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "ptx/ptx.h"
#include "toolchain/internal.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char said[256];
static int nsaid;

static void hear(void *user, const tc_diag *d) {
    (void)user;
    nsaid++;
    snprintf(said, sizeof said, "%s", d->message);
}

static tc_source source_of(const char *text) {
    return (tc_source){
        .name = "x", .text = text, .len = strlen(text), .first_line = 1};
}

static void one_thread_and_its_words(void **state) {
    (void)state;
    atomic_int outer = TC_CANCEL_NOT, inner = TC_CANCEL_LIMIT;
    assert_false(tc_cancelled());
    assert_null(tc_cancel_by(&outer));
    assert_false(tc_cancelled());
    assert_ptr_equal(tc_cancel_by(&inner), &outer);
    assert_true(tc_cancelled());
    assert_string_equal(tc_cancel_why(), "stopped by the time limit");
    tc_cancel_by(&outer);
    outer = TC_CANCEL_INTERRUPT;
    assert_string_equal(tc_cancel_why(), "interrupted");
    tc_cancel_by(NULL);
    assert_false(tc_cancelled());
}

static void readers_say_it_once(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_diags d = {hear, NULL, 0};
    atomic_int flag = TC_CANCEL_INTERRUPT;
    tc_source ptx = source_of(".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".entry k() { ret; } nonsense");
    tc_source python = source_of("x = 1\ny = ((\n");
    tc_node_list nodes;
    tc_cancel_by(&flag);
    nsaid = 0;
    assert_null(tc_ptx_parse(a, &ptx, &d));
    assert_int_equal(nsaid, 1);
    assert_string_equal(said, "interrupted while the PTX was read");
    nsaid = 0;
    assert_false(tc_parse(a, &python, &d, &nodes));
    assert_int_equal(nsaid, 1);
    assert_string_equal(said, "interrupted while the program was read");
    tc_cancel_by(NULL);
    tc_arena_free(a);
}

/* An entry of the cache that was there stays, and no half of one is made. */
static void cache_stays_whole(void **state) {
    (void)state;
    char folder[] = "/tmp/tilecopy-cancel-XXXXXX";
    tc_arena *a = tc_arena_new();
    atomic_int flag = TC_CANCEL_INTERRUPT;
    tc_part part = {.name = "p", .bytes = "bytes", .len = 5, .mode = 0600};
    assert_non_null(mkdtemp(folder));
    assert_non_null(tc_cache_put(a, folder, "old", &part, 1));
    tc_cancel_by(&flag);
    assert_null(tc_cache_put(a, folder, "new", &part, 1));
    assert_int_equal(errno, EINTR);
    assert_null(tc_cache_find(a, folder, "old", &part, 1));
    tc_cancel_by(NULL);
    assert_int_not_equal(access(tc_format(a, "%s/new", folder), F_OK), 0);
    assert_non_null(tc_cache_find(a, folder, "old", &part, 1));
    assert_memory_equal(part.bytes, "bytes", 5);
    assert_int_equal(unlink(tc_format(a, "%s/old/p", folder)), 0);
    assert_int_equal(unlink(tc_format(a, "%s/old/sum", folder)), 0);
    assert_int_equal(rmdir(tc_format(a, "%s/old", folder)), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left */
    tc_arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_and_its_words),
        cmocka_unit_test(readers_say_it_once),
        cmocka_unit_test(cache_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
