/* supply.c - a session's last run as the view wants it. */
#include "view/supply.h"

#include <signal.h>
#include <string.h>

/* ---- names ---- */

typedef struct supply_text {
    tc_buf *b;
} supply_text;

static void collect(void *user, const char *text, size_t len) {
    tc_buf_write(((supply_text *)user)->b, text, len);
}

static bool element(void *user, uint64_t address, tc_buf *out) {
    supply_text c = {out};
    return tc_session_element(user, address, collect, &c);
}

/* ---- the machine ---- */

/* Ctrl-C ends a question to it. */
static tc_session *asked;

static void interrupt(int sig) {
    (void)sig;
    tc_session_interrupt(asked, false);
}

static void ask(tc_session *s, const char *command, tc_buf *out) {
    struct sigaction act = {.sa_handler = interrupt}, before;
    sigset_t only, mask;
    supply_text c = {out};
    asked = s;
    sigemptyset(&only);
    sigaddset(&only, SIGINT);
    sigaction(SIGINT, &act, &before);
    pthread_sigmask(SIG_UNBLOCK, &only, &mask);
    tc_session_ask(s, command, collect, &c);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGINT, &before, NULL);
}

/* `state` without its first lines, which say where warps are. */
static const char *behind_warps(const char *text) {
    while (*text != '\0' && (strncmp(text, "at cycle", 8) == 0 ||
                             strncmp(text, "    warp ", 9) == 0)) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

static void machine(void *user, uint64_t cycle, uint32_t cta, uint32_t warp,
                    const char *name, tc_buf *out) {
    tc_buf command = TC_BUF_INIT, text = TC_BUF_INIT;
    tc_buf_printf(&command, "state %llu cta %u warp %u %s",
                  (unsigned long long)cycle, cta, warp, name);
    ask(user, tc_buf_text(&command), &text);
    tc_buf_puts(out, behind_warps(tc_buf_text(&text)));
    tc_buf_free(&text);
    tc_buf_free(&command);
}

/* ---- all of it ---- */

static void add_text(tc_view_supply *from, tc_session *s, bool ptx) {
    tc_session_text_of t;
    if (tc_session_text(s, ptx, &t)) {
        from->texts[from->ntexts++] =
            (tc_view_text){t.name, t.text, t.len, t.first_line, ptx};
    }
}

/* Two runs that were kept: what there is of them is their events. */
static tc_view_supply compared(const struct tc_trace *a, const char *name_a,
                               const struct tc_trace *b, const char *name_b) {
    return (tc_view_supply){.model = tc_model_new(a),
                            .name = name_a,
                            .other = tc_model_new(b),
                            .other_name = name_b};
}

tc_view_supply tc_supply_of(tc_session *s) {
    enum { SHORT = 20000 }; /* events: made again in some milliseconds */
    const char *names[2];
    const tc_trace *t = tc_session_trace(s);
    const tc_trace *a = tc_session_compared(s, 0, &names[0]);
    const tc_trace *b = tc_session_compared(s, 1, &names[1]);
    if (a != NULL && b != NULL) {
        return compared(a, names[0], b, names[1]);
    }
    tc_view_supply from = {.model = tc_model_new(t),
                           .name = "",
                           .element = element,
                           .machine = machine,
                           .cheap = t->n < SHORT && t->dropped == 0,
                           .user = s};
    add_text(&from, s, false);
    add_text(&from, s, true);
    return from;
}

void tc_supply_free(tc_view_supply *from) {
    tc_model_free((tc_model *)from->model);
    tc_model_free((tc_model *)from->other);
    *from = (tc_view_supply){0};
}
