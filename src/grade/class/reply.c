/* reply.c - the grades of a class as text, CSV and JSON, with the
 * submissions that are alike. */
#include "grade/class/class.h"

#include <stdlib.h>
#include <string.h>

static int score(const tc_submission *s, const char *key) {
    return (int)json_integer_value(json_object_get(s->result, key));
}

/* Neither passed nor failed. */
static const char *error_of(const tc_submission *s) {
    const json_t *refused = json_object_get(s->result, "refused");
    const char *error = json_string_value(json_object_get(s->result, "error"));
    return s->result == NULL       ? "no verdict"
           : json_is_true(refused) ? NULL
                                   : error;
}

/* Why the compiler never saw it, or refused it, in a line. */
static const char *refusal(const tc_submission *s) {
    const char *error = json_string_value(json_object_get(s->result, "error"));
    bool line = error && strncmp(error, "it ", 3) == 0 && !strchr(error, '\n');
    return line ? error : "it does not compile";
}

/* "bob 93 %, carl 70 %": with whom it has code in common. */
static const char *alike(const tc_class_run *c, int at) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < c->nsimilar; i++) {
        const tc_similar *s = &c->similar[i];
        if (s->left == at || s->right == at) {
            int other = s->left == at ? s->right : s->left;
            tc_buf_printf(&b, "%s%s %d %%", b.len ? ", " : "",
                          c->all[other].student, s->percent);
        }
    }
    return tc_buf_finish(&b, c->a);
}

/* ---- text ---- */

static void put_line(const tc_class_run *c, int at, tc_buf *b) {
    const tc_submission *s = &c->all[at];
    const char *error = error_of(s);
    const char *student = tc_verdict_plain(c->a, s->student);
    bool refused = json_is_true(json_object_get(s->result, "refused"));
    if (error) {
        tc_buf_printf(b, "  %-24s error: %s\n", student, error);
    } else {
        tc_buf_printf(b, "  %-24s %3d of %3d%s%s%s\n", student,
                      score(s, "score"), score(s, "max_score"),
                      refused ? ", " : "", refused ? refusal(s) : "",
                      s->kept ? " (graded before)" : "");
    }
}

static void put_pairs(const tc_class_run *c, tc_buf *b) {
    enum { MOST = 100 };
    if (c->nsimilar > 0) {
        tc_buf_printf(b, "similar submissions, to be looked at by a person "
                         "(fingerprints in common):\n");
    }
    for (int i = 0; i < c->nsimilar && i < MOST; i++) {
        const tc_similar *s = &c->similar[i];
        tc_buf_printf(b, "  %3d %%  %s:%d-%d  %s:%d-%d\n", s->percent,
                      tc_verdict_plain(c->a, c->all[s->left].path),
                      s->left_first, s->left_last,
                      tc_verdict_plain(c->a, c->all[s->right].path),
                      s->right_first, s->right_last);
    }
    if (c->nsimilar > MOST) {
        tc_buf_printf(b, "  and %d more pairs\n", c->nsimilar - MOST);
    }
}

static void put_text(const tc_class_run *c, tc_buf *b) {
    tc_buf_printf(b, "%s: %s\n", c->e->name, c->o->each.path);
    for (int i = 0; i < c->n; i++) {
        if (c->all[i].mine) {
            put_line(c, i, b);
        }
    }
    put_pairs(c, b);
}

/* ---- CSV ---- */

/* nbgrader's columns, and one behind them. */
static void put_csv(const tc_class_run *c, tc_buf *b) {
    tc_format_csv_head(true, b);
    for (int i = 0; i < c->n; i++) {
        const tc_submission *s = &c->all[i];
        bool error = error_of(s) != NULL;
        if (s->mine) {
            tc_format_csv_row(c->e->name, "", s->student,
                              error ? -1 : score(s, "score"),
                              score(s, "max_score"), alike(c, i), b);
        }
    }
}

/* ---- JSON ---- */

static json_t *similar_json(const tc_class_run *c, int at) {
    json_t *list = json_array();
    for (int i = 0; i < c->nsimilar; i++) {
        const tc_similar *s = &c->similar[i];
        bool left = s->left == at;
        if (left || s->right == at) {
            json_array_append_new(
                list,
                json_pack(
                    "{s:o,s:i,s:[i,i],s:[i,i]}", "student",
                    tc_verdict_text(c->all[left ? s->right : s->left].student),
                    "percent", s->percent, "lines",
                    left ? s->left_first : s->right_first,
                    left ? s->left_last : s->right_last, "their_lines",
                    left ? s->right_first : s->left_first,
                    left ? s->right_last : s->left_last));
        }
    }
    return list;
}

static void put_json(const tc_class_run *c, tc_buf *b) {
    json_t *list = json_array();
    for (int i = 0; i < c->n; i++) {
        const tc_submission *s = &c->all[i];
        if (s->mine) {
            json_array_append_new(
                list, json_pack("{s:o,s:O*,s:o}", "student",
                                tc_verdict_text(s->student), "verdict",
                                s->result, "similar", similar_json(c, i)));
        }
    }
    char *text = json_dumps(list, JSON_COMPACT);
    tc_buf_printf(b, "%s\n", text ? text : "[]");
    free(text);
    json_decref(list);
}

tc_status tc_class_put(tc_class_run *c, tc_output_fn output, void *user) {
    const char *format = c->o->each.format ? c->o->each.format : "text";
    int errors = 0;
    tc_buf b = TC_BUF_INIT;
    if (strcmp(format, "csv") == 0) {
        put_csv(c, &b);
    } else if (strcmp(format, "json") == 0) {
        put_json(c, &b);
    } else {
        put_text(c, &b);
    }
    for (int i = 0; i < c->n; i++) {
        errors += c->all[i].mine && error_of(&c->all[i]) != NULL;
        json_decref(c->all[i].result);
    }
    output(user, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
    return tc_class_stopped(c) || errors > 0 ? TC_MACHINE : TC_OK;
}
