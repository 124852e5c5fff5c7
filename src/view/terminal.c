/* terminal.c - ncurses: cells out, keys in. Signals are blocked and read from a
 * descriptor while the view is up, so that no handler runs at a bad moment;
 * afterwards every handler and mask is as it was, and a signal that ends or
 * stops the program does so with the terminal restored. A crash writes what
 * restores it before it takes its usual course. */
#include "view/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <wchar.h>

/* After the standard headers: they define common words as macros. */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
#undef lines
#undef columns

static const int watched[TC_WATCHED_SIGNALS] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCONT};
static const int fatal[TC_FATAL_SIGNALS] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE,
                                            SIGILL};

/* What a handler writes; length 0: no view is up. */
static struct {
    char text[256];
    volatile sig_atomic_t len;
    struct termios modes;
    tc_terminal *owner;
} rescue;

/* A shell may have taken the terminal back already, where the process above us
 * was killed: setting its modes then would stop us. */
static void set_modes(int when, const struct termios *modes) {
    sigset_t output, before;
    sigemptyset(&output);
    sigaddset(&output, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &output, &before);
    tcsetattr(STDIN_FILENO, when, modes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tc_terminal_restore(void) {
    size_t n = (size_t)rescue.len;
    if (n > 0) {
        rescue.len = 0;
        ssize_t done = write(STDOUT_FILENO, rescue.text, n);
        (void)done;
        set_modes(TCSANOW, &rescue.modes);
    }
}

static void crash(int sig) {
    tc_terminal_restore();
    for (int i = 0; i < TC_FATAL_SIGNALS; i++) {
        if (fatal[i] == sig) {
            sigaction(sig, &rescue.owner->fatal[i], NULL);
        }
    }
    raise(sig); /* blocked until this returns; a fault comes again anyway */
}

static void append(const char *capability) {
    const char *s = tigetstr(capability);
    size_t n = (size_t)rescue.len;
    if (s != NULL && s != (const char *)-1 && strchr(s, '$') == NULL &&
        n + strlen(s) < sizeof rescue.text) {
        memcpy(rescue.text + n, s, strlen(s));
        rescue.len = (sig_atomic_t)(n + strlen(s));
    }
}

static void watch_crashes(tc_terminal *t) {
    static const char mouse_off[] = "\033[?1000l\033[?1006l";
    struct sigaction act = {.sa_handler = crash};
    rescue.len = 0;
    rescue.modes = t->modes;
    rescue.owner = t;
    const char *mouse = tigetstr("kmous");
    if (mouse != NULL && mouse != (const char *)-1) {
        memcpy(rescue.text, mouse_off, sizeof mouse_off - 1);
        rescue.len = sizeof mouse_off - 1;
    }
    append("sgr0");
    append("cnorm");
    append("rmkx");
    append("rmcup");
    for (int i = 0; i < TC_FATAL_SIGNALS; i++) {
        sigaction(fatal[i], &act, &t->fatal[i]);
    }
}

static void unwatch_crashes(tc_terminal *t) {
    for (int i = 0; i < TC_FATAL_SIGNALS && rescue.owner == t; i++) {
        sigaction(fatal[i], &t->fatal[i], NULL);
    }
    rescue.len = 0;
    rescue.owner = NULL;
}

static bool complain(const char *what) {
    fprintf(stderr, "timeline: %s\n", what);
    return false;
}

void tc_terminal_give_back(tc_terminal *t) {
    if (t->screen != NULL) {
        sigset_t output;
        sigemptyset(&output);
        sigaddset(&output, SIGTTOU); /* until the mask is back */
        pthread_sigmask(SIG_BLOCK, &output, NULL);
        wmove(stdscr, LINES - 1, 0); /* where the prompt will stand, if there */
        wclrtoeol(stdscr);           /* is no other screen to come back to */
        wrefresh(stdscr);
        endwin();
        unwatch_crashes(t);
        delscreen(t->screen);
        set_modes(TCSADRAIN, &t->modes);
    }
    if (t->signals >= 0) {
        close(t->signals);
    }
    for (int i = 0; i < TC_WATCHED_SIGNALS; i++) {
        sigaction(watched[i], &t->handlers[i], NULL);
    }
    setlocale(LC_CTYPE, t->locale);
    free(t->locale);
    if (t->ended_by != 0) {
        raise(t->ended_by); /* blocked until the mask is back */
    }
    pthread_sigmask(SIG_SETMASK, &t->before, NULL);
}

/* ---- colours ---- */

static void make_pairs(tc_terminal *t) {
    static const short colors[][2] = {
#define TC_ROLE(id, letter, basic, rich, attrs) {basic, rich},
#include "trace/draw/roles.def"
    };
    if (!t->color || !has_colors() || start_color() == ERR ||
        use_default_colors() == ERR || COLORS < 8) {
        t->color = false;
        return;
    }
    for (int i = 1; i < TC_ROLE_COUNT; i++) {
        init_pair((short)i, colors[i][COLORS >= 256], -1);
    }
}

static attr_t attributes(const tc_terminal *t, tc_style style) {
    static const uint8_t plain[] = {
#define TC_ROLE(id, letter, basic, rich, attrs) attrs,
#include "trace/draw/roles.def"
    };
    tc_role role = tc_style_role(style);
    unsigned a = style & 0xFFU;
    a |= t->color && role != TC_ROLE_CURSOR ? 0 : plain[role];
    return (a & TC_BOLD ? A_BOLD : 0) | (a & TC_REVERSE ? A_REVERSE : 0) |
           (a & TC_DIM ? A_DIM : 0) | (a & TC_UNDERLINE ? A_UNDERLINE : 0);
}

bool tc_terminal_take(tc_terminal *t, bool color) {
    *t = (tc_terminal){.signals = -1, .color = color};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &t->modes) != 0) {
        return complain("this needs a terminal");
    }
    const char *locale = setlocale(LC_CTYPE, NULL);
    t->locale = tc_xstrdup(locale != NULL ? locale : "C");
    setlocale(LC_CTYPE, "");
    t->unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < TC_WATCHED_SIGNALS; i++) {
        sigaddset(&set, watched[i]);
        sigaction(watched[i], NULL, &t->handlers[i]);
    }
    pthread_sigmask(SIG_BLOCK, &set, &t->before);
    t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    t->screen = t->signals < 0 ? NULL : newterm(NULL, stdout, stdin);
    if (t->screen == NULL) {
        tc_terminal_give_back(t);
        return complain("this terminal cannot show it (is TERM set?)");
    }
    set_escdelay(50);
    cbreak();
    noecho();
    nonl(); /* Enter is one key, whatever the terminal makes of it */
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    curs_set(0);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
    make_pairs(t);
    watch_crashes(t);
    t->lines = LINES;
    t->cols = COLS;
    return true;
}

void tc_terminal_show(tc_terminal *t, const tc_cell_grid *g, bool redraw) {
    erase();
    for (int y = 0; y < g->lines; y++) {
        for (int x = 0; x < g->cols; x++) {
            const tc_cell *c = tc_grid_at(g, y, x);
            wchar_t text[2] = {(wchar_t)c->c, L'\0'};
            cchar_t cell;
            if (c->c == 0) {
                continue; /* the character before takes it */
            }
            setcchar(&cell, text, attributes(t, c->style),
                     t->color ? (short)tc_style_role(c->style) : 0, NULL);
            mvadd_wch(y, x, &cell); /* fails harmlessly at the last corner */
        }
    }
    if (redraw) {
        clearok(curscr, TRUE);
    }
    refresh();
}

/* ---- signals ---- */

static void resize(tc_terminal *t) {
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 0 &&
        w.ws_col > 0) {
        resizeterm(w.ws_row, w.ws_col);
    }
    t->lines = LINES;
    t->cols = COLS;
}

/* Stops as the shell asked, with the terminal restored; comes back here when
 * the program is put in the foreground again. */
static void suspend(tc_terminal *t) {
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
    resize(t);
    clearok(curscr, TRUE);
    refresh();
}

static void heed_signals(tc_terminal *t, tc_input *in) {
    struct signalfd_siginfo info;
    while (read(t->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        in->any = true;
        switch (info.ssi_signo) {
        case SIGWINCH:
            resize(t);
            break;
        case SIGTSTP:
            suspend(t);
            break;
        case SIGCONT: /* stopped by force: the screen may be another's */
            resize(t);
            clearok(curscr, TRUE);
            break;
        case SIGINT:
            t->interrupted = true;
            in->gone = true;
            break;
        default:
            t->ended_by = (int)info.ssi_signo;
            in->gone = true;
        }
    }
}

/* ---- keys ---- */

static tc_key special(wint_t c) {
    static const struct {
        int c;
        tc_key key;
    } keys[] = {
        {KEY_LEFT, TC_KEY_LEFT},     {KEY_RIGHT, TC_KEY_RIGHT},
        {KEY_UP, TC_KEY_UP},         {KEY_DOWN, TC_KEY_DOWN},
        {KEY_HOME, TC_KEY_HOME},     {KEY_END, TC_KEY_END},
        {KEY_PPAGE, TC_KEY_PAGE_UP}, {KEY_NPAGE, TC_KEY_PAGE_DOWN},
        {KEY_BTAB, TC_KEY_BACK_TAB}, {KEY_BACKSPACE, TC_KEY_BACKSPACE},
        {KEY_DC, TC_KEY_DELETE},     {KEY_ENTER, TC_KEY_ENTER},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if ((wint_t)keys[i].c == c) {
            return keys[i].key;
        }
    }
    return TC_KEY_NONE;
}

static tc_key typed(wint_t c) {
    switch (c) {
    case 27:
        return TC_KEY_ESCAPE;
    case '\t':
        return TC_KEY_TAB;
    case '\r':
    case '\n':
        return TC_KEY_ENTER;
    case 127:
    case 8:
        return TC_KEY_BACKSPACE;
    default:
        return (tc_key)c;
    }
}

static void read_mouse(tc_input *in) {
    MEVENT m;
    if (getmouse(&m) == OK) {
        in->mouse = true;
        in->y = m.y;
        in->x = m.x;
        in->key = m.bstate & BUTTON4_PRESSED   ? TC_KEY_UP
                  : m.bstate & BUTTON5_PRESSED ? TC_KEY_DOWN
                                               : TC_KEY_ENTER;
    }
}

/* One key, if one is there. */
static bool take_key(tc_input *in) {
    wint_t c;
    int kind = get_wch(&c);
    if (kind == ERR) {
        return false;
    }
    in->any = true;
    if (kind != KEY_CODE_YES) {
        in->key = typed(c);
    } else if (c == KEY_MOUSE) {
        read_mouse(in);
    } else {
        in->key = special(c);
    }
    return true;
}

tc_input tc_terminal_read(tc_terminal *t, int ms) {
    tc_input in = {.key = TC_KEY_NONE};
    struct pollfd from[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = t->signals, .events = POLLIN}};
    heed_signals(t, &in);
    if (in.any || take_key(&in)) { /* what ncurses has read already */
        return in;
    }
    if (poll(from, 2, ms) < 0 && errno != EINTR) {
        in.gone = true;
        return in;
    }
    heed_signals(t, &in);
    bool ready = (from[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    if (!in.any && !take_key(&in) && ready) {
        in.gone = true; /* end of input: the terminal is gone */
    }
    return in;
}
