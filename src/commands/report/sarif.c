/* sarif.c - findings as SARIF 2.1.0 (Static Analysis Results Interchange Format,
 * OASIS standard of 2020-03-27; sections are its). */
#include "commands/report/report.h"
#include "course/glossary.h"
#include "tilecopy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- rules -----------------------------------------------------------------*/

/* Every kind, in the order of its tables: a rule's index. */
static const char *const kinds[] = {
#define TC_FINDING(id, name, ...) name,
#include "sim/findings.def"
#define TC_HOST_FINDING(id, name, counts) name,
#include "runtime/host_findings.def"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Notes of the host side are no kinds: their names are not of it. */
static bool is_rule(const char *kind) {
    return strcmp(kind, "unbuilt") != 0 && strcmp(kind, "limit") != 0;
}

const char *tc_finding_level(const char *kind) {
    if (strcmp(kind, "same-value-write") == 0) {
        return "note";
    }
    bool mild =
        strcmp(kind, "host-leak") == 0 || strcmp(kind, "host-unchecked") == 0;
    return mild ? "warning" : "error";
}

/* The glossary's first paragraph on a kind, on one line; its name without. */
static json_t *meaning_of(const tc_glossary *g, const char *kind) {
    const tc_glossary_entry *e = tc_glossary_find(g, kind);
    cmark_node *n = e != NULL ? e->first : NULL;
    while (n != NULL && n != e->end &&
           cmark_node_get_type(n) != CMARK_NODE_PARAGRAPH) {
        n = cmark_node_next(n);
    }
    char *text = n != NULL && n != e->end
                     ? cmark_render_commonmark(n, CMARK_OPT_NOBREAKS, 0)
                     : NULL;
    for (char *p = text; p != NULL && *p != '\0'; p++) {
        *p = isspace((unsigned char)*p) ? ' ' : *p;
    }
    size_t len = text != NULL ? strlen(text) : 0;
    while (len > 0 && text[len - 1] == ' ') {
        len--;
    }
    json_t *j = len > 0 ? json_stringn(text, len) : json_string(kind);
    free(text);
    return j;
}

/* 3.49: reportingDescriptor. */
static json_t *rules(void) {
    tc_glossary *g = tc_glossary_read();
    json_t *list = json_array();
    for (int i = 0; i < KINDS; i++) {
        if (!is_rule(kinds[i])) {
            continue;
        }
        json_array_append_new(
            list,
            json_pack("{s:s,s:{s:s},s:{s:o},s:{s:s}}", "id", kinds[i],
                      "shortDescription", "text", kinds[i], "fullDescription",
                      "text", meaning_of(g, kinds[i]), "defaultConfiguration",
                      "level", tc_finding_level(kinds[i])));
    }
    tc_glossary_free(g);
    return list;
}

static int rule_index(const char *kind) {
    int at = 0;
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i], kind) == 0) {
            return at;
        }
        at += is_rule(kinds[i]);
    }
    return -1;
}

/* --- places ----------------------------------------------------------------*/

/* A path as a URI (RFC 3986): one from the root is a file's, others stay
 * relative to the folder that the program was called in. */
static json_t *uri_of(const char *path) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, path[0] == '/' ? "file://" : "");
    if (path[0] == '.' && path[1] == '/') {
        path += 2;
    }
    for (const char *p = path; *p != '\0'; p++) {
        if (isalnum((unsigned char)*p) || strchr("/._-~", *p) != NULL) {
            tc_buf_putc(&b, *p);
        } else {
            tc_buf_printf(&b, "%%%02X", (unsigned char)*p);
        }
    }
    json_t *j = json_string(tc_buf_text(&b));
    tc_buf_free(&b);
    return j;
}

/* 3.28: location. Lines and columns begin at 1; 0 is unknown. */
static json_t *location(const char *file, json_int_t line, json_int_t column) {
    json_t *place =
        json_pack("{s:{s:o}}", "artifactLocation", "uri", uri_of(file));
    if (line > 0) {
        json_t *region = json_pack("{s:I}", "startLine", line);
        if (column > 0) {
            json_object_set_new(region, "startColumn", json_integer(column));
        }
        json_object_set_new(place, "region", region);
    }
    return json_pack("{s:o}", "physicalLocation", place);
}

static const char *text_of(const json_t *j, const char *key) {
    const char *text = json_string_value(json_object_get(j, key));
    return text != NULL ? text : "";
}

static json_int_t number_of(const json_t *j, const char *key) {
    return json_integer_value(json_object_get(j, key));
}

/* What it collides with, at its line. */
static json_t *related(const json_t *f, const json_t *cause) {
    const char *elsewhere = text_of(cause, "file");
    json_t *l = location(*elsewhere ? elsewhere : text_of(f, "file"),
                         number_of(cause, "line"), 0);
    json_object_set_new(l, "id", json_integer(1));
    json_object_set_new(l, "message",
                        json_pack("{s:s}", "text", text_of(cause, "what")));
    return json_pack("[o]", l);
}

/* --- results ---------------------------------------------------------------*/

static json_t *properties(const json_t *f) {
    static const char *const keys[] = {"cycle",  "thread", "object", "bytes",
                                       "kernel", "launch", "times"};
    json_t *j = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *v = json_object_get(f, keys[i]);
        if (v != NULL && !json_is_null(v)) {
            json_object_set(j, keys[i], v);
        }
    }
    return j;
}

/* 3.27: result. */
static json_t *result(const json_t *f) {
    const char *kind = text_of(f, "kind");
    const json_t *cause = json_object_get(f, "cause");
    const char *missing = text_of(cause, "missing");
    tc_buf text = TC_BUF_INIT;
    tc_buf_puts(&text, text_of(f, "message"));
    if (*missing != '\0') {
        tc_buf_printf(&text, "; missing: %s", missing);
    }
    json_t *j = json_pack("{s:s,s:s,s:{s:s},s:[o],s:o}", "ruleId", kind,
                          "level", tc_finding_level(kind), "message", "text",
                          tc_buf_text(&text), "locations",
                          location(text_of(f, "file"), number_of(f, "line"),
                                   number_of(f, "column")),
                          "properties", properties(f));
    tc_buf_free(&text);
    if (rule_index(kind) >= 0) {
        json_object_set_new(j, "ruleIndex", json_integer(rule_index(kind)));
    }
    if (number_of(cause, "line") > 0) {
        json_object_set_new(j, "relatedLocations", related(f, cause));
    }
    return j;
}

/* 3.20: invocation. */
static json_t *invocation(const char *failed) {
    json_t *j =
        json_pack("{s:b}", "executionSuccessful", failed == NULL ? 1 : 0);
    if (failed != NULL) {
        json_t *note = json_pack("{s:s,s:{s:s}}", "level", "error", "message",
                                 "text", failed);
        json_object_set_new(j, "toolExecutionNotifications",
                            json_pack("[o]", note));
    }
    return j;
}

void tc_sarif(const json_t *findings, const char *failed, tc_buf *out) {
    json_t *results = json_array();
    size_t i;
    const json_t *f;
    json_array_foreach(findings, i, f) {
        json_array_append_new(results, result(f));
    }
    json_t *log =
        json_pack("{s:s,s:s,s:[{s:{s:{s:s,s:s,s:o}},s:[o],s:o}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version",
                  "2.1.0", "runs", "tool", "driver", "name", "tilecopy-repl",
                  "semanticVersion", TC_VERSION, "rules", rules(),
                  "invocations", invocation(failed), "results", results);
    char *text = json_dumps(log, JSON_INDENT(1));
    tc_buf_puts(out, text != NULL ? text : "{}");
    tc_buf_putc(out, '\n');
    free(text);
    json_decref(log);
}
