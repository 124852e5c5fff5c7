/* export.c - the last run, written to a file for other programs. */
#include "trace/export/export.h"
#include "commands/commands.h"
#include "commands/report/report.h"
#include "explain/explain.h"

#include <stdio.h>
#include <string.h>

typedef struct tc_export {
    const char *name;
    void (*write)(tc_session *s, const tc_trace *t, tc_buf *out);
} tc_export;

static void write_trace(tc_session *s, const tc_trace *t, tc_buf *out) {
    (void)s;
    tc_trace_save(t, out);
}

#define WRITE(format)                                                          \
    static void write_##format(tc_session *s, const tc_trace *t,               \
                               tc_buf *out) {                                  \
        tc_model *m = tc_model_new(t);                                         \
        (void)s;                                                               \
        tc_export_##format(m, out);                                            \
        tc_model_free(m);                                                      \
    }
WRITE(chrome)
WRITE(svg)
WRITE(html)
WRITE(json)
#undef WRITE

static const tc_export formats[] = {
    {"trace", write_trace}, {"chrome", write_chrome}, {"html", write_html},
    {"svg", write_svg},     {"json", write_json},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Of the findings, and not of the events. */
static const char findings_format[] = "sarif";

void tc_export_names(void (*fn)(void *user, const char *name), void *user) {
    for (size_t i = 0; i < FORMATS; i++) {
        fn(user, formats[i].name);
    }
    fn(user, findings_format);
}

static const tc_export *find_format(tc_session *s,
                                    const tc_command_value *name) {
    const char *names[FORMATS + 1];
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name->text) == 0) {
            return &formats[i];
        }
        names[i] = formats[i].name;
    }
    names[FORMATS] = findings_format;
    const char *near = tc_diag_nearest(name->text, names, FORMATS + 1);
    char hint[64];
    snprintf(hint, sizeof hint, "did you mean %s?", near != NULL ? near : "");
    tc_error(&s->diags, name->span,
             near != NULL ? hint : "chrome, html, svg, json, trace or sarif",
             "there is no format '%s'", name->text);
    return NULL;
}

static tc_status export_findings(tc_session *s, const tc_command_args *args,
                                 const tc_command_value *file, tc_reply *r) {
    tc_status status;
    json_t *all = tc_need_findings(s, args->span, &status);
    if (all == NULL) {
        return status;
    }
    tc_buf text = TC_BUF_INIT;
    size_t n = json_array_size(all);
    tc_sarif(all, NULL, &text);
    json_decref(all);
    bool ok = tc_write_text(s, file->text, file->span, &text);
    if (ok && s->options.json) {
        r->json = json_pack("{s:I,s:I}", "findings", (json_int_t)n, "bytes",
                            (json_int_t)text.len);
    } else if (ok) {
        tc_describe_count(&r->text, n);
        tc_buf_printf(&r->text, " finding%s of the last run %s in %s\n",
                      tc_describe_plural(n), n == 1 ? "is" : "are", file->text);
    }
    tc_buf_free(&text);
    return ok ? TC_OK : TC_FAILED;
}

tc_status tc_cmd_export(tc_session *s, const tc_command_args *args,
                        tc_reply *r) {
    tc_status status;
    const tc_command_value *file = tc_value_of(args, "FILE");
    if (strcmp(tc_value_of(args, "FORMAT")->text, findings_format) == 0) {
        return export_findings(s, args, file, r);
    }
    const tc_export *format = find_format(s, tc_value_of(args, "FORMAT"));
    if (format == NULL) {
        return TC_USAGE;
    }
    const tc_trace *t = tc_need_trace(s, args->span, &status);
    if (t == NULL) {
        return status;
    }
    tc_trace_describe(s);
    tc_buf text = TC_BUF_INIT;
    format->write(s, t, &text);
    bool ok = tc_write_text(s, file->text, file->span, &text);
    if (ok && s->options.json) {
        r->json = json_pack("{s:I,s:I}", "events", (json_int_t)t->n, "bytes",
                            (json_int_t)text.len);
    } else if (ok) {
        tc_describe_count(&r->text, t->n);
        tc_buf_printf(&r->text, " events of the last run are in %s\n",
                      file->text);
    }
    tc_buf_free(&text);
    return ok ? TC_OK : TC_FAILED;
}
