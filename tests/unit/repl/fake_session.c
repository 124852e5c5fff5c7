/* A session that says what it was asked, for tests of the REPL alone: link it
 * with src/repl/ and src/base/ instead of the library. Never in the product. */
#include "base/arena.h"
#include "base/buf.h"
#include "grade/grade.h"
#include "grade/kit.h"
#include "tilecopy.h"
#include "view/view.h"
#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tc_session {
    tc_options options;
    tc_diag_fn diag;
    tc_output_fn output;
    void *user;
    bool finished, findings, timeline, fetched;
    char program[64];
    atomic_int stop;
};

tc_options tc_options_default(void) {
    return (tc_options){0};
}

tc_session *tc_session_new(const tc_options *o, tc_diag_fn diag,
                           tc_output_fn output, void *user) {
    tc_session *s = tc_xcalloc(1, sizeof *s);
    *s = (tc_session){
        .options = *o, .diag = diag, .output = output, .user = user};
    return s;
}

void tc_session_free(tc_session *s) {
    free(s);
}

static void say(tc_session *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void say(tc_session *s, const char *fmt, ...) {
    tc_buf b = TC_BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    tc_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    s->output(s->user, b.data, b.len);
    tc_buf_free(&b);
}

static tc_status fail(tc_session *s, const char *line) {
    tc_diag d = {.severity = TC_ERROR,
                 .file = "<input>",
                 .line = 1,
                 .col = 1,
                 .end_col = 5,
                 .source_line = line,
                 .message = "it fails",
                 .hint = "as it should"};
    s->diag(s->user, &d);
    return TC_REJECTED;
}

static tc_status spin(tc_session *s) {
    while (s->stop == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    say(s, "stopped %d\n", s->stop);
    return s->stop == 2 ? TC_TIMEOUT : TC_FAILED;
}

tc_status tc_session_load(tc_session *s, const char *path) {
    snprintf(s->program, sizeof s->program, "fake_function");
    return strstr(path, "bad") ? fail(s, path) : TC_OK;
}

/* There is no compiler until one is fetched, into the folder FAKE_HOME. */
bool tc_session_compiler(tc_session *s, const char **why, const char **hint) {
    *why = "there is no compiler";
    *hint = "fetch one";
    return s->fetched;
}

tc_status tc_session_fetch_compiler(tc_session *s) {
    say(s, "(fetched)\n");
    s->fetched = true;
    return TC_OK;
}

const char *tc_session_compiler_home(tc_session *s) {
    (void)s;
    return getenv("FAKE_HOME");
}

int tc_session_exec(tc_session *s, const tc_exec_options *o) {
    if (!s->fetched) {
        say(s, "there is no compiler\n");
        return TC_FAILED;
    }
    say(s, "(executed with %s)\n", o->args[0] ? o->args[0] : "nothing");
    return 7;
}

tc_status tc_grade(const tc_grade_options *o, tc_diag_fn diag,
                   tc_output_fn output, void *user) {
    (void)diag;
    output(user, o->exercise, strlen(o->exercise));
    return TC_OK;
}

void tc_grade_unfinished(const tc_grade_options *o, tc_output_fn output,
                         void *user) {
    (void)o, (void)output, (void)user;
}

tc_status tc_grade_class(const tc_class_options *o, tc_diag_fn diag,
                         tc_output_fn output, void *user) {
    (void)o, (void)diag, (void)output, (void)user;
    return TC_OK;
}

tc_status tc_exercise_new(const char *name, tc_diag_fn diag,
                          tc_output_fn output, void *user) {
    (void)name, (void)diag, (void)output, (void)user;
    return TC_OK;
}

bool tc_kit_is(const char *word) {
    (void)word;
    return false;
}

tc_status tc_kit_make(const char *word, const char *name, tc_diag_fn diag,
                      tc_output_fn output, void *user) {
    (void)word, (void)name, (void)diag, (void)output, (void)user;
    return TC_OK;
}

tc_status tc_exercise_check(const char *name, const tc_options *session,
                            tc_session *outer, tc_diag_fn diag,
                            tc_output_fn output, void *user) {
    (void)name, (void)session, (void)outer, (void)diag, (void)output;
    (void)user;
    return TC_OK;
}

tc_status tc_grade_command(tc_session *s, const char *exercise,
                           const char *path, const tc_options *options,
                           tc_diag_fn diag, tc_output_fn output, void *user) {
    (void)s, (void)path, (void)options, (void)diag;
    output(user, exercise, strlen(exercise));
    return TC_OK;
}

void tc_session_grades(tc_session *s, tc_grade_fn fn) {
    (void)s, (void)fn;
}

tc_status tc_session_eval(tc_session *s, const char *text) {
    int a, b;
    s->stop = 0;
    s->timeline = false;
    if (strcmp(text, "quit") == 0) {
        s->finished = true;
    } else if (strncmp(text, "fail", 4) == 0) {
        return fail(s, text);
    } else if (strcmp(text, "spin") == 0 || strcmp(text, "run") == 0) {
        return spin(s);
    } else if (strcmp(text, "hang") == 0) {
        while (true) {
        }
    } else if (strcmp(text, "found") == 0) {
        s->findings = true;
    } else if (strcmp(text, "timeline") == 0) {
        s->timeline = s->options.terminal;
    } else if (sscanf(text, "%d*%d", &a, &b) == 2) {
        say(s, "%d\n", a * b);
    } else if (strcmp(text, "kept*3") == 0) {
        say(s, "42\n");
    } else {
        say(s, "[%s] width %d\n", text, s->options.width);
    }
    return TC_OK;
}

bool tc_session_wants_more(const tc_session *s, const char *text) {
    (void)s;
    int depth = 0;
    for (const char *p = text; *p != '\0'; p++) {
        depth += *p == '(' || *p == '[';
        depth -= *p == ')' || *p == ']';
    }
    bool block = text[0] == '@' || strncmp(text, "def ", 4) == 0;
    return depth > 0 || (block && strstr(text, "\n\n") == NULL);
}

bool tc_session_finished(const tc_session *s) {
    return s->finished;
}

bool tc_session_had_findings(const tc_session *s) {
    return s->findings;
}

const char *tc_session_program(const tc_session *s) {
    return s->program[0] ? s->program : NULL;
}

void tc_session_set_width(tc_session *s, int width) {
    s->options.width = width;
}

void tc_session_set_height(tc_session *s, int height) {
    s->options.height = height;
}

tc_client_request tc_session_request(const tc_session *s) {
    (void)s;
    return (tc_client_request){.kind = TC_CLIENT_NONE};
}

char **tc_session_complete(tc_session *s, const char *line, size_t start,
                           bool *files) {
    static const char *const keywords[] = {
        "partition", "why",          "quit", "ldgsts",
        "tile_size", "tmem<->local", "tma"};
    (void)s;
    *files = strncmp(line, "load ", 5) == 0;
    if (*files) {
        return NULL;
    }
    char **found = tc_xcalloc(9, sizeof *found);
    int n = 0;
    for (int i = 0; i < 7; i++) {
        if (strncmp(keywords[i], line + start, strlen(line + start)) == 0) {
            found[n++] = tc_xstrdup(keywords[i]);
        }
    }
    return found;
}

void tc_session_interrupt(tc_session *s, bool timeout) {
    s->stop = timeout ? 2 : 1;
}

bool tc_session_wants_timeline(tc_session *s) {
    return s->timeline;
}

int tc_view_timeline(tc_session *s, bool color) {
    (void)color;
    say(s, "(the view)\n");
    return 0;
}

/* Of nvcc's words, those that the tests have. */
int tc_nvcc_word(const char *word) {
    return strcmp(word, "-I") == 0 ? 2 : strncmp(word, "-O", 2) == 0 ? 1 : 0;
}

bool tc_nvcc_source(const char *word) {
    size_t n = strlen(word);
    return n > 3 && (strcmp(word + n - 3, ".cu") == 0 ||
                     strcmp(word + n - 2, ".o") == 0);
}
