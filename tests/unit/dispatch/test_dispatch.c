/* test_dispatch.c - every decision about the corpus, against TVM's answers
 * (tests/corpus/dispatch.jsonl.gz; recorded from TVM 0.25.0). */
#include "dispatch_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <zlib.h>

#define CORPUS "tests/corpus/dispatch.jsonl.gz"
/* In the same format: programs about one variant, asked of the same TVM. */
#define TMA_CORPUS   "tests/corpus/tma.jsonl.gz"
#define DSMEM_CORPUS "tests/corpus/dsmem.jsonl.gz"

/* What is compared, and how often it was. */
enum {
    PARSED,
    COPIES,
    INTRA,
    PREDICATES,
    OUTCOMES,
    LOWERINGS,
    PARTITIONS,
    SAMPLES,
    ISSUES,
    CHOSEN,
    COUNTERS
};
static const char *const counter_names[COUNTERS] = {
    "programs parsed", "copies",           "intra",
    "predicates",      "accept or reject", "lowered or declined",
    "partitions",      "samples",          "issues",
    "chosen"};

typedef struct tally {
    int asked[COUNTERS], agreed[COUNTERS];
    int shown;
    const char *id; /* of the line under way */
} tally;

static void count(tally *t, int what, bool agreed, const char *note) {
    t->asked[what]++;
    t->agreed[what] += agreed;
    if (!agreed && t->shown++ < 40) {
        print_message("%s: %s differs: %s\n", t->id, counter_names[what], note);
    }
}

static int64_t at(const json_t *list, size_t i) {
    return json_integer_value(json_array_get(list, i));
}

static const char *text_of(const json_t *o, const char *key) {
    return json_string_value(json_object_get(o, key));
}

static bool same_intra(const tc_decision *d, const json_t *want) {
    if ((int)json_object_size(want) != d->nintra) {
        return false;
    }
    for (int i = 0; i < d->nintra; i++) {
        const json_t *w = json_object_get(want, d->intra[i].axis->name);
        if (w == NULL || at(w, 0) != d->intra[i].extent ||
            at(w, 1) != d->intra[i].offset) {
            return false;
        }
    }
    return true;
}

static bool same_iters(const tc_layout *l, const json_t *want) {
    bool ok = l->nshard == (int)json_array_size(want);
    for (int i = 0; ok && i < l->nshard; i++) {
        const json_t *w = json_array_get(want, (size_t)i);
        ok = at(w, 0) == l->shard[i].extent && at(w, 1) == l->shard[i].stride &&
             strcmp(json_string_value(json_array_get(w, 2)),
                    l->shard[i].axis->name) == 0;
    }
    return ok;
}

static void compare_partition(tally *t, const tc_verdict *v,
                              const json_t *want) {
    const tc_partition *p = v->partition;
    size_t i;
    json_t *row;
    if (want == NULL) {
        return;
    }
    bool ok =
        p != NULL &&
        p->vec == json_integer_value(json_object_get(want, "vec")) &&
        p->threads == json_integer_value(json_object_get(want, "threads")) &&
        p->outer == json_integer_value(json_object_get(want, "outer")) &&
        p->elements == json_integer_value(json_object_get(want, "elements")) &&
        same_iters(p->g, json_object_get(want, "g")) &&
        same_iters(p->s, json_object_get(want, "s"));
    count(t, PARTITIONS, ok, tc_variants[v->variant->id].name);
    json_array_foreach(json_object_get(want, "samples"), i, row) {
        int64_t g = -1, s = -1;
        if (p != NULL) {
            tc_partition_at(p, at(row, 0), at(row, 1), &g, &s);
        }
        count(t, SAMPLES, g == at(row, 2) && s == at(row, 3), "offsets");
    }
}

/* The constant arguments: the size, or all integers and the strings. */
static bool same_arguments(const tc_issue *is, const json_t *want) {
    const json_t *ints = json_object_get(want, "ints");
    const json_t *strs = json_object_get(want, "strs");
    char joined[80] = "";
    if (is->ints == NULL) {
        return at(ints, 0) == is->bytes;
    }
    bool ok = (int)json_array_size(ints) == is->nints;
    for (int i = 0; ok && i < is->nints; i++) {
        ok = at(ints, (size_t)i) == is->ints[i];
    }
    for (size_t i = 0; i < json_array_size(strs); i++) {
        strcat(joined, i > 0 ? "." : "");
        strcat(joined, json_string_value(json_array_get(strs, i)));
    }
    for (size_t n = strlen(joined); n > 0 && joined[n - 1] == '.'; n--) {
        joined[n - 1] = '\0'; /* empty strings at the end */
    }
    return ok && strcmp(joined, is->str != NULL ? is->str : "") == 0;
}

static void compare_issues(tally *t, const tc_verdict *v, const json_t *want) {
    bool ok = (int)json_array_size(want) == v->nissues;
    for (int i = 0; ok && i < v->nissues; i++) {
        const json_t *w = json_array_get(want, (size_t)i);
        const tc_issue *is = &v->issues[i];
        tc_buf name = TC_BUF_INIT;
        tc_op_tirx(&name, is->op);
        ok = strcmp(text_of(w, "op"), tc_buf_text(&name)) == 0 &&
             same_arguments(is, w) &&
             json_integer_value(json_object_get(w, "times")) == is->times;
        tc_buf_free(&name);
    }
    count(t, ISSUES, ok, tc_variants[v->variant->id].name);
}

static void compare_variant(tally *t, const tc_verdict *v, const json_t *want) {
    const char *outcome = text_of(want, "outcome");
    const json_t *preds = json_object_get(want, "predicates");
    char note[400];
    bool rejected = strcmp(outcome, "reject") == 0;
    bool accepted = strcmp(outcome, "accept") == 0;
    const char *name = tc_variants[v->variant->id].name;
    assert_string_equal(name, text_of(want, "variant"));
    assert_int_equal(tc_variants[v->variant->id].priority,
                     json_integer_value(json_object_get(want, "priority")));
    assert_int_equal(v->npredicates, json_array_size(preds));
    for (int i = 0; i < v->npredicates; i++) {
        const json_t *w = json_array_get(preds, (size_t)i);
        const tc_predicate_result *r = &v->predicates[i];
        assert_string_equal(r->name, json_string_value(json_array_get(w, 0)));
        assert_true(r->ok || r->reason != NULL);
        snprintf(note, sizeof note, "%s %s: %s, TVM: %s", name, r->name,
                 r->reason != NULL ? r->reason : "yes",
                 json_string_value(json_array_get(w, 2)));
        count(t, PREDICATES, r->ok == json_is_true(json_array_get(w, 1)), note);
    }
    count(t, OUTCOMES, (v->outcome == TC_REJECT) == rejected, name);
    if (rejected || !v->lowering_built) {
        return;
    }
    snprintf(note, sizeof note, "%s is %s here (%s), TVM: %s %s", name,
             v->outcome == TC_ACCEPT ? "accepted" : "declined",
             v->why != NULL ? v->why : "", outcome,
             text_of(want, "why") != NULL ? text_of(want, "why") : "");
    count(t, LOWERINGS, (v->outcome == TC_ACCEPT) == accepted, note);
    assert_true(v->outcome != TC_DECLINE || v->why != NULL);
    if (accepted && v->outcome == TC_ACCEPT) {
        compare_partition(t, v, json_object_get(want, "partition"));
        compare_issues(t, v, json_object_get(want, "issues"));
    }
}

/* The choice can be compared where TVM's choice, and all that come before it,
 * have a lowering here. */
static bool choice_known(const tc_decision *d) {
    for (int i = 0; i < d->nverdicts; i++) {
        if (!d->verdicts[i].lowering_built &&
            d->verdicts[i].outcome == TC_ACCEPT) {
            return false;
        }
    }
    return true;
}

static void compare_copy(tally *t, const tc_decision *d, const json_t *want) {
    const json_t *variants = json_object_get(want, "variants");
    const char *chosen = text_of(want, "chosen");
    const char *ours =
        d->chosen != NULL ? tc_variants[d->chosen->variant->id].name : NULL;
    char note[160];
    count(t, COPIES,
          strcmp(text_of(want, "scope"), tc_scope_name(d->copy->scope)) == 0,
          "scope");
    count(t, INTRA, same_intra(d, json_object_get(want, "intra")), "intra");
    assert_int_equal(d->nverdicts, json_array_size(variants));
    for (int i = 0; i < d->nverdicts; i++) {
        compare_variant(t, &d->verdicts[i],
                        json_array_get(variants, (size_t)i));
    }
    if (choice_known(d)) {
        snprintf(note, sizeof note, "%s, TVM: %s", ours != NULL ? ours : "none",
                 chosen != NULL ? chosen : "none");
        count(t, CHOSEN,
              (ours == NULL) == (chosen == NULL) &&
                  (ours == NULL || strcmp(ours, chosen) == 0),
              note);
    }
}

static void one_line(tally *t, const char *line) {
    json_t *j = json_loads(line, 0, NULL);
    assert_non_null(j);
    const json_t *copies = json_object_get(j, "copies");
    program p;
    t->id = text_of(j, "id");
    bool parsed = program_read(&p, text_of(j, "program"));
    if (copies == NULL || json_array_size(copies) == 0) {
        json_decref(j); /* a layout that TVM refuses */
        tc_arena_free(p.a);
        return;
    }
    count(t, PARSED, parsed, p.message);
    if (parsed) {
        assert_int_equal(p.decisions.n, json_array_size(copies));
        for (int i = 0; i < p.decisions.n; i++) {
            compare_copy(t, &p.decisions.items[i],
                         json_array_get(copies, (size_t)i));
        }
    }
    tc_arena_free(p.a);
    json_decref(j);
}

/* Everything that is asked agrees; partitions need not occur. */
static void check_corpus(const char *path, bool partitions) {
    static char text[1 << 20];
    tally t = {.shown = 0};
    gzFile f = gzopen(path, "rb");
    assert_non_null(f);
    while (gzgets(f, text, sizeof text) != NULL) {
        one_line(&t, text);
    }
    gzclose(f);
    bool all = true;
    for (int i = 0; i < COUNTERS; i++) {
        print_message("%-20s %6d of %6d agree\n", counter_names[i], t.agreed[i],
                      t.asked[i]);
        bool rare = i == PARTITIONS || i == SAMPLES;
        all &= (t.asked[i] > 0 || (rare && !partitions)) &&
               t.agreed[i] == t.asked[i];
    }
    assert_true(all);
}

static void corpus_agrees(void **state) {
    (void)state;
    check_corpus(CORPUS, true);
}

static void tcgen05_agrees(void **state) {
    (void)state;
    check_corpus("tests/corpus/tcgen05.jsonl.gz", false);
}

static void registers_agree(void **state) {
    (void)state;
    check_corpus("tests/corpus/registers.jsonl.gz", false);
}

/* 40 programs with 123 copies, in loops and under guards. */
static void several_copies_agree(void **state) {
    (void)state;
    check_corpus("tests/corpus/several.jsonl.gz", false);
}

static void tma_agrees(void **state) {
    (void)state;
    check_corpus(TMA_CORPUS, false);
}

static void dsmem_agrees(void **state) {
    (void)state;
    check_corpus(DSMEM_CORPUS, false);
}

/* --- narrowing, and starts that move ---------------------------------------*/

#define HEAD                                                                   \
    "@T.prim_func\ndef kernel(A_ptr: T.handle):\n"                             \
    "    A = T.match_buffer(A_ptr, (1024, 32), \"float16\")\n"                 \
    "    T.device_entry(); T.cta_id([1]); warp_id = T.warp_id([8])\n"          \
    "    lane_id = T.lane_id([32]); wg_id = T.warpgroup_id([2])\n"             \
    "    wid = T.warp_id_in_wg([4]); tid = T.thread_id([256])\n"               \
    "    A_smem = T.alloc_buffer((2, 128, 32), \"float16\", "                  \
    "scope=\"shared\")\n"

/* Nested guards are separated by |. The answers are TVM 0.25.0's, asked with
 * record_dispatch.py; where they surprise, active.c says why. */
static const struct narrowing {
    const char *guard, *scope;
    int64_t warp, warp0, lane, lane0; /* warp -1: not in the answer */
} narrowings[] = {
    {"tid < 64", "cta.", 8, 0, 32, 0},
    {"tid >= 32", "cta.", 7, 1, 32, 0},
    {"32 <= tid and tid < 40", "cta.", 1, 1, 8, 0},
    {"tid < 40", "cta.", 8, 0, 32, 0},
    {"wg_id == 1", "wg.", 4, 0, 32, 0},
    {"warp_id == 5", "wg.", 1, 1, 32, 0},
    {"lane_id - 1 < 3", "warp.", -1, 0, 4, 0},
    {"tid % 2 == 0", "cta.", 8, 0, 32, 0},
    {"wid == 2", "wg.", 4, 0, 32, 0},
    {"wg_id == 1 and wid == 2", "wg.", 1, 2, 32, 0},
    {"tid < 0", "cta.", 8, 0, 32, 0},
    {"tid == 3 and lane_id == 3", "cta.", 1, 0, 1, 3},
    {"tid < 128 and tid < 40 and lane_id < 8", "cta.", 8, 0, 8, 0},
    {"3 > lane_id", "warp.", -1, 0, 3, 0},
    {"tid // 32 == 1", "cta.", 8, 0, 32, 0},
    {"tid != 0", "cta.", 8, 0, 32, 0},
    {"warp_id >= 3|warp_id < 6", "cta.", 5, 3, 32, 0},
    {"lane_id >= 4|lane_id < 8", "warp.", -1, 0, 28, 4},
    {"lane_id == 0|tid < 64", "cta.", 2, 0, 1, 0},
    {"lane_id < 2|tid < 64", "cta.", 8, 0, 2, 0},
    {"tid >= 32|tid < 64", "cta.", 7, 1, 32, 0},
    {"tid < 300", "cta.", 8, 0, 32, 0},
    {"wg_id == 1|wid < 2", "cta.", 2, 4, 32, 0},
    {"wg_id < 1", "cta.", 4, 0, 32, 0},
    {"wg_id >= 1|wg_id < 2", "cta.", 4, 4, 32, 0},
    {"tid >= 32 and tid < 64", "cta.", 1, 1, 32, 0},
    {"warp_id == 3|tid > 100", "cta.", 1, 3, 27, 5},
    {"lane_id < 8|tid >= 64", "cta.", 6, 2, 8, 0},
    {"wg_id == 1|wid > 2", "cta.", 1, 7, 32, 0},
    {"tid == 33", "cta.", 1, 1, 1, 1},
    {"tid > 40", "cta.", 8, 0, 32, 0},
};

static void write_guarded(const struct narrowing *w, char *text, size_t size) {
    char guards[80], *rest = guards;
    int indent = 4;
    snprintf(guards, sizeof guards, "%s", w->guard);
    snprintf(text, size, "%s", HEAD);
    for (char *g; (g = strsep(&rest, "|")) != NULL; indent += 4) {
        size_t at = strlen(text);
        snprintf(text + at, size - at, "%*sif %s:\n", indent, "", g);
    }
    size_t at = strlen(text);
    snprintf(text + at, size - at,
             "%*sTx.%scopy(A_smem[0, 0:128, 0:32], A[0:128, 0:32])\n", indent,
             "", w->scope);
}

static void guards_narrow(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof narrowings / sizeof *narrowings; i++) {
        const struct narrowing *w = &narrowings[i];
        char text[1600];
        program p;
        write_guarded(w, text, sizeof text);
        if (!program_read(&p, text)) {
            print_error("%s\n%s\n", text, p.message);
        }
        assert_int_equal(p.decisions.n, 1);
        const tc_decision *d = &p.decisions.items[0];
        const tc_intra *lane = &d->intra[d->nintra - 1];
        assert_int_equal(d->nintra, w->warp < 0 ? 1 : 2);
        if (w->warp >= 0 &&
            (d->intra[0].extent != w->warp || d->intra[0].offset != w->warp0)) {
            print_error("%s: warps [%d, %d]\n", w->guard,
                        (int)d->intra[0].extent, (int)d->intra[0].offset);
            fail();
        }
        if (lane->extent != w->lane || lane->offset != w->lane0) {
            print_error("%s: lanes [%d, %d]\n", w->guard, (int)lane->extent,
                        (int)lane->offset);
            fail();
        }
        tc_arena_free(p.a);
    }
}

static void check_forced(const char *forced, const char *chosen) {
    char text[1200];
    program p;
    snprintf(text, sizeof text,
             "%s    Tx.cta.copy_async(A_smem[0, 0:128, 0:32], A[0:128, 0:32]"
             "%s)\n",
             HEAD, forced);
    assert_true(program_read(&p, text));
    const tc_verdict *v = p.decisions.items[0].chosen;
    assert_true((v == NULL) == (chosen == NULL));
    if (v != NULL) {
        assert_string_equal(tc_variants[v->variant->id].name, chosen);
    }
    tc_arena_free(p.a);
}

static void forcing(void **state) {
    (void)state;
    check_forced("", "ldgsts");
    check_forced(", dispatch=\"ldgsts\"", "ldgsts");
    check_forced(", dispatch=\"tma\"", NULL);
    check_forced(", dispatch=\"nosuch\"", NULL);
}

/* Starts that move with a loop: chosen variant and width as TVM 0.25.0 lowers
 * the same copies (cp.async of 16 bytes, of 8, copy_bytes of 2). */
static void starts_move(void **state) {
    (void)state;
    static const struct {
        const char *copy, *chosen;
        int vec;
    } rows[] = {
        {"Tx.cta.copy_async(K[0, 0:128, k*16:k*16+16], A[0:128, k*16:k*16+16])",
         "ldgsts", 8},
        {"Tx.cta.copy_async(K[0, 0:128, k*32:k*32+32], A[0:128, k*16:k*16+32])",
         "ldgsts", 8},
        {"Tx.cta.copy_async(A_smem[k % 2, 0:128, 0:32], A[0:128, k*4:k*4+32])",
         "ldgsts", 4},
        {"Tx.cta.copy(A_smem[k % 2, 0:128, 0:32], A[0:128, k:k+32])",
         "gmem_smem", 1},
        {"Tx.cta.copy_async(K[0, 0:128, k*8:k*8+16], A[0:128, k*8:k*8+16])",
         NULL, 0}, /* may cut through a run of 16 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1600];
        program p;
        snprintf(text, sizeof text,
                 "@T.prim_func\ndef kernel(A_ptr: T.handle):\n"
                 "    A = T.match_buffer(A_ptr, (128, 256), \"float16\")\n"
                 "    T.device_entry(); T.cta_id([1]); T.thread_id([128])\n"
                 "    A_smem = T.alloc_buffer((2, 128, 32), \"float16\", "
                 "scope=\"shared\")\n"
                 "    K = T.alloc_buffer((2, 128, 64), \"float16\", "
                 "scope=\"shared\", layout=TileLayout(S[(2, 128, 4, 16) : "
                 "(8192, 16, 2048, 1)]))\n"
                 "    for k in range(2):\n        %s\n",
                 rows[i].copy);
        assert_true(program_read(&p, text));
        const tc_verdict *v = p.decisions.items[0].chosen;
        assert_true((v == NULL) == (rows[i].chosen == NULL));
        if (v != NULL) {
            assert_string_equal(tc_variants[v->variant->id].name,
                                rows[i].chosen);
            assert_int_equal(v->partition->vec, rows[i].vec);
        }
        tc_arena_free(p.a);
    }
}

/* Each refusal leaves every check in place, with its numbers. */
static void numbers(void **state) {
    (void)state;
    program p;
    assert_true(program_read(
        &p, HEAD "    Tx.cta.copy_async(A_smem[0, 0:5, 0:3], A[0:5, 0:3])\n"));
    const tc_verdict *v = &p.decisions.items[0].verdicts[0];
    assert_int_equal(v->outcome, TC_REJECT);
    assert_string_equal(v->predicates[0].reason,
                        "region 15 elements / 256 threads leaves 15 over");
    bool found = false;
    for (int i = 0; i < v->nchecks; i++) {
        found |= strcmp(v->checks[i].detail, "src global, dst shared: allowed "
                                             "global -> shared*") == 0;
    }
    assert_true(found);
    tc_arena_free(p.a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_agrees),
        cmocka_unit_test(tcgen05_agrees),
        cmocka_unit_test(several_copies_agree),
        cmocka_unit_test(registers_agree),
        cmocka_unit_test(tma_agrees),
        cmocka_unit_test(dsmem_agrees),
        cmocka_unit_test(guards_narrow),
        cmocka_unit_test(forcing),
        cmocka_unit_test(starts_move),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
