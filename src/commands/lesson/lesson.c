/* lesson.c - the commands of a guided lesson: lesson, next, back, reset. */
#include "commands/lesson.h"
#include "commands/course.h"

#include "course/library.h"
#include "course/progress.h"
#include "load/load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tc_lesson_names(void (*fn)(void *user, const char *name), void *user) {
    tc_library_each(true, fn, user);
}

tc_markdown_style tc_course_style(const tc_session *s) {
    return (tc_markdown_style){s->options.width,
                               s->options.color && !s->options.json};
}

/* --- the lesson under way --------------------------------------------------*/

static void leave(tc_course *c) {
    if (c != NULL) {
        tc_lesson_free(c->lesson);
        tc_arena_free(c->drawn);
        free(c);
    }
}

/* Cuts the lesson for the terminal as it is; what is shown stays shown. */
static void draw(tc_session *s, tc_course *c) {
    tc_lesson_screen at =
        c->screens.n > 0 ? c->screens.items[c->at] : (tc_lesson_screen){0};
    tc_markdown_style style = tc_course_style(s);
    tc_arena_free(c->drawn);
    c->drawn = tc_arena_new();
    c->width = s->options.width;
    c->height = s->options.height;
    tc_lesson_screens_make(c->drawn, c->lesson, &style, c->height, &c->screens);
    c->at = tc_lesson_screens_find(&c->screens, at.step, at.item);
}

tc_course *tc_course_of(tc_session *s) {
    tc_course *c = s->course;
    if (c != NULL &&
        (c->width != s->options.width || c->height != s->options.height)) {
        draw(s, c);
    }
    return c;
}

const tc_task *tc_course_task(tc_session *s) {
    tc_course *c = tc_course_of(s);
    return c != NULL ? c->screens.items[c->at].task : NULL;
}

static tc_course *need_lesson(tc_session *s, tc_span at) {
    tc_course *c = tc_course_of(s);
    if (c == NULL) {
        tc_error(&s->diags, at, "`lesson` lists them; `lesson 01` begins one",
                 "no lesson is under way");
    }
    return c;
}

const tc_task *tc_course_need_task(tc_session *s, tc_span at) {
    tc_course *c = need_lesson(s, at);
    const tc_task *t = c != NULL ? tc_course_task(s) : NULL;
    if (c != NULL && t == NULL) {
        tc_error(&s->diags, at, "`next` goes on",
                 "nothing is asked on this screen");
    }
    return t;
}

void tc_course_not_kept(tc_session *s, const char *why) {
    tc_course *c = s->course;
    if (c != NULL && !c->told) {
        tc_diag_report(&s->diags, TC_NOTE, TC_NOWHERE, NULL,
                       "progress is not kept: %s", why);
        c->told = true;
    }
}

static void keep_place(tc_session *s, const tc_course *c) {
    const tc_lesson_screen *x = &c->screens.items[c->at];
    char why[TC_FILE_WHY];
    if (!tc_progress_place(c->lesson->name, x->step, x->item, why)) {
        tc_course_not_kept(s, why);
    }
}

/* --- a screen --------------------------------------------------------------*/

/* What may be typed next. */
static void foot(tc_buf *b, const tc_course *c, bool done) {
    static const char *const asks[] = {
        [TC_TASK_TYPE] = "Type the command",
        [TC_TASK_PREDICT] = "Type the number",
        [TC_TASK_EDIT] = "`edit` opens the file",
        [TC_TASK_CHOOSE] = "Type 1, 2, ...",
    };
    const tc_task *t = c->screens.items[c->at].task;
    const char *on = c->at + 1 == c->screens.n ? "`lesson` lists the others"
                                               : "`next` goes on";
    if (t == NULL || done) {
        tc_buf_printf(b, "%s%s", done ? "Done; " : "", on);
    } else {
        tc_buf_printf(b, "%s; `hint`, `solution`; %s", asks[t->kind], on);
    }
    tc_buf_printf(b, " (%d/%d).\n", c->at + 1, c->screens.n);
}

static void head(tc_buf *b, const tc_course *c) {
    const tc_lesson *l = c->lesson;
    int step = c->screens.items[c->at].step;
    const char *title = l->steps[step].title;
    size_t number = strspn(title, "0123456789");
    if (number > 0 && title[number] == '.') { /* "3. Why": it is said before */
        title += number + 1 + (title[number + 1] == ' ');
    }
    tc_buf_printf(b, "Lesson %.2s", l->name);
    if (step > 0) {
        tc_buf_printf(b, ", step %d of %d", step, l->nsteps - 1);
    }
    tc_buf_printf(b, ": %s\n\n", title);
}

static json_t *screen_json(const tc_course *c, bool done) {
    const tc_lesson_screen *x = &c->screens.items[c->at];
    const tc_lesson *l = c->lesson;
    json_t *task = json_null();
    if (x->task != NULL) {
        task = json_pack("{s:s,s:b}", "kind", tc_task_kind_names[x->task->kind],
                         "done", done);
    }
    return json_pack("{s:s,s:s,s:i,s:i,s:s,s:s,s:o,s:b}", "name", l->name,
                     "title", l->title, "step", x->step, "steps", l->nsteps - 1,
                     "heading", l->steps[x->step].title, "text", x->text,
                     "task", task, "last", c->at + 1 == c->screens.n);
}

/* Where runs have the machine code's cycles, the pages' are others. */
static void clock_note(const tc_session *s, const tc_course *c, tc_buf *b) {
    if (c->at == 0 && tc_load_has_machine_code()) {
        tc_describe_wrapped(b,
                            "(In a lesson cycles are reckoned from the PTX, as "
                            "its pages have them; elsewhere, as ptxas is here, "
                            "from the machine code.)",
                            0, 0, s->options.width);
        tc_buf_putc(b, '\n');
    }
}

/* The screen that the lesson is at. */
static void show(tc_session *s, tc_course *c, tc_reply *r) {
    const tc_lesson_screen *x = &c->screens.items[c->at];
    json_t *of = tc_progress_of(c->lesson->name);
    bool done = x->task != NULL && tc_progress_done(of, x->task->id);
    c->hints = 0;
    c->wrong = NULL;
    tc_course_give_names(s, c);
    head(&r->text, c);
    tc_buf_printf(&r->text, "%s\n", x->text);
    if (x->task != NULL && x->task->kind == TC_TASK_TYPE && !done) {
        tc_course_make_ready(s, x->task, &r->text);
    }
    clock_note(s, c, &r->text);
    foot(&r->text, c, done);
    if (s->options.json) {
        r->json = screen_json(c, done);
    }
    json_decref(of);
    keep_place(s, c);
}

tc_status tc_cmd_next(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_course *c = need_lesson(s, args->span);
    if (c == NULL) {
        return TC_FAILED;
    }
    if (c->at + 1 == c->screens.n) {
        tc_error(&s->diags, args->span, "`lesson` lists the others",
                 "this is the lesson's last screen");
        return TC_FAILED;
    }
    c->at++;
    show(s, c, r);
    return TC_OK;
}

tc_status tc_cmd_back(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_course *c = need_lesson(s, args->span);
    if (c == NULL) {
        return TC_FAILED;
    }
    if (c->at == 0) {
        tc_error(&s->diags, args->span, "`next` goes on",
                 "this is the lesson's first screen");
        return TC_FAILED;
    }
    c->at--;
    show(s, c, r);
    return TC_OK;
}

tc_status tc_cmd_reset(tc_session *s, const tc_command_args *args,
                       tc_reply *r) {
    tc_course *c = need_lesson(s, args->span);
    char why[TC_FILE_WHY];
    if (c == NULL) {
        return TC_FAILED;
    }
    if (!tc_progress_reset(c->lesson->name, why)) {
        tc_course_not_kept(s, why);
    }
    tc_course_files(c->lesson, true);
    c->at = 0;
    show(s, c, r);
    tc_buf_puts(&r->text,
                "(Its files are as they were given, its tasks open.)\n");
    return TC_OK;
}

/* --- lesson ----------------------------------------------------------------*/

/* The folder of a lesson's files is left out of what is said; NULL: none is. */
static void name_folder(tc_session *s, const tc_lesson *l) {
    tc_arena *a = tc_arena_new();
    const char *folder = l != NULL ? tc_course_file(a, l, "") : NULL;
    free(s->own_folder);
    s->own_folder = folder != NULL ? tc_xstrdup(folder) : NULL;
    tc_arena_free(a);
}

typedef struct lesson_list {
    tc_session *session;
    tc_arena *arena;
    tc_buf *text;
    json_t *json;
    int n;
} lesson_list;

/* Reads without a word: a broken lesson is listed by its name alone. */
static tc_lesson *read_quietly(tc_arena *a, const char *name) {
    tc_diags none = {0};
    const char *path = tc_library_path(a, name);
    const char *text = path != NULL ? tc_library_text(a, path) : NULL;
    return text != NULL ? tc_lesson_read(name, path, text, &none) : NULL;
}

/* Its name, how many of its tasks are done, its title. */
static void list_one(void *user, const char *name) {
    lesson_list *l = user;
    tc_lesson *lesson = read_quietly(l->arena, name);
    json_t *of = tc_progress_of(name), *step = json_object_get(of, "step");
    int tasks = lesson ? lesson->ntasks : 0, done = tc_progress_count(of);
    const char *title = lesson ? lesson->title : "(it cannot be read)";
    char count[16] = "";
    done = done > tasks ? tasks : done;
    if (tasks > 0) {
        snprintf(count, sizeof count, "%d/%d", done, tasks);
    }
    tc_buf line = TC_BUF_INIT;
    tc_buf_puts(&line, title);
    if (step != NULL && (tasks == 0 || done < tasks)) {
        tc_buf_printf(&line, " (step %d)", (int)json_integer_value(step));
    }
    tc_buf_printf(l->text, "  %-25s %-5s ", name, count);
    tc_describe_wrapped(l->text, line.data, 34, 34, l->session->options.width);
    tc_buf_free(&line);
    json_array_append_new(
        l->json,
        json_pack("{s:s,s:s,s:i,s:i,s:i,s:O}", "name", name, "title", title,
                  "steps", lesson ? lesson->nsteps - 1 : 0, "tasks", tasks,
                  "done", done, "step", step ? step : json_null()));
    json_decref(of);
    tc_lesson_free(lesson);
    l->n++;
}

static void list(tc_session *s, tc_reply *r) {
    lesson_list l = {s, tc_arena_new(), &r->text, json_array(), 0};
    tc_course *c = s->course;
    if (c != NULL) {
        tc_buf_printf(&r->text,
                      "Left lesson %.2s; `lesson %.2s` goes on there.\n",
                      c->lesson->name, c->lesson->name);
        leave(c);
        s->course = NULL;
        name_folder(s, NULL);
        s->as_pages = false;
    }
    tc_library_each(false, list_one, &l);
    r->json = json_pack("{s:o}", "lessons", l.json);
    tc_buf_puts(&r->text, l.n ? "`lesson 01` begins one, or goes on where you "
                                "were.\n"
                              : "No lessons were found.\n");
    tc_arena_free(l.arena);
}

void tc_course_begin(tc_session *s, tc_lesson *l) {
    tc_course *c = tc_xcalloc(1, sizeof *c);
    json_t *of = tc_progress_of(l->name);
    int step = (int)json_integer_value(json_object_get(of, "step"));
    int item = (int)json_integer_value(json_object_get(of, "item"));
    leave(s->course);
    s->course = c;
    s->course_free = leave;
    s->as_pages = true;
    c->lesson = l;
    draw(s, c);
    c->at = tc_lesson_screens_find(&c->screens, step, item);
    json_decref(of);
    tc_course_files(l, false);
    name_folder(s, l);
    for (const char *const *a = tc_sim_archs(); l->arch && *a != NULL; a++) {
        if (strcmp(*a, l->arch) == 0) {
            s->options.arch = *a;
            tc_program_clear(&s->program);
        }
    }
}

tc_lesson *tc_course_open(tc_session *s, tc_arena *a,
                          const tc_command_value *name) {
    char found[TC_LESSON_NAME];
    const char *path = name->text;
    if (tc_ends_with(path, ".md")) {
        size_t len;
        const char *text = tc_read_source(s, a, path, name->span, &len);
        const char *slash = strrchr(path, '/'),
                   *base = slash ? slash + 1 : path;
        return text == NULL
                   ? NULL
                   : tc_lesson_read(tc_strndup(a, base, strlen(base) - 3), path,
                                    text, &s->diags);
    }
    int n = tc_library_find(path, found);
    if (n != 1) {
        tc_error(&s->diags, name->span, "`lesson` lists them",
                 n ? "several lessons are called '%s'"
                   : "there is no lesson '%s'",
                 name->text);
        return NULL;
    }
    path = tc_library_path(a, found);
    const char *text = tc_library_text(a, path);
    if (text == NULL) {
        tc_error(&s->diags, name->span, NULL, "cannot read '%s'", path);
        return NULL;
    }
    return tc_lesson_read(found, path, text, &s->diags);
}

/* All of a lesson, to be read. */
static void show_all(tc_session *s, const tc_lesson *l, tc_reply *r) {
    tc_markdown_style style = tc_course_style(s);
    tc_buf_printf(&r->text, "%s\n\n", l->title);
    for (int i = 0; i < l->nsteps; i++) {
        if (i > 0) {
            tc_buf_printf(&r->text, "%s\n\n", l->steps[i].title);
        }
        for (int k = 0; k < l->steps[i].nitems; k++) {
            tc_markdown_block(&r->text, l->steps[i].items[k].block, &style);
        }
    }
    r->json = json_pack("{s:s,s:s,s:s}", "name", l->name, "title", l->title,
                        "text", l->source->text);
}

tc_status tc_cmd_lesson(tc_session *s, const tc_command_args *args,
                        tc_reply *r) {
    const tc_command_value *name = tc_value_of(args, "NAME");
    const tc_command_value *file = tc_value_of(args, "LESSON");
    if (name == NULL) {
        list(s, r);
        return TC_OK;
    }
    if (strcmp(name->text, "check") == 0 || file != NULL) {
        return tc_course_check(s, file, r);
    }
    tc_arena *a = tc_arena_new();
    tc_lesson *l = tc_course_open(s, a, name);
    tc_arena_free(a);
    if (l == NULL) {
        return TC_FAILED;
    }
    if (tc_value_of(args, "--all") != NULL) {
        show_all(s, l, r);
        tc_lesson_free(l);
        return TC_OK;
    }
    tc_course_begin(s, l);
    show(s, s->course, r);
    return TC_OK;
}
