/* finding_cuda_text.c - places and calls, as CUDA C++ calls them. */
#include "explain/finding.h"
#include "explain/finding_cuda.h"

#include <string.h>

/* The call that an access is of; false for none. */
static bool call_of(tc_session *s, const tc_access *a, tc_cuda_call *c) {
    tc_last_run *run = s->program.run;
    return a->valid && a->op != NULL &&
           tc_cuda_call_of(run->file, a->op, run->arena, c);
}

void tc_cuda_number(tc_session *s, const tc_ptx_loc *l, tc_buf *b) {
    const tc_loaded *f = s->program.run->file;
    const char *name = tc_cuda_file_name(f, l);
    tc_buf_printf(b, "%u", l->line);
    if (strcmp(name, f->source->name) != 0) {
        tc_buf_printf(b, " of %s", name);
    }
}

void tc_cuda_location_text(tc_session *s, const tc_ptx_loc *l, tc_buf *b) {
    tc_buf_puts(b, "line ");
    tc_cuda_number(s, l, b);
}

void tc_cuda_line_text(tc_session *s, const tc_access *a, tc_buf *b) {
    const tc_loaded *f = s->program.run->file;
    const tc_ptx_loc *l =
        a->valid && a->op != NULL ? tc_cuda_location(f, a->op) : NULL;
    if (l != NULL) {
        tc_cuda_location_text(s, l, b);
    } else {
        tc_buf_puts(b, "an unknown line");
    }
}

void tc_cuda_where(tc_session *s, const tc_access *a, tc_buf *b) {
    tc_cuda_call c;
    if (call_of(s, a, &c)) {
        tc_buf_printf(b, "`%s` at ", c.text);
    }
    tc_cuda_line_text(s, a, b);
}

bool tc_cuda_call_text(tc_session *s, const tc_access *a, tc_buf *b) {
    tc_cuda_call c;
    bool found = call_of(s, a, &c);
    if (found) {
        tc_buf_printf(b, "`%s`", c.text);
    }
    return found;
}

void tc_cuda_by(tc_session *s, const tc_access *a, tc_buf *b) {
    tc_cuda_call c;
    if (call_of(s, a, &c)) {
        tc_buf_printf(b, " (`%s%s`)", c.scope, c.name);
    } else if (c.family == TC_CUDA_FAMILY_ASSEMBLY) {
        tc_buf_printf(b, " (%s)", tc_finding_op(a));
    }
}

/* --- copies ----------------------------------------------------------------*/

void tc_cuda_copy(tc_session *s, const tc_finding *f, tc_buf *b) {
    tc_cuda_call c;
    bool product = f->cause.op != NULL &&
                   tc_ptx_effect_of(f->cause.op) == TC_PTX_EFFECT_ASYNC_MMA;
    if (call_of(s, &f->cause, &c)) {
        tc_buf_printf(b, "the copy `%s` of ", c.text);
    } else if (product) {
        tc_buf_puts(b, "the product (wgmma.mma_async) of ");
    } else if (c.family == TC_CUDA_FAMILY_ASSEMBLY) {
        tc_buf_printf(b, "the copy (%s) of ", tc_finding_op(&f->cause));
    } else {
        tc_buf_puts(b, "the copy of ");
    }
    tc_cuda_line_text(s, &f->cause, b);
}

bool tc_cuda_waited_less(tc_session *s, const tc_finding *f) {
    tc_cuda_call c;
    return (f->missing == TC_MISSING_WAIT_LESS ||
            f->missing == TC_MISSING_BULK_LESS) &&
           call_of(s, &f->other, &c);
}

bool tc_cuda_batched(tc_session *s, const tc_finding *f) {
    tc_cuda_call copy;
    return call_of(s, &f->cause, &copy) &&
           (copy.family == TC_CUDA_FAMILY_PRIMITIVE ||
            copy.family == TC_CUDA_FAMILY_LIBCUXX);
}

/* --- where a call came from ------------------------------------------------*/

void tc_cuda_callers(tc_session *s, const tc_access *a, tc_buf *b) {
    enum { CALLERS = 8 };
    const tc_loaded *f = s->program.run->file;
    const tc_ptx_loc *l =
        a->valid && a->op != NULL ? tc_cuda_location(f, a->op) : NULL;
    const char *sep = "called from ";
    for (int i = 0; l != NULL && i < CALLERS; i++) {
        const tc_ptx_loc *up = tc_cuda_caller(f, l);
        if (up == NULL) {
            break;
        }
        if (up->line != l->line || up->file != l->file) {
            tc_buf_puts(b, sep);
            tc_cuda_location_text(s, up, b);
            sep = ", that from ";
        }
        l = up;
    }
}
