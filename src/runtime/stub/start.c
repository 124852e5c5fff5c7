/* start.c - a program that `tilecopy-repl nvcc` has linked, started by itself:
 * it becomes tilecopy-repl, which starts it again as its device's client. What
 * is in the place of `place` then names tilecopy-repl (toolchain/nvcc/shadow.c);
 * a program of `exec` has it empty. */
#include "runtime/stub/stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK "TILECOPY-REPL-IS-AT:"

static volatile char place[1024] = MARK;

/* What objects of `tilecopy-repl nvcc` name (toolchain/nvcc/shadow.c). */
extern const char tilecopy_repl_runtime[];
const char tilecopy_repl_runtime[] = "tilecopy-repl";

/* exec's own options, a word each, by the environment. */
static int add_options(char **argv, int n, int most, char *text) {
    for (char *word = strtok(text, " "); word != NULL && n < most;
         word = strtok(NULL, " ")) {
        argv[n++] = word;
    }
    return n;
}

void tc_stub_start(int argc, char **argv) {
    enum { OPTIONS = 32 };
    const char *own = getenv("TILECOPY_REPL");
    const char *baked = (const char *)place + sizeof MARK - 1;
    const char *options = getenv("TILECOPY_EXEC");
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (*baked == '\0' || len <= 0) {
        return;
    }
    self[len] = '\0';
    char **words = calloc((size_t)argc + OPTIONS + 8, sizeof *words);
    char *text = strdup(options != NULL ? options : "");
    if (words == NULL || text == NULL) {
        return;
    }
    int n = 0;
    words[n++] = (char *)"tilecopy-repl";
    words[n++] = (char *)"exec";
    n = add_options(words, n, OPTIONS, text);
    words[n++] = self;
    words[n++] = (char *)"--";
    for (int i = 1; i < argc; i++) {
        words[n++] = argv[i];
    }
    if (own != NULL && *own != '\0') {
        execv(own, words);
    }
    execv(baked, words);
    execvp("tilecopy-repl", words);
    free(words);
    free(text);
}
