/* trace_texts.c - gives a trace the texts of its program: the learner's own, the
 * CUDA C++ that was made of it, the PTX that ran. */
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

static void add_own(tc_trace *t, const tc_source *src) {
    tc_trace_add_text(t, &(tc_trace_text){.name = (char *)src->name,
                                          .text = (char *)src->text,
                                          .first_line = src->first_line,
                                          .lines = TC_LINES_OWN});
}

/* "0 12 12 ": tc_trace_text.origins. */
static void put_origins(const tc_emitted *cuda, tc_buf *out) {
    int n = tc_lines_origins(&cuda->lines, cuda->text, cuda->body, NULL, 0);
    int *from = tc_xcalloc((size_t)n + 1, sizeof *from);
    tc_lines_origins(&cuda->lines, cuda->text, cuda->body, from, n);
    for (int i = 0; i < n; i++) {
        tc_buf_printf(out, "%d ", from[i]);
    }
    free(from);
}

/* Where the run is of the current program, which has a CUDA text. */
static void add_cuda(tc_session *s, tc_trace *t, const tc_last_run *run) {
    const tc_program *p = &s->program;
    tc_diags quiet = {0};
    tc_emitted cuda;
    if (run->file != NULL || p->lowered == NULL ||
        p->func->source != run->source) {
        return;
    }
    tc_arena *a = tc_arena_new();
    tc_buf origins = TC_BUF_INIT;
    if (tc_emit_cuda(a, p->lowered, &quiet, &cuda)) {
        put_origins(&cuda, &origins);
        tc_trace_add_text(
            t, &(tc_trace_text){.name = "CUDA",
                                .text = cuda.text,
                                .origins = (char *)tc_buf_text(&origins),
                                .first_line = 1,
                                .lines = TC_LINES_MADE});
    }
    tc_buf_free(&origins);
    tc_arena_free(a);
}

void tc_trace_add_texts(tc_session *s, tc_trace *t, const tc_last_run *run) {
    const tc_source *src = run->source;
    bool same =
        src != NULL && run->ptx != NULL && strcmp(src->text, run->ptx) == 0;
    if (src != NULL) {
        add_own(t, src);
        add_cuda(s, t, run);
    }
    if (run->ptx != NULL && !same) {
        tc_trace_add_text(t, &(tc_trace_text){.name = "PTX",
                                              .text = (char *)run->ptx,
                                              .first_line = 1,
                                              .lines = TC_LINES_PTX});
    }
}
