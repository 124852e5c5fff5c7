/* calibrate.c - measures a device. */
#include "calibrate/calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 4, MOST_ARGS = 8, ARGS_TEXT = 160 };

const tc_calibrate_measure tc_calibrate_measures[TC_MEASURE_COUNT] = {
#define TC_MEASURE(id, file, kernel, grid, block, smem, args, n1, n2, per)     \
    {#id, file, kernel, args, grid, block, smem, {n1, n2}, per},
#include "calibrate/measures.def"
};

/* The device with one file's kernels. */
typedef struct bench {
    const tc_device_vtable *v;
    tc_arena *arena;
    const char *file;
    tc_device_module module;
    tc_device_options options;
    tc_bench *bench; /* NULL: the file is not open, or does not fit */
    tc_gpu_complaint why;
} bench;

static void keep(void *user, const tc_diag *diag) {
    bench *b = user;
    if (diag->severity == TC_ERROR) {
        snprintf(b->why.why, b->why.size, "%s", diag->message);
    }
}

static bool open_file(bench *b, const char *file) {
    if (b->file != NULL && strcmp(b->file, file) == 0) {
        return b->bench != NULL;
    }
    tc_bench_close(b->bench);
    b->bench = NULL;
    b->file = file;
    const char *text = tc_calibrate_ptx(file);
    if (text == NULL) {
        snprintf(b->why.why, b->why.size, "this build has no kernels");
        return false;
    }
    tc_source *src = TC_NEW(b->arena, tc_source);
    tc_diags diags = {keep, b, 0};
    *src = (tc_source){file, text, strlen(text), 1};
    b->module = (tc_device_module){.ptx = tc_ptx_parse(b->arena, src, &diags),
                                   .ptx_text = text};
    b->options.module = &b->module;
    b->bench =
        b->module.ptx != NULL ? tc_bench_open(b->v, &b->options, b->why) : NULL;
    return b->bench != NULL;
}

/* --- one measure -----------------------------------------------------------*/

/* The launch of a measure with one n; text holds its arguments. */
static void line_of(const tc_calibrate_measure *m, uint32_t n,
                    char text[ARGS_TEXT], const char **args,
                    tc_launch_line *out) {
    char *save = NULL;
    *out = (tc_launch_line){.name = m->name,
                            .file = m->file,
                            .kernel = m->kernel,
                            .grid = {m->grid, 1, 1},
                            .block = {m->block, 1, 1},
                            .smem = m->smem,
                            .args = args};
    const char *at = strchr(m->args, '@');
    int before = at != NULL ? (int)(at - m->args) : (int)strlen(m->args);
    snprintf(text, ARGS_TEXT, "%.*s%u%s", before, m->args, n,
             at != NULL ? at + 1 : "");
    for (char *w = strtok_r(text, " ", &save); w && out->nargs < MOST_ARGS;
         w = strtok_r(NULL, " ", &save)) {
        args[out->nargs++] = w;
    }
}

static bool measure(bench *b, const tc_calibrate_measure *m,
                    tc_measure_result *r) {
    for (int i = 0; i < 2; i++) {
        char text[ARGS_TEXT];
        const char *args[MOST_ARGS];
        tc_launch_line l;
        tc_measured done;
        line_of(m, m->n[i], text, args, &l);
        if (!open_file(b, m->file) ||
            !tc_bench_measure(b->bench, &l, REPEATS, &done, b->why)) {
            return false;
        }
        r->cycles[i] = tc_measured_warm(&done);
    }
    r->value = ((double)r->cycles[1] - (double)r->cycles[0]) /
               (m->n[1] - m->n[0]) / m->per;
    r->known = true;
    return true;
}

/* --- the device ------------------------------------------------------------*/

static bool describe(bench *b, tc_calibration *c) {
    uint64_t v[2] = {0};
    const char *args[] = {"20000000"};
    time_t now = time(NULL);
    tc_rt_device f;
    tc_launch_line l = {.name = "clock",
                        .kernel = "clock_rate",
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .args = args,
                        .nargs = 1};
    if (!open_file(b, "ops") || !tc_bench_read(b->bench, &l, v, 2, b->why)) {
        return false;
    }
    tc_bench_facts(b->bench, &f);
    snprintf(c->device, sizeof c->device, "%s", f.name);
    strftime(c->date, sizeof c->date, "%Y-%m-%d", gmtime(&now));
    c->sm = f.sm;
    c->sms = f.multiprocessors;
    c->driver = f.driver_version;
    c->l2_kib = f.l2_bytes / 1024;
    c->clock_mhz =
        v[0] > 0 ? (int)(1e3 * (double)v[1] / (double)v[0] + 0.5) : 0;
    return true;
}

/* A device that has refused or faulted is opened anew. */
static void refused(bench *b, tc_calibration *c,
                    const tc_calibrate_measure *m) {
    c->refused++;
    snprintf(c->why, sizeof c->why, "%s: %s", m->name, b->why.why);
    if (b->bench != NULL) {
        tc_bench_close(b->bench);
        b->bench = NULL;
        b->file = NULL;
    }
}

static void measure_all(bench *b, const char *only,
                        tc_calibrate_progress *progress, void *user,
                        tc_calibration *c) {
    for (int i = 0; i < TC_MEASURE_COUNT; i++) {
        const tc_calibrate_measure *m = &tc_calibrate_measures[i];
        if (only != NULL && strncmp(m->name, only, strlen(only)) != 0) {
            continue;
        }
        if (progress != NULL && progress(user, i, TC_MEASURE_COUNT, m->name)) {
            return;
        }
        if (!measure(b, m, &c->results[i])) {
            refused(b, c, m);
        }
    }
}

bool tc_calibrate(const tc_device_vtable *v, const tc_device_options *o,
                  const char *only, tc_calibrate_progress *progress, void *user,
                  tc_calibration *out, tc_gpu_complaint why) {
    bench b = {.v = v, .arena = tc_arena_new(), .options = *o, .why = why};
    *out = (tc_calibration){0};
    bool ok = describe(&b, out);
    if (ok) {
        measure_all(&b, only, progress, user, out);
    }
    tc_bench_close(b.bench);
    tc_arena_free(b.arena);
    return ok;
}
