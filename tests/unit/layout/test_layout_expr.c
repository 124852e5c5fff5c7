/* Layouts at the prompt: every line of the corpus of TVM's answers, typed as an
 * expression, and some by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tilecopy.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define CORPUS "tests/corpus/layout.jsonl.gz"

/* --- a session whose answers are kept ------------------------------------- */

typedef struct prompt {
    tc_session *session;
    char *answer; /* of the last evaluation */
    size_t len;
    char error[512], hint[256];
    int line, col;
} prompt;

static void on_output(void *user, const char *text, size_t len) {
    prompt *p = user;
    p->answer = realloc(p->answer, p->len + len + 1);
    assert_non_null(p->answer);
    memcpy(p->answer + p->len, text, len);
    p->len += len;
    p->answer[p->len] = '\0';
}

static void on_diag(void *user, const tc_diag *d) {
    prompt *p = user;
    snprintf(p->error, sizeof p->error, "%s", d->message);
    snprintf(p->hint, sizeof p->hint, "%s", d->hint != NULL ? d->hint : "");
    p->line = d->line;
    p->col = d->col;
}

static void open_prompt(prompt *p, bool json) {
    tc_options o = tc_options_default();
    *p = (prompt){.len = 0};
    o.json = json;
    p->session = tc_session_new(&o, on_diag, on_output, p);
    assert_non_null(p->session);
}

static void close_prompt(prompt *p) {
    tc_session_free(p->session);
    free(p->answer);
}

static tc_status type(prompt *p, const char *line) {
    p->len = 0;
    if (p->answer != NULL) {
        p->answer[0] = '\0';
    }
    p->error[0] = p->hint[0] = '\0';
    return tc_session_eval(p->session, line);
}

/* --- comparing ------------------------------------------------------------ */

/* (axis, extent, stride), as the recorder sorts replicas. */
static int iter_order(const void *pa, const void *pb) {
    json_t *a = *(json_t *const *)pa, *b = *(json_t *const *)pb;
    int c = strcmp(json_string_value(json_array_get(a, 2)),
                   json_string_value(json_array_get(b, 2)));
    for (size_t i = 0; c == 0 && i < 2; i++) {
        json_int_t x = json_integer_value(json_array_get(a, i));
        json_int_t y = json_integer_value(json_array_get(b, i));
        c = (x > y) - (x < y);
    }
    return c;
}

static void sort_replica(json_t *list) {
    size_t n = json_array_size(list);
    json_t **items = malloc(sizeof(json_t *) * (n + 1));
    assert_non_null(items);
    for (size_t i = 0; i < n; i++) {
        items[i] = json_incref(json_array_get(list, i));
    }
    qsort(items, n, sizeof *items, iter_order);
    json_array_clear(list);
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(list, items[i]);
    }
    free(items);
}

/* Sorts the replicas of every layout in a value. */
static void normalise(json_t *v) {
    const char *key;
    json_t *e;
    size_t i;
    json_object_foreach(v, key, e) {
        if (strcmp(key, "replica") == 0) {
            sort_replica(e);
        } else {
            normalise(e);
        }
    }
    json_array_foreach(v, i, e) {
        normalise(e);
    }
}

static bool agrees(json_t *line, json_t *reply, tc_status status) {
    json_t *result = json_object_get(line, "result");
    json_t *value = json_object_get(reply, "value");
    if (json_object_get(line, "error") != NULL) {
        json_t *error = json_object_get(reply, "error");
        return status != TC_OK && json_is_object(error) &&
               json_string_length(json_object_get(error, "message")) > 0;
    }
    if (status != TC_OK || value == NULL) {
        return false;
    }
    normalise(result);
    normalise(value);
    return json_equal(result, value);
}

/* --- the corpus ----------------------------------------------------------- */

typedef struct tally {
    char op[40][32];
    int asked[40], agreed[40], nops;
    int all, good, refused, none;
} tally;

static int row_of(tally *t, const char *op) {
    for (int i = 0; i < t->nops; i++) {
        if (strcmp(t->op[i], op) == 0) {
            return i;
        }
    }
    assert_true(t->nops < 40);
    snprintf(t->op[t->nops], sizeof t->op[0], "%s", op);
    return t->nops++;
}

static bool ask(prompt *p, json_t *line) {
    const char *target =
        json_object_get(line, "target") != NULL ? "cuda" : "none";
    char set[64], *text = NULL;
    snprintf(set, sizeof set, "set target %s", target);
    assert_int_equal(type(p, set), TC_OK);
    if (asprintf(&text, "eval %s%s",
                 json_string_value(json_object_get(line, "text")),
                 json_string_value(json_object_get(line, "call"))) < 0) {
        fail();
    }
    tc_status status = type(p, text);
    json_t *reply = json_loads(p->answer, 0, NULL);
    assert_non_null(reply);
    bool ok = agrees(line, reply, status);
    if (!ok) {
        char *want = json_dumps(json_object_get(line, "result"),
                                JSON_COMPACT | JSON_ENCODE_ANY);
        print_message("%s %s\n    TVM: %s\n    we:  %s",
                      json_string_value(json_object_get(line, "id")), text,
                      want ? want : "an error", p->answer);
        free(want);
    }
    json_decref(reply);
    free(text);
    return ok;
}

static void corpus_as_expressions(void **state) {
    (void)state;
    static char text[1 << 20];
    tally t = {.nops = 0};
    prompt p;
    open_prompt(&p, true);
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    while (gzgets(f, text, sizeof text) != NULL) {
        json_t *line = json_loads(text, 0, NULL);
        assert_non_null(line);
        int row = row_of(&t, json_string_value(json_object_get(line, "op")));
        bool ok = ask(&p, line);
        t.all++;
        t.asked[row]++;
        t.agreed[row] += ok;
        t.good += ok;
        t.refused += json_object_get(line, "error") != NULL;
        t.none += json_is_null(json_object_get(line, "result"));
        json_decref(line);
    }
    gzclose(f);
    close_prompt(&p);
    for (int i = 0; i < t.nops; i++) {
        print_message("%-20s %4d of %4d\n", t.op[i], t.agreed[i], t.asked[i]);
    }
    print_message("compared %d lines of TVM's layout answers as expressions: "
                  "%d agree (%d refusals, %d None)\n",
                  t.all, t.good, t.refused, t.none);
    assert_int_equal(t.all, 4000);
    assert_int_equal(t.good, t.all);
}

/* --- what is printed can be typed back in --------------------------------- */

/* The answer's text, typed, gives the answer again. */
static bool reads_back(prompt *text, prompt *json, const char *expr) {
    char *line = NULL;
    if (type(text, expr) != TC_OK || text->len < 2) {
        return false;
    }
    text->answer[text->len - 1] = '\0';
    if (asprintf(&line, "eval %s", text->answer) < 0) {
        fail();
    }
    assert_int_equal(type(json, expr), TC_OK);
    json_t *first = json_loads(json->answer, 0, NULL);
    type(json, line);
    json_t *second = json_loads(json->answer, 0, NULL);
    bool same = first != NULL && json_equal(first, second);
    if (!same) {
        print_message("%s\n    prints %s\n    which is %s", expr, text->answer,
                      json->answer);
    }
    json_decref(first);
    json_decref(second);
    free(line);
    return same;
}

static void printed_text_reads_back(void **state) {
    (void)state;
    static char text[1 << 20];
    prompt plain, json;
    int n = 0, same = 0;
    open_prompt(&plain, false);
    open_prompt(&json, true);
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    while (gzgets(f, text, sizeof text) != NULL) {
        json_t *line = json_loads(text, 0, NULL);
        char *expr = NULL;
        if (json_object_get(line, "error") == NULL &&
            asprintf(&expr, "eval %s%s",
                     json_string_value(json_object_get(line, "text")),
                     json_string_value(json_object_get(line, "call"))) > 0 &&
            type(&plain, expr) == TC_OK) { /* the target may make it fail */
            n++;
            same += reads_back(&plain, &json, expr);
        }
        free(expr);
        json_decref(line);
    }
    gzclose(f);
    close_prompt(&plain);
    close_prompt(&json);
    print_message("compared %d answers with what their own text gives: %d "
                  "equal\n",
                  n, same);
    assert_true(n > 3000);
    assert_int_equal(same, n);
}

/* --- by hand -------------------------------------------------------------- */

static void expect(prompt *p, const char *expr, const char *want) {
    if (type(p, expr) != TC_OK) {
        print_message("%s: %s (%s)\n", expr, p->error, p->hint);
        fail();
    }
    assert_int_equal(p->answer[p->len - 1], '\n');
    p->answer[p->len - 1] = '\0';
    assert_string_equal(p->answer, want);
}

static void expect_error(prompt *p, const char *expr, int col,
                         const char *message, const char *hint) {
    assert_int_not_equal(type(p, expr), TC_OK);
    if (strstr(p->error, message) == NULL || strstr(p->hint, hint) == NULL ||
        p->line != 1 || p->col != col) {
        print_message("%s: column %d: %s (%s)\n", expr, p->col, p->error,
                      p->hint);
        fail();
    }
}

static void methods_by_hand(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, false);
    assert_int_equal(type(&p, "s = TileLayout(S[128, 32])"), TC_OK);
    /* rows 32..63 and columns 8..15 start at 32 * 32 + 8 */
    expect(&p, "s.slice((128, 32), [(32, 64), (8, 16)])",
           "TileLayout(S[(32, 8) : (32, 1)] + 1032@m)");
    expect(&p, "s.slice(region=[(0, 64), (0, 32)], shape=(128, 32)).size()",
           "2048");
    expect(&p, "s.apply(17, 3)", "{'m': 547}");
    expect(&p, "s.apply(17, 3, shape=[128, 32])", "{'m': 547}");
    expect(&p, "s.apply(547)['m']", "547");
    expect(&p, "s.shard", "[Iter(128, 32, 'm'), Iter(32, 1, 'm')]");
    expect(&p, "s.shard[0].extent * s.shard[1].extent", "4096");
    expect(&p, "TileLayout(S[2 : 1@laneid] + 3@warpid).offset", "{warpid: 3}");
    expect(&p, "TileLayout(S[4] + R[4 : 32@TLane]).replica",
           "[Iter(4, 32, 'TLane')]");
    expect(&p, "s.get_scope()", "None");
    expect(&p,
           "TileLayout(S[(4, 8) : (1, 4)]).is_tile_inner(s, [128, 32], [4, 8])",
           "None");
    expect(&p, "s == TileLayout(S[(128, 32) : (32, 1)])", "True");
    expect(&p, "s == TileLayout(S[4096])", "False");
    expect(&p, "s.canonically_equals(TileLayout(S[4096]))", "True");
    expect(&p, "laneid.describe()",
           "{'thread': True, 'memory': False, 'scope': 'warp', 'subscope': "
           "'thread'}");
    expect(&p, "Axis.get(\"TLane\").is_memory()", "True");
    expect(&p, "Iter(8, 1, Axis.get(\"f\")).axis", "Axis.get('f')");
    expect(&p, "SwizzleMode.SWIZZLE_64B_ATOM", "SwizzleMode.SWIZZLE_64B_ATOM");
    /* 16 bytes are 8 halves: units of 2^3; the 128-byte atom has 8 of them */
    expect(&p, "mma_atom_layout(\"float16\", SwizzleMode.SWIZZLE_128B_ATOM)",
           "SwizzleLayout(3, 3, 3)");
    expect(&p, "mma_atom_shape(\"float16\", 3, [2, 64, 64])", "[1, 8, 64]");
    expect(&p, "get_swizzle_mode_from_layout(SwizzleLayout(3, 2, 3))",
           "SwizzleMode.SWIZZLE_64B_ATOM");
    expect(&p, "SwizzleLayout(3, 2, 3).swizzle_len", "2");
    expect(&p,
           "ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[8, 64]))"
           ".tile_layout",
           "TileLayout(S[(8, 64) : (64, 1)])");
    close_prompt(&p);
}

/* laneid and warpid fuse to tx when TVM's target is CUDA. */
static void target_reaches_canonicalize(void **state) {
    (void)state;
    static const char expr[] =
        "TileLayout(S[(4, 32) : (1@warpid, 1@laneid)]).canonicalize()";
    prompt p;
    open_prompt(&p, false);
    expect(&p, expr, "TileLayout(S[128 : 1@tx])");
    assert_int_equal(type(&p, "set target none"), TC_OK);
    expect(&p, expr, "TileLayout(S[(4, 32) : (1@warpid, 1@laneid)])");
    close_prompt(&p);
}

static void refusals_name_the_place(void **state) {
    (void)state;
    prompt p;
    open_prompt(&p, false);
    assert_int_equal(type(&p, "s = TileLayout(S[128, 32])"), TC_OK);
    expect_error(&p, "s.canonicalise()", 3,
                 "a TileLayout has no 'canonicalise'",
                 "did you mean 'canonicalize'?");
    expect_error(&p, "s.size", 3, "'size' is a method", "write size(...)");
    expect_error(&p, "s.group([3])", 1, "group", "");
    expect_error(&p, "s.group(3)", 9, "list or tuple", "write [128, 32]");
    expect_error(&p, "s.slice([128, 32], [(0, 64), 7])", 20, "no pair",
                 "write [(0, 64), (0, 32)]");
    expect_error(&p, "s.pack(3)", 1, "cannot be packed by 3", "");
    expect_error(&p, "s.pack(num=2, size=1)", 15, "has no argument 'size'", "");
    expect_error(&p, "s.apply_table(1000000)", 15, "0 to 65536", "");
    expect_error(&p, "laneid.nam", 8, "an axis has no 'nam'", "'name'");
    expect_error(&p, "Axis.get(\"foo\").describe()", 17, "neither a thread",
                 "");
    expect_error(&p, "SwizzleMode.SWIZZLE_128B", 13, "has no 'SWIZZLE_128B'",
                 "SWIZZLE_128B_ATOM");
    /* TVM never comes back from this one */
    expect_error(&p, "TileLayout(S[(2, 4) : (1@bx, 1@tx)]).canonicalize()", 1,
                 "circle", "");
    close_prompt(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_as_expressions),
        cmocka_unit_test(printed_text_reads_back),
        cmocka_unit_test(methods_by_hand),
        cmocka_unit_test(target_reaches_canonicalize),
        cmocka_unit_test(refusals_name_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
