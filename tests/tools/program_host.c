/* program_host - a built CUDA program on a device, for machines that have a
 * driver and no compiler:
 *
 *     program_host sim|gpu|both KERNELS.ptx PROGRAM [ARGUMENT]...
 *
 * The program and its PTX are what `tilecopy-repl exec` leaves in its cache. A
 * line for each launch, findings by kind and line, differences of bytes; the
 * status is the program's own, or 1. */
#include "base/buf.h"
#include "explain/finding.h"
#include "runtime/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct host {
    const tc_ptx_module *module;
    int launches, findings, differences;
} host;

static void print_diag(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%s:%d: %s\n", d->file, d->line, d->message);
}

static void print_finding(const tc_finding *f) {
    printf("  finding %s", tc_finding_kind_names[f->kind]);
    if (f->at.valid && f->at.op) {
        printf(" at line %u", f->at.op->line);
    }
    tc_arena *a = tc_arena_new();
    tc_buf b = TC_BUF_INIT;
    tc_detail_text(f, true, a, &b);
    puts(tc_buf_text(&b));
    tc_buf_free(&b);
    tc_arena_free(a);
}

static void launched(void *user, const tc_program_launch *l) {
    host *h = user;
    const tc_device_launched *r = l->result;
    h->launches++;
    if (r->error) {
        printf("  %s: error %d%s: %s\n", l->kernel ? l->kernel->name : "?",
               r->error, r->fault ? ", a fault" : "", r->why ? r->why : "");
    }
    for (int i = 0; r->simulated && i < r->sim.nfindings; i++) {
        print_finding(&r->sim.findings[i]);
        h->findings++;
    }
    for (int i = 0; i < r->ndifferences; i++) {
        const tc_device_difference *d = &r->differences[i];
        printf("  %s: %llu bytes differ at 0x%llx+%llu%s\n", l->kernel->name,
               (unsigned long long)d->bytes, (unsigned long long)d->address,
               (unsigned long long)d->offset,
               r->approximate ? " (it has approximate instructions)" : "");
        h->differences++;
    }
}

static void misused(void *user, const tc_host_finding *f) {
    host *h = user;
    if (tc_host_rows[f->kind].counts != TC_HOST_PEDANTIC) {
        printf("  %s: %s\n", tc_host_rows[f->kind].name, f->message);
        h->findings++;
    }
}

static tc_ptx_module *read_ptx(tc_arena *a, const char *path) {
    FILE *in = fopen(path, "rb");
    tc_buf b = TC_BUF_INIT;
    if (in) {
        tc_buf_read(&b, in);
        fclose(in);
    }
    tc_source *src = TC_NEW(a, tc_source);
    src->name = path;
    src->len = b.len;
    src->text = tc_buf_finish(&b, a);
    src->first_line = 1;
    tc_diags d = {print_diag, NULL, 0};
    return tc_ptx_parse(a, src, &d);
}

int main(int argc, char **argv) {
    static const tc_device_vtable *const all[] = {
        &tc_device_sim, &tc_device_gpu, &tc_device_both};
    const tc_device_vtable *v = NULL;
    int status;
    if (tc_gpu_process(argc, argv, &status)) {
        return status;
    }
    for (int i = 0; argc > 3 && i < 3; i++) {
        v = strcmp(argv[1], all[i]->name) == 0 ? all[i] : v;
    }
    if (!v) {
        fputs("program_host sim|gpu|both KERNELS.ptx PROGRAM [ARGUMENT]...\n",
              stderr);
        return 2;
    }
    tc_arena *a = tc_arena_new();
    host h = {.module = read_ptx(a, argv[2])};
    if (!h.module) {
        tc_arena_free(a);
        return 3;
    }
    tc_device_module m = {.ptx = h.module, .ptx_text = h.module->source->text};
    tc_program_options o = {.path = argv[3],
                            .argv = argv + 3,
                            .backend = v,
                            .device = {{.hazards = true}, &m, NULL},
                            .timeout_s = 60,
                            .launched = launched,
                            .misused = misused,
                            .user = &h};
    o.device.sim.completion = TC_COMPLETE_LATE;
    tc_program_result r;
    tc_program_run(&o, &r);
    printf("%s on %s: end %d, status %d, %d launches, %d findings, %d "
           "differences%s%s\n",
           argv[3], v->name, (int)r.end, r.status, h.launches, h.findings,
           h.differences, *r.why ? ": " : "", r.why);
    tc_arena_free(a);
    return r.end != TC_PROGRAM_EXITED ? 1
           : r.status                 ? r.status
                                      : h.findings > 0 || h.differences > 0;
}
