/* kernels.c - the PTX of kernels/, which travels in our program. A build that
 * does not say where it is has none. */
#include "calibrate/calibrate.h"

#include <string.h>

#ifdef TC_CALIBRATE_KERNELS
#define FILE_OF(name) ".incbin \"" TC_CALIBRATE_KERNELS "/" name ".ptx\"\n"
#else
#define FILE_OF(name) ""
#endif
#define KERNELS(name)                                                          \
    ".globl tc_calibrate_" name "\n"                                           \
    "tc_calibrate_" name ":\n" FILE_OF(name) ".byte 0\n"

__asm__(".pushsection .rodata\n" KERNELS("ops") KERNELS("memory")
            KERNELS("copies") KERNELS("async") ".popsection\n");

extern const char tc_calibrate_ops[], tc_calibrate_memory[],
    tc_calibrate_copies[], tc_calibrate_async[];

const char *tc_calibrate_ptx(const char *name) {
    static const struct {
        const char *name, *text;
    } files[] = {{"ops", tc_calibrate_ops},
                 {"memory", tc_calibrate_memory},
                 {"copies", tc_calibrate_copies},
                 {"async", tc_calibrate_async}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i].name, name) == 0) {
            return *files[i].text != '\0' ? files[i].text : NULL;
        }
    }
    return NULL;
}
