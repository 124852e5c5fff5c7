/* check.c - `lesson check`: each task of a lesson against its own
 * answers, as lessons/WRITING.md says. */
#include "commands/course.h"

#include "course/query.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    tc_session *session;
    tc_lesson *lesson;
    tc_buf *text;
    int tasks, failed, skipped; /* failed: things that are wrong */
} checker;

/* What is wrong with a task, at the line that says so. */
static void wrong(checker *c, tc_span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void wrong(checker *c, tc_span at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    tc_buf_printf(c->text, "%s:%d: ", at.source->name, tc_span_line(at));
    tc_buf_vprintf(c->text, fmt, ap);
    tc_buf_putc(c->text, '\n');
    va_end(ap);
    c->failed++;
}

static bool broken(checker *c, const tc_task *t, const tc_attempt *a) {
    if (a->result == TC_ATTEMPT_BROKEN) {
        wrong(c, t->span, "jq: %s", tc_buf_text(&a->broken));
    }
    return a->result == TC_ATTEMPT_BROKEN;
}

/* An attempt that is right, or wrong with that hint. */
static void expect(checker *c, const tc_task *t, tc_span at, tc_attempt a,
                   const char *what, bool right, const tc_task_line *hint) {
    bool is = a.result == TC_ATTEMPT_RIGHT;
    if (broken(c, t, &a)) {
        ;
    } else if (is != right) {
        wrong(c, at, "'%s' %s", what,
              right ? "should pass, and does not" : "should not pass");
    } else if (!right && hint != NULL && a.hint != hint) {
        wrong(c, at, "'%s' gets another hint: %s", what,
              a.hint != NULL ? a.hint->value : "none");
    }
    tc_attempt_free(&a);
}

/* The command was answered; else says what it answered. */
static bool answered(checker *c, const tc_task *t, const json_t *reply) {
    if (reply != NULL && !json_is_false(json_object_get(reply, "ok"))) {
        return true;
    }
    const char *message = json_string_value(
        json_object_get(json_object_get(reply, "error"), "message"));
    wrong(c, t->span, "the program, or `%s`, fails: %s",
          tc_task_value(t, "ask"), message != NULL ? message : "no answer");
    return false;
}

/* --- predict, choose -------------------------------------------------------*/

/* Each hint for a number is given for it. */
static void check_hints(checker *c, const tc_task *t, const json_t *reply) {
    int at = 0;
    const tc_task_line *l;
    while ((l = tc_task_next(t, "hint", &at)) != NULL) {
        tc_buf why = TC_BUF_INIT;
        double n;
        if (l->arg[0] != '\0' && tc_query_number(l->arg, reply, &n, &why)) {
            expect(c, t, l->span, tc_judge_number(t, reply, n), l->arg, false,
                   l);
        } else if (l->arg[0] != '\0') {
            wrong(c, l->span, "'%s': %s", l->arg, tc_buf_text(&why));
        }
        tc_buf_free(&why);
    }
}

static void check_choices(checker *c, const tc_task *t, const json_t *reply,
                          double right) {
    for (int i = 1; i <= t->nchoices; i++) {
        tc_attempt a = tc_judge_number(t, reply, i);
        if (i != (int)right && (a.hint == NULL || a.hint->arg[0] == '\0')) {
            wrong(c, t->span, "choice %d has no hint of its own", i);
        }
        tc_attempt_free(&a);
    }
    if (right < 1 || right > t->nchoices || right != floor(right)) {
        wrong(c, t->span, "the answer %g is none of the %d choices", right,
              t->nchoices);
    }
}

static void check_number(checker *c, const tc_task *t) {
    json_t *reply = tc_course_ask_apart(c->session, c->lesson, t, NULL, NULL);
    tc_buf why = TC_BUF_INIT;
    double right;
    if (answered(c, t, reply)) {
        if (!tc_judge_answer(t, reply, &right, &why)) {
            wrong(c, t->span, "the answer: %s", tc_buf_text(&why));
        } else if (t->kind == TC_TASK_CHOOSE) {
            check_choices(c, t, reply, right);
            expect(c, t, t->span, tc_judge_number(t, reply, right), "answer",
                   true, NULL);
        } else {
            expect(c, t, t->span, tc_judge_number(t, reply, right), "answer",
                   true, NULL);
            expect(c, t, t->span, tc_judge_number(t, reply, right * 3 + 7),
                   "three times the answer and 7", false, NULL);
        }
        check_hints(c, t, reply);
    }
    tc_buf_free(&why);
    json_decref(reply);
}

/* --- type, edit ------------------------------------------------------------*/

/* What a command answers: apart, or, of a task that names no program, behind
 * all examples of the page before it, which the checker's session has run. */
static tc_attempt try_command(checker *c, const tc_task *t, const char *line) {
    const char *ask = tc_task_value(t, "ask");
    json_t *reply;
    if (tc_task_value(t, "load") != NULL) {
        reply = tc_course_ask_apart(c->session, c->lesson, t, NULL, line);
    } else {
        reply = tc_course_ask(c->session, line);
        if (ask != NULL) {
            json_decref(reply);
            reply = tc_course_ask(c->session, ask);
        }
    }
    tc_course_note_typed(c->session, t, line, reply);
    tc_attempt a = tc_judge_reply(t, reply);
    json_decref(reply);
    return a;
}

static tc_attempt try_program(checker *c, const tc_task *t, const char *text) {
    json_t *reply = tc_course_ask_apart(c->session, c->lesson, t, text, NULL);
    tc_attempt a = tc_judge_reply(t, reply);
    json_decref(reply);
    return a;
}

/* The hint right behind a wrong answer. */
static const tc_task_line *hint_behind(const tc_task *t, int at) {
    return at < t->nlines && strncmp(t->lines[at].arg, "if ", 3) == 0
               ? &t->lines[at]
               : NULL;
}

static void check_wrong_edit(checker *c, const tc_task *t,
                             const tc_task_line *l, const tc_task_line *hint) {
    const char *given = tc_lesson_file_of(c->lesson, t->load)->text;
    tc_buf text = TC_BUF_INIT;
    if (!tc_judge_edit(given, l->value, &text)) {
        wrong(c, l->span, "%s has no place for this edit", t->load);
    } else {
        expect(c, t, l->span, try_program(c, t, text.data), l->value, false,
               hint);
    }
    tc_buf_free(&text);
}

static void check_wrongs(checker *c, const tc_task *t) {
    int at = 0;
    const tc_task_line *l;
    while ((l = tc_task_next(t, "wrong", &at)) != NULL) {
        const tc_task_line *hint = hint_behind(t, at);
        if (hint == NULL) {
            wrong(c, l->span, "no 'hint if' stands behind this");
        }
        if (t->kind == TC_TASK_EDIT) {
            check_wrong_edit(c, t, l, hint);
        } else {
            expect(c, t, l->span, try_command(c, t, l->value), l->value, false,
                   hint);
        }
    }
}

static void check_edit(checker *c, const tc_task *t) {
    const char *given = tc_lesson_file_of(c->lesson, t->load)->text;
    tc_buf text = TC_BUF_INIT;
    int at = 0;
    const tc_task_line *l;
    expect(c, t, t->span, try_program(c, t, given), "the program as given",
           false, NULL);
    tc_buf_puts(&text, given);
    while ((l = tc_task_next(t, "solution", &at)) != NULL) {
        tc_buf next = TC_BUF_INIT;
        if (!tc_judge_edit(text.data, l->value, &next)) {
            wrong(c, l->span, "%s has no place for this edit", t->load);
            tc_buf_puts(&next, text.data);
        }
        tc_buf_free(&text);
        text = next;
    }
    expect(c, t, t->span, try_program(c, t, text.data), "solution", true, NULL);
    tc_buf_free(&text);
}

/* A task about a .cu, where there is nothing to build it with. */
static bool lacks_compiler(checker *c, const tc_task *t) {
    const char *why, *hint;
    if (t->load == NULL || !tc_ends_with(t->load, ".cu") ||
        tc_session_compiler(c->session, &why, &hint)) {
        return false;
    }
    tc_buf_printf(c->text, "SKIPPED: %s:%d: %s\n", t->span.source->name,
                  tc_span_line(t->span), why);
    c->skipped++;
    return true;
}

static void check_task(checker *c, const tc_task *t) {
    c->tasks++;
    if (lacks_compiler(c, t)) {
        return;
    }
    if (t->kind == TC_TASK_PREDICT || t->kind == TC_TASK_CHOOSE) {
        check_number(c, t);
        return;
    }
    if (t->kind == TC_TASK_TYPE) {
        const char *answer = tc_task_value(t, "answer");
        expect(c, t, t->span, try_command(c, t, answer), answer, true, NULL);
    } else {
        check_edit(c, t);
    }
    check_wrongs(c, t);
}

/* --- a lesson --------------------------------------------------------------*/

/* The session's commands among a block's lines, as if they were typed. */
static void type_examples(checker *c, cmark_node *block) {
    const char *info = cmark_node_get_type(block) == CMARK_NODE_CODE_BLOCK
                           ? cmark_node_get_fence_info(block)
                           : "";
    if (strcmp(info, "tilecopy") != 0) {
        return;
    }
    tc_buf entry = TC_BUF_INIT;
    for (const char *p = cmark_node_get_literal(block); *p != '\0';) {
        size_t n = strcspn(p, "\n");
        bool more = strncmp(p, "      ...", 9) == 0;
        if (strncmp(p, "tilecopy> ", 10) == 0 || (more && entry.len > 0)) {
            if (!more && entry.len > 0) {
                json_decref(tc_course_ask(c->session, entry.data));
                tc_buf_clear(&entry);
            }
            tc_buf_puts(&entry, more ? "\n" : "");
            tc_buf_write(&entry, p + 10, n > 10 ? n - 10 : 0);
        }
        p += n + (p[n] == '\n');
    }
    if (entry.len > 0) {
        json_decref(tc_course_ask(c->session, entry.data));
    }
    tc_buf_free(&entry);
}

/* Columns of a line, its tabs every eight. */
static int columns_of(const char *line, size_t n) {
    int columns = 0;
    for (size_t i = 0; i < n; i++) {
        columns = line[i] == '\t' ? (columns / 8 + 1) * 8
                                  : columns + ((line[i] & 0xc0) != 0x80);
    }
    return columns;
}

/* Lines of examples that a terminal of 80 columns cuts or breaks. */
static void check_wide_lines(checker *c, cmark_node *block) {
    enum { ROOM = 80 };
    if (cmark_node_get_type(block) != CMARK_NODE_CODE_BLOCK) {
        return;
    }
    int line = cmark_node_get_start_line(block);
    for (const char *p = cmark_node_get_literal(block); *p != '\0';) {
        size_t n = strcspn(p, "\n");
        int columns = columns_of(p, n);
        line++;
        if (columns > ROOM) {
            tc_buf_printf(c->text,
                          "%s:%d: %d columns; a lesson's screen has %d\n",
                          c->lesson->source->name, line, columns, ROOM);
            c->failed++;
        }
        p += n + (p[n] == '\n');
    }
}

static void check_lesson(checker *c) {
    for (int i = 0; i < c->lesson->nsteps; i++) {
        const tc_lesson_step *step = &c->lesson->steps[i];
        for (int k = 0; k < step->nitems; k++) {
            if (c->session->cancel != 0) {
                return;
            }
            type_examples(c, step->items[k].block);
            check_wide_lines(c, step->items[k].block);
            if (step->items[k].task != NULL) {
                check_task(c, step->items[k].task);
            }
        }
    }
}

tc_status tc_course_check(tc_session *s, const tc_command_value *name,
                          tc_reply *r) {
    tc_arena *a = tc_arena_new();
    if (name == NULL) {
        tc_error(&s->diags, TC_NOWHERE, "lesson check 01",
                 "lesson check needs a lesson, or the name of a file");
        tc_arena_free(a);
        return TC_USAGE;
    }
    tc_lesson *l = tc_course_open(s, a, name);
    if (l == NULL) {
        tc_arena_free(a);
        return TC_REJECTED;
    }
    tc_course_begin(s, l);
    checker c = {.session = s,
                 .lesson = l,

                 .text = &r->text,
                 .failed = l->nbroken};
    check_lesson(&c);
    tc_buf_printf(&r->text, "%s: %d tasks, %d wrong", l->name, c.tasks,
                  c.failed);
    if (c.skipped > 0) {
        tc_buf_printf(&r->text, ", %d skipped", c.skipped);
    }
    tc_buf_putc(&r->text, '\n');
    r->json = json_pack("{s:s,s:i,s:i,s:i,s:s}", "name", l->name, "tasks",
                        c.tasks, "wrong", c.failed, "skipped", c.skipped,
                        "text", r->text.data);
    s->had_findings |= c.failed > 0; /* status 1, as after `run` */
    tc_arena_free(a);
    return TC_OK;
}
