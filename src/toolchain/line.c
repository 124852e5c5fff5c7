/* line.c - the source line of an address in a program. */
#include "toolchain/internal.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* addr2line -i writes FILE:LINE for the innermost of the functions that are
 * inlined there, then for those around it; " (discriminator 3)" may follow, and
 * "??:0" or "FILE:?" is what it does not know.
 *
 * Nobody has written X.cudafe1.stub.c. Nor X.cudafe1.cpp: that is how binutils
 * (2.40) call file 1 of DWARF 5's table, which a sequence of lines begins with
 * (6.2.2), where they take it for file 0. It is X.cu, mostly. */
static bool frame(tc_arena *a, const tc_toolchain *t, const char *program,
                  const char *line, const char **file, int *number) {
    const char *colon = strrchr(line, ':');
    int n = colon != NULL ? atoi(colon + 1) : 0;
    if (n <= 0 || strncmp(line, "??", 2) == 0) {
        return false;
    }
    const char *path = tc_strndup(a, line, (size_t)(colon - line));
    if (ends_with(path, ".cudafe1.cpp")) {
        path = tc_first_file(a, program, tc_base_of(path));
    }
    if (path == NULL || ends_with(path, ".cudafe1.cpp") ||
        ends_with(path, ".cudafe1.stub.c") || tc_toolchain_header(t, path)) {
        return false;
    }
    *file = path;
    *number = n;
    return true;
}

/* Sees the program, and what systems have. */
static const tc_sandbox *contained(const tc_sandbox *given, const char *program,
                                   tc_sandbox *box) {
    if (given == NULL) {
        return NULL;
    }
    *box = *given;
    memset(box->reads, 0, sizeof box->reads);
    box->reads[0] = program;
    return box;
}

bool tc_host_line(tc_arena *a, const tc_toolchain *t, const char *program,
                  uint64_t where, const tc_sandbox *sandbox, const char **file,
                  int *line) {
    static const tc_limits limits = {
        .cpu_s = 5, .memory = UINT64_C(1) << 30, .disk = UINT64_C(1) << 20};
    if (t->addr2line == NULL || where == 0) {
        return false;
    }
    char *at = tc_format(a, "0x%llx", (unsigned long long)(where - 1));
    const char *argv[] = {t->addr2line, "-i", "-e", program, at, NULL};
    tc_buf out = TC_BUF_INIT;
    tc_sandbox box;
    tc_tool_process p = {.argv = argv,
                         .out = &out,
                         .timeout_ms = 10000,
                         .limits = sandbox ? &limits : NULL,
                         .sandbox = contained(sandbox, program, &box)};
    bool found = false;
    if (tc_tool_run(&p) == 0) {
        const char *q = tc_buf_text(&out);
        while (!found && *q != '\0') {
            size_t n = strcspn(q, "\n");
            found = frame(a, t, program, tc_strndup(a, q, n), file, line);
            q += n + (q[n] == '\n');
        }
    }
    tc_buf_free(&out);
    return found;
}
