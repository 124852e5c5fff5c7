/* glossary.c - reads the pages of lessons/glossary/. */
#include "course/glossary.h"

#include "base/diag.h"
#include "course/library.h"
#include "course/markdown.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *words_of(tc_arena *a, cmark_node *node) {
    tc_buf b = TC_BUF_INIT;
    tc_markdown_words(&b, node);
    return tc_buf_finish(&b, a);
}

static int level(cmark_node *n) {
    return cmark_node_get_type(n) == CMARK_NODE_HEADING
               ? cmark_node_get_heading_level(n)
               : 0;
}

/* "<!-- also: a, b -->" */
static const char *other_names(tc_arena *a, cmark_node *n) {
    static const char begin[] = "<!-- also: ";
    const char *html = cmark_node_get_type(n) == CMARK_NODE_HTML_BLOCK
                           ? cmark_node_get_literal(n)
                           : "";
    if (strncmp(html, begin, sizeof begin - 1) != 0) {
        return NULL;
    }
    html += sizeof begin - 1;
    const char *end = strstr(html, " -->");
    return tc_strndup(a, html, end ? (size_t)(end - html) : 0);
}

/* A block of an entry. */
static void note_block(tc_glossary *g, cmark_node *n) {
    tc_glossary_entry *e = &g->items[g->n - 1];
    const char *also = other_names(g->arena, n);
    e->also = also != NULL ? also : e->also;
    e->example |= cmark_node_get_type(n) == CMARK_NODE_CODE_BLOCK;
    if (cmark_node_get_type(n) == CMARK_NODE_PARAGRAPH) {
        const char *text = words_of(g->arena, n);
        if (strncmp(text, "Source: ", 8) == 0) {
            e->source = text + 8;
        }
    }
}

static void read_page(tc_glossary *g, const char *text) {
    cmark_node *doc =
        cmark_parse_document(text, strlen(text), CMARK_OPT_DEFAULT);
    const char *title = "";
    int first = g->n;
    TC_PUSH(g->arena, g->pages, g->npages, g->pages_cap, doc);
    for (cmark_node *n = cmark_node_first_child(doc); n != NULL;
         n = cmark_node_next(n)) {
        if (level(n) == 1) {
            title = words_of(g->arena, n);
        } else if (level(n) == 2) {
            tc_glossary_entry e = {.term = words_of(g->arena, n),
                                   .also = "",
                                   .page = title,
                                   .first = cmark_node_next(n),
                                   .source = ""};
            if (g->n > first) {
                g->items[g->n - 1].end = n;
            }
            TC_PUSH(g->arena, g->items, g->n, g->cap, e);
        } else if (g->n > first) {
            note_block(g, n);
        }
    }
}

static int is_page(const struct dirent *d) {
    size_t n = strlen(d->d_name);
    return n > 3 && d->d_name[0] != '.' &&
           strcmp(d->d_name + n - 3, ".md") == 0;
}

tc_glossary *tc_glossary_read(void) {
    tc_arena *a = tc_arena_new();
    tc_glossary *g = TC_NEW(a, tc_glossary);
    struct dirent **list;
    g->arena = a;
    const char *folder = tc_library_program(a, "lessons/glossary");
    int n = folder ? scandir(folder, &list, is_page, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        const char *text =
            tc_library_text(a, tc_format(a, "%s/%s", folder, list[i]->d_name));
        if (text != NULL) {
            read_page(g, text);
        }
        free(list[i]);
    }
    if (n >= 0) {
        free(list);
    }
    return g;
}

void tc_glossary_free(tc_glossary *g) {
    for (int i = 0; i < g->npages; i++) {
        cmark_node_free(g->pages[i]);
    }
    tc_arena_free(g->arena);
}

/* --- looking up ------------------------------------------------------------*/

static int plain(char c) {
    return c == '-' || c == '_' ? ' ' : tolower((unsigned char)c);
}

static bool same(const char *a, size_t n, const char *b, bool exact) {
    if (strlen(b) != n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (exact ? a[i] != b[i] : plain(a[i]) != plain(b[i])) {
            return false;
        }
    }
    return true;
}

static bool is_called(const tc_glossary_entry *e, const char *term,
                      bool exact) {
    if (same(e->term, strlen(e->term), term, exact)) {
        return true;
    }
    for (const char *p = e->also; *p != '\0';) {
        size_t n = strcspn(p, ",");
        if (same(p, n, term, exact)) {
            return true;
        }
        p += n;
        p += strspn(p, ", ");
    }
    return false;
}

const tc_glossary_entry *tc_glossary_find(const tc_glossary *g,
                                          const char *term) {
    for (int exact = 1; exact >= 0; exact--) {
        for (int i = 0; i < g->n; i++) {
            if (is_called(&g->items[i], term, exact)) {
                return &g->items[i];
            }
        }
    }
    return NULL;
}

const char *tc_glossary_nearest(const tc_glossary *g, const char *word) {
    const char **names = TC_NEWN(g->arena, const char *, g->n + 1);
    for (int i = 0; i < g->n; i++) {
        names[i] = g->items[i].term;
    }
    return tc_diag_nearest(word, names, g->n);
}
