/* state_json.c - what the machine held, for scripts. */
#include "run/state.h"

#include <stdio.h>

static json_t *splits_json(const tc_state_warp *w) {
    json_t *list = json_array();
    for (int i = 0; i < w->nsplits; i++) {
        const tc_state_split *p = &w->splits[i];
        json_array_append_new(
            list, json_pack("{s:I,s:b,s:i,s:i}", "lanes", (json_int_t)p->mask,
                            "waits", p->waits, "line", (int)p->op->line,
                            "ptx_line", (int)p->op->ptx_line));
    }
    return list;
}

static json_t *registers_json(const tc_state_warp *w) {
    json_t *all = json_object();
    for (int i = 0; i < w->func->nregs; i++) {
        const tc_ptx_reg *r = &w->func->regs[i];
        json_t *lanes = json_array();
        for (int k = 0; k < 32; k++) {
            uint64_t v = tc_state_register(w, r, k);
            json_array_append_new(lanes, json_integer((json_int_t)v));
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)r->len, r->name);
        json_object_set_new(all, name, lanes);
    }
    return all;
}

static json_t *warps_json(const tc_state_view *l) {
    json_t *warps = json_array();
    for (uint32_t i = 0; l->cta != NULL && i < l->cta->nwarps; i++) {
        const tc_state_warp *w = &l->cta->warps[i];
        if (l->q->warp < 0 || l->q->warp == (int64_t)i) {
            json_array_append_new(warps,
                                  json_pack("{s:i,s:o,s:o}", "warp", (int)i,
                                            "at", splits_json(w), "registers",
                                            registers_json(w)));
        }
    }
    return warps;
}

static json_t *barriers_json(const tc_state_view *l) {
    json_t *barriers = json_array();
    for (int i = 0; l->cta != NULL && i < l->cta->nbarriers; i++) {
        const tc_state_barrier *x = &l->cta->barriers[i];
        json_t *id = x->id < 16 ? json_integer(x->id) : json_string("cluster");
        json_array_append_new(barriers,
                              json_pack("{s:o,s:I,s:I,s:i}", "barrier", id,
                                        "arrived", (json_int_t)x->arrived,
                                        "wanted", (json_int_t)x->wanted, "line",
                                        (int)x->op->line));
    }
    return barriers;
}

static json_t *mbarriers_json(const tc_state_view *l) {
    json_t *mbarriers = json_array();
    for (int i = 0; l->cta != NULL && i < l->cta->nmbarriers; i++) {
        const tc_state_mbarrier *m = &l->cta->mbarriers[i];
        json_array_append_new(
            mbarriers,
            json_pack("{s:s,s:I,s:I,s:I,s:I}", "barrier",
                      tc_address_name(l->s, TC_PS_SHARED, m->offset), "phase",
                      (json_int_t)m->phase, "pending", (json_int_t)m->pending,
                      "expected", (json_int_t)m->expected, "tx",
                      (json_int_t)m->tx));
    }
    return mbarriers;
}

static json_t *hex_json(const uint8_t *at, uint64_t n) {
    tc_buf hex = TC_BUF_INIT;
    for (uint64_t i = 0; i < n; i++) {
        tc_buf_printf(&hex, "%02x", at[i]);
    }
    json_t *j = json_string(tc_buf_text(&hex));
    tc_buf_free(&hex);
    return j;
}

static json_t *buffers_json(const tc_state_view *l) {
    json_t *buffers = json_array();
    for (int i = 0; i < l->run->nbuffers; i++) {
        const char *name = l->run->buffers[i].buffer->name;
        char hash[17];
        tc_state_memory m;
        if (tc_state_find(l, name, &m)) {
            snprintf(hash, sizeof hash, "%016llx",
                     (unsigned long long)tc_fnv1a64(m.at, m.n));
            json_array_append_new(
                buffers, json_pack("{s:s,s:I,s:s}", "name", name, "bytes",
                                   (json_int_t)m.n, "fnv1a64", hash));
        }
    }
    return buffers;
}

/* The memory that was asked for, byte by byte. */
static json_t *memory_json(const tc_state_view *l) {
    json_t *all = json_object();
    tc_state_memory m;
    for (int i = 0; i < l->q->nnames; i++) {
        if (tc_state_find(l, l->q->names[i], &m)) {
            json_object_set_new(all, l->q->names[i], hex_json(m.at, m.n));
        }
    }
    return all;
}

/* The same as values, where the program says their type. */
static json_t *values_json(const tc_state_view *l) {
    json_t *all = json_object();
    tc_state_memory m;
    for (int i = 0; i < l->q->nnames; i++) {
        if (tc_state_find(l, l->q->names[i], &m) &&
            tc_state_has_values(m.type)) {
            json_object_set_new(all, l->q->names[i],
                                tc_state_values_json(m.type, m.at, m.n));
        }
    }
    return all;
}

/* The CTA asked for; registers as raw bits, of the warp asked for or all. */
json_t *tc_state_json(const tc_state_view *l) {
    const tc_state_cta *c = l->cta;
    return json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "cycle",
                     (json_int_t)l->q->cycle, "cta",
                     c != NULL ? json_integer(c->index) : json_null(), "warps",
                     warps_json(l), "barriers", barriers_json(l), "mbarriers",
                     mbarriers_json(l), "shared",
                     c != NULL ? hex_json(c->shared, c->nshared) : json_null(),
                     "buffers", buffers_json(l), "memory", memory_json(l),
                     "typed", values_json(l));
}
