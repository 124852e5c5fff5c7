/* forms_gen.c - writes the instructions that a list of patterns stands for, one
 * a line.
 *
 * forms_gen FILE. A line of FILE is a comment (#), or a pattern:
 *   <a|b|>   each of these, one after another; may be nested; \| is a |
 *   %r1..4   %r1,%r2,%r3,%r4
 *   $1       register 1 of the size of the first type in the instruction
 *   $v1      the same, or as many as .v2, .v4 or .v8 asks: {$1,$2}; register
 *            1 + 10 * (the digit - 1) is the first */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096 };

static const struct {
    const char *name;
    char file;
} types[] = {{"b8", 'h'},    {"b16", 'h'},   {"b32", 'r'},    {"b64", 'd'},
             {"b128", 'q'},  {"u8", 'h'},    {"u16", 'h'},    {"u32", 'r'},
             {"u64", 'd'},   {"s8", 'h'},    {"s16", 'h'},    {"s32", 'r'},
             {"s64", 'd'},   {"f16", 'h'},   {"bf16", 'h'},   {"f32", 'r'},
             {"f64", 'd'},   {"f16x2", 'r'}, {"bf16x2", 'r'}, {"f32x2", 'd'},
             {"u16x2", 'r'}, {"s16x2", 'r'}, {"pred", 'p'}};

/* The file of registers of the first type in the first word. */
static char file_of(const char *s) {
    size_t end = strcspn(s, " ;");
    for (size_t at = strcspn(s, "."); at < end;) {
        size_t len = strcspn(s + at + 1, ". ;");
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            if (strlen(types[t].name) == len &&
                memcmp(types[t].name, s + at + 1, len) == 0) {
                return types[t].file;
            }
        }
        at += len + 1;
    }
    return 'r';
}

static int vector_of(const char *s) {
    size_t end = strcspn(s, " ;");
    for (size_t i = 0; i + 2 < end; i++) {
        if (s[i] == '.' && s[i + 1] == 'v' &&
            (s[i + 3] == '.' || i + 3 == end) && strchr("248", s[i + 2])) {
            return s[i + 2] - '0';
        }
    }
    return 1;
}

static void put_range(char file, int from, int to) {
    for (int i = from; i <= to; i++) {
        printf("%s%%%c%d", i > from ? "," : "", file, i);
    }
}

/* One instruction without alternatives. */
static void put(const char *s) {
    char file = file_of(s);
    for (const char *at = s; *at != 0;) {
        int from, to, len = 0;
        char f;
        if (at[0] == '$' && at[1] == 'v') {
            int n = vector_of(s), first = (at[2] - '1') * 10 + 1;
            printf("%s", n > 1 ? "{" : "");
            put_range(file, first, first + n - 1);
            printf("%s", n > 1 ? "}" : "");
            at += 3;
        } else if (at[0] == '$') {
            printf("%%%c%c", file, at[1]);
            at += 2;
        } else if (sscanf(at, "%%%c%d..%d%n", &f, &from, &to, &len) == 3 &&
                   len > 0) {
            put_range(f, from, to);
            at += len;
        } else {
            at += at[0] == '\\';
            putchar(*at++);
        }
    }
    putchar('\n');
}

/* Each way to read the alternatives of before and what follows. */
static void expand(const char *before, const char *rest) {
    char text[LONGEST];
    const char *open = strchr(rest, '<');
    if (open == NULL) {
        snprintf(text, sizeof text, "%s%s", before, rest);
        put(text);
        return;
    }
    int depth = 0;
    const char *end = open;
    do {
        depth += (*end == '<') - (*end == '>');
        end++;
    } while (depth > 0 && *end != 0);
    if (depth != 0) {
        fprintf(stderr, "not closed: %s\n", rest);
        exit(1);
    }
    for (const char *from = open + 1; from < end;) {
        const char *to = from;
        for (depth = 0; depth > 0 || (*to != '|' && *to != '>'); to++) {
            depth += (*to == '<') - (*to == '>');
            to += *to == '\\';
        }
        char next[LONGEST];
        snprintf(text, sizeof text, "%s%.*s", before, (int)(open - rest), rest);
        snprintf(next, sizeof next, "%.*s%s", (int)(to - from), from, end);
        expand(text, next);
        from = to + 1;
    }
}

int main(int argc, char **argv) {
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[LONGEST];
    if (f == NULL) {
        fprintf(stderr, "usage: forms_gen FILE\n");
        return 1;
    }
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] != '#' && line[0] != 0) {
            expand("", line);
        }
    }
    fclose(f);
    return 0;
}
