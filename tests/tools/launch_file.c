/* launch_file.c - a .ptx file's kernels on a device. */
#include "launch_file.h"
#include "base/file.h"
#include "load/load.h"
#include "toolchain/toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tc_gpu_complaint launch_file_why(launch_file *f) {
    return (tc_gpu_complaint){f->why, sizeof f->why};
}

char *launch_file_text(launch_file *f, const char *path) {
    char no[TC_FILE_WHY];
    tc_buf text = TC_BUF_INIT;
    if (!tc_file_read(&text, path, (size_t)1 << 28, NULL, no)) {
        snprintf(f->why, sizeof f->why, "cannot read '%s': %s", path, no);
        return NULL;
    }
    return tc_buf_finish(&text, f->arena);
}

static void keep(void *user, const tc_diag *diag) {
    launch_file *f = user;
    if (diag->severity == TC_ERROR) {
        snprintf(f->why, sizeof f->why, "%s: %s", f->name, diag->message);
    }
}

/* --- what ptxas says of it, where there is one -----------------------------*/

static uint32_t registers(void *user, const char *kernel) {
    launch_file *f = user;
    tc_build_options o = {0};
    const char *lines = "", *said = getenv("TILECOPY_PTXAS");
    char why[256];
    uint32_t n;
    if (f->toolchain != NULL && (said == NULL || strcmp(said, "none") != 0)) {
        tc_ptxas_registers(f->arena, f->toolchain, f->module.ptx_text, f->arch,
                           NULL, &o, &lines, why, sizeof why);
    }
    tc_registers_among(lines, kernel, &n);
    return n;
}

static const struct tc_sass *machine_code(void *user, const char *kernel) {
    launch_file *f = user;
    tc_build_options o = {0};
    return tc_load_machine_code(f->arena, f->toolchain, f->module.ptx_text,
                                f->arch, NULL, kernel, &o);
}

static bool load(launch_file *f, const char *path) {
    const char *text = launch_file_text(f, path), *why, *hint;
    if (text == NULL) {
        return false;
    }
    tc_source *src = TC_NEW(f->arena, tc_source);
    tc_diags diags = {keep, f, 0};
    *src = (tc_source){tc_strdup(f->arena, path), text, strlen(text), 1};
    f->module = (tc_device_module){.ptx = tc_ptx_parse(f->arena, src, &diags),
                                   .ptx_text = text,
                                   .registers = registers,
                                   .machine_code = machine_code,
                                   .user = f};
    if (f->toolchain == NULL) {
        f->toolchain = tc_toolchain_find(f->arena, &why, &hint);
    }
    return f->module.ptx != NULL;
}

bool launch_file_open(launch_file *f, const char *name) {
    char path[4096];
    if (f->bench != NULL && strcmp(f->name, name) == 0) {
        return true;
    }
    launch_file_close(f);
    f->name = name;
    snprintf(path, sizeof path, "%s%s.ptx", f->folder, name);
    if (!load(f, path)) {
        return false;
    }
    f->options = (tc_device_options){.sim = {.arch = f->arch,
                                             .profile = f->profile,
                                             .timing = true,
                                             .completion = TC_COMPLETE_TIMING},
                                     .module = &f->module};
    f->bench = tc_bench_open(f->v, &f->options, launch_file_why(f));
    return f->bench != NULL;
}

void launch_file_close(launch_file *f) {
    tc_bench_close(f->bench);
    f->bench = NULL;
}
