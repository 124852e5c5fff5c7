/* cuda_names.c - elements of shared variables of a .cu, as the learner's text
 * declares them. */
#include "load/load.h"
#include "run/state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- declarations ----------------------------------------------------------*/

enum { RANK = 4 };

/* What the learner's text says of a shared variable. */
typedef struct declared {
    bool found;
    uint64_t bytes; /* of an element; 0: a type that we do not know */
    tc_dtype type;  /* of its values; VOID: bits */
    int rank;
    uint64_t dims[RANK]; /* 0: not a number */
} declared;

static bool is_word(int c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* uint64_t is bits: so mbarriers are declared. */
static uint64_t type_bytes(const char *word, size_t n, tc_dtype *type) {
    static const struct {
        const char *name;
        uint64_t bytes;
        tc_dtype type;
    } types[] = {{"char", 1, TC_INT8},        {"bool", 1, TC_BOOL},
                 {"int8_t", 1, TC_INT8},      {"uint8_t", 1, TC_UINT8},
                 {"short", 2, TC_INT16},      {"half", 2, TC_FLOAT16},
                 {"__half", 2, TC_FLOAT16},   {"__nv_bfloat16", 2, TC_BFLOAT16},
                 {"int16_t", 2, TC_INT16},    {"uint16_t", 2, TC_UINT16},
                 {"int", 4, TC_INT32},        {"unsigned", 4, TC_UINT32},
                 {"float", 4, TC_FLOAT32},    {"int32_t", 4, TC_INT32},
                 {"uint32_t", 4, TC_UINT32},  {"half2", 4, TC_FLOAT16},
                 {"double", 8, TC_FLOAT64},   {"long", 8, TC_INT64},
                 {"int64_t", 8, TC_INT64},    {"uint64_t", 8, TC_VOID},
                 {"float2", 8, TC_FLOAT32},   {"int2", 8, TC_INT32},
                 {"uint2", 8, TC_UINT32},     {"size_t", 8, TC_UINT64},
                 {"float4", 16, TC_FLOAT32},  {"int4", 16, TC_INT32},
                 {"uint4", 16, TC_UINT32},    {"double2", 16, TC_FLOAT64},
                 {"__mbarrier_t", 8, TC_VOID}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == n &&
            strncmp(types[i].name, word, n) == 0) {
            *type = types[i].type;
            return types[i].bytes;
        }
    }
    return 0;
}

/* A length: a number, or the name of a constant that the text gives a number
 * (constexpr int N = 64; #define N 64). 0: something else. */
static uint64_t length_of(const tc_source *src, const char *p) {
    size_t n = 0;
    while (is_word(p[n])) {
        n++;
    }
    if (n == 0 || p[n] != ']') {
        return 0;
    }
    if (isdigit((unsigned char)*p)) {
        return strtoul(p, NULL, 0);
    }
    const char *name = p;
    for (const char *at = src->text; (at = strchr(at, *name)) != NULL; at++) {
        bool whole = strncmp(at, name, n) == 0 && !is_word(at[n]) &&
                     at > src->text && at[-1] == ' ';
        const char *value = at + n + strspn(at + n, " =");
        if (whole && value > at + n && isdigit((unsigned char)*value)) {
            return strtoul(value, NULL, 0);
        }
    }
    return 0;
}

static void read_dims(const tc_source *src, const char *p, declared *d) {
    for (p += strspn(p, " "); *p == '['; p += strspn(p, " ")) {
        if (d->rank == RANK) {
            d->found = false;
            return;
        }
        d->dims[d->rank++] = length_of(src, p + 1);
        p += strcspn(p, "]\n;");
        p += *p == ']';
    }
}

/* One declaration, from behind __shared__ to its ';': is it of name? */
static void read_declaration(const tc_source *src, const char *p,
                             const char *name, declared *d) {
    size_t len = strlen(name);
    uint64_t bytes = 0;
    tc_dtype type = TC_VOID, kind;
    bool is_unsigned = false;
    for (const char *end = p + strcspn(p, ";{="); p < end;) {
        size_t n = 0;
        while (is_word(p[n])) {
            n++;
        }
        if (n == len && strncmp(p, name, n) == 0) {
            *d = (declared){.found = true, .bytes = bytes, .type = type};
            if (is_unsigned && type >= TC_INT8 && type <= TC_INT64) {
                d->type = (tc_dtype)(type - TC_INT8 + TC_UINT8);
            }
            read_dims(src, p + n, d);
            return;
        }
        uint64_t width = type_bytes(p, n, &kind);
        bool more = n == 3 && bytes > 0; /* short int */
        if (width > 0 && !more) {
            bytes = width;
            type = kind;
            is_unsigned |= n == strlen("unsigned") && kind == TC_UINT32;
        }
        p += n > 0 ? n : 1;
    }
}

static declared declaration_of(const tc_source *src, const char *name) {
    declared d = {0};
    const char *p = src->text;
    while (!d.found && (p = strstr(p, "__shared__")) != NULL) {
        p += strlen("__shared__");
        read_declaration(src, p, name, &d);
    }
    return d;
}

tc_dtype tc_cuda_type(const tc_last_run *run, const char *name) {
    const tc_source *src =
        run->file != NULL && run->file->cuda != NULL ? run->file->source : NULL;
    return src != NULL ? declaration_of(src, name).type : TC_VOID;
}

/* --- elements --------------------------------------------------------------*/

/* The one length that is no number follows from the whole. */
static bool settle_dims(declared *d, uint64_t size) {
    uint64_t known = d->bytes;
    int open = -1;
    for (int i = 0; i < d->rank; i++) {
        if (d->dims[i] != 0) {
            known *= d->dims[i];
        } else if (open >= 0) {
            return false;
        } else {
            open = i;
        }
    }
    if (open > 0 && known > 0 && size % known == 0) {
        d->dims[open] = size / known;
    }
    return open <= 0 || d->dims[open] != 0;
}

static const char *element(tc_arena *a, const char *name, uint64_t offset,
                           uint64_t width) {
    if (width == 0 && offset == 0) {
        return name;
    }
    return width > 0 && offset % width == 0
               ? tc_format(a, "%s[%llu]", name,
                           (unsigned long long)(offset / width))
               : tc_format(a, "%s+%llu", name, (unsigned long long)offset);
}

const char *tc_cuda_element(tc_last_run *run, const char *name, uint64_t offset,
                            uint64_t size, uint32_t bytes) {
    tc_arena *a = run->arena;
    declared d = declaration_of(run->file->source, name);
    bool scalar = d.found ? d.rank == 0 : size == bytes;
    if (scalar) {
        return offset == 0
                   ? name
                   : tc_format(a, "%s+%llu", name, (unsigned long long)offset);
    }
    if (!d.found || d.bytes == 0 || !settle_dims(&d, size)) {
        return d.found && d.rank > 1
                   ? tc_format(a, "%s+%llu", name, (unsigned long long)offset)
                   : element(a, name, offset, bytes);
    }
    tc_buf b = TC_BUF_INIT;
    uint64_t at = offset / d.bytes, index[RANK];
    for (int i = d.rank - 1; i > 0; i--) {
        index[i] = at % d.dims[i];
        at /= d.dims[i];
    }
    index[0] = at;
    tc_buf_puts(&b, name);
    for (int i = 0; i < d.rank; i++) {
        tc_buf_printf(&b, "[%llu]", (unsigned long long)index[i]);
    }
    const char *text = tc_strdup(a, tc_buf_text(&b));
    tc_buf_free(&b);
    return text;
}
