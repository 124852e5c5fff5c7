/* fake_library.c - the stand-in for libcuda.so.1: building it, telling it things. */
#include "fake_library.h"

char folder[] = "/tmp/tilecopy-test-gpu-XXXXXX";
char library[64], counts[64];

int build_fake(void **state) {
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

void fake(const char *name, const char *value) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    FILE *f = value != NULL ? fopen(path, "w") : NULL;
    if (f != NULL) {
        fputs(value, f);
        fclose(f);
    }
}

void fake_forget(void) {
    static const char *const names[] = {
        "FAIL", "CODE", "DEVICES", "BUSY",     "CRASH",   "BASE",
        "FLIP", "BUS",  "PAGES",   "RANGE_GB", "VERSION", "VIRTUAL"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fake(names[i], NULL);
    }
}

int remove_fake(void **state) {
    (void)state;
    fake_forget();
    fake("LIVE", NULL);
    unlink(library);
    unlink(counts);
    return rmdir(folder);
}
