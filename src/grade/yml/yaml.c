/* yaml.c - libyaml's documents with places and errors of ours. */
#include "grade/yml/yaml.h"
#include "base/buf.h"
#include "base/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The byte of a mark; libyaml counts characters. */
static uint32_t byte_of(const tc_source *s, const yaml_mark_t *m) {
    const char *p = s->text;
    for (size_t line = 0; line < m->line && *p != '\0'; p++) {
        line += *p == '\n';
    }
    for (size_t i = 0; i < m->column && *p != '\0' && *p != '\n'; i++) {
        do {
            p++;
        } while (((unsigned char)*p & 0xC0) == 0x80);
    }
    return (uint32_t)(p - s->text);
}

bool tc_yaml_open(tc_yaml *y, tc_arena *a, const char *path, tc_diags *d) {
    enum { MOST = 1 << 20 };
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    yaml_parser_t p;
    *y = (tc_yaml){.arena = a, .diags = d};
    if (!tc_file_read(&text, path, MOST, NULL, why)) {
        tc_error(d, TC_NOWHERE, NULL, "cannot read '%s': %s", path, why);
        return false;
    }
    size_t len = text.len;
    y->source =
        (tc_source){tc_strdup(a, path), tc_buf_finish(&text, a), len, 1};
    bool ok = yaml_parser_initialize(&p);
    if (ok) {
        yaml_parser_set_input_string(&p, (const unsigned char *)y->source.text,
                                     len);
        ok = yaml_parser_load(&p, &y->document);
        if (!ok) {
            uint32_t at = byte_of(&y->source, &p.problem_mark);
            tc_error(d, ((tc_span){&y->source, at, at + 1}), NULL, "%s",
                     p.problem ? p.problem : "this is no YAML");
        }
        yaml_parser_delete(&p);
    }
    if (ok && tc_yaml_root(y) == NULL) {
        tc_error(d, TC_NOWHERE, NULL, "'%s' is empty", path);
        tc_yaml_close(y);
        ok = false;
    }
    return ok;
}

void tc_yaml_close(tc_yaml *y) {
    yaml_document_delete(&y->document);
}

tc_node *tc_yaml_root(tc_yaml *y) {
    return yaml_document_get_root_node(&y->document);
}

void tc_yaml_error(tc_yaml *y, const tc_node *at, int column, const char *hint,
                   const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    uint32_t begin = byte_of(&y->source, &at->start_mark);
    uint32_t end = byte_of(&y->source, &at->end_mark);
    bool quoted = y->source.text[begin] == '"' || y->source.text[begin] == '\'';
    begin += (uint32_t)column + (column > 0 && quoted);
    tc_error(y->diags,
             ((tc_span){&y->source, begin, end > begin ? end : begin + 1}),
             hint, "%s", text);
}

bool tc_yaml_pair(tc_yaml *y, const tc_node *map, int n, const char **key,
                  tc_node **value) {
    if (map == NULL || map->type != YAML_MAPPING_NODE) {
        return false;
    }
    const yaml_node_pair_t *p = map->data.mapping.pairs.start + n;
    if (p >= map->data.mapping.pairs.top) {
        return false;
    }
    tc_node *k = yaml_document_get_node(&y->document, p->key);
    *key =
        k->type == YAML_SCALAR_NODE ? (const char *)k->data.scalar.value : "";
    *value = yaml_document_get_node(&y->document, p->value);
    return true;
}

tc_node *tc_yaml_get(tc_yaml *y, const tc_node *map, const char *key) {
    const char *k;
    tc_node *v;
    for (int i = 0; tc_yaml_pair(y, map, i, &k, &v); i++) {
        if (strcmp(k, key) == 0) {
            return v;
        }
    }
    return NULL;
}

tc_node *tc_yaml_item(tc_yaml *y, const tc_node *list, int n) {
    if (list == NULL || list->type != YAML_SEQUENCE_NODE) {
        return NULL;
    }
    const yaml_node_item_t *p = list->data.sequence.items.start + n;
    return p < list->data.sequence.items.top
               ? yaml_document_get_node(&y->document, *p)
               : NULL;
}

const char *tc_yaml_text(tc_yaml *y, const tc_node *n) {
    if (n == NULL || n->type != YAML_SCALAR_NODE) {
        if (n != NULL) {
            tc_yaml_error(y, n, 0, NULL, "a text or a number is wanted here");
        }
        return NULL;
    }
    return tc_strndup(y->arena, (const char *)n->data.scalar.value,
                      n->data.scalar.length);
}

bool tc_yaml_keys(tc_yaml *y, const tc_node *map, const char *const *keys) {
    const char *k;
    tc_node *v;
    int n = 0, bad = 0;
    if (map == NULL) {
        return true;
    }
    if (map->type != YAML_MAPPING_NODE) {
        tc_yaml_error(y, map, 0, NULL, "keys and values are wanted here");
        return false;
    }
    while (keys[n] != NULL) {
        n++;
    }
    for (int i = 0; tc_yaml_pair(y, map, i, &k, &v); i++) {
        bool known = false;
        for (int j = 0; j < n; j++) {
            known |= strcmp(k, keys[j]) == 0;
        }
        if (!known) {
            const char *near = tc_diag_nearest(k, keys, n);
            tc_yaml_error(y, v, 0, near, "there is no key '%s' here", k);
            bad++;
        }
    }
    return bad == 0;
}
