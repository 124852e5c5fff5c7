/* measure - the launches of a list on a GPU or in the simulator, as JSON lines:
 *
 *     measure [--gpu] [--repeats N] [--arch A] [--profile FILE] [--part I/N]
 *             LIST [NAME...]
 *
 * LIST is tests/calibrate/validation/set.txt or one like it; its PTX lies
 * beside it. On a GPU the first line is about the device: its name, driver, the
 * clock as measured, the date. A line is printed as soon as it is known. NAME:
 * lines whose names begin so. --part 0/2: every second one, from the first on.
 * Needs the driver, no toolkit. Status: 0; 1 a launch failed; 2 usage; 110 no
 * GPU. */
#include "launch_file.h"
#include "sim/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS_GPU = 6, REPEATS_SIM = 2, NO_GPU = 110, NAMES = 256 };

typedef struct tool {
    launch_file file;
    bool gpu;
    int repeats, part, parts;
    const char *list, *profile, *names[NAMES];
    int nnames;
} tool;

/* --- what is printed -------------------------------------------------------*/

static bool print_device(tool *t) {
    char date[32];
    time_t now = time(NULL);
    uint64_t v[2] = {0};
    const char *args[] = {"20000000"};
    tc_rt_device f;
    tc_launch_line l = {.name = "clock",
                        .kernel = "clock_rate",
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .args = args,
                        .nargs = 1};
    if (!launch_file_open(&t->file, "clock") ||
        !tc_bench_read(t->file.bench, &l, v, 2, launch_file_why(&t->file))) {
        return false;
    }
    tc_bench_facts(t->file.bench, &f);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("{\"device\": \"%s\", \"sm\": %d, \"sms\": %d, \"date\": \"%s\", "
           "\"driver\": %d, \"clock_khz\": %d, \"memory_clock_khz\": %d, "
           "\"bus_bits\": %d, \"l2_bytes\": %d, \"measured_mhz\": %.0f}\n",
           f.name, f.sm, f.multiprocessors, date, f.driver_version, f.clock_khz,
           f.memory_clock_khz, f.memory_bus_bits, f.l2_bytes,
           v[0] > 0 ? 1e3 * (double)v[1] / (double)v[0] : 0.0);
    return true;
}

static void print_dims(const char *name, const uint32_t n[3]) {
    printf(", \"%s\": [%u, %u, %u]", name, n[0], n[1], n[2]);
}

static void print_line(const tc_launch_line *l, const tc_measured *m) {
    printf("{\"name\": \"%s\", \"file\": \"%s\", \"kernel\": \"%s\"", l->name,
           l->file, l->kernel);
    print_dims("grid", l->grid);
    print_dims("block", l->block);
    printf(", \"smem\": %u, \"args\": [", l->smem);
    for (int i = 0; i < l->nargs; i++) {
        printf("%s\"%s\"", i ? ", " : "", l->args[i]);
    }
    printf("], \"cycles\": %llu, \"launches\": [",
           (unsigned long long)tc_measured_warm(m));
    for (int i = 0; i < m->n; i++) {
        printf("%s%llu", i ? ", " : "", (unsigned long long)m->cycles[i]);
    }
    printf("], \"wall_ms\": %.1f}\n", m->wall_ms);
    fflush(stdout);
}

/* --- launching -------------------------------------------------------------*/

static bool wanted(const tool *t, int i, const char *name) {
    bool named = t->nnames == 0;
    for (int k = 0; k < t->nnames; k++) {
        named |= strncmp(name, t->names[k], strlen(t->names[k])) == 0;
    }
    return named && i % t->parts == t->part;
}

static int measure(tool *t, const tc_launch_list *list) {
    launch_file *f = &t->file;
    int status = 0;
    for (int i = 0; i < list->n; i++) {
        const tc_launch_line *l = &list->lines[i];
        tc_measured m;
        if (!wanted(t, i, l->name)) {
            continue;
        }
        if (launch_file_open(f, l->file) &&
            tc_bench_measure(f->bench, l, t->repeats, &m, launch_file_why(f))) {
            print_line(l, &m);
        } else {
            fprintf(stderr, "measure: %s: %s\n", l->name, f->why);
            launch_file_close(f); /* after a fault it is of no use */
            status = 1;
        }
    }
    launch_file_close(f);
    return status;
}

static void complain(void *user, const tc_diag *diag) {
    (void)user;
    fprintf(stderr, "measure: line %d: %s\n", diag->line, diag->message);
}

/* What --profile names. False: it cannot be read. */
static bool read_profile(tool *t) {
    tc_diags diags = {complain, NULL, 0};
    const char *text =
        t->profile != NULL ? launch_file_text(&t->file, t->profile) : NULL;
    if (text != NULL) {
        tc_source *src = TC_NEW(t->file.arena, tc_source);
        *src = (tc_source){t->profile, text, strlen(text), 1};
        t->file.profile =
            tc_profile_read(t->file.arena, src, t->file.arch, &diags);
    }
    return t->profile == NULL || t->file.profile != NULL;
}

/* The list, the device's line, the launches. */
static int run(tool *t) {
    tc_launch_list list;
    launch_file *f = &t->file;
    const char *slash = strrchr(t->list, '/');
    f->v = t->gpu ? &tc_device_gpu : &tc_device_sim;
    f->folder = slash == NULL ? ""
                              : tc_strndup(f->arena, t->list,
                                           (size_t)(slash - t->list) + 1);
    const char *text = launch_file_text(f, t->list);
    int status = 1;
    if (text != NULL && read_profile(t) &&
        tc_launch_list_read(f->arena, text, &list, launch_file_why(f))) {
        status = t->gpu && !print_device(t) ? NO_GPU : 0;
    }
    if (status != 0) {
        fprintf(stderr, "measure: %s\n", f->why);
        return status;
    }
    return measure(t, &list);
}

/* --- arguments -------------------------------------------------------------*/

static bool read_args(tool *t, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *w = argv[i], *next = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(w, "--gpu") == 0) {
            t->gpu = true;
        } else if (strcmp(w, "--repeats") == 0) {
            t->repeats = atoi(next);
            i++;
        } else if (strcmp(w, "--arch") == 0) {
            t->file.arch = next;
            i++;
        } else if (strcmp(w, "--profile") == 0) {
            t->profile = next;
            i++;
        } else if (strcmp(w, "--part") == 0) {
            if (sscanf(next, "%d/%d", &t->part, &t->parts) != 2) {
                return false;
            }
            i++;
        } else if (*w == '-' || t->nnames == NAMES) {
            return false;
        } else if (t->list == NULL) {
            t->list = w;
        } else {
            t->names[t->nnames++] = w;
        }
    }
    if (t->repeats < 1 || t->repeats > TC_REPEATS) {
        t->repeats = t->gpu ? REPEATS_GPU : REPEATS_SIM;
    }
    return t->list != NULL && t->parts > 0;
}

int main(int argc, char **argv) {
    int status = 2;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    tool t = {.file = {.arena = tc_arena_new(), .arch = "sm_90a"}, .parts = 1};
    if (read_args(&t, argc, argv)) {
        status = run(&t);
    } else {
        fprintf(stderr, "usage: measure [--gpu] [--repeats N] [--arch A] "
                        "[--profile FILE] [--part I/N] LIST [NAME...]\n");
    }
    tc_arena_free(t.file.arena);
    return status;
}
