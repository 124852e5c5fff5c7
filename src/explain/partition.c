/* partition.c - who copies what: [outer, threads, vec] in numbers and as a
 * picture, and what one warp of it touches. */
#include "explain/partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- ownership -------------------------------------------------------------*/

void tc_owners_free(tc_owners *o) {
    free(o->chunk);
    o->chunk = NULL;
}

int64_t tc_region_position(tc_layout_ctx *cx, const tc_region *r,
                           int64_t index) {
    int64_t coord[16];
    for (int i = r->buffer->rank - 1; i >= 0; i--) {
        int64_t min = 0;
        tc_expr_const(r->range[i].min, &min); /* else relative to it */
        coord[i] = min + index % r->range[i].extent;
        index /= r->range[i].extent;
    }
    return tc_layout_position(cx, r->buffer->layout, coord, r->buffer->shape,
                              r->buffer->rank);
}

typedef struct placed {
    int64_t at, chunk;
} placed;

static int by_place(const void *a, const void *b) {
    const placed *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Start of every chunk in the shared buffer, sorted. */
static placed *chunk_places(const tc_partition *p) {
    int64_t n = p->outer * p->threads;
    placed *list = tc_xcalloc((size_t)n, sizeof *list);
    for (int64_t i = 0; i < n; i++) {
        int64_t g, s;
        tc_partition_at(p, i / p->threads, i % p->threads, &g, &s);
        list[i] = (placed){g, i};
    }
    qsort(list, (size_t)n, sizeof *list, by_place);
    return list;
}

bool tc_owners_make(const tc_partition *p, const tc_region *global,
                    tc_owners *out) {
    int64_t elements = 1;
    *out = (tc_owners){.p = p, .region = global};
    if (global->buffer->layout == NULL || global->buffer->rank > 16) {
        return false;
    }
    for (int i = 0; i < global->buffer->rank; i++) {
        elements *= global->range[i].extent;
    }
    if (elements != p->elements || elements > TC_OWNERS_LIMIT) {
        return false;
    }
    out->cols = global->range[global->buffer->rank - 1].extent;
    out->rows = elements / out->cols;
    out->chunk = tc_xcalloc((size_t)elements, sizeof *out->chunk);
    placed *list = chunk_places(p);
    int64_t nchunks = p->outer * p->threads;
    tc_arena *scratch = tc_arena_new();
    tc_layout_ctx cx = {.arena = scratch, .target_cuda = true};
    for (int64_t e = 0; e < elements; e++) {
        int64_t at = tc_region_position(&cx, global, e), lo = 0, hi = nchunks;
        while (hi - lo > 1) { /* the last chunk that begins at or before */
            int64_t mid = lo + (hi - lo) / 2;
            *(list[mid].at <= at ? &lo : &hi) = mid;
        }
        out->chunk[e] = at >= list[lo].at && at < list[lo].at + p->vec
                            ? list[lo].chunk
                            : -1;
    }
    tc_arena_free(scratch);
    free(list);
    return true;
}

/* --- the picture -----------------------------------------------------------*/

static const char *const shades[] = {"\u2591", "\u2592", "\u2593", "\u2588"};
enum { NAMED_THREADS = 16, PICTURE_ROWS = 16, CELL = 4 };

/* What a cell of the picture stands for: one chunk, or several. */
typedef struct cell {
    int64_t round;  /* of all its elements; -1 if they differ */
    int64_t thread; /* of all its elements; -1 if they differ */
} cell;

static cell cell_of(const tc_owners *o, int64_t row, int64_t rows, int64_t col,
                    int64_t cols) {
    const tc_partition *p = o->p;
    int64_t first = o->chunk[row * o->cols + col];
    cell c = {first / p->threads, first % p->threads};
    for (int64_t i = row; i < row + rows && i < o->rows; i++) {
        for (int64_t j = col; j < col + cols && j < o->cols; j++) {
            int64_t k = o->chunk[i * o->cols + j];
            c.round = c.round == k / p->threads ? c.round : -1;
            c.thread = c.thread == k % p->threads ? c.thread : -1;
        }
    }
    return c;
}

static void put_cell(tc_buf *b, cell c) {
    char name[24];
    if (c.thread >= 0 && c.thread < NAMED_THREADS && c.round == 0) {
        snprintf(name, sizeof name, "t%lld", (long long)c.thread);
        tc_buf_printf(b, "%-*s", CELL, name);
        return;
    }
    if (c.thread >= 0 && c.thread < NAMED_THREADS && c.round < 0) {
        snprintf(name, sizeof name, "t%lld*", (long long)c.thread);
        tc_buf_printf(b, "%-*s", CELL, name);
        return;
    }
    for (int i = 0; i < CELL - 1; i++) {
        tc_buf_puts(b, c.round < 0 ? "?" : shades[c.round % 4]);
    }
    tc_buf_putc(b, ' ');
}

/* How many rows and columns of the tile one line and one cell stand for. */
typedef struct scale {
    int64_t rows, cols, lines, cells;
} scale;

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static scale scale_of(const tc_owners *o, int width) {
    scale z = {.cols = o->p->vec < o->cols ? o->p->vec : o->cols};
    int64_t room = (width - 14) / CELL;
    room = room < 1 ? 1 : room;
    while (ceil_div(o->cols, z.cols) > room) {
        z.cols *= 2;
    }
    z.cells = ceil_div(o->cols, z.cols);
    z.rows = ceil_div(o->rows, PICTURE_ROWS);
    z.lines = ceil_div(o->rows, z.rows);
    return z;
}

static void picture_line(const tc_owners *o, const scale *z, int64_t row,
                         int64_t rows, tc_buf *b) {
    char label[48];
    if (rows > 1 && row + rows - 1 < o->rows) {
        snprintf(label, sizeof label, "%lld-%lld", (long long)row,
                 (long long)(row + rows - 1));
    } else {
        snprintf(label, sizeof label, "%lld", (long long)row);
    }
    tc_buf_printf(b, "  %9s  ", label);
    for (int64_t c = 0; c < z->cells; c++) {
        put_cell(b, cell_of(o, row, rows, c * z->cols, z->cols));
    }
    while (b->len > 0 && b->data[b->len - 1] == ' ') {
        b->data[--b->len] = '\0';
    }
    tc_buf_putc(b, '\n');
}

/* mixed: the picture has cells of several rounds. */
static void legend(const tc_owners *o, const scale *z, bool mixed, tc_buf *b) {
    const tc_partition *p = o->p;
    long long named = p->threads < NAMED_THREADS ? p->threads : NAMED_THREADS;
    if (named == 1) {
        tc_buf_puts(b,
                    "  t0: its chunk of round 0; t0*: several rounds of it.");
    } else {
        tc_buf_printf(b, "  t0..t%lld: their chunks of round 0.", named - 1);
    }
    int64_t rounds = p->outer < 4 ? p->outer : 4;
    tc_buf_puts(b, " Shaded: round");
    for (int64_t i = 0; i < rounds; i++) {
        tc_buf_printf(b, " %s %lld", shades[i], (long long)i);
    }
    tc_buf_puts(b, p->outer > 4 ? " and again from 4.\n" : ".\n");
    if (z->cols != p->vec || z->rows > 1) {
        tc_buf_printf(b,
                      "  A cell is %lld column%s; a line below the first is "
                      "%lld row%s.\n",
                      (long long)z->cols, z->cols == 1 ? "" : "s",
                      (long long)z->rows, z->rows == 1 ? "" : "s");
    }
    tc_buf_puts(b,
                mixed ? "  A cell of ? has elements of several rounds.\n" : "");
}

void tc_owners_picture(const tc_owners *o, int width, tc_buf *b) {
    scale z = scale_of(o, width);
    tc_buf_puts(b, "        row  column\n             ");
    for (int64_t c = 0; c < z.cells; c++) {
        tc_buf_printf(b, "%-*lld", CELL, (long long)(c * z.cols));
    }
    while (b->data[b->len - 1] == ' ') {
        b->data[--b->len] = '\0';
    }
    tc_buf_putc(b, '\n');
    size_t begin = b->len;
    /* The named threads stand in the first rows: those are drawn one by one. */
    int64_t row = 0;
    for (; z.rows > 1 && row < 4 && row < o->rows; row++) {
        picture_line(o, &z, row, 1, b);
    }
    for (; row < o->rows; row += z.rows - (z.rows > 1 ? row % z.rows : 0)) {
        int64_t rows = z.rows - (z.rows > 1 ? row % z.rows : 0);
        picture_line(o, &z, row, rows, b);
    }
    legend(o, &z, memchr(b->data + begin, '?', b->len - begin) != NULL, b);
}

/* --- one warp --------------------------------------------------------------*/

enum { BANKS = 32, BANK_BYTES = 4, SECTOR = 32, LINE = 128, LANES = 32 };

/* A shared access of 8 (16) bytes a lane is made in 2 (4) parts, of 16 (8)
 * lanes each; a part takes as many wavefronts as the bank asked for the most
 * different words. */
static int wavefronts(const int64_t *at, int lanes, int bytes) {
    int words[BANKS] = {0};
    int64_t seen[LANES * 4];
    int nseen = 0, most = 0;
    for (int i = 0; i < lanes; i++) {
        for (int64_t w = at[i] / BANK_BYTES;
             w <= (at[i] + bytes - 1) / BANK_BYTES; w++) {
            bool again = false;
            for (int k = 0; k < nseen; k++) {
                again |= seen[k] == w;
            }
            if (!again && nseen < LANES * 4) {
                seen[nseen++] = w;
                words[w % BANKS]++;
            }
        }
    }
    for (int i = 0; i < BANKS; i++) {
        most = words[i] > most ? words[i] : most;
    }
    return most;
}

static int distinct(const int64_t *at, int lanes, int bytes, int unit) {
    int64_t seen[LANES * 2];
    int n = 0;
    for (int i = 0; i < lanes; i++) {
        for (int64_t u = at[i] / unit; u <= (at[i] + bytes - 1) / unit; u++) {
            bool again = false;
            for (int k = 0; k < n; k++) {
                again |= seen[k] == u;
            }
            if (!again && n < LANES * 2) {
                seen[n++] = u;
            }
        }
    }
    return n;
}

void tc_warp_touch_make(const tc_partition *p, int element_bytes,
                        tc_warp_touch *out) {
    *out = (tc_warp_touch){.bytes = p->vec_bytes};
    out->lanes = p->threads < LANES ? (int)p->threads : LANES;
    for (int i = 0; i < out->lanes; i++) {
        int64_t g, s;
        tc_partition_at(p, 0, i, &g, &s);
        out->global[i] = g * element_bytes;
        out->shared[i] = s * element_bytes;
    }
    int part = p->vec_bytes == 16 ? 8 : p->vec_bytes == 8 ? 16 : LANES;
    for (int i = 0; i < out->lanes; i += part) {
        int n = out->lanes - i < part ? out->lanes - i : part;
        out->wavefronts += wavefronts(out->shared + i, n, p->vec_bytes);
        out->parts++;
    }
    out->part_lanes = part;
    out->sectors = distinct(out->global, out->lanes, p->vec_bytes, SECTOR);
    out->lines = distinct(out->global, out->lanes, p->vec_bytes, LINE);
}

static void bank_rows(const tc_warp_touch *w, tc_buf *b) {
    for (int part = 0; part < w->parts; part++) {
        int first = part * w->part_lanes;
        int last = first + w->part_lanes - 1;
        last = last < w->lanes ? last : w->lanes - 1;
        int count[BANKS] = {0};
        for (int i = first; i <= last; i++) {
            for (int64_t a = w->shared[i]; a < w->shared[i] + w->bytes;
                 a += BANK_BYTES) {
                count[a / BANK_BYTES % BANKS]++;
            }
        }
        tc_buf_printf(b, "    lanes %2d-%-2d  ", first, last);
        for (int i = 0; i < BANKS; i++) {
            tc_buf_putc(b, count[i] == 0   ? '.'
                           : count[i] < 10 ? (char)('0' + count[i])
                                           : '+');
        }
        tc_buf_putc(b, '\n');
    }
}

void tc_warp_touch_text(const tc_warp_touch *w, tc_buf *b) {
    tc_buf_printf(b,
                  "  warp 0, round 0: %d lane%s x %d bytes\n"
                  "  shared, lanes in each of the 32 banks, %d lanes at a "
                  "time:\n",
                  w->lanes, w->lanes == 1 ? "" : "s", w->bytes, w->part_lanes);
    bank_rows(w, b);
    tc_buf_printf(
        b, "    %d wavefront%s for %d part%s: %s\n", w->wavefronts,
        w->wavefronts == 1 ? "" : "s", w->parts, w->parts == 1 ? "" : "s",
        w->wavefronts > w->parts ? "bank conflicts" : "no bank conflict");
    int useful = w->lanes * w->bytes;
    tc_buf_printf(
        b,
        "  global: %d sector%s of 32 bytes in %d line%s of 128; %d of "
        "%d bytes used\n",
        w->sectors, w->sectors == 1 ? "" : "s", w->lines,
        w->lines == 1 ? "" : "s", useful, w->sectors * SECTOR);
}
