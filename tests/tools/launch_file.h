/* launch_file.h - the kernels of a .ptx file on a device, for tools that launch
 * those of a list one after the other. */
#ifndef TESTS_TOOLS_LAUNCH_FILE_H
#define TESTS_TOOLS_LAUNCH_FILE_H

#include "base/buf.h"
#include "calibrate/launches.h"

typedef struct launch_file {
    tc_arena *arena;
    const tc_device_vtable *v;
    const char *arch, *folder; /* "" or with its slash */
    const struct tc_profile
        *profile;     /* the simulator's; NULL: the arch's own */
    const char *name; /* of the open one */
    tc_bench *bench;  /* or NULL */
    tc_device_module module;
    tc_device_options options;
    const struct tc_toolchain *toolchain; /* NULL: there is none */
    char why[1024];                       /* after a failure */
} launch_file;

/* All of a file, in the arena; NULL with why. */
char *launch_file_text(launch_file *f, const char *path);
/* FOLDER/NAME.ptx on the device, unless it is there already. False with why. */
bool launch_file_open(launch_file *f, const char *name);
void launch_file_close(launch_file *f);
tc_gpu_complaint launch_file_why(launch_file *f);

#endif
