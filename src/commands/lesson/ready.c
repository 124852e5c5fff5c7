/* ready.c - what the session of a learner lacks who reads on without typing the
 * examples: names that they give, and the program of a task to type. */
#include "commands/course.h"

#include "course/library.h"
#include "front/front.h"
#include "session/loaded.h"
#include <string.h>

/* --- names -----------------------------------------------------------------*/

/* "rows = TileLayout(...)" gives a name: its length, 0 for other lines. */
static size_t given_name(const char *line) {
    size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return n > 0 && strncmp(line + n, " = ", 3) == 0 ? n : 0;
}

/* Evaluates a line without a word if it gives a name that is not there. */
static void give_name(tc_session *s, tc_arena *a, const char *line) {
    size_t n = given_name(line);
    if (n > 0 && tc_env_get(s->env, tc_strndup(a, line, n)) == NULL) {
        json_decref(tc_course_ask(s, line));
    }
}

static void give_names(tc_session *s, tc_arena *a, cmark_node *block) {
    static const char prompt[] = "tilecopy> ";
    const char *info = cmark_node_get_type(block) == CMARK_NODE_CODE_BLOCK
                           ? cmark_node_get_fence_info(block)
                           : "";
    const char *p =
        strcmp(info, "tilecopy") == 0 ? cmark_node_get_literal(block) : "";
    while (*p != '\0') {
        size_t n = strcspn(p, "\n"), skip = sizeof prompt - 1;
        if (strncmp(p, prompt, skip) == 0) {
            give_name(s, a, tc_strndup(a, p + skip, n - skip));
        }
        p += n + (p[n] == '\n');
    }
}

void tc_course_give_names(tc_session *s, const tc_course *c) {
    const tc_lesson_screen *at = &c->screens.items[c->at];
    tc_arena *a = tc_arena_new();
    for (int i = 0; i <= at->step && i < c->lesson->nsteps; i++) {
        const tc_lesson_step *step = &c->lesson->steps[i];
        int n = i < at->step ? step->nitems : at->item;
        for (int k = 0; k < n && k < step->nitems; k++) {
            give_names(s, a, step->items[k].block);
        }
    }
    tc_arena_free(a);
}

/* --- the program -----------------------------------------------------------*/

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static const char *current_file(const tc_session *s) {
    const tc_func *f = s->program.func;
    if (s->nfiles > 0 && (s->file_is_newest || f == NULL)) {
        return s->files[s->nfiles - 1]->source->name;
    }
    return f != NULL && f->source != NULL ? f->source->name : "";
}

bool tc_course_make_ready(tc_session *s, const tc_task *t, tc_buf *said) {
    bool loads = t->load != NULL &&
                 strcmp(base_name(current_file(s)), base_name(t->load)) != 0;
    tc_arena *a = tc_arena_new();
    if (loads) {
        json_decref(tc_course_ask(s, tc_format(a, "load %s", t->load)));
        tc_buf_printf(said, "(`load %s` was done for you.)\n\n", t->load);
    }
    int at = 0;
    const tc_task_line *l;
    while ((l = tc_task_next(t, "do", &at)) != NULL) {
        if (given_name(l->value) > 0) {
            give_name(s, a, l->value);
        } else if (loads) {
            json_decref(tc_course_ask(s, l->value));
        }
    }
    tc_arena_free(a);
    return loads;
}

/* --- an edit ---------------------------------------------------------------*/

static const char *loaded_text(const tc_session *s, const char *name) {
    const tc_func *f = s->program.func;
    const tc_source *of = s->nfiles > 0 && (s->file_is_newest || f == NULL)
                              ? s->files[s->nfiles - 1]->source
                          : f != NULL ? f->source
                                      : NULL;
    return of != NULL && strcmp(base_name(of->name), base_name(name)) == 0
               ? of->text
               : NULL;
}

const char *tc_course_edit_state(tc_session *s, tc_arena *a, const tc_task *t) {
    const tc_lesson *l = s->course->lesson;
    const tc_lesson_file *given = tc_lesson_file_of(l, t->load);
    const char *path = tc_course_file(a, l, t->load);
    const char *text = path != NULL ? tc_library_text(a, path) : NULL;
    const char *loaded = loaded_text(s, t->load);
    if (given == NULL || text == NULL) {
        return NULL;
    }
    if (strcmp(text, given->text) == 0) {
        bool typed = strcmp(current_file(s), "<input>") == 0;
        return typed
                   ? NULL
                   : tc_format(a, "(`%s` is as it was given: `edit` opens it.)",
                               t->load);
    }
    return loaded != NULL && strcmp(loaded, text) == 0
               ? NULL
               : tc_format(a,
                           "(You have changed `%s` and not loaded it since: "
                           "`load %s`.)",
                           t->load, t->load);
}
