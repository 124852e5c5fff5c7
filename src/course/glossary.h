/* glossary.h - what `explain` knows: pages of Markdown in lessons/glossary/, in
 * which each "## " heading is a term. Behind it stand
 *
 *     <!-- also: cp-size, cp_size -->   other names of it, if it has any
 *     a sentence or more
 *     examples, which the tests run
 *     a paragraph that begins with "Source: "
 *
 * A new entry is such a heading, in any of the pages. */
#ifndef TC_COURSE_GLOSSARY_H
#define TC_COURSE_GLOSSARY_H

#include "base/arena.h"
#include <cmark.h>
#include <stdbool.h>

typedef struct tc_glossary_entry {
    const char *term, *also; /* also: "a, b", or "" */
    const char *page;        /* its page's title */
    cmark_node *first, *end; /* its blocks, up to the other */
    const char *source;      /* what follows "Source: "; "" : it has none */
    bool example;            /* it has one */
} tc_glossary_entry;

typedef struct tc_glossary {
    tc_arena *arena;
    tc_glossary_entry *items;
    int n, cap;
    cmark_node **pages;
    int npages, pages_cap;
} tc_glossary;

/* All pages; empty where there are none. Freed with tc_glossary_free. */
tc_glossary *tc_glossary_read(void);
void tc_glossary_free(tc_glossary *g);
/* The entry of that name; else of that name in another case, with "-", "_" and
 * blanks alike; or NULL. */
const tc_glossary_entry *tc_glossary_find(const tc_glossary *g,
                                          const char *term);
/* The names that are nearest to a word; or NULL. */
const char *tc_glossary_nearest(const tc_glossary *g, const char *word);

#endif
