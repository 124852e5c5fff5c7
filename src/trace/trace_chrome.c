/* trace_chrome.c - a trace as the JSON that Chrome's and Perfetto's viewers
 * open: a process a CTA, a thread a warp, a microsecond a cycle. */
#include "trace/trace.h"
#include <inttypes.h>

static void event(const tc_trace_event *e, tc_buf *out) {
    tc_buf_printf(out,
                  "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%" PRIu64
                  ",\"dur\":%" PRIu64 ",\"pid\":%u,\"tid\":%u,\"args\":{",
                  tc_trace_kind_names[e->kind], tc_trace_unit_names[e->unit],
                  e->cycle, e->end > e->cycle ? e->end - e->cycle : 1, e->cta,
                  e->warp);
    tc_buf_printf(out, "\"lanes\":\"%08x\",\"line\":%d,\"ptx_line\":%u",
                  e->lanes, e->line, e->ptx_line);
    if (e->group >= 0) {
        tc_buf_printf(out, ",\"group\":%d", e->group);
    }
    if (e->phase >= 0) {
        tc_buf_printf(out, ",\"phase\":%d", e->phase);
    }
    if (e->bytes >= 0) {
        tc_buf_printf(out, ",\"bytes\":%d", e->bytes);
    }
    tc_buf_puts(out, "}}");
}

void tc_trace_chrome(const tc_trace *t, tc_buf *out) {
    tc_buf_puts(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    for (size_t i = 0; i < t->n; i++) {
        event(&t->events[i], out);
        tc_buf_puts(out, i + 1 < t->n ? ",\n" : "\n");
    }
    tc_buf_puts(out, "]}\n");
}
