/* method.c - methods of strings, lists, tuples, dicts and numbers. */
#include "front/python.h"

#include <ctype.h>
#include <string.h>

typedef struct method {
    tc_eval_ctx *e;
    tc_value *v; /* the object */
    const tc_args *args;
    tc_value *out;
    bool *changed;
} method;

static bool string_arg(const method *m, int i, const char **out) {
    if (i >= m->args->npositional) {
        return tc_front_fail(m->e, m->args->span, NULL, "%s needs a string",
                             m->args->function);
    }
    return tc_want_string(m->e, &m->args->items[i].value,
                          m->args->items[i].span, "the argument", out);
}

/* --- strings ----------------------------------------------------------- */

static bool join(const method *m) {
    const tc_value *items;
    int n;
    tc_buf b = TC_BUF_INIT;
    if (m->args->npositional != 1 || !tc_iterate(m->e, &m->args->items[0].value,
                                                 m->args->span, &items, &n)) {
        return m->args->npositional == 1
                   ? false
                   : tc_front_fail(m->e, m->args->span, NULL,
                                   "join needs a list");
    }
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        const char *s = "";
        ok = tc_want_string(m->e, &items[i], m->args->span, "what is joined",
                            &s) &&
             (b.len <= TC_MAX_ITEMS ||
              tc_front_fail(m->e, m->args->span, NULL, "the text is too long"));
        tc_buf_puts(&b, i > 0 ? m->v->s : "");
        tc_buf_puts(&b, s);
    }
    *m->out = tc_value_string(tc_buf_finish(&b, m->e->arena));
    return ok;
}

static bool with_case(const method *m, int (*fn)(int)) {
    char *s = tc_strdup(m->e->arena, m->v->s);
    for (char *p = s; *p != '\0'; p++) {
        *p = (char)fn((unsigned char)*p);
    }
    *m->out = tc_value_string(s);
    return true;
}

static bool ends(const method *m, bool begin) {
    const char *part;
    if (!string_arg(m, 0, &part)) {
        return false;
    }
    size_t n = strlen(m->v->s), k = strlen(part);
    *m->out = tc_value_bool(
        k <= n && memcmp(begin ? m->v->s : m->v->s + n - k, part, k) == 0);
    return true;
}

static bool split(const method *m) {
    const char *by = NULL, *s = m->v->s;
    tc_value *items = NULL;
    int n = 0, cap = 0;
    if (m->args->npositional > 0 && !string_arg(m, 0, &by)) {
        return false;
    }
    while (by == NULL || by[0] != '\0') {
        s += by == NULL ? strspn(s, " \t\n") : 0;
        const char *end = by != NULL ? strstr(s, by) : s + strcspn(s, " \t\n");
        size_t len = end != NULL ? (size_t)(end - s) : strlen(s);
        if (by != NULL || len > 0) {
            TC_PUSH(m->e->arena, items, n, cap,
                    tc_value_string(tc_strndup(m->e->arena, s, len)));
        }
        if (end == NULL || (by == NULL && *end == '\0')) {
            break;
        }
        s = end + (by != NULL ? strlen(by) : 0);
    }
    *m->out = tc_value_items(TC_V_LIST, items, n);
    return true;
}

static bool replace(const method *m) {
    const char *from, *to, *s = m->v->s, *at;
    if (!string_arg(m, 0, &from) || !string_arg(m, 1, &to)) {
        return false;
    }
    tc_buf b = TC_BUF_INIT;
    while (from[0] != '\0' && b.len <= TC_MAX_ITEMS &&
           (at = strstr(s, from)) != NULL) {
        tc_buf_write(&b, s, (size_t)(at - s));
        tc_buf_puts(&b, to);
        s = at + strlen(from);
    }
    tc_buf_puts(&b, s);
    *m->out = tc_value_string(tc_buf_finish(&b, m->e->arena));
    return true;
}

static bool strip(const method *m) {
    const char *s = m->v->s;
    s += strspn(s, " \t\n");
    size_t n = strlen(s);
    while (n > 0 && strchr(" \t\n", s[n - 1]) != NULL) {
        n--;
    }
    *m->out = tc_value_string(tc_strndup(m->e->arena, s, n));
    return true;
}

static bool of_string(const method *m, const char *name, bool *known) {
    *known = true;
    if (strcmp(name, "join") == 0) {
        return join(m);
    }
    if (strcmp(name, "upper") == 0 || strcmp(name, "lower") == 0) {
        return with_case(m, name[0] == 'u' ? toupper : tolower);
    }
    if (strcmp(name, "startswith") == 0 || strcmp(name, "endswith") == 0) {
        return ends(m, name[0] == 's');
    }
    if (strcmp(name, "split") == 0) {
        return split(m);
    }
    if (strcmp(name, "replace") == 0) {
        return replace(m);
    }
    if (strcmp(name, "strip") == 0) {
        return strip(m);
    }
    *known = false;
    return true;
}

/* --- lists and dicts --------------------------------------------------- */

/* The list with one more, or with all of a second. */
static bool grow(const method *m, bool all) {
    tc_value one;
    if (m->args->npositional != 1) {
        return tc_front_fail(m->e, m->args->span, NULL, "%s takes 1 argument",
                             m->args->function);
    }
    const tc_value *given = &m->args->items[0].value;
    one = tc_value_items(TC_V_LIST, given, 1);
    if (all &&
        !tc_iterate(m->e, given, m->args->span, &one.items, &one.nitems)) {
        return false;
    }
    *m->changed = true;
    *m->out = tc_value_none();
    return tc_arith_binary(m->e, TC_OP_ADD, m->v, &one, m->args->span, m->v);
}

static bool pop(const method *m) {
    int n = m->v->nitems;
    if (n == 0 || m->args->n > 0) {
        return tc_front_fail(m->e, m->args->span, NULL,
                             n == 0 ? "pop of an empty list"
                                    : "pop takes the last element only");
    }
    *m->out = m->v->items[n - 1];
    m->v->nitems--;
    *m->changed = true;
    return true;
}

static int place_of(const method *m) {
    for (int i = 0; m->args->npositional > 0 && i < m->v->nitems; i++) {
        int budget = 1000;
        if (tc_value_equal(&m->v->items[i], &m->args->items[0].value,
                           &budget)) {
            return i;
        }
    }
    return -1;
}

static bool of_list(const method *m, const char *name, bool *known) {
    bool list = m->v->kind == TC_V_LIST;
    *known = true;
    if (list && (strcmp(name, "append") == 0 || strcmp(name, "extend") == 0)) {
        return grow(m, name[0] == 'e');
    }
    if (list && strcmp(name, "pop") == 0) {
        return pop(m);
    }
    if (strcmp(name, "copy") == 0) {
        *m->out = *m->v;
        return true;
    }
    if (strcmp(name, "index") == 0) {
        *m->out = tc_value_int(place_of(m));
        return m->out->i >= 0 || tc_front_fail(m->e, m->args->span, NULL,
                                               "it is not in the list");
    }
    if (strcmp(name, "count") == 0) {
        int n = 0;
        for (int i = 0; m->args->npositional > 0 && i < m->v->nitems; i++) {
            int budget = 1000;
            n += tc_value_equal(&m->v->items[i], &m->args->items[0].value,
                                &budget);
        }
        *m->out = tc_value_int(n);
        return true;
    }
    *known = false;
    return true;
}

static bool get(const method *m, bool set) {
    if (m->args->npositional < 1 || m->args->n > 2) {
        return tc_front_fail(m->e, m->args->span, NULL,
                             "%s takes a key and a default", m->args->function);
    }
    *m->out = m->args->n > 1 ? m->args->items[1].value : tc_value_none();
    for (int i = 0; i + 1 < m->v->nitems; i += 2) {
        int budget = 1000;
        if (tc_value_equal(&m->v->items[i], &m->args->items[0].value,
                           &budget)) {
            *m->out = m->v->items[i + 1];
            return true;
        }
    }
    if (!set) {
        return true;
    }
    tc_value *items = TC_NEWN(m->e->arena, tc_value, m->v->nitems + 2);
    memcpy(items, m->v->items, sizeof *items * (size_t)m->v->nitems);
    items[m->v->nitems] = m->args->items[0].value;
    items[m->v->nitems + 1] = *m->out;
    *m->v = tc_value_items(TC_V_DICT, items, m->v->nitems + 2);
    *m->changed = true;
    return true;
}

static bool of_dict(const method *m, const char *name, bool *known) {
    tc_arena *a = m->e->arena;
    int n = m->v->nitems / 2;
    bool items = strcmp(name, "items") == 0, keys = strcmp(name, "keys") == 0;
    *known = true;
    if (strcmp(name, "get") == 0 || strcmp(name, "setdefault") == 0) {
        return get(m, name[0] == 's');
    }
    if (strcmp(name, "copy") == 0) {
        *m->out = *m->v;
        return true;
    }
    if (!items && !keys && strcmp(name, "values") != 0) {
        *known = false;
        return true;
    }
    tc_value *all = TC_NEWN(a, tc_value, n + 1);
    for (int i = 0; i < n; i++) {
        const tc_value *pair = &m->v->items[2 * i];
        all[i] =
            items ? tc_value_items(TC_V_TUPLE, pair, 2) : pair[keys ? 0 : 1];
    }
    *m->out = tc_value_items(TC_V_LIST, all, n);
    return true;
}

static bool of_number(const method *m, const char *name, bool *known) {
    *known = m->v->kind != TC_V_FLOAT && strcmp(name, "bit_length") == 0;
    if (*known) {
        int bits = 0;
        uint64_t u = m->v->i < 0 ? 0 - (uint64_t)m->v->i : (uint64_t)m->v->i;
        for (; u != 0; u >>= 1) {
            bits++;
        }
        *m->out = tc_value_int(bits);
    }
    return true;
}

bool tc_python_method(tc_eval_ctx *e, tc_value *v, const char *name,
                      const tc_args *args, bool *known, bool *changed,
                      tc_value *out) {
    method m = {e, v, args, out, changed};
    *changed = false;
    switch (v->kind) {
    case TC_V_STRING:
        return of_string(&m, name, known);
    case TC_V_LIST:
    case TC_V_TUPLE:
        return of_list(&m, name, known);
    case TC_V_DICT:
        return of_dict(&m, name, known);
    default:
        return of_number(&m, name, known);
    }
}
