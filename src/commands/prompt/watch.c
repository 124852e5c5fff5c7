/* watch.c - watch and history: what the client is asked to do. */
#include "base/near/near.h"
#include "commands/commands.h"
#include "commands/course.h"

#include <errno.h>

#include <string.h>
#include <unistd.h>

/* The file that `watch` without a name means. */
static const char *newest_file(const tc_session *s) {
    if (s->file_is_newest && s->nfiles > 0) {
        return s->files[s->nfiles - 1]->source->name;
    }
    const tc_func *f = s->program.func;
    const char *name = f != NULL && f->source ? f->source->name : "<";
    return name[0] != '<' ? name : NULL;
}

/* What is evaluated at each save where the user names nothing. */
static const char **usual_commands(tc_session *s, const char *path, int *n) {
    const char **all = TC_NEWN(s->asked, const char *, 2);
    *n = 0;
    if (tc_ends_with(path, ".cu") && s->exercise != NULL) {
        all[(*n)++] = tc_format(s->asked, "grade %s \"%s\"", s->exercise, path);
    } else if (tc_ends_with(path, ".cu")) {
        all[(*n)++] = "run";
    } else if (!tc_ends_with(path, ".ptx")) {
        all[(*n)++] = "why";
        all[(*n)++] = "run";
    }
    return all;
}

static const char **own_commands(tc_session *s, const tc_command_value *first,
                                 int n) {
    const char **all = TC_NEWN(s->asked, const char *, n);
    for (int i = 0; i < n; i++) {
        all[i] = tc_strdup(s->asked, first[i].text);
    }
    return all;
}

tc_status tc_cmd_watch(tc_session *s, const tc_command_args *args,
                       tc_reply *r) {
    (void)r;
    const tc_command_value *file = tc_value_of(args, "FILE"), *first;
    tc_client_request q = {.kind = TC_CLIENT_WATCH};
    q.path =
        file != NULL ? tc_course_path(s, s->asked, file->text) : newest_file(s);
    if (q.path == NULL) {
        tc_error(&s->diags, args->span, "watch FILE", "no file is loaded");
        return TC_FAILED;
    }
    if (access(q.path, R_OK) != 0) {
        int e = errno;
        tc_error(&s->diags, args->span, tc_file_near(s->asked, q.path),
                 "cannot read '%s': %s", q.path, strerror(e));
        return TC_FAILED;
    }
    q.path = tc_strdup(s->asked, q.path);
    q.n = tc_values_of(args, "COMMAND", &first);
    q.commands =
        q.n > 0 ? own_commands(s, first, q.n) : usual_commands(s, q.path, &q.n);
    s->request = q;
    return TC_OK;
}

tc_status tc_cmd_history(tc_session *s, const tc_command_args *args,
                         tc_reply *r) {
    enum { USUAL = 20 };
    const tc_command_value *n = tc_value_of(args, "N");
    if (!s->options.terminal) {
        tc_error(&s->diags, args->span, "`save` writes what a script entered",
                 "history is kept of a prompt only");
        return TC_FAILED;
    }
    (void)r;
    s->request = (tc_client_request){.kind = TC_CLIENT_HISTORY,
                                     .n = n != NULL ? (int)n->number : USUAL};
    return TC_OK;
}
