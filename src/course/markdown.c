/* markdown.c - blocks of cmark's tree (man cmark(3)) as text. Tables are no part
 * of CommonMark: a paragraph whose lines begin with "|" is one, as GitHub has
 * it. */
#include "course/markdown.h"

#include "course/wrap.h"
#include <stdlib.h>
#include <string.h>

/* --- inlines ---------------------------------------------------------------*/

static void code(tc_buf *out, const char *s) {
    bool whole = strlen(s) <= 40; /* a command is not broken */
    tc_buf_putc(out, TC_MARK_CODE);
    tc_buf_putc(out, '`');
    for (; *s != '\0'; s++) {
        tc_buf_putc(out, *s == ' ' && whole ? TC_MARK_BLANK : *s);
    }
    tc_buf_putc(out, '`');
    tc_buf_putc(out, TC_MARK_OFF);
}

/* "|" of a table's row is no text. */
static void words(tc_buf *out, const char *s, bool table) {
    for (; *s != '\0'; s++) {
        bool control = (unsigned char)*s < ' ';
        tc_buf_putc(out, table && *s == '|' ? TC_MARK_CELL
                         : control          ? ' '
                                            : *s);
    }
}

/* A line ends where the source's does: a blank, but between wide characters. */
static void soft_break(tc_buf *out, cmark_node *node, bool table) {
    cmark_node *next = cmark_node_next(node);
    const char *text = next ? cmark_node_get_literal(next) : NULL;
    size_t n = out->len, len;
    while (n > 0 && ((unsigned char)out->data[n - 1] & 0xc0) == 0x80) {
        n--;
    }
    bool wide = n > 0 && text != NULL && *text != '\0' &&
                tc_wrap_is_wide(
                    tc_wrap_char(out->data + n - 1, out->len - n + 1, &len)) &&
                tc_wrap_is_wide(tc_wrap_char(text, strlen(text), &len));
    if (table || !wide) {
        tc_buf_putc(out, table ? '\n' : ' ');
    }
}

static void inlines(tc_buf *out, cmark_node *parent, bool table);

static void styled(tc_buf *out, cmark_node *node, char mark, bool table) {
    tc_buf_putc(out, mark);
    inlines(out, node, table);
    tc_buf_putc(out, TC_MARK_OFF);
}

static void link(tc_buf *out, cmark_node *node, bool table) {
    const char *url = cmark_node_get_url(node);
    size_t from = out->len;
    styled(out, node, TC_MARK_LINK, table);
    if (strstr(url, "://") != NULL && strstr(out->data + from, url) == NULL) {
        tc_buf_printf(out, " (%s)", url);
    }
}

static void inlines(tc_buf *out, cmark_node *parent, bool table) {
    cmark_node *n = cmark_node_first_child(parent);
    for (; n != NULL; n = cmark_node_next(n)) {
        switch (cmark_node_get_type(n)) {
        case CMARK_NODE_TEXT:
            words(out, cmark_node_get_literal(n), table);
            break;
        case CMARK_NODE_CODE:
            code(out, cmark_node_get_literal(n));
            break;
        case CMARK_NODE_SOFTBREAK:
            soft_break(out, n, table);
            break;
        case CMARK_NODE_LINEBREAK:
            tc_buf_putc(out, '\n');
            break;
        case CMARK_NODE_STRONG:
            styled(out, n, TC_MARK_BOLD, table);
            break;
        case CMARK_NODE_EMPH:
            inlines(out, n, table);
            break;
        case CMARK_NODE_LINK:
            link(out, n, table);
            break;
        case CMARK_NODE_IMAGE:
            tc_buf_puts(out, "[picture: ");
            inlines(out, n, table);
            tc_buf_putc(out, ']');
            break;
        default: /* HTML */
            break;
        }
    }
}

void tc_markdown_words(tc_buf *out, cmark_node *node) {
    size_t from = out->len, to = from;
    inlines(out, node, false);
    for (size_t i = from; i < out->len; i++) {
        char c = out->data[i];
        if (c == TC_MARK_BLANK || c == '\n') {
            out->data[to++] = ' ';
        } else if ((unsigned char)c >= ' ' && c != '`') {
            out->data[to++] = c;
        }
    }
    if (out->data != NULL) {
        out->data[out->len = to] = '\0';
    }
}

/* --- tables ----------------------------------------------------------------*/

enum { COLUMNS = 16 };

typedef struct row {
    const char *cell[COLUMNS];
    size_t len[COLUMNS];
    int n;
} row;

/* The cells of a line of a table; returns where the next line begins. */
static const char *read_row(const char *line, row *r) {
    r->n = 0;
    line += *line == TC_MARK_CELL;
    while (*line != '\0' && *line != '\n') {
        const char stop[] = {TC_MARK_CELL, '\n', '\0'};
        size_t len = strcspn(line, stop);
        const char *end = line + len;
        while (len > 0 && *line == ' ') {
            line++;
            len--;
        }
        while (len > 0 && line[len - 1] == ' ') {
            len--;
        }
        if (r->n < COLUMNS) {
            r->cell[r->n] = line;
            r->len[r->n++] = len;
        }
        line = end + (*end == TC_MARK_CELL);
    }
    return line + (*line == '\n');
}

/* "|---|:--|" */
static bool is_rule(const row *r) {
    for (int i = 0; i < r->n; i++) {
        for (size_t k = 0; k < r->len[i]; k++) {
            if (strchr("-:", r->cell[i][k]) == NULL) {
                return false;
            }
        }
    }
    return r->n > 0;
}

/* Columns of each cell; the widest give way until the table fits. */
static int column_widths(const char *text, int width, int *widths) {
    int columns = 0, sum = 0;
    row r;
    memset(widths, 0, COLUMNS * sizeof *widths);
    while (*text != '\0') {
        text = read_row(text, &r);
        for (int i = 0; i < r.n && !is_rule(&r); i++) {
            int w = tc_wrap_columns(r.cell[i], r.len[i]);
            widths[i] = w > widths[i] ? w : widths[i];
        }
        columns = r.n > columns ? r.n : columns;
    }
    for (int i = 0; i < columns; i++) {
        sum += widths[i] + (i > 0 ? 2 : 0);
    }
    for (; sum > width; sum--) {
        int widest = 0;
        for (int i = 1; i < columns; i++) {
            widest = widths[i] > widths[widest] ? i : widest;
        }
        if (widths[widest] <= 6) {
            break;
        }
        widths[widest]--;
    }
    return columns;
}

/* One row, of as many lines as its longest cell takes. */
static void draw_row(tc_buf *out, const row *r, const int *widths, int columns,
                     bool ansi) {
    tc_buf cells[COLUMNS] = {{0}};
    const char *at[COLUMNS];
    bool more = true;
    for (int i = 0; i < columns; i++) {
        tc_buf text = TC_BUF_INIT;
        tc_wrap w = {widths[i], ansi, "", ""};
        tc_buf_write(&text, i < r->n ? r->cell[i] : "",
                     i < r->n ? r->len[i] : 0);
        tc_wrap_text(&cells[i], tc_buf_text(&text), &w);
        tc_buf_free(&text);
        at[i] = cells[i].data;
    }
    while (more) {
        more = false;
        size_t end = out->len;
        for (int i = 0; i < columns; i++) {
            size_t n = strcspn(at[i], "\n");
            tc_buf_puts(out, i > 0 ? "  " : "");
            tc_wrap_cell(out, at[i], n, widths[i], ansi);
            end = n > 0 ? out->len : end;
            at[i] += n + (at[i][n] == '\n');
            more |= *at[i] != '\0';
        }
        out->data[out->len = end] = '\0';
        while (out->len > 0 && out->data[out->len - 1] == ' ') {
            out->data[--out->len] = '\0';
        }
        tc_buf_putc(out, '\n');
    }
    for (int i = 0; i < columns; i++) {
        tc_buf_free(&cells[i]);
    }
}

static void table(tc_buf *out, cmark_node *block, const tc_markdown_style *s) {
    tc_buf text = TC_BUF_INIT;
    int widths[COLUMNS];
    row r;
    inlines(&text, block, true);
    int columns = column_widths(text.data, s->width, widths);
    for (const char *p = text.data; *p != '\0';) {
        p = read_row(p, &r);
        if (!is_rule(&r)) {
            draw_row(out, &r, widths, columns, s->ansi);
            continue;
        }
        for (int i = 0; i < columns; i++) {
            tc_buf_puts(out, i > 0 ? "  " : "");
            tc_buf_fill(out, '-', widths[i]);
        }
        tc_buf_putc(out, '\n');
    }
    tc_buf_free(&text);
}

static bool is_table(cmark_node *block) {
    cmark_node *first = cmark_node_first_child(block);
    const char *text = first ? cmark_node_get_literal(first) : NULL;
    return text != NULL && text[0] == '|';
}

/* --- blocks ----------------------------------------------------------------*/

/* What stands before lines: "  * " before the first, blanks before others. */
typedef struct margin {
    const tc_markdown_style *style;
    const char *first, *next;
} margin;

static void blocks(tc_buf *out, cmark_node *parent, const margin *p);

static void paragraph(tc_buf *out, cmark_node *block, const margin *p) {
    tc_buf text = TC_BUF_INIT;
    tc_wrap w = {p->style->width, p->style->ansi, p->first, p->next};
    if (p->first[0] == '\0' && is_table(block)) {
        table(out, block, p->style);
        return;
    }
    inlines(&text, block, false);
    tc_wrap_text(out, tc_buf_text(&text), &w);
    tc_buf_free(&text);
}

static void heading(tc_buf *out, cmark_node *block, const margin *p) {
    tc_buf text = TC_BUF_INIT;
    tc_wrap w = {p->style->width, p->style->ansi, p->first, p->next};
    tc_buf_putc(&text, TC_MARK_BOLD);
    inlines(&text, block, false);
    tc_buf_putc(&text, TC_MARK_OFF);
    tc_wrap_text(out, text.data, &w);
    tc_buf_free(&text);
}

/* Where to break a line of code that is too wide: behind its last blank that
 * leaves it narrow enough, else at the width. */
static size_t code_break(const char *line, size_t n, int room) {
    size_t i = 0, blank = 0, len;
    int columns = 0;
    for (; i < n; i += len) {
        columns += tc_wrap_is_wide(tc_wrap_char(line + i, n - i, &len)) ? 2 : 1;
        if (columns > room) {
            return blank > 0 ? blank : i > 0 ? i : len;
        }
        size_t lead = strspn(line, " ");
        blank = line[i] == ' ' && i > lead ? i + 1 : blank;
    }
    return n;
}

/* What a line too wide becomes: a command or a file's goes on below, with the
 * backslash that shells, C and Python read so; output is cut. */
typedef enum too_wide { CUT, BACKSLASH, GOES_ON } too_wide;

static void code_part(tc_buf *out, const char *s, size_t n, bool bold) {
    while (n > 0 && s[n - 1] == ' ') {
        n--;
    }
    tc_buf_puts(out, bold ? "\033[1m" : "");
    tc_buf_write(out, s, n);
    tc_buf_puts(out, bold ? "\033[0m" : "");
}

/* Bytes of a line that fit into so many columns. */
static size_t code_cut(const char *line, size_t n, int room) {
    size_t i = 0, len;
    for (int columns = 0; i < n; i += len) {
        columns += tc_wrap_is_wide(tc_wrap_char(line + i, n - i, &len)) ? 2 : 1;
        if (columns > room) {
            break;
        }
    }
    return i;
}

static void code_line(tc_buf *out, const char *line, size_t n, const margin *p,
                      int indent, too_wide wide, bool bold) {
    int before = tc_wrap_columns(p->next, strlen(p->next)) + indent;
    int room = p->style->width > before + 24 ? p->style->width - before : 24;
    bool fits = code_cut(line, n, room) == n;
    room -= fits ? 0 : wide == CUT ? 3 : 2;
    for (size_t done = 0; done < n;) {
        size_t part = wide == CUT ? code_cut(line, n, room)
                                  : code_break(line + done, n - done,
                                               room - (done ? 4 : 0));
        bool last = done + part == n;
        tc_buf_puts(out, p->next);
        tc_buf_fill(out, ' ', indent + (done ? 4 : 0));
        code_part(out, line + done, part, bold);
        done = wide == CUT ? n : done + part;
        tc_buf_puts(out, last                ? ""
                         : wide == CUT       ? "..."
                         : wide == BACKSLASH ? " \\"
                                             : "");
        tc_buf_putc(out, '\n');
    }
    if (n == 0) {
        tc_buf_putc(out, '\n');
    }
}

/* Four columns, or as few as leave its widest line whole. */
static int code_indent(const char *text, const margin *p) {
    int room = p->style->width - tc_wrap_columns(p->next, strlen(p->next));
    int widest = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        int columns = tc_wrap_columns(text, n);
        widest = columns > widest && columns <= room ? columns : widest;
        text += n + (text[n] == '\n');
    }
    return room - widest > 4 ? 4 : room - widest;
}

/* A line of a block whose fence says info. goes_on: with what the line before
 * began, a command of the shell's. */
static void block_line(tc_buf *out, const char *info, const char *line,
                       size_t n, const margin *p, int indent, bool goes_on) {
    bool session = strcmp(info, "tilecopy") == 0;
    bool shell = strcmp(info, "console") == 0;
    bool typed = goes_on ||
                 (session && (strncmp(line, "tilecopy> ", 10) == 0 ||
                              strncmp(line, "      ... ", 10) == 0)) ||
                 (shell && strncmp(line, "$ ", 2) == 0);
    too_wide wide = (session || shell) && !typed ? CUT
                    : session                    ? GOES_ON
                                                 : BACKSLASH;
    code_line(out, line, n, p, indent, wide, typed && p->style->ansi);
}

/* With blanks for tabs, every eight columns. */
static char *without_tabs(const char *text) {
    tc_buf b = TC_BUF_INIT;
    for (int column = 0; *text != '\0'; text++) {
        int n = *text == '\t' ? 8 - column % 8 : 1;
        tc_buf_fill(&b, ' ', *text == '\t' ? n : 0);
        if (*text != '\t') {
            tc_buf_putc(&b, *text);
        }
        column = *text == '\n' ? 0 : column + n;
    }
    tc_buf_puts(&b, "");
    return b.data != NULL ? b.data : tc_xstrdup("");
}

/* A file's block has its name above it. */
static void code_block(tc_buf *out, cmark_node *block, const margin *p) {
    const char *info = cmark_node_get_fence_info(block);
    char *whole = without_tabs(cmark_node_get_literal(block));
    const char *text = whole;
    int indent = code_indent(whole, p);
    const char *name = info ? strchr(info, ' ') : NULL;
    if (name != NULL) {
        tc_buf_printf(out, "%s%s:\n", p->next, name + 1);
    }
    bool shell = info != NULL && strcmp(info, "console") == 0, goes_on = false;
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        block_line(out, info != NULL ? info : "", text, n, p, indent, goes_on);
        goes_on = shell && n > 0 && text[n - 1] == '\\' &&
                  (goes_on || strncmp(text, "$ ", 2) == 0);
        text += n + (text[n] == '\n');
    }
    free(whole);
}

static void list(tc_buf *out, cmark_node *block, const margin *p) {
    int number = cmark_node_get_list_start(block);
    bool ordered = cmark_node_get_list_type(block) == CMARK_ORDERED_LIST;
    cmark_node *item = cmark_node_first_child(block);
    for (; item != NULL; item = cmark_node_next(item)) {
        char mark[16] = "* ", blanks[16] = "";
        if (ordered) {
            snprintf(mark, sizeof mark, "%d. ", number++);
        }
        memset(blanks, ' ', strlen(mark));
        tc_buf first = TC_BUF_INIT, next = TC_BUF_INIT;
        tc_buf_printf(
            &first, "%s%s",
            item == cmark_node_first_child(block) ? p->first : p->next, mark);
        tc_buf_printf(&next, "%s%s", p->next, blanks);
        margin q = {p->style, first.data, next.data};
        blocks(out, item, &q);
        tc_buf_free(&first);
        tc_buf_free(&next);
    }
}

static void quotation(tc_buf *out, cmark_node *block, const margin *p) {
    tc_buf bar = TC_BUF_INIT;
    tc_buf_printf(&bar, "%s| ", p->next);
    margin q = {p->style, bar.data, bar.data};
    blocks(out, block, &q);
    tc_buf_free(&bar);
}

/* One block; true if it shows anything. */
static bool one_block(tc_buf *out, cmark_node *n, const margin *p) {
    switch (cmark_node_get_type(n)) {
    case CMARK_NODE_PARAGRAPH:
        paragraph(out, n, p);
        return true;
    case CMARK_NODE_HEADING:
        heading(out, n, p);
        return true;
    case CMARK_NODE_CODE_BLOCK:
        code_block(out, n, p);
        return true;
    case CMARK_NODE_LIST:
        list(out, n, p);
        return true;
    case CMARK_NODE_BLOCK_QUOTE:
        quotation(out, n, p);
        return true;
    case CMARK_NODE_THEMATIC_BREAK:
        tc_buf_puts(out, p->first);
        tc_buf_fill(out, '-', p->style->width > 60 ? 60 : p->style->width);
        tc_buf_putc(out, '\n');
        return true;
    default: /* HTML */
        return false;
    }
}

static void blocks(tc_buf *out, cmark_node *parent, const margin *p) {
    margin q = *p;
    bool tight = cmark_node_get_type(parent) == CMARK_NODE_ITEM &&
                 cmark_node_get_list_tight(cmark_node_parent(parent));
    cmark_node *n = cmark_node_first_child(parent);
    for (bool first = true; n != NULL; n = cmark_node_next(n)) {
        if (!first && !tight) {
            size_t len = strlen(q.next);
            while (len > 0 && q.next[len - 1] == ' ') {
                len--;
            }
            tc_buf_write(out, q.next, len);
            tc_buf_putc(out, '\n');
        }
        first &= !one_block(out, n, &q);
        q.first = first ? q.first : q.next;
    }
}

void tc_markdown_block(tc_buf *out, cmark_node *block,
                       const tc_markdown_style *style) {
    margin p = {style, "", ""};
    if (one_block(out, block, &p)) {
        tc_buf_putc(out, '\n');
    }
}

void tc_markdown_text(tc_buf *out, const char *text,
                      const tc_markdown_style *style) {
    cmark_node *doc =
        cmark_parse_document(text, strlen(text), CMARK_OPT_DEFAULT);
    cmark_node *n = cmark_node_first_child(doc);
    for (; n != NULL; n = cmark_node_next(n)) {
        tc_markdown_block(out, n, style);
    }
    cmark_node_free(doc);
}
