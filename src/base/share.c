/* share.c - where the program's lessons and exercises are. */
#include "base/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tc_share_folder(const char *name, const char *variable, char *path,
                     size_t size) {
    static const char *const places[] = {"..", "../share/tilecopy-repl"};
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
    return false;
}
