/* source_location.c - from an instruction to the learner's line.
 *
 * nvcc's -lineinfo gives each instruction a .loc, and with it the chain of
 * calls that it was inlined through (PTX ISA 11.5.3): from the toolkit's
 * headers, where a call such as __pipeline_commit ends, out to the kernel. The
 * learner's place is the first of the chain that is in a file of theirs. */

#include "load/load.h"

#include "base/file.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_TEXT = 8 << 20, DEEPEST = 256 };

/* --- files -----------------------------------------------------------------*/

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The path without links and dots; as it is where there is no such file. */
static const char *plain_path(tc_arena *a, const char *path) {
    char *real = path != NULL ? realpath(path, NULL) : NULL;
    const char *kept = real != NULL ? tc_strdup(a, real) : path;
    free(real);
    return kept;
}

static bool is_below(const char *path, const char *folder) {
    size_t n = folder != NULL ? strlen(folder) : 0;
    while (n > 0 && folder[n - 1] == '/') {
        n--;
    }
    return n > 0 && strncmp(path, folder, n) == 0 && path[n] == '/';
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Files that nobody wrote: nvcc's own between its steps, and the preprocessor's
 * "<built-in>". */
static bool is_generated(const char *path) {
    static const char *const ends[] = {".stub.c", ".gpu", ".ii", ".cudafe1.cpp",
                                       ".reg.c"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends_with(path, ends[i])) {
            return true;
        }
    }
    const char *base = base_of(path);
    return *base == '<' || *base == '\0';
}

/* Headers of the system and, wherever a toolkit is, of a toolkit. */
static bool is_system(const char *path) {
    static const char *const folders[] = {"/usr/include", "/usr/lib",
                                          "/usr/local/include"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (is_below(path, folders[i])) {
            return true;
        }
    }
    return strstr(path, "/include/cccl/") != NULL ||
           strstr(path, "/include/cooperative_groups") != NULL ||
           strstr(path, "/targets/x86_64-linux/include/") != NULL ||
           strstr(path, "/targets/sbsa-linux/include/") != NULL ||
           strstr(path, "nvidia/cu13/include/") != NULL;
}

/* A file below the .cu's folder, as it would be named from where the .cu was:
 * "lab/tile.cuh" beside "lab/prog.cu". */
static const char *name_of(tc_loaded *f, const char *real, const char *cu) {
    const char *shown = f->source->name;
    size_t n = (size_t)(base_of(cu) - cu);
    if (n == 0 || strncmp(real, cu, n) != 0) {
        return real;
    }
    return tc_format(f->arena, "%.*s%s", (int)(base_of(shown) - shown), shown,
                     real + n);
}

static void know_file(tc_loaded *f, int i, const char *cu,
                      const char *include) {
    const char *path = f->module->files[i];
    if (path == NULL) {
        return;
    }
    tc_cuda_file *file = &f->cu_files[i];
    if (*path != '/' && access(path, F_OK) != 0) { /* beside the .cu, then */
        path = tc_format(f->arena, "%.*s%s", (int)(base_of(cu) - cu), cu, path);
    }
    const char *real = plain_path(f->arena, path);
    bool main = strcmp(path, f->source->name) == 0 || strcmp(real, cu) == 0;
    file->path = path;
    file->own = main || !(is_generated(path) || is_system(path) ||
                          is_system(real) || is_below(path, include) ||
                          is_below(real, plain_path(f->arena, include)));
    file->name = main ? f->source->name : name_of(f, real, cu);
    if (main) {
        file->text = f->source;
        file->read = true;
    }
}

/* The .cu's number; where its path has changed since it was built, the file of
 * that name is taken for it. -1: it has none. */
static int main_file(tc_loaded *f) {
    int n = f->module->nfiles;
    for (int i = 0; i < n; i++) {
        if (f->cu_files[i].text == f->source) {
            return i;
        }
    }
    for (int i = 0; i < n; i++) {
        tc_cuda_file *file = &f->cu_files[i];
        if (file->path != NULL &&
            strcmp(base_of(file->path), base_of(f->source->name)) == 0) {
            file->own = file->read = true;
            file->name = f->source->name;
            file->text = f->source;
            return i;
        }
    }
    return -1;
}

static const tc_source *read_text(tc_arena *a, const char *path) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    if (!tc_file_read(&text, path, LARGEST_TEXT, NULL, why)) {
        tc_buf_free(&text);
        return NULL;
    }
    size_t n = text.len;
    tc_source *src = TC_NEW(a, tc_source);
    *src = (tc_source){.name = path,
                       .text = tc_buf_finish(&text, a),
                       .len = n,
                       .first_line = 1};
    return src;
}

static tc_cuda_file *file_of(const tc_loaded *f, const tc_ptx_loc *l) {
    return l->file < f->module->nfiles ? &f->cu_files[l->file] : NULL;
}

const tc_source *tc_cuda_text(const tc_loaded *f, const tc_ptx_loc *place) {
    tc_cuda_file *file = file_of(f, place);
    if (file == NULL || file->path == NULL) {
        return NULL;
    }
    if (!file->read) {
        file->read = true;
        file->text = read_text(f->arena, file->path);
    }
    return file->text;
}

const char *tc_cuda_file_name(const tc_loaded *f, const tc_ptx_loc *place) {
    tc_cuda_file *file = file_of(f, place);
    return file != NULL && file->name != NULL ? file->name : f->source->name;
}

/* --- places ----------------------------------------------------------------*/

static bool is_own(const tc_loaded *f, uint32_t loc) {
    const tc_ptx_loc *l = &f->module->locs[loc];
    const tc_cuda_file *file = file_of(f, l);
    return l->line > 0 && file != NULL && file->own;
}

/* The first place of the learner's in a chain that begins at loc, or 0. */
static uint32_t own_place(const tc_loaded *f, uint32_t loc) {
    for (int i = 0; loc != 0 && i < DEEPEST; i++) {
        if (is_own(f, loc)) {
            return loc;
        }
        loc = f->module->locs[loc].parent;
    }
    return 0;
}

static bool leaves(const tc_ptx_op *op) {
    return op->guard < 0 &&
           (op->opcode == TC_PTX_BRA || op->opcode == TC_PTX_RET ||
            op->opcode == TC_PTX_EXIT);
}

/* Line 0 is the compiler's word for "of no line": what stands beside such an
 * instruction in its block says where it is. */
static void fill_unknown(tc_loaded *f, const tc_ptx_func *fn) {
    const tc_ptx_op *code = f->module->code;
    for (uint32_t i = fn->begin; i < fn->end; i++) {
        bool same = i > fn->begin && !leaves(&code[i - 1]);
        if (f->places[i] == 0 && same) {
            f->places[i] = f->places[i - 1];
        }
    }
    for (uint32_t i = fn->end; i-- > fn->begin;) {
        if (f->places[i] == 0 && i + 1 < fn->end && !leaves(&code[i])) {
            f->places[i] = f->places[i + 1];
        }
    }
}

/* A function of a header that was not inlined is of the line that calls it. */
static void called_from(tc_loaded *f, int callee) {
    const tc_ptx_module *m = f->module;
    const tc_ptx_func *fn = &m->funcs[callee];
    for (uint32_t i = fn->begin; i < fn->end; i++) {
        if (f->places[i] != 0) {
            return;
        }
    }
    for (uint32_t i = 0; i < m->ncode; i++) {
        const tc_ptx_op *op = &m->code[i];
        for (int k = 0; k < 8 && op->opcode == TC_PTX_CALL; k++) {
            if (op->a[k].kind == TC_PO_FUNC &&
                op->a[k].slot == (uint32_t)callee && f->places[i] != 0) {
                for (uint32_t j = fn->begin; j < fn->end; j++) {
                    f->places[j] = f->places[i];
                }
                return;
            }
        }
    }
}

static void mark_op(tc_loaded *f, uint32_t i, int cu) {
    const tc_ptx_module *m = f->module;
    tc_ptx_op *op = &m->code[i];
    const tc_ptx_loc *l = &m->locs[f->places[i]];
    if (f->places[i] == 0) {
        op->line = op->call_line = 0;
        op->file = op->call_file = 1;
        return;
    }
    f->origins[i] = (tc_origin){l->file, l->line};
    op->line = op->call_line = l->line;
    op->file = l->file == cu              ? 1
               : l->file < UINT16_MAX - 2 ? (uint16_t)(l->file + 2)
                                          : UINT16_MAX;
    op->call_file = op->file;
}

void tc_cuda_locations(tc_loaded *f, const char *include) {
    const tc_ptx_module *m = f->module;
    const char *cu = plain_path(f->arena, f->source->name);
    f->cu_files = TC_NEWN(f->arena, tc_cuda_file, m->nfiles + 1);
    f->places = TC_NEWN(f->arena, uint32_t, m->ncode + 1);
    f->origins = TC_NEWN(f->arena, tc_origin, m->ncode + 1);
    for (int i = 0; i < m->nfiles; i++) {
        know_file(f, i, cu, include);
    }
    int main = main_file(f);
    for (uint32_t i = 0; i < m->ncode && m->nlocs > 0; i++) {
        f->places[i] = own_place(f, m->code[i].loc);
    }
    for (int i = 0; i < m->nfuncs; i++) {
        fill_unknown(f, &m->funcs[i]);
    }
    for (int i = 0; i < m->nfuncs; i++) {
        if (!m->funcs[i].entry) {
            called_from(f, i);
        }
    }
    for (uint32_t i = 0; i < m->ncode && m->nlocs > 0; i++) {
        mark_op(f, i, main);
    }
}

const tc_ptx_loc *tc_cuda_location(const tc_loaded *f, const tc_ptx_op *op) {
    uint32_t at = f->places[op - f->module->code];
    return at != 0 ? &f->module->locs[at] : NULL;
}

const tc_ptx_loc *tc_cuda_caller(const tc_loaded *f, const tc_ptx_loc *place) {
    uint32_t at = own_place(f, place->parent);
    return at != 0 ? &f->module->locs[at] : NULL;
}

bool tc_cuda_origin(const tc_loaded *f, const tc_ptx_op *op, tc_arena *a,
                    const char **name, int *line, const char **text) {
    const tc_ptx_loc *l = tc_cuda_location(f, op);
    int len = 0;
    const char *p = l != NULL ? tc_cuda_line(f, l, &len) : NULL;
    while (p != NULL && len > 0 && (*p == ' ' || *p == '\t')) {
        p++;
        len--;
    }
    if (p == NULL || len == 0) {
        return false;
    }
    *name = tc_cuda_file_name(f, l);
    *line = (int)l->line;
    *text = tc_strndup(a, p, (size_t)len);
    return true;
}

const char *tc_cuda_line(const tc_loaded *f, const tc_ptx_loc *place,
                         int *len) {
    const tc_source *src = tc_cuda_text(f, place);
    return src != NULL ? tc_describe_line(src, (int)place->line, len) : NULL;
}
