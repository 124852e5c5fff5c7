/* pane_memory.c - shared memory as a map: what each byte is to the warp, and of
 * the byte under the cursor who wrote it, when, and who reads it first. */
#include "view/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 8, INFO = 5 }; /* columns; lines under the map */

/* How a byte's state is shown. */
static const struct {
    uint32_t c;
    tc_style style;
    const char *name;
} shown[TC_BYTE_COUNT] = {
    [TC_BYTE_UNKNOWN] = {'?', TC_STYLE(FRAME, 0), "unknown"},
    [TC_BYTE_NEVER] = {0xB7, TC_STYLE(FRAME, 0), "never written"},
    [TC_BYTE_FLIGHT] = {'~', TC_STYLE(FLIGHT, 0), "in flight"},
    [TC_BYTE_LANDED] = {'o', TC_STYLE(LANDED, 0), "landed"},
    [TC_BYTE_VISIBLE] = {'#', TC_STYLE(VISIBLE, 0), "visible"},
    [TC_BYTE_READ] = {'r', TC_STYLE(READ, 0), "read"},
};

static const tc_trace_buffer *buffer_of(const tc_view *v) {
    const tc_trace *t = v->from->model->trace;
    return v->memory < t->nbuffers ? &t->buffers[v->memory] : NULL;
}

/* ---- its division into cells ---- */

typedef struct map {
    const tc_trace_buffer *b;
    uint64_t cell;      /* bytes */
    int columns, lines; /* of the area */
    uint64_t top;       /* the first row drawn */
} map;

static uint64_t element_bytes(const tc_trace_buffer *b) {
    static const struct {
        const char *in;
        uint64_t bytes;
    } sizes[] = {{"64", 8}, {"32", 4}, {"16", 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (strstr(b->type, sizes[i].in) != NULL) {
            return sizes[i].bytes;
        }
    }
    return 1;
}

/* The smallest cells with which all of it is seen; or those that were chosen,
 * scrolled to the cursor. */
static map divide(const tc_view *v, tc_area a) {
    map m = {.b = buffer_of(v), .columns = 8, .cell = 1};
    m.lines = a.lines - INFO < 1 ? 1 : a.lines - INFO;
    while (m.columns * 2 <= a.cols - LABEL && m.columns < 128) {
        m.columns *= 2;
    }
    uint64_t row = (uint64_t)m.columns;
    if (v->memory_cell > 0) {
        m.cell = v->memory_cell;
    } else {
        m.cell = element_bytes(m.b);
        while (m.cell * row * (uint64_t)m.lines < m.b->bytes) {
            m.cell *= 2;
        }
    }
    uint64_t at = v->byte / (m.cell * row), half = (uint64_t)m.lines / 2;
    uint64_t rows = (m.b->bytes + m.cell * row - 1) / (m.cell * row);
    if (rows > (uint64_t)m.lines) {
        uint64_t last = rows - (uint64_t)m.lines;
        m.top = at > half ? at - half : 0;
        m.top = m.top > last ? last : m.top;
    }
    return m;
}

/* Asks the model once for each place and cycle. */
static void find_states(tc_view *v, const tc_trace_buffer *b, uint32_t cta,
                        int32_t warp) {
    const tc_model *m = v->from->model;
    tc_memory_seen *s = &v->seen;
    if (s->states != NULL && s->buffer == v->memory && s->cta == cta &&
        s->warp == warp && s->cycle == v->cycle) {
        return;
    }
    free(s->states);
    *s = (tc_memory_seen){.states = tc_xcalloc(b->bytes + 1, 1),
                          .buffer = v->memory,
                          .cta = cta,
                          .warp = warp,
                          .cycle = v->cycle};
    tc_memory_map(m, cta, b->address, b->bytes, warp,
                  tc_model_seek(m, v->cycle + 1), v->cycle, s->states);
}

static uint32_t cta_of(const tc_view *v, int32_t warp) {
    return warp >= 0 ? v->from->model->rows[warp].cta : tc_view_row(v)->cta;
}

/* The least of a cell's states; *mixed: it has others too. */
static uint8_t state_of_cell(const uint8_t *states, uint64_t from, uint64_t to,
                             bool *mixed) {
    uint8_t least = states[from];
    *mixed = false;
    for (uint64_t i = from; i < to; i++) {
        *mixed |= states[i] != states[from];
        least = states[i] < least ? states[i] : least;
    }
    return least < TC_BYTE_COUNT ? least : TC_BYTE_UNKNOWN;
}

static void draw_map(const tc_view *v, tc_area a, const map *m) {
    uint64_t row = m->cell * (uint64_t)m->columns;
    for (int y = 0; y < m->lines; y++) {
        uint64_t begin = (m->top + (uint64_t)y) * row;
        if (begin >= m->b->bytes) {
            break;
        }
        tc_put_format(a, y, 0, TC_STYLE(FRAME, 0), "+%-6" PRIu64, begin);
        for (int x = 0; x < m->columns; x++) {
            uint64_t from = begin + (uint64_t)x * m->cell, to = from + m->cell;
            bool mixed;
            if (from >= m->b->bytes) {
                break;
            }
            to = to > m->b->bytes ? m->b->bytes : to;
            uint8_t s = state_of_cell(v->seen.states, from, to, &mixed);
            bool cursor = v->byte >= from && v->byte < to;
            tc_style more = (tc_style)((mixed ? TC_UNDERLINE : 0) |
                                       (cursor ? TC_REVERSE : 0));
            tc_put(a, y, LABEL + x, shown[s].c, shown[s].style | more);
        }
    }
}

/* ---- the byte under the cursor ---- */

static void name_byte(const tc_view *v, const tc_trace_buffer *b, tc_buf *out) {
    tc_buf element = TC_BUF_INIT;
    uint64_t address = b->address + v->byte;
    if (v->from->element != NULL &&
        v->from->element(v->from->user, address, &element)) {
        tc_buf_puts(out, tc_buf_text(&element));
        tc_buf_printf(out, " (+%" PRIu64 ")", v->byte);
    } else {
        tc_buf_printf(out, "%s+%" PRIu64, b->name, v->byte);
    }
    tc_buf_free(&element);
}

static void who(const tc_model *m, size_t position, tc_buf *out) {
    const tc_trace_event *e = m->order[position];
    tc_buf_printf(out, "cycle %" PRIu64, e->cycle);
    if (e->line > 0) {
        tc_buf_printf(out, ", line %" PRId32, e->line);
    }
}

static void describe(const tc_view *v, const tc_trace_buffer *b, uint32_t cta,
                     int32_t warp, tc_buf *out) {
    const tc_model *m = v->from->model;
    uint8_t s = v->seen.states[v->byte];
    tc_byte_owner o = tc_memory_owner(m, cta, b->address + v->byte,
                                      tc_model_seek(m, v->cycle + 1));
    name_byte(v, b, out);
    tc_buf_printf(out, ": %s", tc_byte_state_names[s < TC_BYTE_COUNT ? s : 0]);
    if (s == TC_BYTE_LANDED && warp >= 0) {
        tc_buf_printf(out, " to %s", m->rows[warp].name);
    }
    if (o.issue >= m->n) {
        tc_buf_puts(out, ". Nobody has written it.");
        return;
    }
    bool copy = tc_trace_is_issue(m->order[o.issue]->kind);
    tc_buf_printf(out, ". Written by a %s of ", copy ? "copy" : "store");
    if (m->trace->ctas > 1) {
        tc_buf_printf(out, "cta %" PRIu32 " ", o.cta);
    }
    tc_buf_printf(out, "warp %" PRIu32, o.warp);
    if (o.lane >= 0) {
        tc_buf_printf(out, " lane %d", o.lane);
    }
    tc_buf_puts(out, copy ? ", issued at " : " at ");
    who(m, o.issue, out);
    if (copy && o.landed < m->n) {
        tc_buf_printf(out, ", landed at %" PRIu64, m->order[o.landed]->cycle);
    } else if (copy) {
        tc_buf_puts(out, ", still in flight");
    }
    tc_buf_puts(out, o.read < m->n ? ". First read at " : ". Nobody reads it");
    if (o.read < m->n) {
        who(m, o.read, out);
    }
    tc_buf_puts(out, ".");
}

static void draw_legend(tc_area a, int y) {
    int x = 0;
    for (int s = TC_BYTE_NEVER; s < TC_BYTE_COUNT; s++) {
        tc_put(a, y, x, shown[s].c, shown[s].style);
        x += 2 + tc_put_string(a, y, x + 2, shown[s].name, TC_STYLE(FRAME, 0));
        x += 2;
    }
}

/* The first value of what `state` answers: "+64  1.5 2 ...". */
static void draw_value(tc_view *v, tc_area a, int y, int32_t warp,
                       const tc_trace_buffer *b) {
    char name[64];
    uint64_t element = element_bytes(b);
    snprintf(name, sizeof name, "%.40s+%" PRIu64, b->name,
             v->byte / element * element);
    tc_view_ask_machine(v, warp, name);
    const char *values = strstr(v->machine, "\n  +");
    if (values == NULL) {
        tc_put_text(a, y, 0, a.cols, v->machine, strcspn(v->machine, "\n"),
                    TC_STYLE(FRAME, 0));
        return;
    }
    values += strcspn(values + 1, " ") + 1; /* behind the newline */
    values += strcspn(values + 2, " ") + 2; /* and the offset */
    values += strspn(values, " ");
    int x = tc_put_format(a, y, 0, TC_PLAIN, "value %.*s",
                          (int)strcspn(values, " \n"), values);
    if (b->type[0] != '\0') {
        tc_put_format(a, y, x, TC_PLAIN, " (%s)", b->type);
    }
}

void tc_pane_memory_draw(tc_view *v, tc_area a) {
    const tc_trace_buffer *b = buffer_of(v);
    int32_t warp = tc_view_warp(v);
    uint32_t cta = cta_of(v, warp);
    if (b == NULL) {
        tc_put_wrapped(a, 0, 0, "The kernel has no shared memory.", TC_PLAIN);
        return;
    }
    v->memory_cta = cta;
    v->byte = v->byte < b->bytes ? v->byte : b->bytes - 1;
    find_states(v, b, cta, warp);
    map m = divide(v, a);
    draw_map(v, a, &m);
    draw_legend(a, m.lines);
    tc_buf text = TC_BUF_INIT;
    describe(v, b, cta, warp, &text);
    int y = m.lines + 1;
    bool value = v->registers || v->from->cheap;
    tc_area info = tc_area_part(a, y, 0, a.lines - y - value, a.cols);
    y += tc_put_wrapped(info, 0, 0, tc_buf_text(&text), TC_PLAIN);
    tc_buf_free(&text);
    if (value) {
        draw_value(v, a, y, warp, b);
    }
}

/* ---- moving ---- */

static tc_area area_of(const tc_view *v) {
    return tc_view_layout(v, NULL).at[TC_PANE_MEMORY];
}

void tc_pane_memory_move(tc_view *v, int dy, int dx) {
    const tc_trace_buffer *b = buffer_of(v);
    if (b == NULL) {
        return;
    }
    map m = divide(v, area_of(v));
    int64_t by = ((int64_t)dy * m.columns + dx) * (int64_t)m.cell;
    int64_t to = (int64_t)(v->byte / m.cell * m.cell) + by;
    if (to >= 0 && to < (int64_t)b->bytes) {
        v->byte = (uint64_t)to;
    }
}

void tc_pane_memory_zoom(tc_view *v, int way) {
    const tc_trace_buffer *b = buffer_of(v);
    if (b == NULL) {
        return;
    }
    map m = divide(v, area_of(v));
    uint64_t least = element_bytes(b);
    uint64_t cell = way > 0 ? m.cell / 2 : m.cell * 2;
    v->memory_cell = way == 0       ? 0
                     : cell < least ? least
                     : cell > 65536 ? 65536
                                    : cell;
    tc_view_message(v, "a cell is %" PRIu64 " bytes",
                    divide(v, area_of(v)).cell);
}

void tc_pane_memory_click(tc_view *v, tc_area a, int y, int x) {
    const tc_trace_buffer *b = buffer_of(v);
    if (b == NULL) {
        return;
    }
    map m = divide(v, a);
    uint64_t row = m.cell * (uint64_t)m.columns;
    uint64_t at = (m.top + (uint64_t)y) * row;
    if (y < m.lines && x >= LABEL && x < LABEL + m.columns) {
        at += (uint64_t)(x - LABEL) * m.cell;
        v->byte = at < b->bytes ? at : v->byte;
    }
}

void tc_pane_memory_other(tc_view *v) {
    const tc_trace *t = v->from->model->trace;
    for (size_t k = 1; k <= t->nbuffers; k++) {
        size_t i = (v->memory + k) % t->nbuffers;
        if (tc_view_is_map(&t->buffers[i])) {
            v->memory = i;
            v->byte = 0;
            v->memory_cell = 0;
            return;
        }
    }
}

void tc_pane_memory_go(tc_view *v, int way) {
    const tc_model *m = v->from->model;
    const tc_trace_buffer *b = buffer_of(v);
    if (b == NULL) {
        tc_view_message(v, "the kernel has no shared memory");
        return;
    }
    tc_byte_owner o =
        tc_memory_owner(m, cta_of(v, tc_view_warp(v)), b->address + v->byte,
                        tc_model_seek(m, v->cycle + 1));
    size_t to = way < 0 ? o.issue : o.read;
    if (to >= m->n) {
        tc_view_message(v, way < 0 ? "nobody has written this byte yet"
                                   : "nobody reads this byte");
        return;
    }
    tc_view_go_position(v, to);
}
