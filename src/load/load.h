/* load.h - loads .ptx files and builds .cu files; their kernels, and where the
 * learner wrote an instruction. */
#ifndef TC_LOAD_LOAD_H
#define TC_LOAD_LOAD_H

#include "ptx/link.h"
#include "session/loaded.h"
#include "toolchain/toolchain.h"

/* --- ptx_file.c ------------------------------------------------------------*/

/* Reads the text (in arena a, which this takes over) as a .ptx file. Reports
 * and leaves the session as it was if it does not parse. With --backend gpu, a
 * text with instructions that only the simulator lacks is taken too. */
tc_status tc_loaded_read(tc_session *s, tc_arena *a, const tc_source *src,
                         tc_reply *r);
/* The PTX of a built .cu (in arena a, which this takes over). include is where
 * the toolkit's headers are (NULL: unknown). An op's line becomes the one of
 * the innermost place in the learner's files; its file 1 for the .cu and more
 * for another. Not put among the session's files. NULL (a is freed) after
 * reporting where it does not parse. */
tc_loaded *tc_loaded_cuda(tc_session *s, tc_arena *a, const tc_source *ptx,
                          const tc_source *cu, const char *include);
/* The newest kernel of a name: as it is in the file, or as C++ had it before
 * mangling (if only one is). NULL if there is none. */
const tc_ptx_func *tc_loaded_kernel(const tc_session *s, const char *name,
                                    tc_loaded **file);

/* Calls fn for every kernel's name, hidden ones left out; short: as in C++. */
void tc_loaded_each(const tc_session *s,
                    void (*fn)(void *user, const char *name), void *user);

/* What a name that no loaded kernel has may have meant: "did you mean saxpy?",
 * or which there are. */
void tc_loaded_hint(const tc_session *s, const char *name, tc_buf *hint);

/* A kernel's parameters: "u64 x, u64 y, f32 a". */
void tc_loaded_params(const tc_ptx_func *f, tc_buf *b);
/* The name that a person gave a parameter or kernel: x of saxpy_param_x. */
const char *tc_loaded_param_name(const tc_ptx_func *f, int i);

/* The file's text with, above the first instruction of each run of them that
 * came from one place, that place as a comment. */
void tc_loaded_interleave(const tc_loaded *f, tc_buf *out);

/* The place and text that an op came from, if its .loc's file can be read.
 * Returns false otherwise. All in arena a. */
bool tc_loaded_origin(const tc_loaded *f, const tc_ptx_op *op, tc_arena *a,
                      const char **name, int *line, const char **text);

/* --- kernel_name.c, kernel_text.c ------------------------------------------*/

/* The name of a kernel within what the compiler made of it, without namespaces,
 * template arguments and parameters: saxpy of _Z5saxpyifPKfPf; else all of it.
 * Not ended by 0: *len is its length. */
const char *tc_kernel_name(const char *name, size_t *len);

/* As C++ has it, without blanks, in a: ns::fill<4,int>. */
const char *tc_kernel_full(tc_arena *a, const char *mangled);
/* The parameters of a .cu's kernel as its text has them: "T *out, T v". False
 * (with anything in b): it does not, or has several of the name. */
bool tc_kernel_declared(const tc_loaded *f, const tc_ptx_func *k, tc_buf *b);

/* --- demangle.c ------------------------------------------------------------*/

/* A mangled name (Itanium C++ ABI, 5.1) as C++ has it: "scale<float, 2>",
 * "s" for a variable of a function. As it is where it is none of the plain
 * forms. */
const char *tc_cuda_name(tc_arena *a, const char *mangled);
/* Text with the mangled names in it made plain. */
const char *tc_cuda_plain_text(tc_arena *a, const char *text);
/* --- source_location.c: where an instruction is from --------------------------------*/

/* Fills in f's files, places and origins, and each op's line and file. */
void tc_cuda_locations(tc_loaded *f, const char *include);

/* The op's place in the learner's files, or NULL. */
const tc_ptx_loc *tc_cuda_location(const tc_loaded *f, const tc_ptx_op *op);
/* The place in the learner's files that called the code of another; NULL: none
 * is known. */
const tc_ptx_loc *tc_cuda_caller(const tc_loaded *f, const tc_ptx_loc *place);
/* The name, as the learner knows it, of the file that a place is in. */
const char *tc_cuda_file_name(const tc_loaded *f, const tc_ptx_loc *place);
/* The text of that file, or NULL where it cannot be read; and its line. */
const tc_source *tc_cuda_text(const tc_loaded *f, const tc_ptx_loc *place);
const char *tc_cuda_line(const tc_loaded *f, const tc_ptx_loc *place, int *len);

/* tc_loaded_origin of a .cu; text is without the blanks before it. */
bool tc_cuda_origin(const tc_loaded *f, const tc_ptx_op *op, tc_arena *a,
                    const char **name, int *line, const char **text);

/* --- cuda.c: loading a .cu -------------------------------------------------*/

/* The program that a .cu is, built: tc_loaded.cuda, in the file's arena. */
typedef struct tc_cuda {
    const tc_toolchain *toolchain;
    tc_build_options options;
    tc_build build;
    const char *arch;              /* it was built for */
    const tc_ptx_renamed *renamed; /* of its sources, by the linker */
    int nrenamed;
    const char *registers; /* tc_ptxas_registers's text, or NULL: ask first */
    const char *registers_each; /* of kernels that were asked one by one */
    struct tc_kernel_code {
        const char *kernel;
        const struct tc_sass *code; /* NULL: there is none */
    } * codes;                      /* of kernels that the clock asked for */
    int ncodes, codes_cap;
} tc_cuda;
typedef struct tc_kernel_code tc_kernel_code;

/* --- machine_code.c --------------------------------------------------------*/

/* What ptxas makes of a kernel, for the clock; in a. only: it is given that
 * kernel alone (NULL: the whole text). NULL where there is no ptxas
 * (TILECOPY_PTXAS=none: taken to be so), or it refuses. */
const struct tc_sass *tc_load_machine_code(tc_arena *a, const tc_toolchain *t,
                                           const char *ptx, const char *arch,
                                           const char *only, const char *kernel,
                                           const tc_build_options *o);

/* Is there a ptxas, so that runs have it? */
bool tc_load_has_machine_code(void);

/* Builds the file at path, whose text is cu (in arena a, which this takes
 * over), and makes it the newest loaded file. Reports and leaves the session as
 * it was where there is no compiler, or it refuses. */
tc_status tc_cuda_load(tc_session *s, tc_arena *a, const tc_source *cu,
                       tc_span at, tc_reply *r);

/* It is a whole program, not kernels alone. Reports if it is not. */
bool tc_cuda_runs(tc_session *s, const tc_loaded *f, tc_span at);

/* The newest loaded file, if it is a .cu and newer than the program. */
tc_loaded *tc_cuda_newest(const tc_session *s);

/* The simulated machine that "sm_80" or "sm_100" means, or NULL. */
const char *tc_cuda_machine(tc_arena *a, const char *name);
/* The units in a build's text linked to one. False after reporting. */
bool tc_cuda_link(tc_session *s, tc_arena *a, tc_cuda *c, tc_source *ptx);

/* --- program.c -------------------------------------------------------------*/

/* Loads one that `tilecopy-repl nvcc` has made, as the newest file. Reports. */
tc_status tc_cuda_load_program(tc_session *s, const char *path);

/* --- cuda_refused.c --------------------------------------------------------*/

/* Reports at the lines of cu what of its PTX does not parse. */
void tc_cuda_refused(tc_session *s, tc_arena *a, const tc_source *ptx,
                     const tc_source *cu);
#endif
