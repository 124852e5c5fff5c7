/* ask.c - what a task asks: a command's JSON answer, of the learner's own
 * session or of one apart. */
#include "commands/course.h"

#include "course/library.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void take(void *user, const char *text, size_t len) {
    tc_buf_write(user, text, len);
}

/* The last line of output: before it, a program's own may stand. */
static json_t *last_object(tc_buf *b) {
    while (b->len > 0 && b->data[b->len - 1] == '\n') {
        b->data[--b->len] = '\0';
    }
    const char *line = b->data != NULL ? strrchr(b->data, '\n') : NULL;
    json_t *j = json_loads(line != NULL ? line + 1 : tc_buf_text(b), 0, NULL);
    return json_is_object(j) ? j
                             : (json_decref(j), json_pack("{s:b}", "ok", 0));
}

/* What an evaluation within another one would take from it. */
typedef struct outer {
    tc_output_fn output;
    void *user;
    bool json, had_findings, wants_timeline;
    json_t *first_error, *notes;
    int errors;
} outer;

static outer enter(tc_session *s, tc_buf *reply) {
    outer o = {s->output,       s->user,           s->options.json,
               s->had_findings, s->wants_timeline, s->first_error,
               s->notes,        s->diags.errors};
    s->first_error = s->notes = NULL;
    s->output = take;
    s->user = reply;
    s->options.json = true;
    s->asking = true;
    return o;
}

static void leave(tc_session *s, const outer *o) {
    json_decref(s->first_error);
    json_decref(s->notes);
    s->output = o->output;
    s->user = o->user;
    s->options.json = o->json;
    s->had_findings = o->had_findings;
    s->wants_timeline = o->wants_timeline;
    s->first_error = o->first_error;
    s->notes = o->notes;
    s->diags.errors = o->errors;
    s->asking = false;
}

json_t *tc_course_ask(tc_session *s, const char *command) {
    tc_buf reply = TC_BUF_INIT;
    outer o = enter(s, &reply);
    tc_session_eval(s, command);
    leave(s, &o);
    json_t *answer = last_object(&reply);
    tc_buf_free(&reply);
    return answer;
}

/* --- apart -----------------------------------------------------------------*/

/* A text of TVMScript is typed; others are files. */
static tc_status load_program(tc_session *inner, tc_arena *a,
                              const tc_lesson *l, const tc_task *t,
                              const char *program) {
    const tc_lesson_file *f = tc_lesson_file_of(l, t->load);
    if (f == NULL) {
        const char *path = tc_library_program(a, t->load);
        return tc_session_load(inner, path != NULL ? path : t->load);
    }
    program = program != NULL ? program : f->text;
    if (tc_ends_with(t->load, ".py")) {
        return tc_session_eval(inner, program);
    }
    const char *path = tc_course_given(a, l, t->load);
    if (path == NULL) {
        return TC_FAILED;
    }
    if (program != f->text) { /* two checks at once do not meet */
        tc_buf text = TC_BUF_INIT;
        tc_buf_puts(&text, program);
        path = tc_course_given(
            a, l,
            tc_format(a, "%016llx/%s",
                      (unsigned long long)tc_fnv1a64((const uint8_t *)program,
                                                     strlen(program)),
                      t->load));
        bool ok = tc_write_text(inner, path, TC_NOWHERE, &text);
        tc_buf_free(&text);
        return ok ? tc_session_load(inner, path) : TC_FAILED;
    }
    return tc_session_load(inner, path);
}

static void deaf(void *user, const tc_diag *d) {
    (void)user;
    (void)d;
}

json_t *tc_course_ask_apart(tc_session *s, const tc_lesson *l, const tc_task *t,
                            const char *program, const char *typed) {
    const char *ask = tc_task_value(t, "ask");
    tc_buf reply = TC_BUF_INIT;
    tc_options o = s->options;
    o.json = true;
    o.terminal = o.view = false;
    o.arch = l->arch != NULL ? l->arch : o.arch;
    if (ask == NULL && typed == NULL) {
        return json_object();
    }
    tc_arena *a = tc_arena_new();
    tc_session *inner = tc_session_new(&o, deaf, take, &reply);
    json_t *answer = NULL;
    if (inner != NULL) {
        tc_session_nest(s, inner);
        inner->as_pages = true;
        tc_status status =
            t->load ? load_program(inner, a, l, t, program) : TC_OK;
        int at = 0;
        const tc_task_line *before;
        while (status == TC_OK &&
               (before = tc_task_next(t, "do", &at)) != NULL) {
            status = tc_session_eval(inner, before->value);
        }
        if (status == TC_OK && typed != NULL) {
            tc_buf_clear(&reply);
            tc_session_eval(inner, typed);
        }
        if (status == TC_OK && ask != NULL) {
            tc_buf_clear(&reply);
            tc_session_eval(inner, ask);
        }
        answer = last_object(&reply);
        tc_session_nest(s, NULL);
        tc_session_free(inner);
    }
    tc_buf_free(&reply);
    tc_arena_free(a);
    return answer;
}

/* --- what was typed --------------------------------------------------------*/

char *tc_course_meant(tc_session *s, tc_arena *a, const char *line) {
    (void)s;
    bool exact, several;
    size_t word = 0;
    line += strspn(line, " \t");
    while (isalnum((unsigned char)line[word]) || line[word] == '_') {
        word++;
    }
    const tc_command *c = tc_command_find(line, word, &exact, &several);
    tc_buf b = TC_BUF_INIT;
    if (c != NULL && word > 0) {
        tc_buf_puts(&b, c->name);
        line += word;
    }
    while (*line != '\0') {
        size_t blank = strspn(line, " \t\n");
        line += blank;
        size_t n = strcspn(line, " \t\n");
        tc_buf_puts(&b, blank > 0 && b.len > 0 && n > 0 ? " " : "");
        tc_buf_write(&b, line, n);
        line += n;
    }
    return tc_buf_finish(&b, a);
}

void tc_course_note_typed(tc_session *s, const tc_task *t, const char *line,
                          json_t *reply) {
    tc_arena *a = tc_arena_new();
    const char *answer = tc_task_value(t, "answer");
    json_object_set_new(reply, "typed",
                        json_string(tc_course_meant(s, a, line)));
    json_object_set_new(
        reply, "solves",
        json_string(answer ? tc_course_meant(s, a, answer) : ""));
    tc_arena_free(a);
}
