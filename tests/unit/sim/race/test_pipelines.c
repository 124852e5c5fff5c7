/* test_pipelines.c - random asynchronous programs (pipeline_gen.h). A correct
 * one leaves the bytes that it means, and yields no finding, whenever its
 * copies land; without any one of its synchronisations it yields a finding of a
 * kind that fits, at the lines that the defect is between, in every schedule.
 *
 *     test_pipelines                     the seeds of the suite
 *     test_pipelines FROM COUNT          others
 *     test_pipelines --show SEED [BREAK] a program's text
 *     test_pipelines --write FOLDER N    correct ones, for ptx_host on a GPU
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "detail_text.h"
#include "pipeline_program.h"
#include "sample.h"
#include "tool.h"
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SUITE_SEEDS = 100 / SAMPLE, RUN_SECONDS = 60 };
static bool whole; /* not the suite: every broken program in every schedule */

typedef struct setting {
    const char *name;
    tc_completion completion;
    uint64_t seed;
    bool timing;
} setting;

static const setting settings[] = {
    {"late", TC_COMPLETE_LATE, 0, false},
    {"early", TC_COMPLETE_EARLY, 0, false},
    {"random 1", TC_COMPLETE_RANDOM, 1, false},
    {"random 2", TC_COMPLETE_RANDOM, 2, false},
    {"random 3", TC_COMPLETE_RANDOM, 3, false},
    {"timing", TC_COMPLETE_TIMING, 0, true},
    {"early, timing", TC_COMPLETE_EARLY, 0, true},
    {"late, timing", TC_COMPLETE_LATE, 0, true},
    {"random 4, timing", TC_COMPLETE_RANDOM, 4, true},
};
enum {
    SETTINGS = (int)(sizeof settings / sizeof settings[0]),
    UNTIMED = 5,
    QUICK = 7 /* the others spin for long before a copy lands */
};

/* Is it that setting's turn? */
static bool tried(uint64_t seed, const pipe_break *b, int which) {
    int pick = (int)(seed % 64) + (b ? (int)strlen(b->name) : 0);
    if (which >= QUICK) {
        return seed % 10 == 0 && (whole || !b);
    }
    return !b || whole || which == pick % UNTIMED ||
           (pick % 4 == 0 && which == UNTIMED + pick / 4 % 2);
}

static atomic_int too_long; /* of a run, for the alarm */
static void on_alarm(int signal) {
    (void)signal;
    too_long = 1;
}

typedef struct outcome {
    bool ran;
    tc_sim *sim;
    tc_sim_result r;
    int launch; /* of the findings, from 0 */
    tc_sim_allocation *buffers[PIPE_PARAMS];
} outcome;

static void complain(void *user, const tc_diag *d) {
    fprintf(stderr, "%s: %d:%d: %s\n", (const char *)user, d->line, d->col,
            d->message);
}

static void start(outcome *o, const pipe_program *p, const tc_ptx_module *m,
                  const setting *how, tc_diags *d) {
    tc_sim_options so = {.hazards = true,
                         .timing = how->timing,
                         .completion = how->completion,
                         .seed = how->seed,
                         .cancel = &too_long};
    o->sim = tc_sim_new(m, &so, d);
    assert_non_null(o->sim);
    for (int i = 0; i < PIPE_PARAMS; i++) {
        o->buffers[i] = tc_sim_alloc(o->sim, pipe_bytes(p, i), "a");
        tc_fill_buffer(o->buffers[i]->bytes, pipe_bytes(p, i), pipe_dtype(p), i,
                       0);
    }
}

/* Launches until there is a finding. */
static outcome run(const pipe_program *p, const tc_ptx_module *m,
                   const setting *how) {
    outcome o = {0};
    tc_diags d = {.fn = complain, .user = "run"};
    uint64_t params[PIPE_PARAMS];
    start(&o, p, m, how, &d);
    for (int i = 0; i < PIPE_PARAMS; i++) {
        params[i] = o.buffers[i]->address;
    }
    tc_sim_launch l = {.entry = "k",
                       .grid = {(uint32_t)p->grid, 1, 1},
                       .block = {(uint32_t)p->threads, 1, 1},
                       .cooperative = true,
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    if (p->cluster) {
        l.cluster[0] = (uint32_t)p->cluster;
        l.cluster[1] = l.cluster[2] = 1;
    }
    too_long = 0;
    alarm(RUN_SECONDS);
    for (o.launch = 0; o.launch < p->launches; o.launch++) {
        o.ran = tc_sim_run(o.sim, &l, &d, &o.r);
        if (!o.ran || o.r.status != TC_RUN_OK) {
            break;
        }
    }
    alarm(0);
    return o;
}

static void end(outcome *o) {
    tc_sim_free(o->sim);
}

static int line_of(const tc_access *a) {
    return a->valid && a->op ? (int)a->op->ptx_line : 0;
}

static void show(const char *what, const pipe_program *p, uint64_t seed,
                 const setting *how, const outcome *o) {
    fprintf(stderr, "seed %llu, %s%s%s, %s: status %d, launch %d\n",
            (unsigned long long)seed, what, p->without ? " " : "",
            p->without ? p->without : "", how->name,
            o->ran ? (int)o->r.status : -1, o->launch);
    for (int i = 0; o->ran && i < o->r.nfindings && i < 6; i++) {
        const tc_finding *f = &o->r.findings[i];
        fprintf(stderr,
                "  %s at line %d (%u.%u.%u) cause line %d (%u.%u.%u) %.1500s\n",
                tc_finding_kind_names[f->kind], line_of(&f->at), f->at.cta,
                f->at.warp, f->at.lane, line_of(&f->cause), f->cause.cta,
                f->cause.warp, f->cause.lane, detail_text(f));
    }
}

/* ---- correct programs ---- */

static bool same_bytes(const pipe_program *p, const outcome *o,
                       uint8_t *const *want) {
    for (int i = 0; i < PIPE_PARAMS; i++) {
        const uint8_t *got = o->buffers[i]->bytes;
        for (uint64_t k = 0; k < pipe_bytes(p, i); k++) {
            if (got[k] != want[i][k]) {
                fprintf(stderr, "  buffer %d differs at byte %llu\n", i,
                        (unsigned long long)k);
                return false;
            }
        }
    }
    return true;
}

static void expected(const pipe_program *p, uint8_t **want) {
    for (int i = 0; i < PIPE_PARAMS; i++) {
        want[i] = tc_xcalloc(1, pipe_bytes(p, i));
        tc_fill_buffer(want[i], pipe_bytes(p, i), pipe_dtype(p), i, 0);
    }
    for (int i = 0; i < p->launches; i++) {
        pipe_launch(p, want);
    }
}

static int try_correct(const pipe_program *p, uint64_t seed,
                       const tc_ptx_module *m) {
    uint8_t *want[PIPE_PARAMS];
    int bad = 0;
    expected(p, want);
    for (int i = 0; i < SETTINGS; i++) {
        if (!tried(seed, NULL, i)) {
            continue;
        }
        outcome o = run(p, m, &settings[i]);
        if (!o.ran || o.r.status != TC_RUN_OK || o.r.nfindings ||
            !same_bytes(p, &o, want)) {
            if (!bad++) { /* the first alone */
                show("correct", p, seed, &settings[i], &o);
            }
        }
        end(&o);
    }
    for (int i = 0; i < PIPE_PARAMS; i++) {
        free(want[i]);
    }
    return bad;
}

/* ---- broken ones ---- */

static bool is_of(const pipe_program *p, const tc_access *a, uint32_t tags) {
    int line = line_of(a);
    return (tags & T_ANY) ||
           (line > 0 && line < PIPE_LINES && (p->tags[line] & tags));
}

/* Where the run hangs, the two accesses may not have met: then the wait that
 * hangs tells. */
static bool fits(const pipe_program *p, const pipe_break *b,
                 const tc_finding *f, bool hangs) {
    uint32_t also =
        b->also | (hangs && b->also ? PK(DEADLOCK) | PK(MBARRIER_DEADLOCK) : 0);
    if (also >> f->kind & 1) {
        return true;
    }
    return (b->kinds >> f->kind & 1) &&
           ((is_of(p, &f->at, b->here) && is_of(p, &f->cause, b->from)) ||
            (is_of(p, &f->at, b->from) && is_of(p, &f->cause, b->here)));
}

static int try_broken(const pipe_program *p, uint64_t seed, const pipe_break *b,
                      const tc_ptx_module *m) {
    int bad = 0;
    for (int i = 0; i < SETTINGS; i++) {
        if (!tried(seed, b, i)) {
            continue;
        }
        outcome o = run(p, m, &settings[i]);
        bool found = false;
        for (int k = 0; o.ran && k < o.r.nfindings; k++) {
            found |=
                fits(p, b, &o.r.findings[k], o.r.status == TC_RUN_DEADLOCK);
        }
        if (!found) {
            if (!bad++) { /* the first alone */
                show("without", p, seed, &settings[i], &o);
            }
        }
        end(&o);
    }
    return bad;
}

/* ---- a seed ---- */

static const tc_ptx_module *parse(tc_arena *a, const pipe_program *p) {
    tc_diags d = {.fn = complain, .user = "parse"};
    tc_source *s = TC_NEW(a, tc_source);
    *s = (tc_source){"pipe.ptx", tc_buf_text(&p->text), p->text.len, 1};
    return tc_ptx_parse(a, s, &d);
}

/* without: NULL, the correct program. */
static int try_one(pipe_program *p, uint64_t seed, const pipe_break *b) {
    tc_arena *a = tc_arena_new();
    pipe_write(p, seed, b ? b->name : NULL);
    const tc_ptx_module *m = parse(a, p);
    int bad = 1;
    if (m) {
        bad = b ? try_broken(p, seed, b, m) : try_correct(p, seed, m);
    } else {
        fprintf(stderr, "seed %llu does not parse\n", (unsigned long long)seed);
    }
    if (!b && getenv("PIPELINES_PTXAS") &&
        !ptxas_takes("sm_90a", tc_buf_text(&p->text))) {
        bad++;
    }
    tc_buf_free(&p->text);
    tc_arena_free(a);
    return bad;
}

typedef struct tally {
    int programs, breaks, bad;
} tally;

static void try_seed(uint64_t seed, tally *t) {
    pipe_program *p = tc_xcalloc(2, sizeof *p), *broken = p + 1;
    const char *only = getenv("PIPELINES_BREAK");
    t->programs++;
    int bad = try_one(p, seed, NULL);
    t->bad += bad;
    for (int i = 0; i < p->nbreaks && !bad; i++) {
        if (only && !strstr(p->breaks[i].name, only)) {
            continue;
        }
        t->breaks++;
        t->bad += try_one(broken, seed, &p->breaks[i]);
    }
    free(p);
}

static tally try_seeds(uint64_t from, uint64_t n) {
    tally t = {0};
    signal(SIGALRM, on_alarm);
    for (uint64_t seed = from; seed < from + n; seed++) {
        try_seed(seed, &t);
    }
    printf("%d programs, and %d with one line less: %d wrong\n", t.programs,
           t.breaks, t.bad);
    return t;
}

static void test_seeds(void **state) {
    (void)state;
    assert_int_equal(try_seeds(1, SUITE_SEEDS).bad, 0);
}

static int show_program(int argc, char **argv) {
    pipe_program *p = tc_xcalloc(1, sizeof *p);
    pipe_write(p, strtoull(argv[2], NULL, 0), argc > 3 ? argv[3] : NULL);
    printf("%s", tc_buf_text(&p->text));
    for (int i = 0; i < p->nbreaks; i++) {
        printf("// %s\n", p->breaks[i].name);
    }
    tc_buf_free(&p->text);
    free(p);
    return 0;
}

/* One launch of a correct program, and the buffers that it must leave: a line
 * of ptx_host's (tests/gpu/pipelines.sh). */
static void write_program(const char *folder, uint64_t seed) {
    pipe_program *p = tc_xcalloc(1, sizeof *p);
    uint8_t *want[PIPE_PARAMS];
    char path[1024];
    pipe_write(p, seed, NULL);
    p->launches = 1;
    expected(p, want);
    snprintf(path, sizeof path, "%s/p%04llu.ptx", folder,
             (unsigned long long)seed);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "// launch: k %d %d", p->grid, p->threads);
    if (p->cluster) {
        fprintf(f, " --cluster %d,1,1", p->cluster);
    }
    for (int i = 0; i < PIPE_PARAMS; i++) {
        fprintf(f, " %s[%llu]", pipe_type(p),
                (unsigned long long)pipe_bytes(p, i) /
                    (unsigned long long)p->size);
    }
    for (int i = 0; i < PIPE_PARAMS; i++) {
        fprintf(f, "\n// a%d %llu %016llx", i,
                (unsigned long long)pipe_bytes(p, i),
                (unsigned long long)tc_fnv1a64(want[i], pipe_bytes(p, i)));
        free(want[i]);
    }
    fprintf(f, "\n%s", tc_buf_text(&p->text));
    fclose(f);
    tc_buf_free(&p->text);
    free(p);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds),
    };
    if (argc > 2 && strcmp(argv[1], "--show") == 0) {
        return show_program(argc, argv);
    }
    if (argc == 4 && strcmp(argv[1], "--write") == 0) {
        for (int i = 1; i <= atoi(argv[3]); i++) {
            write_program(argv[2], (uint64_t)i);
        }
        return 0;
    }
    if (argc == 3) {
        whole = true;
        return try_seeds(strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0))
                   .bad != 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
