/* test_moves.c - where every element of a register copy goes, against what the
 * two layouts say.
 *
 * The lowered statements are carried out for every thread. ldmatrix and
 * stmatrix do what PTX ISA 9.7.15.5.15 says: lane l names row l % 8 of tile
 * l / 8, and holds elements 2 * (l % 4) and the next of row l / 4 of each tile
 * (of column l / 4, for .trans). What comes out is compared, element by
 * element, with layout.apply of both sides. */
#include "dispatch_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <zlib.h>

enum { THREADS = 256, HELD = 2048, VALUES = 64 };

/* moved[t][r]: the element of memory that register r of thread t belongs to;
 * -1 for none. */
typedef struct moved {
    int64_t at[THREADS][HELD];
} moved;

typedef struct place { /* what a pointer points to */
    bool local;
    int64_t offset; /* elements */
} place;

typedef struct binding {
    const void *key; /* a variable, or a buffer and its index */
    int64_t index, value;
    place pointer;
} binding;

typedef struct thread {
    int64_t number;
    binding values[VALUES];
    int n;
} thread;

static binding *find(thread *t, const void *key, int64_t index) {
    for (int i = 0; i < t->n; i++) {
        if (t->values[i].key == key && t->values[i].index == index) {
            return &t->values[i];
        }
    }
    assert_true(t->n < VALUES);
    t->values[t->n] = (binding){.key = key, .index = index};
    return &t->values[t->n++];
}

static int64_t floor_div(int64_t x, int64_t y) {
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static int64_t eval(thread *t, const tc_expr *e) {
    if (e->kind == TC_E_INT) {
        return e->i;
    }
    if (e->kind == TC_E_VAR) {
        return e->var->bind == TC_BIND_THREAD_X ? t->number
                                                : find(t, e->var, 0)->value;
    }
    if (e->kind == TC_E_LOAD) {
        return find(t, e->mem.buffer, eval(t, e->mem.index[0]))->value;
    }
    assert_int_equal(e->kind, TC_E_BINARY);
    int64_t x = eval(t, e->bin.a), y = eval(t, e->bin.b);
    switch (e->bin.op) {
    case TC_ADD:
        return x + y;
    case TC_SUB:
        return x - y;
    case TC_MUL:
        return x * y;
    case TC_FLOORDIV:
        return floor_div(x, y);
    case TC_FLOORMOD:
        return x - floor_div(x, y) * y;
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

/* Memory is always pointed to at its first element. */
static place point(thread *t, const tc_expr *e) {
    if (e->kind == TC_E_LOAD) {
        return find(t, e->mem.buffer, 0)->pointer;
    }
    if (e->kind == TC_E_ADDR) {
        bool local = e->mem.buffer->space == TC_SPACE_LOCAL;
        return (place){local, local ? eval(t, e->mem.index[0]) : 0};
    }
    assert_int_equal(e->kind, TC_E_CALL);
    assert_int_equal(e->call.op, TC_OPC_POINTER_OFFSET);
    place p = point(t, e->call.args[0]);
    p.offset += eval(t, e->call.args[1]);
    return p;
}

static int64_t scope_id(const tc_scope_id *id, int64_t t) {
    switch (id->kind) {
    case TC_ID_LANE:
        return t % 32;
    case TC_ID_WARP:
        return t / 32;
    case TC_ID_WARP_IN_WG:
        return t / 32 % 4;
    case TC_ID_THREAD_IN_WG:
        return t % 128;
    case TC_ID_WARPGROUP:
        return t / 128;
    default:
        fail();
        return 0;
    }
}

/* --- instructions ----------------------------------------------------------*/

static void note(moved *m, int64_t number, int64_t reg, int64_t element) {
    assert_in_range(reg, 0, HELD - 1);
    m->at[number][reg] = element;
}

static void copy_bytes(moved *m, thread *t, const tc_expr *e, int bytes) {
    place x = point(t, e->call.args[0]), y = point(t, e->call.args[1]);
    int64_t n = eval(t, e->call.args[2]) / bytes;
    assert_true(x.local != y.local);
    for (int64_t i = 0; i < n; i++) {
        note(m, t->number, (x.local ? x : y).offset + i,
             (x.local ? y : x).offset + i);
    }
}

/* One warp together. */
static void matrix(moved *m, thread *warp, const tc_expr *e) {
    int first = e->call.op == TC_OPC_PTX_STMATRIX ? 6 : 4;
    bool trans = e->call.args[0]->i != 0;
    int64_t num = e->call.args[1]->i, row[32];
    for (int l = 0; l < 32; l++) {
        place p = point(&warp[l], e->call.args[first - 1]);
        assert_false(p.local);
        assert_int_equal(p.offset % 8, 0); /* 16 bytes */
        row[l] = p.offset;
    }
    for (int64_t tile = 0; tile < num; tile++) {
        for (int l = 0; l < 32; l++) {
            place r = point(&warp[l], e->call.args[first + tile]);
            for (int i = 0; i < 2; i++) {
                int across = 2 * (l % 4) + i, down = l / 4;
                int64_t named = row[8 * tile + (trans ? across : down)];
                note(m, warp[l].number, r.offset + i,
                     named + (trans ? down : across));
            }
        }
    }
}

static void run(moved *m, thread *warp, const tc_block *b, int bytes) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        for (int l = 0; l < 32 && s->kind == TC_S_SCOPE_ID; l++) {
            find(&warp[l], s->id->var[0], 0)->value =
                scope_id(s->id, warp[l].number);
        }
        for (int l = 0; l < 32 && s->kind == TC_S_STORE; l++) {
            int64_t at = eval(&warp[l], s->index[0]);
            if (s->value->type == TC_HANDLE) {
                place p = point(&warp[l], s->value);
                find(&warp[l], s->buffer, at)->pointer = p;
            } else {
                int64_t v = eval(&warp[l], s->value);
                find(&warp[l], s->buffer, at)->value = v;
            }
        }
        for (int64_t k = 0; s->kind == TC_S_FOR && k < s->extent->i; k++) {
            for (int l = 0; l < 32; l++) {
                find(&warp[l], s->var, 0)->value = k;
            }
            run(m, warp, &s->body, bytes);
        }
        if (s->kind == TC_S_EVAL &&
            s->value->call.op == TC_OPC_CUDA_COPY_BYTES) {
            for (int l = 0; l < 32; l++) {
                copy_bytes(m, &warp[l], s->value, bytes);
            }
        } else if (s->kind == TC_S_EVAL) {
            matrix(m, warp, s->value);
        }
    }
}

/* --- what the layouts say --------------------------------------------------*/

static int64_t on(const tc_offset *at, int n, const char *axis) {
    for (int i = 0; i < n; i++) {
        if (strcmp(at[i].axis->name, axis) == 0) {
            return at[i].value;
        }
    }
    return 0;
}

static int64_t thread_of(const tc_offset *at, int n) {
    return on(at, n, "laneid") +
           32 * (on(at, n, "wid_in_wg") + on(at, n, "warpid")) +
           on(at, n, "tid_in_wg") + 128 * on(at, n, "wgid") + on(at, n, "tx");
}

/* Element `flat` of the region; false where the layout cannot say. */
static bool where(tc_layout_ctx *cx, const tc_region *r, int64_t flat,
                  const tc_offset **at, int *n) {
    int64_t coord[16];
    for (int i = r->buffer->rank - 1; i >= 0; i--) {
        int64_t begin;
        if (!tc_expr_const(r->range[i].min, &begin)) {
            return false;
        }
        coord[i] = begin + flat % r->range[i].extent;
        flat /= r->range[i].extent;
    }
    return tc_layout_apply(cx, r->buffer->layout, coord, r->buffer->rank,
                           r->buffer->shape, r->buffer->rank, at,
                           n) == TC_LAYOUT_OK;
}

/* How many elements are elsewhere; -1 where there is nothing to compare. */
static int differences(const tc_copy *c, const moved *m) {
    bool out = c->src.buffer->space == TC_SPACE_LOCAL;
    const tc_region *reg = out ? &c->src : &c->dst,
                    *mem = out ? &c->dst : &c->src;
    tc_layout_ctx cx = {.arena = tc_arena_new(), .target_cuda = true};
    int64_t elements = 1;
    int wrong = 0;
    for (int i = 0; i < reg->buffer->rank; i++) {
        elements *= reg->range[i].extent;
    }
    for (int64_t i = 0; i < elements && wrong >= 0; i++) {
        const tc_offset *r, *s;
        int nr, ns;
        if (!where(&cx, reg, i, &r, &nr) || !where(&cx, mem, i, &s, &ns)) {
            wrong = -1;
            break;
        }
        int64_t t = thread_of(r, nr), k = on(r, nr, "m");
        assert_true(t < THREADS && k < HELD);
        wrong += m->at[t][k] != on(s, ns, "m");
    }
    tc_arena_free(cx.arena);
    return wrong;
}

/* --- the corpora -----------------------------------------------------------*/

typedef struct tally {
    int compared[2], different[2], skipped; /* reg, ldstmatrix */
    int warned;
} tally;

/* Does the lowering itself say that values will not be where they should? */
static bool warned(const tc_verdict *v) {
    for (int i = 0; i < v->nchecks; i++) {
        if (strstr(v->checks[i].detail, "TVM 0.25.0 does not ask") != NULL) {
            return true;
        }
    }
    return false;
}

/* Offsets of a whole layout are in the pointer too, in TVM as here. */
static bool simple(const tc_copy *c) {
    const tc_layout *x = c->src.buffer->layout, *y = c->dst.buffer->layout;
    return x->noffset == 0 && y->noffset == 0 && x->nreplica == 0 &&
           y->nreplica == 0;
}

static void one_verdict(tally *t, const char *id, const tc_decision *d,
                        const tc_verdict *v) {
    bool matrix = v->variant->id == TC_VARIANT_ldstmatrix;
    moved *m = tc_xmalloc(sizeof *m);
    memset(m->at, -1, sizeof m->at);
    /* Whoever gets there executes it, whatever the scope says. */
    for (int64_t first = 0; first < THREADS; first += 32) {
        thread *warp = tc_xcalloc(32, sizeof *warp);
        for (int l = 0; l < 32; l++) {
            warp[l].number = first + l;
        }
        run(m, warp, &v->lowered, tc_dtype_bytes(d->copy->src.buffer->type));
        free(warp);
    }
    int wrong = differences(d->copy, m);
    t->skipped += wrong < 0;
    t->compared[matrix] += wrong >= 0;
    t->different[matrix] += wrong > 0;
    if (wrong > 0) {
        print_message("%s: %s moves %d elements elsewhere\n", id,
                      tc_variants[v->variant->id].name, wrong);
    }
    free(m);
}

static void one_line(tally *t, const char *line) {
    json_t *j = json_loads(line, 0, NULL);
    program p;
    if (program_read(&p, json_string_value(json_object_get(j, "program")))) {
        for (int i = 0; i < p.decisions.n; i++) {
            const tc_decision *d = &p.decisions.items[i];
            for (int k = 0; k < d->nverdicts; k++) {
                const tc_verdict *v = &d->verdicts[k];
                bool ours = v->variant->id == TC_VARIANT_ldstmatrix ||
                            v->variant->id == TC_VARIANT_reg;
                bool told = ours && v->outcome == TC_ACCEPT && warned(v);
                t->warned += told;
                if (ours && !told && v->outcome == TC_ACCEPT &&
                    simple(d->copy) && d->nintra > 0) {
                    one_verdict(t, json_string_value(json_object_get(j, "id")),
                                d, v);
                }
            }
        }
    }
    tc_arena_free(p.a);
    json_decref(j);
}

static void check_corpus(const char *path, int least) {
    static char line[1 << 20];
    tally t = {.skipped = 0};
    gzFile f = gzopen(path, "rb");
    assert_non_null(f);
    while (gzgets(f, line, sizeof line) != NULL) {
        one_line(&t, line);
    }
    gzclose(f);
    print_message("reg: %d of %d move every element to its place; ldstmatrix: "
                  "%d of %d; %d with starts that move; %d that TVM does not "
                  "get right are told so\n",
                  t.compared[0] - t.different[0], t.compared[0],
                  t.compared[1] - t.different[1], t.compared[1], t.skipped,
                  t.warned);
    assert_int_equal(t.different[0] + t.different[1], 0);
    assert_true(t.compared[0] >= least && t.compared[1] >= least);
}

static void corpus_moves(void **state) {
    (void)state;
    check_corpus("tests/corpus/dispatch.jsonl.gz", 60);
}

static void registers_move(void **state) {
    (void)state;
    check_corpus("tests/corpus/registers.jsonl.gz", 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_moves),
        cmocka_unit_test(registers_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
