/* yaml.h - libyaml's documents with places and errors of ours. */
#ifndef TC_GRADE_YML_YAML_H
#define TC_GRADE_YML_YAML_H

#include "base/diag.h"
#include <yaml.h>

typedef struct tc_yaml {
    tc_arena *arena;
    tc_diags *diags;
    tc_source source;
    yaml_document_t document;
} tc_yaml;
typedef yaml_node_t tc_node;

/* False after an error; else close it. */
bool tc_yaml_open(tc_yaml *y, tc_arena *a, const char *path, tc_diags *d);
void tc_yaml_close(tc_yaml *y);
tc_node *tc_yaml_root(tc_yaml *y);

void tc_yaml_error(tc_yaml *y, const tc_node *at, int column, const char *hint,
                   const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* A map's value of that key; NULL: none. map may be NULL. */
tc_node *tc_yaml_get(tc_yaml *y, const tc_node *map, const char *key);
/* The n-th pair of a map, or item of a list; false: there is none. */
bool tc_yaml_pair(tc_yaml *y, const tc_node *map, int n, const char **key,
                  tc_node **value);
tc_node *tc_yaml_item(tc_yaml *y, const tc_node *list, int n);
/* A scalar's text; NULL after an error. */
const char *tc_yaml_text(tc_yaml *y, const tc_node *n);
/* Every key of the map is one of these (ended by NULL); else an error. */
bool tc_yaml_keys(tc_yaml *y, const tc_node *map, const char *const *keys);

#endif
