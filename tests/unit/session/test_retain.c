/* test_retain.c - the memory of a statement is kept as long as anything refers
 * into it, and no longer. The sanitizers see what is freed too early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/session.h"

#include <stdio.h>
#include <string.h>

static char out[1 << 16];

static void on_text(void *user, const char *text, size_t len) {
    size_t have = strlen(out);
    (void)user;
    len = len < sizeof out - have - 1 ? len : sizeof out - have - 1;
    memcpy(out + have, text, len);
    out[have + len] = '\0';
}

static void on_diag(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "line %d: %s\n", d->line, d->message);
}

static tc_session *open_session(void) {
    tc_options o = tc_options_default();
    tc_session *s = tc_session_new(&o, on_diag, on_text, NULL);
    assert_non_null(s);
    return s;
}

static void eval(tc_session *s, const char *text) {
    out[0] = '\0';
    assert_int_equal(tc_session_eval(s, text), TC_OK);
}

static void prints(tc_session *s, const char *text, const char *want) {
    eval(s, text);
    assert_string_equal(out, want);
}

/* A program that copies n elements through a tile of layout `tile`. */
static void define(tc_session *s, const char *name, int n) {
    char text[900];
    snprintf(text, sizeof text,
             "@T.prim_func\ndef %s(A_ptr: T.handle, B_ptr: T.handle):\n"
             "    A = T.match_buffer(A_ptr, (%d,), \"uint8\")\n"
             "    B = T.match_buffer(B_ptr, (%d,), \"uint8\")\n"
             "    T.device_entry(); T.cta_id([1]); T.thread_id([32])\n"
             "    S1 = T.alloc_buffer((%d,), \"uint8\", scope=\"shared\", "
             "layout=tile)\n"
             "    Tx.cta.copy(S1[0:%d], A[0:%d])\n"
             "    T.cuda.cta_sync()\n"
             "    Tx.cta.copy(B[0:%d], S1[0:%d])\n",
             name, n, n, n, n, n, n, n);
    eval(s, text);
}

static void tile(tc_session *s, int n) {
    char text[80];
    snprintf(text, sizeof text, "tile = TileLayout(S[(%d,) : (1,)])", n);
    eval(s, text);
}

static int kept(const tc_session *s) {
    int n = 0;
    for (const tc_retained *k = s->kept; k != NULL; k = k->older) {
        n++;
    }
    return n;
}

static void redefined_statements_are_freed(void **state) {
    tc_session *s = open_session();
    (void)state;
    for (int i = 1; i <= 40; i++) {
        tile(s, 64 * i);
        define(s, "kernel", 64 * i);
        eval(s, "run");
        assert_non_null(strstr(out, "B equals A, byte by byte"));
        assert_int_equal(kept(s), 2); /* the layout and the program */
    }
    for (int i = 0; i < 40; i++) { /* nothing that lasts came of these */
        eval(s, "tile");
        eval(s, "show tile");
        eval(s, "n = 3 + 4");
        eval(s, "from tvm.script import tirx as T");
        assert_int_equal(kept(s), 2);
    }
    for (int i = 0; i < 10; i++) {
        assert_int_equal(tc_session_load(s, "lessons/ldgsts.py"), TC_OK);
        assert_int_equal(kept(s), 3);
        eval(s, "run");
    }
    tc_session_free(s);
}

static void what_is_referred_to_is_kept(void **state) {
    tc_session *s = open_session();
    (void)state;
    eval(s, "a = ((1, 2), (3, 4))");
    eval(s, "b = a[1]"); /* a part of a's */
    eval(s, "c = b");
    eval(s, "a = \"other\"");
    assert_int_equal(kept(s), 4);
    prints(s, "c", "(3, 4)\n");
    eval(s, "b = 0");
    prints(s, "c", "(3, 4)\n");
    assert_int_equal(kept(s), 4); /* c's needs b's, and that a's */
    eval(s, "c = a + \" text\"");
    prints(s, "c", "'other text'\n");
    assert_int_equal(kept(s), 2);
    eval(s, "c, d = 1, (5, 6)"); /* two names of one statement */
    eval(s, "c = 2");
    prints(s, "d", "(5, 6)\n");
    eval(s, "d = (d, d)"); /* its own former value */
    prints(s, "d", "((5, 6), (5, 6))\n");
    eval(s, "a = d = 0");
    assert_int_equal(kept(s), 0);
    tc_session_free(s);
}

/* The program remains when its name, or a layout that it used, is another's. */
static void program_outlives_its_names(void **state) {
    tc_session *s = open_session();
    (void)state;
    tile(s, 64);
    define(s, "kernel", 64);
    eval(s, "run");
    eval(s, "kernel = 3");
    eval(s, "tile = 4");
    assert_int_equal(kept(s), 2);
    eval(s, "why");
    eval(s, "set hazards off"); /* forgets the run */
    eval(s, "run");
    assert_non_null(strstr(out, "B equals A, byte by byte"));
    assert_string_equal(tc_session_program(s), "kernel");
    tile(s, 128);
    define(s, "second", 128);
    assert_int_equal(kept(s), 2);
    define(s, "third", 128);
    eval(s, "run");
    assert_int_equal(kept(s), 3); /* second is still a name */
    prints(s, "kernel", "3\n");
    tc_session_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redefined_statements_are_freed),
        cmocka_unit_test(what_is_referred_to_is_kept),
        cmocka_unit_test(program_outlives_its_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
