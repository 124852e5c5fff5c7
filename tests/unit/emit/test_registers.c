/* test_registers.c - copies between registers and memory: the values that
 * arrive, where the arrays live, and the words of a refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch_program.h"
#include "emit_build.h"
#include "tilecopy.h"

#define SWIZZLE "ComposeLayout(SwizzleLayout(%d, 3, 3), TileLayout(S[%s]))"

/* --- values ------------------------------------------------------------------
 *
 * Every element goes from A to registers, to shared memory, to other registers
 * and to B; the simulator then compares A with B. */

typedef struct output {
    char text[1 << 16];
    size_t len;
    int errors;
} output;

static void on_text(void *user, const char *text, size_t len) {
    output *o = user;
    if (o->len + len < sizeof o->text) {
        memcpy(o->text + o->len, text, len);
        o->len += len;
    }
}

static void on_diag(void *user, const tc_diag *d) {
    output *o = user;
    o->errors += d->severity == TC_ERROR;
    if (d->severity == TC_ERROR) {
        print_message("%s\n", d->message);
    }
}

static const struct round_trip {
    const char *type;
    int n;             /* elements a thread */
    const char *a, *m; /* layouts, without TileLayout( ) */
    int swizzle;       /* per_element of m, or 0 for none */
    const char *ptx;   /* how it reaches B */
    bool local;        /* the array stays in memory */
} trips[] = {
    {"float16", 8, "(32, 8)", "(32, 8)", 0, "st.global.v4.b32", false},
    {"float16", 64, "(32, 64)", "(32, 64)", 3, "st.global.v4.b32", false},
    {"bfloat16", 6, "(2, 16, 6) : (6, 12, 1)", "(32, 6)", 0, "st.global.b32",
     false},
    {"float16", 5, "(32, 5)", "(32, 5) : (1, 32)", 0, "st.global.u16", false},
    {"float32", 6, "(32, 6) : (6, 1)", "(32, 6)", 0, "st.global.v2.b32", false},
    {"float32", 4, "(32, 4) : (1, 32)", "(32, 4)", 2, "st.global.b32", false},
    {"int8", 16, "(32, 16)", "(32, 16) : (1, 32)", 0, "st.global.v4.b32",
     false},
    {"uint8", 3, "(32, 3)", "(32, 3)", 0, "st.global.u8", false},
    {"int8", 2, "(32, 2)", "(32, 2) : (1, 32)", 0, "st.global.u16", false},
    {"int16", 12, "(4, 8, 12) : (12, 48, 1)", "(32, 12)", 0, "st.global.v2.b32",
     false},
    {"uint16", 4, "(32, 4) : (1, 32)", "(32, 4)", 0, "st.global.u16", false},
    {"int32", 2, "(32, 2)", "(32, 2) : (1, 32)", 0, "st.global.v2.b32", false},
    {"float64", 3, "(32, 3)", "(32, 3)", 0, "st.global.v2.b32", true},
};

static void write_trip(const struct round_trip *t, char *out, size_t size) {
    char m[200];
    if (t->swizzle > 0) {
        snprintf(m, sizeof m, SWIZZLE, t->swizzle, t->m);
    } else {
        snprintf(m, sizeof m, "TileLayout(S[%s])", t->m);
    }
    snprintf(
        out, size,
        "@T.prim_func\ndef kernel(A_ptr: T.handle, B_ptr: T.handle):\n"
        "    A = T.match_buffer(A_ptr, (32, %d), \"%s\", "
        "layout=TileLayout(S[%s]))\n"
        "    B = T.match_buffer(B_ptr, (32, %d), \"%s\", "
        "layout=TileLayout(S[%s]))\n"
        "    T.device_entry(); T.cta_id([1]); T.warp_id([1])\n"
        "    T.lane_id([32]); T.thread_id([32])\n"
        "    m = T.alloc_buffer((32, %d), \"%s\", scope=\"shared\", "
        "layout=%s)\n"
        "    r = T.alloc_local((%d,), \"%s\")\n"
        "    v = r.view(32, %d, layout=TileLayout(S[(32, %d) : (1 @ laneid, "
        "1)]))\n"
        "    Tx.warp.copy(v[:, :], A[:, :])\n"
        "    Tx.warp.copy(m[:, :], v[:, :], dispatch=\"reg\")\n"
        "    T.cuda.cta_sync()\n"
        "    r2 = T.alloc_local((%d,), \"%s\")\n"
        "    v2 = r2.view(32, %d, layout=TileLayout(S[(32, %d) : (1 @ laneid, "
        "1)]))\n"
        "    Tx.warp.copy(v2[:, :], m[:, :], dispatch=\"reg\")\n"
        "    Tx.warp.copy(B[:, :], v2[:, :])\n",
        t->n, t->type, t->a, t->n, t->type, t->a, t->n, t->type, m, t->n,
        t->type, t->n, t->n, t->n, t->type, t->n, t->n);
}

static bool says(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        print_message("missing: %s\n%s\n", part, text);
        return false;
    }
    return true;
}

static void round_trip(const struct round_trip *t) {
    output *o = tc_xcalloc(1, sizeof *o);
    char text[3000];
    tc_options options = tc_options_default();
    tc_session *s = tc_session_new(&options, on_diag, on_text, o);
    write_trip(t, text, sizeof text);
    if (tc_session_eval(s, text) != TC_OK) {
        print_message("%s\n", text);
        fail();
    }
    o->len = 0;
    tc_session_eval(s, "ptx");
    o->text[o->len] = '\0';
    assert_true(says(o->text, t->ptx));
    assert_int_equal(strstr(o->text, ".local .align") != NULL, t->local);
    o->len = 0;
    tc_session_eval(s, "run");
    o->text[o->len] = '\0';
    if (!says(o->text, "B equals A") || !says(o->text, "no findings")) {
        print_message("%s\n", text);
        fail();
    }
    assert_int_equal(o->errors, 0);
    tc_session_free(s);
    free(o);
}

static void values_arrive(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
        round_trip(&trips[i]);
    }
}

/* --- where arrays live -----------------------------------------------------*/

#define HEAD                                                                   \
    "@T.prim_func\ndef kernel(A_ptr: T.handle):\n"                             \
    "    A = T.match_buffer(A_ptr, (32, 8), \"float16\")\n"                    \
    "    T.device_entry(); T.cta_id([1]); T.warp_id([1])\n"                    \
    "    T.lane_id([32]); tid = T.thread_id([32])\n"                           \
    "    r = T.alloc_local((8,), \"float16\")\n"                               \
    "    v = r.view(32, 8, layout=TileLayout(S[(32, 8) : (1 @ laneid, 1)]))\n" \
    "    Tx.warp.copy(v[:, :], A[:, :])\n"

static texts emitted_text(program *p, const char *text) {
    if (!program_read(p, text)) {
        print_message("%s\n%s\n", p->message, text);
        fail();
    }
    tc_lowered *l = tc_lower(p->a, p->func, &p->decisions, &p->diags);
    if (l == NULL) {
        print_message("%s\n%s\n", p->message, text);
        fail();
    }
    return emit_both(p->a, l, 0);
}

static void lives(const char *body, bool local) {
    char text[3000];
    program p;
    snprintf(text, sizeof text, HEAD "%s", body);
    texts t = emitted_text(&p, text);
    assert_int_equal(t.errors, 0);
    if ((strstr(t.ptx.text, ".local .align") != NULL) != local) {
        print_message("%s\n%s\n", text, t.ptx.text);
        fail();
    }
    if (have_tool("ptxas")) {
        assert_true(assembles(t.ptx.text, 80));
    }
    tc_arena_free(p.a);
}

static void arrays_live(void **state) {
    (void)state;
    lives("    Tx.warp.copy(A[:, :], v[:, :])\n", false);
    /* elements at known places are registers too */
    lives("    for i in T.unroll(8):\n        r[i] = r[7 - i] + r[0]\n"
          "    Tx.warp.copy(A[:, :], v[:, :])\n",
          false);
    /* an element that is known only at run time needs memory */
    lives("    r[tid % 8] = r[0]\n    Tx.warp.copy(A[:, :], v[:, :])\n", true);
    lives("    for i in range(8):\n        r[i] = r[7 - i] + r[0]\n"
          "    Tx.warp.copy(A[:, :], v[:, :])\n",
          true);
    /* a loop around a copy, which takes other registers each time */
    lives(
        "    for k in range(4):\n"
        "        Tx.warp.copy(A[:, k * 2:k * 2 + 2], v[:, k * 2:k * 2 + 2])\n",
        false);
    /* part of the registers, and a region that starts later */
    lives("    Tx.warp.copy(A[:, 2:6], v[:, 4:8])\n", false);
}

/* ldmatrix writes element pairs, stmatrix reads them. */
static void fragments(void **state) {
    (void)state;
    program p;
    texts t = emitted_text(
        &p,
        "@T.prim_func\ndef kernel(A_ptr: T.handle):\n"
        "    A = T.match_buffer(A_ptr, (8, 4, 4, 2), \"float16\")\n"
        "    T.device_entry(); T.cta_id([1]); T.warp_id([1])\n"
        "    T.lane_id([32]); T.thread_id([32])\n"
        "    m = T.alloc_buffer((8, 4, 4, 2), \"float16\", scope=\"shared\", "
        "layout=TileLayout(S[(8, 4, 4, 2) : (32, 2, 8, 1)]))\n"
        "    k = T.alloc_buffer((8, 4, 4, 2), \"float16\", scope=\"shared\", "
        "layout=TileLayout(S[(8, 4, 4, 2) : (1, 64, 8, 32)]))\n"
        "    r = T.alloc_local((8,), \"float16\")\n"
        "    v = r.view(8, 4, 4, 2, layout=TileLayout(S[(8, 4, 4, 2) : "
        "(4 @ laneid, 1 @ laneid, 2, 1)]))\n"
        "    Tx.warp.copy(m, A)\n    T.cuda.cta_sync()\n"
        "    Tx.warp.copy(v, m)\n    Tx.warp.copy(k, v)\n");
    static const char *const parts[] = {
        ".target sm_90", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 \t{",
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 \t["};
    assert_int_equal(t.errors, 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_true(says(t.ptx.text, parts[i]));
    }
    assert_null(strstr(t.ptx.text, ".local .align"));
    assert_true(says(t.cuda.text, "ptx_ldmatrix_4_b16_0("));
    assert_true(says(t.cuda.text, "ptx_stmatrix_m8n8_4_1_shared_b16("));
    if (have_tool("ptxas")) {
        assert_true(assembles(t.ptx.text, 90));
    }
    tc_arena_free(p.a);
}

/* --- refusals --------------------------------------------------------------*/

static const struct refusal {
    const char *variant, *buffers, *copy;
    const char *check, *detail; /* of the search */
    const char *why;
} refusals[] = {
    {"ldstmatrix",
     "    m = T.alloc_buffer((32, 8), \"float16\", scope=\"shared\", layout="
     "ComposeLayout(SwizzleLayout(1, 3, 3), TileLayout(S[(32, 8)])))\n",
     "m[:, :], v[:, :]", "num 4",
     "tiles lie 2 elements apart: rows would not start at a multiple of 16 "
     "bytes",
     "per_element=1 keeps 2 elements together; a row of a tile has 8 "
     "(per_element=3)"},
    {"ldstmatrix",
     "    m = T.alloc_buffer((32, 6), \"float16\", scope=\"shared\")\n",
     "m[:, :], v[:, 0:6]", "num 4",
     "6 elements a thread are not a multiple of 8",
     "no number of tiles (4, 2, 1) fits both layouts"},
    {"reg", "    m = T.alloc_buffer((32, 1), \"float16\", scope=\"shared\")\n",
     "m[:, :], v[:, 0:1]", "elements",
     "a thread holds a single element, with no iterator on memory: TVM 0.25.0 "
     "cannot write this copy",
     "a thread holds a single element, with no iterator on memory: TVM 0.25.0 "
     "cannot write this copy"},
};

static void refuse(const struct refusal *r) {
    char text[2000];
    program p;
    bool found = false, asked = false;
    snprintf(text, sizeof text, HEAD "%s    Tx.warp.copy(%s)\n", r->buffers,
             r->copy);
    assert_true(program_read(&p, text));
    const tc_decision *d = &p.decisions.items[1];
    for (int i = 0; i < d->nverdicts; i++) {
        const tc_verdict *v = &d->verdicts[i];
        if (strcmp(tc_variants[v->variant->id].name, r->variant) != 0) {
            continue;
        }
        asked = true;
        assert_int_equal(v->outcome, TC_DECLINE);
        assert_string_equal(v->why, r->why);
        for (int k = 0; k < v->nchecks; k++) {
            const tc_check *c = &v->checks[k];
            if (strcmp(c->name, r->check) == 0) {
                assert_string_equal(c->detail, r->detail);
                found = true;
            }
        }
    }
    assert_true(asked && found);
    tc_arena_free(p.a);
}

static void refusals_have_numbers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        refuse(&refusals[i]);
    }
}

/* The widths that reg tries, and what stops each. */
static void widths_are_a_search(void **state) {
    (void)state;
    program p;
    assert_true(program_read(&p, HEAD
                             "    m = T.alloc_buffer((32, 6), \"float16\", "
                             "scope=\"shared\")\n"
                             "    Tx.warp.copy(m[:, :], v[:, 2:8])\n"));
    static const struct {
        const char *name, *detail;
        tc_truth ok;
    } want[] = {
        {"vec 8",
         "16 bytes: a thread has 6 elements in a row, not a multiple of 8",
         TC_NO},
        {"vec 4",
         "8 bytes: a thread has 6 elements in a row, not a multiple of 4",
         TC_NO},
        {"vec 2", "4 bytes: fits both sides", TC_YES},
        {"vec 1", "not tried: 4 bytes already fit", TC_UNASKED},
    };
    const tc_verdict *v = p.decisions.items[1].chosen;
    size_t at = 0;
    assert_non_null(v);
    assert_string_equal(tc_variants[v->variant->id].name, "reg");
    for (int i = 0; i < v->nchecks; i++) {
        if (strncmp(v->checks[i].name, "vec ", 4) == 0) {
            assert_true(at < 4);
            assert_string_equal(v->checks[i].name, want[at].name);
            assert_string_equal(v->checks[i].detail, want[at].detail);
            assert_int_equal(v->checks[i].ok, want[at].ok);
            at++;
        }
    }
    assert_int_equal(at, 4);
    tc_arena_free(p.a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(arrays_live),
        cmocka_unit_test(fragments),
        cmocka_unit_test(refusals_have_numbers),
        cmocka_unit_test(widths_are_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
