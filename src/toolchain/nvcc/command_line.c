/* command_line.c - the words of nvcc's command line, sorted: what compilers
 * get, what the linker gets, and what means something to us. */
#include "toolchain/nvcc/command_line.h"
#include "tilecopy.h"
#include "toolchain/internal.h"

#include <stdio.h>
#include <string.h>

typedef enum value_form { NONE, WORD, GLUED } value_form;
typedef enum destination {
    COMPILE,
    BOTH,
    LINK_WORDS,
    FOLDER,
    LIBRARY,
    OPTIMIZE,
    STD,
    LANGUAGE,
    DEVICE_DEBUG,
    RDC,
    RDC_ON,
    ARCH,
    CODE,
    GENCODE,
    HOST_WARNING,
    DROP,
    REFUSED
} destination;

typedef struct option_row {
    const char *brief, *full;
    value_form value;
    destination goes;
    const char *why;
} option_row;

static const option_row rows[] = {
#define TC_NVCC(brief, full, value, goes, why) {brief, full, value, goes, why},
#include "toolchain/nvcc/options.def"
};
enum { NROWS = sizeof rows / sizeof *rows };

/* --- one word --------------------------------------------------------------*/

/* name is word's beginning, and what follows is its end or '='. */
static bool names(const char *word, const char *name, const char **value) {
    size_t n = name != NULL ? strlen(name) : 0;
    if (name == NULL || strncmp(word, name, n) != 0 ||
        (word[n] != '\0' && word[n] != '=')) {
        return false;
    }
    *value = word[n] == '=' ? word + n + 1 : NULL;
    return true;
}

/* The option that a word is; *value: what stands in the same word. nvcc takes
 * the long names behind one dash too. */
static const option_row *row_of(const char *word, const char **value) {
    bool two = word[0] == '-' && word[1] == '-';
    const char *name = word + 1 + two;
    if (word[0] != '-' || *name == '\0') {
        return NULL;
    }
    for (int i = 0; i < NROWS; i++) {
        const option_row *r = &rows[i];
        if (names(name, r->full, value) ||
            (!two && names(name, r->brief, value))) {
            return r;
        }
    }
    for (int i = 0; i < NROWS && !two; i++) {
        if (rows[i].value == GLUED && rows[i].brief[1] == '\0' &&
            rows[i].brief[0] == name[0]) {
            *value = name + 1;
            return &rows[i];
        }
    }
    return NULL;
}

int tc_nvcc_word(const char *word) {
    const char *value = NULL;
    const option_row *r = row_of(word, &value);
    return r == NULL ? 0 : r->value != NONE && value == NULL ? 2 : 1;
}

tc_source_kind tc_source_kind_of(const char *path) {
    static const struct {
        const char *end;
        tc_source_kind kind;
    } all[] = {{".cu", TC_SOURCE_CUDA},   {".cpp", TC_SOURCE_HOST},
               {".cc", TC_SOURCE_HOST},   {".cxx", TC_SOURCE_HOST},
               {".c++", TC_SOURCE_HOST},  {".C", TC_SOURCE_HOST},
               {".c", TC_SOURCE_HOST},    {".o", TC_SOURCE_OBJECT},
               {".a", TC_SOURCE_OBJECT},  {".so", TC_SOURCE_OBJECT},
               {".obj", TC_SOURCE_OBJECT}};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t m = strlen(all[i].end);
        if (n > m && strcmp(path + n - m, all[i].end) == 0) {
            return all[i].kind;
        }
    }
    return TC_SOURCE_NONE;
}

bool tc_nvcc_source(const char *word) {
    return tc_source_kind_of(word) != TC_SOURCE_NONE;
}

/* --- lists -----------------------------------------------------------------*/

static void add(tc_arena *a, tc_words *l, const char *word) {
    TC_PUSH(a, l->w, l->n, l->cap, word);
}

/* "-Wall,-O3": what one word of nvcc's says to another tool. A comma behind a
 * backslash is the tool's. */
static void add_split(tc_arena *a, tc_words *l, const char *value) {
    tc_buf one = TC_BUF_INIT;
    for (const char *p = value;; p++) {
        if (*p == '\\' && p[1] == ',') {
            tc_buf_putc(&one, *++p);
        } else if (*p != ',' && *p != ' ' && *p != '\0') {
            tc_buf_putc(&one, *p);
        } else if (one.len > 0) {
            add(a, l, tc_strdup(a, one.data));
            tc_buf_clear(&one);
        }
        if (*p == '\0') {
            break;
        }
    }
    tc_buf_free(&one);
}

static bool fails(tc_command_line *l, const char *why, const char *hint) {
    l->why = why;
    l->hint = hint;
    return false;
}

/* --- machines --------------------------------------------------------------*/

/* "compute_80", "sm_90a", "all-major": the first that is a number. */
static void take_arch(tc_arena *a, tc_command_line *l, const char *name) {
    const char *number = strncmp(name, "compute_", 8) == 0 ? name + 8
                         : strncmp(name, "sm_", 3) == 0    ? name + 3
                                                           : NULL;
    if (number != NULL && l->arch == NULL) {
        l->arch =
            tc_format(a, "sm_%.*s", (int)strcspn(number, ",]\"' "), number);
    }
}

/* "arch=compute_80,code=[sm_80,compute_80]": what code= names is the machine. */
static void take_gencode(tc_arena *a, tc_command_line *l, const char *value) {
    const char *code = strstr(value, "code=");
    const char *arch = strstr(value, "arch=");
    const char *at = code != NULL ? code + 5 : arch != NULL ? arch + 5 : value;
    take_arch(a, l, at + strspn(at, "[\"'"));
}

/* --- libraries -------------------------------------------------------------*/

/* What our runtime stands in for, or has nothing to do for. */
static bool is_replaced(const char *name) {
    static const char *const all[] = {"cudart",     "cudart_static",
                                      "cudadevrt",  "cuda",
                                      "nvToolsExt", "nvtx3interop"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(name, all[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_cuda(const char *name) {
    static const char *const all[] = {
        "cublas", "cufft",    "curand",  "cusparse", "nvrtc",
        "nvml",   "cusolver", "npp",     "nvjpeg",   "cudnn",
        "cupti",  "nccl",     "cutensor"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strncmp(name, all[i], strlen(all[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* The file that -l will mean, if it is in a folder that -L has named so far:
 * an input of the build. */
static void find_library(tc_arena *a, tc_command_line *l, const char *name) {
    static const char *const ends[] = {".so", ".a"};
    for (int i = 0; i < l->link.n; i++) {
        if (strncmp(l->link.w[i], "-L", 2) != 0) {
            continue;
        }
        for (int k = 0; k < 2; k++) {
            const char *path =
                tc_format(a, "%s/lib%s%s", l->link.w[i] + 2, name, ends[k]);
            if (tc_real_path(a, path) != NULL) {
                add(a, &l->libraries, path);
                return;
            }
        }
    }
}

static void take_library(tc_arena *a, tc_command_line *l, const char *name) {
    if (is_cuda(name)) {
        add(a, &l->cuda_libraries, name);
    } else if (!is_replaced(name)) {
        find_library(a, l, name);
        add(a, &l->link, tc_format(a, "-l%s", name));
    }
}

/* --- the line --------------------------------------------------------------*/

static bool is_yes(const char *value) {
    return value == NULL || strcmp(value, "true") == 0 ||
           strcmp(value, "yes") == 0 || strcmp(value, "1") == 0;
}

static void pass(tc_arena *a, tc_command_line *l, const option_row *r,
                 const char *value) {
    add(a, &l->compile,
        r->brief != NULL ? tc_format(a, "-%s", r->brief)
                         : tc_format(a, "--%s", r->full));
    if (value != NULL) {
        add(a, &l->compile, value);
    }
}

static bool take_option(tc_arena *a, tc_command_line *l, const option_row *r,
                        const char *value) {
    switch (r->goes) {
    case COMPILE:
        pass(a, l, r, value);
        break;
    case BOTH:
        pass(a, l, r, value);
        add_split(a, &l->host, value);
        break;
    case HOST_WARNING:
        add(a, &l->compile, "-Xcompiler");
        add(a, &l->compile, tc_format(a, "-%s", r->brief));
        break;
    case LINK_WORDS: {
        tc_words words = {0};
        add_split(a, &words, value);
        for (int i = 0; i < words.n; i++) {
            add(a, &l->link, "-Xlinker");
            add(a, &l->link, words.w[i]);
        }
        break;
    }
    case FOLDER:
        add(a, &l->link, tc_format(a, "-L%s", value));
        break;
    case LIBRARY:
        take_library(a, l, value);
        break;
    case OPTIMIZE:
        l->own_optimize = true;
        add(a, &l->compile, tc_format(a, "-O%s", value));
        break;
    case STD:
        l->own_std = true;
        add(a, &l->compile, tc_format(a, "-std=%s", value));
        break;
    case LANGUAGE:
        return strcmp(value, "cu") == 0 ||
               fails(l,
                     tc_format(a,
                               "-x %s cannot be honoured: a file's name "
                               "says what it is",
                               value),
                     NULL);
    case DEVICE_DEBUG:
        l->debug = true;
        break;
    case RDC:
        l->rdc = is_yes(value);
        break;
    case RDC_ON:
        l->rdc = true;
        break;
    case ARCH:
    case CODE:
        take_arch(a, l, value);
        break;
    case GENCODE:
        take_gencode(a, l, value);
        break;
    case DROP:
        break;
    case REFUSED:
        return fails(l,
                     tc_format(a, "nvcc's option %s%s is not for exec",
                               r->brief != NULL ? "-" : "--",
                               r->brief != NULL ? r->brief : r->full),
                     r->why);
    }
    return true;
}

static bool take_word(tc_arena *a, tc_command_line *l,
                      const char *const **word) {
    const char *value = NULL, *text = **word;
    const option_row *r = row_of(text, &value);
    if (r == NULL && text[0] == '-') {
        return fails(l, tc_format(a, "there is no option '%s'", text), NULL);
    }
    if (r == NULL) {
        tc_source_file f = {text, tc_source_kind_of(text)};
        if (f.kind == TC_SOURCE_NONE) {
            return fails(
                l, tc_format(a, "'%s' is no source, object or library", text),
                ".cu, .cpp, .cc, .cxx, .c, .o, .a, .so");
        }
        TC_PUSH(a, l->files, l->nfiles, l->files_cap, f);
        return true;
    }
    if (r->value != NONE && value == NULL) {
        value = *++*word;
        if (value == NULL) {
            --*word;
            return fails(l, tc_format(a, "%s needs a value", text), NULL);
        }
    }
    return take_option(a, l, r, value);
}

bool tc_command_line_read(tc_arena *a, const char *const *words,
                          tc_command_line *l) {
    *l = (tc_command_line){0};
    for (; *words != NULL; words++) {
        if (!take_word(a, l, &words)) {
            return false;
        }
    }
    return true;
}
