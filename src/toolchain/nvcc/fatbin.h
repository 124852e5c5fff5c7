/* fatbin.h - the PTX that a host object or program carries. */
#ifndef TC_TOOLCHAIN_NVCC_FATBIN_H
#define TC_TOOLCHAIN_NVCC_FATBIN_H

#include "base/arena.h"
#include "base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device code of one source. */
typedef struct tc_fatbin {
    uint32_t id;      /* of its bytes, as runtime/protocol.h's tc_rt_module */
    bool relocatable; /* of -rdc=true: names are shared with the others */
    const char *ptx;  /* of the machine's, the newest; NULL: there is none, */
    size_t len;
    const char *lacks; /* and what there is instead; NULL: no device code */
} tc_fatbin;

/* Those of an ELF file for a machine of that sm, in order; bytes are borrowed.
 * 0: there are none, or it is no ELF file. */
int tc_fatbin_read(tc_arena *a, const void *bytes, size_t len, int sm,
                   tc_fatbin **out);
/* The newest machine that PTX in it is for, "sm_80"; NULL: there is none. */
const char *tc_fatbin_machine(tc_arena *a, const void *bytes, size_t len);

/* toolchain/units.c: the device code of a program in one text of *n bytes: as
 * tc_build.ptx of several sources. NULL with why. */
const char *tc_program_ptx(tc_arena *a, const void *bytes, size_t len,
                           const char *arch, size_t *n, const char **why);

#endif
