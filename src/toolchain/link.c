/* link.c - a program linked with our runtime. */
#include "toolchain/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of CUDA's, which our runtime would have to have. */
static bool is_cuda(const char *name, size_t len) {
    static const char *const begins[] = {"cuda",  "__cuda",   "cublas",
                                         "cufft", "curand",   "cusparse",
                                         "nvml",  "cusolver", "nvrtc"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        size_t n = strlen(begins[i]);
        if (len > n && strncmp(name, begins[i], n) == 0) {
            return true;
        }
    }
    return len > 2 && strncmp(name, "cu", 2) == 0 && name[2] >= 'A' &&
           name[2] <= 'Z';
}

static bool already(const tc_buf *said, const char *line) {
    return said->len > 0 && strstr(said->data, line) != NULL;
}

/* "FILE:LINE: " of a line of the linker's that goes on at `at`, where that is
 * the student's; "" for places in headers and in nvcc's own files. The file is
 * said as the student gave it. */
static const char *place_of(tc_job *j, const char *text, const char *at) {
    const char *colon = at;
    while (colon > text && colon[-1] != ':') {
        colon--;
    }
    int line = colon > text ? atoi(colon) : 0; /* 0: (.text+0x1f) */
    const char *file = strstr(text, "ld: ");
    file = file != NULL && file < at ? file + 4 : text;
    const char *in = strstr(file, ": in function ");
    const char *then = in != NULL ? strstr(in + 2, ": ") : NULL;
    file = then != NULL && then < at ? then + 2 : file;
    if (line <= 0 || file >= colon) {
        return "";
    }
    const char *path = tc_strndup(j->a, file, (size_t)(colon - 1 - file));
    const char *real = tc_real_path(j->a, path);
    for (int i = 0; i < j->n && real != NULL; i++) {
        const char *own = tc_real_path(j->a, j->units[i].path);
        if (own != NULL && strcmp(own, real) == 0) {
            return tc_format(j->a, "%s:%d: ", j->units[i].path, line);
        }
    }
    if (strncmp(path, j->work, strlen(j->work)) == 0 ||
        tc_toolchain_header(j->t, path)) {
        return "";
    }
    return tc_format(j->a, "%s:%d: ", path, line);
}

static bool in_name(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* Where the student first writes the name: a call that a header's template
 * makes has no place of its own. */
static const char *place_in_text(tc_job *j, const char *name, size_t n) {
    for (int i = 0; i < j->n; i++) {
        const char *text = j->units[i].text;
        int line = 1;
        for (const char *p = text; *p != '\0'; p++) {
            line += *p == '\n';
            if (strncmp(p, name, n) == 0 && !in_name(p[n]) &&
                (p == text || !in_name(p[-1]))) {
                return tc_format(j->a, "%s:%d: ", j->units[i].path, line);
            }
        }
    }
    return "";
}

/* "prog.cu:13: undefined reference to `cudaFoo'", perhaps after the linker's
 * name and a function's: one line of ours for each place.
 * False: the line is something else. */
static bool missing(tc_job *j, const char *line, size_t len, tc_buf *out) {
    const char *mark = ": undefined reference to `";
    const char *text = tc_strndup(j->a, line, len);
    const char *at = strstr(text, mark);
    const char *name = at != NULL ? at + strlen(mark) : NULL;
    size_t n = name != NULL ? strcspn(name, "'(@") : 0;
    if (name == NULL || !is_cuda(name, n)) {
        return false;
    }
    const char *place = place_of(j, text, at);
    place = *place == '\0' ? place_in_text(j, name, n) : place;
    const char *ours =
        tc_format(j->a, "%serror: %.*s is not built yet in this runtime\n",
                  place, (int)n, name);
    if (!already(out, ours)) {
        tc_buf_puts(out, ours);
    }
    return true;
}

static bool is_noise(const char *line, size_t len) {
    const char *says = "collect2: error: ld returned";
    const char *in = ": in function `";
    return (len >= strlen(says) && strncmp(line, says, strlen(says)) == 0) ||
           (len > strlen(in) && line[len - 1] == ':' &&
            memmem(line, len, in, strlen(in)) != NULL);
}

/* The linker's messages, with CUDA's functions told apart. Lines that lead to
 * those alone, and the driver's last one, say nothing more. */
static void reword(tc_job *j, const char *message) {
    tc_buf rest = TC_BUF_INIT, ours = TC_BUF_INIT, last = TC_BUF_INIT;
    while (*message != '\0') {
        size_t n = strcspn(message, "\n");
        if (missing(j, message, n, &ours)) {
            tc_buf_clear(&last);
        } else if (is_noise(message, n)) {
            tc_buf_clear(&last);
            tc_buf_write(&last, message, message[0] == 'c' ? 0 : n);
        } else {
            if (last.len > 0) {
                tc_buf_printf(&rest, "%s\n", last.data);
            }
            tc_buf_printf(&rest, "%.*s\n", (int)n, message);
            tc_buf_clear(&last);
        }
        message += n + (message[n] == '\n');
    }
    tc_buf_puts(&j->said, tc_buf_text(&ours));
    tc_buf_puts(&j->said, tc_buf_text(&rest));
    tc_buf_free(&rest);
    tc_buf_free(&ours);
    tc_buf_free(&last);
}

static void words(tc_job *j, tc_words *w, const char *const *list) {
    for (; *list != NULL; list++) {
        TC_PUSH(j->a, w->w, w->n, w->cap, *list);
    }
}

static void line_words(tc_job *j, const tc_words *from, tc_words *w) {
    for (int i = 0; i < from->n; i++) {
        TC_PUSH(j->a, w->w, w->n, w->cap, from->w[i]);
    }
}

tc_build_status tc_build_link(tc_job *j, const char **program) {
    const char *stub = tc_format(j->a, "%s/libtcstub.a", j->work);
    *program = tc_format(j->a, "%s/program", j->work);
    if (!tc_write_file(stub, tc_stub_archive,
                       (size_t)(tc_stub_archive_end - tc_stub_archive), 0644)) {
        return tc_build_machine(j, "%s: %s", stub, strerror(errno));
    }
    tc_words w = {0};
    words(j, &w, (const char *const[]){j->host, "-pie", "-o", *program, NULL});
    for (int i = 0; i < j->n; i++) {
        words(j, &w, (const char *const[]){j->units[i].object, NULL});
    }
    tc_build_device_link(j, &w);
    if (j->line != NULL) {
        line_words(j, &j->line->host, &w);
        line_words(j, &j->line->link, &w);
    }
    words(j, &w, (const char *const[]){stub, "-lpthread", "-ldl", NULL});
    TC_PUSH(j->a, w.w, w.n, w.cap, NULL);
    tc_buf message = TC_BUF_INIT;
    int status = tc_build_run(j, w.w, true, &message);
    reword(j, tc_buf_text(&message));
    tc_buf_free(&message);
    return status == 0 ? TC_BUILD_OK : tc_build_ended(j, "the linker", status);
}
