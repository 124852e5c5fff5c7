/* value.c - values as Python has them: making, comparing, printing. */
#include "front/value/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tc_value tc_value_int(int64_t i) {
    return (tc_value){.kind = TC_V_INT, .i = i};
}

tc_value tc_value_bool(bool b) {
    return (tc_value){.kind = TC_V_BOOL, .i = b};
}

tc_value tc_value_float(double f) {
    return (tc_value){.kind = TC_V_FLOAT, .f = f};
}

tc_value tc_value_string(const char *s) {
    return (tc_value){.kind = TC_V_STRING, .s = s};
}

tc_value tc_value_none(void) {
    return (tc_value){.kind = TC_V_NONE};
}

tc_value tc_value_items(tc_value_kind kind, const tc_value *items, int n) {
    return (tc_value){.kind = kind, .items = items, .nitems = n};
}

tc_value tc_value_expr(tc_expr *x) {
    return (tc_value){.kind = TC_V_EXPR, .expr = x};
}

tc_value tc_value_layout(const tc_layout *l) {
    return (tc_value){.kind = TC_V_LAYOUT, .layout = l};
}

tc_value tc_value_axis(const tc_axis *axis) {
    return (tc_value){.kind = TC_V_AXIS, .axis = axis};
}

tc_value tc_value_namespace(const char *dotted) {
    return (tc_value){.kind = TC_V_NAMESPACE, .s = dotted};
}

const char *tc_value_kind_text(const tc_value *v) {
    static const char *const words[] = {
        [TC_V_NONE] = "None",
        [TC_V_BOOL] = "a boolean",
        [TC_V_INT] = "an integer",
        [TC_V_FLOAT] = "a float",
        [TC_V_STRING] = "a string",
        [TC_V_TUPLE] = "a tuple",
        [TC_V_LIST] = "a list",
        [TC_V_DICT] = "a dict",
        [TC_V_SLICE] = "a slice",
        [TC_V_DTYPE] = "a data type",
        [TC_V_AXIS] = "an axis",
        [TC_V_SPEC] = "a layout spec (S[...])",
        [TC_V_STRIDED] = "a stride with an axis",
        [TC_V_ITER] = "an Iter",
        [TC_V_LAYOUT] = "a layout",
        [TC_V_SWIZZLE_MODE] = "a swizzle mode",
        [TC_V_NAMESPACE] = "a function or module",
        [TC_V_FUNC] = "a prim_func",
        [TC_V_BUFFER] = "a buffer",
        [TC_V_OBJECT] = "a pool or a barrier",
        [TC_V_REGION] = "a region of a buffer",
        [TC_V_EXPR] = "a run-time value",
        [TC_V_PYTHON] = "a function",
        [TC_V_CLASS] = "a class",
        [TC_V_FOREIGN] = "a value of a module that is not here",
        [TC_V_CASE] = "a pytest.param",
    };
    return words[v->kind];
}

bool tc_value_is_number(const tc_value *v) {
    return v->kind == TC_V_BOOL || v->kind == TC_V_INT || v->kind == TC_V_FLOAT;
}

bool tc_value_is_sequence(const tc_value *v) {
    return v->kind == TC_V_TUPLE || v->kind == TC_V_LIST;
}

static bool equal_at(const tc_value *a, const tc_value *b, int *budget,
                     int depth);

static bool items_equal(const tc_value *a, const tc_value *b, int *budget,
                        int depth) {
    if (a->nitems != b->nitems) {
        return false;
    }
    for (int i = 0; a->items != b->items && i < a->nitems; i++) {
        if (!equal_at(&a->items[i], &b->items[i], budget, depth + 1)) {
            return false;
        }
    }
    return true;
}

static double as_double(const tc_value *v) {
    return v->kind == TC_V_FLOAT ? v->f : (double)v->i;
}

static bool same_kind_equal(const tc_value *a, const tc_value *b, int *budget,
                            int depth) {
    switch (a->kind) {
    case TC_V_NONE:
        return true;
    case TC_V_STRING:
    case TC_V_NAMESPACE:
        return strcmp(a->s, b->s) == 0;
    case TC_V_TUPLE:
    case TC_V_LIST:
    case TC_V_DICT:
    case TC_V_SLICE:
        return items_equal(a, b, budget, depth);
    case TC_V_DTYPE:
        return a->dtype == b->dtype;
    case TC_V_AXIS:
        return tc_axis_eq(a->axis, b->axis);
    case TC_V_STRIDED:
        return a->i == b->i && tc_axis_eq(a->axis, b->axis);
    case TC_V_ITER:
        return a->iter.extent == b->iter.extent &&
               a->iter.stride == b->iter.stride &&
               tc_axis_eq(a->iter.axis, b->iter.axis);
    case TC_V_SPEC:
    case TC_V_LAYOUT:
        return tc_layout_equal(a->layout, b->layout);
    case TC_V_FUNC:
        return a->func == b->func;
    case TC_V_BUFFER:
        return a->buffer == b->buffer;
    case TC_V_SWIZZLE_MODE:
        return a->i == b->i;
    case TC_V_PYTHON:
    case TC_V_CLASS:
        return a->python == b->python;
    default:
        return false;
    }
}

static bool equal_at(const tc_value *a, const tc_value *b, int *budget,
                     int depth) {
    if (depth > TC_MAX_DEPTH) {
        *budget = 0;
    }
    if (--*budget < 0) {
        return false;
    }
    if (tc_value_is_number(a) && tc_value_is_number(b)) {
        bool exact = a->kind != TC_V_FLOAT && b->kind != TC_V_FLOAT;
        return exact ? a->i == b->i : as_double(a) == as_double(b);
    }
    return a->kind == b->kind && same_kind_equal(a, b, budget, depth);
}

/* *budget bounds the work, since values may share parts; below 0, the answer
 * means nothing. */
bool tc_value_equal(const tc_value *a, const tc_value *b, int *budget) {
    return equal_at(a, b, budget, 0);
}

/* --- printing ---------------------------------------------------------- */

typedef struct printer {
    tc_buf *b;
    int budget; /* values still to be written out */
    int depth;
} printer;

static void print_value(printer *p, const tc_value *v);

/* The shortest digits that read back as the same double, as Python does. */
static void print_float(tc_buf *b, double f) {
    char text[40];
    if (isnan(f) || isinf(f)) {
        tc_buf_puts(b, isnan(f) ? "nan" : f < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, f);
        if (strtod(text, NULL) == f) {
            break;
        }
    }
    /* Python switches to an exponent at 1e16, C's %g at the precision. */
    if (strchr(text, 'e') != NULL && fabs(f) < 1e16 && fabs(f) >= 1e-4) {
        snprintf(text, sizeof text, "%.0f", f);
    }
    tc_buf_puts(b, text);
    if (strpbrk(text, ".e") == NULL) {
        tc_buf_puts(b, ".0");
    }
}

static void print_string(tc_buf *b, const char *s) {
    char quote = strchr(s, '\'') != NULL && strchr(s, '"') == NULL ? '"' : '\'';
    tc_buf_putc(b, quote);
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '\n' || c == '\r' || c == '\t') {
            tc_buf_printf(b, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        } else if (c == '\\' || c == (unsigned char)quote) {
            tc_buf_printf(b, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            tc_buf_printf(b, "\\x%02x", c);
        } else {
            tc_buf_putc(b, (char)c);
        }
    }
    tc_buf_putc(b, quote);
}

static void print_items(printer *p, const char *open, const tc_value *v,
                        const char *close) {
    tc_buf_puts(p->b, open);
    for (int i = 0; i < v->nitems; i++) {
        tc_buf_puts(p->b, i > 0 ? ", " : "");
        if (p->budget <= 0) {
            tc_buf_puts(p->b, "...");
            break;
        }
        print_value(p, &v->items[i]);
    }
    tc_buf_puts(p->b, v->kind == TC_V_TUPLE && v->nitems == 1 ? "," : "");
    tc_buf_puts(p->b, close);
}

static void print_dict(printer *p, const tc_value *v) {
    tc_buf_putc(p->b, '{');
    for (int i = 0; i + 1 < v->nitems && p->budget > 0; i += 2) {
        tc_buf_puts(p->b, i > 0 ? ", " : "");
        print_value(p, &v->items[i]);
        tc_buf_puts(p->b, ": ");
        print_value(p, &v->items[i + 1]);
    }
    tc_buf_putc(p->b, '}');
}

/* As it is typed: a name that was made on the spot needs Axis.get. */
static void print_axis(tc_buf *b, const tc_axis *axis) {
    if (axis->cls == TC_AXIS_UNKNOWN) {
        tc_buf_puts(b, "Axis.get(");
        print_string(b, axis->name);
        tc_buf_putc(b, ')');
    } else {
        tc_buf_puts(b, axis->name);
    }
}

static void print_at(tc_buf *b, int64_t value, const tc_axis *axis) {
    tc_buf_printf(b, "%lld", (long long)value);
    if (!tc_axis_eq(axis, tc_axis_m)) {
        tc_buf_putc(b, '@');
        print_axis(b, axis);
    }
}

static void print_iters(tc_buf *b, const char *name, const tc_iter *it, int n) {
    tc_buf_printf(b, "%s[(", name);
    for (int i = 0; i < n; i++) {
        tc_buf_printf(b, "%s%lld", i > 0 ? ", " : "", (long long)it[i].extent);
    }
    tc_buf_printf(b, "%s) : (", n == 1 ? "," : "");
    for (int i = 0; i < n; i++) {
        tc_buf_puts(b, i > 0 ? ", " : "");
        print_at(b, it[i].stride, it[i].axis);
    }
    tc_buf_printf(b, "%s)]", n == 1 ? "," : "");
}

static void print_spec(tc_buf *b, const tc_value *v) {
    const tc_layout *l = v->layout;
    const char *plus = "";
    if (v->shard_given || (!v->replica_given && l->noffset == 0)) {
        print_iters(b, "S", l->shard, l->nshard);
        plus = " + ";
    }
    if (v->replica_given) {
        tc_buf_puts(b, plus);
        print_iters(b, "R", l->replica, l->nreplica);
        plus = " + ";
    }
    for (int i = 0; i < l->noffset; i++) {
        tc_buf_puts(b, plus);
        print_at(b, l->offset[i].value, l->offset[i].axis);
        plus = " + ";
    }
}

static void print_region(tc_buf *b, const tc_region *r) {
    tc_buf_printf(b, "%s[", r->buffer->name ? r->buffer->name : "buffer");
    for (int i = 0; i < r->buffer->rank; i++) {
        int64_t min;
        tc_buf_puts(b, i > 0 ? ", " : "");
        if (tc_expr_const(r->range[i].min, &min)) {
            tc_buf_printf(b, "%lld:%lld", (long long)min,
                          (long long)(min + r->range[i].extent));
        } else {
            tc_buf_printf(b, "...:...+%lld", (long long)r->range[i].extent);
        }
    }
    tc_buf_putc(b, ']');
}

static void print_func(tc_buf *b, const tc_func *f) {
    tc_buf_printf(b, "<prim_func %s(", f->name);
    for (int i = 0; i < f->nparams; i++) {
        tc_buf_printf(b, "%s%s: T.%s", i > 0 ? ", " : "", f->params[i]->name,
                      tc_dtypes[f->params[i]->type].name);
    }
    tc_buf_puts(b, ")>");
}

static void print_buffer(tc_buf *b, const tc_buffer *x) {
    tc_buf_printf(b, "<buffer %s(", x->name ? x->name : "");
    for (int i = 0; i < x->rank; i++) {
        tc_buf_printf(b, "%s%lld", i > 0 ? ", " : "", (long long)x->shape[i]);
    }
    tc_buf_printf(b, ") %s in %s>", tc_dtypes[x->type].name,
                  tc_space_name(x->space));
}

static void print_scalar(tc_buf *b, const tc_value *v) {
    switch (v->kind) {
    case TC_V_NONE:
        tc_buf_puts(b, "None");
        break;
    case TC_V_BOOL:
        tc_buf_puts(b, v->i ? "True" : "False");
        break;
    case TC_V_INT:
        tc_buf_printf(b, "%lld", (long long)v->i);
        break;
    case TC_V_FLOAT:
        print_float(b, v->f);
        break;
    case TC_V_STRING:
        print_string(b, v->s);
        break;
    case TC_V_DTYPE:
        tc_buf_printf(b, "T.%s", tc_dtypes[v->dtype].name);
        break;
    case TC_V_AXIS:
        print_axis(b, v->axis);
        break;
    case TC_V_STRIDED:
        tc_buf_printf(b, "%lld@", (long long)v->i);
        print_axis(b, v->axis);
        break;
    case TC_V_ITER:
        tc_buf_printf(b, "Iter(%lld, %lld, ", (long long)v->iter.extent,
                      (long long)v->iter.stride);
        print_string(b, v->iter.axis->name);
        tc_buf_putc(b, ')');
        break;
    case TC_V_SWIZZLE_MODE:
        tc_buf_printf(b, "SwizzleMode.%s", v->s);
        break;
    case TC_V_NAMESPACE:
    case TC_V_FOREIGN:
        tc_buf_printf(b, "<%s>", v->s);
        break;
    case TC_V_PYTHON:
        tc_buf_puts(b, "<function>");
        break;
    case TC_V_CLASS:
        tc_buf_puts(b, "<class>");
        break;
    default:
        tc_buf_puts(b, "<run-time value>");
    }
}

static void print_value(printer *p, const tc_value *v) {
    if (p->depth > 200) {
        tc_buf_puts(p->b, "...");
        return;
    }
    p->budget--;
    p->depth++;
    switch (v->kind) {
    case TC_V_TUPLE:
    case TC_V_CASE:
        print_items(p, "(", v, ")");
        break;
    case TC_V_LIST:
        print_items(p, "[", v, "]");
        break;
    case TC_V_SLICE:
        print_items(p, "slice(", v, ")");
        break;
    case TC_V_DICT:
        print_dict(p, v);
        break;
    case TC_V_SPEC:
        print_spec(p->b, v);
        break;
    case TC_V_LAYOUT:
        tc_layout_print(p->b, v->layout);
        break;
    case TC_V_FUNC:
        print_func(p->b, v->func);
        break;
    case TC_V_BUFFER:
        print_buffer(p->b, v->buffer);
        break;
    case TC_V_REGION:
        print_region(p->b, v->region);
        break;
    default:
        print_scalar(p->b, v);
    }
    p->depth--;
}

void tc_value_print(tc_buf *b, const tc_value *v) {
    printer p = {b, 10000, 0};
    print_value(&p, v);
}
