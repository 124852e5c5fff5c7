/* sass.h - the machine code of a kernel beside the PTX and the source that it
 * came from, as `sass` tells it. */
#ifndef TC_EXPLAIN_SASS_H
#define TC_EXPLAIN_SASS_H

#include "ptx/ptx.h"
#include "sass/sass.h"
#include "session/session.h"

/* What is shown. All borrowed but what is counted. */
typedef struct tc_sass_listing {
    const char *kernel, *arch;
    uint32_t registers;       /* a thread; 0: unknown */
    const tc_ptx_module *ptx; /* of the text that was assembled */
    const tc_source *text;    /* that text */
    const tc_ptx_func *entry;
    const tc_loaded *file;   /* the file that the kernel is of, or NULL */
    const tc_source *source; /* else: the program's text */
    tc_sass code;
    const char *const *texts; /* nvdisasm's, one an instruction, or NULL */
} tc_sass_listing;

void tc_explain_sass_text(const tc_sass_listing *l, tc_arena *a, tc_buf *out);
/* INTERFACE's object of `sass`, owned by the caller. */
json_t *tc_explain_sass_json(const tc_sass_listing *l, tc_arena *a);

#endif
