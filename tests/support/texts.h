/* texts.h - reading files, and parts of texts in order, for tests. */
#ifndef TC_TESTS_TEXTS_H
#define TC_TESTS_TEXTS_H

#include "base/buf.h"
#include <stdio.h>
#include <string.h>

char *read_text(const char *path);

/* All of parts stand in text, in that order. */
void in_order(const char *text, const char *const *parts, int n);

#define ORDER(text, parts) in_order(text, parts, sizeof parts / sizeof *parts)

#endif
