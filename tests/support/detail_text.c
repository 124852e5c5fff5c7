/* detail_text.c - the text of a finding, in PTX's terms. */
#include "detail_text.h"

const char *detail_text(const tc_finding *f) {
    static char texts[4][8192];
    static int next;
    char *to = texts[next++ % 4];
    tc_arena *a = tc_arena_new();
    tc_buf b = TC_BUF_INIT;
    if (f->waiters != NULL) {
        tc_waiters_text(f->waiters, false, a, &b);
    } else {
        tc_detail_text(f, false, a, &b);
    }
    snprintf(to, sizeof texts[0], "%s", tc_buf_text(&b));
    tc_buf_free(&b);
    tc_arena_free(a);
    return to;
}
