/* command_line.h - nvcc's command line, read. */
#ifndef TC_TOOLCHAIN_NVCC_COMMAND_LINE_H
#define TC_TOOLCHAIN_NVCC_COMMAND_LINE_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

typedef enum tc_source_kind {
    TC_SOURCE_CUDA,   /* .cu */
    TC_SOURCE_HOST,   /* .cpp and its like, .c */
    TC_SOURCE_OBJECT, /* .o, .a, .so: for the linker */
    TC_SOURCE_NONE
} tc_source_kind;

typedef struct tc_source_file {
    const char *path;
    tc_source_kind kind;
} tc_source_file;

typedef struct tc_words {
    const char **w;
    int n, cap;
} tc_words;

struct tc_command_line {
    tc_source_file *files; /* in the order of the words */
    int nfiles, files_cap;
    tc_words compile;   /* options of each compilation, as nvcc takes them */
    tc_words host;      /* what -Xcompiler has, word by word: the linker too */
    tc_words link;      /* -L, -l and -Xlinker's words, as g++ takes them */
    tc_words libraries; /* files that -l names, where they were found */
    tc_words cuda_libraries; /* names of CUDA's own that -l asks for */
    bool rdc, debug, own_std, own_optimize;
    const char *arch; /* "sm_80", of the first option that names one; NULL */
    const char *why, *hint; /* where it could not be read */
};
typedef struct tc_command_line tc_command_line;

/* What the file is, by its name. */
tc_source_kind tc_source_kind_of(const char *path);

/* Reads words (ended by NULL). False with l->why, l->hint. */
bool tc_command_line_read(tc_arena *a, const char *const *words,
                          tc_command_line *l);

#endif
