/* kernel_name.c - the name that a person gave a kernel, within the one that the
 * compiler made of it. */
#include "load/load.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A <source-name> of the Itanium C++ ABI (5.1.2): its length, then itself.
 * Returns what follows, or NULL. */
static const char *source_name(const char *s, const char **name, size_t *len) {
    if (!isdigit((unsigned char)*s)) {
        return NULL;
    }
    char *end;
    unsigned long n = strtoul(s, &end, 10);
    if (n == 0 || n > strlen(end)) {
        return NULL;
    }
    *name = end;
    *len = n;
    return end + n;
}

/* The last part of <nested-name> N [<CV>] (<source-name>)+ E, behind its N. */
static bool nested_name(const char *s, const char **name, size_t *len) {
    bool any = false;
    s += strspn(s, "rVK");
    while (*s != 'E' && *s != 'I') {
        s = source_name(s, name, len);
        if (s == NULL) {
            return false;
        }
        any = true;
    }
    return any;
}

const char *tc_kernel_name(const char *name, size_t *len) {
    const char *found;
    *len = strlen(name);
    if (strncmp(name, "_Z", 2) != 0) {
        return name;
    }
    const char *s = name + 2 + (name[2] == 'L'); /* L: a static function */
    if (*s == 'N' ? nested_name(s + 1, &found, len)
                  : source_name(s, &found, len) != NULL) {
        return found;
    }
    *len = strlen(name);
    return name;
}
