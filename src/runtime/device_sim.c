/* device_sim.c - the simulator as the device of a CUDA program. */
#include "base/buf.h"
#include "runtime/device.h"
#include "sim/texture.h"
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory that the device has made. Large pieces are private views of one file
 * that is full of TC_DEVICE_FRESH: what nobody touches takes no memory. */
typedef struct piece {
    uint64_t address;
    uint8_t *bytes;
    uint64_t size;
    uint64_t filled; /* bytes from its begin on that hold what they should: the
                        rest is filled when somebody looks */
    bool view;       /* of the file */
} piece;

enum {
    SMALL = 64 << 10,
    HUGE_PAGE = 2 << 20,
    VIEW = 16 << 20 /* the file's bytes */
};
/* What a large copy from pinned memory reaches: 25 of PCIe 4.0's 31.5 GB/s (an
 * A100's 16 lanes), 55 of PCIe 5.0's 63. Each copy has the way through the
 * driver and the engine besides. */
enum {
    PCIE_4_GB_S = 25,
    PCIE_5_GB_S = 55,
    HOST_COPY_US = 10,
    DEVICE_COPY_US = 2
};
#define MOST_FILLED (UINT64_C(256) << 20)

struct tc_device {
    tc_device_options o;
    tc_sim *sim;
    piece *pieces; /* by address */
    int npieces, cpieces;
    int nfresh;      /* pieces that are not filled */
    uint64_t cycles; /* of all launches */
    double copies_ms;
    double host_gb_s, memory_gb_s; /* bytes a second, in 1e9 */
    uint32_t clock_khz;
    int file; /* of VIEW bytes; -1: not made yet */
    char why[512];
};

/* ---- life ---- */

static void keep_message(void *user, const tc_diag *diag) {
    tc_buf *b = user;
    if (diag->severity == TC_ERROR) {
        tc_buf_printf(b, "%s%s", b->len ? "; " : "", diag->message);
    }
}

static tc_device *sim_open(const tc_device_options *o, char *why,
                           size_t why_size) {
    tc_device *d = tc_xcalloc(1, sizeof *d);
    tc_buf errors = TC_BUF_INIT;
    tc_diags diags = {keep_message, &errors, 0};
    d->o = *o;
    d->file = -1;
    if (!d->o.sim.base) {
        d->o.sim.base = TC_RT_DEVICE_BASE;
    }
    d->sim = tc_sim_new(o->module->ptx, &d->o.sim, &diags);
    if (!d->sim) {
        snprintf(why, why_size, "%s", tc_buf_text(&errors));
        free(d);
        d = NULL;
    } else {
        tc_sim_facts f;
        tc_sim_facts_of(d->sim, &f);
        d->clock_khz = f.clock_khz;
        d->host_gb_s = f.sm >= 90 ? PCIE_5_GB_S : PCIE_4_GB_S;
        d->memory_gb_s = 2e-6 * f.memory_clock_khz * f.memory_bus_bits / 8;
    }
    tc_buf_free(&errors);
    return d;
}

/* ---- facts ---- */

/* What the machine has, as far as this one has it too: pages that nobody
 * touches cost nothing, but a program may touch all of them. */
static uint64_t memory_here(uint64_t most) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t here =
        pages > 0 && size > 0 ? (uint64_t)pages / 4 * 3 * (uint64_t)size : most;
    return here < most ? here : most;
}

static void sim_facts(tc_device *d, tc_rt_device *out) {
    tc_sim_facts f;
    tc_sim_facts_of(d->sim, &f);
    *out = (tc_rt_device){.sm = f.sm,
                          .multiprocessors = (int32_t)f.sms,
                          .threads_sm = (int32_t)f.threads_sm,
                          .threads_cta = (int32_t)f.threads_cta,
                          .ctas_sm = (int32_t)f.ctas_sm,
                          .registers_sm = (int32_t)f.registers_sm,
                          .registers_cta = (int32_t)f.registers_sm,
                          .clock_khz = (int32_t)f.clock_khz,
                          .memory_clock_khz = (int32_t)f.memory_clock_khz,
                          .memory_bus_bits = (int32_t)f.memory_bus_bits,
                          .l2_bytes = (int32_t)f.l2_bytes,
                          .driver_version = 13000,
                          .runtime_version = 13000,
                          .memory = f.memory,
                          .memory_free = memory_here(f.memory),
                          .shared_cta = f.shared_static,
                          .shared_sm = f.shared_sm,
                          .shared_optin = f.shared_cta};
    snprintf(out->name, sizeof out->name, "tilecopy simulator (%s)", f.arch);
}

static uint64_t sim_range(tc_device *d, uint64_t *bytes) {
    (void)d;
    *bytes = TC_RT_DEVICE_SIZE - TC_DEVICE_OWN;
    return TC_RT_DEVICE_BASE + TC_DEVICE_OWN;
}

static uint32_t registers_of(tc_device *d, const tc_ptx_func *f) {
    const tc_device_module *m = d->o.module;
    uint32_t n = m->registers ? m->registers(m->user, f->name) : 0;
    return n ? n : tc_sim_registers(d->sim, f);
}

/* Threads that fit by registers: of each warp in units of 256. */
static uint32_t threads_by_registers(const tc_sim_facts *f, uint32_t regs) {
    uint32_t warp = (regs + 7) / 8 * 8 * 32;
    uint32_t n = warp ? f->registers_sm / warp * 32 : f->threads_cta;
    return n < f->threads_cta ? n : f->threads_cta;
}

static void sim_function(tc_device *d, const tc_ptx_func *f,
                         tc_rt_function *out) {
    tc_sim_facts facts;
    tc_sim_facts_of(d->sim, &facts);
    const tc_ptx_module *m = d->o.module->ptx;
    out->registers = registers_of(d, f);
    uint64_t bound = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t n = f->reqntid[i] ? f->reqntid[i] : f->maxntid[i];
        bound *= n ? n : 1;
        out->cluster[i] =
            f->reqcluster[0] && !f->reqcluster[i] ? 1 : f->reqcluster[i];
    }
    uint32_t most = threads_by_registers(&facts, out->registers);
    bool bounded = f->maxntid[0] || f->reqntid[0];
    out->max_threads = bounded && bound < most ? (uint32_t)bound : most;
    out->shared = f->shared_bytes;
    out->local = f->local_bytes;
    out->constant = 0;
    for (int i = 0; i < m->nsymbols; i++) {
        out->constant +=
            m->symbols[i].space == TC_PS_CONST ? m->symbols[i].size : 0;
    }
    out->ptx_version = (uint32_t)m->sm;
    out->binary_version = (uint32_t)facts.sm;
}

static bool sim_symbol(tc_device *d, const tc_ptx_symbol *y,
                       uint64_t *address) {
    *address = tc_sim_symbol(d->sim, y);
    return *address != 0;
}

/* ---- memory ---- */

static int piece_index(const tc_device *d, uint64_t address) {
    int lo = 0, hi = d->npieces;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (d->pieces[mid].address + d->pieces[mid].size <= address) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static void add_piece(tc_device *d, piece p) {
    if (d->npieces == d->cpieces) {
        d->cpieces = d->cpieces ? d->cpieces * 2 : 64;
        d->pieces =
            tc_xrealloc(d->pieces, (size_t)d->cpieces * sizeof *d->pieces);
    }
    int i = piece_index(d, p.address);
    memmove(&d->pieces[i + 1], &d->pieces[i],
            (size_t)(d->npieces - i) * sizeof *d->pieces);
    d->pieces[i] = p;
    d->npieces++;
    d->nfresh += p.filled < p.size;
}

/* Storage, in huge pages where it is large: first touches are dear. A process
 * has only so many mappings: small pieces have none of their own. */
static uint8_t *new_pages(uint64_t size) {
    if (size > SIZE_MAX - HUGE_PAGE) {
        return NULL;
    }
    if (size <= SMALL) {
        return tc_xalign(256, (size_t)(size + 255) & ~(size_t)255);
    }
    bool huge = size >= HUGE_PAGE;
    size_t more = huge ? HUGE_PAGE : 0;
    uint8_t *p = mmap(NULL, size + more, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
    if (huge) { /* begin on one, and give the rest back */
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        size_t skip = -(uintptr_t)p & (HUGE_PAGE - 1);
        size_t used = (size + page - 1) & ~(page - 1);
        if (skip) {
            munmap(p, skip);
        }
        munmap(p + skip + used, size + more - skip - used);
        p += skip;
        madvise(p, used, MADV_HUGEPAGE);
    }
    return p;
}

static void free_pages(uint8_t *p, uint64_t size) {
    if (size <= SMALL) {
        free(p);
    } else {
        munmap(p, size);
    }
}

/* The file of TC_DEVICE_FRESH. */
static int fresh_file(tc_device *d) {
    if (d->file < 0) {
        d->file = memfd_create("tilecopy-fresh", MFD_CLOEXEC);
        void *p = MAP_FAILED;
        if (d->file >= 0 && ftruncate(d->file, VIEW) == 0) {
            p = mmap(NULL, VIEW, PROT_READ | PROT_WRITE, MAP_SHARED, d->file,
                     0);
        }
        if (p != MAP_FAILED) {
            memset(p, TC_DEVICE_FRESH, VIEW);
            munmap(p, VIEW);
        } else if (d->file >= 0) {
            close(d->file);
            d->file = -1;
        }
    }
    return d->file;
}

/* Views of the file all over p's pages. */
static bool view_file(tc_device *d, uint8_t *p, uint64_t size) {
    int fd = fresh_file(d);
    for (uint64_t at = 0; fd >= 0 && at < size; at += VIEW) {
        size_t n = size - at < VIEW ? (size_t)(size - at) : VIEW;
        if (mmap(p + at, n, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd,
                 0) == MAP_FAILED) {
            return false;
        }
    }
    return fd >= 0;
}

static bool sim_alloc(tc_device *d, const tc_device_memory *m) {
    if (m->kind != TC_RT_DEVICE || m->shared) {
        return tc_sim_map(d->sim, m->address, m->bytes, m->shared, m->name) !=
               NULL;
    }
    bool view = m->bytes > MOST_FILLED;
    uint8_t *p = m->bytes ? new_pages(m->bytes) : NULL;
    if (!p) {
        return false;
    }
    if ((view && !view_file(d, p, m->bytes)) ||
        !tc_sim_map(d->sim, m->address, m->bytes, p, m->name)) {
        free_pages(p, m->bytes);
        return false;
    }
    add_piece(d, (piece){m->address, p, m->bytes, view ? m->bytes : 0, view});
    tc_sim_find(d->sim, m->address)->fresh = view ? TC_DEVICE_FRESH : 0;
    return true;
}

static void sim_free(tc_device *d, uint64_t address) {
    int i = piece_index(d, address);
    tc_sim_unmap(d->sim, address);
    if (i < d->npieces && d->pieces[i].address == address) {
        d->nfresh -= d->pieces[i].filled < d->pieces[i].size;
        free_pages(d->pieces[i].bytes, d->pieces[i].size);
        d->npieces--;
        memmove(&d->pieces[i], &d->pieces[i + 1],
                (size_t)(d->npieces - i) * sizeof *d->pieces);
    }
}

/* The piece's bytes up to `to` are as they should be. */
static void advance(tc_device *d, piece *p, uint64_t to) {
    d->nfresh -= p->filled < p->size && to == p->size;
    p->filled = to;
}

/* The checker looks for reads of these bytes (sim/order/unwritten.c). */
static void set_fresh(tc_device *d, const piece *p, uint8_t value) {
    tc_sim_allocation *a = tc_sim_find(d->sim, p->address);
    if (a) {
        a->fresh = value;
    }
}

/* Memory is filled when somebody looks at it: most of it is written whole
 * before, by one copy or by several, the first bytes first. */
static void fill(tc_device *d, piece *p) {
    if (p->filled < p->size) {
        set_fresh(d, p, TC_DEVICE_FRESH);
        memset(p->bytes + p->filled, TC_DEVICE_FRESH, p->size - p->filled);
        advance(d, p, p->size);
    }
}

static void fill_all(tc_device *d) {
    for (int i = 0; i < d->npieces && d->nfresh; i++) {
        fill(d, &d->pieces[i]);
    }
}

/* Bytes [from, from + bytes) of it will be overwritten. */
static void overwrite(tc_device *d, piece *p, uint64_t from, uint64_t bytes) {
    if (p->view && bytes == p->size) { /* plain pages take bytes faster */
        void *q = mmap(p->bytes, p->size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                       -1, 0);
        p->view = q == MAP_FAILED;
        madvise(p->bytes, p->size, MADV_HUGEPAGE);
    }
    if (bytes == p->size) {
        set_fresh(d, p, 0);
    }
    if (from + bytes > p->filled && from <= p->filled) {
        advance(d, p, from + bytes);
    } else if (from > p->filled) {
        fill(d, p);
    }
}

/* The bytes at an address; whole: all of them will be overwritten. */
static uint8_t *sim_bytes(tc_device *d, uint64_t address, uint64_t bytes,
                          bool whole) {
    tc_sim_allocation *a = tc_sim_find(d->sim, address);
    if (!a || bytes > a->size || address - a->address > a->size - bytes) {
        return NULL;
    }
    int i = piece_index(d, address);
    if (i < d->npieces && d->pieces[i].address == a->address) {
        piece *p = &d->pieces[i];
        if (whole) {
            overwrite(d, p, address - a->address, bytes);
        } else {
            fill(d, p);
        }
    }
    return a->bytes + (address - a->address);
}

static bool sim_write(tc_device *d, uint64_t to, const void *from,
                      uint64_t bytes) {
    uint8_t *p = sim_bytes(d, to, bytes, true);
    if (p) {
        memcpy(p, from, bytes);
        tc_sim_written(d->sim, to, bytes);
    }
    return p != NULL;
}

static bool sim_read(tc_device *d, void *to, uint64_t from, uint64_t bytes) {
    const uint8_t *p = sim_bytes(d, from, bytes, false);
    if (p) {
        memcpy(to, p, bytes);
    }
    return p != NULL;
}

static bool sim_move(tc_device *d, uint64_t to, uint64_t from, uint64_t bytes) {
    const uint8_t *q = sim_bytes(d, from, bytes, false);
    uint8_t *p = q ? sim_bytes(d, to, bytes, true) : NULL;
    if (p) {
        memmove(p, q, bytes);
        tc_sim_written(d->sim, to, bytes);
    }
    return p != NULL;
}

static bool sim_set(tc_device *d, uint64_t to, int value, uint64_t bytes) {
    uint8_t *p = sim_bytes(d, to, bytes, true);
    if (p) {
        memset(p, value, bytes);
        tc_sim_find(d->sim, to)->fresh &=
            (value & 0xFF) == TC_DEVICE_FRESH ? 0 : 0xFF; /* they look alike */
        tc_sim_written(d->sim, to, bytes);
    }
    return p != NULL;
}

static void sim_close(tc_device *d) {
    tc_sim_free(d->sim);
    for (int i = 0; i < d->npieces; i++) {
        free_pages(d->pieces[i].bytes, d->pieces[i].size);
    }
    if (d->file >= 0) {
        close(d->file);
    }
    free(d->pieces);
    free(d);
}

/* ---- launches ---- */

/* The error that CUDA gives for a fault (CUDA Runtime API, cudaError); 0: what
 * the finding tells stops no kernel. */
static void sim_launch(tc_device *d, const tc_sim_launch *l,
                       tc_device_launched *out) {
    tc_sim_launch mine = *l;
    tc_buf errors = TC_BUF_INIT;
    tc_diags diags = {keep_message, &errors, 0};
    const tc_ptx_func *f = tc_ptx_find_entry(d->o.module->ptx, l->entry);
    *out = (tc_device_launched){0};
    if (f && !mine.registers) {
        mine.registers = registers_of(d, f);
    }
    if (d->o.module->machine_code) {
        mine.machine_code =
            d->o.module->machine_code(d->o.module->user, l->entry);
    }
    fill_all(d);
    tc_sim_forget(d->sim);
    if (!tc_sim_run(d->sim, &mine, &diags, &out->sim)) {
        snprintf(d->why, sizeof d->why, "%s", tc_buf_text(&errors));
        out->error = 1; /* cudaErrorInvalidValue */
        out->why = d->why;
    } else {
        out->simulated = true;
        d->cycles += out->sim.estimate;
        if (out->sim.status == TC_RUN_FAULT) {
            out->fault = true;
            out->error = tc_fault_error(&out->sim);
        }
    }
    tc_buf_free(&errors);
}

/* A cluster's CTAs are of one GPC's SMs. How an H200's 132 SMs lie in GPCs, and
 * that it counts at most 8 CTAs an SM: as its cudaOccupancyMaxActiveClusters
 * answers for clusters of 2 and 4 (528, 248); for 8 and 16 it finds a few more
 * places (124 and 58, of 120 and 56 here). Of other machines nobody has asked:
 * any SMs may form a cluster. */
static uint32_t clusters_of(const tc_sim_facts *f, uint32_t ctas,
                            uint32_t cluster) {
    static const uint8_t gpcs[] = {18, 18, 18, 16, 16, 16, 16, 14};
    uint32_t n = 0;
    if (f->sm != 90 || f->sms != 132) {
        return ctas * f->sms / cluster;
    }
    for (size_t i = 0; i < sizeof gpcs; i++) {
        n += gpcs[i] / cluster;
    }
    return n * (ctas < 8 ? ctas : 8);
}

static uint32_t sim_occupancy(tc_device *d, const tc_ptx_func *f,
                              uint32_t block, uint64_t dynamic_shared,
                              uint32_t cluster) {
    tc_sim_facts facts;
    if (dynamic_shared > UINT32_MAX) {
        return 0;
    }
    tc_sim_launch l = {.entry = f->name,
                       .block = {block, 1, 1},
                       .dynamic_shared = (uint32_t)dynamic_shared,
                       .registers = registers_of(d, f)};
    uint32_t n = tc_sim_occupancy(d->sim, &l);
    tc_sim_facts_of(d->sim, &facts);
    return cluster > 1 ? clusters_of(&facts, n, cluster) : n;
}

tc_sim_tensor_map tc_device_sim_map(const tc_rt_tensor_map *t) {
    tc_sim_tensor_map m = {.type = (uint32_t)t->type,
                           .rank = (uint32_t)t->rank,
                           .address = t->address,
                           .interleave = (uint32_t)t->interleave,
                           .swizzle = (uint32_t)t->swizzle,
                           .l2_promotion = (uint32_t)t->l2_promotion,
                           .oob_fill = (uint32_t)t->oob_fill};
    memcpy(m.dims, t->dims, sizeof m.dims);
    memcpy(m.strides, t->strides, sizeof m.strides);
    memcpy(m.box, t->box, sizeof m.box);
    memcpy(m.element_strides, t->element_strides, sizeof m.element_strides);
    return m;
}

static bool sim_tensor_map(tc_device *d, const tc_rt_tensor_map *t, void *out) {
    tc_sim_tensor_map m = tc_device_sim_map(t);
    return tc_tensor_map_encode(&m, out, d->why, sizeof d->why);
}

/* The record is the protocol's, member by member. */
static uint64_t sim_texture(tc_device *d, const tc_rt_texture *t) {
    tc_sim_texture m;
    static_assert(
        sizeof m == sizeof *t &&
            offsetof(tc_sim_texture, border) ==
                offsetof(tc_rt_texture, border) &&
            offsetof(tc_sim_texture, width) == offsetof(tc_rt_texture, width) &&
            offsetof(tc_sim_texture, level) == offsetof(tc_rt_texture, level),
        "sim/texture.h and protocol.h: one record");
    memcpy(&m, t, sizeof m);
    return tc_sim_add_texture(d->sim, &m);
}

static bool sim_drop_texture(tc_device *d, const tc_rt_texture_handle *h) {
    return tc_sim_drop_texture(d->sim, h->handle, h->surface != 0);
}

static double sim_time_ms(tc_device *d) {
    return (double)d->cycles / (double)d->clock_khz + d->copies_ms;
}

/* Latency, and bytes at the rate of what they go through; a copy within the
 * device reads and writes. */
static void sim_copied(tc_device *d, tc_device_copy how, uint64_t bytes) {
    bool host = how == TC_COPY_HOST;
    double rate = host                    ? d->host_gb_s
                  : how == TC_COPY_DEVICE ? d->memory_gb_s / 2
                                          : d->memory_gb_s;
    d->copies_ms += 1e-3 * (host ? HOST_COPY_US : DEVICE_COPY_US) +
                    1e-6 * (double)bytes / rate;
}

static tc_trace *sim_take_trace(tc_device *d) {
    return tc_sim_take_trace(d->sim);
}

static tc_sim *sim_sim(tc_device *d) {
    return d->sim;
}

const tc_device_vtable tc_device_sim = {.name = "sim",
                                        .open = sim_open,
                                        .close = sim_close,
                                        .facts = sim_facts,
                                        .range = sim_range,
                                        .function = sim_function,
                                        .symbol = sim_symbol,
                                        .alloc = sim_alloc,
                                        .free = sim_free,
                                        .write = sim_write,
                                        .read = sim_read,
                                        .bytes = sim_bytes,
                                        .move = sim_move,
                                        .set = sim_set,
                                        .launch = sim_launch,
                                        .occupancy = sim_occupancy,
                                        .tensor_map = sim_tensor_map,
                                        .texture = sim_texture,
                                        .drop_texture = sim_drop_texture,
                                        .time_ms = sim_time_ms,
                                        .copied = sim_copied,
                                        .take_trace = sim_take_trace,
                                        .sim = sim_sim};
