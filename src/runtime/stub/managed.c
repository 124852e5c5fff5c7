/* managed.c - device memory that the program reaches at the same address, and
 * what happens when it reaches for the rest.
 *
 * Between a launch and the next synchronizing call managed memory that the
 * kernel may use is shut (PROT_NONE): the program's access then tells the
 * parent that the synchronization is missing, and goes on. Any other access to
 * the device's addresses, which are unmapped, is the dereference of a device
 * pointer: the parent is told, and the program gets its SIGSEGV. Page-locked memory is shut by
 * order.c. */
#include "runtime/stub/stub.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static struct sigaction before; /* what the program had for SIGSEGV */

static uint64_t page_size(void) {
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The pages that a block lies on. */
static uint64_t first_page(const tc_stub_block *b) {
    return b->address & ~(page_size() - 1);
}

static size_t pages(const tc_stub_block *b) {
    uint64_t page = page_size();
    uint64_t end = (b->address + b->bytes + page - 1) & ~(page - 1);
    return (size_t)(end - first_page(b));
}

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

static bool map_at(tc_stub_block *b, uint64_t address, size_t bytes,
                   int descriptor) {
    void *at = descriptor < 0
                   ? MAP_FAILED
                   : mmap(pointer(address), bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED_NOREPLACE, descriptor, 0);
    if (at != MAP_FAILED && at != pointer(address)) {
        munmap(at, bytes); /* a kernel that does not know NOREPLACE */
        at = MAP_FAILED;
    }
    b->mapped = at != MAP_FAILED;
    if (b->mapped) {
        b->pages = address;
        b->pages_bytes = bytes;
    }
    return b->mapped;
}

bool tc_stub_map(tc_stub_block *b, int descriptor) {
    return map_at(b, first_page(b), pages(b), descriptor);
}

bool tc_stub_map_variable(tc_stub_block *b, const tc_rt_variable *v,
                          int descriptor) {
    if (v->map % page_size() != 0 || b->address - v->map > v->map_bytes ||
        b->bytes > v->map_bytes - (b->address - v->map)) {
        return false;
    }
    for (int i = 0; i < tc_stub.nblocks && !b->mapped; i++) {
        const tc_stub_block *o = &tc_stub.blocks[i];
        b->mapped = o->symbol && o->pages_bytes != 0 && o->pages == v->map;
    }
    return b->mapped || map_at(b, v->map, (size_t)v->map_bytes, descriptor);
}

void tc_stub_unmap(tc_stub_block *b) {
    if (b->pages_bytes != 0) {
        munmap(pointer(b->pages), b->pages_bytes);
    }
    b->mapped = b->shut = false;
    b->pages_bytes = 0;
}

/* --- shutting and opening ------------------------------------------------ */

/* By whole pages: of two variables on one page the first that is touched opens
 * the other too, of which then nothing is told. */
static void open_block(tc_stub_block *b) {
    if (b->shut) {
        mprotect(pointer(first_page(b)), pages(b), PROT_READ | PROT_WRITE);
        b->shut = false;
    }
}

static bool mentions(const void *params, size_t bytes, const tc_stub_block *b) {
    for (size_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const char *)params + i, sizeof word);
        if (word - b->address < b->bytes) {
            return true;
        }
    }
    return false;
}

static void on_fault(int number, siginfo_t *info, void *context);

/* A handler that the program has set since must not see our faults. */
void tc_stub_catch_again(void) {
    struct sigaction now;
    sigaction(SIGSEGV, NULL, &now);
    if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != on_fault) {
        tc_stub_catch();
    }
}

void tc_stub_shut(const void *params, size_t bytes, uint32_t stream) {
    for (int i = 0; i < tc_stub.nblocks; i++) {
        tc_stub_block *b = &tc_stub.blocks[i];
        if (b->kind != TC_RT_MANAGED || !b->mapped ||
            (b->flags & cudaMemAttachHost) != 0 ||
            !(b->symbol || mentions(params, bytes, b))) {
            continue;
        }
        tc_stub_catch_again();
        if (!b->shut) {
            b->shut =
                mprotect(pointer(first_page(b)), pages(b), PROT_NONE) == 0;
        }
        b->stream = stream;
        b->launch = tc_stub.launches;
    }
}

void tc_stub_open(uint32_t stream, uint64_t launch) {
    for (int i = 0; i < tc_stub.nblocks; i++) {
        tc_stub_block *b = &tc_stub.blocks[i];
        if ((stream == 0 || b->stream == stream) && b->launch <= launch) {
            open_block(b);
        }
    }
}

/* --- faults -------------------------------------------------------------- */

static bool wrote(const ucontext_t *u) {
#if defined(__x86_64__) /* page-fault error code: bit 1 */
    return (u->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)u;
    return false;
#endif
}

static const void *counter(const ucontext_t *u) {
#if defined(__x86_64__)
    return (const void *)(uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)u->uc_mcontext.pc;
#else
    (void)u;
    return NULL;
#endif
}

/* Somebody has sent it (raise, kill, sigqueue): no access will repeat it. */
static bool is_sent(const siginfo_t *info) {
    return info->si_code <= 0;
}

/* Its default action. An access is repeated, and then ends the program; a
 * signal that was sent is sent again, and comes when this one's handler
 * returns. */
static void die(int number, const siginfo_t *info) {
    signal(number, SIG_DFL);
    if (is_sent(info)) {
        raise(number);
    }
}

/* The program's own handler, with the mask that it has asked for; the kernel
 * restores what was when ours returns (sigaction(2)). */
static void call_before(int number, siginfo_t *info, void *context) {
    struct sigaction own = before;
    sigset_t mask = own.sa_mask, one;
    sigemptyset(&one);
    sigaddset(&one, number);
    if ((own.sa_flags & SA_RESETHAND) != 0) {
        before = (struct sigaction){.sa_handler = SIG_DFL};
    }
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    if ((own.sa_flags & SA_NODEFER) != 0 && !sigismember(&mask, number)) {
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    }
    if ((own.sa_flags & SA_SIGINFO) != 0) {
        own.sa_sigaction(number, info, context);
    } else {
        own.sa_handler(number);
    }
}

/* A handler of the program's that calls the one before it, which is ours,
 * comes back here with the same siginfo_t, further down the stack (one that
 * jumped out of here is gone from there). */
static bool is_called_back(const siginfo_t *info, const char *frame) {
    static _Thread_local const siginfo_t *last;
    static _Thread_local const char *at;
    bool again = info == last && frame < at;
    if (!again) {
        last = info;
        at = frame;
    }
    return again;
}

/* What would have happened without us. */
static void chain(int number, siginfo_t *info, void *context) {
    char frame;
    bool has_handler =
        (before.sa_flags & SA_SIGINFO) != 0 ||
        (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN);
    if (is_called_back(info, &frame)) {
        die(number, info);
    } else if (has_handler) {
        call_before(number, info, context);
    } else if (before.sa_handler == SIG_DFL || !is_sent(info)) {
        die(number, info); /* no access can be ignored */
    }
}

/* Is the host's instruction atomic: has it the prefix LOCK? */
static bool is_atomic(const void *pc) {
#ifdef __x86_64__
    const unsigned char *p = pc;
    return p[0] == 0xF0 || (p[0] == 0x66 && p[1] == 0xF0);
#else
    (void)pc;
    return false;
#endif
}

/* True: the program goes on. A fault of the stub's own hands, with the mutex
 * held, is in the middle of a call: nothing can be said then. */
static bool explain(const siginfo_t *info, const ucontext_t *u) {
    bool held = tc_stub_self.holds;
    if (!held) {
        tc_stub_lock();
    }
    tc_rt_note n = {.write = wrote(u),
                    .address = (uint64_t)(uintptr_t)info->si_addr,
                    .error = is_atomic(counter(u))};
    tc_stub_block *b = tc_stub_block_at(n.address);
    bool host = tc_stub_order_shuts(n.address);
    bool shut = host || (b != NULL && b->shut);
    if (host) {
        tc_stub_order_open();
    } else if (shut) {
        open_block(b);
    }
    if (!held) {
        tc_stub_note(shut ? TC_RT_NOTE_MISSING_SYNC : TC_RT_NOTE_DEREF,
                     tc_stub_where_fault(counter(u)), &n, "");
        tc_stub_unlock();
    }
    return shut;
}

static void on_fault(int number, siginfo_t *info, void *context) {
    if (is_sent(info) || !tc_stub_is_device(info->si_addr) ||
        !explain(info, context)) {
        chain(number, info, context);
    }
}

void tc_stub_catch(void) {
    struct sigaction mine = {.sa_sigaction = on_fault,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&mine.sa_mask);
    sigaction(SIGSEGV, &mine, &before);
}

void tc_stub_signal_stack(void) {
    enum { BYTES = 64 << 10 };
    stack_t now;
    tc_stub_self.stack = true;
    if (sigaltstack(NULL, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) {
        return;
    }
    void *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) {
        stack_t mine = {.ss_sp = p, .ss_size = BYTES};
        sigaltstack(&mine, NULL);
    }
}
