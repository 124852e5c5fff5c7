/* test_lower.c - the lowered program against the text that TVM prints for it
 * (`ir` of the corpus, and the demo's in tests/unit/dispatch/demo_ir.h). */
#include "dispatch_program.h"

#include "demo_ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <zlib.h>

#define CORPUS       "tests/corpus/dispatch.jsonl.gz"
#define TMA_CORPUS   "tests/corpus/tma.jsonl.gz"
#define DSMEM_CORPUS "tests/corpus/dsmem.jsonl.gz"
enum { LINES = 400, NAMES = 400 };

/* --- statements with names taken away ---------------------------------------
 *
 * Names are free, so each is replaced by the number of its definition: TVM
 * reuses a name once it is out of scope, this program does not. */

typedef struct renamer {
    char *names[NAMES];
    int numbers[NAMES];
    int roots[NAMES]; /* of a view, its owner's number: TVM names any view of
                         the same memory as the base of another */
    int n, next;
} renamer;

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static void bind(renamer *r, const char *name, size_t len) {
    for (int i = 0; i < r->n; i++) {
        if (strlen(r->names[i]) == len && memcmp(r->names[i], name, len) == 0) {
            r->roots[i] = r->numbers[i] = r->next++;
            return;
        }
    }
    assert_true(r->n < NAMES);
    r->names[r->n] = strndup(name, len);
    r->roots[r->n] = r->numbers[r->n] = r->next++;
    r->n++;
}

static int index_of(const renamer *r, const char *s, size_t n) {
    for (int i = 0; i < r->n; i++) {
        if (strlen(r->names[i]) == n && memcmp(r->names[i], s, n) == 0) {
            return i;
        }
    }
    return -1;
}

static size_t word(const char *s) {
    size_t n = 0;
    while (is_word(s[n])) {
        n++;
    }
    return n;
}

/* x = T.decl_buffer(..., data=y.data) is over y's memory too. */
static void bind_over(renamer *r, const char *s, size_t n) {
    const char *data = strstr(s, "data=");
    int of = -1;
    bind(r, s, n);
    if (data != NULL) {
        data += strlen("data=");
        of = index_of(r, data, word(data));
    }
    if (of >= 0) {
        r->roots[index_of(r, s, n)] = r->roots[of];
    }
}

/* x = y.view(...) gets y's root; x = T.Buffer(..., data=y.data) is y, as TVM
 * names memory that it has not rewritten. */
static void bind_view(renamer *r, const char *s, size_t n) {
    const char *base = s + n + strlen(" = ");
    int of = index_of(r, base, word(base));
    int root = of >= 0 ? r->roots[of] : -1;
    bind(r, s, n);
    if (root >= 0) {
        r->roots[index_of(r, s, n)] = root;
    }
}

static bool bind_alias(renamer *r, const char *s) {
    size_t n = word(s);
    const char *data = strstr(s, "data=");
    if (strncmp(s + n, " = T.Buffer(", 12) != 0 || data == NULL) {
        return false;
    }
    data += strlen("data=");
    int of = index_of(r, data, word(data));
    bind(r, s, n);
    if (of >= 0) {
        int x = index_of(r, s, n);
        r->numbers[x] = r->numbers[of];
        r->roots[x] = r->roots[of];
        r->next--;
    }
    return of >= 0;
}

/* Finds what a line defines: x = T.alloc..., for x, y in, x: T.let, as x. */
static void bind_line(renamer *r, const char *s) {
    size_t n = word(s);
    const char *as = strstr(s, " as ");
    if (strncmp(s, "for ", 4) == 0) {
        for (s += 4; is_word(*s); s += strncmp(s, ", ", 2) == 0 ? 2 : 0) {
            n = word(s);
            bind(r, s, n);
            s += n;
        }
    } else if (strncmp(s, "with ", 5) == 0 && as != NULL) {
        bind(r, as + 4, word(as + 4));
    } else if (n > 0 && strncmp(s + n, " = ", 3) == 0 &&
               strstr(s, ".view(") != NULL) {
        bind_view(r, s, n);
    } else if (n > 0 && (strncmp(s + n, " = T.", 5) == 0 ||
                         strncmp(s + n, ": T.let", 7) == 0)) {
        bind_over(r, s, n);
    }
}

static const char *renamed(const renamer *r, const char *s, size_t n,
                           char number[16]) {
    for (int i = 0; i < r->n; i++) {
        if (strlen(r->names[i]) == n && memcmp(r->names[i], s, n) == 0) {
            snprintf(number, 16, "$%d", r->numbers[i]);
            return number;
        }
    }
    return NULL;
}

/* The operands of a sum in one order: a difference of signs stays. */
static int compare_text(const void *x, const void *y) {
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static void sort_sum(char *s) {
    char *terms[32], copy[1600];
    int n = 0, depth = 0;
    if (strlen(s) >= sizeof copy) {
        return;
    }
    strcpy(copy, s);
    terms[n++] = copy;
    for (char *c = copy; *c != '\0'; c++) {
        depth += *c == '(' || *c == '[';
        depth -= *c == ')' || *c == ']';
        if (depth == 0 && strncmp(c, " + ", 3) == 0 && n < 32) {
            *c = '\0';
            terms[n++] = c + 3;
            c += 2;
        }
    }
    qsort(terms, (size_t)n, sizeof *terms, compare_text);
    *s = '\0';
    for (int i = 0; i < n; i++) {
        strcat(s, i > 0 ? " + " : "");
        strcat(s, terms[i]);
    }
}

static char *normal(renamer *r, const char *s) {
    char out[8192] = "", number[16];
    size_t at = 0;
    /* TVM writes these views over any other of the same registers */
    bool registers =
        strncmp(s, "local_storage", 13) == 0 || strncmp(s, "local_32b", 9) == 0;
    bind_line(r, s);
    for (char before = ' '; *s != '\0' && at < sizeof out - 40;) {
        size_t n = is_word(*s) && !is_word(before) ? word(s) : 0;
        const char *new =
            n > 0 && before != '.' ? renamed(r, s, n, number) : NULL;
        if (strncmp(s, ", source_code=\"", 15) == 0) { /* up to return_type */
            s = strstr(s, ", return_type");
            continue;
        }
        if (new != NULL && strncmp(s + n, ".view(", 6) == 0) {
            at += (size_t)sprintf(out + at, "$%d", r->roots[index_of(r, s, n)]);
        } else if (new != NULL && s[n] != '=') {
            at += (size_t)sprintf(out + at, "%s", new);
        } else if (n > 0) {
            memcpy(out + at, s, n);
            at += n;
        } else {
            out[at++] = *s;
            n = 1;
        }
        s += n;
        before = s[-1];
    }
    out[at] = '\0';
    if (registers && strstr(out, ".view(") != NULL) {
        strstr(out, ".view(")[0] = '\0';
    }
    char *value = strstr(out, " = ");
    if (value != NULL) {
        sort_sum(value + 3);
    }
    return strdup(out);
}

typedef struct statements {
    char *items[LINES];
    int n;
    bool fast_path; /* TVM's swizzle written as signed strides */
} statements;

/* Left out: the tensor map that the recorder made TVM add for a copy that tma
 * is not chosen for; and where `fast`, the strides of TVM's swizzles and the
 * offset that uses them. */
static bool skipped(const char *s, bool maps, bool fast) {
    return (!maps && strstr(s, "tensormap") != NULL) ||
           (fast &&
            (strncmp(s, "buffer", 6) == 0 || strncmp(s, "s_off", 5) == 0));
}

/* The loops between global and shared memory (s_lin is their name for an
 * address) move by TVM's strides there, and by the whole swizzle here. */
static bool has_strides(const char *text) {
    return strstr(text, "buffer = T.alloc_local") != NULL &&
           strstr(text, "s_lin[0] = ") != NULL;
}

static void split(statements *out, const char *text, bool maps, bool fast) {
    renamer r = {.n = 0};
    char *all = strdup(text), *rest = all, *line;
    *out = (statements){.n = 0};
    out->fast_path = has_strides(text);
    while ((line = strsep(&rest, "\n")) != NULL) {
        size_t indent = strspn(line, " ");
        if (indent < 8 || skipped(line + indent, maps, fast) ||
            bind_alias(&r, line + indent)) {
            continue;
        }
        assert_true(out->n < LINES);
        char *s = normal(&r, line + indent);
        char *with_indent;
        assert_true(asprintf(&with_indent, "%*s%s", (int)indent, "", s) > 0);
        out->items[out->n++] = with_indent;
        free(s);
    }
    for (int i = 0; i < r.n; i++) {
        free(r.names[i]);
    }
    free(all);
}

static void free_statements(statements *s) {
    for (int i = 0; i < s->n; i++) {
        free(s->items[i]);
    }
}

/* Shows the first difference when `show`. */
static bool same_program(const char *ours, const char *tvm, bool *fast,
                         bool show) {
    statements x, y;
    *fast = has_strides(tvm);
    bool maps = strstr(ours, "tensormap") != NULL;
    split(&x, ours, maps, *fast);
    split(&y, tvm, maps, *fast);
    bool same = x.n == y.n;
    for (int i = 0; i < x.n && i < y.n; i++) {
        if (strcmp(x.items[i], y.items[i]) != 0) {
            same = false;
            if (show) {
                print_message("  ours: %s\n  TVM:  %s\n", x.items[i],
                              y.items[i]);
            }
            break;
        }
    }
    if (show && x.n != y.n) {
        print_message("  %d statements, TVM: %d\n", x.n, y.n);
    }
    free_statements(&x);
    free_statements(&y);
    return same;
}

/* --- whole programs --------------------------------------------------------*/

static char *lowered_text(program *p) {
    tc_buf b = TC_BUF_INIT;
    tc_lowered *l = tc_lower(p->a, p->func, &p->decisions, &p->diags);
    if (l == NULL) {
        return NULL;
    }
    tc_ir_print(&b, l, NULL);
    return tc_buf_finish(&b, p->a);
}

static void compare_text_of(const char *text, const char *tvm) {
    program p;
    bool fast;
    if (!program_read(&p, text)) {
        print_error("%s\n", p.message);
        fail();
    }
    char *ours = lowered_text(&p);
    if (ours == NULL) {
        print_error("%s\n", p.message);
        fail();
    }
    if (!same_program(ours, tvm, &fast, true)) {
        print_error("%s\n", ours);
        fail();
    }
    tc_arena_free(p.a);
}

static void demo_agrees(void **state) {
    (void)state;
    static char text[8192];
    FILE *f = fopen("lessons/ldgsts.py", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    compare_text_of(text, demo_ir);
}

static void pipeline_agrees(void **state) {
    (void)state;
    compare_text_of(pipeline_program, pipeline_ir);
}

static void check_corpus(const char *path) {
    static char line[1 << 20];
    int asked = 0, agreed = 0, fast_asked = 0, fast_agreed = 0;
    gzFile f = gzopen(path, "rb");
    assert_non_null(f);
    while (gzgets(f, line, sizeof line) != NULL) {
        json_t *j = json_loads(line, 0, NULL);
        const char *ir = json_string_value(json_object_get(j, "ir"));
        json_t *copy = json_array_get(json_object_get(j, "copies"), 0);
        const char *chosen = json_string_value(json_object_get(copy, "chosen"));
        if (ir != NULL && chosen != NULL) {
            program p;
            bool fast = false, same = false;
            const char *text = json_string_value(json_object_get(j, "program"));
            char *ours = program_read(&p, text) ? lowered_text(&p) : NULL;
            if (ours == NULL) {
                print_message("%s: %s\n",
                              json_string_value(json_object_get(j, "id")),
                              p.message);
            } else {
                same = same_program(ours, ir, &fast, true);
                if (!same) {
                    print_message("%s\n",
                                  json_string_value(json_object_get(j, "id")));
                }
            }
            *(fast ? &fast_asked : &asked) += 1;
            *(fast ? &fast_agreed : &agreed) += same;
            tc_arena_free(p.a);
        }
        json_decref(j);
    }
    gzclose(f);
    print_message("%d of %d programs agree statement by statement; %d of %d "
                  "more but for TVM's unrolled swizzle\n",
                  agreed, asked, fast_agreed, fast_asked);
    assert_true(asked > 0);
    assert_int_equal(agreed, asked);
    assert_int_equal(fast_agreed, fast_asked);
}

static void corpus_agrees(void **state) {
    (void)state;
    check_corpus(CORPUS);
}

static void tcgen05_agrees(void **state) {
    (void)state;
    check_corpus("tests/corpus/tcgen05.jsonl.gz");
}

static void registers_agree(void **state) {
    (void)state;
    check_corpus("tests/corpus/registers.jsonl.gz");
}

static void tma_agrees(void **state) {
    (void)state;
    check_corpus(TMA_CORPUS);
}

static void dsmem_agrees(void **state) {
    (void)state;
    check_corpus(DSMEM_CORPUS);
}

/* --- addresses ------------------------------------------------------------
 *
 * The lowered loop, worked out for some rounds and threads, must give the
 * offsets of the partition, which the corpus' samples confirm. */

typedef struct machine {
    const tc_buffer *locals[16];
    int64_t values[16];
    int n;
    int64_t f, tid;
} machine;

static int64_t *local(machine *m, const tc_buffer *b) {
    for (int i = 0; i < m->n; i++) {
        if (m->locals[i] == b) {
            return &m->values[i];
        }
    }
    assert_true(m->n < 16);
    m->locals[m->n] = b;
    return &m->values[m->n++];
}

static int64_t eval(machine *m, const tc_expr *e) {
    if (e->kind == TC_E_INT) {
        return e->i;
    }
    if (e->kind == TC_E_VAR) {
        return strcmp(e->var->name, "f") == 0 ? m->f : m->tid;
    }
    if (e->kind == TC_E_LOAD) {
        return *local(m, e->mem.buffer);
    }
    assert_int_equal(e->kind, TC_E_BINARY);
    int64_t x = eval(m, e->bin.a), y = eval(m, e->bin.b);
    switch (e->bin.op) {
    case TC_ADD:
        return x + y;
    case TC_SUB:
        return x - y;
    case TC_MUL:
        return x * y;
    case TC_FLOORDIV: /* no negative addresses here */
        return x / y;
    case TC_FLOORMOD:
        return x % y;
    case TC_SHL:
        return x << y;
    case TC_SHR:
        return x >> y;
    case TC_BITAND:
        return x & y;
    case TC_BITXOR:
        return x ^ y;
    default:
        fail();
        return 0;
    }
}

static void run_stores(machine *m, const tc_block *b) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        if (s->kind == TC_S_STORE && s->buffer->type == TC_INT32) {
            *local(m, s->buffer) = eval(m, s->value);
        }
        run_stores(m, &s->body);
    }
}

static int64_t named(const machine *m, const char *name) {
    for (int i = 0; i < m->n; i++) {
        if (strcmp(m->locals[i]->name, name) == 0) {
            return m->values[i];
        }
    }
    fail();
    return 0;
}

static int check_addresses(const tc_verdict *v, unsigned *seed) {
    const tc_partition *p = v->partition;
    for (int i = 0; i < 6; i++) {
        machine m = {.n = 0};
        int64_t g, s;
        m.f = i == 0 ? p->outer - 1 : rand_r(seed) % p->outer;
        m.tid = i == 0 ? p->threads - 1 : rand_r(seed) % p->threads;
        run_stores(&m, &v->lowered);
        tc_partition_at(p, m.f, m.tid, &g, &s);
        assert_int_equal(named(&m, "g_lin"), g);
        assert_int_equal(named(&m, "s_off"), s);
    }
    return 1;
}

static void addresses_agree(void **state) {
    (void)state;
    static char line[1 << 20];
    unsigned seed = 7;
    int checked = 0;
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    while (gzgets(f, line, sizeof line) != NULL) {
        json_t *j = json_loads(line, 0, NULL);
        program p;
        program_read(&p, json_string_value(json_object_get(j, "program")));
        for (int i = 0; i < p.decisions.n; i++) {
            const tc_decision *d = &p.decisions.items[i];
            for (int k = 0; k < d->nverdicts; k++) {
                if (d->verdicts[k].partition != NULL) {
                    checked += check_addresses(&d->verdicts[k], &seed);
                }
            }
        }
        tc_arena_free(p.a);
        json_decref(j);
    }
    gzclose(f);
    print_message("addresses of %d loops agree with their partitions\n",
                  checked);
    assert_true(checked > 700);
}

/* --- refusals --------------------------------------------------------------*/

static void refuses(const char *text, const char *message, int line) {
    program p;
    assert_true(program_read(&p, text));
    assert_null(lowered_text(&p));
    assert_string_equal(p.message, message);
    assert_int_equal(p.line, line);
    tc_arena_free(p.a);
}

static void refusals(void **state) {
    (void)state;
    refuses("@T.prim_func\ndef f(A_ptr: T.handle):\n"
            "    A = T.match_buffer(A_ptr, (128, 32), \"float16\")\n"
            "    T.device_entry(); T.cta_id([1])\n"
            "    T.warp_id([3])\n    T.lane_id([32])\n"
            "    T.thread_id([128])\n",
            "T.thread_id has 128 threads or units, but T.warp_id (3) and "
            "T.lane_id (32) make it 96",
            5);
    refuses("@T.prim_func\ndef f(A_ptr: T.handle):\n"
            "    A = T.match_buffer(A_ptr, (128, 32), \"float16\")\n"
            "    T.device_entry(); T.cta_id([1]); T.thread_id([128])\n"
            "    S = T.alloc_buffer((128, 32), \"float16\", scope=\"shared\")\n"
            "    Tx.cta.copy_async(S[0:5, 0:3], A[0:5, 0:3])\n",
            "no variant accepts this copy", 6);
    refuses("@T.prim_func\ndef f(A_ptr: T.handle):\n"
            "    A = T.match_buffer(A_ptr, (128, 32), \"float16\")\n"
            "    T.device_entry(); T.cta_id([1]); T.thread_id([128])\n"
            "    S = T.alloc_buffer((128, 32), \"float16\", scope=\"shared\")\n"
            "    Tx.cta.copy_async(S[:, :], A[:, :], dispatch=\"ldgst\")\n",
            "this operation has no variant called \"ldgst\"", 6);
    refuses("@T.prim_func\ndef f(A_ptr: T.handle):\n"
            "    A = T.match_buffer(A_ptr, (128, 32), \"float16\")\n"
            "    T.device_entry(); T.cta_id([1]); tid = T.thread_id([128])\n"
            "    S = T.alloc_buffer((128, 32), \"float16\", scope=\"shared\")\n"
            "    if tid == 0:\n"
            "        Tx.copy_async(S[:, :], A[:, :], dispatch=\"tma\")\n",
            "tma does not accept this copy: mbar is missing: it names the "
            "mbarrier that counts the bytes that arrive; write "
            "mbar=bar.ptr_to([0])",
            7);
    refuses("@T.prim_func\ndef f(A_ptr: T.handle):\n"
            "    A = T.match_buffer(A_ptr, (128, 32), \"float16\")\n"
            "    T.device_entry(); T.cta_id([1])\n",
            "the kernel does not say how many threads a CTA has: declare "
            "T.thread_id([..])",
            2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demo_agrees),     cmocka_unit_test(pipeline_agrees),
        cmocka_unit_test(corpus_agrees),   cmocka_unit_test(tcgen05_agrees),
        cmocka_unit_test(registers_agree), cmocka_unit_test(tma_agrees),
        cmocka_unit_test(dsmem_agrees),    cmocka_unit_test(addresses_agree),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
