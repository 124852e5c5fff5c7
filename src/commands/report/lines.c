/* lines.c - findings as the lines of a compiler, for problem matchers. */
#include "commands/report/report.h"

#include <string.h>

/* "A", "B" or what is to be said if it has none. */
static const char *text_of(const json_t *j, const char *key) {
    const char *text = json_string_value(json_object_get(j, key));
    return text != NULL ? text : "";
}

static int number_of(const json_t *j, const char *key) {
    return (int)json_integer_value(json_object_get(j, key));
}

static void put_place(const char *file, int line, int column, tc_buf *out) {
    tc_buf_printf(out, "%s:%d:%d: ", file, line > 0 ? line : 1,
                  column > 0 ? column : 1);
}

static void put_finding(const json_t *f, tc_buf *out) {
    const json_t *cause = json_object_get(f, "cause");
    const char *file = text_of(f, "file"), *kind = text_of(f, "kind");
    const char *elsewhere = text_of(cause, "file");
    const char *level = tc_finding_level(kind);
    put_place(file, number_of(f, "line"), number_of(f, "column"), out);
    /* a mistake of the program, which the compiler took */
    tc_buf_printf(out, "%s: %s [%s]\n",
                  strcmp(level, "error") == 0 ? "warning" : level,
                  text_of(f, "message"), kind);
    if (number_of(cause, "line") > 0 && *text_of(cause, "what") != '\0') {
        put_place(*elsewhere ? elsewhere : file, number_of(cause, "line"), 0,
                  out);
        tc_buf_printf(out, "note: %s\n", text_of(cause, "what"));
    }
    if (*text_of(cause, "missing") != '\0') {
        put_place(file, number_of(f, "line"), number_of(f, "column"), out);
        tc_buf_printf(out, "note: missing: %s\n", text_of(cause, "missing"));
    }
}

void tc_finding_lines(const json_t *findings, tc_buf *out) {
    size_t i;
    const json_t *f;
    json_array_foreach(findings, i, f) {
        put_finding(f, out);
    }
}
