/* profile_file.c - profiles as text. */
#include "base/arch.h"
#include "sim/timing/profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- the figures -----------------------------------------------------------*/

static const struct profile_figure {
    const char *name;
    size_t at; /* in a tc_profile */
    bool half; /* 16 bits wide, else 32 */
    int64_t least;
} figures[] = {
#define TC_MEMORY(name, sm80, sm90, sm100)                                     \
    {#name, offsetof(tc_profile, name), false, 0},
#include "sim/timing/memory.def"
#define TC_UNIT(u, class, l80, i80, l90, i90, l100, i100)                      \
    {#u ".latency", offsetof(tc_profile, unit[u].latency), true, 0},           \
        {#u ".interval", offsetof(tc_profile, unit[u].interval), true, 1},
#include "sim/timing/units.def"
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* Units are called without their prefix. */
static const char *shown(const char *name) {
    static const char prefix[] = "TC_PU_";
    size_t n = sizeof prefix - 1;
    return strncmp(name, prefix, n) == 0 ? name + n : name;
}

int tc_profile_nnames(void) {
    return FIGURES;
}

const char *tc_profile_name(int i) {
    return shown(figures[i].name);
}

static const struct profile_figure *figure_of(const char *name) {
    for (int i = 0; i < FIGURES; i++) {
        if (strcmp(tc_profile_name(i), name) == 0) {
            return &figures[i];
        }
    }
    return NULL;
}

static bool fits(const struct profile_figure *f, int64_t v) {
    return v >= f->least && v <= (f->half ? UINT16_MAX : UINT32_MAX / 4);
}

bool tc_profile_takes(const char *name, int64_t value) {
    const struct profile_figure *f = figure_of(name);
    return f != NULL && fits(f, value);
}

int64_t tc_profile_get(const tc_profile *p, int i) {
    const uint8_t *at = (const uint8_t *)p + figures[i].at;
    uint16_t half;
    uint32_t whole;
    memcpy(&half, at, sizeof half);
    if (figures[i].half) {
        return half;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}

static void put(tc_profile *p, const struct profile_figure *f, int64_t v) {
    uint8_t *at = (uint8_t *)p + f->at;
    uint16_t half = (uint16_t)v;
    uint32_t whole = (uint32_t)v;
    if (f->half) {
        memcpy(at, &half, sizeof half);
    } else {
        memcpy(at, &whole, sizeof whole);
    }
}

/* --- reading ---------------------------------------------------------------*/

typedef struct profile_reader {
    const tc_source *src;
    const char *arch;
    tc_diags *diags;
    tc_profile *p;
} profile_reader;

typedef struct line_piece { /* of a line */
    const char *text;
    size_t n;
} line_piece;

static tc_span span_of(const profile_reader *r, line_piece x) {
    size_t from = (size_t)(x.text - r->src->text);
    return (tc_span){r->src, (uint32_t)from, (uint32_t)(from + x.n)};
}

/* What is said about the file, and is no figure. */
static bool is_heading(line_piece name) {
    static const char *const words[] = {"device", "date", "driver", "source"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == name.n &&
            memcmp(words[i], name.text, name.n) == 0) {
            return true;
        }
    }
    return false;
}

/* "sm_90" is sm_90a's too. */
static bool same_machine(const profile_reader *r, line_piece value) {
    if (strncmp(r->arch, value.text, value.n) == 0 &&
        !isdigit((unsigned char)r->arch[value.n])) {
        return true;
    }
    tc_error(r->diags, span_of(r, value), "`set arch` says which machine it is",
             "the profile is one of %.*s, and the machine an %s", (int)value.n,
             value.text, r->arch);
    return false;
}

static bool read_value(const profile_reader *r, const struct profile_figure *f,
                       line_piece value) {
    char text[32], *end;
    snprintf(text, sizeof text, "%.*s", (int)value.n, value.text);
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || !fits(f, v)) {
        tc_error(r->diags, span_of(r, value), NULL,
                 "%s is a whole number from %lld to %lld", shown(f->name),
                 (long long)f->least,
                 f->half ? (long long)UINT16_MAX : (long long)UINT32_MAX / 4);
        return false;
    }
    put(r->p, f, v);
    return true;
}

static bool no_figure(const profile_reader *r, line_piece name) {
    const char *names[FIGURES];
    char text[64], hint[96];
    for (int i = 0; i < FIGURES; i++) {
        names[i] = tc_profile_name(i);
    }
    snprintf(text, sizeof text, "%.*s", (int)name.n, name.text);
    const char *near = tc_diag_nearest(text, names, FIGURES);
    snprintf(hint, sizeof hint, "did you mean %s?", near ? near : "");
    tc_error(r->diags, span_of(r, name), near != NULL ? hint : NULL,
             "a machine has no figure '%s'", text);
    return false;
}

static bool read_line(const profile_reader *r, line_piece name,
                      line_piece value) {
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)name.n, name.text);
    const struct profile_figure *f = figure_of(text);
    if (value.n == 0) {
        tc_error(r->diags, span_of(r, name), "l2_latency 282",
                 "a line of a profile is a name and a number");
        return false;
    }
    if (strcmp(text, "arch") == 0) {
        return same_machine(r, value);
    }
    return is_heading(name) ||
           (f != NULL ? read_value(r, f, value) : no_figure(r, name));
}

/* A line's words, without its comment. */
static void split(const char *line, size_t n, line_piece *name,
                  line_piece *value) {
    while (n > 0 && isspace((unsigned char)line[n - 1])) {
        n--;
    }
    size_t from = strspn(line, " \t");
    from = from < n ? from : n;
    size_t word = strcspn(line + from, " \t");
    word = word < n - from ? word : n - from;
    *name = (line_piece){line + from, word};
    size_t rest = from + word;
    while (rest < n && isspace((unsigned char)line[rest])) {
        rest++;
    }
    *value = (line_piece){line + rest, n - rest};
}

static bool read_all(const profile_reader *r) {
    const char *at = r->src->text, *end = at + r->src->len;
    while (at < end) {
        size_t whole = strcspn(at, "\n");
        line_piece name, value;
        split(at, strcspn(at, "#\n"), &name, &value);
        if (name.n > 0 && !read_line(r, name, value)) {
            return false;
        }
        at += whole + 1;
    }
    return true;
}

/* The machine whose column is to be completed. False: there is no such one. */
static bool machine_of(const char *arch, tc_machine *out) {
    static const struct {
        const char *name;
        tc_costs costs;
    } machines[] = {
#define TC_ARCH(name, sm, costs, ...) {name, TC_COSTS_##costs},
#include "base/arch.def"
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (strcmp(machines[i].name, arch) == 0) {
            *out = (tc_machine){.costs = machines[i].costs};
            return true;
        }
    }
    return false;
}

tc_profile *tc_profile_read(tc_arena *a, const tc_source *src, const char *arch,
                            tc_diags *diags) {
    tc_machine m;
    profile_reader r = {src, arch, diags, TC_NEW(a, tc_profile)};
    if (!machine_of(arch, &m)) {
        return NULL;
    }
    *r.p = *tc_profile_of(&m);
    return read_all(&r) ? r.p : NULL;
}
