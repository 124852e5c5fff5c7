/* stub_build.h - builds programs with the runtime's stub, as it is in
 * libtilecopy.a. */
#ifndef TC_TEST_STUB_BUILD_H
#define TC_TEST_STUB_BUILD_H

#include "toolchain/internal.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the archive to a new folder; its path. */
static inline bool stub_archive(char *path, size_t size) {
    char folder[] = "/tmp/tilecopy-test-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        return false;
    }
    snprintf(path, size, "%s/libtcstub.a", folder);
    FILE *f = fopen(path, "wb");
    size_t n = (size_t)(tc_stub_archive_end - tc_stub_archive);
    return f != NULL && fwrite(tc_stub_archive, 1, n, f) == n && fclose(f) == 0;
}

/* Compiles a C program and links it with the stub; program: its path. */
static inline bool stub_build(const char *source, char *program, size_t size) {
    char archive[64], command[512];
    if (!stub_archive(archive, sizeof archive)) {
        return false;
    }
    snprintf(program, size, "%.*s/program",
             (int)(strrchr(archive, '/') - archive), archive);
    snprintf(command, sizeof command,
             "cc -std=c17 -D_GNU_SOURCE -Isrc -g -o %s %s %s "
             "-lpthread",
             program, source, archive);
    return system(command) == 0;
}

/* Removes the folder that the file is in. */
static inline void stub_clean(const char *file) {
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%.*s'",
             (int)(strrchr(file, '/') - file), file);
    (void)!system(command);
}

#endif
