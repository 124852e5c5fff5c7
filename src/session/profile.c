/* profile.c - `set profile`: reads what the simulated machine's parts cost. */
#include "sim/profile.h"
#include "base/file.h"
#include "base/share.h"
#include "session/session.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

/* The file of that name; else src/calibrate/profiles/NAME.profile, which lies so
 * in an installation, too. */
static const char *path_of(tc_arena *a, const char *name) {
    char folder[PATH_MAX], path[PATH_MAX + 64];
    if (access(name, R_OK) != 0 &&
        tc_share_folder("src/calibrate/profiles", "TILECOPY_PROFILES", folder,
                        sizeof folder)) {
        snprintf(path, sizeof path, "%s/%s.profile", folder, name);
        if (access(path, R_OK) == 0) {
            return tc_strdup(a, path);
        }
    }
    return tc_strdup(a, name);
}

void tc_session_profile(tc_session *s, const char *name, tc_span at) {
    char why[TC_FILE_WHY];
    tc_buf text = TC_BUF_INIT;
    if (name == NULL) {
        s->profile = NULL;
        s->profile_name = NULL;
        return;
    }
    const char *path = path_of(s->arena, name);
    if (!tc_file_read(&text, path, MOST, &s->cancel, why)) {
        tc_error(&s->diags, at,
                 "a file that `calibrate` wrote, or h200, a100, b200",
                 "cannot read '%s': %s", path, why);
        tc_buf_free(&text);
        return;
    }
    tc_source *src = TC_NEW(s->arena, tc_source);
    size_t len = text.len;
    *src = (tc_source){path, tc_buf_finish(&text, s->arena), len, 1};
    const tc_profile *p =
        tc_profile_read(s->arena, src, tc_session_arch(s), &s->diags);
    if (p != NULL) { /* kept till the end: runs that are left have it */
        s->profile = p;
        s->profile_name = tc_strdup(s->arena, name);
    }
}
