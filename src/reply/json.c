/* json.c - values, layouts and errors as JSON (INTERFACE.md). */
#include "base/utf8.h"
#include "reply/reply.h"

/* JSON strings are UTF-8; other bytes, which a learner's file may hold, are
 * shown as '?'. */
static json_t *text_json(const char *text) {
    json_t *j = json_string(text);
    if (j != NULL) {
        return j;
    }
    tc_buf safe = TC_BUF_INIT;
    for (const char *p = text; *p != '\0'; p++) {
        tc_buf_putc(&safe, (unsigned char)*p < 0x80 ? *p : '?');
    }
    j = json_string(tc_buf_text(&safe));
    tc_buf_free(&safe);
    return j;
}

static json_t *text_or_null(const char *text) {
    return text ? text_json(text) : json_null();
}

json_t *tc_error_json(const tc_diag *d) {
    return json_pack("{s:o,s:i,s:i,s:o,s:o}", "file", text_or_null(d->file),
                     "line", d->line, "column", d->col, "message",
                     text_json(d->message), "hint", text_or_null(d->hint));
}

static json_t *iter_json(const tc_iter *it) {
    return json_pack("[I,I,o]", (json_int_t)it->extent, (json_int_t)it->stride,
                     text_json(it->axis->name));
}

static json_t *iters_json(const tc_iter *it, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        json_array_append_new(list, iter_json(&it[i]));
    }
    return list;
}

static json_t *swizzle_json(tc_swizzle sw) {
    return json_pack("{s:s,s:I,s:I,s:I,s:b}", "kind", "swizzle", "per_element",
                     (json_int_t)sw.per_element, "swizzle_len",
                     (json_int_t)sw.swizzle_len, "atom_len",
                     (json_int_t)sw.atom_len, "swizzle_inner", (int)sw.inner);
}

static json_t *tile_json(const tc_layout *l) {
    json_t *offset = json_object();
    for (int i = 0; i < l->noffset; i++) {
        json_object_set_new(offset, l->offset[i].axis->name,
                            json_integer((json_int_t)l->offset[i].value));
    }
    return json_pack("{s:s,s:o,s:o,s:o}", "kind", "tile", "shard",
                     iters_json(l->shard, l->nshard), "replica",
                     iters_json(l->replica, l->nreplica), "offset", offset);
}

json_t *tc_layout_json(const tc_layout *l) {
    switch (l->kind) {
    case TC_LAYOUT_TILE:
        return tile_json(l);
    case TC_LAYOUT_SWIZZLE:
        return swizzle_json(l->swizzle);
    case TC_LAYOUT_COMPOSE:
        return json_pack("{s:s,s:o,s:o}", "kind", "compose", "swizzle",
                         swizzle_json(l->swizzle), "tile", tile_json(l));
    }
    return json_null();
}

/* A value may hold itself many times over ((t, t) of (t, t) of ...), so what is
 * written of it is bounded; the rest of it reads "...". */
enum { MOST_VALUES = 1 << 16 };

static json_t *value_json(const tc_value *v, int *left);

static json_t *items_json(const tc_value *v, int *left) {
    json_t *list = json_array();
    for (int i = 0; i<v->nitems && * left> 0; i++) {
        json_array_append_new(list, value_json(&v->items[i], left));
    }
    return list;
}

static const char *key_text(const tc_value *v, tc_buf *text) {
    if (v->kind == TC_V_AXIS || v->kind == TC_V_STRING) {
        return v->kind == TC_V_AXIS ? v->axis->name : v->s;
    }
    tc_value_print(text, v);
    return tc_buf_text(text);
}

static json_t *dict_json(const tc_value *v, int *left) {
    json_t *o = json_object();
    for (int i = 0; i + 1 < v->nitems && *left > 0; i += 2) {
        tc_buf text = TC_BUF_INIT;
        /* a key that is no UTF-8 has no place in JSON */
        json_object_set_new(o, key_text(&v->items[i], &text),
                            value_json(&v->items[i + 1], left));
        tc_buf_free(&text);
    }
    return o;
}

static json_t *value_json(const tc_value *v, int *left) {
    if (--*left <= 0) {
        return json_string("...");
    }
    switch (v->kind) {
    case TC_V_NONE:
        return json_null();
    case TC_V_BOOL:
        return json_boolean(v->i != 0);
    case TC_V_INT:
        return json_integer((json_int_t)v->i);
    case TC_V_FLOAT:
        return json_real(v->f);
    case TC_V_STRING:
    case TC_V_SWIZZLE_MODE:
        return text_json(v->s);
    case TC_V_DICT:
        return dict_json(v, left);
    case TC_V_ITER:
        return iter_json(&v->iter);
    case TC_V_TUPLE:
    case TC_V_LIST:
    case TC_V_SLICE:
        return items_json(v, left);
    case TC_V_LAYOUT:
        return tc_layout_json(v->layout);
    default: {
        tc_buf text = TC_BUF_INIT;
        tc_value_print(&text, v);
        json_t *j = text_json(tc_buf_text(&text));
        tc_buf_free(&text);
        return j;
    }
    }
}

json_t *tc_value_json(const tc_value *v) {
    int left = MOST_VALUES;
    return value_json(v, &left);
}

json_t *tc_text_json(const char *text, size_t len) {
    json_t *j = json_stringn(text, len);
    if (j == NULL) {
        tc_buf plain = TC_BUF_INIT;
        for (size_t i = 0; i < len; i++) {
            bool ascii = (unsigned char)text[i] < 0x80;
            tc_buf_putc(&plain, ascii ? text[i] : '?');
        }
        j = json_stringn(tc_buf_text(&plain), plain.len);
        tc_buf_free(&plain);
    }
    return j;
}
