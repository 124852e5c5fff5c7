/* svg.c - the timeline as a picture for slides. */
#include "trace/export/export.h"

#include <inttypes.h>

enum { LABELS = 200, PLOT = 900, LINE = 16, TOP = 30, GAP = 6 };

static const char *const fills[TC_INTERVAL_COUNT] = {
    [TC_INTERVAL_COMPUTE] = "#4c956c",     [TC_INTERVAL_STALL] = "#e5e5e5",
    [TC_INTERVAL_UNCOMMITTED] = "#f4a259", [TC_INTERVAL_FLIGHT] = "#2c6fbb",
    [TC_INTERVAL_LANDED] = "#a9cdf0",      [TC_INTERVAL_PHASE] = "#cdb4db",
    [TC_INTERVAL_GATHER] = "#b08968",      [TC_INTERVAL_WAITED] = "#dddddd",
};

static void put_text(tc_buf *out, const char *text) {
    for (const char *p = text; *p; p++) {
        switch (*p) {
        case '<':
            tc_buf_puts(out, "&lt;");
            break;
        case '&':
            tc_buf_puts(out, "&amp;");
            break;
        default:
            tc_buf_putc(out, *p);
        }
    }
}

static double place(const tc_model *m, uint64_t cycle) {
    uint64_t c = cycle == TC_OPEN ? m->cycles : cycle;
    return LABELS + (double)c * PLOT / (double)(m->cycles ? m->cycles : 1);
}

static void put_interval(const tc_model *m, const tc_row *row,
                         const tc_interval *i, int y, tc_buf *out) {
    tc_buf name = TC_BUF_INIT;
    double x = place(m, i->begin), end = place(m, i->end);
    tc_interval_name(&name, m, row, i);
    tc_buf_printf(out,
                  "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
                  "fill=\"%s\"%s><title>",
                  x, y + i->lane * LINE + 1, end - x > 0.3 ? end - x : 0.3,
                  LINE - 2, fills[i->kind],
                  i->finding ? " stroke=\"#c00\" stroke-width=\"2\"" : "");
    put_text(out, row->name);
    tc_buf_puts(out, ": ");
    put_text(out, tc_buf_text(&name));
    tc_buf_printf(out, ", %s, cycles %" PRIu64 " to ",
                  tc_interval_kind_names[i->kind], i->begin);
    if (i->end == TC_OPEN) {
        tc_buf_puts(out, "the end");
    } else {
        tc_buf_printf(out, "%" PRIu64, i->end);
    }
    if (i->line > 0) {
        tc_buf_printf(out, ", line %" PRId32, i->line);
    }
    tc_buf_puts(out, "</title></rect>\n");
    if (end - x > 7 * (double)name.len) {
        tc_buf_printf(out, "<text x=\"%.1f\" y=\"%d\" font-size=\"10\">", x + 2,
                      y + i->lane * LINE + 12);
        put_text(out, tc_buf_text(&name));
        tc_buf_puts(out, "</text>\n");
    }
    tc_buf_free(&name);
}

/* A short stroke below the bars of the row's first line. */
static void put_mark(const tc_model *m, const tc_row *row, const tc_mark *k,
                     int y, tc_buf *out) {
    tc_buf text = TC_BUF_INIT;
    double x = place(m, k->cycle);
    tc_model_mark_text(&text, m, row, k);
    tc_buf_printf(out,
                  "<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%d\" y2=\"%d\" "
                  "stroke=\"#000\"><title>",
                  x, x, y + LINE - 4, y + LINE);
    put_text(out, row->name);
    tc_buf_printf(out, ", cycle %" PRIu64 ": ", k->cycle);
    put_text(out, tc_buf_text(&text));
    if (k->line > 0) {
        tc_buf_printf(out, ", line %" PRId32, k->line);
    }
    tc_buf_puts(out, "</title></line>\n");
    tc_buf_free(&text);
}

static void put_findings(const tc_model *m, int height, tc_buf *out) {
    for (size_t i = 0; i < m->trace->nfindings; i++) {
        const tc_trace_finding *f = &m->trace->findings[i];
        double x = place(m, f->cycle);
        tc_buf_printf(out,
                      "<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%d\" y2=\"%d\" "
                      "stroke=\"#c00\"><title>",
                      x, x, TOP - 4, height);
        put_text(out, f->kind);
        tc_buf_puts(out, ": ");
        put_text(out, f->message);
        tc_buf_puts(out, "</title></line>\n");
    }
}

static void put_axis(const tc_model *m, tc_buf *out) {
    for (int i = 0; i <= 10; i++) {
        uint64_t cycle = m->cycles * (uint64_t)i / 10;
        tc_buf_printf(out,
                      "<text x=\"%.1f\" y=\"18\" font-size=\"10\" "
                      "text-anchor=\"middle\">%" PRIu64 "</text>\n",
                      place(m, cycle), cycle);
    }
}

void tc_export_svg(const tc_model *m, tc_buf *out) {
    int height = TOP;
    for (size_t r = 0; r < m->nrows; r++) {
        height += (int)m->rows[r].nlanes * LINE + GAP;
    }
    tc_buf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                  "height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "font-family=\"sans-serif\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                  LABELS + PLOT + 20, height + GAP, LABELS + PLOT + 20,
                  height + GAP);
    tc_buf_printf(out, "<desc>%" PRIu64 " cycles%s</desc>\n", m->cycles,
                  tc_trace_clock_words(m->trace));
    put_axis(m, out);
    int y = TOP;
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_row *row = &m->rows[r];
        tc_buf_printf(out,
                      "<text x=\"%d\" y=\"%d\" font-size=\"11\" "
                      "text-anchor=\"end\">",
                      LABELS - 6, y + 12);
        put_text(out, row->name);
        tc_buf_puts(out, "</text>\n");
        for (size_t i = 0; i < row->nintervals; i++) {
            put_interval(m, row, &row->intervals[i], y, out);
        }
        for (size_t i = 0; i < row->nmarks; i++) {
            put_mark(m, row, &row->marks[i], y, out);
        }
        y += (int)row->nlanes * LINE + GAP;
    }
    put_findings(m, height, out);
    tc_buf_puts(out, "</svg>\n");
}
