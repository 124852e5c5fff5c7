/* lesson.c - lists the lessons and shows one as text.
 *
 * A lesson is a Markdown file NN-name.md in the folder lessons/. */
#include "commands/lesson.h"
#include "commands/commands.h"

#include "base/file.h"
#include "base/share.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool lessons_folder(char *path, size_t size) {
    return tc_share_folder("lessons", "TILECOPY_LESSONS", path, size);
}

static int is_lesson(const struct dirent *d) {
    size_t n = strlen(d->d_name);
    return n > 3 && d->d_name[0] >= '0' && d->d_name[0] <= '9' &&
           strcmp(d->d_name + n - 3, ".md") == 0;
}

void tc_lesson_names(void (*fn)(void *user, const char *name), void *user) {
    char folder[4096];
    struct dirent **list;
    int n = lessons_folder(folder, sizeof folder)
                ? scandir(folder, &list, is_lesson, alphasort)
                : -1;
    for (int i = 0; i < n; i++) {
        list[i]->d_name[strlen(list[i]->d_name) - 3] = '\0';
        fn(user, list[i]->d_name);
        free(list[i]);
    }
    if (n >= 0) {
        free(list);
    }
}

typedef struct chosen {
    const char *prefix;
    char name[256];
    int n; /* lessons that begin with prefix */
} chosen;

static void choose(void *user, const char *name) {
    chosen *c = user;
    if (strncmp(name, c->prefix, strlen(c->prefix)) == 0) {
        snprintf(c->name, sizeof c->name, "%s", name);
        c->n++;
    }
}

/* Lines that are for tools: "<!-- ... -->", and the blank one behind. */
static void drop_comments(tc_buf *text) {
    char *p;
    while (text->len > 0 && (p = strstr(text->data, "\n<!--")) != NULL) {
        char *end = strstr(p, "-->\n");
        if (end == NULL) {
            return;
        }
        end += 4 + (end[4] == '\n');
        memmove(p + 1, end, strlen(end) + 1);
        text->len = strlen(text->data);
    }
}

static char *read_lesson(tc_arena *a, const char *name) {
    char folder[4096], path[4500];
    if (!lessons_folder(folder, sizeof folder)) {
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s.md", folder, name);
    char why[TC_FILE_WHY];
    tc_buf text = TC_BUF_INIT;
    if (!tc_file_read(&text, path, TC_TEXT_LIMIT, NULL, why)) {
        tc_buf_free(&text);
        return NULL;
    }
    drop_comments(&text);
    return tc_buf_finish(&text, a);
}

typedef struct lesson_list {
    tc_arena *arena;
    tc_buf *text;
    json_t *json;
} lesson_list;

/* The name, and the title: the text of the first line after its "# ". */
static void list_one(void *user, const char *name) {
    lesson_list *l = user;
    char *text = read_lesson(l->arena, name);
    const char *title = text ? text + strspn(text, "# ") : "";
    int len = (int)strcspn(title, "\n");
    tc_buf_printf(l->text, "  %-18s %.*s\n", name, len, title);
    json_array_append_new(l->json, json_pack("{s:s,s:s%}", "name", name,
                                             "title", title, (size_t)len));
}

tc_status tc_cmd_lesson(tc_session *s, const tc_command_args *args,
                        tc_reply *r) {
    tc_arena *a = tc_arena_new();
    const tc_command_value *name = tc_value_of(args, "NAME");
    chosen c = {.prefix = name != NULL ? name->text : ""};
    tc_status status = TC_OK;
    tc_lesson_names(choose, &c);
    if (name == NULL) {
        lesson_list l = {a, &r->text, json_array()};
        tc_lesson_names(list_one, &l);
        r->json = json_pack("{s:o}", "lessons", l.json);
        tc_buf_puts(&r->text, c.n ? "Read one with `lesson NAME`.\n"
                                  : "No lessons were found.\n");
    } else if (c.n != 1) {
        tc_error(&s->diags, name->span, "`lesson` lists them",
                 c.n ? "several lessons begin with '%s'"
                     : "there is no lesson '%s'",
                 name->text);
        status = TC_FAILED;
    } else {
        char *text = read_lesson(a, c.name);
        tc_buf_puts(&r->text, text ? text : "");
        r->json =
            json_pack("{s:s,s:s}", "name", c.name, "text", text ? text : "");
    }
    tc_arena_free(a);
    return status;
}
