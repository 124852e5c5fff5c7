/* finding_cuda.h - a finding of a built .cu, in CUDA's terms. */
#ifndef TC_EXPLAIN_FINDING_CUDA_H
#define TC_EXPLAIN_FINDING_CUDA_H

#include "explain/template.h"
#include "load/load.h"
#include "session/last_run.h"

/* --- finding_cuda_call.c: what the learner calls it ------------------------*/

typedef enum tc_cuda_family {
    TC_CUDA_FAMILY_LANGUAGE,  /* C++ and CUDA's own functions: __syncthreads */
    TC_CUDA_FAMILY_ASSEMBLY,  /* asm in the learner's code */
    TC_CUDA_FAMILY_PRIMITIVE, /* __pipeline_* */
    TC_CUDA_FAMILY_MBARRIER,  /* __mbarrier_* */
    TC_CUDA_FAMILY_LIBCUXX,   /* cuda::pipeline, cuda::barrier */
    TC_CUDA_FAMILY_BULK,      /* cuda::device::experimental */
    TC_CUDA_FAMILY_PTX,       /* cuda::ptx */
    TC_CUDA_FAMILY_GROUPS     /* cooperative_groups */
} tc_cuda_family;

typedef enum tc_cuda_operation {
    TC_CUDA_OPERATION_NONE,
    TC_CUDA_OPERATION_COPY,
    TC_CUDA_OPERATION_COMMIT,
    TC_CUDA_OPERATION_WAIT, /* for copies */
    TC_CUDA_OPERATION_INIT, /* of a barrier */
    TC_CUDA_OPERATION_INVAL,
    TC_CUDA_OPERATION_ARRIVE,
    TC_CUDA_OPERATION_PHASE, /* a wait for a barrier's phase */
    TC_CUDA_OPERATION_BOTH,  /* an arrival, and a wait for its phase */
    TC_CUDA_OPERATION_EXPECT,
    TC_CUDA_OPERATION_EMPTY,   /* a wait for a slot to be free */
    TC_CUDA_OPERATION_RELEASE, /* of such a slot */
    TC_CUDA_OPERATION_SYNC,    /* of a block, warp or cluster */
    TC_CUDA_OPERATION_FENCE,
    TC_CUDA_OPERATION_TRAP
} tc_cuda_operation;

enum { TC_CUDA_ARGS = 8 };

/* A call as it is written, in one line. */
typedef struct tc_cuda_call {
    tc_cuda_family family;
    tc_cuda_operation operation;
    const char *text;   /* "pipe.consumer_wait()"; NULL: no call */
    const char *name;   /* "consumer_wait" */
    const char *scope;  /* what stands before the name: "pipe.", "cg::", "" */
    const char *object; /* "pipe", or NULL */
    const char *args[TC_CUDA_ARGS];
    int nargs;
} tc_cuda_call;

/* The call that an instruction is of. False where the line has none that it
 * can be of; c->home is right nevertheless. All in arena a. */
bool tc_cuda_call_of(const tc_loaded *f, const tc_ptx_op *op, tc_arena *a,
                     tc_cuda_call *c);

/* --- finding_cuda_names.c: variables ---------------------------------------*/

/* Where an address lies in no device memory: "d_x has 4096 bytes". False:
 * there is none near. */
bool tc_cuda_behind(tc_session *s, const tc_finding *f, tc_buf *b);
/* What a finding's address is called: "s[1][5]", "d_x[1024]". */
const char *tc_cuda_object(tc_session *s, const tc_finding *f);

/* --- finding_cuda_text.c ---------------------------------------------------*/

/* "8"; "8 of tile.cuh" in another file than the .cu; and with "line " before
 * it. */
void tc_cuda_number(tc_session *s, const tc_ptx_loc *l, tc_buf *b);
void tc_cuda_location_text(tc_session *s, const tc_ptx_loc *l, tc_buf *b);
void tc_cuda_line_text(tc_session *s, const tc_access *a, tc_buf *b);
/* "`__pipeline_commit()` at line 8"; "line 8" where there is no call. */
void tc_cuda_where(tc_session *s, const tc_access *a, tc_buf *b);
/* "`__syncthreads()`". False: there is no call, and nothing is said. */
bool tc_cuda_call_text(tc_session *s, const tc_access *a, tc_buf *b);
/* " (`cuda::memcpy_async`)": the call's name, or nothing. */
void tc_cuda_by(tc_session *s, const tc_access *a, tc_buf *b);
/* "the copy `cg::memcpy_async(block, s, in, 256)` of line 9": the cause. */
void tc_cuda_copy(tc_session *s, const tc_finding *f, tc_buf *b);
/* A wait that left copies in flight, and whose call is known. */
bool tc_cuda_waited_less(tc_session *s, const tc_finding *f);
/* The copy that caused a finding is one of a batch. */
bool tc_cuda_batched(tc_session *s, const tc_finding *f);
/* "called from line 17, that from line 30", or nothing. */
void tc_cuda_callers(tc_session *s, const tc_access *a, tc_buf *b);

/* --- finding_cuda_missing.c ------------------------------------------------*/

/* tc_finding_missing of a .cu. False: PTX's terms are right. */
bool tc_cuda_missing(tc_session *s, const tc_finding *f, tc_buf *b);

/* CUDA's text in findings.def, or NULL: PTX's terms are right. */
const char *tc_cuda_missing_template(tc_missing which);
const tc_fields *tc_cuda_missing_fields(void);

#endif
