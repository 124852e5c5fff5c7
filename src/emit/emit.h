/* emit.h - the texts of a lowered program: CUDA C++ and PTX. */
#ifndef TC_EMIT_EMIT_H
#define TC_EMIT_EMIT_H

#include "base/buf.h"
#include "base/diag.h"
#include "ir/ir.h"

/* Shared memory of a CTA, in bytes: sm_80 has 163 KiB, sm_90 and sm_100 have
 * 227 (CUDA C++ Programming Guide, technical specifications). Static buffers
 * have 48 KiB of it, but on sm_90a and sm_100a all (ptxas 13.0: "0xc000 max"
 * and "0x38c00 max"). */
enum {
    TC_SHARED_STATIC = 48 << 10,
    TC_SHARED_SM_80 = 163 << 10,
    TC_SHARED_MOST = 227 << 10
};

/* A PTX symbol and the buffer it holds: turns addresses into names. */
typedef struct tc_symbol {
    const char *name;
    const tc_buffer *buffer; /* the program's own, with its layout */
    int64_t offset, bytes;   /* part of a dynamic array; 0, 0: all of it */
} tc_symbol;

typedef struct tc_emitted {
    char *text;        /* in the arena */
    const char *entry; /* kernel name: <func>_kernel */
    int sm;            /* of .target: 80, 90, 100 */
    bool sm_a;         /* .target ends in a */
    int code_sm;       /* least for the instructions alone, whatever the */
    bool code_a;       /* launch wants: clusters, shared memory */
    int64_t shared_static, shared_all; /* bytes a CTA takes */
    tc_lines lines;     /* of CUDA: the program's lines, from the body on */
    size_t body;        /* where in the text that begins */
    tc_symbol *symbols; /* shared symbols */
    int nsymbols;
} tc_emitted;

/* A file nvcc accepts: includes, helper functions that the kernel calls, the
 * kernel. Reports and returns false for what is not built yet, and for more
 * shared memory than any arch has. */
bool tc_emit_cuda(tc_arena *a, const tc_lowered *l, tc_diags *diags,
                  tc_emitted *out);

/* A module ptxas accepts. min_sm is the least .target wanted (0: least that
 * has every instruction); min_a asks for the arch-specific sm_XYa form. */
bool tc_emit_ptx(tc_arena *a, const tc_lowered *l, int min_sm, bool min_a,
                 tc_diags *diags, tc_emitted *out);

#endif
