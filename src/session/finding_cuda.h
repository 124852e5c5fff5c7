/* finding_cuda.h - a built .cu in the learner's words: which of its lines an
 * instruction is of, what stands there, and what CUDA calls it. */
#ifndef TC_SESSION_FINDING_CUDA_H
#define TC_SESSION_FINDING_CUDA_H

#include "session/launch.h"

/* --- finding_cuda_places.c: where an instruction is from ---------------------
 */

/* Fills in f's files, places and origins, and each op's line and file. */
void tc_cuda_places(tc_loaded *f, const char *include);

/* The op's place in the learner's files, or NULL. */
const tc_ptx_loc *tc_cuda_place(const tc_loaded *f, const tc_ptx_op *op);
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

#endif
