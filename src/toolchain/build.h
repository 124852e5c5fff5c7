/* build.h - one build: build.c leads it, compile.c runs nvcc, link.c the host's
 * linker, deps.c tells whether an earlier one still holds. */
#ifndef TC_TOOLCHAIN_BUILD_H
#define TC_TOOLCHAIN_BUILD_H

#include "toolchain/internal.h"
#include "toolchain/nvcc/command_line.h"
#include <time.h>

/* A source on its way through nvcc. */
typedef struct tc_unit {
    const char *path; /* as the student gave it */
    tc_source_kind kind;
    const char *text;
    size_t len;
    const char *given; /* the same for nvcc: another name where the path has
                          characters that it cannot pass on */
    bool renamed;
    const char *keep;   /* folder of its intermediate files */
    const char *object; /* NULL: PTX only */
    const char *deps;   /* what it depends on, as a rule of make */
    const char *ptx;
} tc_unit;

typedef struct tc_job {
    tc_arena *a;
    const tc_toolchain *t;
    const tc_build_options *o;
    const char *host;            /* the host's C++ compiler, a path */
    const char *work;            /* a folder for this build alone */
    const char *cache, *note;    /* tc_cache_folder's */
    const tc_command_line *line; /* NULL: one source, no options */
    tc_unit *units;
    int n;
    tc_buf said, passed;   /* passed: which limit, as text */
    struct timespec begin; /* before the sources were read */
    char *why;
    size_t why_size;
} tc_job;

/* Why, in a sentence; always TC_BUILD_FAILED, and TC_BUILD_MACHINE. */
tc_build_status tc_build_fails(tc_job *j, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
tc_build_status tc_build_machine(tc_job *j, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* What the compilers of a build run in, in *box; NULL: in none. */
const tc_sandbox *tc_build_sandbox(tc_arena *a, const tc_toolchain *t,
                                   const tc_build_options *o, const char *work,
                                   tc_sandbox *box);
/* Runs a tool with the job's limits, in the C locale where that is asked for;
 * words gets what it says. */
int tc_build_run(tc_job *j, const char *const *argv, bool plain,
                 tc_buf *phrase);
/* What a run that was no success means; j->said has the words. */
tc_build_status tc_build_ended(tc_job *j, const char *tool, int status);

/* compile.c */
const char *tc_host_compiler(tc_arena *a);
void tc_hash_flags(tc_hash *h); /* all that decides how nvcc is called */
/* Did a compiler say so that it had no disk, memory, processes or files left? */
bool tc_build_lacks_room(const char *said);
/* C++ that is no CUDA: the host's compiler alone, which takes a tenth of the
 * time. Nothing names it later: its path counts for nothing. */
bool tc_build_host_only(const tc_unit *u);
tc_build_status tc_build_compile(tc_job *j, tc_unit *u);
/* extras.c: what is read of CUDA's headers besides the rest. */
typedef struct tc_build_extras {
    bool lambdas; /* --extended-lambda, and <functional> with it */
    bool floats;  /* half, bfloat16 and fp8 in the headers of CCCL */
} tc_build_extras;
/* As far as its text tells. May it have been refused for what it was built
 * without? */
tc_build_extras tc_build_needs(const tc_unit *u);
bool tc_build_may_need(const tc_unit *u, tc_build_extras without);
/* units.c: what a build of several sources has besides.
 *
 * All that decides it, but for the sources. */
void tc_build_hash_line(tc_job *j, tc_hash *h);
/* The device code of the program in one text: of each source its id, whether it
 * is relocatable, and its PTX (toolchain.h's tc_build.ptx). */
tc_build_status tc_build_collect(tc_job *j, const char *program,
                                 const char **ptx);
/* Options of the linker for relocatable device code among the objects. */
void tc_build_device_link(tc_job *j, tc_words *options);
/* link.c: work/program. Functions of CUDA that are not there are named. */
tc_build_status tc_build_link(tc_job *j, const char **program);

/* deps.c: the files of a rule of make, absolute, without those of the toolkit
 * and the source itself, one a line. */
void tc_deps_read(tc_job *j, const tc_unit *u, tc_buf *list);
/* Adds what the files of the list are now; false if one is gone. */
bool tc_deps_hash(tc_arena *a, const char *list, tc_hash *h);
/* Has one of them been written, or removed, since then? */
bool tc_deps_changed(tc_arena *a, const char *list, struct timespec since);
const char *tc_build_absolute(tc_arena *a, const char *path);

#endif
