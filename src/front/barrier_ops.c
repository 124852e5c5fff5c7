/* barrier_ops.c - T.ptx.mbarrier.*, fences, mapa and the bulk copy within a
 * cluster, with TVM's arguments (backend/cuda/op.py). */
#include "front/internal.h"

#include <string.h>

/* What an argument must be. */
typedef enum want {
    BAR,    /* a pointer to shared memory */
    REMOTE, /* an address in the cluster: what mapa gives */
    NUMBER, /* an int32 */
    FLAG,   /* a condition */
    SPACE,  /* of fence.proxy.async */
    MAPA,   /* "" or "shared::cluster" */
    PTX,    /* u32 or u64 */
    RESULT  /* uint32 or uint64 */
} want;

static const struct barrier_call {
    tc_op op;
    const char *names;
    int required;
    tc_dtype result;
    want wants[5];
} spellings[] = {
    {TC_OPC_PTX_CP_ASYNC_MBARRIER_ARRIVE, "barrier_id", 1, TC_VOID, {BAR}},
    {TC_OPC_PTX_FENCE_PROXY_ASYNC, "space", 0, TC_VOID, {SPACE}},
    {TC_OPC_PTX_MBARRIER_INIT, "bar,thread_count", 2, TC_VOID, {BAR, NUMBER}},
    {TC_OPC_PTX_MBARRIER_ARRIVE,
     "bar,cta_id,pred,count",
     1,
     TC_VOID,
     {BAR, NUMBER, FLAG, NUMBER}},
    {TC_OPC_PTX_MBARRIER_ARRIVE_EXPECT_TX,
     "bar,byte_count,cta_id,pred",
     2,
     TC_VOID,
     {BAR, NUMBER, NUMBER, FLAG}},
    {TC_OPC_PTX_MBARRIER_TRY_WAIT, "bar,phase", 2, TC_VOID, {BAR, NUMBER}},
    {TC_OPC_PTX_MAPA,
     "ptr,rank,space,ptx_type,return_type",
     2,
     TC_UINT64,
     {BAR, NUMBER, MAPA, PTX, RESULT}},
    {TC_OPC_PTX_CP_ASYNC_BULK_S2C,
     "dst_ptr,src_ptr,size,mbar",
     4,
     TC_VOID,
     {REMOTE, BAR, NUMBER, REMOTE}},
};
enum { NSPELLINGS = sizeof spellings / sizeof *spellings };

static const struct barrier_call *spelling_of(tc_op op) {
    for (int i = 0; i < NSPELLINGS; i++) {
        if (spellings[i].op == op) {
            return &spellings[i];
        }
    }
    return NULL;
}

bool tc_is_barrier_op(tc_op op) {
    return spelling_of(op) != NULL;
}

/* --- one argument ------------------------------------------------------ */

static bool want_shared(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                        tc_expr **out) {
    if (!tc_want_pointer(e, arg, what, out)) {
        return false;
    }
    bool known = (*out)->kind == TC_E_ADDR;
    return !known || tc_space_is_shared((*out)->mem.buffer->space) ||
           tc_front_fail(e, arg->span, NULL,
                         "%s is in %s memory: it must be in shared memory",
                         what, tc_space_name((*out)->mem.buffer->space));
}

static bool want_remote(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                        tc_expr **out) {
    if (!tc_want_expr(e, &arg->value, arg->span, what, out)) {
        return false;
    }
    tc_dtype t = (*out)->type;
    bool ok = (t == TC_HANDLE && (*out)->kind != TC_E_STRING) ||
              t == TC_UINT64 || t == TC_UINT32;
    return ok || tc_front_fail(e, arg->span,
                               "T.ptx.map_shared_rank(A.ptr_to([i]), "
                               "rank) gives one",
                               "%s must be an address in the cluster", what);
}

static bool want_number(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                        tc_expr **out) {
    if (!tc_want_expr(e, &arg->value, arg->span, what, out)) {
        return false;
    }
    tc_dtype_class c = tc_dtypes[(*out)->type].cls;
    if (c != TC_CLASS_INT && c != TC_CLASS_UINT && c != TC_CLASS_BOOL) {
        return tc_front_fail(e, arg->span, NULL, "%s must be an integer", what);
    }
    *out = tc_cast(e->arena, TC_INT32, *out);
    return true;
}

static bool want_choice(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                        const char *const *choices, int n, tc_expr **out) {
    const char *s;
    if (!tc_want_string(e, &arg->value, arg->span, what, &s)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (strcmp(choices[i], s) == 0) {
            *out = tc_string(e->arena, s);
            return true;
        }
    }
    tc_buf text = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&text, "%s\"%s\"", i > 0 ? ", " : "one of ", choices[i]);
    }
    return tc_front_fail(e, arg->span, tc_buf_finish(&text, e->arena),
                         "%s cannot be \"%s\"", what, s);
}

static bool want_one(tc_eval_ctx *e, want w, const tc_arg *arg,
                     const char *what, tc_expr **out) {
    static const char *const spaces[] = {"", "global", "shared::cta",
                                         "shared::cluster"};
    static const char *const mapa[] = {"", "shared::cluster"};
    static const char *const ptx[] = {"u64", "u32"};
    static const char *const result[] = {"uint64", "uint32"};
    switch (w) {
    case BAR:
        return want_shared(e, arg, what, out);
    case REMOTE:
        return want_remote(e, arg, what, out);
    case NUMBER:
        return want_number(e, arg, what, out);
    case FLAG:
        return tc_want_condition(e, &arg->value, arg->span, out);
    case SPACE:
        return want_choice(e, arg, what, spaces, 4, out);
    case MAPA:
        return want_choice(e, arg, what, mapa, 2, out);
    case PTX:
        return want_choice(e, arg, what, ptx, 2, out);
    case RESULT:
        return want_choice(e, arg, what, result, 2, out);
    }
    return false;
}

/* --- calls ------------------------------------------------------------- */

/* What TVM takes where a script gives nothing; NULL: the argument and those
 * after it are absent. */
static tc_expr *missing(tc_eval_ctx *e, const struct barrier_call *s, int i,
                        bool later) {
    tc_arena *a = e->arena;
    switch (s->wants[i]) {
    case SPACE:
    case MAPA:
        return tc_string(a, "");
    case PTX:
        return tc_string(a, "u64");
    case RESULT:
        return tc_string(a, "uint64");
    case FLAG: /* TVM: an elected thread arrives */
        return later ? tc_int_t(a, TC_BOOL, 1) : NULL;
    default:
        return NULL;
    }
}

/* The argument's name, of "a,b,c". */
static const char *name_at(tc_arena *a, const char *names, int i) {
    for (; i > 0; i--) {
        names = strchr(names, ',') + 1;
    }
    return tc_strndup(a, names, strcspn(names, ","));
}

static int count_names(const char *names) {
    int n = 1;
    for (; *names != '\0'; names++) {
        n += *names == ',';
    }
    return n;
}

static bool mapa_forms(tc_eval_ctx *e, const tc_args *args, tc_expr **x,
                       tc_dtype *type) {
    bool wide = strcmp(x[3]->s, "u64") == 0;
    *type = wide ? TC_UINT64 : TC_UINT32;
    if (wide != (strcmp(x[4]->s, "uint64") == 0) ||
        wide != (x[2]->s[0] == '\0')) {
        return tc_front_fail(e, args->span,
                             "space=\"\" with u64, or \"shared::cluster\" "
                             "with u32",
                             "this form of mapa is not built yet");
    }
    return true;
}

bool tc_call_barrier_op(tc_eval_ctx *e, tc_op op, const tc_args *args,
                        tc_value *out) {
    const struct barrier_call *s = spelling_of(op);
    const tc_arg *b[5];
    tc_expr *x[5];
    int all = count_names(s->names), n = 0;
    tc_dtype type = s->result;
    if (!tc_bind_args(e, args, s->names, s->required, b)) {
        return false;
    }
    int given = all;
    while (given > 0 &&
           (b[given - 1] == NULL || b[given - 1]->value.kind == TC_V_NONE)) {
        given--;
    }
    bool remote =
        given > s->required && (op == TC_OPC_PTX_MBARRIER_ARRIVE ||
                                op == TC_OPC_PTX_MBARRIER_ARRIVE_EXPECT_TX);
    for (; n < all; n++) {
        const char *what = name_at(e->arena, s->names, n);
        bool none = b[n] == NULL || b[n]->value.kind == TC_V_NONE;
        if (!none) {
            if (!want_one(e, s->wants[n], b[n], what, &x[n])) {
                return false;
            }
            continue;
        }
        x[n] = missing(e, s, n, remote);
        if (x[n] == NULL && n < given) {
            return tc_front_fail(e, args->span, NULL, "%s needs '%s' too",
                                 args->function, what);
        }
        if (x[n] == NULL) {
            break;
        }
    }
    if (op == TC_OPC_PTX_MAPA && !mapa_forms(e, args, x, &type)) {
        return false;
    }
    *out = tc_value_expr(tc_call(e->arena, op, type, x, n));
    return true;
}

bool tc_call_map_shared_rank(tc_eval_ctx *e, const tc_args *args,
                             tc_value *out) {
    return tc_need_body(e, args->function, args->span) &&
           tc_call_barrier_op(e, TC_OPC_PTX_MAPA, args, out);
}
