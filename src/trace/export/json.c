/* json.c - the timeline as JSON. */
#include "trace/export/export.h"

#include <inttypes.h>

void tc_json_text(tc_buf *out, const char *text) {
    tc_buf_putc(out, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') {
            tc_buf_printf(out, "\\%c", *p);
        } else if (*p < ' ' || *p == '<' || *p == '>' || *p == '&') {
            tc_buf_printf(out, "\\u%04x", *p);
        } else {
            tc_buf_putc(out, (char)*p);
        }
    }
    tc_buf_putc(out, '"');
}

static void put_interval(const tc_model *m, const tc_row *row,
                         const tc_interval *i, tc_buf *out) {
    tc_buf name = TC_BUF_INIT;
    tc_interval_name(&name, m, row, i);
    tc_buf_puts(out, "{\"name\":");
    tc_json_text(out, tc_buf_text(&name));
    tc_buf_printf(
        out,
        ",\"kind\":\"%s\",\"begin\":%" PRIu64 ",\"end\":%" PRIu64
        ",\"open\":%s,\"lane\":%u,\"line\":%" PRId32 ",\"bytes\":%" PRIu64,
        tc_interval_kind_names[i->kind], i->begin,
        i->end == TC_OPEN ? m->cycles : i->end,
        i->end == TC_OPEN ? "true" : "false", i->lane, i->line, i->bytes);
    if (i->kind == TC_INTERVAL_STALL) {
        tc_buf_printf(out, ",\"cause\":\"%s\"", tc_stall_names[i->cause]);
    }
    tc_buf_putc(out, '}');
    tc_buf_free(&name);
}

static void put_mark(const tc_model *m, const tc_row *row, const tc_mark *k,
                     tc_buf *out) {
    tc_buf text = TC_BUF_INIT;
    tc_model_mark_text(&text, m, row, k);
    tc_buf_printf(out,
                  "{\"cycle\":%" PRIu64 ",\"end\":%" PRIu64
                  ",\"kind\":\"%s\",\"count\":%" PRIu32 ",\"line\":%" PRId32
                  ",\"finding\":%s,\"text\":",
                  k->cycle, k->end,
                  k->plain && k->n > 1 ? "memory"
                                       : tc_trace_kind_names[k->kind],
                  k->n, k->line, k->finding ? "true" : "false");
    tc_json_text(out, tc_buf_text(&text));
    tc_buf_putc(out, '}');
    tc_buf_free(&text);
}

static void put_row(const tc_model *m, const tc_row *row, tc_buf *out) {
    tc_buf_puts(out, "{\"name\":");
    tc_json_text(out, row->name);
    tc_buf_printf(out,
                  ",\"kind\":\"%s\",\"cta\":%" PRIu32 ",\"warp\":%" PRIu32
                  ",\"lines\":%" PRIu32 ",\"intervals\":[",
                  tc_row_kind_names[row->kind], row->cta, row->warp,
                  row->nlanes);
    for (size_t i = 0; i < row->nintervals; i++) {
        tc_buf_puts(out, i ? ",\n" : "\n");
        put_interval(m, row, &row->intervals[i], out);
    }
    tc_buf_puts(out, "],\"marks\":[");
    for (size_t i = 0; i < row->nmarks; i++) {
        tc_buf_puts(out, i ? ",\n" : "\n");
        put_mark(m, row, &row->marks[i], out);
    }
    tc_buf_puts(out, "]}");
}

static void put_finding(const tc_trace_finding *f, tc_buf *out) {
    tc_buf_printf(out,
                  "{\"cycle\":%" PRIu64 ",\"cta\":%" PRIu32 ",\"warp\":%" PRIu32
                  ",\"line\":%" PRId32 ",\"kind\":",
                  f->cycle, f->cta, f->warp, f->line);
    tc_json_text(out, f->kind);
    tc_buf_puts(out, ",\"message\":");
    tc_json_text(out, f->message);
    tc_buf_puts(out, ",\"object\":");
    tc_json_text(out, f->object);
    tc_buf_putc(out, '}');
}

void tc_export_json(const tc_model *m, tc_buf *out) {
    tc_buf_printf(out,
                  "{\"cycles\":%" PRIu64 ",\"first\":%" PRIu64 ",\"model\":",
                  m->cycles, m->first);
    tc_json_text(out, m->trace->clock != NULL ? m->trace->clock : "");
    tc_buf_puts(out, ",\"rows\":[");
    for (size_t i = 0; i < m->nrows; i++) {
        tc_buf_puts(out, i ? ",\n" : "\n");
        put_row(m, &m->rows[i], out);
    }
    tc_buf_puts(out, "],\"findings\":[");
    for (size_t i = 0; i < m->trace->nfindings; i++) {
        tc_buf_puts(out, i ? ",\n" : "\n");
        put_finding(&m->trace->findings[i], out);
    }
    tc_buf_puts(out, "]}\n");
}
