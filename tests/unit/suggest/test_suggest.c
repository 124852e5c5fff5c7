/* test_suggest.c - the search for the smallest edits, against the exhaustive
 * search, and by hand-derived cases.
 *
 * tests/corpus/suggest.jsonl.gz holds a fixed sample of (program, variant)
 * pairs of the dispatch corpus with the least number of edits that make the
 * variant accept, found by trying every edit and every pair of edits. To
 * record it again, after a change of the table of edits or of a variant:
 *
 *     build/tests/test_suggest --record tests/corpus/suggest.jsonl.gz */
#include "dispatch_program.h"
#include "suggest/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <zlib.h>

#define CORPUS "tests/corpus/dispatch.jsonl.gz"
#define SAMPLE "tests/corpus/suggest.jsonl.gz"

static tc_suggest_input input_of(const tc_env *env, const char *text,
                                 tc_variant_id goal) {
    return (tc_suggest_input){.env = env,
                              .text = text,
                              .len = strlen(text),
                              .first_line = 1,
                              .target_cuda = true,
                              .goal = goal};
}

/* --- the corpus ----------------------------------------------------------- */

enum { LINE = 1 << 20, PROGRAMS = 4000 };

typedef struct corpus_line {
    char *id, *family, *program;
} corpus_line;

static char *copy_of(const json_t *o, const char *key) {
    return tc_xstrdup(json_string_value(json_object_get(o, key)));
}

/* Every program of the corpus that has a copy; freed by free_corpus. */
static corpus_line *read_corpus(int *n) {
    corpus_line *lines = tc_xcalloc(PROGRAMS, sizeof *lines);
    char *text = tc_xmalloc(LINE);
    gzFile f = gzopen(CORPUS, "rb");
    *n = 0;
    while (f != NULL && *n < PROGRAMS && gzgets(f, text, LINE) != NULL) {
        json_t *j = json_loads(text, 0, NULL);
        if (json_array_size(json_object_get(j, "copies")) == 1) {
            lines[(*n)++] = (corpus_line){
                copy_of(j, "id"), copy_of(j, "family"), copy_of(j, "program")};
        }
        json_decref(j);
    }
    if (f != NULL) {
        gzclose(f);
    }
    free(text);
    return lines;
}

static void free_corpus(corpus_line *lines, int n) {
    for (int i = 0; i < n; i++) {
        free(lines[i].id);
        free(lines[i].family);
        free(lines[i].program);
    }
    free(lines);
}

/* --- recording ------------------------------------------------------------ */

enum { STRIDE = 7, REPAIRABLE = 6, OTHERS = 1, FAMILIES = 8 };

typedef struct recorder {
    gzFile out;
    const char *family[FAMILIES];
    int taken[FAMILIES][TC_VARIANT_COUNT][2]; /* repairable, others */
    int written, repairable;
} recorder;

static int family_of(recorder *r, const char *name) {
    int i = 0;
    while (i < FAMILIES - 1 && r->family[i] != NULL &&
           strcmp(r->family[i], name) != 0) {
        i++;
    }
    r->family[i] = name;
    return i;
}

static void record_line(recorder *r, const corpus_line *line) {
    tc_arena *a = tc_arena_new();
    tc_suggest_input in = input_of(tc_env_new(a), line->program, 0);
    tc_least least[TC_VARIANT_COUNT];
    int family = family_of(r, line->family);
    tc_suggest_exhaustive(a, &in, 2, least);
    for (int i = 0; i < TC_VARIANT_COUNT; i++) {
        bool can = least[i].size > 0;
        int *taken = &r->taken[family][i][!can];
        if (least[i].size == 0 || *taken >= (can ? REPAIRABLE : OTHERS)) {
            continue;
        }
        ++*taken;
        r->written++;
        r->repairable += can;
        json_t *j = json_pack("{s:s,s:s,s:i,s:b}", "id", line->id, "variant",
                              tc_variants[i].name, "size", least[i].size,
                              "shrinks", least[i].shrinks);
        char *text = json_dumps(j, JSON_COMPACT);
        gzprintf(r->out, "%s\n", text);
        free(text);
        json_decref(j);
    }
    tc_arena_free(a);
}

static int record(const char *path) {
    int n;
    corpus_line *lines = read_corpus(&n);
    recorder r = {.out = gzopen(path, "wb9")};
    if (r.out == NULL || n == 0) {
        fprintf(stderr, "cannot write %s, or no %s\n", path, CORPUS);
        return 1;
    }
    for (int i = 0; i < n; i += STRIDE) {
        record_line(&r, &lines[i]);
    }
    gzclose(r.out);
    free_corpus(lines, n);
    printf("%d pairs, %d of them repairable\n", r.written, r.repairable);
    return 0;
}

/* --- against the record --------------------------------------------------- */

static const char *program_of(const corpus_line *lines, int n, const char *id) {
    for (int i = 0; i < n; i++) {
        if (strcmp(lines[i].id, id) == 0) {
            return lines[i].program;
        }
    }
    return NULL;
}

typedef struct agreement {
    int repairable, found, none, invented, stale;
} agreement;

/* A suggestion of the recorded size, which shrinks only if the record does.
 * Where only shrinking works at depth two, three edits that do not shrink are
 * the better answer. */
static bool found_least(const tc_suggestions *g, int size, bool shrinks) {
    if (shrinks && g->n > 0 && !g->items[0].shrinks) {
        return true;
    }
    for (int i = 0; i < g->n; i++) {
        if (g->items[i].size == size && (!g->items[i].shrinks || shrinks)) {
            return true;
        }
    }
    return false;
}

static void compare_pair(agreement *t, const json_t *j, const char *text) {
    const char *name = json_string_value(json_object_get(j, "variant"));
    int size = (int)json_integer_value(json_object_get(j, "size"));
    bool shrinks = json_is_true(json_object_get(j, "shrinks"));
    tc_arena *a = tc_arena_new();
    tc_variant_id goal;
    tc_suggestions g;
    assert_true(tc_variant_find(name, &goal));
    tc_suggest_input in = input_of(tc_env_new(a), text, goal);
    tc_suggest(a, &in, &g);
    assert_null(g.lost);
    if (g.accepts) { /* a variant has changed since the record */
        print_message("%s %s: accepts now: record the sample again\n",
                      json_string_value(json_object_get(j, "id")), name);
        t->stale++;
        tc_arena_free(a);
        return;
    }
    bool small = g.n > 0 && g.items[0].size <= 2;
    if (size < 0) {
        t->none++;
        t->invented += small && !g.items[0].shrinks;
    } else {
        bool ok = found_least(&g, size, shrinks);
        t->repairable++;
        t->found += ok;
        /* smaller than the least, or as small without shrinking: not so */
        t->invented += g.n > 0 && g.items[0].size < size &&
                       (!g.items[0].shrinks || shrinks);
        if (!ok) {
            print_message("%s %s: least %d, found %d\n",
                          json_string_value(json_object_get(j, "id")), name,
                          size, g.n > 0 ? g.items[0].size : 0);
        }
    }
    tc_arena_free(a);
}

static void sample_agrees(void **state) {
    (void)state;
    int n;
    corpus_line *lines = read_corpus(&n);
    agreement t = {0};
    char text[400];
    gzFile f = gzopen(SAMPLE, "rb");
    assert_non_null(f);
    while (gzgets(f, text, sizeof text) != NULL) {
        json_t *j = json_loads(text, 0, NULL);
        assert_non_null(j);
        const char *id = json_string_value(json_object_get(j, "id"));
        const char *source = program_of(lines, n, id);
        assert_non_null(source);
        compare_pair(&t, j, source);
        json_decref(j);
    }
    gzclose(f);
    free_corpus(lines, n);
    print_message("compared: suggest finds the least edit of %d of %d "
                  "repairable pairs; %d others\n",
                  t.found, t.repairable, t.none);
    assert_true(t.repairable >= 100);
    assert_true(t.found * 10 >= t.repairable * 9);
    assert_int_equal(t.invented, 0);
    assert_true(t.stale <= 3);
}

/* --- proofs --------------------------------------------------------------- */

static char *line_text(const char *text, int line) {
    while (--line > 0) {
        text = strchr(text, '\n') + 1;
    }
    return strndup(text, strcspn(text, "\n"));
}

/* Applies the changes as a reader of the JSON would, line for line. */
static char *apply(const char *text, const tc_suggestion *g) {
    tc_buf b = TC_BUF_INIT;
    int line = 1;
    for (const char *p = text; *p != '\0'; line++) {
        size_t n = strcspn(p, "\n");
        const tc_change *c = NULL;
        for (int i = 0; i < g->nchanges; i++) {
            c = g->changes[i].line == line ? &g->changes[i] : c;
        }
        if (c == NULL) {
            tc_buf_write(&b, p, n);
        } else {
            char *is = line_text(text, line);
            assert_string_equal(c->from, is);
            free(is);
            tc_buf_puts(&b, c->to);
        }
        tc_buf_putc(&b, '\n');
        p += n + (p[n] == '\n');
    }
    return b.data;
}

static const tc_verdict *verdict(const program *p, tc_variant_id goal) {
    const tc_decision *d = &p->decisions.items[0];
    for (int i = 0; i < d->nverdicts; i++) {
        if (d->verdicts[i].variant->id == goal) {
            return &d->verdicts[i];
        }
    }
    return NULL;
}

static int64_t elements(const program *p) {
    const tc_region *r = &p->decisions.items[0].copy->dst;
    int64_t n = 1;
    for (int i = 0; i < r->buffer->rank; i++) {
        n *= r->range[i].extent;
    }
    return n;
}

static void prove(const char *text, tc_variant_id goal,
                  const tc_suggestion *g) {
    program before, p;
    char *edited = apply(text, g);
    assert_true(g->nchanges > 0);
    assert_true(program_read(&before, text));
    assert_true(program_read(&p, edited));
    const tc_verdict *v = verdict(&p, goal);
    assert_non_null(v);
    assert_int_equal(v->outcome, TC_ACCEPT);
    assert_int_equal(v->lowering_built, g->built);
    const tc_decision *d = &p.decisions.items[0];
    assert_non_null(d->chosen);
    assert_string_equal(tc_variants[d->chosen->variant->id].name,
                        tc_variants[goal].name);
    if (!g->shrinks) {
        assert_true(elements(&p) >= elements(&before));
    }
    tc_arena_free(before.a);
    tc_arena_free(p.a);
    free(edited);
}

/* Of a slice of the corpus: every suggestion proves itself when its changes
 * are made by hand; sizes rise; what shrinks comes last. */
static void suggestions_are_proved(void **state) {
    (void)state;
    int n, proved = 0;
    corpus_line *lines = read_corpus(&n);
    for (int i = 5; i < n; i += 61) {
        for (int k = 0; k < TC_VARIANT_COUNT; k++) {
            tc_arena *a = tc_arena_new();
            tc_suggestions g;
            tc_suggest_input in =
                input_of(tc_env_new(a), lines[i].program, (tc_variant_id)k);
            tc_suggest(a, &in, &g);
            assert_true(g.n <= TC_SUGGESTIONS);
            for (int m = 0; m < g.n; m++, proved++) {
                prove(lines[i].program, (tc_variant_id)k, &g.items[m]);
                assert_true(m == 0 || g.items[m].size >= g.items[m - 1].size);
                assert_true(m == 0 || !g.items[m - 1].shrinks ||
                            g.items[m].shrinks);
            }
            tc_arena_free(a);
        }
    }
    free_corpus(lines, n);
    assert_true(proved > 100);
}

/* --- cases, derived by hand ----------------------------------------------- */

#define HEAD                                                                   \
    "@T.prim_func\ndef kernel(A_ptr: T.handle):\n"                             \
    "    A = T.match_buffer(A_ptr, (128, 32), \"float16\")\n"                  \
    "    T.device_entry()\n    T.cta_id([1])\n    T.warp_id([4])\n"            \
    "    T.lane_id([32])\n    tid = T.thread_id([128])\n"
#define SMEM "    A_smem = T.alloc_buffer((128, 32), \"float16\", scope="
#define COPY(scope, op)                                                        \
    "    Tx." scope op "(A_smem[0:128, 0:32], A[0:128, 0:32]"

static tc_suggestions ask(tc_arena *a, const char *text, const char *variant) {
    tc_suggestions g;
    tc_variant_id goal;
    assert_true(tc_variant_find(variant, &goal));
    tc_suggest_input in = input_of(tc_env_new(a), text, goal);
    tc_suggest(a, &in, &g);
    return g;
}

/* One of the suggestions changes that line to that. */
static void expect(const char *text, const char *variant, int size, int line,
                   const char *to) {
    tc_arena *a = tc_arena_new();
    tc_suggestions g = ask(a, text, variant);
    bool found = false;
    assert_true(g.n > 0);
    for (int i = 0; i < g.n; i++) {
        assert_int_equal(g.items[i].size, size);
        for (int k = 0; k < g.items[i].nchanges; k++) {
            found |= g.items[i].changes[k].line == line &&
                     strcmp(g.items[i].changes[k].to, to) == 0;
        }
    }
    if (!found) {
        print_error("%s: %s\n", variant, g.items[0].changes[0].to);
    }
    assert_true(found);
    tc_arena_free(a);
}

/* Rows of 33 float16 begin at odd multiples of 2 bytes; 40 is the next multiple
 * of 8 elements, which are 16 bytes. */
static void pads(void **state) {
    (void)state;
    expect(HEAD SMEM
           "\"shared\", layout=TileLayout(S[(128, 32) : (33, 1)]))\n" COPY(
               "cta.", "copy_async") ")\n",
           "ldgsts", 1, 9,
           SMEM "\"shared\", layout=TileLayout(S[(128, 32) : (40, 1)]))");
    /* by name: written out at the use; the name keeps its meaning */
    expect("rows = TileLayout(S[(128, 32) : (33, 1)])\n" HEAD SMEM
           "\"shared\", layout=rows)\n" COPY("cta.", "copy_async") ")\n",
           "ldgsts", 1, 10,
           SMEM "\"shared\", layout=TileLayout(S[(128, 32) : (40, 1)]))");
}

/* tma wants one thread, an mbarrier for the way in, and a group of CTAs. */
static void scopes_and_keywords(void **state) {
    (void)state;
    expect(HEAD SMEM
           "\"shared\")\n    bar = T.alloc_buffer((1,), \"uint64\", "
           "scope=\"shared\")\n" COPY(
               "cta.", "copy_async") ", mbar=bar.ptr_to([0]), cta_group=1)\n",
           "tma", 1, 11,
           "    if tid == 0: Tx.copy_async(A_smem[0:128, 0:32], A[0:128, 0:32]"
           ", mbar=bar.ptr_to([0]), cta_group=1, dispatch=\"tma\")");
    expect(HEAD SMEM "\"shared\")\n    bar = T.alloc_buffer((1,), \"uint64\", "
                     "scope=\"shared\")\n    if tid == 0:\n    " COPY(
                         "", "copy_async") ", cta_group=1)\n",
           "tma", 1, 12,
           "        Tx.copy_async(A_smem[0:128, 0:32], A[0:128, 0:32]"
           ", cta_group=1, mbar=bar.ptr_to([0]), dispatch=\"tma\")");
}

/* The whole CTA copies, but the guard keeps the first warp out. */
static void guards(void **state) {
    (void)state;
    expect(HEAD SMEM "\"shared\")\n    if tid >= 32:\n    " COPY(
               "cta.", "copy") ")\n    T.cuda.cta_sync()\n",
           "gmem_smem", 1, 10, "    # if tid >= 32:");
    expect(HEAD SMEM "\"shared\")\n    if tid >= 32:\n    " COPY(
               "cta.", "copy") ")\n    T.cuda.cta_sync()\n",
           "gmem_smem", 1, 11,
           "    Tx.cta.copy(A_smem[0:128, 0:32], A[0:128, 0:32])");
}

/* Warp 0 is kept out: the thread that copies is the first that comes. Fewer
 * threads would be none. */
static void someone_comes(void **state) {
    (void)state;
    static const char text[] =
        HEAD SMEM "\"shared\")\n    if tid >= 32:\n    " COPY(
            "cta.", "copy_async") ", cta_group=1)\n";
    tc_arena *a = tc_arena_new();
    tc_suggestions g = ask(a, text, "ldgsts");
    for (int i = 0; i < g.n; i++) {
        assert_null(strstr(g.items[i].text, "thread_id([32])"));
    }
    g = ask(a, text, "tma");
    assert_true(g.n > 0);
    assert_non_null(strstr(g.items[0].text, "if tid == 32: Tx.copy_async("));
    tc_arena_free(a);
}

/* cp.async has one direction only. */
static void directions(void **state) {
    (void)state;
    expect(HEAD SMEM
           "\"shared\")\n"
           "    Tx.cta.copy_async(A[0:128, 0:32], A_smem[0:128, 0:32])\n",
           "ldgsts", 1, 10,
           "    Tx.cta.copy_async(A_smem[0:128, 0:32], A[0:128, 0:32])");
}

/* 100 rows of 32 are 3200 elements, 25 for each of 128 threads: no width of
 * cp.async. 15 elements cannot be shared out at all. A suggestion that copies
 * less comes only where nothing else works. */
static void regions(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_suggestions g = ask(a,
                           HEAD SMEM "\"shared\")\n    Tx.cta.copy_async("
                                     "A_smem[0:64, 0:32], A[0:128, 0:32])\n",
                           "ldgsts");
    assert_true(g.n > 0);
    assert_string_equal(
        g.items[0].changes[0].to,
        "    Tx.cta.copy_async(A_smem[0:128, 0:32], A[0:128, 0:32])");
    for (int i = 0; i < g.n; i++) {
        assert_false(g.items[i].shrinks);
    }
    tc_arena_free(a);
}

static void accepted_already(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_suggestions g = ask(
        a, HEAD SMEM "\"shared\")\n" COPY("cta.", "copy") ")\n", "gmem_smem");
    assert_true(g.accepts && g.chosen);
    assert_int_equal(g.n, 0);
    g = ask(a, HEAD SMEM "\"shared\")\n" COPY("cta.", "copy") ")\n",
            "fallback");
    assert_true(g.accepts && !g.chosen);
    assert_int_equal(g.n, 1);
    assert_string_equal(g.items[0].chosen, "fallback");
    assert_string_equal(g.items[0].changes[0].to,
                        COPY("cta.", "copy") ", dispatch=\"fallback\")");
    tc_arena_free(a);
}

/* Global memory can be neither dsmem's source nor its destination. */
static void nothing_works(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_suggestions g = ask(
        a, HEAD SMEM "\"shared\")\n" COPY("cta.", "copy_async") ")\n", "dsmem");
    assert_int_equal(g.n, 0);
    assert_non_null(g.why);
    assert_true(g.tried > 1);
    tc_arena_free(a);
}

/* A copy in one line with another, in a loop, over several lines; a program
 * with two copies, of which the other keeps its choice. */
static void forms(void **state) {
    (void)state;
    expect(HEAD SMEM
           "\"shared\", layout=TileLayout(S[(128, 32) : (33, 1)]))\n"
           "    for k in range(2):\n        Tx.cta.copy_async(\n"
           "            A_smem[0:128, 0:32],\n            A[0:128, 0:32])\n",
           "ldgsts", 1, 9,
           SMEM "\"shared\", layout=TileLayout(S[(128, 32) : (40, 1)]))");
    expect(HEAD SMEM "\"shared\",\n        layout=TileLayout(\n"
                     "            S[(128, 32) : (33, 1)]))\n" COPY(
                         "cta.", "copy_async") ")\n",
           "ldgsts", 1, 10,
           "        layout=TileLayout(S[(128, 32) : (40, 1)])");
}

static void same_twice(void **state) {
    (void)state;
    static const char text[] =
        HEAD SMEM "\"shared\")\n" COPY("warp.", "copy") ")\n";
    tc_arena *a = tc_arena_new();
    for (int k = 0; k < TC_VARIANT_COUNT; k++) {
        tc_suggestions g = ask(a, text, tc_variants[k].name);
        tc_suggestions h = ask(a, text, tc_variants[k].name);
        assert_int_equal(g.n, h.n);
        assert_int_equal(g.tried, h.tried);
        for (int i = 0; i < g.n; i++) {
            assert_string_equal(g.items[i].text, h.items[i].text);
        }
    }
    tc_arena_free(a);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--record") == 0) {
        return record(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_agrees),
        cmocka_unit_test(suggestions_are_proved),
        cmocka_unit_test(pads),
        cmocka_unit_test(scopes_and_keywords),
        cmocka_unit_test(guards),
        cmocka_unit_test(someone_comes),
        cmocka_unit_test(directions),
        cmocka_unit_test(regions),
        cmocka_unit_test(accepted_already),
        cmocka_unit_test(nothing_works),
        cmocka_unit_test(forms),
        cmocka_unit_test(same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
