/* Layouts: the corpus of TVM's own answers (LAYOUT.md) and hand-made cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layout_cases.h"
#include "layout_helpers.h"
#include "layout_ops.h"
#include <stdio.h>
#include <zlib.h>

#define CORPUS "tests/corpus/layout.jsonl.gz"

/* One row for each operation. */
static const struct op {
    const char *name;
    tc_layout_result (*run)(ask *q);
} ops[] = {
    {"apply", do_apply},
    {"apply_shape", do_apply},
    {"apply_table", do_apply_table},
    {"apply_to_shape", do_apply_to_shape},
    {"axis", do_axis},
    {"broadcast", do_broadcast},
    {"canonicalize", do_canonicalize},
    {"direct_sum", do_direct_sum},
    {"equal", do_equal},
    {"get_scope", do_get_scope},
    {"group", do_group},
    {"helper", do_helper},
    {"is_direct_sum_left", do_is_direct_sum_left},
    {"is_direct_sum_right", do_is_direct_sum_right},
    {"is_swizzle", do_is_swizzle},
    {"is_tile_inner", do_is_tile_inner},
    {"is_tile_outer", do_is_tile_outer},
    {"is_trainium", do_is_trainium},
    {"is_trivial", do_is_trivial},
    {"pack", do_pack},
    {"permute_by_groups", do_permute_by_groups},
    {"permute_dims", do_permute_dims},
    {"size", do_size},
    {"slice", do_slice},
    {"span", do_span},
    {"storage", do_storage},
    {"tile", do_tile},
    {"tile_to", do_tile_to},
    {"to_psum", do_to_psum},
    {"unpack", do_unpack},
    {"verify_well_formed", do_verify},
};
enum { NOPS = sizeof ops / sizeof *ops };

/* TVM refused the receiver itself: there is no structure to ask about. */
static bool no_receiver(const json_t *line, const struct op *op) {
    return op->run != do_helper && op->run != do_axis &&
           json_is_null(json_object_get(line, "layout")) &&
           json_object_get(line, "error") != NULL;
}

/* Python's own errors (python_...) have no tag of ours: that both fail is
 * what agrees. */
static bool agrees(const json_t *line, tc_layout_result r, const ask *q) {
    const char *tag = json_string_value(json_object_get(line, "error_tag"));
    const json_t *result = json_object_get(line, "result");
    if (tag != NULL) {
        return r == TC_LAYOUT_FAILED && (strncmp(tag, "python_", 7) == 0 ||
                                         strcmp(tag, q->cx->tag) == 0);
    }
    if (json_is_null(result)) {
        return r == TC_LAYOUT_NONE;
    }
    return r == TC_LAYOUT_OK && json_equal(result, q->answer);
}

static void complain(const json_t *line, tc_layout_result r, const ask *q) {
    json_t *want = json_object_get(line, "result");
    char *w = json_dumps(want ? want : json_object_get(line, "error"),
                         JSON_COMPACT | JSON_ENCODE_ANY);
    char *g = q->answer ? json_dumps(q->answer, JSON_COMPACT | JSON_ENCODE_ANY)
                        : NULL;
    print_message("%s %s%s\n    TVM: %s\n    we (%d): %s %s\n",
                  json_string_value(json_object_get(line, "id")),
                  json_string_value(json_object_get(line, "text")),
                  json_string_value(json_object_get(line, "call")), w, (int)r,
                  g ? g : "-", q->cx->tag ? q->cx->tag : "");
    free(w);
    free(g);
}

static bool compare(const json_t *line, const struct op *op) {
    tc_arena *a = tc_arena_new();
    tc_layout_ctx cx = {.arena = a,
                        .target_cuda = json_object_get(line, "target") != NULL};
    ask q = {.cx = &cx,
             .text = json_string_value(json_object_get(line, "text")),
             .args = json_object_get(line, "args")};
    q.self = layout_of(&cx, json_object_get(line, "layout"));
    tc_layout_result r = op->run(&q);
    bool ok = agrees(line, r, &q);
    if (!ok) {
        complain(line, r, &q);
    }
    json_decref(q.answer);
    tc_arena_free(a);
    return ok;
}

typedef struct tally {
    int asked[NOPS], agreed[NOPS];
    int refused; /* lines without a receiver, not compared here */
} tally;

static void one_line(const char *text, tally *t) {
    json_t *line = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(line);
    const char *name = json_string_value(json_object_get(line, "op"));
    for (int i = 0; i < NOPS; i++) {
        if (strcmp(ops[i].name, name) == 0) {
            if (no_receiver(line, &ops[i])) {
                t->refused++;
                continue;
            }
            t->asked[i]++;
            t->agreed[i] += compare(line, &ops[i]);
        }
    }
    json_decref(line);
}

static void corpus_agrees(void **state) {
    (void)state;
    static char text[1 << 20];
    tally t = {.refused = 0};
    int asked = 0, agreed = 0;
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    while (gzgets(f, text, sizeof text) != NULL) {
        one_line(text, &t);
    }
    gzclose(f);
    for (int i = 0; i < NOPS; i++) {
        print_message("%-20s %4d of %4d\n", ops[i].name, t.agreed[i],
                      t.asked[i]);
        assert_true(t.asked[i] > 0);
        asked += t.asked[i];
        agreed += t.agreed[i];
    }
    print_message("%-20s %4d of %4d lines agree (and %d without a layout)\n",
                  "all", agreed, asked, t.refused);
    assert_true(asked > 0);
    assert_int_equal(agreed, asked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_agrees),    cmocka_unit_test(swizzle_formula),
        cmocka_unit_test(printed_text),     cmocka_unit_test(slice_by_hand),
        cmocka_unit_test(scope_cycle),      cmocka_unit_test(overflow_refused),
        cmocka_unit_test(datapath_by_hand), cmocka_unit_test(odd_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
