/* finding_cuda_words.c - what happened, in the words of CUDA C++. */
#include "explain/finding_cuda.h"
#include "explain/finding_words.h"

#include <stdio.h>
#include <string.h>

/* The call that an access is of; false for none. */
static bool call_of(tc_session *s, const tc_access *a, tc_cuda_call *c) {
    tc_run *run = s->program.run;
    return a->valid && a->op != NULL &&
           tc_cuda_call_of(run->file, a->op, run->arena, c);
}

void tc_cuda_number_words(tc_session *s, const tc_ptx_loc *l, tc_buf *b) {
    const tc_loaded *f = s->program.run->file;
    const char *name = tc_cuda_file_name(f, l);
    tc_buf_printf(b, "%u", l->line);
    if (strcmp(name, f->source->name) != 0) {
        tc_buf_printf(b, " of %s", name);
    }
}

void tc_cuda_place_words(tc_session *s, const tc_ptx_loc *l, tc_buf *b) {
    tc_buf_puts(b, "line ");
    tc_cuda_number_words(s, l, b);
}

void tc_cuda_line_words(tc_session *s, const tc_access *a, tc_buf *b) {
    const tc_loaded *f = s->program.run->file;
    const tc_ptx_loc *l =
        a->valid && a->op != NULL ? tc_cuda_place(f, a->op) : NULL;
    if (l != NULL) {
        tc_cuda_place_words(s, l, b);
    } else {
        tc_buf_puts(b, "an unknown line");
    }
}

void tc_cuda_where(tc_session *s, const tc_access *a, tc_buf *b) {
    tc_cuda_call c;
    if (call_of(s, a, &c)) {
        tc_buf_printf(b, "`%s` at ", c.text);
    }
    tc_cuda_line_words(s, a, b);
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
    } else if (c.home == TC_HOME_ASSEMBLY) {
        tc_buf_printf(b, " (%s)", tc_finding_op(a));
    }
}

/* --- copies ------------------------------------------------------------------
 */

void tc_cuda_copy(tc_session *s, const tc_finding *f, tc_buf *b) {
    tc_cuda_call c;
    bool product =
        f->cause.op != NULL && f->cause.op->opcode == TC_PTX_WGMMA_MMA_ASYNC;
    if (call_of(s, &f->cause, &c)) {
        tc_buf_printf(b, "the copy `%s` of ", c.text);
    } else if (product) {
        tc_buf_puts(b, "the product (wgmma.mma_async) of ");
    } else if (c.home == TC_HOME_ASSEMBLY) {
        tc_buf_printf(b, "the copy (%s) of ", tc_finding_op(&f->cause));
    } else {
        tc_buf_puts(b, "the copy of ");
    }
    tc_cuda_line_words(s, &f->cause, b);
}

bool tc_cuda_waited_less(tc_session *s, const tc_finding *f, const char *object,
                         tc_buf *b) {
    tc_cuda_call c, copy;
    if ((f->missing != TC_MISSING_WAIT_LESS &&
         f->missing != TC_MISSING_BULK_LESS) ||
        !call_of(s, &f->other, &c)) {
        return false;
    }
    bool batch =
        call_of(s, &f->cause, &copy) &&
        (copy.home == TC_HOME_PRIMITIVE || copy.home == TC_HOME_LIBCUXX);
    tc_cuda_where(s, &f->other, b);
    tc_buf_printf(b, " leaves the %s of ", batch ? "batch" : "copy");
    tc_cuda_line_words(s, &f->cause, b);
    tc_buf_puts(b, " in flight; ");
    tc_cuda_line_words(s, &f->at, b);
    const char *does = tc_finding_does(&f->at, f->space);
    tc_buf_printf(b, " %s it: ", does);
    tc_finding_who(s, &f->at, b);
    tc_buf_printf(b, " %s %s", does, object);
    return true;
}

/* --- barriers ----------------------------------------------------------------
 */

static void initialised(tc_session *s, const tc_finding *f, const char *how,
                        tc_buf *b) {
    if (f->cause.valid) {
        tc_buf_puts(b, ", which ");
        tc_cuda_where(s, &f->cause, b);
        tc_buf_printf(b, " %s", how);
    } else {
        tc_buf_puts(b, ", which nobody has initialised yet");
    }
}

bool tc_cuda_mbarrier(tc_session *s, const tc_finding *f, tc_buf *b) {
    tc_cuda_call c;
    if (call_of(s, &f->at, &c)) {
        tc_buf_printf(b, " (`%s`)", c.text);
    }
    switch (f->missing) {
    case TC_MISSING_INIT:
        initialised(s, f, "invalidated", b);
        return true;
    case TC_MISSING_INVAL:
        initialised(s, f, "initialised: it is live", b);
        return true;
    case TC_MISSING_OWN_BYTES:
        tc_buf_puts(b, ", whose bytes plain stores have overwritten");
        return true;
    case TC_MISSING_FEWER_ARRIVALS:
        tc_buf_puts(b, ": ");
        tc_cuda_where(s, &f->other, b);
        tc_buf_printf(b, " says %lld arrivals a phase, and more threads arrive",
                      (long long)f->missing_n);
        return true;
    case TC_MISSING_BARRIER:
    case TC_MISSING_CLUSTER_BARRIER:
        tc_buf_puts(b, ", which ");
        tc_finding_who(s, &f->cause, b);
        tc_buf_puts(b, " initialised at ");
        tc_cuda_line_words(s, &f->cause, b);
        tc_buf_puts(b, ", with no barrier between them");
        return true;
    case TC_MISSING_BYTES:
        if (f->missing_n < 0) {
            tc_buf_puts(b, ": its bytes came after the phase was over, since ");
            tc_cuda_where(s, &f->cause, b);
            tc_buf_puts(b, " announces fewer than are copied");
            return true;
        }
        return false;
    default:
        return false;
    }
}

/* --- waiters -----------------------------------------------------------------
 */

/* A line "CTA 0, warp 3, ...": its warp, and where what follows begins. */
typedef struct waiter {
    unsigned cta, warp;
    const char *rest; /* NULL: another line */
    size_t len;       /* of it */
} waiter;

static waiter read_waiter(const char *p) {
    waiter w = {0};
    int n = 0;
    if (sscanf(p, "CTA %u, warp %u%n", &w.cta, &w.warp, &n) == 2 && n > 0) {
        w.rest = p + n;
        w.len = strcspn(w.rest, "\n");
    }
    return w;
}

static bool goes_on(const waiter *a, const waiter *b, unsigned last) {
    return b->rest != NULL && b->cta == a->cta && b->warp == last + 1 &&
           b->len == a->len && strncmp(a->rest, b->rest, a->len) == 0;
}

/* Those of the simulator that CUDA calls something else. */
static const struct {
    const char *from, *to;
} words[] = {{"CTA", "block"},
             {": barrier 0 (", ": the block's barrier ("},
             {": barrier.cluster.wait (", ": the cluster's barrier ("}};

static const char *in_words_of_cuda(tc_arena *a, const char *text) {
    enum { WORDS = sizeof words / sizeof *words };
    tc_buf b = TC_BUF_INIT;
    while (*text != '\0') {
        size_t i = 0;
        while (i < WORDS &&
               strncmp(text, words[i].from, strlen(words[i].from)) != 0) {
            i++;
        }
        if (i < WORDS) {
            tc_buf_puts(&b, words[i].to);
            text += strlen(words[i].from);
        } else {
            tc_buf_putc(&b, *text++);
        }
    }
    const char *said = tc_strndup(a, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
    return said;
}

const char *tc_cuda_detail(tc_arena *a, const char *text) {
    const char *p = tc_cuda_plain_text(a, text);
    tc_buf b = TC_BUF_INIT;
    while (*p != '\0') {
        waiter w = read_waiter(p);
        size_t n = strcspn(p, "\n");
        unsigned last = w.warp;
        const char *next = p + n + (p[n] == '\n');
        for (waiter o = read_waiter(next);
             w.rest != NULL && goes_on(&w, &o, last); o = read_waiter(next)) {
            last++;
            n = strcspn(next, "\n");
            next += n + (next[n] == '\n');
        }
        if (w.rest != NULL && last > w.warp) {
            tc_buf_printf(&b, "CTA %u, warps %u-%u%.*s", w.cta, w.warp, last,
                          (int)w.len, w.rest);
        } else {
            tc_buf_write(&b, p, strcspn(p, "\n"));
        }
        tc_buf_puts(&b, next[-1] == '\n' ? "\n" : "");
        p = next;
    }
    const char *plain = in_words_of_cuda(a, tc_buf_text(&b));
    tc_buf_free(&b);
    return plain;
}

/* --- where a call came from --------------------------------------------------
 */

void tc_cuda_callers(tc_session *s, const tc_access *a, tc_buf *b) {
    enum { CALLERS = 8 };
    const tc_loaded *f = s->program.run->file;
    const tc_ptx_loc *l =
        a->valid && a->op != NULL ? tc_cuda_place(f, a->op) : NULL;
    const char *sep = "called from ";
    for (int i = 0; l != NULL && i < CALLERS; i++) {
        const tc_ptx_loc *up = tc_cuda_caller(f, l);
        if (up == NULL) {
            break;
        }
        if (up->line != l->line || up->file != l->file) {
            tc_buf_puts(b, sep);
            tc_cuda_place_words(s, up, b);
            sep = ", that from ";
        }
        l = up;
    }
}
