/* judge.c - right, wrong, and which hint goes with what was done. */
#include "course/judge.h"

#include "course/query.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tc_attempt_free(tc_attempt *a) {
    tc_buf_free(&a->broken);
}

/* --- numbers ---------------------------------------------------------------*/

bool tc_judge_answer(const tc_task *t, const json_t *reply, double *out,
                     tc_buf *broken) {
    json_t *none = reply == NULL ? json_object() : NULL;
    bool ok = tc_query_number(tc_task_value(t, "answer"),
                              reply != NULL ? reply : none, out, broken);
    json_decref(none);
    return ok;
}

static bool near(const tc_task *t, double n, double right) {
    const char *within = tc_task_value(t, "within");
    double percent = within != NULL ? strtod(within, NULL) : 0;
    return fabs(n - right) <= fabs(right) * (percent / 100 + 1e-9);
}

/* The hint for that number, else the first for any. */
static const tc_task_line *hint_for(const tc_task *t, const json_t *reply,
                                    double n, tc_buf *broken) {
    int at = 0;
    for (const tc_task_line *l; (l = tc_task_next(t, "hint", &at)) != NULL;) {
        double of;
        if (l->arg[0] != '\0' && tc_query_number(l->arg, reply, &of, broken) &&
            near(t, n, of)) {
            return l;
        }
    }
    return tc_judge_hint(t, 0);
}

tc_attempt tc_judge_number(const tc_task *t, const json_t *reply, double n) {
    tc_attempt a = {.result = TC_ATTEMPT_BROKEN};
    double right;
    json_t *none = json_object();
    reply = reply != NULL ? reply : none;
    if (tc_judge_answer(t, reply, &right, &a.broken)) {
        a.result = near(t, n, right) ? TC_ATTEMPT_RIGHT : TC_ATTEMPT_WRONG;
        if (a.result == TC_ATTEMPT_WRONG) {
            a.hint = hint_for(t, reply, n, &a.broken);
        }
    }
    a.result = a.broken.len > 0 ? TC_ATTEMPT_BROKEN : a.result;
    json_decref(none);
    return a;
}

/* --- commands and programs -------------------------------------------------*/

static bool all_hold(const tc_task *t, const json_t *reply, tc_buf *broken) {
    int at = 0, n = 0;
    bool ok = true, holds = true;
    const tc_task_line *l;
    while (ok && holds && (l = tc_task_next(t, "holds", &at)) != NULL) {
        holds = tc_query_holds(l->value, reply, &ok, broken);
        n++;
    }
    if (n == 0) { /* the command itself */
        holds = tc_query_holds(".typed == .solves", reply, &ok, broken);
    }
    return ok && holds;
}

/* The first "hint if JQ" that is true, else the first for any. */
static const tc_task_line *hint_if(const tc_task *t, const json_t *reply,
                                   tc_buf *broken) {
    int at = 0;
    for (const tc_task_line *l; (l = tc_task_next(t, "hint", &at)) != NULL;) {
        bool ok;
        if (strncmp(l->arg, "if ", 3) == 0 &&
            tc_query_holds(l->arg + 3, reply, &ok, broken)) {
            return l;
        }
    }
    return tc_judge_hint(t, 0);
}

/* A command that failed has no fields to be asked about: null is no number. */
static bool failed(const json_t *reply) {
    return json_is_false(json_object_get(reply, "ok"));
}

tc_attempt tc_judge_reply(const tc_task *t, const json_t *reply) {
    tc_attempt a = {.result = TC_ATTEMPT_WRONG};
    if (all_hold(t, reply, &a.broken)) {
        a.result = TC_ATTEMPT_RIGHT;
        return a;
    }
    if (failed(reply)) {
        tc_buf_clear(&a.broken);
    }
    a.hint = hint_if(t, reply, &a.broken);
    if (failed(reply)) {
        tc_buf_clear(&a.broken);
    }
    a.result = a.broken.len > 0 ? TC_ATTEMPT_BROKEN : a.result;
    return a;
}

const tc_task_line *tc_judge_hint(const tc_task *t, int n) {
    int at = 0;
    for (const tc_task_line *l; (l = tc_task_next(t, "hint", &at)) != NULL;) {
        if (l->arg[0] == '\0' && n-- == 0) {
            return l;
        }
    }
    return NULL;
}

/* --- edits -----------------------------------------------------------------*/

/* With \n as a new line, \\ as a backslash; freed by the caller. */
static char *unescaped(const char *s, size_t n) {
    tc_buf b = TC_BUF_INIT;
    for (size_t i = 0; i < n; i++) {
        bool escape = s[i] == '\\' && i + 1 < n;
        i += escape;
        tc_buf_putc(&b, escape && s[i] == 'n' ? '\n' : s[i]);
    }
    tc_buf_puts(&b, "");
    return b.data != NULL ? b.data : tc_xstrdup("");
}

bool tc_judge_sides(const char *edit, char **old, char **new) {
    const char *arrow = strstr(edit, "=>");
    if (arrow == NULL) {
        return false;
    }
    const char *to = arrow + 2 + (arrow[2] == ' ');
    size_t n = (size_t)(arrow - edit);
    *old = unescaped(edit, n > 0 && edit[n - 1] == ' ' ? n - 1 : n);
    *new = unescaped(to, strlen(to));
    return true;
}

bool tc_judge_edit(const char *program, const char *edit, tc_buf *out) {
    char *old, *new;
    if (!tc_judge_sides(edit, &old, &new)) {
        return false;
    }
    size_t n = strlen(old);
    bool found = false;
    for (const char *at; n > 0 && (at = strstr(program, old)) != NULL;) {
        tc_buf_write(out, program, (size_t)(at - program));
        tc_buf_puts(out, new);
        program = at + n;
        found = true;
    }
    tc_buf_puts(out, program);
    free(old);
    free(new);
    return found;
}
