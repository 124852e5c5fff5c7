/* expr.c - expressions of an exercise.yml: parsing and values. */
#include "grade/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS = 8, ARGUMENTS = 8 };

typedef enum expr_op {
    NUMBER,
    SCALAR,
    LOOP, /* a loop's variable */
    ELEMENT,
    ADD,
    SUB,
    MUL,
    DIV,
    MOD,
    LT,
    LE,
    EQ,
    NE,
    AND,
    OR,
    NOT,
    CHOOSE,
    MAX,
    MIN,
    SUM,
    ABS,
    FLOOR,
    QUOTIENT
} expr_op;

struct tc_formula {
    expr_op op;
    double number;
    int index; /* of the scalar, loop or buffer */
    bool over; /* MAX, MIN, SUM: a loop; arg: from, to, what */
    const tc_formula *arg[ARGUMENTS];
    int nargs;
};

/* ---- elements ---- */

uint64_t tc_c_type_bytes(tc_c_type e) {
    static const uint64_t bytes[] = {
#define X(id, name, type) sizeof(type),
        TC_C_TYPES(X)
#undef X
    };
    return bytes[e];
}

const char *tc_c_type_name(tc_c_type e) {
    static const char *const names[] = {
#define X(id, name, type) name,
        TC_C_TYPES(X)
#undef X
    };
    return names[e];
}

bool tc_c_type_real(tc_c_type e) {
    return e == TC_C_TYPE_FLOAT || e == TC_C_TYPE_DOUBLE;
}

double tc_c_type_read(tc_c_type e, const void *at, uint64_t i) {
    switch (e) {
#define X(id, name, type)                                                      \
    case TC_C_TYPE_##id: {                                                     \
        type v;                                                                \
        memcpy(&v, (const char *)at + i * sizeof v, sizeof v);                 \
        return (double)v;                                                      \
    }
        TC_C_TYPES(X)
#undef X
    default:
        return 0;
    }
}

void tc_c_type_write(tc_c_type e, void *at, uint64_t i, double value) {
    switch (e) {
#define X(id, name, type)                                                      \
    case TC_C_TYPE_##id: {                                                     \
        type v = (type)value;                                                  \
        memcpy((char *)at + i * sizeof v, &v, sizeof v);                       \
        break;                                                                 \
    }
        TC_C_TYPES(X)
#undef X
    default:
        break;
    }
}

/* ---- parsing ---- */

typedef struct expr_parser {
    tc_arena *a;
    const char *text, *at;
    const tc_expr_names *names;
    char *why;
    const char *loops[LOOPS]; /* their variables, as text */
    size_t lengths[LOOPS];
    int nloops, depth;
    bool failed;
} expr_parser;

static const tc_formula *choice(expr_parser *p);

static const tc_formula *fail(expr_parser *p, const char *what) {
    if (!p->failed) {
        snprintf(p->why, 160, "%s", what);
        p->failed = true;
    }
    return NULL;
}

static void blanks(expr_parser *p) {
    p->at += strspn(p->at, " \t\n");
}

static bool take(expr_parser *p, const char *word) {
    blanks(p);
    size_t n = strlen(word);
    bool is = strncmp(p->at, word, n) == 0;
    p->at += is ? n : 0;
    return is;
}

static bool want(expr_parser *p, const char *word) {
    char why[64];
    if (take(p, word)) {
        return true;
    }
    snprintf(why, sizeof why, "'%s' is missing here", word);
    fail(p, why);
    return false;
}

static tc_formula *make(expr_parser *p, expr_op op, const tc_formula *x,
                        const tc_formula *y) {
    tc_formula *e = TC_NEW(p->a, tc_formula);
    *e = (tc_formula){.op = op, .arg = {x, y}, .nargs = y ? 2 : 1};
    return e;
}

static size_t word_length(const char *s) {
    size_t n = 0;
    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
           s[n] == '_' || (n > 0 && s[n] >= '0' && s[n] <= '9')) {
        n++;
    }
    return n;
}

static int find(const char *const *names, int n, const char *s, size_t len) {
    for (int i = 0; i < n; i++) {
        if (strlen(names[i]) == len && memcmp(names[i], s, len) == 0) {
            return i;
        }
    }
    return -1;
}

/* "j = a .. b: e" behind "max(", where the next words are "j =". */
static const tc_formula *loop(expr_parser *p, tc_formula *e, size_t n) {
    const char *name = p->at;
    p->at += n;
    want(p, "=");
    e->over = true;
    e->arg[0] = choice(p);
    want(p, "..");
    e->arg[1] = choice(p);
    want(p, ":");
    if (p->nloops == LOOPS) {
        return fail(p, "too many loops");
    }
    p->loops[p->nloops] = name;
    p->lengths[p->nloops] = n;
    e->index = p->nloops++;
    e->arg[2] = choice(p);
    p->nloops--;
    e->nargs = 3;
    want(p, ")");
    return e;
}

static const tc_formula *call(expr_parser *p, expr_op op) {
    tc_formula *e = make(p, op, NULL, NULL);
    e->nargs = 0;
    blanks(p);
    size_t n = word_length(p->at);
    const char *next = p->at + n + strspn(p->at + n, " ");
    if (n > 0 && next[0] == '=' && next[1] != '=') {
        return loop(p, e, n);
    }
    do {
        if (e->nargs == ARGUMENTS) {
            return fail(p, "too many arguments");
        }
        e->arg[e->nargs++] = choice(p);
    } while (!p->failed && take(p, ","));
    want(p, ")");
    bool one = op == ABS || op == FLOOR;
    if (!p->failed &&
        ((one && e->nargs != 1) || (op == QUOTIENT && e->nargs != 2))) {
        return fail(p, one ? "this takes one argument"
                           : "div takes two arguments");
    }
    return e;
}

static const tc_formula *name(expr_parser *p, size_t n) {
    static const struct {
        const char *name;
        expr_op op;
    } calls[] = {{"max", MAX}, {"min", MIN},     {"sum", SUM},
                 {"abs", ABS}, {"floor", FLOOR}, {"div", QUOTIENT}};
    const char *s = p->at;
    tc_formula *e = make(p, SCALAR, NULL, NULL);
    for (int i = p->nloops - 1; i >= 0; i--) {
        if (p->lengths[i] == n && memcmp(p->loops[i], s, n) == 0) {
            p->at += n;
            e->op = LOOP;
            e->index = i;
            return e;
        }
    }
    e->index = find(p->names->scalars, p->names->nscalars, s, n);
    if (e->index >= 0) {
        p->at += n;
        return e;
    }
    e->index = find(p->names->buffers, p->names->nbuffers, s, n);
    if (e->index >= 0) {
        p->at += n;
        e->op = ELEMENT;
        want(p, "[");
        e->arg[0] = choice(p);
        want(p, "]");
        return e;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strlen(calls[i].name) == n && memcmp(calls[i].name, s, n) == 0) {
            p->at += n;
            return want(p, "(") ? call(p, calls[i].op) : NULL;
        }
    }
    char why[160];
    snprintf(why, sizeof why, "there is no '%.*s' here", (int)n, s);
    return fail(p, why);
}

static const tc_formula *unary(expr_parser *p) {
    enum { DEEPEST = 200 };
    blanks(p);
    size_t n = word_length(p->at);
    const tc_formula *e = NULL;
    if (++p->depth > DEEPEST) {
        e = fail(p, "this is nested too deeply");
    } else if (n > 0) {
        e = name(p, n);
    } else if (take(p, "-")) {
        e = make(p, SUB, make(p, NUMBER, NULL, NULL), unary(p));
    } else if (take(p, "!")) {
        e = make(p, NOT, unary(p), NULL);
    } else if (take(p, "(")) {
        e = choice(p);
        want(p, ")");
    } else if (*p->at >= '0' && *p->at <= '9') {
        tc_formula *number = make(p, NUMBER, NULL, NULL);
        char *end;
        const char *dots = strstr(p->at, "..");
        size_t digits = strspn(p->at, "0123456789");
        number->number = strtod(p->at, &end);
        if (dots == p->at + digits) { /* "0..n" has no 0. in it */
            end = (char *)(uintptr_t)dots;
        }
        p->at = end;
        e = number;
    } else {
        e = fail(p, "an expression is missing here");
    }
    p->depth--;
    return e;
}

static const tc_formula *product(expr_parser *p) {
    const tc_formula *x = unary(p);
    while (!p->failed) {
        if (take(p, "*")) {
            x = make(p, MUL, x, unary(p));
        } else if (take(p, "/")) {
            x = make(p, DIV, x, unary(p));
        } else if (take(p, "%")) {
            x = make(p, MOD, x, unary(p));
        } else {
            break;
        }
    }
    return x;
}

static const tc_formula *addition(expr_parser *p) {
    const tc_formula *x = product(p);
    while (!p->failed) {
        if (take(p, "+")) {
            x = make(p, ADD, x, product(p));
        } else if (take(p, "-")) {
            x = make(p, SUB, x, product(p));
        } else {
            break;
        }
    }
    return x;
}

static const tc_formula *comparison(expr_parser *p) {
    const tc_formula *x = addition(p);
    if (take(p, "<=")) {
        return make(p, LE, x, addition(p));
    }
    if (take(p, ">=")) {
        return make(p, LE, addition(p), x);
    }
    if (take(p, "==")) {
        return make(p, EQ, x, addition(p));
    }
    if (take(p, "!=")) {
        return make(p, NE, x, addition(p));
    }
    if (take(p, "<")) {
        return make(p, LT, x, addition(p));
    }
    return take(p, ">") ? make(p, LT, addition(p), x) : x;
}

static const tc_formula *both(expr_parser *p) {
    const tc_formula *x = comparison(p);
    while (!p->failed && take(p, "&&")) {
        x = make(p, AND, x, comparison(p));
    }
    return x;
}

static const tc_formula *choice(expr_parser *p) {
    const tc_formula *x = both(p);
    while (!p->failed && take(p, "||")) {
        x = make(p, OR, x, both(p));
    }
    if (!p->failed && take(p, "?")) {
        tc_formula *e = make(p, CHOOSE, x, choice(p));
        want(p, ":");
        e->arg[2] = choice(p);
        x = e;
    }
    return x;
}

const tc_formula *tc_expr_parse(tc_arena *a, const char *text,
                                const tc_expr_names *names, char why[160],
                                int *column) {
    expr_parser p = {
        .a = a, .text = text, .at = text, .names = names, .why = why};
    const tc_formula *e = choice(&p);
    blanks(&p);
    if (!p.failed && *p.at != '\0') {
        fail(&p, "the expression ends before this");
    }
    *column = (int)(p.at - text);
    return p.failed ? NULL : e;
}

/* ---- values ---- */

typedef struct expr_state {
    tc_expr_env *env;
    double loops[LOOPS];
} expr_state;

static double value(const tc_formula *e, expr_state *s);

static double element(const tc_formula *e, expr_state *s) {
    const tc_expr_buffer *b = &s->env->buffers[e->index];
    double i = value(e->arg[0], s);
    if (!(i >= 0 && i < (double)b->count)) {
        s->env->bad = true;
        return 0;
    }
    return tc_c_type_read(b->type, b->data, (uint64_t)i);
}

static double fold(expr_op op, double all, double x, bool first) {
    return first       ? x
           : op == SUM ? all + x
           : op == MAX ? (x > all ? x : all)
                       : (x < all ? x : all);
}

static double many(const tc_formula *e, expr_state *s) {
    double all = 0;
    if (!e->over) {
        for (int i = 0; i < e->nargs; i++) {
            all = fold(e->op, all, value(e->arg[i], s), i == 0);
        }
        return all;
    }
    double from = value(e->arg[0], s), to = value(e->arg[1], s);
    for (double j = from; j <= to; j++) {
        s->loops[e->index] = j;
        all = fold(e->op, all, value(e->arg[2], s), j == from);
    }
    return all;
}

static double value(const tc_formula *e, expr_state *s) {
    const tc_formula *x = e->arg[0], *y = e->arg[1];
    double a, b;
    switch (e->op) {
    case NUMBER:
        return e->number;
    case SCALAR:
        return s->env->scalars[e->index];
    case LOOP:
        return s->loops[e->index];
    case ELEMENT:
        return element(e, s);
    case ADD:
        return value(x, s) + value(y, s);
    case SUB:
        return value(x, s) - value(y, s);
    case MUL:
        return value(x, s) * value(y, s);
    case DIV:
        return value(x, s) / value(y, s);
    case MOD:
        a = value(x, s);
        b = value(y, s);
        return a - floor(a / b) * b;
    case QUOTIENT:
        a = value(x, s);
        return floor(a / value(y, s));
    case LT:
        return value(x, s) < value(y, s);
    case LE:
        return value(x, s) <= value(y, s);
    case EQ:
        a = value(x, s) - value(y, s);
        return a >= 0 && a <= 0;
    case NE:
        a = value(x, s) - value(y, s);
        return a < 0 || a > 0;
    case AND:
        return value(x, s) != 0 && value(y, s) != 0;
    case OR:
        return value(x, s) != 0 || value(y, s) != 0;
    case NOT:
        return value(x, s) == 0;
    case CHOOSE:
        return value(x, s) != 0 ? value(y, s) : value(e->arg[2], s);
    case MAX:
    case MIN:
    case SUM:
        return many(e, s);
    case ABS:
        return fabs(value(x, s));
    case FLOOR:
        return floor(value(x, s));
    }
    return 0;
}

double tc_expr_value(const tc_formula *e, tc_expr_env *env) {
    expr_state s = {.env = env};
    return value(e, &s);
}
