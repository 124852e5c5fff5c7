/* library.c - finds lessons, by number, name and language. */
#include "course/library.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/share.h"
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 8 << 20 };

static bool folder(char *path, size_t size) {
    return tc_share_folder("lessons", "TILECOPY_LESSONS", path, size);
}

static int is_lesson(const struct dirent *d) {
    size_t n = strlen(d->d_name);
    return n > 6 && n < TC_LESSON_NAME &&
           isdigit((unsigned char)d->d_name[0]) &&
           isdigit((unsigned char)d->d_name[1]) &&
           strcmp(d->d_name + n - 3, ".md") == 0;
}

/* ".zh" of a translation, or "". */
static const char *suffix_of(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL && strlen(dot) == 3 ? dot : "";
}

/* The suffix of the user's language; locale(7): the first that is set. */
static void own_suffix(char out[4]) {
    static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    out[0] = '\0';
    for (size_t i = 0; i < 3; i++) {
        const char *v = getenv(variables[i]);
        if (v != NULL && v[0] != '\0') {
            if (isalpha((unsigned char)v[0]) && isalpha((unsigned char)v[1])) {
                snprintf(out, 4, ".%.2s", v);
            }
            return;
        }
    }
}

static bool exists(const char *name) {
    char top[PATH_MAX], path[PATH_MAX + TC_LESSON_NAME];
    if (!folder(top, sizeof top)) {
        return false;
    }
    snprintf(path, sizeof path, "%s/%s.md", top, name);
    return access(path, R_OK) == 0;
}

/* Has the name another file in the user's language? That name, then. */
static bool translated(const char *name, char out[TC_LESSON_NAME]) {
    char own[4];
    own_suffix(own);
    int n = snprintf(out, TC_LESSON_NAME, "%s%s", name, own);
    return own[0] != '\0' && n < TC_LESSON_NAME && exists(out);
}

void tc_library_each(bool all, void (*fn)(void *user, const char *name),
                     void *user) {
    char top[PATH_MAX], other[TC_LESSON_NAME];
    struct dirent **list;
    int n = folder(top, sizeof top) ? scandir(top, &list, is_lesson, alphasort)
                                    : -1;
    for (int i = 0; i < n; i++) {
        char *name = list[i]->d_name;
        name[strlen(name) - 3] = '\0';
        bool plain = suffix_of(name)[0] == '\0';
        if (all || plain) {
            fn(user, !all && translated(name, other) ? other : name);
        }
        free(list[i]);
    }
    if (n >= 0) {
        free(list);
    }
}

/* --- what a learner means --------------------------------------------------*/

typedef struct search {
    char word[TC_LESSON_NAME]; /* without its language */
    const char *suffix;        /* ".zh", or "": any */
    char *name;
    int n;
    bool exact;
} search;

/* 5 and 05 are lesson 05; a word is a beginning of the name, with or without
 * its number. */
static bool fits(const char *word, const char *name, bool *exact) {
    size_t n = strlen(word), len = strlen(name) - strlen(suffix_of(name));
    size_t digits = strspn(word, "0123456789");
    const char *bare = name + 3;
    if (n == 0 || len < 4) {
        return false;
    }
    if (digits == n) {
        return atoi(word) == atoi(name);
    }
    *exact = (n == len && strncmp(word, name, n) == 0) ||
             (n == len - 3 && strncmp(word, bare, n) == 0);
    return strncmp(name, word, n) == 0 || strncmp(bare, word, n) == 0;
}

static void consider(void *user, const char *name) {
    search *s = user;
    const char *suffix = suffix_of(name);
    bool exact = false;
    if (s->exact || strcmp(suffix, s->suffix) != 0 ||
        !fits(s->word, name, &exact)) {
        return;
    }
    s->n = exact ? 1 : s->n + 1;
    s->exact = exact;
    snprintf(s->name, TC_LESSON_NAME, "%s", name);
}

int tc_library_find(const char *word, char name[TC_LESSON_NAME]) {
    char other[TC_LESSON_NAME];
    search s = {.suffix = suffix_of(word), .name = name};
    snprintf(s.word, sizeof s.word, "%.*s",
             (int)(strlen(word) - strlen(s.suffix)), word);
    tc_library_each(true, consider, &s);
    if (s.n == 1 && s.suffix[0] == '\0' && translated(name, other)) {
        snprintf(name, TC_LESSON_NAME, "%s", other);
    }
    return s.n;
}

/* --- files -----------------------------------------------------------------*/

char *tc_library_path(tc_arena *a, const char *name) {
    char top[PATH_MAX];
    return folder(top, sizeof top) ? tc_format(a, "%s/%s.md", top, name) : NULL;
}

char *tc_library_text(tc_arena *a, const char *path) {
    char why[TC_FILE_WHY];
    tc_buf text = TC_BUF_INIT;
    if (!tc_file_read(&text, path, MOST_BYTES, NULL, why)) {
        tc_buf_free(&text);
        return NULL;
    }
    return tc_buf_finish(&text, a);
}

char *tc_library_program(tc_arena *a, const char *path) {
    char top[PATH_MAX];
    if (strncmp(path, "lessons/", 8) != 0 || strstr(path, "..") != NULL ||
        !folder(top, sizeof top)) {
        return NULL;
    }
    char *found = tc_format(a, "%s/%s", top, path + 8);
    return access(found, R_OK) == 0 ? found : NULL;
}
