/* readline's callback interface, with our own wait: signals are blocked except
 * while waiting for a key, so that none is lost and none comes at a bad time.
 * Readline Manual, sections 2.4.12 (alternate interface) and 2.5 (signals). */
#include "repl/prompt.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "repl/complete.h"
#include "repl/entry.h"
#include "repl/history.h"
#include "repl/signals.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

typedef enum { READ_LINE, READ_EOF, READ_INTERRUPTED } read_result;

/* Neither signal handlers nor readline's callbacks have an argument of ours, so
 * the state of the one prompt is kept here. */
static volatile sig_atomic_t got_int, got_winch, got_stop, got_fatal;
static sigset_t waiting; /* the mask while waiting for a key */
static char *accepted;   /* the line that readline handed over, owned */
static bool done;        /* it handed one over, or the end of the input */
static bool continuing;  /* a definition is being typed */

/* --- signals --- */

static void on_signal(int sig) {
    switch (sig) {
    case SIGINT:
        got_int = 1;
        break;
    case SIGWINCH:
        got_winch = 1;
        break;
    case SIGTSTP:
        got_stop = 1;
        break;
    default:
        got_fatal = sig;
    }
}

static const int signals[] = {SIGINT,  SIGWINCH, SIGTSTP,
                              SIGTERM, SIGHUP,   SIGQUIT};
enum { NSIGNALS = sizeof signals / sizeof *signals };

static void take_signals(struct sigaction *old) {
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_signal;
    sa.sa_flags = SA_RESTART;
    sigemptyset(&sa.sa_mask);
    sigset_t block;
    sigemptyset(&block);
    for (int i = 0; i < NSIGNALS; i++) {
        sigaddset(&block, signals[i]);
    }
    sigprocmask(SIG_BLOCK, &block, &waiting);
    for (int i = 0; i < NSIGNALS; i++) {
        sigaction(signals[i], &sa, &old[i]);
        if (old[i].sa_handler == SIG_IGN) { /* nohup(1) */
            sigaction(signals[i], &old[i], NULL);
        }
    }
}

static void return_signals(const struct sigaction *old) {
    for (int i = 0; i < NSIGNALS; i++) {
        if (signals[i] != SIGWINCH) { /* a resize is noted at any time */
            sigaction(signals[i], &old[i], NULL);
        }
    }
    if (got_fatal) {
        raise(got_fatal); /* the whole program's, from here on */
        got_fatal = 0;
    }
    sigprocmask(SIG_SETMASK, &waiting, NULL);
}

/* Stops, with the terminal as we found it, until somebody continues us. */
static void stop(void) {
    struct sigaction dfl, old;
    memset(&dfl, 0, sizeof dfl);
    dfl.sa_handler = SIG_DFL;
    rl_deprep_terminal();
    sigaction(SIGTSTP, &dfl, &old);
    raise(SIGTSTP);
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, &waiting, &blocked); /* it comes now */
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    sigaction(SIGTSTP, &old, NULL);
    rl_prep_terminal(1);
    rl_on_new_line();
    rl_forced_update_display();
}

/* Readline divides by the columns that a prompt and a wide character leave
 * (display.c): it is never told fewer than these. */
enum { LEAST_COLUMNS = 16 };

static void widen(void) {
    int rows, columns;
    rl_get_screen_size(&rows, &columns);
    if (columns < LEAST_COLUMNS) {
        rl_set_screen_size(rows, LEAST_COLUMNS);
    }
}

static void resize(tc_shell *sh) {
    got_winch = 0;
    int width = tc_shell_width();
    tc_session_set_height(sh->session, tc_shell_height());
    if (width != sh->printer.width) { /* else `set width` stays in force */
        sh->printer.width = width;
        tc_session_set_width(sh->session, width);
    }
    if (width >= LEAST_COLUMNS) {
        rl_resize_terminal();
        return;
    }
    rl_reset_screen_size(); /* without a redisplay */
    widen();
    rl_forced_update_display();
}

/* --- one line --- */

static void on_line(char *line) {
    accepted = line;
    done = true;
    rl_callback_handler_remove(); /* the terminal is as before, and quiet */
}

/* Waits for a key; inside a bracketed paste that never ends, Ctrl-C does. */
static int get_key(FILE *in) {
    struct pollfd p = {.fd = fileno(in), .events = POLLIN};
    while (true) {
        unsigned char c;
        int ready = ppoll(&p, 1, NULL, &waiting);
        if (ready > 0) {
            ssize_t n = read(p.fd, &c, 1);
            if (n == 1) {
                return c;
            }
            if (n == 0 || errno != EINTR) {
                return EOF;
            }
        }
        if (got_int || got_fatal) {
            return EOF;
        }
    }
}

static read_result interrupted(void) {
    rl_point = rl_end;
    rl_redisplay();
    fputs(got_fatal ? "\n" : "^C\n", rl_outstream);
    got_int = 0;
    rl_free_line_state();
    rl_callback_sigcleanup();
    rl_callback_handler_remove();
    fflush(rl_outstream);
    return READ_INTERRUPTED;
}

static read_result read_keys(tc_shell *sh) {
    struct pollfd p = {.fd = fileno(rl_instream), .events = POLLIN};
    while (!done) {
        int ready = ppoll(&p, 1, NULL, &waiting);
        if (got_int || got_fatal) {
            return interrupted();
        }
        if (got_stop) {
            got_stop = 0;
            stop();
        }
        if (got_winch) {
            resize(sh);
        }
        if (ready > 0) {
            rl_callback_read_char();
        }
    }
    if (accepted == NULL && (got_int || got_fatal)) {
        return interrupted(); /* readline took get_key's EOF for an end */
    }
    return accepted != NULL ? READ_LINE : READ_EOF;
}

/* At the end of the input readline 8.1 and later write a newline when they
 * switch bracketed paste off (rltty.c, rl_deprep_terminal). */
static bool readline_ends_line(void) {
    const char *paste = rl_variable_value("enable-bracketed-paste");
    return rl_readline_version >= 0x0801 && paste != NULL &&
           strcmp(paste, "on") == 0;
}

/* Reads one line (of several, if they were pasted) into accepted. */
static read_result read_line(tc_shell *sh, const char *prompt) {
    struct sigaction old[NSIGNALS];
    done = false;
    accepted = NULL;
    take_signals(old);
    rl_callback_handler_install(prompt, on_line);
    read_result r = read_keys(sh);
    return_signals(old);
    if (r == READ_EOF && !readline_ends_line()) {
        fputc('\n', rl_outstream);
        fflush(rl_outstream);
    }
    return r;
}

/* --- one entry --- */

static const char *prompt_text(bool color, bool more) {
    if (more) {
        return color ? "\001\033[1;36m\002      ...\001\033[0m\002 "
                     : "      ... ";
    }
    return color ? "\001\033[1;36m\002tilecopy>\001\033[0m\002 " : "tilecopy> ";
}

/* A line that was read and begins the next entry, or NULL. */
static char *held;

static bool is_blank(const char *line) {
    return line[strspn(line, " \t\r\n")] == '\0';
}

/* Nobody types the next line within a blink: text is being pasted, and by a
 * terminal that does not say so. */
static bool more_waits(void) {
    enum { BLINK_MS = 20 };
    struct pollfd p = {.fd = fileno(rl_instream), .events = POLLIN};
    return poll(&p, 1, BLINK_MS) > 0;
}

/* A blank line ends a definition, but not in the middle of a paste: there the
 * next line says, which is held if it is no part of it. */
static read_result after_blank(tc_shell *sh, tc_buf *text, bool *ended) {
    bool color = tc_cli_color(sh->cli, fileno(rl_outstream));
    *ended = true;
    while (more_waits()) {
        read_result r = read_line(sh, prompt_text(color, true));
        if (r != READ_LINE) {
            return r;
        }
        bool blank = is_blank(accepted);
        *ended = !blank && strchr(" \t", accepted[0]) == NULL;
        if (*ended) {
            held = accepted;
            return READ_LINE;
        }
        tc_buf_puts(text, accepted);
        tc_buf_putc(text, '\n');
        free(accepted);
        if (!blank) {
            return READ_LINE;
        }
        *ended = true;
    }
    return READ_LINE;
}

/* The next line of an entry into accepted: the one held, or one read. */
static read_result next_line(tc_shell *sh, bool color) {
    if (held == NULL) {
        return read_line(sh, prompt_text(color, continuing));
    }
    accepted = held;
    held = NULL;
    return READ_LINE;
}

/* Reads one entry, without the blank lines at its end. */
static read_result read_entry(tc_shell *sh, tc_buf *text) {
    bool color = tc_cli_color(sh->cli, fileno(rl_outstream));
    tc_buf_clear(text);
    do {
        continuing = text->len > 0;
        read_result r = next_line(sh, color);
        if (r == READ_EOF && continuing) {
            break;
        }
        if (r != READ_LINE) {
            return r;
        }
        bool several = strchr(accepted, '\n') != NULL;
        bool blank = is_blank(accepted), ended = true;
        tc_buf_puts(text, accepted);
        tc_buf_putc(text, '\n');
        free(accepted);
        if (text->len > TC_ENTRY_BYTES) {
            break;
        }
        if (tc_entry_goes_on(sh->session, text->data, several)) {
            continue;
        }
        if (continuing && blank) {
            r = after_blank(sh, text, &ended);
            if (r == READ_INTERRUPTED) {
                return r;
            }
        }
        if (ended) {
            break;
        }
    } while (true);
    continuing = false;
    while (text->len > 0 && strchr(" \t\r\n", text->data[text->len - 1])) {
        text->data[--text->len] = '\0';
    }
    return READ_LINE;
}

char *tc_prompt_ask(tc_shell *sh, const char *question) {
    return read_line(sh, question) == READ_LINE ? accepted : NULL;
}

/* --- history --- */

static void add_entry(const char *entry) {
    add_history(entry);
}

static bool same_as_last(const char *entry) {
    HIST_ENTRY *last = history_length > 0
                           ? history_get(history_base + history_length - 1)
                           : NULL;
    return last != NULL && strcmp(last->line, entry) == 0;
}

/* Frees *path and makes it NULL after saying that it cannot be written. */
static void remember(const char *entry, char **path) {
    if (same_as_last(entry)) {
        return;
    }
    add_history(entry);
    if (*path != NULL && !tc_history_append(*path, entry)) {
        fprintf(stderr, "note: history is not kept: cannot write\n  %s: %s\n",
                *path, strerror(errno));
        free(*path);
        *path = NULL;
    }
}

/* --- the prompt --- */

void tc_prompt_rc(tc_shell *sh) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    tc_buf path = TC_BUF_INIT;
    if (config != NULL && config[0] == '/') {
        tc_buf_puts(&path, config);
    } else if (home != NULL && home[0] == '/') {
        tc_buf_printf(&path, "%s/.config", home);
    } else {
        return;
    }
    tc_buf_puts(&path, "/tilecopy-repl/rc");
    char why[TC_FILE_WHY];
    FILE *f = tc_file_stream(path.data, why);
    if (f == NULL && access(path.data, F_OK) == 0) {
        fprintf(stderr, "note: %s is not read: %s\n", path.data, why);
    }
    if (f != NULL) {
        tc_shell_stream(sh, f, path.data);
        fclose(f);
    }
    tc_buf_free(&path);
}

static bool ends_with(const char *path, const char *end) {
    size_t n = path != NULL ? strlen(path) : 0, m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

/* Exactly three lines: what this is, what is loaded, what to type. */
static void welcome(const tc_shell *sh, const char *loaded) {
    const char *program = tc_session_program(sh->session);
    puts("tilecopy-repl " TC_VERSION
         ": how a GPU copies tiles; why, what, and when.");
    if (ends_with(loaded, ".cu")) {
        printf("%s is built and loaded: `load %s` lists its kernels.\n", loaded,
               loaded);
        puts("Type run, findings, timeline or ptx next; help lists all, Ctrl-D "
             "leaves.");
        fflush(stdout);
        return;
    }
    if (ends_with(loaded, ".ptx")) {
        printf("%s is loaded: `load %s` lists its kernels.\n", loaded, loaded);
        puts(
            "Type launch KERNEL GRID BLOCK ARG... next; help launch says more, "
            "Ctrl-D leaves.");
        fflush(stdout);
        return;
    }
    if (ends_with(loaded, ".trace")) {
        printf("%s is loaded: the events of a run, without its program.\n",
               loaded);
        puts("Type timeline, or export html FILE, next; help lists all, Ctrl-D "
             "leaves.");
        fflush(stdout);
        return;
    }
    if (program != NULL && loaded != NULL) {
        printf("%s is loaded: its function is %s.\n", loaded, program);
    } else if (program != NULL) {
        printf("The function %s is loaded.\n", program);
    } else {
        puts("Nothing is loaded yet: load FILE, lesson, or paste a "
             "@T.prim_func.");
    }
    puts("Type why, partition, run or timeline next; help lists all, Ctrl-D "
         "leaves.");
    fflush(stdout);
}

/* A definition that was recalled whole gets a line more. */
static int insert_newline(int count, int key) {
    (void)key;
    return rl_insert(count, '\n');
}

/* Alt-Enter; $INPUTRC, which is read later, may bind it otherwise. */
static void bind_keys(void) {
    rl_add_defun("insert-newline", insert_newline, -1);
    rl_bind_key_in_map('\r', insert_newline, emacs_meta_keymap);
    rl_bind_key_in_map('\n', insert_newline, emacs_meta_keymap);
}

static void set_up(tc_shell *sh) {
    rl_readline_name = "tilecopy-repl";
    rl_outstream = isatty(STDOUT_FILENO) ? stdout : stderr;
    rl_change_environment = 0;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_getc_function = get_key;
    rl_variable_bind("enable-bracketed-paste", "on"); /* $INPUTRC may undo it */
    tc_complete_install(sh->session, &continuing);
    bind_keys();
    rl_initialize();
    widen();
    using_history();
    stifle_history(TC_HISTORY_MAX);
}

void tc_prompt(tc_shell *sh, const char *loaded) {
    set_up(sh);
    char *path = tc_history_path();
    if (path != NULL) {
        tc_history_load(path, add_entry);
    }
    if (sh->cli->lesson != NULL) {
        tc_shell_entry(sh, sh->cli->lesson);
    } else {
        welcome(sh, loaded);
    }
    tc_buf text = TC_BUF_INIT;
    while (!tc_session_finished(sh->session) && !tc_signals_ended()) {
        read_result r = read_entry(sh, &text);
        if (r == READ_EOF) {
            break;
        }
        if (r == READ_LINE && text.len > 0) {
            remember(text.data, &path);
            tc_shell_entry(sh, text.data);
        }
    }
    tc_buf_free(&text);
    clear_history();
    free(held);
    held = NULL;
    free(path);
}
