/* chrome.c - the timeline as the JSON that Chrome's and Perfetto's
 * viewers open. Intervals of one line of a row do not overlap: each line is a
 * thread of its own. */
#include "trace/export/export.h"

#include <inttypes.h>

enum { LINES = 64 }; /* thread numbers of a row */

static void begin(tc_buf *out, bool *first) {
    tc_buf_puts(out, *first ? "\n" : ",\n");
    *first = false;
}

static void put_thread(const tc_row *row, size_t number, uint32_t lane,
                       tc_buf *out, bool *first) {
    tc_buf name = TC_BUF_INIT;
    tc_buf_puts(&name, row->name);
    if (lane > 0) {
        tc_buf_printf(&name, " (%" PRIu32 ")", lane + 1);
    }
    begin(out, first);
    tc_buf_printf(out,
                  "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%" PRIu32
                  ",\"tid\":%zu,\"args\":{\"name\":",
                  row->cta, number * LINES + lane);
    tc_json_text(out, tc_buf_text(&name));
    tc_buf_puts(out, "}}");
    begin(out, first);
    tc_buf_printf(
        out,
        "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%" PRIu32
        ",\"tid\":%zu,\"args\":{\"sort_index\":%zu}}",
        row->cta, number * LINES + lane, number * LINES + lane);
    tc_buf_free(&name);
}

static void put_interval(const tc_model *m, const tc_row *row, size_t number,
                         const tc_interval *i, tc_buf *out, bool *first) {
    tc_buf name = TC_BUF_INIT;
    tc_interval_name(&name, m, row, i);
    uint64_t end = i->end == TC_OPEN ? m->cycles : i->end;
    begin(out, first);
    tc_buf_puts(out, "{\"name\":");
    tc_json_text(out, tc_buf_text(&name));
    tc_buf_printf(out,
                  ",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%" PRIu64
                  ",\"dur\":%" PRIu64 ",\"pid\":%" PRIu32
                  ",\"tid\":%zu,\"args\":{\"kind\":\"%s\",\"line\":%" PRId32
                  ",\"bytes\":%" PRIu64 ",\"open\":%s}}",
                  tc_row_kind_names[row->kind], i->begin,
                  end > i->begin ? end - i->begin : 0, row->cta,
                  number * LINES + i->lane, tc_interval_kind_names[i->kind],
                  i->line, i->bytes, i->end == TC_OPEN ? "true" : "false");
    tc_buf_free(&name);
}

/* An instant of the row's first line. */
static void put_mark(const tc_model *m, const tc_row *row, size_t number,
                     const tc_mark *k, tc_buf *out, bool *first) {
    tc_buf text = TC_BUF_INIT;
    tc_model_mark_text(&text, m, row, k);
    begin(out, first);
    tc_buf_printf(out,
                  "{\"name\":\"%s\",\"cat\":\"event\",\"ph\":\"i\",\"s\":\"t\","
                  "\"ts\":%" PRIu64 ",\"pid\":%" PRIu32
                  ",\"tid\":%zu,\"args\":{\"line\":%" PRId32
                  ",\"count\":%" PRIu32 ",\"end\":%" PRIu64 ",\"text\":",
                  k->plain && k->n > 1 ? "memory"
                                       : tc_trace_kind_names[k->kind],
                  k->cycle, row->cta, number * LINES, k->line, k->n, k->end);
    tc_json_text(out, tc_buf_text(&text));
    tc_buf_puts(out, "}}");
    tc_buf_free(&text);
}

/* An instant of its whole process. */
static void put_finding(const tc_trace_finding *f, tc_buf *out, bool *first) {
    begin(out, first);
    tc_buf_printf(
        out,
        "{\"cat\":\"finding\",\"ph\":\"i\",\"s\":\"p\",\"ts\":%" PRIu64
        ",\"pid\":%" PRIu32 ",\"tid\":0,\"name\":",
        f->cycle, f->cta);
    tc_json_text(out, f->kind);
    tc_buf_printf(out, ",\"args\":{\"line\":%" PRId32 ",\"text\":", f->line);
    tc_json_text(out, f->message);
    tc_buf_puts(out, "}}");
}

void tc_export_chrome(const tc_model *m, tc_buf *out) {
    bool first = true;
    tc_buf_puts(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_row *row = &m->rows[r];
        if (r == 0 || m->rows[r - 1].cta != row->cta) {
            begin(out, &first);
            tc_buf_printf(
                out,
                "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRIu32
                ",\"args\":{\"name\":\"CTA %" PRIu32 "\"}}",
                row->cta, row->cta);
        }
        for (uint32_t l = 0; l < row->nlanes; l++) {
            put_thread(row, r, l, out, &first);
        }
        for (size_t i = 0; i < row->nintervals; i++) {
            put_interval(m, row, r, &row->intervals[i], out, &first);
        }
        for (size_t i = 0; i < row->nmarks; i++) {
            put_mark(m, row, r, &row->marks[i], out, &first);
        }
    }
    for (size_t i = 0; i < m->trace->nfindings; i++) {
        put_finding(&m->trace->findings[i], out, &first);
    }
    tc_buf_puts(out, "\n],\"otherData\":{\"model\":");
    tc_json_text(out, m->trace->clock != NULL ? m->trace->clock : "");
    tc_buf_puts(out, "}}\n");
}
