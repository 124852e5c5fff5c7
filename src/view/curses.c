/* The timeline view on a terminal: keys in, cells out, and the terminal always
 * given back. Signals are blocked and read from a descriptor while the view is
 * up, so that no handler runs at a bad moment; afterwards every handler and
 * mask is as it was, and a signal that ends or stops the program does so with
 * the terminal restored. */
#include "trace/timeline.h"
#include "trace/trace.h"
#include "view/screen.h"
#include "view/view.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

/* After the standard headers: it defines common words as macros. */
#define NCURSES_WIDECHAR 1
#include <curses.h>

static const int watched[] = {SIGINT,  SIGTERM,  SIGHUP, SIGQUIT,
                              SIGTSTP, SIGWINCH, SIGCONT};
enum { WATCHED = sizeof watched / sizeof *watched };

typedef struct terminal {
    SCREEN *screen;
    int signals; /* signalfd */
    sigset_t before;
    struct sigaction handlers[WATCHED]; /* before newterm put its own */
    struct termios modes;
    char *locale; /* LC_CTYPE before */
    int ended_by; /* a signal to raise again once all is restored, or 0 */
} terminal;

static bool complain(const char *what) {
    fprintf(stderr, "timeline: %s\n", what);
    return false;
}

static void give_back(terminal *t) {
    if (t->screen != NULL) {
        endwin();
        delscreen(t->screen);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &t->modes);
    }
    if (t->signals >= 0) {
        close(t->signals);
    }
    for (int i = 0; i < WATCHED; i++) {
        sigaction(watched[i], &t->handlers[i], NULL);
    }
    setlocale(LC_CTYPE, t->locale);
    free(t->locale);
    if (t->ended_by != 0) {
        raise(t->ended_by); /* blocked until the mask is back */
    }
    pthread_sigmask(SIG_SETMASK, &t->before, NULL);
}

static bool take(terminal *t) {
    *t = (terminal){.signals = -1};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &t->modes) != 0) {
        return complain("this needs a terminal");
    }
    const char *locale = setlocale(LC_CTYPE, NULL);
    t->locale = tc_xstrdup(locale != NULL ? locale : "C");
    setlocale(LC_CTYPE, "");
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < WATCHED; i++) {
        sigaddset(&set, watched[i]);
        sigaction(watched[i], NULL, &t->handlers[i]);
    }
    pthread_sigmask(SIG_BLOCK, &set, &t->before);
    t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    t->screen = t->signals < 0 ? NULL : newterm(NULL, stdout, stdin);
    if (t->screen == NULL) {
        give_back(t);
        return complain("this terminal cannot show it (is TERM set?)");
    }
    set_escdelay(50);
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    curs_set(0);
    return true;
}

static void show(const tc_view *v) {
    static const attr_t attrs[] = {[TC_PLAIN] = A_NORMAL,
                                   [TC_BOLD] = A_BOLD,
                                   [TC_REVERSE] = A_REVERSE,
                                   [TC_DIM] = A_DIM};
    tc_screen s = tc_view_draw(v, LINES, COLS);
    erase();
    for (int y = 0; y < s.lines; y++) {
        for (int x = 0; x < s.cols; x++) {
            const tc_cell *c = &s.cells[(size_t)y * (size_t)s.cols + (size_t)x];
            wchar_t text[2] = {(wchar_t)c->c, L'\0'};
            if (!v->unicode && c->c > 126) {
                text[0] = L'?';
            }
            cchar_t cell;
            setcchar(&cell, text, attrs[c->attr], 0, NULL);
            mvadd_wch(y, x, &cell); /* fails harmlessly at the last corner */
        }
    }
    refresh();
    tc_screen_free(&s);
}

static void resize(void) {
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 0 &&
        w.ws_col > 0) {
        resizeterm(w.ws_row, w.ws_col);
    }
}

/* Stops as the shell asked, with the terminal restored; comes back here when
 * the program is put in the foreground again. */
static void suspend(void) {
    struct sigaction stop = {.sa_handler = SIG_DFL}, ours;
    sigset_t only, mask;
    endwin();
    sigemptyset(&only);
    sigaddset(&only, SIGTSTP);
    sigaction(SIGTSTP, &stop, &ours);
    raise(SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &only, &mask); /* stops here */
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &ours, NULL);
    resize();
    clearok(curscr, TRUE);
    refresh();
}

static void heed_signals(terminal *t, tc_view *v) {
    struct signalfd_siginfo info;
    while (read(t->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        switch (info.ssi_signo) {
        case SIGWINCH:
            resize();
            break;
        case SIGTSTP:
            suspend();
            break;
        case SIGCONT: /* stopped by force: the screen may be another's */
            resize();
            clearok(curscr, TRUE);
            break;
        case SIGINT:
            v->quit = true;
            break;
        default:
            t->ended_by = (int)info.ssi_signo;
            v->quit = true;
        }
    }
}

static tc_view_key key_of(int c) {
    static const struct {
        int c;
        tc_view_key key;
    } keys[] = {
        {KEY_LEFT, TC_KEY_LEFT},     {'h', TC_KEY_LEFT},
        {KEY_RIGHT, TC_KEY_RIGHT},   {'l', TC_KEY_RIGHT},
        {KEY_UP, TC_KEY_UP},         {'k', TC_KEY_UP},
        {KEY_DOWN, TC_KEY_DOWN},     {'j', TC_KEY_DOWN},
        {KEY_HOME, TC_KEY_HOME},     {'g', TC_KEY_HOME},
        {KEY_END, TC_KEY_END},       {'G', TC_KEY_END},
        {KEY_PPAGE, TC_KEY_PAGE_UP}, {KEY_NPAGE, TC_KEY_PAGE_DOWN},
        {'+', TC_KEY_ZOOM_IN},       {'=', TC_KEY_ZOOM_IN},
        {'-', TC_KEY_ZOOM_OUT},      {'0', TC_KEY_FIT},
        {'a', TC_KEY_ALL},           {'?', TC_KEY_HELP},
        {'q', TC_KEY_QUIT},          {'Q', TC_KEY_QUIT},
        {27, TC_KEY_QUIT},           {' ', TC_KEY_RIGHT},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].c == c) {
            return keys[i].key;
        }
    }
    return TC_KEY_NONE;
}

static void loop(terminal *t, tc_view *v) {
    struct pollfd in[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                          {.fd = t->signals, .events = POLLIN}};
    while (!v->quit) {
        show(v);
        if (poll(in, 2, -1) < 0 && errno != EINTR) {
            return;
        }
        heed_signals(t, v);
        bool any = false;
        for (int c; !v->quit && (c = getch()) != ERR;) {
            any = true;
            if (c != KEY_RESIZE) { /* resize() itself says so: done already */
                tc_view_press(v, key_of(c), COLS);
            }
        }
        if (!any && (in[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            return; /* end of input: the terminal is gone */
        }
    }
}

static const char *session_line(const void *user, int line, int *len) {
    return tc_session_source_line(user, line, len);
}

int tc_view_timeline(tc_session *s) {
    const tc_trace *trace = tc_session_trace(s);
    if (trace == NULL || trace->n == 0) {
        complain("nothing has run yet, or the trace is off: type run first");
        return -1;
    }
    terminal t;
    tc_timeline *tl = tc_timeline_new(trace);
    bool ok = tl->nrows > 0 && take(&t);
    if (ok) {
        bool unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
        tc_view v = tc_view_start(tl, unicode, session_line, s);
        loop(&t, &v);
        give_back(&t);
    }
    tc_timeline_free(tl);
    return ok ? 0 : -1;
}
