/* exercise.c - reads an exercise.yml. */
#include "grade/exercise.h"
#include "base/buf.h"
#include "grade/yml/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const tc_reason_names[] = {
#define X(id, name) name,
    TC_REASONS(X)
#undef X
};

bool tc_reading_failed(const tc_reading *r) {
    return r->y.diags->errors > 0;
}

const char *tc_read_text(tc_reading *r, const tc_node *map, const char *key,
                         const char *otherwise) {
    const tc_node *n = tc_yaml_get(&r->y, map, key);
    const char *s = tc_yaml_text(&r->y, n);
    return s ? s : otherwise;
}

static bool yes(tc_reading *r, const tc_node *map, const char *key) {
    const char *s = tc_read_text(r, map, key, "false");
    return strcmp(s, "true") == 0 || strcmp(s, "yes") == 0;
}

double tc_read_number(tc_reading *r, const tc_node *map, const char *key,
                      double otherwise) {
    const tc_node *n = tc_yaml_get(&r->y, map, key);
    const char *s = tc_yaml_text(&r->y, n);
    char *end;
    double v = s ? strtod(s, &end) : otherwise;
    if (s && (*end != '\0' || end == s)) {
        tc_yaml_error(&r->y, n, 0, NULL, "'%s' is no number", s);
    }
    return v;
}

const tc_formula *tc_read_expression(tc_reading *r, const tc_node *n) {
    char why[160];
    int column;
    const char *s = n ? tc_yaml_text(&r->y, n) : NULL;
    const tc_formula *x =
        s ? tc_expr_parse(r->a, s, &r->e->names, why, &column) : NULL;
    if (s && !x) {
        tc_yaml_error(&r->y, n, column, NULL, "%s", why);
    }
    return x;
}

/* A file of the folder that is there. */
static const char *file(tc_reading *r, const tc_node *n) {
    const char *s = n ? tc_yaml_text(&r->y, n) : NULL;
    if (s && (s[0] == '/' || strstr(s, "..") != NULL)) {
        tc_yaml_error(&r->y, n, 0, NULL, "'%s' is not in this folder", s);
    }
    return s;
}

/* ---- the interface ---- */

static const char *trimmed(tc_arena *a, const char *s, size_t n) {
    while (n > 0 && s[n - 1] == ' ') {
        n--;
    }
    while (n > 0 && *s == ' ') {
        s++;
        n--;
    }
    return tc_strndup(a, s, n);
}

/* "const float* in". */
static bool parse_argument(tc_arena *a, const char *s, tc_argument *out) {
    size_t n = strlen(s), at = n;
    while (at > 0 && s[at - 1] != ' ' && s[at - 1] != '*') {
        at--;
    }
    out->name = tc_strdup(a, s + at);
    const char *type = trimmed(a, s, at);
    size_t len = strlen(type);
    bool is_const = strncmp(type, "const ", 6) == 0;
    out->pointer = len > 0 && type[len - 1] == '*';
    out->output = out->pointer && !is_const;
    type = trimmed(a, type + (is_const ? 6 : 0),
                   len - (is_const ? 6 : 0) - (out->pointer ? 1 : 0));
    for (int i = 0; i < TC_C_TYPE_COUNT; i++) {
        if (strcmp(type, tc_c_type_name((tc_c_type)i)) == 0) {
            out->type = (tc_c_type)i;
            return *out->name != '\0';
        }
    }
    return false;
}

static void read_interface(tc_reading *r, const tc_node *root) {
    tc_exercise *e = r->e;
    const tc_node *n = tc_yaml_get(&r->y, root, "interface");
    const char *s = n ? tc_yaml_text(&r->y, n) : NULL;
    const char *open = s ? strchr(s, '(') : NULL;
    const char *close = s ? strrchr(s, ')') : NULL;
    if (!open || !close || strncmp(s, "void ", 5) != 0) {
        tc_yaml_error(&r->y, n ? n : root, 0, "void f(float* out, int n)",
                      "the interface of a function is wanted");
        return;
    }
    e->interface = s;
    e->function = trimmed(r->a, s + 5, (size_t)(open - s - 5));
    for (const char *p = open + 1; p < close;) {
        size_t len = strcspn(p, ",)");
        const char *arg = trimmed(r->a, p, len);
        if (e->nargs == TC_EXERCISE_ARGS ||
            !parse_argument(r->a, arg, &e->args[e->nargs])) {
            tc_yaml_error(&r->y, n, (int)(p - s),
                          "float double int unsigned char short long long, or "
                          "a pointer to one",
                          "'%s' is no argument that the grader can make", arg);
            return;
        }
        e->nargs++;
        p += len + 1;
    }
}

/* i, the scalars, the buffers. */
static void make_names(tc_reading *r) {
    tc_exercise *e = r->e;
    const char **scalars = TC_NEWN(r->a, const char *, e->nargs + 1);
    const char **buffers = TC_NEWN(r->a, const char *, e->nargs + 1);
    e->names = (tc_expr_names){scalars, buffers, 1, 0};
    scalars[0] = "i";
    for (int i = 0; i < e->nargs; i++) {
        if (e->args[i].pointer) {
            buffers[e->names.nbuffers++] = e->args[i].name;
        } else {
            scalars[e->names.nscalars++] = e->args[i].name;
        }
    }
}

static void read_buffers(tc_reading *r, const tc_node *root) {
    static const char *const keys[] = {"count",    "result", "starts", "ulps",
                                       "absolute", "around", NULL};
    const tc_node *all = tc_yaml_get(&r->y, root, "buffers");
    for (int i = 0; i < r->e->nargs && !tc_reading_failed(r); i++) {
        tc_argument *x = &r->e->args[i];
        const tc_node *n = tc_yaml_get(&r->y, all, x->name);
        if (!x->pointer || !tc_yaml_keys(&r->y, n, keys)) {
            continue;
        }
        x->count = tc_read_expression(r, tc_yaml_get(&r->y, n, "count"));
        x->result = tc_read_expression(r, tc_yaml_get(&r->y, n, "result"));
        x->result_text = tc_read_text(r, n, "result", NULL);
        x->starts = tc_read_expression(r, tc_yaml_get(&r->y, n, "starts"));
        x->ulps = tc_read_number(r, n, "ulps", 0);
        x->absolute = tc_read_number(r, n, "absolute", 0);
        x->around_least =
            strcmp(tc_read_text(r, n, "around", "most"), "least") == 0;
        if (!tc_reading_failed(r) && (!x->count || (x->output && !x->result))) {
            tc_yaml_error(&r->y, n ? n : root, 0, NULL, "%s needs its %s",
                          x->name, x->count ? "result" : "count");
        }
    }
}

/* ---- tests ---- */

static const tc_pattern *pattern(tc_reading *r, const tc_node *n) {
    const char *s = tc_yaml_text(&r->y, n), *names[TC_EXERCISE_LIST];
    for (int i = 0; s && i < tc_npatterns; i++) {
        names[i] = tc_patterns[i].name;
        if (strcmp(s, names[i]) == 0) {
            return &tc_patterns[i];
        }
    }
    if (s) {
        tc_yaml_error(&r->y, n, 0, tc_diag_nearest(s, names, tc_npatterns),
                      "there are no values '%s'", s);
    }
    return &tc_patterns[0];
}

void tc_read_test(tc_reading *r, const tc_node *n, tc_exercise_test *t) {
    const char *keys[TC_EXERCISE_ARGS + 4] = {"hidden", "gpu", "sampled"};
    for (int i = 0; i < r->e->nargs; i++) {
        keys[i + 3] = r->e->args[i].name;
    }
    if (!tc_yaml_keys(&r->y, n, keys)) {
        return;
    }
    t->there = true;
    t->hidden = yes(r, n, "hidden");
    t->gpu = yes(r, n, "gpu");
    t->sampled = yes(r, n, "sampled");
    for (int i = 0; i < r->e->nargs; i++) {
        const tc_argument *x = &r->e->args[i];
        const tc_node *v = tc_yaml_get(&r->y, n, x->name);
        const char *s = v ? tc_yaml_text(&r->y, v) : NULL;
        char *end = NULL;
        t->patterns[i] = x->pointer && v            ? pattern(r, v)
                         : x->pointer && !x->output ? &tc_patterns[0]
                                                    : NULL;
        if (x->pointer) {
            continue;
        }
        size_t first = s ? strcspn(s, ".") : 0;
        bool range = s && strncmp(s + first, "..", 2) == 0;
        t->scalars[i].from =
            s ? strtod(tc_strndup(r->a, s, range ? first : strlen(s)), &end)
              : 0;
        t->scalars[i].to =
            range ? strtod(s + first + 2, &end) : t->scalars[i].from;
        if (!s || end == NULL || *end != '\0' ||
            t->scalars[i].to < t->scalars[i].from) {
            tc_yaml_error(&r->y, v ? v : n, 0, "a number, or 1..5000",
                          "each test gives %s", x->name);
        }
    }
}

static void read_tests(tc_reading *r, const tc_node *root) {
    tc_exercise *e = r->e;
    const tc_node *list = tc_yaml_get(&r->y, root, "tests"), *n;
    e->tests = TC_NEWN(r->a, tc_exercise_test, TC_EXERCISE_LIST);
    for (int i = 0; (n = tc_yaml_item(&r->y, list, i)) != NULL &&
                    i < TC_EXERCISE_LIST && !tc_reading_failed(r);
         i++) {
        tc_read_test(r, n, &e->tests[e->ntests++]);
    }
    if (e->ntests == 0 && !tc_reading_failed(r)) {
        tc_yaml_error(&r->y, root, 0, NULL, "there are no tests");
    }
}

/* ---- mistakes, hints, wrong answers ---- */

static void read_mistakes(tc_reading *r, const tc_node *root) {
    tc_exercise *e = r->e;
    const tc_node *list = tc_yaml_get(&r->y, root, "mistakes"), *n;
    e->mistakes = TC_NEWN(r->a, tc_mistake, TC_EXERCISE_LIST);
    for (int i = 0; (n = tc_yaml_item(&r->y, list, i)) != NULL &&
                    i < TC_EXERCISE_LIST && !tc_reading_failed(r);
         i++) {
        for (int k = 0; k < e->nargs; k++) {
            const tc_node *v = tc_yaml_get(&r->y, n, e->args[k].name);
            if (v != NULL && e->args[k].output) {
                e->mistakes[e->nmistakes++] =
                    (tc_mistake){k, tc_read_expression(r, v),
                                 tc_read_text(r, n, "says", "")};
            }
        }
    }
}

static void read_hints(tc_reading *r, const tc_node *root) {
    tc_exercise *e = r->e;
    const tc_node *map = tc_yaml_get(&r->y, root, "hints");
    const char *key;
    tc_node *v;
    e->hints = TC_NEWN(r->a, tc_hint, TC_EXERCISE_LIST);
    for (int i = 0; i < TC_EXERCISE_LIST && !tc_reading_failed(r) &&
                    tc_yaml_pair(&r->y, map, i, &key, &v);
         i++) {
        e->hints[e->nhints++] =
            (tc_hint){tc_strdup(r->a, key), tc_yaml_text(&r->y, v)};
    }
}

static void read_wrong(tc_reading *r, const tc_node *root) {
    static const char *const keys[] = {"file", "fails", "says", NULL};
    tc_exercise *e = r->e;
    const tc_node *list = tc_yaml_get(&r->y, root, "wrong"), *n;
    e->wrong = TC_NEWN(r->a, tc_wrong, TC_EXERCISE_LIST);
    for (int i = 0; (n = tc_yaml_item(&r->y, list, i)) != NULL &&
                    i < TC_EXERCISE_LIST && !tc_reading_failed(r);
         i++) {
        if (!tc_yaml_keys(&r->y, n, keys)) {
            return;
        }
        tc_wrong w = {file(r, tc_yaml_get(&r->y, n, "file")),
                      tc_read_text(r, n, "fails", NULL),
                      tc_read_text(r, n, "says", NULL)};
        if (!w.file || !w.fails) {
            tc_yaml_error(&r->y, n, 0, "{file: wrong/x.cu, fails: unwritten}",
                          "a wrong answer has a file, and why it fails");
            return;
        }
        e->wrong[e->nwrong++] = w;
    }
}

static void read_list(tc_reading *r, const tc_node *list, const char ***out,
                      int *count) {
    const tc_node *n;
    *out = TC_NEWN(r->a, const char *, TC_EXERCISE_LIST);
    for (int i = 0;
         i < TC_EXERCISE_LIST && (n = tc_yaml_item(&r->y, list, i)) != NULL;
         i++) {
        (*out)[(*count)++] = tc_yaml_text(&r->y, n);
    }
}

static void read_same(tc_reading *r, const tc_node *root) {
    static const char *const keys[] = {"left", "right", "bytes", NULL};
    tc_exercise *e = r->e;
    const tc_node *list = tc_yaml_get(&r->y, root, "same"), *n;
    e->same = TC_NEWN(r->a, tc_same, TC_EXERCISE_LIST);
    for (int i = 0;
         i < TC_EXERCISE_LIST && (n = tc_yaml_item(&r->y, list, i)) != NULL;
         i++) {
        tc_same s = {tc_read_text(r, n, "left", NULL),
                     tc_read_text(r, n, "right", NULL),
                     (long)tc_read_number(r, n, "bytes", 0)};
        if (!tc_yaml_keys(&r->y, n, keys) || !s.left || !s.right) {
            tc_yaml_error(&r->y, n, 0, "{left: B, right: A, bytes: 8192}",
                          "two buffers are wanted");
            return;
        }
        e->same[e->nsame++] = s;
    }
}

/* ---- all ---- */

static void read_all(tc_reading *r) {
    static const char *const keys[] = {
        "format",    "title",   "lang",      "interface", "templates",
        "reference", "timeout", "launches",  "buffers",   "explain",
        "mistakes",  "tests",   "structure", "hints",     "wrong",
        "variants",  "same",    "speed",     NULL};
    const tc_node *root = tc_yaml_root(&r->y);
    tc_exercise *e = r->e;
    if (!tc_yaml_keys(&r->y, root, keys)) {
        return;
    }
    e->title = tc_read_text(r, root, "title", "");
    e->tirx = strcmp(tc_read_text(r, root, "lang", "cuda"), "tirx") == 0;
    e->timeout_s = tc_read_number(r, root, "timeout", 10);
    e->most_launches = (int)tc_read_number(r, root, "launches", 64);
    e->explain = tc_read_text(r, root, "explain", NULL);
    const tc_node *t = tc_yaml_get(&r->y, root, "templates");
    e->start = file(r, tc_yaml_get(&r->y, t, e->tirx ? "TIRx" : "CUDA"));
    e->reference = file(r, tc_yaml_get(&r->y, root, "reference"));
    if (!e->tirx) {
        read_interface(r, root);
    }
    make_names(r);
    if (!tc_reading_failed(r) && !e->tirx) {
        read_buffers(r, root);
        read_tests(r, root);
        read_mistakes(r, root);
    }
    tc_read_rules(r, root);
    if (!e->tirx) {
        tc_read_speed(r, root);
    }
    read_hints(r, root);
    read_wrong(r, root);
    read_list(r, tc_yaml_get(&r->y, root, "variants"), &e->variants,
              &e->nvariants);
    read_same(r, root);
}

const tc_exercise *tc_exercise_load(tc_arena *a, const char *name,
                                    const char *folder, tc_diags *d) {
    tc_diags own = {d->fn, d->user, 0};
    tc_reading r = {.a = a, .e = TC_NEW(a, tc_exercise)};
    r.e->name = tc_strdup(a, name);
    r.e->folder = tc_strdup(a, folder);
    if (!tc_yaml_open(&r.y, a, tc_format(a, "%s/exercise.yml", folder), &own)) {
        d->errors += own.errors;
        return NULL;
    }
    read_all(&r);
    tc_yaml_close(&r.y);
    d->errors += own.errors;
    return own.errors == 0 ? r.e : NULL;
}

const char *tc_exercise_hint(const tc_exercise *e, const char *reason) {
    for (int i = 0; i < e->nhints; i++) {
        if (strcmp(e->hints[i].reason, reason) == 0) {
            return e->hints[i].says;
        }
    }
    return NULL;
}

/* Indices have all their digits. */
static void put_number(tc_buf *b, double v) {
    bool index = v == (double)(int64_t)v && v < 1e15 && v > -1e15;
    tc_buf_printf(b, index ? "%.0f" : "%.9g", v);
}

const char *tc_exercise_fill(tc_arena *a, const tc_exercise *e, const char *s,
                             tc_expr_env *env) {
    tc_buf b = TC_BUF_INIT;
    while (*s) {
        size_t n = strcspn(s, "{");
        tc_buf_write(&b, s, n);
        s += n;
        const char *end = *s ? strchr(s, '}') : NULL;
        if (end != NULL) {
            char why[160];
            int column;
            const tc_formula *x =
                tc_expr_parse(a, tc_strndup(a, s + 1, (size_t)(end - s - 1)),
                              &e->names, why, &column);
            if (x != NULL) {
                put_number(&b, tc_expr_value(x, env));
            }
            s = end + 1;
        } else if (*s) {
            tc_buf_putc(&b, *s++);
        }
    }
    return tc_buf_finish(&b, a);
}
