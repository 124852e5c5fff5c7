/* test_conformance.c - every copy of the corpus that a variant accepts has its
 * PTX and its CUDA text, or is one of the known refusals (refused.txt).
 *
 * test_conformance --write FOLDER writes those texts for ptxas and nvcc:
 * FOLDER/ptx/ARCH/ID.ptx, and FOLDER/cuda/ARCH/N.cu with BATCH programs each
 * (tests/tools/conformance.sh runs the tools over them). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch_program.h"
#include "emit_build.h"
#include <jansson.h>
#include <sys/stat.h>
#include <zlib.h>

#define CORPUS  "tests/corpus/dispatch.jsonl.gz"
#define REFUSED "tests/corpus/refused.txt"

enum { LINE = 1 << 18, REFUSALS = 512, BATCH = 32, MEMORY = 227 << 10 };

/* A line of refused.txt. bytes 0: the fallback onto thread axes. */
typedef struct refusal {
    char id[32];
    long long bytes;
    bool seen;
} refusal;

/* Programs for one arch that are to be compiled as one file. */
typedef struct batch {
    const char *arch;
    tc_buf top, rest;
    int programs, files;
} batch;

typedef struct conformance {
    refusal refusals[REFUSALS];
    int nrefusals;
    int copies, printed, refused, wrong;
    const char *folder; /* NULL: nothing is written */
    batch batches[2];
} conformance;

static void read_refusals(conformance *c) {
    char line[256], reason[32];
    FILE *f = fopen(REFUSED, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) != NULL) {
        refusal *r = &c->refusals[c->nrefusals];
        if (line[0] != '#' &&
            sscanf(line, "%31s %31s %lld", r->id, reason, &r->bytes) >= 2) {
            bool memory = strcmp(reason, "shared-memory") == 0;
            assert_true(memory || strcmp(reason, "thread-axes") == 0);
            assert_true(memory ? r->bytes > MEMORY : r->bytes == 0);
            assert_true(++c->nrefusals < REFUSALS);
        }
    }
    fclose(f);
}

static refusal *refusal_of(conformance *c, const char *id) {
    for (int i = 0; i < c->nrefusals; i++) {
        if (strcmp(c->refusals[i].id, id) == 0) {
            return &c->refusals[i];
        }
    }
    return NULL;
}

static void wrong(conformance *c, const char *id, const char *what,
                  const char *message) {
    fprintf(stderr, "%s: %s: %s\n", id, what, message);
    c->wrong++;
}

/* Is the message that of the listed reason, and the row TVM's own word for it?
 */
static void check_refusal(conformance *c, const json_t *row, refusal *r,
                          const char *message) {
    const char *error = json_string_value(json_object_get(row, "error"));
    const json_t *copy = json_array_get(json_object_get(row, "copies"), 0);
    const char *chosen = json_string_value(json_object_get(copy, "chosen"));
    const char *substring =
        r->bytes > 0 ? "at most 232448 (227 KiB)" : "belongs to one thread";
    c->refused++;
    r->seen = true;
    if (strstr(message, substring) == NULL) {
        wrong(c, r->id, "not the listed reason", message);
    }
    if (r->bytes > 0 ? error != NULL
                     : error == NULL || strcmp(chosen, "fallback") != 0 ||
                           strstr(error, "thread-axis layout") == NULL) {
        wrong(c, r->id, "TVM has another reason", error != NULL ? error : "");
    }
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void write_batch(conformance *c, batch *b) {
    char path[512];
    if (b->programs > 0) {
        snprintf(path, sizeof path, "%s/cuda/%s/%d.cu", c->folder, b->arch,
                 ++b->files);
        tc_buf_puts(&b->top, tc_buf_text(&b->rest));
        write_text(path, tc_buf_text(&b->top));
    }
    b->programs = 0;
    tc_buf_free(&b->top);
    tc_buf_free(&b->rest);
}

/* Kernels are not mangled: each gets a name of its own. nvcc names the
 * program in its messages, by #line. */
static void add_cuda(conformance *c, batch *b, const char *id,
                     const char *cuda) {
    const char *text = take_includes(&b->top, cuda);
    const char *name = strstr(text, " kernel_kernel(");
    assert_non_null(name);
    tc_buf_printf(&b->rest, "namespace program_%d {\n#line 1 \"%s\"\n",
                  b->programs, id);
    tc_buf_write(&b->rest, text, (size_t)(name - text));
    tc_buf_printf(&b->rest, " kernel_%d%s}\n", b->programs, name + 7);
    if (++b->programs == BATCH) {
        write_batch(c, b);
    }
}

static void write_texts(conformance *c, const json_t *row, const char *id,
                        const texts *t) {
    char path[512];
    const char *arch = json_string_value(json_object_get(row, "arch"));
    for (int i = 0; c->folder != NULL && i < 2; i++) {
        if (strcmp(c->batches[i].arch, arch) == 0) {
            snprintf(path, sizeof path, "%s/ptx/%s/%s.ptx", c->folder, arch,
                     id);
            write_text(path, t->ptx.text);
            add_cuda(c, &c->batches[i], id, t->cuda.text);
        }
    }
}

static void one_row(conformance *c, const json_t *row) {
    const char *id = json_string_value(json_object_get(row, "id"));
    program p;
    texts t = {0};
    refusal *known = refusal_of(c, id);
    tc_lowered *l = NULL;
    c->copies++;
    if (program_read(&p, json_string_value(json_object_get(row, "program")))) {
        l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    }
    if (l != NULL) {
        t = emit_both(p.a, l, 0);
    }
    const char *message = l == NULL ? p.message : t.message;
    bool refused = l == NULL || t.errors > 0;
    if (refused != (known != NULL)) {
        wrong(c, id, refused ? "refused" : "should be refused", message);
    } else if (refused) {
        check_refusal(c, row, known, message);
    } else {
        c->printed++;
        write_texts(c, row, id, &t);
    }
    tc_arena_free(p.a);
}

/* Rows with a chosen copy alone: the others have nothing to lower. */
static void all_rows(conformance *c) {
    char *line = tc_xmalloc(LINE);
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    read_refusals(c);
    while (gzgets(f, line, LINE) != NULL) {
        json_t *row = json_loads(line, 0, NULL);
        const json_t *copy = json_array_get(json_object_get(row, "copies"), 0);
        if (json_is_string(json_object_get(copy, "chosen"))) {
            one_row(c, row);
        }
        json_decref(row);
    }
    gzclose(f);
    free(line);
    for (int i = 0; i < c->nrefusals; i++) {
        if (!c->refusals[i].seen) {
            wrong(c, c->refusals[i].id, "listed", "not among those refused");
        }
    }
    printf("compared %d chosen copies: %d have PTX and CUDA text, %d refused "
           "as listed, %d wrong\n",
           c->copies, c->printed, c->refused, c->wrong);
}

static void every_copy(void **state) {
    (void)state;
    conformance c = {0};
    all_rows(&c);
    assert_int_equal(c.wrong, 0);
    assert_true(c.printed > 1200);
}

/* The limits, to the byte: sm_80 has 163 KiB, sm_90 227 KiB (CUDA C++
 * Programming Guide); ptxas takes more than 48 KiB of static buffers for sm_90a
 * and not for sm_90. 0: no arch. */
static void limits(void **state) {
    (void)state;
    static const struct {
        int bytes;
        const char *scope;
        int sm;
        bool a;
    } rows[] = {{48 << 10, "shared", 80, false},
                {(48 << 10) + 1, "shared", 90, true},
                {227 << 10, "shared", 90, true},
                {(227 << 10) + 1, "shared", 0, false},
                {163 << 10, "shared.dyn", 80, false},
                {(163 << 10) + 1, "shared.dyn", 90, false},
                {227 << 10, "shared.dyn", 90, false},
                {(227 << 10) + 1, "shared.dyn", 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        program p;
        snprintf(text, sizeof text,
                 "@T.prim_func\ndef kernel(A_ptr: T.handle):\n"
                 "    A = T.match_buffer(A_ptr, (64,), \"uint8\")\n"
                 "    T.device_entry(); c = T.cta_id([1])\n"
                 "    tid = T.thread_id([32])\n"
                 "    S = T.alloc_buffer((%d,), \"uint8\", scope=\"%s\")\n"
                 "    Tx.cta.copy(S[0:64], A[0:64])\n",
                 rows[i].bytes, rows[i].scope);
        assert_true(program_read(&p, text));
        tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
        assert_non_null(l);
        texts t = emit_both(p.a, l, 0);
        assert_int_equal(t.errors, rows[i].sm == 0 ? 2 : 0); /* each text's */
        assert_true(rows[i].sm == 0 || t.ptx.sm == rows[i].sm);
        assert_true(rows[i].sm == 0 || t.ptx.sm_a == rows[i].a);
        assert_true(rows[i].sm != 0 ||
                    strstr(t.message, "at most 232448 (227 KiB)") != NULL);
        tc_arena_free(p.a);
    }
}

static int write_all(const char *folder) {
    static const char *const under[] = {"ptx", "cuda"};
    conformance c = {.folder = folder,
                     .batches = {{.arch = "sm_90a"}, {.arch = "sm_100a"}}};
    char path[512];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, under[i]);
        mkdir(path, 0777);
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "%s/%s/%s", folder, under[i],
                     c.batches[k].arch);
            mkdir(path, 0777);
        }
    }
    all_rows(&c);
    write_batch(&c, &c.batches[0]);
    write_batch(&c, &c.batches[1]);
    return c.wrong > 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_copy),
                                       cmocka_unit_test(limits)};
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return write_all(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
