/* watch.c - see watch.h. The folder is watched, not the file: editors put a new
 * file in the place of the old one (inotify(7)). */
#include "repl/watch.h"

#include "base/arena.h"
#include "base/buf.h"
#include "repl/signals.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

typedef struct tc_watched {
    char *path;
    const char *name; /* in its folder */
    char **commands;
    int n;
    int events; /* inotify's descriptor */
} tc_watched;

/* An editor writes in several steps: a round begins when it has been quiet for
 * so long. A signal that comes between two waits is seen this late. */
enum { QUIET_MS = 50, LATE_MS = 100 };

/* Has the file been written or replaced since the last time? */
static bool was_saved(const tc_watched *w) {
    char raw[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    bool saved = false;
    ssize_t n;
    while ((n = read(w->events, raw, sizeof raw)) > 0) {
        for (char *p = raw; p < raw + n;) {
            const struct inotify_event *e = (const void *)p;
            saved |= e->len > 0 && strcmp(e->name, w->name) == 0;
            p += sizeof *e + e->len;
        }
    }
    return saved;
}

/* Takes what was typed. False: it was nothing but the end of the input. */
static bool was_typed(void) {
    char key[256];
    return read(STDIN_FILENO, key, sizeof key) > 0;
}

/* Waits for the next save; false when the watching is to end. */
static bool wait_for_save(const tc_watched *w, bool reads_keys) {
    struct pollfd p[2] = {{.fd = w->events, .events = POLLIN},
                          {.fd = STDIN_FILENO, .events = POLLIN}};
    bool saved = false;
    while (!tc_signals_ended() && !tc_signals_interrupted()) {
        int n = poll(p, reads_keys ? 2 : 1, saved ? QUIET_MS : LATE_MS);
        if (n == 0 && saved) {
            return true;
        }
        if (n > 0 && reads_keys && p[1].revents != 0) {
            was_typed();
            return false;
        }
        if (n > 0 && (p[0].revents & (POLLERR | POLLNVAL)) != 0) {
            return false;
        }
        saved |= n > 0 && was_saved(w);
    }
    return false;
}

/* Loads the file and evaluates the commands; a failure ends the round. */
static void one_round(tc_shell *sh, const tc_watched *w) {
    tc_buf line = TC_BUF_INIT;
    tc_buf_printf(&line, "load \"%s\"", w->path);
    tc_shell_entry(sh, line.data);
    for (int i = 0; i < w->n && sh->last == TC_OK && !tc_signals_ended(); i++) {
        tc_shell_entry(sh, w->commands[i]);
    }
    tc_buf_free(&line);
    fflush(stdout);
}

static bool start(tc_watched *w, const tc_client_request *q) {
    w->path = tc_xstrdup(q->path);
    w->n = q->n;
    w->commands = tc_xcalloc((size_t)q->n + 1, sizeof *w->commands);
    for (int i = 0; i < q->n; i++) {
        w->commands[i] = tc_xstrdup(q->commands[i]);
    }
    char *folder = tc_xstrdup(w->path), *slash = strrchr(folder, '/');
    w->name = slash != NULL ? w->path + (slash - folder) + 1 : w->path;
    if (slash != NULL) {
        slash[slash == folder] = '\0';
    }
    w->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    bool ok = w->events >= 0 &&
              inotify_add_watch(w->events, slash != NULL ? folder : ".",
                                IN_CLOSE_WRITE | IN_MOVED_TO) >= 0;
    free(folder);
    return ok;
}

static void end(tc_watched *w) {
    for (int i = 0; i < w->n; i++) {
        free(w->commands[i]);
    }
    free(w->commands);
    free(w->path);
    if (w->events >= 0) {
        close(w->events);
    }
}

bool tc_watch(tc_shell *sh, const tc_client_request *q) {
    tc_watched w = {.events = -1};
    bool keys = sh->interactive, pages = sh->pages;
    if (!start(&w, q)) {
        fprintf(stderr, "%s cannot be watched: %s\n", w.path, strerror(errno));
        end(&w);
        sh->status = TC_FAILED;
        return sh->interactive;
    }
    sh->pages = false; /* a pager would wait for a key */
    do {
        one_round(sh, &w);
        if (tc_signals_ended() || tc_signals_interrupted()) {
            break;
        }
        printf("-- watching %s; %s ends it --\n", w.path,
               keys ? "Enter or Ctrl-C" : "Ctrl-C");
        fflush(stdout);
        tc_signals_begin(sh->session, 0, keys);
        bool again = wait_for_save(&w, keys);
        tc_signals_end();
        if (!again) {
            break;
        }
    } while (true);
    sh->pages = pages;
    end(&w);
    return !tc_signals_ended();
}
