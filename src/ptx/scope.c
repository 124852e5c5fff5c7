/* scope.c - names of a module: block-scoped registers, variables, labels. */
#include "ptx/internal.h"

#include <ctype.h>
#include <string.h>

static uint32_t hash(tc_ptx_name n) {
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < n.len; i++) {
        h = (h ^ (unsigned char)n.text[i]) * 16777619u;
    }
    return h;
}

static bool same(tc_ptx_name a, tc_ptx_name b) {
    return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

/* The slot of n, or the empty one where it would go; cap is a power of 2. */
static tc_ptx_entry *probe(const tc_ptx_map *m, tc_ptx_name n) {
    uint32_t i = hash(n) & (m->cap - 1);
    while (m->slots[i].kind != TC_PE_NONE && !same(m->slots[i].name, n)) {
        i = (i + 1) & (m->cap - 1);
    }
    return &m->slots[i];
}

tc_ptx_entry *tc_ptx_map_find(const tc_ptx_map *m, tc_ptx_name n) {
    if (m->n == 0) {
        return NULL;
    }
    tc_ptx_entry *e = probe(m, n);
    return e->kind == TC_PE_NONE ? NULL : e;
}

tc_ptx_entry *tc_ptx_map_add(tc_arena *a, tc_ptx_map *m, tc_ptx_name n) {
    if (m->n * 4 >= m->cap * 3) {
        tc_ptx_map old = *m;
        m->cap = old.cap != 0 ? old.cap * 2 : 16;
        m->slots = TC_NEWN(a, tc_ptx_entry, m->cap);
        for (uint32_t i = 0; i < old.cap; i++) {
            if (old.slots[i].kind != TC_PE_NONE) {
                *probe(m, old.slots[i].name) = old.slots[i];
            }
        }
    }
    tc_ptx_entry *e = probe(m, n);
    m->n++;
    e->name = n;
    return e;
}

void tc_ptx_push_scope(tc_ptx_parser *p) {
    tc_ptx_block *s = TC_NEW(p->arena, tc_ptx_block);
    s->parent = p->scope;
    p->scope = s;
}

/* An indirect call has the results and arguments of its prototype. */
static void fit_prototype(tc_ptx_parser *p, const tc_ptx_fixup *f,
                          const tc_ptx_table *t, const tc_ptx_op *op) {
    uint32_t have[2] = {op->a[0].kind == TC_PO_VECTOR ? op->a[0].nvec : 0,
                        op->a[2].kind == TC_PO_VECTOR ? op->a[2].nvec : 0};
    uint32_t want[2] = {t->results, t->params};
    for (int i = 0; t->prototype && i < 2; i++) {
        if (have[i] != want[i]) {
            tc_ptx_fail(p, f->span, NULL,
                        "the prototype '%.*s' has %u %s%s, and this call %u",
                        (int)f->name.len, f->name.text, want[i],
                        i == 0 ? "result" : "parameter",
                        want[i] == 1 ? "" : "s", have[i]);
            return;
        }
    }
}

static void settle(tc_ptx_parser *p, const tc_ptx_fixup *f,
                   const tc_ptx_entry *label) {
    if (f->what != TC_FIX_TARGET && f->index >= p->m->ncode) {
        return; /* the op was wrong, and is not there */
    }
    bool table = f->what == TC_FIX_BRX || f->what == TC_FIX_CALL;
    if (table != (label->kind == TC_PE_PROTO)) {
        tc_ptx_fail(p, f->span, NULL,
                    table ? "'%.*s' is no table of targets"
                          : "'%.*s' is a table of targets, not a place in the "
                            "code",
                    (int)f->name.len, f->name.text);
    } else if (f->what == TC_FIX_TARGET) {
        p->m->targets[f->index] = label->index;
    } else if (table) {
        tc_ptx_op *op = &p->m->code[f->index];
        op->a[f->what == TC_FIX_BRX ? 1 : 3].imm = label->index;
        if (f->what == TC_FIX_CALL) {
            fit_prototype(p, f, &p->m->tables[label->index], op);
        }
    } else {
        p->m->code[f->index].target = label->index;
        p->m->code[f->index].a[0].imm = label->index;
    }
}

/* Reports a branch whose label no enclosing block has. */
static void no_label(tc_ptx_parser *p, const tc_ptx_fixup *f) {
    const char *names[64];
    int n = 0;
    const tc_ptx_map *m = &p->scope->labels;
    for (uint32_t i = 0; i < m->cap && n < 64; i++) {
        if (m->slots[i].kind == TC_PE_LABEL) {
            names[n++] = tc_ptx_dup(p, m->slots[i].name);
        }
    }
    const char *name = tc_ptx_dup(p, f->name);
    const char *near = tc_diag_nearest(name, names, n);
    tc_ptx_fail(p, f->span,
                near ? tc_format(p->arena, "did you mean '%s'?", near) : NULL,
                "no label '%s' in this block or around it", name);
}

void tc_ptx_pop_scope(tc_ptx_parser *p) {
    tc_ptx_block *s = p->scope;
    /* Module, then the block of the parameters, then the body. */
    bool outermost = s->parent == NULL || s->parent->parent == NULL ||
                     s->parent->parent->parent == NULL;
    for (int i = 0; i < s->nfixups; i++) {
        const tc_ptx_fixup *f = &s->fixups[i];
        const tc_ptx_entry *label = tc_ptx_map_find(&s->labels, f->name);
        if (label != NULL) {
            settle(p, f, label);
        } else if (outermost) {
            no_label(p, f);
        } else {
            TC_PUSH(p->arena, s->parent->fixups, s->parent->nfixups,
                    s->parent->cap, *f);
        }
    }
    p->scope = s->parent;
}

tc_ptx_entry *tc_ptx_declare(tc_ptx_parser *p, tc_ptx_name n, tc_span span,
                             tc_ptx_entry_kind kind) {
    if (tc_ptx_map_find(&p->scope->names, n) != NULL) {
        tc_ptx_fail(p, span, NULL, "'%.*s' is already declared in this block",
                    (int)n.len, n.text);
        return NULL;
    }
    tc_ptx_entry *e = tc_ptx_map_add(p->arena, &p->scope->names, n);
    e->kind = (uint8_t)kind;
    return e;
}

tc_ptx_file tc_ptx_file_of(tc_ptx_type t) {
    return t == TC_PT_PRED             ? TC_PF_PRED
           : tc_ptx_type_bytes[t] >= 8 ? TC_PF_64
                                       : TC_PF_32;
}

/* A new slot of the file that a type lives in. */
static uint32_t new_slot(tc_ptx_parser *p, tc_ptx_type type, tc_ptx_name n) {
    tc_ptx_func *f = &p->m->funcs[p->func];
    tc_ptx_file file = tc_ptx_file_of(type);
    uint32_t *count = file == TC_PF_PRED ? &f->npred
                      : file == TC_PF_64 ? &f->n64
                                         : &f->n32;
    uint32_t most = file == TC_PF_PRED ? INT16_MAX : TC_PTX_MAX_REGISTERS;
    if (*count + 2 > most) {
        if (!p->stop) {
            tc_ptx_fail(p, tc_ptx_here(p), NULL,
                        "'%.*s' is one register too many: a function may use "
                        "%u of this size",
                        (int)n.len, n.text, (unsigned)most);
            p->stop = true;
        }
        return 0;
    }
    uint32_t slot = *count;
    tc_ptx_reg reg = {n.text, n.len, type, slot};
    TC_PUSH(p->arena, f->regs, f->nregs, f->cregs, reg);
    *count += type == TC_PT_B128 ? 2 : 1; /* two 64-bit halves */
    return slot;
}

/* As many as a vector has, one behind the other; the first. */
static uint32_t new_slots(tc_ptx_parser *p, tc_ptx_type type, int nvec,
                          tc_ptx_name n) {
    uint32_t first = new_slot(p, type, n);
    for (int i = 1; i < nvec; i++) {
        new_slot(p, type, n);
    }
    return first;
}

bool tc_ptx_declare_reg(tc_ptx_parser *p, tc_ptx_name n, tc_span span,
                        tc_ptx_type type, int nvec) {
    tc_ptx_entry *e = tc_ptx_declare(p, n, span, TC_PE_REG);
    if (e == NULL) {
        return false;
    }
    e->type = (uint8_t)type;
    e->nvec = (uint8_t)nvec;
    e->index = new_slots(p, type, nvec, n);
    return true;
}

/* %r12 of `.reg .b32 %r<20>` in block s: makes its entry. */
static tc_ptx_entry *from_range(tc_ptx_parser *p, tc_ptx_block *s,
                                tc_ptx_name n) {
    uint32_t len = n.len;
    while (len > 0 && isdigit((unsigned char)n.text[len - 1])) {
        len--;
    }
    /* The prefix may itself end in digits: %r1<4> has %r10 to %r13. */
    for (uint32_t cut = len; cut < n.len; cut++) {
        const tc_ptx_entry *r =
            tc_ptx_map_find(&s->names, (tc_ptx_name){n.text, cut});
        bool zero = n.text[cut] == '0' && n.len - cut > 1;
        if (r == NULL || r->kind != TC_PE_RANGE || zero || n.len - cut > 9) {
            continue;
        }
        uint32_t index = 0;
        for (uint32_t i = cut; i < n.len; i++) {
            index = index * 10 + (uint32_t)(n.text[i] - '0');
        }
        if (index >= r->index) {
            continue;
        }
        tc_ptx_type type = (tc_ptx_type)r->type; /* r moves when adding */
        uint8_t nvec = r->nvec;
        tc_ptx_entry *e = tc_ptx_map_add(p->arena, &s->names, n);
        e->kind = TC_PE_REG;
        e->type = (uint8_t)type;
        e->nvec = nvec;
        e->index = new_slots(p, type, nvec, n);
        return e;
    }
    return NULL;
}

tc_ptx_entry *tc_ptx_lookup(tc_ptx_parser *p, tc_ptx_name n) {
    for (tc_ptx_block *s = p->scope; s != NULL; s = s->parent) {
        tc_ptx_entry *e = tc_ptx_map_find(&s->names, n);
        if (e != NULL && e->kind != TC_PE_RANGE) {
            return e;
        }
        if ((e = from_range(p, s, n)) != NULL) {
            return e;
        }
    }
    return NULL;
}

bool tc_ptx_unknown_name(tc_ptx_parser *p, tc_ptx_name n, tc_span span) {
    enum { MOST = 256 };
    const char *names[MOST];
    int count = 0;
    for (tc_ptx_block *s = p->scope; s != NULL; s = s->parent) {
        for (uint32_t i = 0; i < s->names.cap && count < MOST; i++) {
            const tc_ptx_entry *e = &s->names.slots[i];
            if (e->kind == TC_PE_RANGE) { /* its last register */
                names[count++] = tc_format(p->arena, "%.*s%u", (int)e->name.len,
                                           e->name.text, e->index - 1);
            } else if (e->kind != TC_PE_NONE) {
                names[count++] = tc_ptx_dup(p, e->name);
            }
        }
    }
    for (int i = 0; n.text[0] == '%' && i < TC_SR_COUNT && count < MOST; i++) {
        names[count++] = tc_ptx_special_names[i];
    }
    const char *name = tc_ptx_dup(p, n);
    const char *near = tc_diag_nearest(name, names, count);
    return tc_ptx_fail(
        p, span, near ? tc_format(p->arena, "did you mean '%s'?", near) : NULL,
        n.text[0] == '%' ? "register '%s' is not declared"
                         : "'%s' is not declared",
        name);
}

tc_ptx_entry *tc_ptx_new_label(tc_ptx_parser *p, tc_ptx_name n, tc_span span) {
    if (tc_ptx_map_find(&p->scope->labels, n) != NULL) {
        tc_ptx_fail(p, span, NULL, "label '%.*s' is already in this block",
                    (int)n.len, n.text);
        return NULL;
    }
    tc_ptx_entry *e = tc_ptx_map_add(p->arena, &p->scope->labels, n);
    e->kind = TC_PE_LABEL;
    return e;
}

bool tc_ptx_add_label(tc_ptx_parser *p, tc_ptx_name n, tc_span span) {
    tc_ptx_entry *e = tc_ptx_new_label(p, n, span);
    if (e == NULL) {
        return false;
    }
    e->index = p->m->ncode;
    p->label_at_end = true;
    return true;
}

void tc_ptx_add_fixup(tc_ptx_parser *p, tc_ptx_name n, tc_span span,
                      tc_ptx_fix what, uint32_t index) {
    tc_ptx_fixup f = {n, span, index, (uint8_t)what};
    tc_ptx_block *s = p->scope;
    TC_PUSH(p->arena, s->fixups, s->nfixups, s->cap, f);
}
