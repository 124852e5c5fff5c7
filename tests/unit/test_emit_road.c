/* test_emit_road.c - from a learner's text to PTX and CUDA: the demo, and
 * programs of the corpus whose lowering is built, judged by ptxas and nvcc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch_program.h"
#include "emit_build.inc"
#include "ptx/ptx.h"
#include <jansson.h>
#include <zlib.h>

#define CORPUS "tests/corpus/dispatch.jsonl.gz"

static char *read_text(const char *path) {
    tc_buf b = TC_BUF_INIT;
    char chunk[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) {
        tc_buf_write(&b, chunk, n);
    }
    fclose(f);
    return b.data;
}

static void road_part(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        fprintf(stderr, "missing: %s\n%s\n", part, text);
        fail();
    }
}

static int times(const char *text, const char *part) {
    int n = 0;
    for (const char *s = text; (s = strstr(s, part)) != NULL; s++) {
        n++;
    }
    return n;
}

/* The seed's demo: 128 threads, 4 copies of 16 bytes each, one commit, one
 * wait, one barrier, and a loop of 4 copies back. */
static void demo(void **state) {
    (void)state;
    program p;
    char *text = read_text("lessons/ldgsts.py");
    assert_true(program_read(&p, text));
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    assert_non_null(l);
    texts t = emit_both(p.a, l, 0);
    assert_int_equal(t.errors, 0);
    road_part(t.ptx.text, ".visible .entry copy_async_kernel(");
    road_part(t.ptx.text, ".maxntid 128, 1, 1");
    road_part(t.ptx.text, "A_smem[8192];");
    assert_int_equal(times(t.ptx.text, "\tcp.async.cg.shared.global"), 4);
    assert_int_equal(times(t.ptx.text, "\tcp.async.commit_group;"), 1);
    assert_int_equal(times(t.ptx.text, "\tcp.async.wait_group \t0;"), 1);
    assert_int_equal(times(t.ptx.text, "\tbar.sync \t0;"), 1);
    /* Line 10 copies in, 11 commits, 12 waits, 13 syncs, 14 copies back. */
    for (int line = 10; line <= 14; line++) {
        char loc[32];
        snprintf(loc, sizeof loc, "\t.loc \t1 %d 5\n", line);
        road_part(t.ptx.text, loc);
    }
    assert_int_equal(t.ptx.nsymbols, 1);
    assert_string_equal(t.ptx.symbols[0].buffer->name, "A_smem");
    assert_non_null(t.ptx.symbols[0].buffer->layout);
    if (have_tool("ptxas")) {
        assert_true(assembles(t.ptx.text, 80));
        assert_true(assembles(t.ptx.text, 90));
    }
    if (have_tool("nvcc")) {
        const char *cuda = t.cuda.text;
        assert_true(compiles(&cuda, 1, 80));
        assert_true(compiles(&cuda, 1, 90));
    }
    tc_arena_free(p.a);
    free(text);
}

static const char *chosen_of(const json_t *row) {
    return json_string_value(json_object_get(
        json_array_get(json_object_get(row, "copies"), 0), "chosen"));
}

/* Is it lowered between registers and memory? */
static bool is_registers(const json_t *row) {
    const char *chosen = chosen_of(row);
    return chosen != NULL &&
           (strcmp(chosen, "ldstmatrix") == 0 || strcmp(chosen, "reg") == 0);
}

/* Is the corpus row one whose copy has a built lowering? */
static bool is_ours(const json_t *row) {
    const char *chosen = chosen_of(row);
    return chosen != NULL &&
           (strcmp(chosen, "ldgsts") == 0 || strcmp(chosen, "gmem_smem") == 0 ||
            strcmp(chosen, "fallback") == 0);
}

/* Emits one program, whose PTX our own parser must take too; true when its
 * texts exist. */
static bool emit_row(program *p, const char *text, texts *t) {
    if (!program_read(p, text)) {
        return false;
    }
    tc_lowered *l = tc_lower(p->a, p->func, &p->decisions, &p->diags);
    if (l == NULL) {
        return false;
    }
    *t = emit_both(p->a, l, 0);
    if (t->errors > 0) {
        fprintf(stderr, "%s\n%s\n", t->message, text);
    }
    assert_int_equal(t->errors, 0);
    tc_source ptx = {"k.ptx", t->ptx.text, strlen(t->ptx.text), 1};
    /* the simulator does not know these two yet */
    if (strstr(t->ptx.text, "\tldmatrix.") == NULL &&
        strstr(t->ptx.text, "\tstmatrix.") == NULL) {
        assert_non_null(tc_ptx_parse(p->a, &ptx, &p->diags));
    }
    return true;
}

/* A program may ask for more shared memory than any machine has; ptxas then
 * refuses with reason. */
static bool fits(const texts *t) {
    int64_t total = 0;
    for (int i = 0; i < t->ptx.nsymbols; i++) {
        const tc_buffer *b = t->ptx.symbols[i].buffer;
        tc_arena *a = tc_arena_new();
        total += tc_buffer_storage(a, b) * tc_dtype_bytes(b->type);
        tc_arena_free(a);
    }
    return total <= 48 * 1024;
}

enum { LINE = 1 << 18, NVCC = 16 };

/* The rows of the corpus to emit, how often one is assembled, and how many of
 * those are compiled. */
typedef struct sample {
    bool (*wanted)(const json_t *row);
    int step, nvcc;
    int rows, printed, assembled;
    tc_arena *kept;
    const char *cuda[NVCC];
    int ncuda;
} sample;

/* Unmangled names must differ within one file. */
static void keep_cuda(sample *s, const char *cuda) {
    char *text = tc_strdup(s->kept, cuda);
    char *name = strstr(text, "kernel_kernel(");
    if (name != NULL && s->ncuda < s->nvcc) {
        name[0] = (char)('a' + s->ncuda);
        s->cuda[s->ncuda++] = text;
    }
}

static void one_row(sample *s, const char *line) {
    json_t *row = json_loads(line, 0, NULL);
    program p = {0};
    texts t;
    if (s->wanted(row)) {
        const char *text = json_string_value(json_object_get(row, "program"));
        if (emit_row(&p, text, &t)) {
            s->printed++;
            if (s->rows % s->step == 0 && fits(&t)) {
                s->assembled++;
                assert_true(!have_tool("ptxas") || assembles(t.ptx.text, 90));
                keep_cuda(s, t.cuda.text);
            }
        }
        s->rows++;
    }
    if (p.a != NULL) {
        tc_arena_free(p.a);
    }
    json_decref(row);
}

static void run_sample(sample *s, int least) {
    char *line = tc_xmalloc(LINE);
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    s->kept = tc_arena_new();
    while (gzgets(f, line, LINE) != NULL) {
        one_row(s, line);
    }
    gzclose(f);
    free(line);
    printf("%d programs, %d printed, %d assembled\n", s->rows, s->printed,
           s->assembled);
    assert_true(s->printed >= least);
    if (have_tool("nvcc") && s->ncuda > 0) {
        assert_true(compiles(s->cuda, s->ncuda, 90));
    }
    tc_arena_free(s->kept);
}

static void corpus(void **state) {
    (void)state;
    sample s = {.wanted = is_ours, .step = 20, .nvcc = 8};
    run_sample(&s, 500);
}

/* Copies between registers and memory: ldmatrix, stmatrix, wide moves. */
static void registers(void **state) {
    (void)state;
    sample s = {.wanted = is_registers, .step = 11, .nvcc = 16};
    run_sample(&s, 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demo),
        cmocka_unit_test(corpus),
        cmocka_unit_test(registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
