/* test_same_bytes.c - nvcc's PTX of our CUDA text leaves the bytes that our own
 * PTX leaves: programs of tests/gpu/corpus.jsonl.gz and the demo, compiled in
 * one call, in the simulator.
 *
 * A sample; TILECOPY_ALL=1 takes every program. nvcc may merge loads of parts
 * of a tile that was filled in part, and drop what it read too much: in its
 * PTX, never in ours, uninitialized reads are accepted where the bytes are
 * equal, and such programs counted. Skipped where nvcc is missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emit_build.h"
#include "run/run.h"
#include <jansson.h>
#include <zlib.h>

#define CORPUS "tests/gpu/corpus.jsonl.gz"
#define DEMO   "lessons/ldgsts.py"

enum { SAMPLE = 12, CALL = 16 /* most programs nvcc gets at once */ };

typedef struct batch {
    tc_session *sessions[CALL]; /* each after a run of our own PTX */
    const char *entries[CALL];
    char ids[CALL][40];
    int n;
    tc_arena *a;
    tc_buf top, rest;                 /* the CUDA text: includes, kernels */
    size_t programs, buffers, merged; /* merged: see above */
} batch;

static void silent(void *user, const char *text, size_t len) {
    (void)user;
    (void)text;
    (void)len;
}

static void complain(void *user, const tc_diag *d) {
    if (d->severity == TC_ERROR) {
        fprintf(stderr, "%s: line %d: %s\n", (const char *)user, d->line,
                d->message);
    }
}

/* --- nvcc ------------------------------------------------------------------*/

static char *whole_file(const char *path) {
    tc_buf b = TC_BUF_INIT;
    char chunk[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) {
        tc_buf_write(&b, chunk, n);
    }
    fclose(f);
    tc_buf_puts(&b, "");
    return b.data;
}

/* nvcc's PTX of the text. The caller frees it. */
static char *nvcc_ptx(const char *cuda) {
    char nvcc[512], in[] = "/tmp/tc-same-XXXXXX.cu", out[64], command[1024];
    int fd = mkstemps(in, 3);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(f);
    fputs(cuda, f);
    fclose(f);
    snprintf(out, sizeof out, "%s.ptx", in);
    assert_non_null(tool_path("nvcc", nvcc, sizeof nvcc));
    snprintf(command, sizeof command,
             "%s -w -std=c++17 -arch=sm_90 -ptx %s -o %s 1>&2", nvcc, in, out);
    bool ok = system(command) == 0;
    char *text = ok ? whole_file(out) : NULL;
    remove(in);
    remove(out);
    assert_true(ok);
    return text;
}

/* --- one program -----------------------------------------------------------*/

static bool only_uninitialized(const tc_sim_result *r) {
    for (int i = 0; i < r->nfindings; i++) {
        if (r->findings[i].kind != TC_FINDING_UNINITIALIZED_READ) {
            return false;
        }
    }
    return r->status == TC_RUN_FINDINGS && r->nfindings > 0;
}

/* Runs nvcc's kernel over the data that our own run began with. */
static void run_module(batch *b, int i, const tc_ptx_module *m) {
    tc_session *s = b->sessions[i];
    const tc_last_run *run = s->program.run;
    tc_diags diags = {.fn = complain, .user = b->ids[i]};
    tc_sim_options o = {.arch = tc_sim_archs()[0], .hazards = true};
    tc_sim *sim = tc_sim_new(m, &o, &diags);
    assert_non_null(sim);
    uint64_t params[8] = {0};
    tc_sim_allocation *mem[8];
    assert_in_range(run->nbuffers, 1, 8);
    for (int k = 0; k < run->nbuffers; k++) {
        const tc_run_buffer *x = &run->buffers[k];
        mem[k] = tc_sim_alloc(sim, x->bytes, x->buffer->name);
        assert_non_null(mem[k]);
        tc_fill_buffer(mem[k]->bytes, x->bytes, x->buffer->type, k,
                       s->options.seed);
        params[k] = mem[k]->address;
    }
    tc_sim_launch l = {.entry = b->entries[i],
                       .params = (const uint8_t *)params,
                       .nparams = (uint32_t)run->nbuffers * 8,
                       .dynamic_shared =
                           (uint32_t)s->program.lowered->dynamic_shared};
    memcpy(l.grid, run->grid, sizeof l.grid);
    memcpy(l.block, run->block, sizeof l.block);
    memcpy(l.cluster, run->cluster, sizeof l.cluster);
    tc_sim_result r;
    if (!tc_sim_run(sim, &l, &diags, &r) ||
        (r.status != TC_RUN_OK && !only_uninitialized(&r))) {
        fail_msg("%s: nvcc's PTX does not run to its end", b->ids[i]);
    }
    for (int k = 0; k < run->nbuffers; k++) {
        const tc_run_buffer *x = &run->buffers[k];
        if (memcmp(mem[k]->bytes, x->after, x->bytes) != 0) {
            fail_msg("%s: %s differs", b->ids[i], x->buffer->name);
        }
        b->buffers++;
    }
    b->programs++;
    b->merged += r.status != TC_RUN_OK;
    tc_sim_free(sim);
}

/* Compiles what has been gathered, compares, and begins anew. */
static void finish(batch *b) {
    tc_diags diags = {.fn = complain, .user = "nvcc's PTX"};
    tc_buf_puts(&b->top, tc_buf_text(&b->rest));
    char *text = nvcc_ptx(tc_buf_text(&b->top));
    tc_source src = {"nvcc.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(b->a, &src, &diags);
    assert_non_null(m);
    for (int i = 0; i < b->n; i++) {
        run_module(b, i, m);
        tc_session_free(b->sessions[i]);
    }
    free(text);
    tc_arena_free(b->a);
    tc_buf_free(&b->top);
    tc_buf_free(&b->rest);
    *b = (batch){
        .programs = b->programs, .buffers = b->buffers, .merged = b->merged};
}

/* The session's program, run; its CUDA text joins the batch. */
static void gather(batch *b, tc_session *s, const char *id) {
    tc_diags diags = {.fn = complain, .user = (void *)(uintptr_t)id};
    tc_emitted cuda;
    if (tc_session_eval(s, "run") != TC_OK || tc_session_had_findings(s)) {
        fail_msg("%s does not run", id);
    }
    if (b->a == NULL) {
        b->a = tc_arena_new();
    }
    assert_true(tc_emit_cuda(b->a, s->program.lowered, &diags, &cuda));
    snprintf(b->ids[b->n], sizeof b->ids[0], "%s", id);
    const char *text = take_includes(&b->top, cuda.text);
    tc_buf_printf(&b->rest, "namespace program_%d {\n%s}\n", b->n, text);
    b->entries[b->n] = cuda.entry;
    b->sessions[b->n++] = s;
    if (b->n == CALL) {
        finish(b);
    }
}

static tc_session *new_session(void) {
    tc_options o = tc_options_default();
    return tc_session_new(&o, complain, silent, "program");
}

/* --- the test --------------------------------------------------------------*/

static size_t count_lines(char *line, int size) {
    gzFile f = gzopen(CORPUS, "rb");
    size_t n = 0;
    assert_non_null(f);
    while (gzgets(f, line, size) != NULL) {
        n++;
    }
    gzclose(f);
    return n;
}

static void same_bytes(void **state) {
    static char line[1 << 16];
    static batch b;
    (void)state;
    if (!have_tool("nvcc")) {
        skip();
    }
    size_t lines = count_lines(line, sizeof line);
    size_t step = getenv("TILECOPY_ALL") != NULL ? 1 : lines / SAMPLE + 1;
    tc_session *demo = new_session();
    assert_int_equal(tc_session_load(demo, DEMO), TC_OK);
    gather(&b, demo, DEMO);
    gzFile f = gzopen(CORPUS, "rb");
    for (size_t i = 0; gzgets(f, line, sizeof line) != NULL; i++) {
        if (i % step != 0) {
            continue;
        }
        json_t *j = json_loads(line, 0, NULL);
        tc_session *s = new_session();
        assert_int_equal(tc_session_eval(s, json_string_value(
                                                json_object_get(j, "program"))),
                         TC_OK);
        gather(&b, s, json_string_value(json_object_get(j, "id")));
        json_decref(j);
    }
    gzclose(f);
    if (b.n > 0) {
        finish(&b);
    }
    assert_true(b.programs > 1);
    printf("compared nvcc's PTX and ours: %zu programs, %zu buffers, equal "
           "bytes\n",
           b.programs, b.buffers);
    if (b.merged > 0) {
        printf("with uninitialized reads in nvcc's: %zu programs\n", b.merged);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
