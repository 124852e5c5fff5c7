/* order.c - tells the parent what streams and the host wait for, and watches
 * page-locked memory: while an operation may use it, the pages that lie within
 * what it uses are shut (to writes only, where it reads), so that the host's
 * access to them is seen (managed.c). From the first stream or page-locked memory
 * on that the program has: before, all is in one order. A system call that reads
 * or writes what is shut fails (EFAULT). */
#include "runtime/stub/stub.h"
#include <sys/mman.h>
#include <unistd.h>

/* What is shut now. */
static tc_rt_flight shut[TC_RT_FLIGHTS];
static int nshut;

/* The pages of a flight that others have no bytes on: a block's own first and
 * last are its alone. One that is within a page has it all the same: what else
 * is there is looked at more closely (tc_stream_host_touch). */
static bool pages_of(const tc_rt_flight *f, uint64_t *first, uint64_t *end) {
    const tc_stub_block *b = tc_stub_block_at(f->address);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (b == NULL || b->kind != TC_RT_HOST || !b->mapped ||
        f->bytes > b->bytes - (f->address - b->address)) {
        return false;
    }
    uint64_t end_of = f->address + f->bytes;
    bool small = (f->address ^ (end_of - 1)) < page;
    bool begin = small || f->address == b->address;
    bool last = small || end_of == b->address + b->bytes;
    *first = (f->address + (begin ? 0 : page - 1)) & ~(page - 1);
    *end = (end_of + (last ? page - 1 : 0)) & ~(page - 1);
    return *first < *end;
}

static void protect(const tc_rt_flight *f, int how) {
    uint64_t first, end;
    if (pages_of(f, &first, &end)) {
        mprotect((void *)(uintptr_t)first, (size_t)(end - first), how);
    }
}

void tc_stub_order_open(void) {
    for (int i = 0; i < nshut; i++) {
        protect(&shut[i], PROT_READ | PROT_WRITE);
    }
    nshut = 0;
}

bool tc_stub_order_shuts(uint64_t address) {
    for (int i = 0; i < nshut; i++) {
        uint64_t first, end;
        if (pages_of(&shut[i], &first, &end) && address >= first &&
            address < end) {
            return true;
        }
    }
    return false;
}

/* Reads first, so that a page that is written as well is shut altogether. */
static void take(const tc_rt_flight *f, int n) {
    tc_stub_order_open();
    for (int write = 0; write < 2; write++) {
        for (int i = 0; i < n; i++) {
            if ((f[i].write != 0) == write) {
                protect(&f[i], write ? PROT_NONE : PROT_READ);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        shut[i] = f[i];
    }
    nshut = n;
    if (n > 0) {
        tc_stub_catch_again();
    }
}

static void say(const tc_rt_order *o) {
    tc_rt_flight f[TC_RT_FLIGHTS];
    struct iovec out = {(void *)(uintptr_t)o, sizeof *o}, in = {f, sizeof f};
    tc_stub_talk t = {.name = TC_RT_ORDER,
                      .stream = o->stream,
                      .out = &out,
                      .nout = 1,
                      .in = &in,
                      .nin = 1};
    bool heard = tc_stub_call(&t) == cudaSuccess && t.got <= sizeof f;
    take(f, heard ? (int)(t.got / sizeof *f) : 0);
}

void tc_stub_order(tc_rt_ordering what, uint32_t stream, uint64_t id) {
    tc_rt_order o = {.what = (uint32_t)what, .stream = stream, .id = id};
    if (tc_stub.ordered && !tc_stub.aside && tc_stub.link == TC_STUB_LINKED) {
        say(&o);
    }
}

void tc_stub_order_begin(void) {
    if (!tc_stub.ordered && tc_stub.device.gpu == 0) {
        tc_stub.ordered = true;
        tc_stub_order(TC_RT_ORDER_ASK, 0, 0);
    }
}
