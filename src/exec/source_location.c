/* source_location.c - the host's side of a program in its own text: which line a
 * call is of, and what it calls the memory that it allocates. */
#include "exec/exec.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- lines -----------------------------------------------------------------*/

static bool same_file(const char *a, const char *b) {
    char x[PATH_MAX], y[PATH_MAX];
    return strcmp(a, b) == 0 || (realpath(a, x) != NULL &&
                                 realpath(b, y) != NULL && strcmp(x, y) == 0);
}

/* Of a stranger's program, which may say that it calls from anywhere. */
enum { STRANGERS_CALLS = 64 };

/* Asks once a call: the answer takes another process. */
static tc_exec_call *look_up(tc_exec *e, uint64_t where) {
    for (int i = 0; i < e->ncalls; i++) {
        if (e->calls[i].where == where) {
            return &e->calls[i];
        }
    }
    tc_exec_call c = {.where = where};
    const char *file;
    int line;
    bool asks = where != 0 && (!e->sandbox || e->ncalls < STRANGERS_CALLS);
    if (asks &&
        tc_host_line(e->arena, e->cuda->toolchain, e->cuda->build.program,
                     where, e->sandbox, &file, &line)) {
        c.place.own = same_file(file, e->source);
        c.place.file = c.place.own ? e->source : file;
        c.place.line = line;
    }
    TC_PUSH(e->arena, e->calls, e->ncalls, e->calls_cap, c);
    return &e->calls[e->ncalls - 1];
}

tc_exec_location tc_exec_where(tc_exec *e, uint64_t where) {
    return look_up(e, where)->place;
}

/* --- names of memory -------------------------------------------------------*/

/* Past blanks, "(void **)" and the like, "reinterpret_cast<void **>(", "&". */
static const char *skip_casts(const char *p) {
    while (true) {
        p += strspn(p, " \t&*");
        if (strncmp(p, "reinterpret_cast<", 17) == 0) {
            p += strcspn(p, ">\n");
            p += *p == '>';
            p += *p == '(';
            continue;
        }
        if (*p != '(') {
            return p;
        }
        size_t n = strcspn(p, ")\n");
        if (p[n] != ')') {
            return p;
        }
        p += n + 1;
    }
}

/* The expression that a call's first argument is: d_x, in.data, buffers[i]. */
static size_t argument_length(const char *p) {
    size_t n = 0;
    int depth = 0;
    while (p[n] != '\0' && p[n] != '\n') {
        bool open = p[n] == '[', close = p[n] == ']';
        bool word = isalnum((unsigned char)p[n]) || p[n] == '_';
        bool member = p[n] == '.' || (p[n] == '-' && p[n + 1] == '>') ||
                      (p[n] == '>' && n > 0 && p[n - 1] == '-');
        if (!word && !member && !open && !close && depth == 0) {
            break;
        }
        depth += open - close;
        n++;
    }
    return depth == 0 ? n : 0;
}

const char *tc_exec_allocated(tc_arena *a, const char *text, size_t len,
                              int nth) {
    static const char *const names[] = {"cudaMallocManaged", "cudaMallocPitch",
                                        "cudaMallocAsync",   "cudaMallocHost",
                                        "cudaHostAlloc",     "cudaMalloc3D",
                                        "cudaMalloc"};
    const char *end = text + len;
    for (const char *p = text; p < end; p++) {
        if (strncmp(p, "cuda", 4) != 0) {
            continue;
        }
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t n = strlen(names[i]);
            const char *q = p + n;
            if (strncmp(p, names[i], n) != 0) {
                continue;
            }
            if (*q == '<') { /* cudaMalloc<float>(...) */
                q += strcspn(q, ">\n");
                q += *q == '>';
            }
            q += strspn(q, " \t");
            if (*q != '(' || nth-- > 0) {
                break;
            }
            q = skip_casts(q + 1);
            size_t m = argument_length(q);
            return m > 0 && m < 64 ? tc_strndup(a, q, m) : NULL;
        }
    }
    return NULL;
}

/* How many of the looked-up calls are in the same line and come before. */
static int before_it(const tc_exec *e, const tc_exec_call *c) {
    int n = 0;
    for (int i = 0; i < e->ncalls; i++) {
        n += e->calls[i].place.line == c->place.line &&
             e->calls[i].memory != NULL && e->calls[i].where < c->where;
    }
    return n;
}

/* The text that a call stands in: the program's own, or a file beside it (a
 * header, a grader's main). NULL: it cannot be read. */
static const tc_source *text_of(tc_exec *e, const tc_exec_call *c) {
    enum { MOST = 1 << 20 };
    if (c->place.own || c->place.line <= 0) {
        return c->place.own ? e->file->source : NULL;
    }
    struct stat is;
    int fd = open(c->place.file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &is) != 0 || !S_ISREG(is.st_mode) ||
        is.st_size > MOST) {
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    char *text = tc_alloc(e->arena, (size_t)is.st_size + 1);
    tc_source *src = TC_NEW(e->arena, tc_source);
    src->name = c->place.file;
    src->text = text;
    ssize_t n = read(fd, text, (size_t)is.st_size);
    src->len = n > 0 ? (size_t)n : 0;
    src->first_line = 1;
    text[src->len] = '\0';
    close(fd);
    return src;
}

static const char *name_call(tc_exec *e, const tc_exec_call *c) {
    const tc_source *src = text_of(e, c);
    int len;
    const char *text =
        src != NULL ? tc_describe_line(src, c->place.line, &len) : NULL;
    const char *name = NULL;
    if (text != NULL) {
        name = tc_exec_allocated(e->arena, text, (size_t)len, before_it(e, c));
    }
    for (int up = 1; text != NULL && name == NULL && up <= 2; up++) {
        int n; /* a call of several lines may be known by its last */
        const char *more = tc_describe_line(src, c->place.line - up, &n);
        name = more ? tc_exec_allocated(e->arena, more, (size_t)n, 0) : NULL;
    }
    if (name == NULL && c->place.own) {
        name = tc_format(e->arena, "the memory of line %d", c->place.line);
    } else if (name == NULL && c->place.line > 0) {
        const char *slash = strrchr(c->place.file, '/');
        name = tc_format(e->arena, "the memory of %s:%d",
                         slash ? slash + 1 : c->place.file, c->place.line);
    }
    return name != NULL ? name : "device memory";
}

const char *tc_exec_intern(tc_exec *e, const char *name) {
    for (int i = 0; i < e->nnames; i++) {
        if (strcmp(e->names[i], name) == 0) {
            return e->names[i];
        }
    }
    const char *copy = tc_strdup(e->arena, name);
    TC_PUSH(e->arena, e->names, e->nnames, e->names_cap, copy);
    return copy;
}

const char *tc_exec_memory_name(tc_exec *e, const tc_device_memory *m) {
    if (m->name != NULL && m->name[0] != '\0') {
        return tc_exec_intern(e, m->name);
    }
    tc_exec_call *c = look_up(e, m->where);
    if (c->memory == NULL) {
        c->memory = name_call(e, c);
    }
    return c->memory;
}
