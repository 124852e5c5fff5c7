/* durations.c - what builds took, so that the next one can say how long it will
 * take: a line "KIND NAME MS" each of the last ones in the cache's "took", the
 * newest first. Of two processes that write it at once one is forgotten. */
#include "base/progress/progress.h"
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 128 /* lines */ };

static const char *path_of(tc_arena *a, const char *folder) {
    return tc_format(a, "%s/took", folder);
}

static const char *read_lines(tc_arena *a, const char *folder) {
    size_t len = 0;
    const char *text = tc_read_file(a, path_of(a, folder), &len);
    return text != NULL ? text : "";
}

static const char *next_line(const char *p) {
    p += strcspn(p, "\n");
    return p + (*p == '\n');
}

static int by_size(const void *x, const void *y) {
    double p = *(const double *)x, q = *(const double *)y;
    return p < q ? -1 : p > q;
}

static const char *name_of(tc_arena *a, const char *name) {
    tc_hash h = TC_HASH_START;
    tc_hash_text(&h, name);
    return tc_strndup(a, tc_hash_name(a, h), 16);
}

double tc_took_before(tc_arena *a, const char *folder, const char *kind,
                      const char *name) {
    const char *own = name_of(a, name);
    double all[KEPT];
    int n = 0;
    for (const char *p = read_lines(a, folder); *p != '\0' && n < KEPT;
         p = next_line(p)) {
        char of[16], whose[20];
        double ms;
        if (sscanf(p, "%15s %19s %lf", of, whose, &ms) != 3 ||
            strcmp(of, kind) != 0 || !(ms > 0)) {
            continue;
        }
        if (strcmp(whose, own) == 0) {
            return ms / 1000;
        }
        all[n++] = ms;
    }
    qsort(all, (size_t)n, sizeof *all, by_size);
    return n > 0 ? all[n / 2] / 1000 : 0;
}

void tc_took(tc_arena *a, const char *folder, const char *kind,
             const char *name, double seconds) {
    tc_buf out = TC_BUF_INIT;
    const char *own = tc_format(a, "%s %s ", kind, name_of(a, name));
    tc_buf_printf(&out, "%s%.0f\n", own, seconds * 1000);
    int n = 1;
    for (const char *p = read_lines(a, folder); *p != '\0' && n < KEPT;
         p = next_line(p)) {
        if (strncmp(p, own, strlen(own)) != 0) {
            tc_buf_write(&out, p, (size_t)(next_line(p) - p));
            n++;
        }
    }
    tc_write_file(path_of(a, folder), out.data, out.len, 0600);
    tc_buf_free(&out);
}
