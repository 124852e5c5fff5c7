/* fake_library.h - the stand-in for libcuda.so.1 (fake_cuda.c), built for one
 * test program: fixtures of its group. */
#ifndef TC_TEST_FAKE_LIBRARY_H
#define TC_TEST_FAKE_LIBRARY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/tilecopy-test-gpu-XXXXXX";
static char library[64], counts[64];

static int build_fake(void **state) {
    (void)state;
    char command[1024];
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(library, sizeof library, "%s/libfake.so", folder);
    snprintf(counts, sizeof counts, "%s/live", folder);
    setenv("FAKE_CUDA_FOLDER", folder, 1);
    snprintf(command, sizeof command,
             "cc -w -shared -fPIC -o %s "
             "tests/built/fake_cuda.c",
             library);
    return system(command);
}

/* Tells it something (fake_cuda.c), or (NULL) nothing any more: it is in
 * another process. */
static inline void fake(const char *name, const char *value) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    FILE *f = value != NULL ? fopen(path, "w") : NULL;
    if (f != NULL) {
        fputs(value, f);
        fclose(f);
    }
}

static inline void fake_forget(void) {
    static const char *const names[] = {
        "FAIL", "CODE",  "DEVICES",  "BUSY",    "CRASH",  "BASE",
        "FLIP", "PAGES", "RANGE_GB", "VERSION", "VIRTUAL"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fake(names[i], NULL);
    }
}

static int remove_fake(void **state) {
    (void)state;
    fake_forget();
    fake("LIVE", NULL);
    unlink(library);
    unlink(counts);
    return rmdir(folder);
}

#endif
