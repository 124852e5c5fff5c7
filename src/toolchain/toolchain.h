/* toolchain.h - the compiler of CUDA C++: finding nvcc, fetching one, and
 * building .cu files.
 *
 * Nothing here prints or asks; what takes long reports through a callback. */
#ifndef TC_TOOLCHAIN_TOOLCHAIN_H
#define TC_TOOLCHAIN_TOOLCHAIN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/limits.h"
#include "sandbox/sandbox.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tc_toolchain {
    const char *nvcc, *ptxas,
        *addr2line;       /* paths; ptxas, addr2line may be NULL */
    const char *include;  /* the toolkit's headers: lines in them are not the
                             learner's */
    const char *version;  /* "13.0" */
    const char *identity; /* changes when the compiler does */
} tc_toolchain;

/* Looks in TILECOPY_NVCC, PATH, CUDA_HOME, CUDA_PATH, the usual places and the
 * toolkit that tc_toolchain_fetch made. NULL with why (a sentence) and hint. */
const tc_toolchain *tc_toolchain_find(tc_arena *a, const char **why,
                                      const char **hint);

/* Is the file one of the toolkit's headers, or the system's? A line there is
 * not the learner's. Paths may have ".." and links, as nvcc writes them. */
bool tc_toolchain_header(const tc_toolchain *t, const char *path);

/* Puts the pinned toolkit from PyPI's wheels into the project's or the user's
 * own folder. said gets lines of progress. False with why. */
bool tc_toolchain_fetch(void (*said)(void *user, const char *line), void *user,
                        const atomic_int *cancel, char *why, size_t size);
const char *tc_toolchain_home(tc_arena *a); /* where it is put */

struct tc_command_line;

typedef struct tc_build_options {
    const char *arch;                   /* "sm_90a": PTX for compute_90a */
    const struct tc_command_line *line; /* command_line.h: all sources and
                                           options; NULL: the source alone */
    bool program;     /* link the program too, with the runtime's stub; where
                         there is no main there are kernels alone */
    const char *main; /* one more source, linked in: the grader's host side;
                         or NULL */
    const atomic_int *cancel;
    const char *cache; /* a folder to keep builds in instead of the user's: they
                          are in tilecopy-repl/v1 there; NULL: the user's */
    const tc_limits *limits;   /* NULL: tc_limits_usual's */
    const tc_sandbox *sandbox; /* that compilers run in; they read what it names
                                  besides the sources; NULL: none */
} tc_build_options;

/* The generous limits that a build at the prompt or of `exec` has;
 * TILECOPY_COMPILE_LIMIT is its processor time, in seconds or "off". */
const tc_limits *tc_limits_usual(void);

#define TC_UNIT_MARK "// tilecopy unit "

typedef struct tc_build {
    const char *ptx;           /* path of the PTX text, with .loc lines. Of
                                  several sources: each behind a line
                                  TC_UNIT_MARK ID relocatable|whole */
    const char *program;       /* path of the executable, or NULL */
    const void *program_bytes; /* what it was when it was built or found */
    size_t program_len;
    bool cached; /* nothing was compiled */
    uint64_t compile_ns;
    const char *said; /* what nvcc said: errors and warnings, as it did */
    const char *note; /* why the cache is not used, or NULL */
} tc_build;

typedef enum tc_build_status {
    TC_BUILD_OK,
    TC_BUILD_REFUSED,   /* by the compiler or the linker; said has its words */
    TC_BUILD_LIMITED,   /* it passed one of the limits: why says which */
    TC_BUILD_MACHINE,   /* not the source's fault: no room on the disk, no
                           descriptors, no processes, no compiler, or one that
                           the system has ended; why */
    TC_BUILD_CANCELLED, /* by options.cancel */
    TC_BUILD_FAILED     /* something else, as a source that is not there: why */
} tc_build_status;

/* Builds path, or takes what an earlier call built: by the content of the
 * source, of what it includes, of the compiler, and the flags. All in a. */
tc_build_status tc_build_cu(tc_arena *a, const tc_toolchain *t,
                            const char *path, const tc_build_options *o,
                            tc_build *out, char *why, size_t why_size);

/* What is trimmed while a session has it open is put back, into a folder of this
 * process's: its path is then another. False with errno where it cannot be. */
bool tc_build_restore(tc_arena *a, tc_build *b);

/* Registers a thread of the kernel (NULL: of each), as ptxas counts them: a text
 * of ten thousand kernels takes it a minute, and one of them a second. *lines has
 * "name n" lines; "" where there is no ptxas, it refuses (TC_BUILD_REFUSED), or it was
 * not run to its end: why. Cached too; of the options only cancel, cache and
 * limits count. */
tc_build_status tc_ptxas_registers(tc_arena *a, const tc_toolchain *t,
                                   const char *ptx_text, const char *arch,
                                   const char *kernel,
                                   const tc_build_options *o,
                                   const char **lines, char *why,
                                   size_t why_size);
/* The number of a kernel among lines "name n" (or NULL). False and 0: it is not
 * there. */
bool tc_registers_among(const char *lines, const char *kernel, uint32_t *n);
/* The text, or one kernel of it (NULL: all), assembled for sm ("90a"), with the
 * lines of the text. NULL with why. */
const void *tc_ptxas_cubin(tc_arena *a, const tc_toolchain *t,
                           const char *ptx_text, const char *arch,
                           const char *kernel, const tc_build_options *o,
                           size_t *bytes, char *why, size_t why_size);

/* The nvdisasm beside ptxas or in PATH (TILECOPY_NVDISASM names another), or NULL.
 */
const char *tc_nvdisasm_find(tc_arena *a, const tc_toolchain *t);
/* A kernel's instructions as it writes them, one for each 16 bytes: *n texts.
 * NULL where it cannot, or there is no such kernel. */
const char *const *tc_nvdisasm(tc_arena *a, const char *nvdisasm,
                               const void *cubin, size_t bytes,
                               const char *kernel, const atomic_int *cancel,
                               int *n);

/* File and line of a call on the host's side of a program, from its debug
 * information: of the learner's code that is inlined there, not of a header.
 * where: the address after the call, in the file. False where unknown. Who has
 * written the debug information is a stranger: with a sandbox it is read there. */
bool tc_host_line(tc_arena *a, const tc_toolchain *t, const char *program,
                  uint64_t where, const tc_sandbox *sandbox, const char **file,
                  int *line);

#endif
