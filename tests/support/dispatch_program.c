/* dispatch_program.c - from program text to a decision. */
#include "dispatch_program.h"

static void keep_diag(void *user, const tc_diag *d) {
    program *p = user;
    if (p->message[0] == '\0') {
        snprintf(p->message, sizeof p->message, "%s", d->message);
        p->line = d->line;
    }
}

bool program_read(program *p, const char *text) {
    tc_node_list list = {0};
    bool has_value;
    tc_value value;
    *p = (program){.a = tc_arena_new()};
    p->source = (tc_source){"test.py", text, strlen(text), 1};
    p->diags = (tc_diags){.fn = keep_diag, .user = p};
    tc_front front = {p->a, &p->diags, true, NULL};
    if (!tc_parse(p->a, &p->source, &p->diags, &list) ||
        !tc_front_run(&front, tc_env_new(p->a), &list, &value, &has_value,
                      &p->func) ||
        p->func == NULL) {
        p->func = NULL;
        return false;
    }
    tc_dispatch(p->a, p->func, true, &p->decisions);
    return true;
}
