/* grid.c - cells: text put into them, and read back. */
#include "trace/draw/grid.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

tc_cell_grid tc_grid_new(int lines, int cols, bool unicode) {
    tc_cell_grid g = {lines < 1 ? 1 : lines, cols < 1 ? 1 : cols, unicode,
                      NULL};
    size_t n = (size_t)g.lines * (size_t)g.cols;
    g.cells = tc_xcalloc(n, sizeof *g.cells);
    for (size_t i = 0; i < n; i++) {
        g.cells[i].c = ' ';
    }
    return g;
}

void tc_grid_free(tc_cell_grid *g) {
    free(g->cells);
    *g = (tc_cell_grid){0};
}

static tc_cell *cell(const tc_cell_grid *g, int y, int x) {
    return &g->cells[(size_t)y * (size_t)g->cols + (size_t)x];
}

const tc_cell *tc_grid_at(const tc_cell_grid *g, int y, int x) {
    return cell(g, y, x);
}

tc_area tc_area_all(tc_cell_grid *g) {
    return (tc_area){g, 0, 0, g->lines, g->cols};
}

static int within(int n, int least, int most) {
    return n < least ? least : n > most ? most : n;
}

tc_area tc_area_part(tc_area a, int y, int x, int lines, int cols) {
    y = within(y, 0, a.lines);
    x = within(x, 0, a.cols);
    return (tc_area){a.grid, a.y + y, a.x + x, within(lines, 0, a.lines - y),
                     within(cols, 0, a.cols - x)};
}

/* ---- characters ---- */

/* What stands for a character where there is only ASCII. */
static uint32_t ascii(uint32_t c) {
    static const struct {
        uint16_t c;
        char is;
    } like[] = {
        {0x2500, '-'}, {0x2502, '|'}, {0x250C, '+'}, {0x2510, '+'},
        {0x2514, '+'}, {0x2518, '+'}, {0x251C, '+'}, {0x2524, '+'},
        {0x252C, '+'}, {0x2534, '+'}, {0x253C, '+'}, {0x254C, ':'},
        {0x2571, '/'}, {0x2580, '^'}, {0x2584, '_'}, {0x2588, '='},
        {0x2591, '.'}, {0x2592, '%'}, {0x2593, '#'}, {0x25B2, '^'},
        {0x25B6, '>'}, {0x25BC, 'V'}, {0x25C0, '<'}, {0x00B7, '.'},
        {0x2026, '~'}, {0x2190, '<'}, {0x2192, '>'}, {0x2212, '-'},
        {0x25CF, 'o'}, {0x00D7, 'x'},
    };
    for (size_t i = 0; i < sizeof like / sizeof *like; i++) {
        if (like[i].c == c) {
            return (unsigned char)like[i].is;
        }
    }
    return '?';
}

int tc_columns_of(uint32_t c) {
    static const uint32_t wide[][2] = {
        {0x1100, 0x115F},   {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
        {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F900, 0x1FAFF},
        {0x20000, 0x3FFFD},
    };
    if ((c >= 0x300 && c < 0x370) || (c >= 0x200B && c <= 0x200F) ||
        (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF) {
        return 0; /* marks over the character before, and joiners */
    }
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (c >= wide[i][0] && c <= wide[i][1]) {
            return 2;
        }
    }
    return 1;
}

/* The character of n bytes; a control or invalid one is shown as '?'. */
static uint32_t decode(const char *text, size_t n) {
    unsigned char first = (unsigned char)text[0];
    if (first == '\t') {
        return ' ';
    }
    if (n == 1) {
        return first >= ' ' && first < 127 ? first : '?';
    }
    uint32_t c = first & (0x7FU >> n);
    for (size_t i = 1; i < n; i++) {
        c = c << 6 | ((unsigned char)text[i] & 0x3F);
    }
    return c < 0xA0 || !tc_utf8_valid(text, n) ? '?' : c;
}

void tc_put(tc_area a, int y, int x, uint32_t c, tc_style style) {
    if (y < 0 || y >= a.lines || x < 0 || x >= a.cols) {
        return;
    }
    if (c != 0 && !a.grid->unicode && (c < ' ' || c > 126)) {
        c = ascii(c);
    }
    *cell(a.grid, a.y + y, a.x + x) = (tc_cell){c, style};
}

int tc_put_text(tc_area a, int y, int x, int width, const char *text,
                size_t len, tc_style style) {
    int n = 0;
    width = within(width, 0, a.cols - x);
    for (size_t i = 0, k; i < len && y >= 0 && y < a.lines; i += k) {
        k = tc_utf8_next(text + i, len - i);
        uint32_t c = decode(text + i, k);
        int cols = tc_columns_of(c);
        if (n + cols > width) {
            n = width;
            tc_put(a, y, x + width - 1, '~', style);
            break;
        }
        if (cols > 0) {
            tc_put(a, y, x + n, c, style);
        }
        if (cols == 2) {
            tc_put(a, y, x + n + 1, a.grid->unicode ? 0 : ' ', style);
        }
        n += cols;
    }
    return n;
}

int tc_put_string(tc_area a, int y, int x, const char *text, tc_style style) {
    return tc_put_text(a, y, x, a.cols - x, text, strlen(text), style);
}

int tc_put_format(tc_area a, int y, int x, tc_style style, const char *fmt,
                  ...) {
    tc_buf b = TC_BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    tc_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    int n = tc_put_string(a, y, x, tc_buf_text(&b), style);
    tc_buf_free(&b);
    return n;
}

/* Bytes of text that fit into so many columns, broken at a blank. */
static size_t fits(const char *text, int cols) {
    size_t i = 0, blank = 0, len = strcspn(text, "\n");
    int n = 0;
    while (i < len) {
        size_t k = tc_utf8_next(text + i, len - i);
        n += tc_columns_of(decode(text + i, k));
        if (n > cols) {
            return blank > 0 ? blank : i > 0 ? i : k;
        }
        i += k;
        blank = i < len && text[i] == ' ' ? i : blank;
    }
    return len;
}

int tc_put_wrapped(tc_area a, int y, int indent, const char *text,
                   tc_style style) {
    int first = y;
    while (*text != '\0' && y < a.lines) {
        int x = y > first ? indent : 0;
        size_t n = fits(text, a.cols - x);
        bool cut = y == a.lines - 1 && text[n] != '\0';
        tc_put_text(a, y, x, a.cols - x, text, cut ? strlen(text) : n, style);
        text += n + strspn(text + n, " ");
        text += *text == '\n';
        y++;
    }
    return y - first;
}

void tc_restyle(tc_area a, int y, int x, int cols, tc_style style) {
    for (int i = 0; i < cols; i++) {
        if (y >= 0 && y < a.lines && x + i >= 0 && x + i < a.cols) {
            tc_style *s = &cell(a.grid, a.y + y, a.x + x + i)->style;
            tc_style role =
                (tc_style)(style >> 8 ? style & 0xFF00U : *s & 0xFF00U);
            *s = (tc_style)(role | (*s & 0xFFU) | (style & 0xFFU));
        }
    }
}

void tc_fill(tc_area a, int y, int x, int cols, uint32_t c, tc_style style) {
    for (int i = 0; i < cols; i++) {
        tc_put(a, y, x + i, c, style);
    }
}

/* ---- reading it back ---- */

static void put_utf8(tc_buf *b, uint32_t c) {
    if (c < 0x80) {
        tc_buf_putc(b, (char)c);
    } else if (c < 0x800) {
        tc_buf_putc(b, (char)(0xC0 | c >> 6));
        tc_buf_putc(b, (char)(0x80 | (c & 0x3F)));
    } else {
        if (c < 0x10000) {
            tc_buf_putc(b, (char)(0xE0 | c >> 12));
        } else {
            tc_buf_putc(b, (char)(0xF0 | c >> 18));
            tc_buf_putc(b, (char)(0x80 | (c >> 12 & 0x3F)));
        }
        tc_buf_putc(b, (char)(0x80 | (c >> 6 & 0x3F)));
        tc_buf_putc(b, (char)(0x80 | (c & 0x3F)));
    }
}

/* The end of a line: no blanks before it. */
static void end_line(tc_buf *b, size_t begin, char blank) {
    while (b->len > begin && b->data[b->len - 1] == blank) {
        b->data[--b->len] = '\0';
    }
    tc_buf_putc(b, '\n');
}

void tc_grid_text(const tc_cell_grid *g, tc_buf *out) {
    for (int y = 0; y < g->lines; y++) {
        size_t begin = out->len;
        for (int x = 0; x < g->cols; x++) {
            uint32_t c = cell(g, y, x)->c;
            if (c != 0) {
                put_utf8(out, c);
            }
        }
        end_line(out, begin, ' ');
    }
}

void tc_grid_styles(const tc_cell_grid *g, tc_buf *out) {
    static const char letters[] = {
#define TC_ROLE(id, letter, basic, rich, attrs) letter,
#include "trace/draw/roles.def"
    };
    for (int y = 0; y < g->lines; y++) {
        size_t begin = out->len;
        for (int x = 0; x < g->cols; x++) {
            tc_style s = cell(g, y, x)->style;
            char c = letters[tc_style_role(s)];
            tc_buf_putc(out, s & TC_REVERSE ? '#' : c == ' ' ? '.' : c);
        }
        end_line(out, begin, '.');
    }
}
