/* exec.c - runs a built CUDA program and keeps what came of it. */
#include "exec/exec.h"
#include "base/progress/progress.h"
#include "run/run.h"
#include "runtime/budget.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- life ------------------------------------------------------------------*/

static tc_exec *exec_new(tc_session *s, tc_loaded *file,
                         const tc_exec_request *ask) {
    tc_arena *a = tc_arena_new();
    tc_exec *e = tc_xcalloc(1, sizeof *e);
    e->session = s;
    e->arena = a;
    e->file = file;
    e->cuda = file->cuda;
    e->source = tc_strdup(a, file->source->name);
    e->backend = ask->backend->name;
    e->pedantic = ask->pedantic;
    e->sandbox = ask->sandbox;
    e->keeps = !ask->alone;
    return e;
}

void tc_exec_free(tc_exec *e) {
    if (e == NULL) {
        return;
    }
    for (int i = 0; i < e->nfindings; i++) {
        json_decref(e->findings[i].json);
    }
    free(e->before);
    tc_sim_free_caches(e->caches);
    free(e->scratch);
    free(e->printed);
    tc_arena_free(e->arena);
    free(e);
}

/* --- what the device asks of the compiler ----------------------------------*/

bool tc_exec_asks_each(const tc_loaded *file) {
    enum { MANY = 16 };
    return file->module->nfuncs > MANY;
}

tc_build_status tc_exec_ask_registers(const tc_loaded *file, char *why,
                                      size_t why_size) {
    tc_cuda *c = file->cuda;
    if (c->registers != NULL) {
        return TC_BUILD_OK;
    }
    return tc_ptxas_registers(file->arena, c->toolchain, file->text->text,
                              c->arch, NULL, &c->options, &c->registers, why,
                              why_size);
}

/* Adds the kernel's line; where ptxas does not tell, it has 0. */
static void ask_one(const tc_loaded *file, const char *kernel) {
    tc_cuda *c = file->cuda;
    const char *lines, *before = c->registers_each ? c->registers_each : "";
    char unknown[256];
    uint32_t n;
    tc_ptxas_registers(file->arena, c->toolchain, file->text->text, c->arch,
                       kernel, &c->options, &lines, unknown, sizeof unknown);
    tc_registers_among(lines, kernel, &n);
    c->registers_each =
        tc_format(file->arena, "%s%s %" PRIu32 "\n", before, kernel, n);
}

static uint32_t registers(void *user, const char *kernel) {
    const tc_exec *e = user;
    tc_cuda *c = e->file->cuda;
    char unknown[256];
    uint32_t n;
    if (c->registers == NULL && tc_exec_asks_each(e->file)) {
        if (!tc_registers_among(c->registers_each, kernel, &n)) {
            ask_one(e->file, kernel);
        }
        tc_registers_among(c->registers_each, kernel, &n);
        return n;
    }
    tc_exec_ask_registers(e->file, unknown, sizeof unknown);
    tc_registers_among(c->registers, kernel, &n);
    return n;
}

/* For a GPU of that sm; where the text is for "90a" only such a one takes it.
 */
static const void *assemble(void *user, int sm, tc_arena *a, size_t *bytes,
                            char *why, size_t why_size) {
    tc_exec *e = user;
    const tc_ptx_module *m = e->file->module;
    char arch[32];
    snprintf(arch, sizeof arch, "sm_%d%.1s", sm,
             m->sm == sm && m->sm_suffix ? &m->sm_suffix : "");
    return tc_ptxas_cubin(a, e->cuda->toolchain, e->file->text->text, arch,
                          NULL, &e->cuda->options, bytes, why, why_size);
}

/* The clock's: read once a kernel. */
static const struct tc_sass *machine_code(void *user, const char *kernel) {
    tc_exec *e = user;
    tc_cuda *c = e->file->cuda;
    if (!e->used.timing) {
        return NULL;
    }
    for (int i = 0; i < c->ncodes; i++) {
        if (strcmp(c->codes[i].kernel, kernel) == 0) {
            return c->codes[i].code;
        }
    }
    tc_arena *a = e->file->arena;
    tc_kernel_code k = {
        tc_strdup(a, kernel),
        tc_load_machine_code(a, c->toolchain, e->file->text->text, c->arch,
                             tc_exec_asks_each(e->file) ? kernel : NULL, kernel,
                             &c->options)};
    TC_PUSH(a, c->codes, c->ncodes, c->codes_cap, k);
    return k.code;
}

/* --- standard output in JSON -----------------------------------------------*/

enum {
    CAUGHT = 64 << 20
}; /* bytes of standard output that a program may
      write before its writes fail */

/* A file in memory that grows no further. -1: there is none. */
static int catch_output(void) {
    int fd = memfd_create("stdout", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, CAUGHT) != 0 ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void take_output(tc_exec *e, int fd) {
    off_t end = lseek(fd, 0, SEEK_CUR); /* where the program's writes ended */
    uint64_t n = end > 0 ? (uint64_t)end : 0;
    e->nprinted = n < TC_EXEC_PRINTED ? n : TC_EXEC_PRINTED;
    e->printed = tc_xcalloc(e->nprinted + 1, 1);
    ssize_t got = pread(fd, e->printed, e->nprinted, 0);
    e->nprinted = got > 0 ? (uint64_t)got : 0;
    e->unprinted = n - e->nprinted;
    close(fd);
}

/* --- running ---------------------------------------------------------------*/

/* The program's name, as a native build would have it, then its arguments. */
static char **make_argv(const tc_exec *e, const tc_exec_request *ask) {
    char **argv = TC_NEWN(e->arena, char *, ask->nargs + 2);
    size_t n = strlen(e->source);
    bool cu = n > 3 && strcmp(e->source + n - 3, ".cu") == 0;
    argv[0] = tc_strndup(e->arena, e->source, cu ? n - 3 : n);
    for (int i = 0; i < ask->nargs; i++) {
        argv[i + 1] = tc_strdup(e->arena, ask->args[i]);
    }
    return argv;
}

/* Alone, only what is right and wrong counts: no trace, and unless somebody
 * asks no clock: copies land as late as they may. */
static tc_sim_options sim_options(tc_session *s, const tc_exec *e,
                                  const tc_exec_request *ask) {
    tc_sim_options o = tc_run_options(s, e->cuda->arch);
    o.threads = ask->task ? 1 : o.threads;
    if (ask->alone) {
        o.timing = ask->timing;
        o.trace = false;
        o.completion = o.timing ? TC_COMPLETE_TIMING : TC_COMPLETE_LATE;
    }
    return o;
}

static void run_program(tc_session *s, tc_exec *e, const tc_exec_request *ask) {
    tc_build_restore(e->file->arena, &e->cuda->build); /* else it is missed */
    /* A grade is the same where there is no ptxas; a lesson, too. */
    bool graded = ask->task != NULL || s->as_pages;
    tc_device_module module = {.ptx = e->file->module,
                               .ptx_text = e->file->text->text,
                               .renamed = e->cuda->renamed,
                               .nrenamed = e->cuda->nrenamed,
                               .registers = registers,
                               .assemble = assemble,
                               .machine_code = graded ? NULL : machine_code,
                               .user = e};
    bool catches = s->options.json && !ask->alone;
    int out = catches ? catch_output() : -1;
    int in = ask->alone || s->options.terminal
                 ? -1 /* at a prompt in a script, commands come from there */
                 : open("/dev/null", O_RDONLY | O_CLOEXEC);
    tc_limits usual = {.memory = tc_memory_available() / 10 * 9};
    tc_program_options o = {.path = e->cuda->build.program,
                            .argv = make_argv(e, ask),
                            .backend = ask->backend,
                            .device = {sim_options(s, e, ask), &module, s->gpu},
                            .timeout_s = ask->timeout_s,
                            .cancel = &s->cancel,
                            .in = in > 0 ? in : ask->in,
                            .out = out > 0 ? out : ask->out,
                            .err = ask->err,
                            .limits = ask->taken != NULL ? ask->taken : &usual,
                            .memory = ask->memory,
                            .task = ask->task,
                            .sandbox = ask->sandbox,
                            .launching = tc_exec_launching,
                            .launched = tc_exec_launched,
                            .misused = tc_exec_misused,
                            .user = e};
    e->used = o.device.sim;
    tc_program_run(&o, &e->result);
    if (in > 0) {
        close(in);
    }
    if (out > 0) {
        take_output(e, out);
    }
}

tc_exec *tc_exec_run(tc_session *s, tc_loaded *file,
                     const tc_exec_request *ask) {
    tc_exec *e = exec_new(s, file, ask);
    tc_run_retain(s, NULL); /* forgets the last run, of whatever sort */
    s->last_exec = (tc_last_exec){e, file, tc_exec_free};
    tc_progress_share(true);
    run_program(s, e, ask);
    tc_progress_share(false);
    s->had_findings |= tc_exec_status(e) != 0;
    return e;
}

/* --- how it ended ----------------------------------------------------------*/

int tc_exec_exit(const tc_exec *e) {
    switch (e->result.end) {
    case TC_PROGRAM_EXITED:
        return e->result.status;
    case TC_PROGRAM_SIGNALLED: /* as shells have it */
        return 128 + e->result.status;
    case TC_PROGRAM_TIMEOUT:
        return TC_TIMEOUT;
    case TC_PROGRAM_CANCELLED:
        return e->session->cancel == 2 ? TC_TIMEOUT : 128 + 2; /* SIGINT */
    case TC_PROGRAM_NO_GPU:
        return TC_NO_GPU;
    case TC_PROGRAM_MACHINE:
        return TC_MACHINE;
    case TC_PROGRAM_NOT_STARTED:
    case TC_PROGRAM_LIMIT:
    case TC_PROGRAM_STOPPED:
    case TC_PROGRAM_GARBLED:
        break;
    }
    return TC_FAILED;
}

int tc_exec_status(const tc_exec *e) {
    int own = tc_exec_exit(e);
    bool found = e->nfindings > 0 || e->ndifferences > 0 || e->gpu_faults > 0;
    return own != 0        ? own
           : e->gpu_failed ? TC_NO_GPU
           : found         ? TC_FAILED
                           : TC_OK;
}
