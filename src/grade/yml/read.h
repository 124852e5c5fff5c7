/* read.h - an exercise.yml while it is read; what its readers share. */
#ifndef TC_GRADE_YML_READ_H
#define TC_GRADE_YML_READ_H

#include "grade/exercise.h"
#include "grade/yml/yaml.h"

typedef struct tc_reading {
    tc_yaml y;
    tc_arena *a; /* of all that is read */
    tc_exercise *e;
} tc_reading;

/* Has something been wrong so far? It has been reported. */
bool tc_reading_failed(const tc_reading *r);
/* The value of a key as text, as a number; otherwise, where it has none. */
const char *tc_read_text(tc_reading *r, const tc_node *map, const char *key,
                         const char *otherwise);
double tc_read_number(tc_reading *r, const tc_node *map, const char *key,
                      double otherwise);
/* The expression at a node; NULL: there is no node, or it is wrong. */
const tc_formula *tc_read_expression(tc_reading *r, const tc_node *n);
void tc_read_test(tc_reading *r, const tc_node *n, tc_exercise_test *t);
/* rules.c: `structure` and `speed` of the document. */
void tc_read_rules(tc_reading *r, const tc_node *root);
void tc_read_speed(tc_reading *r, const tc_node *root);

#endif
