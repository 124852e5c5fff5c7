/* launches.c - reads lists of launches. */
#include "calibrate/launches.h"
#include "run/launch_arg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 64, MOST_LINES = 4096 };

static bool refuse(const tc_launch_line *l, const char *what, const char *word,
                   tc_gpu_complaint why) {
    snprintf(why.why, why.size, "line %d: %s%s%s", l->number, what,
             *word ? ": " : "", word);
    return false;
}

static int split(tc_arena *a, const char *line, size_t n, const char **words) {
    int nwords = 0;
    size_t i = 0;
    while (i < n) {
        i += strspn(line + i, " \t");
        size_t end = i;
        while (end < n && strchr(" \t", line[end]) == NULL) {
            end++;
        }
        if (end > i && nwords < MOST_WORDS) {
            words[nwords++] = tc_strndup(a, line + i, end - i);
        }
        i = end;
    }
    return nwords;
}

static bool read_line(tc_arena *a, const char **words, int n, tc_launch_line *l,
                      tc_gpu_complaint why) {
    if (n < 5) {
        return refuse(l, "NAME FILE KERNEL GRID BLOCK ARG... is wanted", "",
                      why);
    }
    l->name = words[0];
    l->file = words[1];
    l->kernel = words[2];
    if (!tc_arg_dims(words[3], INT32_MAX, l->grid) ||
        !tc_arg_dims(words[4], 1024, l->block)) {
        return refuse(l, "not a grid and a block", words[3], why);
    }
    l->args = TC_NEWN(a, const char *, n);
    for (int i = 5; i < n; i++) {
        if (strcmp(words[i], "--smem") == 0 && i + 1 < n) {
            l->smem = (uint32_t)strtoul(words[++i], NULL, 0);
        } else {
            l->args[l->nargs++] = words[i];
        }
    }
    return true;
}

bool tc_launch_list_read(tc_arena *a, const char *text, tc_launch_list *out,
                         tc_gpu_complaint why) {
    int number = 0, cap = 0;
    *out = (tc_launch_list){0};
    while (*text != '\0') {
        const char *words[MOST_WORDS];
        size_t whole = strcspn(text, "\n"), n = strcspn(text, "#\n");
        tc_launch_line l = {.number = ++number};
        int nwords = split(a, text, n, words);
        if (nwords > 0) {
            if (out->n == MOST_LINES) {
                return refuse(&l, "too many", "", why);
            }
            if (!read_line(a, words, nwords, &l, why)) {
                return false;
            }
            TC_PUSH(a, out->lines, out->n, cap, l);
        }
        text += whole + (text[whole] == '\n');
    }
    return true;
}
