/* data.c - measures as JSON lines, and the profile made of them. */
#include "calibrate/calibrate.h"
#include "sim/profile.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- the data --------------------------------------------------------------*/

static void put_measure(const tc_calibrate_measure *m,
                        const tc_measure_result *r, tc_buf *out) {
    tc_buf_printf(out,
                  "{\"measure\": \"%s\", \"kernel\": \"%s\", \"grid\": %u, "
                  "\"block\": %u, \"smem\": %u, \"args\": \"%s\", \"n\": [%u, "
                  "%u], \"per\": %u, \"cycles\": [%llu, %llu], \"value\": "
                  "%.3f}\n",
                  m->name, m->kernel, m->grid, m->block, m->smem, m->args,
                  m->n[0], m->n[1], m->per, (unsigned long long)r->cycles[0],
                  (unsigned long long)r->cycles[1], r->value);
}

void tc_calibration_data(const tc_calibration *c, tc_buf *out) {
    tc_buf_printf(out,
                  "{\"device\": \"%s\", \"sm\": %d, \"sms\": %d, \"date\": "
                  "\"%s\", \"driver\": %d, \"clock_mhz\": %d, \"l2_kib\": "
                  "%d}\n",
                  c->device, c->sm, c->sms, c->date, c->driver, c->clock_mhz,
                  c->l2_kib);
    for (int i = 0; i < TC_MEASURE_COUNT; i++) {
        if (c->results[i].known) {
            put_measure(&tc_calibrate_measures[i], &c->results[i], out);
        }
    }
}

static int integer(const json_t *j, const char *key) {
    return (int)json_integer_value(json_object_get(j, key));
}

static void text(const json_t *j, const char *key, char *out, size_t size) {
    const char *s = json_string_value(json_object_get(j, key));
    snprintf(out, size, "%s", s != NULL ? s : "");
}

static void read_device(const json_t *j, tc_calibration *c) {
    text(j, "device", c->device, sizeof c->device);
    text(j, "date", c->date, sizeof c->date);
    c->sm = integer(j, "sm");
    c->sms = integer(j, "sms");
    c->driver = integer(j, "driver");
    c->clock_mhz = integer(j, "clock_mhz");
    c->l2_kib = integer(j, "l2_kib");
}

/* Of a measure that is no more nothing is kept. */
static void read_measure(const json_t *j, tc_calibration *c) {
    const char *name = json_string_value(json_object_get(j, "measure"));
    const json_t *cycles = json_object_get(j, "cycles");
    for (int i = 0; name != NULL && i < TC_MEASURE_COUNT; i++) {
        if (strcmp(tc_calibrate_measures[i].name, name) == 0) {
            tc_measure_result *r = &c->results[i];
            r->known = true;
            r->value = json_number_value(json_object_get(j, "value"));
            for (size_t k = 0; k < 2; k++) {
                r->cycles[k] =
                    (uint64_t)json_integer_value(json_array_get(cycles, k));
            }
        }
    }
}

bool tc_calibration_read(tc_calibration *c, const char *data,
                         tc_gpu_complaint why) {
    *c = (tc_calibration){0};
    for (int number = 1; *data != '\0'; number++) {
        size_t n = strcspn(data, "\n");
        json_t *j = json_loadb(data, n, 0, NULL);
        if (!json_is_object(j)) {
            json_decref(j);
            snprintf(why.why, why.size, "line %d is no JSON object", number);
            return false;
        }
        if (json_object_get(j, "device") != NULL) {
            read_device(j, c);
        }
        read_measure(j, c);
        json_decref(j);
        data += n + (data[n] == '\n');
    }
    return true;
}

/* --- figures ---------------------------------------------------------------*/

/* Of a measure that is not known: not a number, so is what is made of it. */
static double value(const tc_calibration *c, tc_measure_id id) {
    return c->results[id].known ? c->results[id].value : (double)NAN;
}

typedef struct figure {
    const char *name, *from;
    double value;
} figure;

enum {
#define TC_FIGURE(name, expression) +1
    FIGURES = 0
#include "calibrate/figures.def"
};

static void figures_of(const tc_calibration *c, figure out[FIGURES]) {
#define M(id)     value(c, TC_MEASURE_##id)
#define CLOCK_MHZ (c->clock_mhz > 0 ? c->clock_mhz : (double)NAN)
#define L2_KIB    (c->l2_kib > 0 ? c->l2_kib : (double)NAN)
    figure all[] = {
#define TC_FIGURE(name, expression) {#name, #expression, expression},
#include "calibrate/figures.def"
    };
    memcpy(out, all, sizeof all);
}

bool tc_calibration_figure(const tc_calibration *c, const char *name,
                           double *out) {
    figure all[FIGURES];
    figures_of(c, all);
    for (int i = 0; i < FIGURES; i++) {
        if (strcmp(all[i].name, name) == 0 && !isnan(all[i].value)) {
            *out = all[i].value;
            return true;
        }
    }
    return false;
}

/* What the machine has and the data do not. */
static void put_others(const tc_calibration *c, tc_buf *out) {
    tc_buf_puts(out, "# not from these data, left as the machine has them:\n");
    for (int i = 0; i < tc_profile_nnames(); i++) {
        double v;
        if (!tc_calibration_figure(c, tc_profile_name(i), &v)) {
            tc_buf_printf(out, "#   %s\n", tc_profile_name(i));
        }
    }
}

void tc_calibration_profile(const tc_calibration *c, tc_buf *out) {
    figure all[FIGURES];
    figures_of(c, all);
    tc_buf_printf(out,
                  "# Measured by tilecopy-repl calibrate: cycles of the SM's "
                  "clock, bytes a cycle.\n# `set profile FILE` takes it.\n"
                  "device %s\narch sm_%d\ndate %s\ndriver %d.%d\n",
                  c->device, c->sm, c->date, c->driver / 1000,
                  c->driver % 1000 / 10);
    for (int i = 0; i < FIGURES; i++) {
        long v = lround(all[i].value);
        if (!isnan(all[i].value) && tc_profile_takes(all[i].name, v)) {
            tc_buf_printf(out, "%-20s %6ld  # %.2f: %s\n", all[i].name, v,
                          all[i].value, all[i].from);
        }
    }
    put_others(c, out);
}
