/* share.c - where the program's lessons and exercises are, and a user's files.
 */
#include "base/share.h"
#include "base/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tc_share_folder(const char *name, const char *variable, char *path,
                     size_t size) {
    /* build/, an installation's bin/, build/clang/ */
    static const char *const places[] = {"..", "../share/tilecopy-repl",
                                         "../.."};
    const char *given = getenv(variable);
    if (given != NULL) {
        int n = snprintf(path, size, "%s", given);
        return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
    }
    char exe[3072];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[len > 0 ? len : 0] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, size, "%s/%s/%s", exe, places[i], name);
        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0) {
            return true;
        }
    }
    if (tc_bundle_folder(exe, sizeof exe)) {
        int n = snprintf(path, size, "%s/%s", exe, name);
        return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
    }
    return false;
}

/* mkdir -p, mode 0700, of everything before the last slash. */
static void make_folders(char *path) {
    for (char *p = strchr(path + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
        *p = '\0';
        mkdir(path, 0700); /* if it fails, opening the file will say so */
        *p = '/';
    }
}

bool tc_state_file(const char *name, char *path, size_t size) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (state != NULL && state[0] == '/') { /* a relative one is to be ignored:
                                               XDG Base Directory, section 2 */
        n = snprintf(path, size, "%s/tilecopy-repl/%s", state, name);
    } else if (home != NULL && home[0] == '/') {
        n = snprintf(path, size, "%s/.local/state/tilecopy-repl/%s", home,
                     name);
    }
    if (n < 0 || (size_t)n >= size) {
        return false;
    }
    make_folders(path);
    return true;
}
