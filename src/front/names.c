/* names.c - what the dotted names of TVMScript and Python mean here. */
#include "front/internal.h"

#include <string.h>
#include <threads.h>

static const tc_name table[] = {
    {"T", TC_NAME_SPACE, NULL, false},
    {"T.ptx", TC_NAME_SPACE, NULL, true},
    {"T.cuda", TC_NAME_SPACE, NULL, true},
    {"Tx", TC_NAME_SPACE, NULL, false},
    {"Tx.cta", TC_NAME_SPACE, NULL, true},
    {"Tx.warpgroup", TC_NAME_SPACE, NULL, true},
    {"Tx.wg", TC_NAME_SPACE, NULL, true},
    {"Tx.warp", TC_NAME_SPACE, NULL, true},
    {"Tx.thread", TC_NAME_SPACE, NULL, true},
    {"tvm", TC_NAME_SPACE, NULL, false},
    {"tvm.script", TC_NAME_SPACE, NULL, false},
    {"tvm.tirx", TC_NAME_SPACE, NULL, false},
    {"tvm.tirx.layout", TC_NAME_SPACE, NULL, false},
    {"Axis", TC_NAME_SPACE, NULL, false},
    {"S", TC_NAME_SPACE, NULL, false},
    {"R", TC_NAME_SPACE, NULL, false},
    {"T.prim_func", TC_NAME_SPACE, NULL, false},
    {"T.let", TC_NAME_SPACE, NULL, true},
#define CALL(name, fn) {name, TC_NAME_CALL, fn, false},
    TC_CALLS(CALL)
#undef CALL
        {"SwizzleMode", TC_NAME_SPACE, NULL, false},
    {"T.Buffer", TC_NAME_LATER, NULL, false},
    {"TCGen05Bar", TC_NAME_LATER, NULL, false},
    {"T.inline", TC_NAME_SPACE, NULL, false},
    {"T.macro", TC_NAME_SPACE, NULL, false},
};
enum { NTABLE = sizeof table / sizeof *table };

static const struct {
    const char *alias, *name;
} aliases[] = {
    {"T.smem", "T.alloc_shared"},
    {"T.i8", "T.int8"},
    {"T.i16", "T.int16"},
    {"T.i32", "T.int32"},
    {"T.i64", "T.int64"},
    {"T.u8", "T.uint8"},
    {"T.u16", "T.uint16"},
    {"T.u32", "T.uint32"},
    {"T.u64", "T.uint64"},
    {"T.f16", "T.float16"},
    {"T.f32", "T.float32"},
    {"T.f64", "T.float64"},
    {"T.bf16", "T.bfloat16"},
    {"T.boolean", "T.bool"},
    {"T.TileLayout", "TileLayout"},
    {"T.SwizzleLayout", "SwizzleLayout"},
    {"T.ComposeLayout", "ComposeLayout"},
    {"T.S", "S"},
    {"T.R", "R"},
};

static bool op_namespace(const char *dotted) {
    size_t len = strlen(dotted);
    for (int i = 0; i < TC_OPC_COUNT; i++) {
        if (strncmp(tc_ops[i].name, dotted, len) == 0 &&
            tc_ops[i].name[len] == '.') {
            return true;
        }
    }
    return false;
}

static bool is_copy_name(const char *dotted) {
    if (strncmp(dotted, "Tx.", 3) != 0) {
        return false;
    }
    const char *last = strrchr(dotted, '.') + 1;
    return strcmp(last, "copy") == 0 || strcmp(last, "copy_async") == 0;
}

/* Tx.cta.gemm is Tx.gemm at another scope. */
static bool tile_op_later(const char *dotted) {
    char plain[64] = "Tx.";
    const char *last = strrchr(dotted, '.');
    if (strncmp(dotted, "Tx.", 3) != 0 || last == NULL || strlen(last) > 40) {
        return false;
    }
    strcat(plain, last + 1);
    return tc_tvm_has(plain);
}

static bool find_t(const char *dotted, tc_name *out) {
    tc_dtype dtype;
    tc_op op;
    *out = (tc_name){.dotted = dotted};
    if (tc_op_find(dotted, &op)) {
        bool internal = (tc_ops[op].flags & TC_OPF_INTERNAL) != 0;
        out->kind = internal ? TC_NAME_LATER : TC_NAME_OP;
        out->body_only = true;
        return true;
    }
    if (strncmp(dotted, "T.", 2) == 0 && tc_dtype_find(dotted + 2, &dtype)) {
        out->kind = TC_NAME_DTYPE;
        return true;
    }
    if (is_copy_name(dotted)) {
        out->kind = TC_NAME_CALL;
        out->body_only = true;
        return true;
    }
    if (op_namespace(dotted)) {
        out->kind = TC_NAME_SPACE;
        return true;
    }
    if (tc_tvm_has(dotted) || tile_op_later(dotted)) {
        out->kind = TC_NAME_LATER;
        return true;
    }
    return false;
}

/* --- the tables by hash ----------------------------------------------------*/

/* Chains of entries by the hash of their name: of table, then of aliases, whose
 * numbers go on after it. first has a number + 1; 0 ends a chain. */
enum { NBUCKETS = 256, NALIASES = sizeof aliases / sizeof *aliases };
static uint16_t first[NBUCKETS], next[NTABLE + NALIASES];
static once_flag indexed = ONCE_FLAG_INIT;

static const char *name_at(int i) {
    return i < NTABLE ? table[i].dotted : aliases[i - NTABLE].alias;
}

static uint16_t *bucket(const char *name) {
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *name != '\0'; name++) {
        h = (h ^ (uint8_t)*name) * 16777619u;
    }
    return &first[(h ^ h >> 16) % NBUCKETS];
}

static void index_names(void) {
    for (int i = NTABLE + NALIASES; i-- > 0;) {
        uint16_t *b = bucket(name_at(i));
        next[i] = *b;
        *b = (uint16_t)(i + 1);
    }
}

/* The entry's number, or -1. */
static int entry_of(const char *dotted) {
    call_once(&indexed, index_names);
    int i = *bucket(dotted) - 1;
    while (i >= 0 && strcmp(name_at(i), dotted) != 0) {
        i = next[i] - 1;
    }
    return i;
}

bool tc_name_find(const char *dotted, tc_name *out) {
    int i = entry_of(dotted);
    if (i >= NTABLE) {
        dotted = aliases[i - NTABLE].name;
        i = entry_of(dotted);
    }
    if (i >= 0 && i < NTABLE) {
        *out = table[i];
        return true;
    }
    return dotted[0] == 'T' && strchr(dotted, '.') != NULL &&
           find_t(dotted, out);
}

bool tc_builtin_value(tc_arena *a, const char *name, tc_value *out) {
    tc_name found;
    const tc_axis *axis = tc_axis_find(name);
    if (axis != NULL) {
        *out = tc_value_axis(axis);
        return true;
    }
    if (!tc_name_find(name, &found)) {
        return false;
    }
    *out = tc_value_namespace(tc_strdup(a, found.dotted));
    return true;
}

/* --- all names, for completion and near misses ------------------------- */

typedef struct dotted_names {
    tc_arena *arena;
    const char **items;
    int n, cap;
    const char *prefix; /* "T.ptx." or "" */
} dotted_names;

static void consider(dotted_names *l, const char *dotted) {
    size_t len = strlen(l->prefix);
    if (strncmp(dotted, l->prefix, len) != 0) {
        return;
    }
    const char *rest = dotted + len, *dot = strchr(rest, '.');
    size_t n = dot != NULL ? (size_t)(dot - rest) : strlen(rest);
    for (int i = 0; i < l->n; i++) {
        if (strlen(l->items[i]) == n && memcmp(l->items[i], rest, n) == 0) {
            return;
        }
    }
    const char *copy = tc_strndup(l->arena, rest, n);
    TC_PUSH(l->arena, l->items, l->n, l->cap, copy);
}

static void consider_axes(dotted_names *l) {
    if (l->prefix[0] != '\0' && strcmp(l->prefix, "Axis.") != 0) {
        return;
    }
    for (const char *const *s = tc_axis_names(); *s != NULL; s++) {
        consider(l, tc_format(l->arena, "%s%s", l->prefix, *s));
    }
}

/* Names that are built; with `later`, those of TVM too. */
static dotted_names list_names(tc_arena *a, const char *prefix, bool later) {
    dotted_names l = {.arena = a, .prefix = prefix};
    int n;
    for (int i = 0; i < NTABLE; i++) {
        if (table[i].kind != TC_NAME_LATER || later) {
            consider(&l, table[i].dotted);
        }
    }
    consider_axes(&l);
    for (int i = 0; i < TC_DTYPE_COUNT; i++) {
        consider(&l, tc_format(a, "T.%s", tc_dtypes[i].name));
    }
    for (int i = 0; i < TC_OPC_COUNT; i++) {
        if (!(tc_ops[i].flags & TC_OPF_INTERNAL)) {
            consider(&l, tc_ops[i].name);
        }
    }
    static const char *const scopes[] = {
        "Tx.", "Tx.cta.", "Tx.warp.", "Tx.wg.", "Tx.warpgroup.", "Tx.thread."};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        consider(&l, tc_format(a, "%scopy", scopes[i]));
        consider(&l, tc_format(a, "%scopy_async", scopes[i]));
    }
    const char *const *tvm = tc_tvm_names(&n);
    for (int i = 0; later && i < n; i++) {
        consider(&l, tvm[i]);
    }
    return l;
}

void tc_front_names(const char *prefix,
                    void (*fn)(void *user, const char *name), void *user) {
    tc_arena *a = tc_arena_new();
    const char *dotted = prefix[0] != '\0' ? tc_format(a, "%s.", prefix) : "";
    dotted_names l = list_names(a, dotted, false);
    for (int i = 0; i < l.n; i++) {
        fn(user, l.items[i]);
    }
    tc_arena_free(a);
}

typedef struct env_names {
    dotted_names *list;
} env_names;

static void consider_env(void *user, const char *name, const tc_value *v) {
    dotted_names *l = ((env_names *)user)->list;
    (void)v;
    if (strchr(name, '.') == NULL && l->n < 4096) {
        const char *copy = name;
        TC_PUSH(l->arena, l->items, l->n, l->cap, copy);
    }
}

const char *tc_nearest_name(tc_eval_ctx *e, const char *word,
                            const char *prefix) {
    dotted_names l = list_names(e->arena, prefix, false);
    if (prefix[0] == '\0') {
        tc_env_each(e->env, consider_env, &(env_names){&l});
    }
    const char *hint = tc_did_you_mean(e, word, l.items, l.n);
    if (hint == NULL && prefix[0] != '\0') {
        l = list_names(e->arena, prefix, true);
        hint = tc_did_you_mean(e, word, l.items, l.n);
    }
    return hint;
}

bool tc_front_member(tc_eval_ctx *e, const char *base, const char *name,
                     tc_span at, tc_value *out) {
    tc_name found;
    if (strcmp(base, "Axis") == 0 && strcmp(name, "get") != 0) {
        const tc_axis *axis = tc_axis_find(name);
        if (axis == NULL) {
            return tc_front_fail(e, at, tc_nearest_name(e, name, "Axis."),
                                 "there is no axis '%s'", name);
        }
        *out = tc_value_axis(axis);
        return true;
    }
    if (strcmp(base, "SwizzleMode") == 0) {
        return tc_swizzle_mode_member(e, name, at, out);
    }
    const char *dotted = tc_format(e->arena, "%s.%s", base, name);
    if (!tc_name_find(dotted, &found)) {
        if (strncmp(base, "tvm", 3) == 0) {
            *out = tc_value_foreign(e, base, name);
            return true;
        }
        return tc_front_fail(
            e, at, tc_nearest_name(e, name, tc_format(e->arena, "%s.", base)),
            "'%s' has no '%s'", base, name);
    }
    if (found.kind == TC_NAME_DTYPE) {
        *out = (tc_value){.kind = TC_V_DTYPE};
        return tc_dtype_find(found.dotted + 2, &out->dtype);
    }
    *out = tc_value_namespace(found.dotted);
    return true;
}

/* --- imports ----------------------------------------------------------- */

/* Modules whose names this program knows, and the prefix the names get here. */
static const struct {
    const char *module, *prefix;
} modules[] = {
    {"tvm", NULL},
    {"tvm.script", NULL},
    {"tvm.script.tirx", NULL},
    {"tvm.tirx", NULL},
    {"tvm.tirx.layout", ""},
    {"tvm.tirx.lang", NULL},
    {"tvm.tirx.lang.pipeline", ""},
    {"tvm.script.tirx.tile", "Tx."},
    {"tvm.tirx.script", NULL},
    {"tvm.tirx.cuda.operator.tile_primitive.tma_utils", ""},
    {"tvm.backend.cuda.operator.tile_primitive.tma_utils", ""},
    {"tvm.backend.cuda.operator.tile_primitive.gemm_async.tcgen05", ""},
};
enum { NMODULES = sizeof modules / sizeof *modules };

static int module_index(const char *name) {
    for (int i = 0; i < NMODULES; i++) {
        if (strcmp(modules[i].module, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* TVM's own packages of which nothing is here. */
static bool tvm_package(const char *name) {
    static const char *const packages[] = {
        "arith",  "backend", "contrib", "driver", "error",  "ir",
        "relax",  "rpc",     "runtime", "s_tir",  "script", "support",
        "target", "te",      "testing", "tir",    "tirx",   "topi"};
    const char *dot = strchr(name, '.');
    size_t n = dot != NULL ? (size_t)(dot - name) : strlen(name);
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (strlen(packages[i]) == n && memcmp(packages[i], name, n) == 0) {
            return true;
        }
    }
    return false;
}

/* A module that is not here: what it has is FOREIGN. But a name that is almost
 * one of ours is misspelt. */
static bool foreign_module(tc_eval_ctx *e, const char *name, tc_span at) {
    const char *names[NMODULES];
    for (int i = 0; i < NMODULES; i++) {
        names[i] = modules[i].module;
    }
    const char *hint = tc_did_you_mean(e, name, names, NMODULES);
    if (hint == NULL ||
        (strncmp(name, "tvm.", 4) == 0 && tvm_package(name + 4) &&
         strncmp(name, "tvm.tirx.lay", 12) != 0)) {
        return true;
    }
    return tc_front_fail(e, at, hint, "there is no module '%s' here", name);
}

/* The value of `from module import name`. */
static bool imported(tc_eval_ctx *e, const tc_node *n, int module,
                     tc_value *out) {
    const char *full = tc_format(e->arena, "%s.%s", n->s, n->s2);
    if (strcmp(full, "tvm.script.tirx") == 0 ||
        strcmp(full, "tvm.tirx.script") == 0) {
        *out = tc_value_namespace("T");
        return true;
    }
    if (strcmp(full, "tvm.script.tirx.tile") == 0 ||
        strcmp(full, "tvm.tirx.script.tile") == 0) {
        *out = tc_value_namespace("Tx");
        return true;
    }
    if (module_index(full) >= 0) {
        *out = tc_value_namespace("tvm");
        return true;
    }
    const char *prefix = modules[module].prefix;
    if (prefix != NULL &&
        tc_builtin_value(e->arena, tc_format(e->arena, "%s%s", prefix, n->s2),
                         out)) {
        return true;
    }
    if (strcmp(n->s, "tvm.script.tirx") == 0) {
        return tc_front_member(e, "T", n->s2, n->span, out);
    }
    const char *near = tc_nearest_name(e, n->s2, prefix ? prefix : "");
    bool tvm = strncmp(n->s, "tvm", 3) == 0 && prefix == NULL;
    if (tvm && (near == NULL || tvm_package(n->s2) ||
                strncmp(n->s, "tvm.script", 10) != 0)) {
        *out = tc_value_foreign(e, n->s, n->s2);
        return true;
    }
    return tc_front_fail(e, n->span, near, "module '%s' has no '%s' here", n->s,
                         n->s2);
}

/* import a.b [as c], from a.b import d [as c]. */
static bool import_foreign(tc_eval_ctx *e, const tc_node *n) {
    tc_value v = tc_value_foreign(e, n->s, "");
    if (n->kind == TC_N_IMPORTFROM) {
        v = tc_value_foreign(e, n->s, n->s2);
        if (strcmp(n->s2, "*") != 0) {
            tc_env_set(e->env, n->s3 != NULL ? n->s3 : n->s2, &v);
        }
        return true;
    }
    if (n->s2 == NULL) { /* its first part is what is named */
        v = tc_value_foreign(e, tc_strndup(e->arena, n->s, strcspn(n->s, ".")),
                             "");
        if (strcmp(v.s, "tvm") == 0) {
            v = tc_value_namespace("tvm");
        }
    }
    tc_env_set(e->env, n->s2 != NULL ? n->s2 : v.s, &v);
    return true;
}

bool tc_front_import(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    int module = module_index(n->s);
    if (module < 0) {
        tc_span at = n->kind == TC_N_IMPORT ? n->span : n->name_span;
        return foreign_module(e, n->s, at) && import_foreign(e, n);
    }
    if (n->kind == TC_N_IMPORT) {
        bool whole = n->s2 != NULL && (strcmp(n->s, "tvm.script.tirx") == 0);
        v = tc_value_namespace(whole ? "T" : "tvm");
        if (n->s2 != NULL && strcmp(n->s, "tvm.script.tirx.tile") == 0) {
            v = tc_value_namespace("Tx");
        }
        tc_env_set(e->env, n->s2 != NULL ? n->s2 : "tvm", &v);
        return true;
    }
    if (strcmp(n->s2, "*") == 0) {
        return true; /* they are in scope already */
    }
    if (!imported(e, n, module, &v)) {
        return false;
    }
    tc_env_set(e->env, n->s3 != NULL ? n->s3 : n->s2, &v);
    return true;
}
