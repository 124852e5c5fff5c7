/* complete.c - completion at the prompt. */
#include "repl/complete.h"

#include "base/arena.h"
#include "repl/entry.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

/* readline's callbacks have no argument of ours, so what they need is here. */
static tc_session *session;
static const bool *in_definition;
static char **found; /* of the completion under way: owned, with its strings */
static size_t next_found;

static const char blanks[] = " \t\n\"'";
static const char operators[] = " \t\n\"'`@$<>=;|&{}()[],:+-*/%!^~?\\";

/* The line of the buffer in which the byte `at` is. */
static const char *line_at(int at) {
    const char *p = rl_line_buffer + at;
    while (p > rl_line_buffer && p[-1] != '\n') {
        p--;
    }
    return p;
}

/* Words of a command (files, tmem<->local) end at blanks, those of an
 * expression at operators too. */
static char *word_breaks(void) {
    const char *line = line_at(rl_point);
    size_t n = strcspn(line, "\n");
    char *copy = tc_xstrdup(line);
    copy[n] = '\0';
    bool command = *in_definition ? false : tc_entry_is_command(copy);
    if (command && n > 1 && line[0] == 'e' && line[1] == 'v') {
        command = false; /* eval EXPR */
    }
    free(copy);
    return (char *)(command ? blanks : operators); /* readline only reads it */
}

static void forget_found(void) {
    for (size_t i = 0; found != NULL && found[i] != NULL; i++) {
        free(found[i]);
    }
    free(found);
    found = NULL;
}

static char *generate(const char *text, int state) {
    if (state == 0) {
        next_found = 0;
    }
    while (found != NULL && found[next_found] != NULL) {
        const char *word = found[next_found++];
        if (strncmp(word, text, strlen(text)) == 0) {
            return strdup(word);
        }
    }
    return NULL;
}

/* Four blanks instead of a completion: the word is empty, so they are its only
 * candidate. */
static char **indent(void) {
    char **one = tc_xcalloc(2, sizeof *one);
    one[0] = tc_xstrdup("    ");
    rl_completion_append_character = '\0';
    return one;
}

static char **attempt(const char *text, int start, int end) {
    const char *line = line_at(start);
    size_t from = (size_t)(rl_line_buffer + start - line);
    rl_attempted_completion_over = 1;
    if (*in_definition && strspn(line, " \t") >= from && start == end) {
        return indent();
    }
    char *copy = tc_xstrdup(line);
    copy[end - (line - rl_line_buffer)] = '\0';
    bool files = false;
    found = tc_session_complete(session, copy, from, &files);
    char **matches = rl_completion_matches(text, generate);
    if (matches != NULL && matches[1] == NULL) {
        size_t n = strlen(matches[0]);
        if (n > 0 && strchr(".(=/", matches[0][n - 1]) != NULL) {
            rl_completion_append_character = '\0';
        }
    }
    if (matches == NULL && files) {
        rl_attempted_completion_over = 0; /* readline offers file names */
    }
    forget_found();
    free(copy);
    return matches;
}

void tc_complete_install(tc_session *s, const bool *continuing) {
    session = s;
    in_definition = continuing;
    rl_attempted_completion_function = attempt;
    rl_completion_word_break_hook = word_breaks;
    rl_completer_quote_characters = "\"";
    rl_filename_quote_characters = " \t";
}
