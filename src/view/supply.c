/* supply.c - a session's last run as the view wants it. */
#include "view/supply.h"

#include <signal.h>
#include <stdlib.h>
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

static int32_t count_lines(const char *text) {
    int32_t n = 0;
    for (const char *p = text; *p != '\0'; n++) {
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return n;
}

static uint32_t *find_starts(const char *text, int32_t n) {
    uint32_t *starts = tc_xcalloc((size_t)n + 1, sizeof *starts);
    const char *p = text;
    for (int32_t i = 0; i < n; i++) {
        p += strcspn(p, "\n");
        p += *p == '\n';
        starts[i + 1] = (uint32_t)(p - text);
    }
    return starts;
}

static int32_t *read_origins(const char *text, int32_t n) {
    int32_t *origins = tc_xcalloc((size_t)n + 1, sizeof *origins);
    for (int32_t i = 0; i < n && *text != '\0'; i++) {
        origins[i] = (int32_t)strtol(text, (char **)&text, 10);
        text += *text == ' ';
    }
    return origins;
}

static void add_texts(tc_view_supply *from, const tc_trace *t) {
    for (size_t i = 0; i < t->ntexts && from->ntexts < TC_VIEW_TEXTS; i++) {
        const tc_trace_text *x = &t->texts[i];
        int32_t n = count_lines(x->text);
        from->texts[from->ntexts++] = (tc_view_text){
            .name = x->name,
            .text = x->text,
            .starts = find_starts(x->text, n),
            .first_line = x->first_line,
            .nlines = n,
            .lines = (tc_trace_lines)x->lines,
            .origins =
                x->lines == TC_LINES_MADE ? read_origins(x->origins, n) : NULL,
        };
    }
}

/* Two runs that were kept: of them there are events and the first one's texts. */
static tc_view_supply compared(const struct tc_trace *a, const char *name_a,
                               const struct tc_trace *b, const char *name_b) {
    tc_view_supply from = {.model = tc_model_new(a),
                           .name = name_a,
                           .other = tc_model_new(b),
                           .other_name = name_b,
                           .no_machine = "of runs that are compared there are "
                                         "events, no values"};
    add_texts(&from, a);
    return from;
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
                           .no_machine = tc_session_no_state(s),
                           .user = s};
    if (from.no_machine == NULL) {
        from.machine = machine;
        from.cheap = t->n < SHORT && t->dropped == 0;
    }
    add_texts(&from, t);
    return from;
}

void tc_supply_free(tc_view_supply *from) {
    tc_model_free((tc_model *)from->model);
    tc_model_free((tc_model *)from->other);
    for (int i = 0; i < from->ntexts; i++) {
        free(from->texts[i].starts);
        free(from->texts[i].origins);
    }
    *from = (tc_view_supply){0};
}
