/* pager.c - see pager.h. */
#include "repl/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Columns of a text's next line: bytes that begin a character, without
 * escape sequences of colour. */
static int line_columns(const char *p, const char *end) {
    int columns = 0;
    for (; p < end && *p != '\n'; p++) {
        if (*p == '\033') {
            while (p + 1 < end && *p != 'm' && *p != '\n') {
                p++;
            }
        } else if (((unsigned char)*p & 0xc0) != 0x80) {
            columns++;
        }
    }
    return columns;
}

bool tc_pager_wants(const char *text, size_t len, int rows, int columns) {
    int taken = 1; /* by the prompt */
    const char *end = text + len;
    for (const char *p = text; rows > 0 && p < end && taken <= rows; p++) {
        int n = line_columns(p, end);
        taken += columns > 0 && n > columns ? (n + columns - 1) / columns : 1;
        p = memchr(p, '\n', (size_t)(end - p));
        if (p == NULL) {
            break;
        }
    }
    return rows > 0 && taken > rows;
}

static const char *pager(void) {
    const char *user = getenv("PAGER");
    return user == NULL                                    ? "less"
           : strcmp(user, "cat") == 0 || strlen(user) == 0 ? NULL
                                                           : user;
}

/* In the child: the pager reads from fd. The shell splits the command. */
static void become_pager(const char *command, int fd) {
    dup2(fd, STDIN_FILENO);
    close(fd);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    setenv("LESS", "-FRX -Psspace goes on, q leaves$", 0);
    setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* A reader that leaves before the end is content. */
static void feed(int fd, const char *text, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno != EINTR) {
            break;
        }
        text += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    close(fd);
}

static int wait_for(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Whether the pager could be started. Ctrl-C is the pager's while it runs. */
static bool show(const char *command, const char *text, size_t len) {
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    struct sigaction ignore, interrupt, broken;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGPIPE, &ignore, &broken);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        become_pager(command, ends[0]);
    }
    close(ends[0]);
    int status = -1;
    if (child > 0) {
        feed(ends[1], text, len);
        status = wait_for(child);
    } else {
        close(ends[1]);
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGPIPE, &broken, NULL);
    return child > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

void tc_pager_show(const char *text, size_t len) {
    const char *command = pager();
    fflush(stdout);
    if (command == NULL || !show(command, text, len)) {
        fwrite(text, 1, len, stdout);
        fflush(stdout);
    }
}
