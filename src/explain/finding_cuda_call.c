/* finding_cuda_call.c - which call of CUDA C++ an instruction is of, as the
 * learner wrote it.
 *
 * The header that the instruction was inlined from says whose call it was; the
 * table, which of the names on the learner's line is one of theirs; the text
 * around that name is the call. */
#include "explain/finding_cuda.h"

#include <ctype.h>
#include <string.h>

typedef struct cuda_call_row {
    const char *name;
    tc_cuda_family family;
    tc_cuda_operation operation;
} cuda_call_row;

static const cuda_call_row rows[] = {
#define TC_CUDA_API(name, family, operation)                                   \
    {name, TC_CUDA_FAMILY_##family, TC_CUDA_OPERATION_##operation},
#include "explain/cuda_api.def"
#undef TC_CUDA_API
};
enum { NROWS = sizeof rows / sizeof *rows };

/* --- whose it is -----------------------------------------------------------*/

typedef struct cuda_header {
    const char *part; /* of the header's path */
    tc_cuda_family family;
} cuda_header;

static const cuda_header headers[] = {
    {"/cuda_pipeline", TC_CUDA_FAMILY_PRIMITIVE},
    {"/cuda_awbarrier", TC_CUDA_FAMILY_MBARRIER},
    {"/cooperative_groups", TC_CUDA_FAMILY_GROUPS},
    {"/cuda/__ptx/", TC_CUDA_FAMILY_PTX},
    {"/cuda/pipeline", TC_CUDA_FAMILY_LIBCUXX},
    {"/cuda/__memcpy_async/", TC_CUDA_FAMILY_LIBCUXX},
    {"/cuda/__barrier/", TC_CUDA_FAMILY_LIBCUXX},
    {"/cuda/std/", TC_CUDA_FAMILY_LIBCUXX},
    {"/cuda/barrier", TC_CUDA_FAMILY_BULK},
};

/* The header's function that the learner's line calls: the last place of the
 * chain before the learner's. */
static tc_cuda_family home_of(const tc_loaded *f, const tc_ptx_op *op) {
    const tc_ptx_module *m = f->module;
    uint32_t own = f->places[op - m->code], at = op->loc, last = 0;
    for (int i = 0; at != own && at != 0 && i < 256; i++) {
        last = at;
        at = m->locs[at].parent;
    }
    if (last == 0 || at == 0 || m->locs[last].file >= m->nfiles) {
        return TC_CUDA_FAMILY_LANGUAGE;
    }
    const char *path = f->cu_files[m->locs[last].file].path;
    for (size_t i = 0; path && i < sizeof headers / sizeof *headers; i++) {
        if (strstr(path, headers[i].part) != NULL) {
            return headers[i].family;
        }
    }
    return TC_CUDA_FAMILY_LANGUAGE;
}

/* An instruction can be of a call that does this. */
static bool can_be(tc_cuda_operation operation, uint16_t opcode) {
    switch (opcode) {
    case TC_PTX_CP_ASYNC_COMMIT_GROUP:
        return operation == TC_CUDA_OPERATION_COMMIT ||
               operation == TC_CUDA_OPERATION_COPY;
    case TC_PTX_CP_ASYNC_WAIT_GROUP:
    case TC_PTX_CP_ASYNC_WAIT_ALL:
    case TC_PTX_CP_ASYNC_BULK_WAIT_GROUP:
        return operation == TC_CUDA_OPERATION_WAIT;
    case TC_PTX_MBARRIER_INIT:
        return operation == TC_CUDA_OPERATION_INIT;
    case TC_PTX_MBARRIER_INVAL:
        return operation == TC_CUDA_OPERATION_INVAL;
    case TC_PTX_MBARRIER_TEST_WAIT:
    case TC_PTX_MBARRIER_TRY_WAIT:
        return operation == TC_CUDA_OPERATION_PHASE ||
               operation == TC_CUDA_OPERATION_BOTH ||
               operation == TC_CUDA_OPERATION_WAIT ||
               operation == TC_CUDA_OPERATION_EMPTY;
    case TC_PTX_MBARRIER_ARRIVE:
    case TC_PTX_MBARRIER_ARRIVE_DROP:
        return operation == TC_CUDA_OPERATION_ARRIVE ||
               operation == TC_CUDA_OPERATION_BOTH ||
               operation == TC_CUDA_OPERATION_COMMIT ||
               operation == TC_CUDA_OPERATION_RELEASE ||
               operation == TC_CUDA_OPERATION_INVAL;
    case TC_PTX_BAR_SYNC:
    case TC_PTX_BAR_WARP_SYNC:
        return operation == TC_CUDA_OPERATION_SYNC ||
               operation == TC_CUDA_OPERATION_WAIT;
    default:
        return true;
    }
}

/* In the learner's own code only these are a call's; the rest is C++. */
static bool is_language(uint16_t opcode) {
    return opcode == TC_PTX_BAR_SYNC || opcode == TC_PTX_BAR_RED ||
           opcode == TC_PTX_BAR_WARP_SYNC || opcode == TC_PTX_TRAP ||
           opcode == TC_PTX_CALL || opcode == TC_PTX_SHFL_SYNC ||
           opcode == TC_PTX_VOTE_SYNC || opcode == TC_PTX_MATCH_ANY_SYNC ||
           opcode == TC_PTX_REDUX_SYNC;
}

/* --- the text --------------------------------------------------------------*/

static bool is_word(int c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Where p's comment or string ends; p if it is neither. */
static const char *skip_aside(const char *p) {
    if (p[0] == '/' && p[1] == '/') {
        return p + strcspn(p, "\n");
    }
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end != NULL ? end + 2 : p + strlen(p);
    }
    if (*p == '"' || *p == '\'') {
        const char *q = p + 1;
        while (*q != '\0' && *q != *p && *q != '\n') {
            q += q[0] == '\\' && q[1] != '\0' ? 2 : 1;
        }
        return *q == *p ? q + 1 : q;
    }
    return p;
}

/* Behind the bracket that closes the one at p; NULL if none does. */
static const char *behind_brackets(const char *p) {
    const char *const begin = p;
    int depth = 0;
    while (*p != '\0' && p - begin < 4096) {
        const char *aside = skip_aside(p);
        if (aside != p) {
            p = aside;
            continue;
        }
        depth += strchr("([{", *p) != NULL;
        depth -= strchr(")]}", *p) != NULL;
        p++;
        if (depth == 0) {
            return p;
        }
    }
    return NULL;
}

/* From a name's end to the '(' of its call, past <1>; NULL: not called. */
static const char *call_of_name(const char *p) {
    p += strspn(p, " \t\n");
    if (*p == '<' && p[1] != '<') {
        int depth = 0;
        do {
            depth += *p == '<';
            depth -= *p == '>';
            p++;
        } while (depth > 0 && *p != '\0' && strchr(";{}", *p) == NULL);
        p += strspn(p, " \t\n");
    }
    return *p == '(' ? p : NULL;
}

static const char *before_blanks(const char *from, const char *p) {
    while (p > from && isspace((unsigned char)p[-1])) {
        p--;
    }
    return p;
}

/* The begin of a name, or of name[i] or name(), that ends at p. */
static const char *begin_of_operand(const char *from, const char *p) {
    while (p > from && (p[-1] == ']' || p[-1] == ')')) {
        int depth = 0;
        do {
            p--;
            depth += strchr(")]", *p) != NULL;
            depth -= strchr("([", *p) != NULL;
        } while (depth > 0 && p > from);
    }
    while (p > from && is_word(p[-1])) {
        p--;
    }
    return p;
}

/* The begin of a call whose last name begins at p: past a::b. and a->. */
static const char *begin_of_call(const char *from, const char *p) {
    for (;;) {
        const char *q = before_blanks(from, p);
        bool scope = q - from >= 2 && q[-1] == ':' && q[-2] == ':';
        bool arrow = q - from >= 2 && q[-1] == '>' && q[-2] == '-';
        if (!scope && !arrow && !(q > from && q[-1] == '.')) {
            return p;
        }
        q = before_blanks(from, q - (scope || arrow ? 2 : 1));
        const char *begin = begin_of_operand(from, q);
        if (begin == q && !scope) {
            return p;
        }
        p = begin;
    }
}

/* [p, end) with blanks and comments made one blank. */
static const char *squeezed(tc_arena *a, const char *p, const char *end) {
    tc_buf b = TC_BUF_INIT;
    while (p < end) {
        const char *aside = skip_aside(p);
        if (isspace((unsigned char)*p) || (aside != p && *p == '/')) {
            p = aside != p ? aside : p + 1;
            bool apart = b.len > 0 && !strchr(" (.:", b.data[b.len - 1]) &&
                         !strchr(".):,", *p) && strncmp(p, "->", 2) != 0;
            if (apart && p < end && !isspace((unsigned char)*p)) {
                tc_buf_putc(&b, ' ');
            }
        } else if (aside != p) {
            tc_buf_write(&b, p, (size_t)((aside < end ? aside : end) - p));
            p = aside;
        } else {
            tc_buf_putc(&b, *p++);
        }
    }
    const char *text = tc_strndup(a, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
    return text;
}

/* The arguments between the brackets at open. */
static void read_arguments(tc_arena *a, const char *open, const char *end,
                           tc_cuda_call *c) {
    const char *from = open + 1, *p = from;
    while (p < end && c->nargs < TC_CUDA_ARGS) {
        const char *aside = skip_aside(p), *nested = NULL;
        if (*p == ',' || p == end - 1) {
            from += strspn(from, " \t\n");
            if (from < p || *p == ',') {
                c->args[c->nargs++] = squeezed(a, from, before_blanks(from, p));
            }
            from = p + 1;
        } else if (aside != p) {
            p = aside;
            continue;
        } else if (strchr("([{", *p) != NULL) {
            nested = behind_brackets(p);
        }
        p = nested != NULL ? nested : p + 1;
    }
}

static void take_call(tc_arena *a, const char *from, const char *name,
                      size_t len, const char *open, tc_cuda_call *c) {
    const char *end = behind_brackets(open);
    const char *begin = begin_of_call(from, name);
    if (end == NULL) {
        return;
    }
    c->text = squeezed(a, begin, end);
    c->name = tc_strndup(a, name, len);
    c->scope = squeezed(a, begin, name);
    const char *dot = before_blanks(begin, name);
    if (dot > begin && dot[-1] == '.') {
        c->object = squeezed(a, begin, dot - 1);
    } else if (dot - begin >= 2 && dot[-1] == '>') {
        c->object = squeezed(a, begin, dot - 2);
    }
    read_arguments(a, open, end, c);
}

static const cuda_call_row *row_of(const char *name, size_t len,
                                   tc_cuda_family family, uint16_t opcode) {
    for (int i = 0; i < NROWS; i++) {
        bool same = strlen(rows[i].name) == len &&
                    strncmp(rows[i].name, name, len) == 0;
        bool kin = rows[i].family == family ||
                   /* arrive of a barrier goes through cuda::ptx, and so on */
                   (family != TC_CUDA_FAMILY_LANGUAGE &&
                    family != TC_CUDA_FAMILY_GROUPS &&
                    rows[i].family != TC_CUDA_FAMILY_GROUPS &&
                    rows[i].family != TC_CUDA_FAMILY_LANGUAGE);
        if (same && kin && can_be(rows[i].operation, opcode)) {
            return &rows[i];
        }
    }
    return NULL;
}

enum { STATEMENT = 2048 };

/* The first call of the statement from p on that the instruction can be of. */
static bool find_call(tc_arena *a, const char *line, const char *p,
                      uint16_t opcode, tc_cuda_call *c) {
    const char *const from = p;
    for (int depth = 0; *p != '\0' && p - from < STATEMENT;) {
        const char *aside = skip_aside(p);
        if (aside != p) {
            p = aside;
        } else if (is_word(*p)) {
            size_t len = 0;
            while (is_word(p[len])) {
                len++;
            }
            const char *open = call_of_name(p + len);
            const cuda_call_row *r =
                open ? row_of(p, len, c->family, opcode) : NULL;
            if (r != NULL) {
                c->family = r->family;
                c->operation = r->operation;
                take_call(a, line, p, len, open, c);
                return c->text != NULL;
            }
            p += len;
        } else if ((*p == ';' || *p == '{') && depth <= 0) {
            return false;
        } else {
            depth += *p == '(' || *p == '[';
            depth -= *p == ')' || *p == ']';
            p++;
        }
    }
    return false;
}

/* Assembly that the learner wrote, which has PTX's own words. */
static bool is_assembly(const char *p, const char *line) {
    size_t n = strcspn(p, ";\n");
    for (const char *at = line; (at = strstr(at, "asm")) != NULL; at++) {
        if (at >= p + n) {
            return false;
        }
        if ((at == line || !is_word(at[-1]) || at[-1] == '_') &&
            !isalnum((unsigned char)at[3])) {
            return true;
        }
    }
    return false;
}

bool tc_cuda_call_of(const tc_loaded *f, const tc_ptx_op *op, tc_arena *a,
                     tc_cuda_call *c) {
    *c = (tc_cuda_call){.family = TC_CUDA_FAMILY_LANGUAGE};
    const tc_ptx_loc *l = tc_cuda_location(f, op);
    int len = 0;
    const char *line = l != NULL ? tc_cuda_line(f, l, &len) : NULL;
    c->family = home_of(f, op);
    if (line == NULL) {
        return false;
    }
    const char *p = l->col > 0 && (int)l->col <= len ? line + l->col - 1 : line;
    if (c->family == TC_CUDA_FAMILY_LANGUAGE && !is_language(op->opcode)) {
        c->family = is_assembly(p, line) ? TC_CUDA_FAMILY_ASSEMBLY
                                         : TC_CUDA_FAMILY_LANGUAGE;
        return false;
    }
    return find_call(a, line, p, op->opcode, c) ||
           find_call(a, line, line, op->opcode, c);
}
