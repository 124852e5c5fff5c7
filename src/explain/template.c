/* template.c - fills the fields of a text. */
#include "explain/template.h"

#include <string.h>

/* A field as a text has it: [begin, begin + len) stands between the braces. */
typedef struct reference {
    const char *begin;
    size_t len;
    const tc_field *field; /* NULL: there is none of that name */
    int side;              /* 0: none; 1 at, 2 cause, 3 other */
} reference;

static bool is(const char *p, size_t n, const char *name) {
    return strlen(name) == n && strncmp(p, name, n) == 0;
}

static const tc_field *find(const tc_fields *fields, bool of_side,
                            const char *p, size_t n) {
    for (int i = 0; i < fields->n; i++) {
        const char *name = fields->list[i].name;
        if ((*name == '.') == of_side && is(p, n, name + of_side)) {
            return &fields->list[i];
        }
    }
    return NULL;
}

/* The field at a brace. */
static reference look_up(const char *brace, const tc_fields *fields) {
    static const char *const sides[] = {"at", "cause", "other"};
    reference r = {.begin = brace + 1, .len = strcspn(brace + 1, "}")};
    size_t n = strcspn(r.begin, ".}");
    for (int i = 0; i < 3; i++) {
        if (is(r.begin, n, sides[i])) {
            bool bare = n == r.len;
            r.side = i + 1;
            r.field = find(fields, true, bare ? "line" : r.begin + n + 1,
                           bare ? strlen("line") : r.len - n - 1);
            return r;
        }
    }
    r.field = find(fields, false, r.begin, r.len);
    return r;
}

static const tc_access *access_of(const tc_finding *f, int side) {
    const tc_access *const sides[] = {NULL, &f->at, &f->cause, &f->other};
    return sides[side];
}

void tc_template_fill(const char *text, const tc_fields *fields,
                      const tc_sentence *x, tc_buf *b) {
    while (text != NULL && *text != '\0') {
        size_t n = strcspn(text, "{");
        tc_buf_write(b, text, n);
        text += n;
        if (*text == '{') {
            reference r = look_up(text, fields);
            if (r.field != NULL) {
                r.field->write(x, access_of(x->finding, r.side), b);
            } else {
                tc_buf_write(b, text, r.len + 2);
            }
            text = r.begin + r.len + 1;
        }
    }
}

const char *tc_template_unknown(const char *text, const tc_fields *fields) {
    const char *p = text;
    while (p != NULL && (p = strchr(p, '{')) != NULL) {
        reference r = look_up(p, fields);
        if (r.field == NULL) {
            return p;
        }
        p = r.begin + r.len;
    }
    return NULL;
}
