/* cuda_refused.c - what the simulator cannot execute of a .cu, said at the
 * lines of the .cu: the PTX is the compiler's, and nobody's text. */
#include "load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct refusal {
    tc_session *s;
    const tc_source *ptx, *cu;
    int file; /* .file number of cu; 0: none */
    int last; /* the line that was reported last */
} refusal;

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* PTX ISA 11.5.3: .file N "PATH". */
static int file_of(const tc_source *ptx, const char *path) {
    const char *name = file_name(path);
    for (const char *p = ptx->text; (p = strstr(p, ".file")) != NULL; p++) {
        char *end;
        long n = strtol(p + 5, &end, 10);
        end += strspn(end, " \t");
        size_t len = *end == '"' ? strcspn(end + 1, "\"\n") : 0;
        size_t m = strlen(name);
        if (len > m && end[len - m] == '/' && n > 0 && n < 1000 &&
            strncmp(end + 1 + len - m, name, m) == 0) {
            return (int)n;
        }
    }
    return 0;
}

/* In "F L C": L if F is file. */
static int line_in(const char *p, int file) {
    int f, l;
    return sscanf(p, "%d %d", &f, &l) == 2 && f == file ? l : 0;
}

/* The line of the .cu that a line of PTX is of (11.5.2, .loc), or 0. */
static int line_of(const refusal *r, int ptx_line) {
    int found = 0, line = 1;
    for (const char *p = r->ptx->text; *p != '\0' && line <= ptx_line; line++) {
        size_t n = strcspn(p, "\n");
        const char *loc = p + strspn(p, " \t");
        if (strncmp(loc, ".loc", 4) == 0) {
            int l = line_in(loc + 4, r->file);
            const char *up = strstr(loc, "inlined_at");
            l = l == 0 && up != NULL && up < p + n ? line_in(up + 10, r->file)
                                                   : l;
            found = l > 0 ? l : found;
        } else if (strncmp(loc, ".entry", 6) == 0 ||
                   strncmp(loc, ".visible", 8) == 0) {
            found = 0;
        }
        p += n + (p[n] == '\n');
    }
    return found;
}

static tc_span span_of(const tc_source *cu, int line) {
    uint32_t at = 0;
    for (int i = 1; i < line && at < cu->len; i++) {
        at += (uint32_t)strcspn(cu->text + at, "\n");
        at += at < cu->len;
    }
    uint32_t end = at + (uint32_t)strcspn(cu->text + at, "\n");
    at += (uint32_t)strspn(cu->text + at, " \t");
    return (tc_span){cu, at < end ? at : end, end};
}

static void report(void *user, const tc_diag *d) {
    refusal *r = user;
    int line = r->file > 0 && d->line > 0 ? line_of(r, d->line) : 0;
    if (d->severity != TC_ERROR || (line > 0 && line == r->last)) {
        return;
    }
    r->last = line;
    tc_error(&r->s->diags, line > 0 ? span_of(r->cu, line) : TC_NOWHERE,
             "the simulator cannot execute it; `--backend gpu` asks a GPU",
             "what nvcc made of this %s: %s", line > 0 ? "line" : "program",
             d->message);
}

void tc_cuda_refused(tc_session *s, tc_arena *a, const tc_source *ptx,
                     const tc_source *cu) {
    refusal r = {.s = s, .ptx = ptx, .cu = cu, .file = file_of(ptx, cu->name)};
    tc_diags d = {report, &r, 0};
    tc_ptx_parse(a, ptx, &d);
}
