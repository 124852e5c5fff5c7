/* near.c - see near.h. */
#include "base/near/near.h"
#include "base/buf.h"
#include "base/diag.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST = 4096, /* names of a folder that are looked at */
    TOLD = 4     /* of those that are told */
};

typedef struct name_list {
    const char **all;
    int n, cap;
} name_list;

static bool is_ours(const char *name) {
    static const char *const ends[] = {".py", ".cu", ".ptx", ".trace", ".tcs"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof ends / sizeof *ends; i++) {
        if (strcmp(dot, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int by_name(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* In their order, hidden ones left out. */
static name_list names_in(tc_arena *a, const char *folder) {
    name_list l = {0};
    DIR *d = opendir(*folder != '\0' ? folder : ".");
    for (struct dirent *e;
         d != NULL && l.n < MOST && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] != '.') {
            TC_PUSH(a, l.all, l.n, l.cap, tc_strdup(a, e->d_name));
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    if (l.n > 0) {
        qsort(l.all, (size_t)l.n, sizeof *l.all, by_name);
    }
    return l;
}

static bool is_stem(const char *name, const char *stem) {
    size_t n = strlen(stem);
    return strncmp(name, stem, n) == 0 && name[n] == '.' && is_ours(name);
}

/* The one of the names that is the word with an ending that we load, else the
 * nearest. */
static const char *near_name(const name_list *l, const char *word) {
    for (int i = 0; i < l->n && *word != '\0'; i++) {
        if (is_stem(l->all[i], word)) {
            return l->all[i];
        }
    }
    return tc_diag_nearest(word, l->all, l->n);
}

/* "a/b" -> "a/"; "b" -> "". */
static const char *folder_part(tc_arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? tc_strndup(a, path, (size_t)(slash - path) + 1) : "";
}

static const char *in_folder(tc_arena *a, const char *folder,
                             const char *name) {
    name_list l = names_in(a, folder);
    const char *near = near_name(&l, name);
    return near != NULL ? tc_format(a, "%s%s", folder, near) : NULL;
}

/* The folder itself may be misspelt: then the file is in the one that is meant. */
static const char *in_near_folder(tc_arena *a, const char *folder,
                                  const char *name) {
    const char *bare = tc_strndup(a, folder, strlen(folder) - 1);
    const char *above = folder_part(a, bare);
    const char *near = in_folder(a, above, bare + strlen(above));
    const char *path = near != NULL ? tc_format(a, "%s/%s", near, name) : NULL;
    return path != NULL && access(path, F_OK) == 0 ? path : NULL;
}

static const char *contents(tc_arena *a, const char *folder) {
    name_list l = names_in(a, folder);
    tc_buf b = TC_BUF_INIT;
    int told = 0;
    for (int i = 0; i < l.n && told <= TOLD; i++) {
        if (is_ours(l.all[i]) && told++ < TOLD) {
            tc_buf_printf(&b, "%s%s", told > 1 ? ", " : "it has ", l.all[i]);
        }
    }
    tc_buf_puts(&b, told > TOLD ? ", ..." : "");
    return told > 0 ? tc_buf_finish(&b, a) : (tc_buf_free(&b), NULL);
}

const char *tc_file_near(tc_arena *a, const char *path) {
    struct stat s;
    const char *folder = folder_part(a, path);
    const char *name = path + strlen(folder);
    if (stat(path, &s) == 0) {
        return S_ISDIR(s.st_mode) ? contents(a, path) : NULL;
    }
    bool there = *folder == '\0' || access(folder, F_OK) == 0;
    const char *near =
        there ? in_folder(a, folder, name) : in_near_folder(a, folder, name);
    return near != NULL ? tc_format(a, "did you mean %s?", near) : NULL;
}
