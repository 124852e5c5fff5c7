/* tilecopy-repl: the program. A thin client of tilecopy.h. */
#include "toolchain/nvcc/main.h"
#include "base/arena.h"
#include "base/bundle.h"
#include "base/temporary.h"
#include "repl/exec.h"
#include "repl/graded.h"
#include "repl/options.h"
#include "repl/prompt.h"
#include "repl/shell.h"
#include "repl/signals.h"
#include "tilecopy.h"
#include "view/view.h"
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Source text is UTF-8. Where the locale says otherwise (mostly because none is
 * set), widths and line editing go by C.UTF-8. */
static void set_locale(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        setlocale(LC_CTYPE, "C.UTF-8");
    }
}

/* Files, then -e or `lesson`, then standard input, prompt or tour. */
static void work(tc_shell *sh, const tc_cli *cli) {
    const char *loaded = NULL;
    if (sh->interactive) {
        tc_prompt_rc(sh);
    }
    for (int i = 0; i < cli->nfiles; i++) {
        if (!tc_shell_load(sh, cli->files[i]) && !sh->interactive) {
            return;
        }
        loaded = sh->last == TC_OK ? cli->files[i] : loaded;
    }
    if (sh->interactive) {
        tc_prompt(sh, loaded);
        return;
    }
    for (int i = 0; i < cli->nevals; i++) {
        if (!tc_shell_entry(sh, cli->evals[i])) {
            return;
        }
    }
    if (cli->lesson != NULL) {
        tc_shell_lesson(sh, cli->lesson);
    } else if (cli->tour && !isatty(STDIN_FILENO)) {
        tc_shell_tour(sh);
    } else if (cli->batch || cli->nevals == 0) {
        tc_shell_stream(sh, stdin, NULL);
    }
}

static volatile int status_without_memory = TC_FAILED;

/* No stdio: it may want memory, or be what has run out of it. What was output
 * before has gone out, command by command. The processes that we lead see our
 * end (toolchain/guard.c, runtime/supervise.c). */
static _Noreturn void out_of_memory(void) {
    static const char text[] = "tilecopy-repl: error: out of memory\n";
    tc_view_restore();
    ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n;
    tc_temporaries_end(false);
    _exit(status_without_memory);
}

/* `lesson 05` at a terminal begins it at the prompt. */
static bool begins_lesson(const tc_cli *cli) {
    return strncmp(cli->lesson, "lesson ", 7) == 0 &&
           strncmp(cli->lesson, "lesson check", 12) != 0 &&
           isatty(STDOUT_FILENO);
}

static bool is_interactive(const tc_cli *cli) {
    return !cli->exec.asked && !cli->grade.asked && !cli->batch &&
           cli->nevals == 0 && (cli->lesson == NULL || begins_lesson(cli)) &&
           !cli->session.json && isatty(STDIN_FILENO);
}

/* A signal that ends it does so behind all else that is done at exit. */
static tc_status session(const tc_cli *cli, bool interactive) {
    tc_shell sh;
    atexit(tc_signals_die);
    tc_signals_take_endings(!interactive);
    if (interactive) {
        tc_bundle_terminals();
    }
    if (tc_shell_open(&sh, cli, interactive)) {
        work(&sh, cli);
    }
    tc_status status =
        sh.interactive && sh.session ? TC_OK : tc_shell_status(&sh);
    tc_shell_close(&sh);
    return status;
}

int main(int argc, char **argv) {
    tc_cli cli;
    tc_status status;
    int served;
    tc_on_out_of_memory(out_of_memory);
    if (argc > 1 && strcmp(argv[1], "grade") == 0) {
        status_without_memory = TC_MACHINE;
    }
    if (tc_session_process(argc, argv, &served)) {
        return served;
    }
    if (argc > 1 && strcmp(argv[1], "nvcc") == 0) {
        return tc_nvcc_main(argc - 2, argv + 2);
    }
    set_locale();
    bool ok = tc_cli_parse(&cli, argc, argv, &status);
    if (ok && cli.grade.asked) {
        status_without_memory = TC_MACHINE;
    }
    bool interactive = ok && is_interactive(&cli);
    if (ok && tc_supervise(&served)) {
        tc_cli_free(&cli);
        return served;
    }
    if (ok && cli.exec.asked) {
        status = (tc_status)tc_exec_main(&cli);
    } else if (ok && (cli.grade.asked || cli.exercise.name)) {
        status = tc_graded_main(&cli);
    } else if (ok) {
        status = session(&cli, interactive);
    }
    tc_cli_free(&cli);
    if ((fflush(stdout) != 0 || ferror(stdout)) && !tc_signals_ended()) {
        fprintf(stderr, "tilecopy-repl: error: cannot write the output: %s\n",
                strerror(errno));
        status = status == TC_OK ? TC_FAILED : status;
    }
    return (int)status;
}
