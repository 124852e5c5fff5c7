/* test_alu_h200.c - single instructions: the simulator against an H200.
 *
 * tests/gpu/alu-h200.gz holds what an H200 answered to the kernels of
 * alu_cases.h (alu_gen, alu_host and alu_pack of tests/tools made it). Here the
 * same kernels run in the simulator, on its common path, on the one
 * for any CPU, and on its slow one.
 * Instructions whose result PTX defines agree in every bit; approximate ones in
 * special values, and elsewhere both are within PTX's error (alu_error.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "alu_corpus.h"
#include "alu_error.h"
#include "sim/sim.h"

typedef struct machine {
    tc_arena *arena;
    tc_sim *sim;
    uint64_t *out; /* out[case * ALU_TUPLES + tuple] */
} machine;

typedef struct tally {
    long cases, tuples;             /* compared */
    long equal_cases, equal_tuples; /* in every bit */
    long near_cases, near_tuples;   /* differ within PTX's error */
    long open_cases, open_tuples;   /* differ in a row of open_cases */
    long wrong_cases, wrong_tuples;
} tally;

static void complain(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

static machine execute(const alu_case *cases, int n, const char *isa) {
    machine m = {tc_arena_new(), NULL, NULL};
    tc_buf text = TC_BUF_INIT;
    tc_diags d = {.fn = complain};
    alu_module(&text, cases, n);
    tc_source *s = TC_NEW(m.arena, tc_source);
    const char *ptx = tc_buf_finish(&text, m.arena);
    *s = (tc_source){"batch.ptx", ptx, strlen(ptx), 1};
    tc_ptx_module *module = tc_ptx_parse(m.arena, s, &d);
    assert_non_null(module);
    tc_sim_options o = {.isa = isa};
    m.sim = tc_sim_new(module, &o, &d);
    assert_non_null(m.sim);
    tc_sim_allocation *in =
        tc_sim_alloc(m.sim, ALU_TUPLES * ALU_WORDS * 8, "in");
    tc_sim_allocation *out =
        tc_sim_alloc(m.sim, ALU_BATCH * ALU_TUPLES * 8, "out");
    uint64_t *words = (uint64_t *)(void *)in->bytes;
    for (int t = 0; t < ALU_TUPLES; t++) {
        for (int k = 0; k < ALU_WORDS; k++) {
            words[t * ALU_WORDS + k] = alu_input_word(t, k);
        }
    }
    uint64_t params[2] = {in->address, out->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {ALU_TUPLES / 128, 1, 1},
                       .block = {128, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    tc_sim_result r;
    assert_true(tc_sim_run(m.sim, &l, &d, &r));
    assert_int_equal(r.status, TC_RUN_OK);
    m.out = (uint64_t *)(void *)out->bytes;
    return m;
}

static void finish(machine *m) {
    tc_sim_free(m->sim);
    tc_arena_free(m->arena);
}

/* Where an H200 (driver 580, its compiler that of CUDA 13.0) does otherwise
 * than PTX says, or PTX says nothing, and the simulator does not follow it. */
static const struct {
    const char *start, *part; /* of the instruction */
    const char *why;
} open_cases[] = {
    {"fma.rm.", ".bf16 ", "PTX has .rn only; a sum that is 0 is -0 there"},
    {"vsub.u32.s32.s32.max", "",
     "of two with the top bit set the GPU takes the smaller"},
    {"vsub.u32.u32.s32.max", "", "the same"},
    {"vshr.u32.s32.u32.wrap.max", "", "the same"},
};

static bool is_open(const char *text) {
    for (size_t i = 0; i < sizeof open_cases / sizeof *open_cases; i++) {
        const char *s = open_cases[i].start;
        if (strncmp(text, s, strlen(s)) == 0 &&
            strstr(text, open_cases[i].part) != NULL) {
            return true;
        }
    }
    return false;
}

typedef struct worst { /* between elements of both, where PTX has a bound */
    uint64_t ulps;
    double distance;
} worst;

static void note(worst *w, uint64_t ulps, double distance) {
    w->ulps = ulps > w->ulps ? ulps : w->ulps;
    w->distance = fmax(w->distance, distance);
}

/* Do the results of an approximate instruction differ no more than they may? */
static bool near(const char *text, const alu_bound *b, int tuple, uint64_t ours,
                 uint64_t gpu, worst *w) {
    alu_format f = alu_format_of(text);
    for (int i = 0; i < f.elements; i++) {
        uint64_t a = alu_element(ours, f, i), g = alu_element(gpu, f, i);
        uint64_t x = alu_element(alu_input_word(tuple, 0), f, i);
        uint64_t y = alu_element(alu_input_word(tuple, 1), f, i);
        if (a == g) {
            continue;
        }
        double u = alu_value(alu_flushed(x, f, text), f);
        double v = alu_value(alu_flushed(y, f, text), f);
        if (!alu_allowed(text, b, f, u, v, a) ||
            !alu_allowed(text, b, f, u, v, g)) {
            return false;
        }
        if (b->within == 0 || fabs(u) <= b->within) {
            note(w, alu_steps(a, g, f),
                 fabs(alu_value(a, f) - alu_value(g, f)));
        }
    }
    return true;
}

static void tell(const char *text, int t, uint64_t ours, uint64_t gpu) {
    fprintf(stderr,
            "%s of %016llx %016llx %016llx %016llx: H200 %llx, here %llx\n",
            text, (unsigned long long)alu_input_word(t, 0),
            (unsigned long long)alu_input_word(t, 1),
            (unsigned long long)alu_input_word(t, 2),
            (unsigned long long)alu_input_word(t, 3), (unsigned long long)gpu,
            (unsigned long long)ours);
}

static void compare(const alu_case *c, const alu_corpus *corpus, int i,
                    const uint64_t *ours, tally *n) {
    const alu_bound *b = alu_bound_of(c->text);
    long equal = 0, nearly = 0, wrong = 0, open = 0;
    worst w = {0, 0};
    for (int t = 0; t < ALU_TUPLES; t++) {
        uint64_t gpu = alu_get_result(corpus, i, t);
        if (ours[t] == gpu) {
            equal++;
        } else if (b != NULL && near(c->text, b, t, ours[t], gpu, &w)) {
            nearly++;
        } else if (is_open(c->text)) {
            open++;
        } else if (wrong++ < 3) {
            tell(c->text, t, ours[t], gpu);
        }
    }
    n->cases++;
    n->tuples += ALU_TUPLES;
    n->equal_tuples += equal;
    n->near_tuples += nearly;
    n->wrong_tuples += wrong;
    n->equal_cases += equal == ALU_TUPLES;
    n->near_cases += wrong == 0 && nearly > 0;
    n->open_tuples += open;
    n->open_cases += open > 0;
    n->wrong_cases += wrong > 0;
    if (wrong > 0) {
        fprintf(stderr, "    %ld of %d tuples\n", wrong, ALU_TUPLES);
    }
    if (nearly > 0) {
        bool upper = strstr(c->text, ".ftz.f64") != NULL;
        printf("%s differs in %ld of %d, by at most ", c->text, nearly,
               ALU_TUPLES);
        if (b->absolute != 0 && w.ulps > 100) { /* near zero */
            printf("2^%.1f", log2(w.distance));
        } else {
            printf("%llu ulp%s",
                   (unsigned long long)(upper ? w.ulps >> 32 : w.ulps),
                   upper ? " of the upper word" : "");
        }
        printf(" (%s)\n", b->section);
    }
}

static void replay(const char *isa) {
    alu_case *cases = NULL;
    alu_corpus corpus = {0};
    tally n = {0};
    int total = alu_list(ALU_FORMS, &cases);
    assert_true(alu_corpus_read("tests/gpu/alu-h200.gz", &corpus));
    assert_int_equal(total, (int)corpus.n);
    for (int i = 0, m; i < total; i += m) {
        m = alu_batch(cases + i, total - i);
        machine run = execute(cases + i, m, isa);
        for (int k = 0; k < m; k++) {
            compare(cases + i + k, &corpus, i + k,
                    run.out + (size_t)k * ALU_TUPLES, &n);
        }
        finish(&run);
    }
    printf("compared with an H200: of %ld instructions %ld agree in every bit "
           "and %ld within PTX's error, %ld differ and are known to; of %ld "
           "results %ld, %ld and %ld\n",
           n.cases, n.equal_cases, n.near_cases, n.open_cases, n.tuples,
           n.equal_tuples, n.near_tuples, n.open_tuples);
    alu_corpus_free(&corpus);
    free(cases);
    assert_int_equal(n.wrong_cases, 0);
}

static void common_path(void **state) {
    (void)state;
    replay(NULL);
}

static void plain_path(void **state) {
    (void)state;
    replay("plain");
}

static void slow_path(void **state) {
    (void)state;
    replay("none");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(common_path),
                                       cmocka_unit_test(plain_path),
                                       cmocka_unit_test(slow_path)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
