/* settings.c - reads and prints the values of settings, and applies them. */
#include "session/settings.h"
#include "base/arch.h"
#include "gpu/gpu.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- the settings ----------------------------------------------------------*/

enum { ON, OFF };

#define SWITCH(name, field)                                                    \
    static tc_setting_value tc_setting_get_##name(const tc_session *s) {       \
        return (tc_setting_value){.word = s->field ? ON : OFF};                \
    }

SWITCH(timing, timing)
SWITCH(hazards, hazards)
SWITCH(suppressions, suppressions)
SWITCH(trace, trace)
SWITCH(target, target_cuda)

/* Timing off has no times to complete by: the latest legal moment then. */
static void tc_setting_apply_timing(tc_session *s, tc_setting_value v) {
    s->timing = v.word == ON;
    if (!s->timing && s->completion == TC_COMPLETE_TIMING) {
        s->completion = TC_COMPLETE_LATE;
    }
}

static void tc_setting_apply_hazards(tc_session *s, tc_setting_value v) {
    s->hazards = v.word == ON;
}

static void tc_setting_apply_suppressions(tc_session *s, tc_setting_value v) {
    s->suppressions = v.word == ON;
}

static void tc_setting_apply_trace(tc_session *s, tc_setting_value v) {
    s->trace = v.word == ON;
}

static void tc_setting_apply_target(tc_session *s, tc_setting_value v) {
    s->target_cuda = v.word == ON;
    tc_program_clear(&s->program);
}

/* "|sm_90a|sm_90|...": the rows of arch.def. */
static const char arch_names[] =
#define TC_ARCH(name, ...) "|" name
#include "base/arch.def"
    ;

static tc_setting_value tc_setting_get_arch(const tc_session *s) {
    int i = 0;
    while (strcmp(tc_arch_names[i], tc_session_arch(s)) != 0) {
        i++;
    }
    return (tc_setting_value){.word = i};
}

/* What was made for another machine is made anew. */
static void tc_setting_apply_arch(tc_session *s, tc_setting_value v) {
    s->options.arch = tc_arch_names[v.word];
    tc_session_profile(s, NULL, v.at);
    tc_program_clear(&s->program);
}

static tc_setting_value tc_setting_get_profile(const tc_session *s) {
    return (tc_setting_value){.word = s->profile != NULL,
                              .file = s->profile_name};
}

static void tc_setting_apply_profile(tc_session *s, tc_setting_value v) {
    tc_session_profile(s, v.file, v.at);
}

static tc_setting_value tc_setting_get_completion(const tc_session *s) {
    return (tc_setting_value){.word = (int)s->completion,
                              .number = (int64_t)s->completion_seed};
}

/* The row's words are in the order of the enum. */
static void tc_setting_apply_completion(tc_session *s, tc_setting_value v) {
    s->completion = (tc_completion)v.word;
    s->completion_seed = (uint64_t)v.number;
}

static tc_setting_value tc_setting_get_runner(const tc_session *s) {
    return (tc_setting_value){.text = tc_gpu_host_runs_by(s->gpu)};
}

static void tc_setting_apply_runner(tc_session *s, tc_setting_value v) {
    tc_gpu_host_runner(s->gpu, v.text);
}

static tc_setting_value tc_setting_get_threads(const tc_session *s) {
    return (tc_setting_value){.number = s->options.threads};
}

static void tc_setting_apply_threads(tc_session *s, tc_setting_value v) {
    s->options.threads = (int)v.number;
}

static tc_setting_value tc_setting_get_width(const tc_session *s) {
    return (tc_setting_value){.number = s->options.width};
}

static void tc_setting_apply_width(tc_session *s, tc_setting_value v) {
    s->options.width = (int)v.number;
}

_Static_assert(TC_COMPLETE_TIMING == 0 && TC_COMPLETE_EARLY == 1 &&
                   TC_COMPLETE_LATE == 2 && TC_COMPLETE_RANDOM == 3,
               "the words of settings.def's row");

const tc_setting tc_settings[] = {
#define TC_SETTING(name, values, standard, help)                               \
    {#name,                                                                    \
     values,                                                                   \
     standard,                                                                 \
     help,                                                                     \
     tc_setting_get_##name,                                                    \
     tc_setting_apply_##name},
#include "session/settings.def"
};
const int tc_nsettings = sizeof tc_settings / sizeof *tc_settings;

/* --- their values ----------------------------------------------------------*/

void tc_setting_form_of(const tc_setting *t, tc_setting_form *out) {
    *out = (tc_setting_form){.numbered = -1};
    out->text = isupper((unsigned char)t->values[0]);
    if (out->text) {
        return;
    }
    if (isdigit((unsigned char)t->values[0])) {
        char *end;
        out->least = strtoll(t->values, &end, 10);
        out->most = strtoll(end + 2, NULL, 10);
        return;
    }
    for (const char *p = t->values; *p != '\0' && out->n < TC_SETTING_VALUES;) {
        size_t n = strcspn(p, "|"), word = strcspn(p, "| ");
        if (word < n) {
            out->numbered = out->n;
        }
        snprintf(out->choices[out->n++], sizeof out->choices[0], "%.*s",
                 (int)word, p);
        p += n + (p[n] == '|');
    }
}

void tc_setting_describe(const tc_setting *t, tc_buf *b) {
    tc_setting_form f;
    tc_setting_form_of(t, &f);
    if (f.text) {
        tc_buf_puts(b, "a command, or none");
    } else if (f.n == 0) {
        tc_buf_printf(b, "a number from %lld to %lld", (long long)f.least,
                      (long long)f.most);
    }
    for (int i = 0; i < f.n; i++) {
        tc_buf_puts(b, i == 0        ? ""
                       : i < f.n - 1 ? ", "
                       : f.n > 2     ? ", or "
                                     : " or ");
        tc_buf_printf(b, "%s%s", f.choices[i], i == f.numbered ? " N" : "");
    }
}

/* A whole text as a number in a range. */
static bool number(const char *text, int64_t least, int64_t most,
                   int64_t *out) {
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *out >= least &&
           *out <= most;
}

bool tc_setting_read(const tc_setting *t, const char *text,
                     tc_setting_value *out) {
    tc_setting_form f;
    tc_setting_form_of(t, &f);
    *out = (tc_setting_value){0};
    if (f.text) {
        out->text = strcmp(text, "none") == 0 ? NULL : text;
        return *text != '\0';
    }
    if (f.n == 0) {
        return number(text, f.least, f.most, &out->number);
    }
    size_t n = strcspn(text, " \t");
    const char *rest = text + n + strspn(text + n, " \t");
    for (int i = 0; i < f.n; i++) {
        if (strcmp(f.choices[i], "FILE") == 0) {
            out->word = i;
            out->file = text;
            return *text != '\0';
        }
        if (strlen(f.choices[i]) == n && memcmp(f.choices[i], text, n) == 0) {
            out->word = i;
            return *rest == '\0' || (i == f.numbered &&
                                     number(rest, 0, INT64_MAX, &out->number));
        }
    }
    return false;
}

void tc_setting_print(const tc_setting *t, tc_setting_value v, tc_buf *b) {
    tc_setting_form f;
    tc_setting_form_of(t, &f);
    if (f.text) {
        tc_buf_puts(b, v.text != NULL ? v.text : "none");
        return;
    }
    if (f.n == 0) {
        tc_buf_printf(b, "%lld", (long long)v.number);
        return;
    }
    tc_buf_puts(b, v.file != NULL ? v.file : f.choices[v.word]);
    if (v.word == f.numbered) {
        tc_buf_printf(b, " %lld", (long long)v.number);
    }
}

void tc_settings_reset(tc_session *s) {
    for (int i = 0; i < tc_nsettings; i++) {
        tc_setting_value v;
        if (tc_setting_read(&tc_settings[i], tc_settings[i].standard, &v)) {
            tc_settings[i].apply(s, v);
        }
    }
}
