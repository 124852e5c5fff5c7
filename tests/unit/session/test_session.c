/* test_session.c - the session as its clients see it: JSON, statuses, and that
 * a failed statement leaves everything as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tilecopy.h"
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct client {
    tc_session *s;
    char out[1 << 20];
    size_t len;
    int errors;
    char message[512], hint[512];
    int line, col;
} client;

static void on_text(void *user, const char *text, size_t len) {
    client *c = user;
    if (c->len + len < sizeof c->out) {
        memcpy(c->out + c->len, text, len);
        c->len += len;
        c->out[c->len] = '\0';
    }
}

static void on_diag(void *user, const tc_diag *d) {
    client *c = user;
    c->errors += d->severity == TC_ERROR;
    snprintf(c->message, sizeof c->message, "%s", d->message);
    snprintf(c->hint, sizeof c->hint, "%s", d->hint ? d->hint : "");
    c->line = d->line;
    c->col = d->col;
}

static client *open_client(bool json) {
    client *c = calloc(1, sizeof *c);
    assert_non_null(c);
    tc_options o = tc_options_default();
    o.json = json;
    c->s = tc_session_new(&o, on_diag, on_text, c);
    assert_non_null(c->s);
    return c;
}

static void close_client(client *c) {
    tc_session_free(c->s);
    free(c);
}

static tc_status eval(client *c, const char *text) {
    c->len = 0;
    c->out[0] = '\0';
    return tc_session_eval(c->s, text);
}

static json_t *ask(client *c, const char *text) {
    eval(c, text);
    json_error_t e;
    json_t *j = json_loads(c->out, 0, &e);
    if (j == NULL) {
        fail_msg("%s: no JSON: %s", text, c->out);
    }
    return j;
}

static const char *string_at(json_t *j, const char *key) {
    const char *s = json_string_value(json_object_get(j, key));
    return s ? s : "(none)";
}

static const char demo[] = "lessons/ldgsts.py";

/* --- JSON: the fields of INTERFACE.md --------------------------------------*/

static void why_has_the_fixed_fields(void **state) {
    (void)state;
    client *c = open_client(true);
    assert_int_equal(tc_session_load(c->s, demo), TC_OK);
    json_t *j = ask(c, "why");
    assert_string_equal(string_at(j, "command"), "why");
    assert_true(json_is_true(json_object_get(j, "ok")));
    json_t *copies = json_object_get(j, "copies");
    assert_int_equal(json_array_size(copies), 2);
    json_t *copy = json_array_get(copies, 0);
    assert_string_equal(string_at(copy, "op"), "copy_async");
    assert_string_equal(string_at(copy, "forced"), "ldgsts");
    assert_string_equal(string_at(copy, "scope"), "cta");
    assert_string_equal(string_at(copy, "chosen"), "ldgsts");
    json_t *warps = json_object_get(json_object_get(copy, "intra"), "warpid");
    assert_int_equal(json_integer_value(json_array_get(warps, 0)), 4);
    json_t *variants = json_object_get(copy, "variants");
    assert_int_equal(json_array_size(variants), 5);
    static const char *const order[] = {"ldgsts", "dsmem", "smem->tmem", "tma",
                                        "tmem<->local"};
    for (size_t i = 0; i < 5; i++) {
        json_t *v = json_array_get(variants, i);
        assert_string_equal(string_at(v, "variant"), order[i]);
        assert_string_equal(string_at(v, "outcome"), i ? "reject" : "accept");
        assert_true(json_array_size(json_object_get(v, "predicates")) > 0);
        assert_true(json_array_size(json_object_get(v, "checks")) > 0);
    }
    json_t *p = json_object_get(json_array_get(variants, 0), "partition");
    assert_int_equal(json_integer_value(json_object_get(p, "outer")), 4);
    assert_int_equal(json_integer_value(json_object_get(p, "threads")), 128);
    assert_int_equal(json_integer_value(json_object_get(p, "vec")), 8);
    json_decref(j);
    close_client(c);
}

static void run_has_the_fixed_fields(void **state) {
    (void)state;
    client *c = open_client(true);
    assert_int_equal(tc_session_load(c->s, demo), TC_OK);
    json_t *j = ask(c, "run");
    assert_string_equal(string_at(j, "status"), "ok");
    assert_string_equal(string_at(j, "backend"), "sim");
    json_t *k = json_array_get(json_object_get(j, "kernels"), 0);
    assert_string_equal(string_at(k, "name"), "copy_async_kernel");
    json_t *block = json_object_get(k, "block");
    assert_int_equal(json_integer_value(json_array_get(block, 0)), 128);
    assert_true(json_integer_value(json_object_get(k, "thread_instructions")) >
                0);
    assert_int_equal(json_array_size(json_object_get(j, "findings")), 0);
    json_t *buffers = json_object_get(j, "buffers");
    assert_int_equal(json_array_size(buffers), 2);
    json_t *a = json_array_get(buffers, 0), *b = json_array_get(buffers, 1);
    assert_int_equal(json_integer_value(json_object_get(b, "bytes")), 8192);
    assert_string_equal(string_at(a, "fnv1a64"), string_at(b, "fnv1a64"));
    assert_int_equal(strlen(string_at(a, "fnv1a64")), 16);
    json_decref(j);
    close_client(c);
}

static void values_are_json(void **state) {
    (void)state;
    client *c = open_client(true);
    json_t *j = ask(c, "(128 * 32 // 8, True, 'x', None)");
    json_t *v = json_object_get(j, "value");
    assert_string_equal(string_at(j, "command"), "eval");
    assert_int_equal(json_integer_value(json_array_get(v, 0)), 512);
    assert_true(json_is_true(json_array_get(v, 1)));
    assert_string_equal(json_string_value(json_array_get(v, 2)), "x");
    assert_true(json_is_null(json_array_get(v, 3)));
    json_decref(j);
    j = ask(c, "TileLayout(S[(128, 32) : (32, 1)])");
    v = json_object_get(j, "value");
    assert_string_equal(string_at(v, "kind"), "tile");
    assert_int_equal(json_array_size(json_object_get(v, "shard")), 2);
    json_decref(j);
    close_client(c);
}

static void errors_are_json(void **state) {
    (void)state;
    client *c = open_client(true);
    json_t *j = ask(c, "x = unknown_name + 1");
    assert_true(json_is_false(json_object_get(j, "ok")));
    json_t *e = json_object_get(j, "error");
    assert_int_equal(json_integer_value(json_object_get(e, "line")), 1);
    assert_int_equal(json_integer_value(json_object_get(e, "column")), 5);
    assert_non_null(strstr(string_at(e, "message"), "unknown_name"));
    assert_int_equal(c->errors, 0); /* nothing beside the object */
    json_decref(j);
    close_client(c);
}

/* --- a failure loses nothing -----------------------------------------------*/

static void failed_statement_changes_nothing(void **state) {
    (void)state;
    static const char *const bad[] = {
        "shape = (1, 2); nonsense(",
        "shape = (1, 2)\nshape = missing",
        "shape = 5; T.nope()",
        "@T.prim_func\ndef other(A_ptr: T.handle):\n    A = T.nope()\n",
        "load no-such-file.py",
        "why no_such_variant",
        "frobnicate 1 2 3",
        "partition x",
        "set width 1",
    };
    client *c = open_client(false);
    assert_int_equal(tc_session_load(c->s, demo), TC_OK);
    eval(c, "show shape");
    assert_string_equal(c->out, "(128, 32)\n");
    eval(c, "why");
    char *before = strdup(c->out);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c->errors = 0;
        assert_int_not_equal(eval(c, bad[i]), TC_OK);
        assert_true(c->errors > 0);
        eval(c, "show shape");
        assert_string_equal(c->out, "(128, 32)\n");
        assert_string_equal(tc_session_program(c->s), "copy_async");
        eval(c, "why");
        assert_string_equal(c->out, before);
    }
    free(before);
    close_client(c);
}

static void statuses_tell_scripts(void **state) {
    (void)state;
    client *c = open_client(false);
    assert_int_equal(eval(c, "why"), TC_FAILED); /* no program yet */
    assert_int_equal(eval(c, "x = )"), TC_REJECTED);
    assert_int_equal(eval(c, "set timing maybe"), TC_USAGE);
    assert_int_equal(eval(c, "x = 3"), TC_OK);
    assert_int_equal(eval(c, ""), TC_OK);
    assert_int_equal(eval(c, "   # only a comment"), TC_OK);
    assert_int_equal(tc_session_load(c->s, demo), TC_OK);
    assert_int_equal(eval(c, "run"), TC_OK);
    close_client(c);
}

static void commands_and_names_do_not_hide_each_other(void **state) {
    (void)state;
    client *c = open_client(false);
    assert_int_equal(eval(c, "p = 7"), TC_OK); /* p also begins partition */
    assert_int_equal(eval(c, "p"), TC_OK);
    assert_string_equal(c->out, "7\n");
    assert_int_equal(eval(c, "p * 2"), TC_OK);
    assert_string_equal(c->out, "14\n");
    assert_int_equal(eval(c, "hel why"), TC_OK); /* a clear prefix */
    assert_non_null(strstr(c->out, "why [VARIANT]"));
    close_client(c);
}

/* --- what runs can be stopped ----------------------------------------------*/

static const char endless[] =
    "@T.prim_func\n"
    "def forever(A_ptr: T.handle):\n"
    "    A = T.match_buffer(A_ptr, (32,), \"int32\")\n"
    "    T.device_entry()\n"
    "    T.cta_id([1])\n"
    "    tid = T.thread_id([32])\n"
    "    n = T.int32(0)\n"
    "    while n >= 0:\n"
    "        n = (n + 1) % 2000000000\n"
    "    A[tid] = n\n";

static void *interrupt_soon(void *user) {
    usleep(100000);
    tc_session_interrupt(user, false);
    return NULL;
}

static void endless_run_is_interrupted(void **state) {
    (void)state;
    client *c = open_client(false);
    assert_int_equal(eval(c, endless), TC_OK);
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, interrupt_soon, c->s), 0);
    assert_int_equal(eval(c, "run"), TC_FAILED);
    pthread_join(t, NULL);
    assert_string_equal(tc_session_program(c->s), "forever");
    assert_int_equal(tc_session_load(c->s, demo), TC_OK); /* and goes on */
    assert_int_equal(eval(c, "run"), TC_OK);
    close_client(c);
}

static void bad_arch_is_refused(void **state) {
    (void)state;
    client c = {0};
    tc_options o = tc_options_default();
    o.arch = "sm_75";
    assert_null(tc_session_new(&o, on_diag, on_text, &c));
    assert_int_equal(c.errors, 1);
}

static void completion_offers_what_fits(void **state) {
    (void)state;
    client *c = open_client(false);
    bool files;
    char **m = tc_session_complete(c->s, "why ldg", 4, &files);
    assert_non_null(m);
    assert_string_equal(m[0], "ldgsts");
    assert_null(m[1]);
    assert_false(files);
    free(m[0]);
    free(m);
    m = tc_session_complete(c->s, "load x", 5, &files);
    assert_null(m);
    assert_true(files);
    eval(c, "s_layout_of_mine = 3");
    m = tc_session_complete(c->s, "show s_la", 5, &files);
    assert_non_null(m);
    assert_string_equal(m[0], "s_layout_of_mine");
    free(m[0]);
    free(m);
    close_client(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(why_has_the_fixed_fields),
        cmocka_unit_test(run_has_the_fixed_fields),
        cmocka_unit_test(values_are_json),
        cmocka_unit_test(errors_are_json),
        cmocka_unit_test(failed_statement_changes_nothing),
        cmocka_unit_test(statuses_tell_scripts),
        cmocka_unit_test(commands_and_names_do_not_hide_each_other),
        cmocka_unit_test(endless_run_is_interrupted),
        cmocka_unit_test(bad_arch_is_refused),
        cmocka_unit_test(completion_offers_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
