/* options_exec.c - exec's words that are nvcc's, told from our own. */
#include "repl/options_exec.h"

#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

/* Is it one of the long options? */
static bool is_ours(const char *word, const struct option *longs) {
    size_t n = strcspn(word + 2, "=");
    for (int i = 0; longs[i].name != NULL; i++) {
        if (strncmp(longs[i].name, word + 2, n) == 0 &&
            longs[i].name[n] == '\0') {
            return true;
        }
    }
    return false;
}

/* How many of the words at argv are one of nvcc's options, or a source. */
static int nvcc_words(char **argv, int left, const struct option *longs) {
    bool two = strncmp(argv[0], "--", 2) == 0;
    int n = argv[0][0] != '-'                ? tc_nvcc_source(argv[0])
            : two && is_ours(argv[0], longs) ? 0
                                             : tc_nvcc_word(argv[0]);
    return n < left ? n : left;
}

/* Words that are ours and that have their value behind them. */
static int own_words(char **argv, int left, const struct option *longs) {
    for (int i = 0; longs[i].name != NULL; i++) {
        if (longs[i].has_arg == required_argument &&
            strncmp(argv[0], "--", 2) == 0 &&
            strcmp(argv[0] + 2, longs[i].name) == 0) {
            return left > 1 ? 2 : 1;
        }
    }
    return 1;
}

static bool is_cu(const char *word) {
    size_t n = strlen(word);
    return word[0] != '-' && n > 3 && strcmp(word + n - 3, ".cu") == 0;
}

int tc_cli_split_exec(tc_cli *cli, int argc, char **argv, char **own,
                      const struct option *longs) {
    int at = 1, n = 0, words = 0;
    bool more = false; /* than one source */
    const char *program = NULL;
    while (at < argc && strcmp(argv[at], "exec") != 0) {
        if (argv[at][0] != '-') {
            return 0;
        }
        at += own_words(argv + at, argc - at, longs);
    }
    if (at >= argc) {
        return 0;
    }
    cli->exec.nvcc = tc_xcalloc((size_t)argc + 1, sizeof *cli->exec.nvcc);
    memcpy(own, argv, (size_t)(at + 1) * sizeof *own);
    n = ++at;
    own[n++] = NULL; /* the program's place */
    while (at < argc && strcmp(argv[at], "--") != 0) {
        int k = nvcc_words(argv + at, argc - at, longs);
        for (int i = 0; i < k; i++) {
            cli->exec.nvcc[words++] = argv[at + i];
        }
        program =
            k == 1 && program == NULL && is_cu(argv[at]) ? argv[at] : program;
        more |= k > 0 && program != argv[at];
        int mine = k > 0 ? 0 : own_words(argv + at, argc - at, longs);
        memcpy(own + n, argv + at, (size_t)mine * sizeof *own);
        n += mine;
        at += k + mine;
    }
    memcpy(own + n, argv + at, (size_t)(argc - at) * sizeof *own);
    n += argc - at;
    if (program == NULL || !more) {
        free(cli->exec.nvcc);
        cli->exec.nvcc = NULL;
        return 0;
    }
    own[n] = NULL;
    for (int i = 0; i < n; i++) { /* the one that is free */
        own[i] = own[i] != NULL ? own[i] : (char *)(uintptr_t)program;
    }
    return n;
}
