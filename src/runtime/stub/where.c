/* where.c - the student's line behind a call: return addresses as addresses in
 * the program's file. */
#include "runtime/stub/stub.h"
#include "runtime/stub/wrappers.h"
#include <link.h>
#include <unwind.h>

typedef struct tc_stub_image {
    bool known;
    uintptr_t base, from, to; /* of the program's code */
} tc_stub_image;

/* The first that dl_iterate_phdr() shows is the program itself. */
static int first_image(struct dl_phdr_info *info, size_t size, void *user) {
    tc_stub_image *m = user;
    (void)size;
    m->base = info->dlpi_addr;
    m->from = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0) {
            uintptr_t from = info->dlpi_addr + p->p_vaddr;
            m->from = from < m->from ? from : m->from;
            m->to = from + p->p_memsz > m->to ? from + p->p_memsz : m->to;
        }
    }
    m->known = true;
    return 1;
}

static const tc_stub_image *image(void) {
    static tc_stub_image m;
    if (!m.known) {
        dl_iterate_phdr(first_image, &m);
    }
    return &m;
}

static bool is_students(const tc_stub_image *m, uintptr_t pc) {
    return pc >= m->from && pc < m->to &&
           !tc_stub_in_wrapper((uint64_t)(pc - m->base));
}

typedef struct tc_stub_walk {
    uintptr_t from; /* frames below this one are our own */
    bool reached;
    uintptr_t found;
} tc_stub_walk;

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *user) {
    tc_stub_walk *w = user;
    int before = 0; /* the pc is that of an instruction under way */
    uintptr_t pc = _Unwind_GetIPInfo(c, &before);
    w->reached = w->reached || pc == w->from;
    if (w->reached && is_students(image(), before ? pc : pc - 1)) {
        w->found = before ? pc : pc - 1;
        return _URC_NORMAL_STOP;
    }
    return _URC_NO_REASON;
}

/* From the frame with that pc outwards, the first of the student's own. */
static uint64_t outwards(uintptr_t from) {
    tc_stub_walk w = {.from = from};
    _Unwind_Backtrace(step, &w);
    return w.found != 0 ? w.found - image()->base : 0;
}

uint64_t tc_stub_where(void) {
    uintptr_t pc = (uintptr_t)tc_stub_self.caller;
    const tc_stub_image *m = image();
    if (pc == 0) {
        return 0;
    }
    return is_students(m, pc - 1) ? pc - 1 - m->base : outwards(pc);
}

uint64_t tc_stub_where_fault(const void *pc) {
    const tc_stub_image *m = image();
    /* As of a call: one past the instruction's first byte. */
    return is_students(m, (uintptr_t)pc) ? (uintptr_t)pc - m->base + 1
                                         : outwards((uintptr_t)pc);
}

const unsigned char *tc_stub_code_behind(uint64_t where) {
    const tc_stub_image *m = image();
    uintptr_t pc = (uintptr_t)where + 1 + m->base;
    enum { LEAST = 32 };
    return where != 0 && pc >= m->from && pc + LEAST < m->to
               ? (const unsigned char *)pc
               : NULL;
}
