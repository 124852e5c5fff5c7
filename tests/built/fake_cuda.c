/* A stand-in for libcuda.so.1, built by test_gpu. Device memory is host
 * memory, and the one kernel there is, "add", adds a byte to each byte of its
 * first buffer, into its second: add(in, out, n, what). After a fault it does
 * nothing more in its process, as the real one.
 * FAIL (see told) names a function that fails (CODE, default 2), CRASH one that
 * is the process's end; DEVICES is how many there are; BUSY how many queries
 * find the kernel running. LIVE counts what is not given back: printed to the
 * file it names when the context is released. VERSION is the driver's: one
 * before 13000 does not take PTX of version 9.0. BUS is which GPU it is: without,
 * it does not say. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20 }; /* of every allocation */

static int live, busy;
static int dead; /* a fault's error: the answer to all that comes after it */
static int retained; /* the primary context */
static void *current;

/* The tests are another process than this: what they say lies in files of the
 * folder FAKE_CUDA_FOLDER, or was said in the environment. */
static const char *told(const char *name) {
    static char text[64];
    char path[512];
    const char *folder = getenv("FAKE_CUDA_FOLDER");
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "", name);
    FILE *f = folder != NULL ? fopen(path, "r") : NULL;
    if (f == NULL) {
        snprintf(path, sizeof path, "FAKE_CUDA_%s", name);
        return getenv(path);
    }
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static int number(const char *name, int otherwise) {
    const char *v = told(name);
    return v != NULL ? atoi(v) : otherwise;
}

static int outcome(const char *api) {
    const char *name = told("CRASH");
    if (name != NULL && strcmp(name, api) == 0) {
        raise(SIGKILL);
    }
    name = dead ? NULL : told("FAIL");
    return dead                                     ? dead
           : name != NULL && strcmp(name, api) == 0 ? number("CODE", 2)
                                                    : 0;
}

#define FAIL                                                                   \
    do {                                                                       \
        int r = outcome(__func__);                                             \
        if (r != 0) {                                                          \
            return r;                                                          \
        }                                                                      \
    } while (0)

int cuInit(unsigned flags) {
    (void)flags;
    FAIL;
    return 0;
}

int cuDriverGetVersion(int *v) {
    *v = number("VERSION", 13000);
    return 0;
}

int cuGetErrorName(int e, const char **name) {
    *name = e == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : e == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                       : "CUDA_ERROR_OTHER";
    return e == 999 ? 1 : 0;
}

int cuGetErrorString(int e, const char **text) {
    *text =
        e == 700 ? "an illegal memory access was encountered" : "out of memory";
    return e == 999 ? 1 : 0;
}

int cuDeviceGetCount(int *n) {
    FAIL;
    *n = number("DEVICES", 1);
    return 0;
}

int cuDeviceGet(int *d, int ordinal) {
    *d = ordinal;
    return 0;
}

#include "fake_cuda_device.inc"

int cuDeviceGetName(char *name, int size, int d) {
    (void)d;
    snprintf(name, (size_t)size, "Fake GPU");
    return 0;
}

int cuDeviceGetPCIBusId(char *name, int size, int d) {
    const char *bus = told("BUS");
    (void)d;
    snprintf(name, (size_t)size, "%s", bus != NULL ? bus : "");
    return bus != NULL ? 0 : 1;
}

int cuDeviceGetAttribute(int *v, int attribute, int d) {
    (void)d;
    static const struct {
        int attribute, value;
    } rows[] = {{1, 1024},   {8, 49152},    {12, 65536}, {13, 1980000},
                {16, 132},   {36, 2619000}, {37, 6144},  {38, 62914560},
                {39, 2048},  {75, 9},       {76, 0},     {81, 233472},
                {82, 65536}, {97, 232448},  {106, 32}};
    *v = attribute == 102 ? number("VIRTUAL", 1) : 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *v = rows[i].attribute == attribute ? rows[i].value : *v;
    }
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int d) {
    (void)d;
    *context = &live;
    FAIL;
    retained++;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int d) {
    (void)d;
    const char *name = told("LIVE");
    FILE *f = name != NULL ? fopen(name, "w") : NULL;
    if (f != NULL) {
        fprintf(f, "%d\n", live);
        fclose(f);
    }
    retained--;
    return 0;
}

int cuCtxSetCurrent(void *context) {
    FAIL;
    current = context;
    return 0;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned n,
                       int *options, void **values) {
    bool old = number("VERSION", 13000) < 13000;
    if (old && strstr(image, ".version 9.") != NULL) {
        return 222;
    }
    if (strstr(image, ".attribute(.managed)") != NULL) {
        return 218; /* whose page would be nobody's to share */
    }
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == 5 && strstr(image, "nonsense") != NULL) {
            snprintf(values[i], 100, "\nptxas line 3: unknown nonsense\nmore");
            return 218;
        }
        if (options[i] == 3) {
            snprintf(values[i], 100, "compiled");
        }
    }
    FAIL;
    live++;
    *module = &live;
    return 0;
}

int cuModuleUnload(void *module) {
    FAIL;
    (void)module;
    live--;
    return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
    FAIL;
    (void)module;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (strcmp(name, kernels[i]) == 0) {
            *function = (void *)&kernels[i];
            return 0;
        }
    }
    return 500;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
    (void)function;
    (void)attribute;
    (void)value;
    FAIL;
    return 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    FAIL;
    live++;
    /* A mapping: what an abandoned kernel keeps is no leak of the host's. */
    void *p = bytes <= SIZE ? mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                            : NULL;
    *address = (uint64_t)(uintptr_t)p;
    return 0;
}

int cuMemFree_v2(uint64_t address) {
    FAIL;
    live--;
    return munmap((void *)(uintptr_t)address, SIZE);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    FAIL;
    if (current == NULL) {
        return 201;
    }
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    FAIL;
    if (current == NULL) {
        return 201;
    }
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return 0;
}

/* Refuses (1) what a caller must not ask: the map's place, its rank. */
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, uint64_t address,
                           const uint64_t *dims, const uint64_t *strides,
                           const unsigned *box, const unsigned *steps,
                           int interleave, int swizzle, int promotion,
                           int fill) {
    FAIL;
    if (type == 7) { /* of a CUDA program: bytes that name the arguments */
        memset(map, 0xAB, 128);
        memcpy(map, &address, 8);
        memcpy((char *)map + 8, box, 8);
        return 0;
    }
    bool right = (uintptr_t)map % 64 == 0 && type == 6 && rank == 2 &&
                 address != 0 && dims[0] == 8 && dims[1] == 4 &&
                 strides[0] == 16 && box[0] == 8 && box[1] == 2 &&
                 steps[1] == 1 && interleave == 0 && swizzle == 3 &&
                 promotion == 2 && fill == 1;
    memset(map, 0xAB, 128);
    return right ? 0 : 1;
}

int cuEventCreate(void **event, unsigned flags) {
    FAIL;
    (void)flags;
    live++;
    *event = &live;
    return 0;
}

int cuEventDestroy_v2(void *event) {
    FAIL;
    (void)event;
    live--;
    return 0;
}

int cuEventRecord(void *event, void *stream) {
    (void)event;
    (void)stream;
    busy = number("BUSY", 0);
    return 0;
}

int cuEventQuery(void *event) {
    (void)event;
    FAIL;
    return endless || busy-- > 0 ? 600 : 0;
}

int cuEventElapsedTime(float *ms, void *from, void *to) {
    FAIL;
    (void)from;
    (void)to;
    *ms = 0.5F;
    return 0;
}

static int add(void **params) {
    uint8_t *in, *out;
    int32_t n;
    memcpy(&in, params[0], sizeof in);
    memcpy(&out, params[1], sizeof out);
    memcpy(&n, params[2], sizeof n);
    for (int32_t i = 0; i < n; i++) {
        out[i] = (uint8_t)(in[i] + *(uint8_t *)params[3]);
    }
    return 0;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **params, void **extra) {
    const char *name = *(const char *const *)function;
    FAIL;
    if (strcmp(name, "add") != 0) {
        return execute(name, params, false);
    }
    return gx * gy * gz == 2 && bx == 128 && by * bz == 1 ? add(params) : 1;
}

struct attribute {
    int id;
    char pad[4];
    unsigned value[16];
};

struct config {
    unsigned grid[3], block[3], shared;
    void *stream;
    struct attribute *attributes;
    unsigned n;
};

int cuLaunchKernelEx(const struct config *c, void *function, void **params,
                     void **extra) {
    const char *name = *(const char *const *)function;
    const struct attribute *a = c->attributes;
    if (strcmp(name, "add") != 0) {
        return execute(name, params, a->id == 2 && a->value[0] == 1);
    }
    if (c->n == 1 && a->id == 2) { /* cooperative */
        return a->value[0] == 1 ? add(params) : 1;
    }
    return c->n == 1 && a->id == 4 && a->value[0] == 2 && a->value[1] == 1 &&
                   a->value[2] == 1 && c->grid[0] == 2 && c->block[0] == 128
               ? add(params)
               : 1;
}
