/* client.c - what a full-screen client asks beside the dialogue. */
#include "commands/commands.h"
#include "run/run.h"

#include <string.h>

bool tc_session_element(tc_session *s, uint64_t address, tc_output_fn fn,
                        void *user) {
    if (s->program.run == NULL || s->program.run->module == NULL) {
        return false; /* a loaded trace: its buffers have no layouts */
    }
    const char *name = tc_address_name(s, TC_PS_SHARED, address);
    if (strchr(name, '[') == NULL) {
        return false;
    }
    fn(user, name, strlen(name));
    return true;
}

/* The client's own functions, while another one listens. */
typedef struct tc_client_listener {
    tc_output_fn fn;
    void *user;
} tc_client_listener;

static void on_diag(void *user, const tc_diag *d) {
    const tc_client_listener *l = user;
    if (d->severity == TC_ERROR) {
        l->fn(l->user, d->message, strlen(d->message));
        l->fn(l->user, "\n", 1);
    }
}

static void on_output(void *user, const char *text, size_t len) {
    const tc_client_listener *l = user;
    l->fn(l->user, text, len);
}

tc_status tc_session_ask(tc_session *s, const char *command, tc_output_fn fn,
                         void *user) {
    tc_client_listener l = {fn, user};
    tc_options options = s->options;
    tc_diag_fn diag = s->diag;
    tc_output_fn output = s->output;
    void *mine = s->user;
    bool found = s->had_findings, recording = s->recording;
    s->recording = false;
    s->diag = on_diag;
    s->output = on_output;
    s->user = &l;
    s->options.json = s->options.terminal = s->options.view = false;
    tc_status status = tc_session_eval(s, command);
    s->options = options;
    s->diag = diag;
    s->output = output;
    s->user = mine;
    s->had_findings = found;
    s->recording = recording;
    return status;
}
