/* markdown.h - pages of Markdown: cmark's tree, and its blocks as a terminal
 * shows them. Knows no lesson. */
#ifndef TC_COURSE_MARKDOWN_H
#define TC_COURSE_MARKDOWN_H

#include "base/buf.h"
#include <cmark.h>
#include <stdbool.h>

typedef struct tc_markdown_style {
    int width; /* columns */
    bool ansi; /* bold and colours, by escape sequences */
} tc_markdown_style;

/* Appends a block of a document, wrapped: no fences, no comments, one blank
 * line after it; nothing for a block that is not shown (HTML). */
void tc_markdown_block(tc_buf *out, cmark_node *block,
                       const tc_markdown_style *style);
/* The words of a block or of an inline, without marks, on one line. */
void tc_markdown_words(tc_buf *out, cmark_node *node);
/* A text of Markdown, all its blocks. */
void tc_markdown_text(tc_buf *out, const char *text,
                      const tc_markdown_style *style);

#endif
