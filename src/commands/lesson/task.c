/* task.c - the task on the screen: answers to it, hints, its solution;
 * and what each line typed means for it. */
#include "commands/course.h"

#include "base/file.h"
#include "course/library.h"
#include "course/progress.h"
#include "session/loaded.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what is said ----------------------------------------------------------*/

/* A paragraph of Markdown in the reply; behind a reply of a command's a blank
 * line stands first. */
static void say(tc_session *s, tc_reply *r, const char *lead,
                const char *text) {
    tc_buf whole = TC_BUF_INIT;
    tc_markdown_style style = tc_course_style(s);
    tc_buf_printf(&whole, "%s%s", lead, text);
    tc_markdown_text(&r->text, tc_buf_text(&whole), &style);
    if (r->text.len > 0) { /* no blank line at the end */
        r->text.data[--r->text.len] = '\0';
    }
    tc_buf_free(&whole);
}

static void note_result(tc_session *s, tc_reply *r, const char *result,
                        const char *hint) {
    if (s->options.json) {
        r->json = r->json != NULL ? r->json : json_object();
        json_t *task = json_pack("{s:s}", "result", result);
        if (hint != NULL) {
            json_object_set_new(task, "hint", json_string(hint));
        }
        json_object_set_new(r->json, "task", task);
    }
}

/* What an attempt came to; done: it is the task's end. */
static void answer(tc_session *s, const tc_task *t, const tc_attempt *a,
                   tc_reply *r) {
    char why[TC_FILE_WHY];
    const tc_course *c = s->course;
    if (a->result == TC_ATTEMPT_BROKEN) {
        tc_diag_report(&s->diags, TC_WARNING, t->span, NULL,
                       "the lesson cannot tell: %s", a->broken.data);
        note_result(s, r, "broken", a->broken.data);
        return;
    }
    if (a->result == TC_ATTEMPT_WRONG) {
        const char *hint = a->hint != NULL ? a->hint->value : "";
        s->course->wrong = hint;
        say(s, r, "Not yet. ", hint);
        if (a->hint != NULL && a->hint == tc_judge_hint(t, 0) &&
            s->course->hints == 0) {
            s->course->hints = 1; /* `hint` says the next one */
        }
        note_result(s, r, "wrong", hint);
        return;
    }
    bool last = c->at + 1 == c->screens.n;
    say(s, r, "**Right.** ",
        last ? "That was the last one: `lesson` lists the others."
             : "`next` goes on.");
    note_result(s, r, "right", NULL);
    if (!tc_progress_task(c->lesson->name, t->id, why)) {
        tc_course_not_kept(s, why);
    }
}

/* --- numbers ---------------------------------------------------------------*/

static bool is_number(const char *line, size_t len) {
    char *end;
    char word[32];
    while (len > 0 && isspace((unsigned char)line[len - 1])) {
        len--;
    }
    if (len == 0 || len >= sizeof word ||
        !(isdigit((unsigned char)line[0]) || line[0] == '-')) {
        return false;
    }
    memcpy(word, line, len);
    word[len] = '\0';
    strtod(word, &end);
    return *end == '\0' || (*end == '%' && end[1] == '\0');
}

bool tc_course_takes(tc_session *s, const char *line, size_t len) {
    const tc_task *t = s->asking ? NULL : tc_course_task(s);
    return t != NULL &&
           (t->kind == TC_TASK_PREDICT || t->kind == TC_TASK_CHOOSE) &&
           is_number(line, len);
}

/* A number, or an expression of TVMScript that is one: 128 * 32 // 8. */
static bool read_number(tc_session *s, const tc_command_value *v, double *n) {
    if (is_number(v->text, strlen(v->text))) {
        *n = strtod(v->text, NULL);
        return true;
    }
    tc_arena *a = tc_arena_new();
    json_t *reply = tc_course_ask(s, tc_format(a, "eval %s", v->text));
    json_t *value = json_object_get(reply, "value");
    bool ok = json_is_number(value);
    *n = ok ? json_number_value(value) : 0;
    if (!ok) {
        tc_error(&s->diags, v->span, "answer 16", "'%s' is no number", v->text);
    }
    json_decref(reply);
    tc_arena_free(a);
    return ok;
}

tc_status tc_cmd_answer(tc_session *s, const tc_command_args *args,
                        tc_reply *r) {
    const tc_command_value *v = tc_value_of(args, "VALUE");
    const tc_task *t = tc_course_need_task(s, args->span);
    double n;
    if (t == NULL) {
        return TC_FAILED;
    }
    if (t->kind != TC_TASK_PREDICT && t->kind != TC_TASK_CHOOSE) {
        tc_error(&s->diags, args->span, "`hint` says more",
                 t->kind == TC_TASK_TYPE ? "what is asked for is a command"
                                         : "what is asked for is a program");
        return TC_FAILED;
    }
    if (!read_number(s, v, &n)) {
        return TC_FAILED;
    }
    if (t->kind == TC_TASK_CHOOSE &&
        (n != (int)n || n < 1 || n > t->nchoices)) {
        tc_error(&s->diags, args->span, NULL, "choose a number from 1 to %d",
                 t->nchoices);
        return TC_FAILED;
    }
    json_t *reply = tc_course_ask_apart(s, s->course->lesson, t, NULL, NULL);
    tc_attempt a = tc_judge_number(t, reply, n);
    answer(s, t, &a, r);
    tc_attempt_free(&a);
    json_decref(reply);
    return TC_OK;
}

/* --- what was typed --------------------------------------------------------*/

/* The first word of a command, as it was meant. */
static bool same_command(tc_session *s, tc_arena *a, const tc_command *c,
                         const char *line) {
    const char *meant = tc_course_meant(s, a, line);
    size_t n = strlen(c->name);
    return strncmp(meant, c->name, n) == 0 &&
           (meant[n] == '\0' || meant[n] == ' ');
}

/* Is a line an expression, where one is asked for? */
static bool is_wanted_expression(const tc_task *t, const tc_command *c) {
    const char *answer = tc_task_value(t, "answer");
    size_t word = strspn(answer, "abcdefghijklmnopqrstuvwxyz_0123456789");
    bool exact, several;
    return c == NULL && tc_command_find(answer, word, &exact, &several) == NULL;
}

/* Is a command one that the task's answer, or a wrong one, begins with? */
static bool tries_to_type(tc_session *s, const tc_task *t,
                          const tc_command *c) {
    tc_arena *a = tc_arena_new();
    int at = 0;
    bool tries = is_wanted_expression(t, c);
    tries |= c != NULL && same_command(s, a, c, tc_task_value(t, "answer"));
    const tc_task_line *l;
    while (c != NULL && !tries && (l = tc_task_next(t, "wrong", &at)) != NULL) {
        tries = same_command(s, a, c, l->value);
    }
    tc_arena_free(a);
    return tries;
}

static void watch_typed(tc_session *s, const tc_task *t, const tc_command *c,
                        const char *line, tc_reply *r) {
    if (!tries_to_type(s, t, c)) {
        return;
    }
    const char *ask = tc_task_value(t, "ask");
    json_t *reply = tc_course_ask(s, ask != NULL ? ask : line);
    tc_course_note_typed(s, t, line, reply);
    tc_attempt a = tc_judge_reply(t, reply);
    bool failed = json_is_false(json_object_get(reply, "ok")) ||
                  (c == NULL && a.result == TC_ATTEMPT_WRONG);
    if (!failed || (a.hint != NULL && a.hint->arg[0] != '\0')) {
        answer(s, t, &a, r); /* else its error says enough */
    }
    tc_attempt_free(&a);
    json_decref(reply);
}

/* A sum typed at the prompt, of numbers alone: one that comes to the answer is
 * one; another was a calculation. */
static void watch_sum(tc_session *s, const tc_task *t, const char *line,
                      size_t len, tc_reply *r) {
    static const char sum[] = "0123456789 .()+-*/%";
    tc_arena *a = tc_arena_new();
    char *text = tc_strndup(a, line, len);
    text[strcspn(text, "\n")] = '\0';
    json_t *reply = NULL, *value = NULL;
    if (text[strspn(text, sum)] == '\0' && text[strspn(text, " ")] != '\0') {
        reply = tc_course_ask(s, tc_format(a, "eval %s", text));
        value = json_object_get(reply, "value");
    }
    if (json_is_number(value)) {
        json_t *answers =
            tc_course_ask_apart(s, s->course->lesson, t, NULL, NULL);
        tc_attempt at = tc_judge_number(t, answers, json_number_value(value));
        if (at.result == TC_ATTEMPT_RIGHT) {
            answer(s, t, &at, r);
        }
        tc_attempt_free(&at);
        json_decref(answers);
    }
    json_decref(reply);
    tc_arena_free(a);
}

/* --- edits -----------------------------------------------------------------*/

/* The name behind the last "def " of a text. */
static void last_function(const char *text, char *name, size_t size) {
    const char *at = NULL;
    for (const char *p = text; (p = strstr(p, "def ")) != NULL; p += 4) {
        at = p + 4;
    }
    snprintf(name, size, "%.*s", at ? (int)strcspn(at, "( \n") : 0,
             at ? at : "");
}

/* Is the session's program the one that the task is about? */
static bool is_the_program(const tc_session *s, const tc_lesson *l,
                           const tc_task *t) {
    if (tc_ends_with(t->load, ".py")) {
        char name[128];
        last_function(tc_lesson_file_of(l, t->load)->text, name, sizeof name);
        const tc_func *f = s->program.func;
        return !s->file_is_newest && f != NULL && strcmp(f->name, name) == 0;
    }
    const char *path =
        s->nfiles > 0 ? s->files[s->nfiles - 1]->source->name : "";
    const char *slash = strrchr(path, '/');
    return strcmp(slash != NULL ? slash + 1 : path, t->load) == 0;
}

/* Has the learner changed nothing yet? A program that was typed is changed. */
static bool is_unchanged(const tc_lesson *l, const tc_task *t,
                         const tc_command *c) {
    tc_arena *a = tc_arena_new();
    const char *path = c != NULL ? tc_course_file(a, l, t->load) : NULL;
    const char *text = path != NULL ? tc_library_text(a, path) : NULL;
    bool same =
        text != NULL && strcmp(text, tc_lesson_file_of(l, t->load)->text) == 0;
    tc_arena_free(a);
    return same;
}

static bool asks_for(tc_session *s, const tc_task *t, const tc_command *c) {
    tc_arena *a = tc_arena_new();
    bool is = c == NULL || strcmp(c->name, "load") == 0 ||
              same_command(s, a, c, tc_task_value(t, "ask"));
    tc_arena_free(a);
    return is;
}

/* A function typed, a file loaded, or the command that the task asks about. */
static void watch_program(tc_session *s, const tc_task *t, const tc_command *c,
                          const char *line, size_t len, tc_reply *r) {
    const tc_lesson *l = s->course->lesson;
    bool defines = c != NULL || memchr(line, '\n', len) != NULL;
    if (!defines || !asks_for(s, t, c) || !is_the_program(s, l, t) ||
        is_unchanged(l, t, c)) {
        return;
    }
    int at = 0;
    const tc_task_line *before;
    while ((before = tc_task_next(t, "do", &at)) != NULL) {
        json_decref(tc_course_ask(s, before->value));
    }
    json_t *reply = tc_course_ask(s, tc_task_value(t, "ask"));
    tc_attempt a = tc_judge_reply(t, reply);
    answer(s, t, &a, r);
    tc_attempt_free(&a);
    json_decref(reply);
}

void tc_course_watch(tc_session *s, const tc_command *c, const char *line,
                     size_t len, tc_status status, tc_reply *r) {
    const tc_task *t =
        s->asking || s->course == NULL ? NULL : tc_course_task(s);
    if (t == NULL || s->cancel != 0) {
        return;
    }
    if (t->kind == TC_TASK_TYPE) {
        watch_typed(s, t, c, line, r);
    } else if (t->kind == TC_TASK_EDIT && status == TC_OK) {
        watch_program(s, t, c, line, len, r);
    } else if (t->kind == TC_TASK_PREDICT && c == NULL && status == TC_OK) {
        watch_sum(s, t, line, len, r);
    }
}

/* --- hint, solution --------------------------------------------------------*/

/* Before the hints to an edit: what keeps it from being looked at. */
static void say_edit_state(tc_session *s, const tc_task *t, tc_reply *r) {
    tc_arena *a = tc_arena_new();
    const char *state = t->kind == TC_TASK_EDIT && !s->options.json
                            ? tc_course_edit_state(s, a, t)
                            : NULL;
    if (state != NULL) {
        say(s, r, "", state);
    }
    tc_arena_free(a);
}

tc_status tc_cmd_hint(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_task *t = tc_course_need_task(s, args->span);
    if (t == NULL) {
        return TC_FAILED;
    }
    say_edit_state(s, t, r);
    const tc_task_line *l = tc_judge_hint(t, s->course->hints);
    if (l == NULL) {
        const char *wrong = s->course->wrong;
        if (wrong != NULL) {
            say(s, r, "Of your last try: ", wrong);
        }
        say(s, r, "", "That was all: `solution` shows one.");
        note_result(s, r, "no more hints", NULL);
        return TC_OK;
    }
    s->course->hints++;
    say(s, r, "", l->value);
    note_result(s, r, "hint", l->value);
    return TC_OK;
}

/* A text's lines, each behind a mark. */
static void marked_lines(tc_buf *out, const char *mark, const char *text) {
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        tc_buf_puts(out, mark);
        tc_buf_write(out, text, n);
        tc_buf_putc(out, '\n');
        text += n + (text[n] == '\n');
    }
}

/* The edits of a solution, as diff(1) has them. */
static void solution_edit(const tc_task *t, tc_reply *r) {
    int at = 0;
    const tc_task_line *l;
    while ((l = tc_task_next(t, "solution", &at)) != NULL) {
        char *old, *new;
        if (tc_judge_sides(l->value, &old, &new)) {
            marked_lines(&r->text, "- ", old);
            marked_lines(&r->text, "+ ", new);
            free(old);
            free(new);
        }
    }
}

static void solution_number(tc_session *s, const tc_task *t, tc_reply *r) {
    double right;
    tc_buf broken = TC_BUF_INIT;
    json_t *reply = tc_course_ask_apart(s, s->course->lesson, t, NULL, NULL);
    if (tc_judge_answer(t, reply, &right, &broken)) {
        tc_buf_printf(&r->text, "%.10g\n", right);
        if (s->options.json) {
            r->json = json_pack("{s:f}", "solution", right);
        }
    } else {
        tc_diag_report(&s->diags, TC_WARNING, t->span, NULL,
                       "the lesson cannot tell: %s", tc_buf_text(&broken));
    }
    tc_buf_free(&broken);
    json_decref(reply);
}

tc_status tc_cmd_solution(tc_session *s, const tc_command_args *args,
                          tc_reply *r) {
    const tc_task *t = tc_course_need_task(s, args->span);
    tc_markdown_style style = tc_course_style(s);
    if (t == NULL) {
        return TC_FAILED;
    }
    if (t->kind == TC_TASK_TYPE) {
        tc_buf_printf(&r->text, "%s\n", tc_task_value(t, "answer"));
    } else if (t->kind == TC_TASK_EDIT) {
        solution_edit(t, r);
    } else {
        solution_number(s, t, r);
    }
    if (t->solution != NULL) {
        tc_buf_putc(&r->text, '\n');
    }
    for (cmark_node *n = t->solution; n != NULL && n != t->solution_end;
         n = cmark_node_next(n)) {
        tc_markdown_block(&r->text, n, &style);
    }
    return TC_OK;
}

/* --- edit ------------------------------------------------------------------*/

/* The file that `edit` without a name means: the task's, else the newest. */
static const char *file_meant(tc_session *s, tc_arena *a) {
    const tc_task *t = s->course != NULL ? tc_course_task(s) : NULL;
    if (t != NULL && t->kind == TC_TASK_EDIT) {
        return tc_course_file(a, s->course->lesson, t->load);
    }
    if (s->file_is_newest && s->nfiles > 0) {
        return s->files[s->nfiles - 1]->source->name;
    }
    const tc_func *f = s->program.func;
    const char *name = f != NULL && f->source ? f->source->name : "<";
    return name[0] != '<' ? name : NULL;
}

/* `edit 13`, where no file has that name. */
static bool is_line(const char *text) {
    size_t n = strspn(text, "0123456789");
    return n > 0 && n < 9 && text[n] == '\0' && access(text, F_OK) != 0;
}

tc_status tc_cmd_edit(tc_session *s, const tc_command_args *args, tc_reply *r) {
    const tc_command_value *file = tc_value_of(args, "FILE");
    const tc_command_value *line = tc_value_of(args, "LINE");
    int64_t at = line != NULL ? line->number : 0;
    if (file != NULL && line == NULL && is_line(file->text)) {
        at = strtol(file->text, NULL, 10);
        file = NULL;
    }
    tc_arena *a = tc_arena_new();
    const char *path =
        file != NULL ? tc_course_path(s, a, file->text) : file_meant(s, a);
    if (path == NULL) {
        tc_error(&s->diags, args->span, "edit FILE", "no file is loaded");
    } else if (!s->options.terminal) {
        tc_buf_printf(&r->text, "Edit %s, then load it.\n", path);
        r->json = json_pack("{s:s}", "file", path);
    } else {
        s->request = (tc_client_request){.kind = TC_CLIENT_EDIT,
                                         .path = tc_strdup(s->asked, path),
                                         .line = (int)at};
    }
    bool ok = path != NULL;
    tc_arena_free(a);
    return ok ? TC_OK : TC_FAILED;
}
