/* terminal.c - a program on a pseudo-terminal. */
#include "terminal.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

static long long now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

terminal terminal_start(char *const argv[]) {
    return terminal_start_at(argv, 80);
}

terminal terminal_start_at(char *const argv[], int columns) {
    terminal t = {.fd = -1};
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    t.pid = forkpty(&t.fd, NULL, NULL, &size);
    if (t.pid == 0) {
        execv(argv[0], argv);
        perror(argv[0]);
        _exit(127);
    }
    if (t.pid < 0) {
        perror("forkpty");
        exit(1);
    }
    return t;
}

void terminal_send(terminal *t, const char *keys) {
    size_t len = strlen(keys);
    while (len > 0) {
        ssize_t n = write(t->fd, keys, len);
        if (n < 0 && errno != EINTR) {
            return; /* it has ended; expect() will say so */
        }
        if (n > 0) {
            keys += n;
            len -= (size_t)n;
        }
    }
}

/* Makes out from raw: without ESC [ ... letter, other ESC pairs, \r, bell and
 * readline's markers. */
static void strip(terminal *t) {
    const char *p = tc_buf_text(&t->raw);
    tc_buf_clear(&t->out);
    while (*p != '\0') {
        if (p[0] == '\033' && p[1] == '[') {
            p += 2;
            p += strspn(p, "0123456789;?<=>");
            p += *p != '\0';
        } else if (p[0] == '\033') {
            p += p[1] != '\0' ? 2 : 1;
        } else {
            if (*p != '\r' && *p != '\a' && *p != '\001' && *p != '\002') {
                tc_buf_putc(&t->out, *p);
            }
            p++;
        }
    }
}

/* Reads what comes within ms; false at the end of the program's output. */
static bool more(terminal *t, int ms) {
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    if (poll(&p, 1, ms) <= 0) {
        return true;
    }
    char block[4096];
    ssize_t n = read(t->fd, block, sizeof block);
    if (n <= 0) {
        return false;
    }
    tc_buf_write(&t->raw, block, (size_t)n);
    strip(t);
    return true;
}

bool terminal_expect(terminal *t, const char *text) {
    long long end = now_ms() + PATIENCE_MS;
    bool open = true;
    while (true) {
        const char *out = tc_buf_text(&t->out);
        const char *at =
            t->mark <= t->out.len ? strstr(out + t->mark, text) : NULL;
        if (at != NULL) {
            t->mark = (size_t)(at - out) + strlen(text);
            return true;
        }
        if (!open || now_ms() > end) {
            return false;
        }
        open = more(t, 100);
    }
}

bool terminal_reads_keys(terminal *t) {
    struct termios now;
    for (long long end = now_ms() + PATIENCE_MS; now_ms() < end;) {
        if (tcgetattr(t->fd, &now) == 0 && (now.c_lflag & ICANON) == 0) {
            return true;
        }
        if (!more(t, 5)) {
            return false;
        }
    }
    return false;
}

void terminal_settle(terminal *t, int ms) {
    long long end = now_ms() + ms;
    while (now_ms() < end && more(t, 10)) {
    }
}

void terminal_resize(terminal *t, int columns) {
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    ioctl(t->fd, TIOCSWINSZ, &size);
}

bool terminal_is_cooked(const terminal *t) {
    struct termios mode;
    return tcgetattr(t->fd, &mode) == 0 && (mode.c_lflag & ECHO) != 0 &&
           (mode.c_lflag & ICANON) != 0;
}

int terminal_finish(terminal *t) {
    long long end = now_ms() + PATIENCE_MS;
    int status, result = -1;
    while (true) {
        pid_t ended = waitpid(t->pid, &status, WNOHANG);
        if (ended == t->pid) {
            result = WIFEXITED(status) ? WEXITSTATUS(status)
                                       : 128 + WTERMSIG(status);
            break;
        }
        if (now_ms() > end) {
            kill(t->pid, SIGKILL);
            waitpid(t->pid, &status, 0);
            break;
        }
        if (!more(t, 10)) { /* closed: it is about to end */
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        }
    }
    close(t->fd);
    tc_buf_free(&t->raw);
    tc_buf_free(&t->out);
    return result;
}
