/* files.c - programs of lessons: where they are, whatever the folder that
 * the program was called from. A lesson's files lie in the user's state folder,
 * lessons/NAME/: what the learner edits, and in given/ what the lesson has. */
#include "commands/course.h"

#include "base/file.h"
#include "base/share.h"
#include "course/library.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char *file_at(tc_arena *a, const tc_lesson *l, const char *folder,
                     const char *name) {
    char path[PATH_MAX], inner[PATH_MAX];
    int n =
        snprintf(inner, sizeof inner, "lessons/%s/%s%s", l->name, folder, name);
    return n > 0 && (size_t)n < sizeof inner &&
                   tc_state_file(inner, path, sizeof path)
               ? tc_strdup(a, path)
               : NULL;
}

char *tc_course_file(tc_arena *a, const tc_lesson *l, const char *name) {
    return file_at(a, l, "", name);
}

char *tc_course_given(tc_arena *a, const tc_lesson *l, const char *name) {
    return file_at(a, l, "given/", name);
}

/* An equal file stays as it is, and builds of it stay good. */
static void put(const char *path, const char *text) {
    char why[TC_FILE_WHY];
    tc_buf there = TC_BUF_INIT;
    bool same = tc_file_read(&there, path, TC_TEXT_LIMIT, NULL, why) &&
                strcmp(tc_buf_text(&there), text) == 0;
    tc_buf_free(&there);
    if (!same) {
        tc_file_write(path, text, strlen(text), NULL, why);
    }
}

void tc_course_files(const tc_lesson *l, bool all) {
    tc_arena *a = tc_arena_new();
    for (int i = 0; i < l->nfiles; i++) {
        const tc_lesson_file *f = &l->files[i];
        const char *own = tc_course_file(a, l, f->name);
        const char *given = tc_course_given(a, l, f->name);
        if (own != NULL && (all || access(own, F_OK) != 0)) {
            put(own, f->text);
        }
        if (given != NULL) {
            put(given, f->text);
        }
    }
    tc_arena_free(a);
}

/* The learner's copy of a program of lessons/ where it was edited, else NULL. */
static const char *edited_copy(const tc_lesson *l, tc_arena *a,
                               const char *path) {
    const char *slash = strrchr(path, '/');
    const tc_lesson_file *f = strncmp(path, "lessons/", 8) == 0
                                  ? tc_lesson_file_of(l, slash + 1)
                                  : NULL;
    const char *own = f != NULL ? tc_course_file(a, l, f->name) : NULL;
    const char *text = own != NULL ? tc_library_text(a, own) : NULL;
    return text != NULL && strcmp(text, f->text) != 0 ? own : NULL;
}

const char *tc_course_path(tc_session *s, tc_arena *a, const char *path) {
    const tc_course *c = s->course;
    const char *edited = c != NULL ? edited_copy(c->lesson, a, path) : NULL;
    if (edited != NULL) {
        return edited;
    }
    if (c != NULL && tc_lesson_file_of(c->lesson, path) != NULL) {
        const char *own = tc_course_file(a, c->lesson, path);
        if (own != NULL && access(own, R_OK) == 0) {
            return own;
        }
    }
    if (access(path, F_OK) == 0) {
        return path;
    }
    if (c != NULL && strchr(path, '/') == NULL) { /* what a line made there */
        const char *made = tc_course_file(a, c->lesson, path);
        if (made != NULL && access(made, R_OK) == 0) {
            return made;
        }
    }
    const char *found = tc_library_program(a, path);
    return found != NULL ? found : path;
}

void tc_course_short_paths(tc_session *s, tc_buf *text) {
    const char *folder = s->own_folder;
    if (folder == NULL || s->asking || text->len == 0) {
        return;
    }
    size_t n = strlen(folder);
    for (char *at = text->data; (at = strstr(at, folder)) != NULL;) {
        text->len -= n;
        memmove(at, at + n, strlen(at + n) + 1);
    }
}

/* --- the shell's lines -----------------------------------------------------*/

bool tc_course_shell(tc_session *s, const char *line, size_t len) {
    char lessons[PATH_MAX];
    if (s->course == NULL || s->asking || !s->options.terminal || len < 3 ||
        strncmp(line, "$ ", 2) != 0) {
        return false;
    }
    char *folder = tc_course_file(s->asked, s->course->lesson, "lessons");
    if (folder == NULL) {
        return false;
    }
    if (tc_share_folder("lessons", "TILECOPY_LESSONS", lessons,
                        sizeof lessons)) {
        unlink(folder);
        bool linked = symlink(lessons, folder) == 0;
        (void)linked; /* lines that do not need them are obeyed without */
    }
    *strrchr(folder, '/') = '\0';
    const char **command = TC_NEWN(s->asked, const char *, 1);
    command[0] = tc_strndup(s->asked, line + 2, len - 2);
    s->request = (tc_client_request){
        .kind = TC_CLIENT_SHELL, .path = folder, .commands = command, .n = 1};
    return true;
}
