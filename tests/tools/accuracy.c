/* accuracy - a GPU's cycles beside the simulator's, launch by launch:
 *
 *     accuracy MEASURED SIMULATED [--order FILE] [--bounds FILE]
 *              [--page FILE] [--picture FILE]
 *
 * Both are what tests/tools/measure.c prints. --order: lines of names of
 * launches that do the same thing, whose order is to be right wherever the GPU
 * separates two by more than 3 %. --bounds: lines of NAME NUMBER, which the
 * summary may not exceed: mean, median, beyond (launches off by more than 15
 * %), order (pairs the wrong way round). --page, --picture: the same as a page
 * of the manual and its plot. Status: 0; 1 a bound is exceeded; 2 usage; 4 a
 * file that cannot be read. */
#include "accuracy.h"
#include "base/file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading ---------------------------------------------------------------*/

static char *read_text(accuracy *a, const char *path) {
    char no[TC_FILE_WHY];
    tc_buf text = TC_BUF_INIT;
    if (!tc_file_read(&text, path, (size_t)1 << 28, NULL, no)) {
        snprintf(a->why, sizeof a->why, "cannot read '%s': %s", path, no);
        return NULL;
    }
    return tc_buf_finish(&text, a->arena);
}

static launch_error *find(const accuracy *a, const char *name) {
    for (int i = 0; i < a->n; i++) {
        if (strcmp(a->rows[i].name, name) == 0) {
            return &a->rows[i];
        }
    }
    return NULL;
}

static const char *string_of(accuracy *a, const json_t *j, const char *key) {
    const char *s = json_string_value(json_object_get(j, key));
    return s != NULL ? tc_strdup(a->arena, s) : NULL;
}

/* A line of measured launches, or of the device. */
static void take_measured(accuracy *a, const json_t *j) {
    const char *device = string_of(a, j, "device");
    if (device != NULL) {
        a->device = device;
        a->date = string_of(a, j, "date");
        a->driver = (int)json_integer_value(json_object_get(j, "driver"));
        a->mhz = (int)json_number_value(json_object_get(j, "measured_mhz"));
        return;
    }
    launch_error e = {.name = string_of(a, j, "name"),
                      .file = string_of(a, j, "file"),
                      .measured =
                          json_number_value(json_object_get(j, "cycles"))};
    if (e.name != NULL && e.file != NULL && e.measured > 0) {
        TC_PUSH(a->arena, a->rows, a->n, a->cap, e);
    }
}

static void take_simulated(accuracy *a, const json_t *j) {
    const char *name = json_string_value(json_object_get(j, "name"));
    launch_error *e = name != NULL ? find(a, name) : NULL;
    if (e != NULL) {
        e->simulated = json_number_value(json_object_get(j, "cycles"));
        e->error = e->simulated / e->measured - 1;
    }
}

static bool read_lines(accuracy *a, const char *path,
                       void (*take)(accuracy *a, const json_t *j)) {
    char *text = read_text(a, path), *save = NULL;
    int number = 0;
    if (text == NULL) {
        return false;
    }
    for (char *l = strtok_r(text, "\n", &save); l != NULL;
         l = strtok_r(NULL, "\n", &save)) {
        json_t *j = json_loads(l, 0, NULL);
        number++;
        if (!json_is_object(j)) {
            snprintf(a->why, sizeof a->why, "%s: line %d is no JSON object",
                     path, number);
            json_decref(j);
            return false;
        }
        take(a, j);
        json_decref(j);
    }
    return true;
}

/* What was not simulated is left out; nothing at all is an error. */
static bool drop_others(accuracy *a, const char *simulated) {
    int n = 0;
    for (int i = 0; i < a->n; i++) {
        if (a->rows[i].simulated > 0) {
            a->rows[n++] = a->rows[i];
        }
    }
    a->n = n;
    snprintf(a->why, sizeof a->why, "%s has none of the measured launches",
             simulated);
    return n > 0;
}

bool accuracy_read(accuracy *a, const char *measured, const char *simulated) {
    return read_lines(a, measured, take_measured) &&
           read_lines(a, simulated, take_simulated) &&
           drop_others(a, simulated);
}

/* --- order -----------------------------------------------------------------*/

static void add_pair(accuracy *a, const launch_error *x,
                     const launch_error *y) {
    const launch_error *fast = x->measured < y->measured ? x : y;
    const launch_error *slow = fast == x ? y : x;
    if (slow->measured > fast->measured * (1 + APART)) {
        order_pair p = {fast, slow, fast->simulated < slow->simulated};
        TC_PUSH(a->arena, a->pairs, a->npairs, a->cpairs, p);
        a->wrong += !p.right;
    }
}

enum { MOST_WAYS = 32 };

bool accuracy_order(accuracy *a, const char *path) {
    char *text = read_text(a, path), *lines = NULL, *words = NULL;
    if (text == NULL) {
        return false;
    }
    for (char *l = strtok_r(text, "\n", &lines); l != NULL;
         l = strtok_r(NULL, "\n", &lines)) {
        const launch_error *ways[MOST_WAYS];
        int n = 0;
        for (char *w = *l == '#' ? NULL : strtok_r(l, " ", &words); w != NULL;
             w = strtok_r(NULL, " ", &words)) {
            const launch_error *e = find(a, w);
            if (e != NULL && n < MOST_WAYS) {
                ways[n++] = e;
            }
        }
        for (int i = 0; i < n; i++) {
            for (int k = i + 1; k < n; k++) {
                add_pair(a, ways[i], ways[k]);
            }
        }
    }
    return true;
}

/* --- summary ---------------------------------------------------------------*/

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

error_summary accuracy_summary(const accuracy *a, const char *file) {
    error_summary s = {0};
    double *e = tc_xcalloc((size_t)a->n + 1, sizeof *e);
    for (int i = 0; i < a->n; i++) {
        if (file == NULL || strcmp(a->rows[i].file, file) == 0) {
            e[s.n] = fabs(a->rows[i].error);
            s.mean += e[s.n];
            s.beyond += e[s.n] > BEYOND;
            s.n++;
        }
    }
    if (s.n > 0) {
        qsort(e, (size_t)s.n, sizeof *e, by_size);
        s.mean /= s.n;
        s.median = (e[s.n / 2] + e[(s.n - 1) / 2]) / 2;
        s.most = e[s.n - 1];
    }
    free(e);
    return s;
}

static void print_summary(const char *what, error_summary s) {
    printf("%-34s %4d  mean %6.1f %%  median %6.1f %%  beyond 15 %%: %d\n",
           what, s.n, 100 * s.mean, 100 * s.median, s.beyond);
}

static void print_table(const accuracy *a) {
    printf("%-30s %10s %10s %8s\n", "launch", "measured", "simulated", "error");
    for (int i = 0; i < a->n; i++) {
        const launch_error *e = &a->rows[i];
        printf("%-30s %10.0f %10.0f %+7.1f%%%s\n", e->name, e->measured,
               e->simulated, 100 * e->error,
               fabs(e->error) > BEYOND ? " *" : "");
    }
    for (int i = 0; i < a->n; i++) {
        if (i == 0 || strcmp(a->rows[i].file, a->rows[i - 1].file) != 0) {
            print_summary(accuracy_subject(a->rows[i].file),
                          accuracy_summary(a, a->rows[i].file));
        }
    }
    print_summary("all", accuracy_summary(a, NULL));
}

static void print_order(const accuracy *a) {
    for (int i = 0; i < a->npairs; i++) {
        const order_pair *p = &a->pairs[i];
        if (!p->right) {
            printf("wrong order: %s %.0f < %s %.0f on the GPU; simulated %.0f "
                   "and %.0f\n",
                   p->fast->name, p->fast->measured, p->slow->name,
                   p->slow->measured, p->fast->simulated, p->slow->simulated);
        }
    }
    if (a->npairs > 0) {
        printf("order: %d of %d pairs right\n", a->npairs - a->wrong,
               a->npairs);
    }
}

/* --- bounds ----------------------------------------------------------------*/

static bool figure(const accuracy *a, const char *name, double *out) {
    error_summary s = accuracy_summary(a, NULL);
    const struct {
        const char *name;
        double value;
    } all[] = {{"mean", 100 * s.mean},
               {"median", 100 * s.median},
               {"beyond", s.beyond},
               {"order", a->wrong},
               {"launches", -s.n}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) == 0) {
            *out = all[i].value;
            return true;
        }
    }
    return false;
}

/* 0, 1 or 4. A bound that is 10 % too wide is told, so that it is lowered. */
static int hold(accuracy *a, const char *path) {
    char *text = read_text(a, path), *save = NULL, name[32];
    int status = text != NULL ? 0 : 4;
    for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l != NULL;
         l = strtok_r(NULL, "\n", &save)) {
        double bound, is;
        if (*l == '#') {
            continue;
        }
        if (sscanf(l, "%31s %lf", name, &bound) != 2 || !figure(a, name, &is)) {
            snprintf(a->why, sizeof a->why, "%s: no bound: %s", path, l);
            return 4;
        }
        if (is > bound) {
            printf("%s is %.1f, more than %.1f of %s\n", name, is, bound, path);
            status = 1;
        } else if (is >= 0 && is < 0.9 * bound) {
            printf("%s is %.1f: the bound %.1f can be lowered\n", name, is,
                   bound);
        }
    }
    return status;
}

/* --- main ------------------------------------------------------------------*/

typedef struct options {
    const char *files[2], *order, *bounds, *page, *picture;
    int nfiles;
} options;

static bool read_args(options *o, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *w = argv[i];
        const char **to = strcmp(w, "--order") == 0     ? &o->order
                          : strcmp(w, "--bounds") == 0  ? &o->bounds
                          : strcmp(w, "--page") == 0    ? &o->page
                          : strcmp(w, "--picture") == 0 ? &o->picture
                                                        : NULL;
        if (to != NULL && i + 1 < argc) {
            *to = argv[++i];
        } else if (to == NULL && *w != '-' && o->nfiles < 2) {
            o->files[o->nfiles++] = w;
        } else {
            return false;
        }
    }
    return o->nfiles == 2;
}

static bool write_file(accuracy *a, const char *path, tc_buf *b) {
    char no[TC_FILE_WHY];
    bool ok = tc_file_write(path, tc_buf_text(b), b->len, NULL, no);
    if (!ok) {
        snprintf(a->why, sizeof a->why, "cannot write '%s': %s", path, no);
    }
    tc_buf_free(b);
    return ok;
}

static bool write_files(accuracy *a, const options *o) {
    tc_buf b = TC_BUF_INIT;
    if (o->picture != NULL) {
        accuracy_picture(a, &b);
        if (!write_file(a, o->picture, &b)) {
            return false;
        }
    }
    if (o->page != NULL) {
        const char *slash = o->picture ? strrchr(o->picture, '/') : NULL;
        accuracy_page(a, slash != NULL ? slash + 1 : o->picture, &b);
        return write_file(a, o->page, &b);
    }
    return true;
}

int main(int argc, char **argv) {
    accuracy a = {.arena = tc_arena_new()};
    options o = {0};
    int status = 4;
    if (!read_args(&o, argc, argv)) {
        fprintf(stderr, "usage: accuracy MEASURED SIMULATED [--order FILE] "
                        "[--bounds FILE] [--page FILE] [--picture FILE]\n");
        status = 2;
    } else if (accuracy_read(&a, o.files[0], o.files[1]) &&
               (o.order == NULL || accuracy_order(&a, o.order))) {
        print_table(&a);
        print_order(&a);
        status = write_files(&a, &o) ? 0 : 4;
        if (status == 0 && o.bounds != NULL) {
            status = hold(&a, o.bounds);
        }
    }
    if (status == 4) {
        fprintf(stderr, "accuracy: %s\n", a.why);
    }
    tc_arena_free(a.arena);
    return status;
}
