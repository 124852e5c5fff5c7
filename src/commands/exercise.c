/* exercise.c - lists the exercises, shows one, and hands a submission to the
 * client's grader. An exercise is a folder of exercises/ with a README.md,
 * whose title says what it is, and an exercise.yml. */
#include "commands/exercise.h"
#include "commands/commands.h"

#include "base/file.h"
#include "base/share.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool folder(char *path, size_t size) {
    return tc_share_folder("exercises", "TILECOPY_EXERCISES", path, size);
}

/* A file of an exercise. */
static bool file_of(const char *name, const char *file, char *path,
                    size_t size) {
    char top[PATH_MAX];
    if (!folder(top, sizeof top)) {
        return false;
    }
    int n = snprintf(path, size, "%s/%s/%s", top, name, file);
    return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

static int is_exercise(const struct dirent *d) {
    char path[PATH_MAX];
    return d->d_name[0] != '.' &&
           file_of(d->d_name, "exercise.yml", path, sizeof path);
}

void tc_exercise_names(void (*fn)(void *user, const char *name), void *user) {
    char top[PATH_MAX];
    struct dirent **list;
    int n = folder(top, sizeof top)
                ? scandir(top, &list, is_exercise, alphasort)
                : -1;
    for (int i = 0; i < n; i++) {
        fn(user, list[i]->d_name);
        free(list[i]);
    }
    if (n >= 0) {
        free(list);
    }
}

static char *read_text(tc_arena *a, const char *name, char *path, size_t size) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    if (file_of(name, "README.md", path, size)) {
        tc_file_read(&text, path, TC_TEXT_LIMIT, NULL, why);
    }
    return tc_buf_finish(&text, a);
}

typedef struct exercise_list {
    tc_arena *arena;
    tc_buf *text;
    json_t *json;
    const char *prefix;
    char name[256];
    int n; /* exercises that begin with prefix */
} exercise_list;

/* The name, and the title: the first line after its "# NAME: ". */
static void list_one(void *user, const char *name) {
    exercise_list *l = user;
    char path[PATH_MAX];
    const char *title = read_text(l->arena, name, path, sizeof path);
    size_t n = strlen(name);
    title += strspn(title, "# ");
    if (strncmp(title, name, n) == 0 && title[n] == ':') {
        title += n + 1;
        title += strspn(title, " ");
    }
    int len = (int)strcspn(title, "\n");
    tc_buf_printf(l->text, "  %-18s %.*s\n", name, len, title);
    json_array_append_new(l->json, json_pack("{s:s,s:s%}", "name", name,
                                             "title", title, (size_t)len));
}

static void choose(void *user, const char *name) {
    exercise_list *l = user;
    if (strncmp(name, l->prefix, strlen(l->prefix)) == 0) {
        snprintf(l->name, sizeof l->name, "%s", name);
        l->n++;
    }
}

static tc_status show(tc_session *s, const tc_command_value *name,
                      exercise_list *l, tc_reply *r) {
    char path[PATH_MAX] = "";
    if (l->n != 1) {
        tc_error(&s->diags, name->span, "`exercise` lists them",
                 l->n ? "several exercises begin with '%s'"
                      : "there is no exercise '%s'",
                 name->text);
        return TC_FAILED;
    }
    const char *text = read_text(l->arena, l->name, path, sizeof path);
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    free(s->exercise);
    s->exercise = tc_xstrdup(l->name);
    tc_buf_printf(&r->text, "%s\nIts files are in %s\n", text, path);
    r->json = json_pack("{s:s,s:s,s:s}", "name", l->name, "text", text,
                        "folder", path);
    return TC_OK;
}

tc_status tc_cmd_exercise(tc_session *s, const tc_command_args *args,
                          tc_reply *r) {
    const tc_command_value *name = tc_value_of(args, "NAME");
    exercise_list l = {.arena = tc_arena_new(),
                       .text = &r->text,
                       .prefix = name != NULL ? name->text : ""};
    tc_status status = TC_OK;
    tc_exercise_names(choose, &l);
    if (name == NULL) {
        l.json = json_array();
        tc_exercise_names(list_one, &l);
        r->json = json_pack("{s:o}", "exercises", l.json);
        tc_buf_puts(&r->text,
                    l.n ? "Read one with `exercise NAME`; `grade NAME FILE.cu` "
                          "says how a solution does.\n"
                        : "No exercises were found.\n");
    } else {
        status = show(s, name, &l, r);
    }
    tc_arena_free(l.arena);
    return status;
}

/* --- grade -----------------------------------------------------------------*/

typedef struct ears {
    tc_session *session;
    tc_buf verdict;
} ears;

static void on_diag(void *user, const tc_diag *d) {
    ears *e = user;
    tc_diags *to = &e->session->diags;
    to->errors += d->severity == TC_ERROR || d->severity == TC_VERBATIM;
    if (to->fn) {
        to->fn(to->user, d);
    }
}

static void on_output(void *user, const char *text, size_t len) {
    ears *e = user;
    tc_buf_write(&e->verdict, text, len);
}

tc_status tc_cmd_grade(tc_session *s, const tc_command_args *args,
                       tc_reply *r) {
    const char *exercise = tc_value_of(args, "EXERCISE")->text;
    const char *file = tc_value_of(args, "FILE")->text;
    ears e = {s, TC_BUF_INIT};
    if (s->grade == NULL) {
        tc_error(&s->diags, TC_NOWHERE, NULL, "this client does not grade");
        return TC_FAILED;
    }
    tc_status status =
        s->grade(s, exercise, file, &s->options, on_diag, on_output, &e);
    if (status == TC_FAILED && e.verdict.len > 0) {
        s->had_findings = true; /* graded, and not passed: as after `run` */
        status = TC_OK;
    }
    if (status != TC_OK && s->options.json && s->first_error == NULL) {
        tc_error(&s->diags, TC_NOWHERE, NULL, "%s is refused: see the notes",
                 file);
    }
    if (status == TC_OK && s->options.json) {
        r->json = json_loads(tc_buf_text(&e.verdict), 0, NULL);
    } else if (!s->options.json) {
        tc_buf_puts(&r->text, tc_buf_text(&e.verdict));
    }
    tc_buf_free(&e.verdict);
    return status;
}

void tc_session_grades(tc_session *s, tc_grade_fn fn) {
    s->grade = fn;
}

void tc_session_nest(tc_session *s, tc_session *inner) {
    s->inner = inner;
}
