/* decode.c - one instruction: opcode, modifiers, form, operands, op. */
#include "ptx/internal.h"

#include <string.h>

#define T(x)    (UINT64_C(1) << TC_PT_##x)
#define INT8    (T(B8) | T(U8) | T(S8))
#define INT16   (T(U16) | T(S16))
#define INT32   (T(U32) | T(S32))
#define INT64   (T(U64) | T(S64))
#define INT     (INT16 | INT32 | INT64)
#define SINT    (T(S16) | T(S32) | T(S64))
#define BITS    (T(B16) | T(B32) | T(B64))
#define HALVES  (T(F16) | T(F16X2))
#define BHALVES (T(BF16) | T(BF16X2))
#define RNDI    (TC_PM_RNI | TC_PM_RZI | TC_PM_RMI | TC_PM_RPI)
#define CVTT    (T(U8) | T(S8) | INT | T(F16) | T(BF16) | T(F32) | T(F64))

typedef struct ptx_form {
    uint64_t types, types2;
    uint32_t allowed, more, need1, need2; /* more: bits of op.more allowed */
    const char *operands;
    uint16_t op;
} ptx_form;

static const ptx_form forms[] = {
#define TC_PTX_FORM(op, types, types2, allowed, need1, need2, operands)        \
    {types, types2, allowed, UINT32_MAX, need1, need2, operands, TC_PTX_##op},
#define TC_PTX_FORM_MORE(op, types, types2, allowed, more, need1, need2,       \
                         operands)                                             \
    {types, types2, allowed, more, need1, need2, operands, TC_PTX_##op},
#include "ptx/forms.def"
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

/* Every opcode has a form: "has_form_X undeclared" is said of one without. */
#define TC_PTX_FORM(op, ...)      typedef char has_form_##op;
#define TC_PTX_FORM_MORE(op, ...) typedef char has_form_##op;
#include "ptx/forms.def"
enum {
#define TC_PTX_OP(id, ...) FORM_OF_##id = sizeof(has_form_##id),
#include "ptx/ops.def"
};

/* Letters of operands that an op writes, and of those it reads too. */
static const char written[] = "dgwUpqDVYEXmAHjRL", updated[] = "L";

/* Opcodes that name where to and where from. */
enum {
    TWO_SPACES = TC_MODS_CP | TC_MODS_BULK | TC_MODS_TENSOR | TC_MODS_PROXY
};
enum { THREE_TYPES = TC_MODS_VIDEO | TC_MODS_PACK };

/* What has been read of an instruction's first word. */
typedef struct head {
    tc_ptx_op op;
    tc_span span;     /* the whole word with its modifiers */
    const char *text; /* "add.s32" */
    int ntypes, nspaces, nmods;
    uint8_t spaces[2];
    bool has_cmp, has_sub, has_sub2;
} head;

tc_ptx_op *tc_ptx_new_op(tc_ptx_parser *p, const tc_ptx_token *at) {
    int cap = (int)p->ncode_cap;
    if (p->m->ncode == p->ncode_cap) {
        p->m->code = tc_grow(p->arena, p->m->code, sizeof *p->m->code,
                             (int)p->m->ncode, &cap);
        p->ncode_cap = (uint32_t)cap;
    }
    tc_ptx_op *op = &p->m->code[p->m->ncode++];
    *op = (tc_ptx_op){.guard = -1,
                      .nvec = 1,
                      .ptx_line = at->line,
                      .ptx_col = at->col,
                      .line = p->line_now,
                      .file = p->file_now,
                      .call_file = (uint16_t)p->call_file,
                      .call_line = p->call_line,
                      .loc = p->loc_now};
    p->label_at_end = false;
    return op;
}

static bool twice(tc_ptx_parser *p, tc_ptx_name n, tc_span span) {
    return tc_ptx_fail(p, span, NULL, "modifier '%.*s' clashes with another",
                       (int)n.len, n.text);
}

static bool add_type(tc_ptx_parser *p, head *h, tc_ptx_type t, tc_span span) {
    uint64_t set = tc_ptx_modifier_set((tc_ptx_opcode)h->op.opcode);
    int most = set == TC_MODS_MMA ? 4 : (set & THREE_TYPES) != 0 ? 3 : 2;
    if (h->ntypes == most) {
        return tc_ptx_fail(p, span, NULL, "'%s' has a type too many", h->text);
    }
    uint8_t *to[] = {&h->op.type, &h->op.type2, &h->op.type3, &h->op.type4};
    *to[h->ntypes++] = (uint8_t)t;
    return true;
}

/* vote.ballot.sync, shfl.up.sync: ptxas takes .sync behind the mode, too, and
 * CUB writes it so. */
static bool late_sync(head *h, tc_ptx_name n) {
    bool vote = h->op.opcode == TC_PTX_VOTE, shfl = h->op.opcode == TC_PTX_SHFL;
    if (!(vote || shfl) || n.len != 5 || memcmp(n.text, ".sync", 5) != 0) {
        return false;
    }
    h->op.opcode = vote ? TC_PTX_VOTE_SYNC : TC_PTX_SHFL_SYNC;
    return true;
}

static bool add_modifier(tc_ptx_parser *p, head *h, tc_ptx_name n,
                         tc_span span) {
    if (late_sync(h, n)) {
        return true;
    }
    const tc_ptx_mod *m = tc_ptx_mod_by_name(n, (tc_ptx_opcode)h->op.opcode);
    const char *op = tc_ptx_ops[h->op.opcode].name;
    if (m == NULL) {
        const char *near =
            tc_ptx_nearest_mod(p->arena, n, (tc_ptx_opcode)h->op.opcode);
        return tc_ptx_fail(
            p, span,
            near ? tc_format(p->arena, "did you mean '%s'?", near) : NULL,
            "unknown modifier '%.*s' of '%s'", (int)n.len, n.text, op);
    }
    switch (m->what) {
    case TC_MW_FLAG:
        if ((h->op.flags & m->value) != 0) {
            return twice(p, n, span);
        }
        h->op.flags |= m->value;
        return true;
    case TC_MW_SPACE:
        if (h->nspaces ==
            (tc_ptx_modifier_set((tc_ptx_opcode)h->op.opcode) & TWO_SPACES
                 ? 2
                 : 1)) {
            return twice(p, n, span);
        }
        h->spaces[h->nspaces++] = (uint8_t)m->value;
        return true;
    case TC_MW_CMP:
        if (h->op.cmp != TC_PC_NONE) {
            return twice(p, n, span);
        }
        h->op.cmp = (uint8_t)m->value;
        return true;
    case TC_MW_SUB:
        if (h->has_sub) {
            return twice(p, n, span);
        }
        h->has_sub = true;
        h->op.sub = (uint8_t)m->value;
        return true;
    case TC_MW_SUB2:
        if (h->has_sub2) {
            return twice(p, n, span);
        }
        h->has_sub2 = true;
        h->op.sub2 = (uint8_t)m->value;
        return true;
    case TC_MW_SUBS:
        if (h->has_sub && h->has_sub2) {
            return twice(p, n, span);
        }
        *(h->has_sub ? &h->op.sub2 : &h->op.sub) = (uint8_t)m->value;
        h->has_sub2 = h->has_sub;
        h->has_sub = true;
        return true;
    case TC_MW_MORE:
        if ((h->op.more & m->value) != 0) {
            return twice(p, n, span);
        }
        h->op.more |= m->value;
        return true;
    case TC_MW_SCOPE:
        if (h->op.scope != TC_PTX_SCOPE_NONE) {
            return twice(p, n, span);
        }
        h->op.scope = (uint8_t)m->value;
        return true;
    case TC_MW_VEC:
        if (h->op.nvec != 1) {
            return twice(p, n, span);
        }
        h->op.nvec = (uint8_t)m->value;
        return true;
    case TC_MW_IGNORE:
        return true;
    default:
        return tc_ptx_unbuilt(
            p, span, tc_format(p->arena, "%s%.*s", op, (int)n.len, n.text),
            "modifier '%.*s' of '%s' is not built yet", (int)n.len, n.text, op);
    }
}

static bool is_shape(const head *h, tc_ptx_name n) {
    uint32_t size;
    return tc_ptx_modifier_set((tc_ptx_opcode)h->op.opcode) == TC_MODS_MMA &&
           tc_ptx_mma_shape_by_name(n, &size);
}

static bool add_shape(tc_ptx_parser *p, head *h, tc_ptx_name n, tc_span span) {
    return h->op.size == 0 ? tc_ptx_mma_shape_by_name(n, &h->op.size)
                           : twice(p, n, span);
}

/* The dotted words after the opcode: types and modifiers. */
static bool read_modifiers(tc_ptx_parser *p, head *h, tc_ptx_name whole,
                           uint32_t at) {
    while (at < whole.len) {
        uint32_t end = at + 1;
        while (end < whole.len && whole.text[end] != '.') {
            end++;
        }
        tc_ptx_name n = {whole.text + at, end - at};
        tc_span span = tc_ptx_span(p, h->span.begin + at, h->span.begin + end);
        tc_ptx_type t;
        bool ok = tc_ptx_type_by_name(n, &t) ? add_type(p, h, t, span)
                  : is_shape(h, n)           ? add_shape(p, h, n, span)
                                             : add_modifier(p, h, n, span);
        if (!ok) {
            return false;
        }
        at = end;
    }
    return true;
}

static bool unknown_opcode(tc_ptx_parser *p, tc_ptx_name whole, tc_span span) {
    uint32_t len = 0;
    while (len < whole.len && whole.text[len] != '.') {
        len++;
    }
    tc_ptx_name first = {whole.text, len};
    const char *near = tc_ptx_nearest_opcode(p->arena, first);
    const char *both = tc_ptx_nearest_opcode(p->arena, whole);
    near = near == NULL ? both : near;
    return tc_ptx_fail(
        p, span, near ? tc_format(p->arena, "did you mean '%s'?", near) : NULL,
        "unknown opcode '%.*s'", (int)first.len, first.text);
}

/* The first word with all that is dotted to it. */
static bool read_head(tc_ptx_parser *p, head *h) {
    uint32_t begin = p->tok.begin, end = p->tok.end;
    tc_ptx_advance(p);
    while (p->tok.kind == TC_TK_DOT && p->tok.begin == end) {
        end = p->tok.end;
        tc_ptx_advance(p);
    }
    h->span = tc_ptx_span(p, begin, end);
    tc_ptx_name whole = {p->source->text + begin, end - begin};
    h->text = tc_ptx_dup(p, whole);
    tc_ptx_opcode op = TC_PTX_OPCODE_COUNT;
    bool built = false;
    uint32_t len = 0;
    if (!tc_ptx_opcode_by_name(whole, &op, &built, &len)) {
        return unknown_opcode(p, whole, h->span);
    }
    if (!built) {
        const char *name = tc_format(p->arena, "%.*s", (int)len, whole.text);
        return tc_ptx_unbuilt(p, h->span, name, "opcode '%s' is not built yet",
                              name);
    }
    h->op.opcode = (uint16_t)op;
    h->op.nvec = 1;
    h->op.more = op == TC_PTX_LD && len == 3 ? TC_PX_LDU : 0;
    return read_modifiers(p, h, whole, len);
}

static bool type_in(uint8_t type, uint64_t set) {
    return set == 0 ? type == TC_PT_NONE : (set >> type & 1u) != 0;
}

/* Reports why no form of the opcode has these types. */
static const ptx_form *no_form(tc_ptx_parser *p, const head *h) {
    uint64_t all = 0, all2 = 0;
    for (int i = 0; i < FORM_COUNT; i++) {
        if (forms[i].op == h->op.opcode) {
            all |= forms[i].types;
            all2 |= forms[i].types2;
        }
    }
    const char *name = tc_ptx_ops[h->op.opcode].name;
    const char *list = tc_ptx_type_list(p->arena, all);
    const char *list2 = tc_ptx_type_list(p->arena, all2);
    if (all == 0) {
        tc_ptx_fail(p, h->span, NULL, "'%s' has no type", name);
    } else if (h->ntypes == 0) {
        tc_ptx_fail(p, h->span, NULL, "'%s' wants a type: %s", name, list);
    } else if ((all >> h->op.type & 1u) == 0) {
        tc_ptx_fail(p, h->span, NULL, "'%s' has no %s: it takes %s", name,
                    tc_ptx_type_names[h->op.type], list);
    } else if (all2 == 0) {
        tc_ptx_fail(p, h->span, NULL, "'%s' has one type, not two", name);
    } else if (h->ntypes == 1) {
        tc_ptx_fail(p, h->span, NULL, "'%s' wants a second type: %s", name,
                    list2);
    } else {
        tc_ptx_fail(p, h->span, NULL, "'%s' does not go from %s to %s", name,
                    tc_ptx_type_names[h->op.type2],
                    tc_ptx_type_names[h->op.type]);
    }
    return NULL;
}

static bool needs(tc_ptx_parser *p, const head *h, uint32_t set) {
    uint32_t given = h->op.flags & set;
    if (set == 0 || (given != 0 && (given & (given - 1)) == 0)) {
        return true;
    }
    const char *list = tc_ptx_flag_list(p->arena, set);
    return tc_ptx_fail(p, h->span, NULL,
                       given == 0 ? "'%s' wants one of %s"
                                  : "'%s' wants only one of %s",
                       h->text, list);
}

/* Rows without the column: arithmetic has no such modifier; all others check
 * theirs in their rules. */
static uint32_t more_allowed(const ptx_form *f) {
    bool arith =
        (tc_ptx_modifier_set((tc_ptx_opcode)f->op) & TC_MODS_ARITH) != 0;
    return arith && f->more == UINT32_MAX ? 0 : f->more;
}

static const ptx_form *find_form(tc_ptx_parser *p, const head *h) {
    for (int i = 0; i < FORM_COUNT; i++) {
        const ptx_form *f = &forms[i];
        if (f->op != h->op.opcode || !type_in(h->op.type, f->types) ||
            !type_in(h->op.type2, f->types2)) {
            continue;
        }
        uint32_t extra = h->op.flags & ~f->allowed;
        uint32_t more = h->op.more & ~more_allowed(f);
        if (extra != 0) {
            const char *op = tc_ptx_ops[h->op.opcode].name;
            tc_ptx_fail(p, h->span, NULL, "'%s%s' has no modifier %s", op,
                        tc_ptx_type_names[h->op.type],
                        tc_ptx_flag_list(p->arena, extra));
            return NULL;
        }
        if (more != 0) {
            tc_ptx_fail(p, h->span, NULL, "'%s%s' has no modifier %s",
                        tc_ptx_ops[h->op.opcode].name,
                        tc_ptx_type_names[h->op.type],
                        tc_ptx_more_name((tc_ptx_opcode)h->op.opcode, more));
            return NULL;
        }
        return needs(p, h, f->need1) && needs(p, h, f->need2) ? f : NULL;
    }
    return no_form(p, h);
}

/* Of the time since clusters: .shared alone is none of their state spaces. */
static bool wants_cta(const tc_ptx_op *op) {
    uint64_t set = tc_ptx_modifier_set((tc_ptx_opcode)op->opcode);
    return (set & (TC_MODS_BULK | TC_MODS_TENSOR | TC_MODS_ASYNC |
                   TC_MODS_TCGEN | TC_MODS_PROXY)) != 0;
}

static bool set_spaces(tc_ptx_parser *p, head *h) {
    if (h->op.opcode == TC_PTX_CP_ASYNC &&
        (h->nspaces != 2 || h->spaces[0] != TC_PS_SHARED ||
         h->spaces[1] != TC_PS_GLOBAL)) {
        return tc_ptx_fail(p, h->span, NULL,
                           "'cp.async' copies to .shared from .global: "
                           "cp.async.ca.shared.global");
    }
    if ((h->op.opcode == TC_PTX_SHFL_SYNC || h->op.opcode == TC_PTX_SHFL) &&
        !h->has_sub) {
        return tc_ptx_fail(p, h->span, NULL,
                           "'shfl.sync' wants .up, .down, .bfly or .idx");
    }
    h->op.space = h->spaces[0];
    h->op.space2 = h->spaces[1];
    const char *shared = strstr(h->text, ".shared");
    bool plain = shared != NULL && shared[7] != ':';
    return !(plain && wants_cta(&h->op)) ||
           tc_ptx_fail(p, h->span, "write .shared::cta",
                       "'%s' has no .shared: it is .shared::cta or "
                       ".shared::cluster",
                       tc_ptx_ops[h->op.opcode].name);
}

/* Operands that this instruction's modifiers rule out: forms.def's digits. */
static bool left_out(const head *h, char letter) {
    bool store = h->spaces[0] == TC_PS_GLOBAL;
    switch (letter) {
    case '0':
        return store;
    case '1':
        return !store;
    case '2':
        return (h->op.more & TC_PX_BULK_TX) == 0;
    case '3':
        return (h->op.more & TC_PX_BULK_MULTICAST) == 0;
    case '4':
        return (h->op.flags & TC_PM_CACHE_HINT) == 0;
    case '5':
        return (h->op.more & TC_PX_BULK_CP_MASK) == 0;
    case '#':
        return h->op.sub < TC_TMAP_BOX || h->op.sub > TC_TMAP_ELEMENT_STRIDE;
    case '9':
        return h->op.sub != TC_TCGEN_16X32BX2;
    case 'M':
        return (h->op.more & TC_PX_TCGEN_MULTICAST) == 0;
    case 'i':
        return (h->op.more & TC_PX_TEX_LEVEL) == 0;
    case 'r':
        return (h->op.more & TC_PX_TEX_GRAD) == 0;
    default:
        return false;
    }
}

static int wanted(const head *h, const char *operands, int *least) {
    int most = 0;
    *least = 0;
    for (; *operands != 0; operands++) {
        if (*operands != '?' && *operands != '7' && !left_out(h, *operands)) {
            most++;
            *least += operands[1] != '?' && *operands != 'q';
        }
    }
    return most;
}

static bool wrong_count(tc_ptx_parser *p, const head *h, const ptx_form *f,
                        int n) {
    int least, most = wanted(h, f->operands, &least);
    const char *want = least == most
                           ? tc_format(p->arena, "%d", most)
                           : tc_format(p->arena, "%d to %d", least, most);
    return tc_ptx_fail(p, h->span, NULL, "'%s' has %s operand%s, not %d",
                       h->text, want, most == 1 ? "" : "s", n);
}

/* Whether letter's operand is written, read, or both: into dst and src. */
static void note_use(tc_ptx_op *op, char letter, int at) {
    uint8_t kind = op->a[at].kind, bit = (uint8_t)(1u << at);
    bool writes = strchr(written, letter) != NULL;
    bool none = kind == TC_PO_NONE || kind == TC_PO_SINK;
    op->dst |= writes && !none ? bit : 0;
    op->src |= (!writes || strchr(updated, letter)) && !none ? bit : 0;
}

/* Matches the operands as written to the letters of the form. */
static bool fit_all(tc_ptx_parser *p, head *h, const ptx_form *f,
                    tc_ptx_parsed *in, int n) {
    int at = 0, index = 0;
    bool policy = (h->op.flags & TC_PM_CACHE_HINT) != 0;
    for (const char *l = f->operands; *l != 0; l++) {
        if (*l == '?') {
            continue;
        }
        tc_ptx_operand *out = &h->op.a[index++];
        if (*l == '7' && at > 0) { /* written with the one before */
            if (!tc_ptx_fit(p, &h->op, *l, &in[at - 1], out)) {
                return false;
            }
            note_use(&h->op, *l, index - 1);
            continue;
        }
        bool skip = left_out(h, *l) ||
                    (*l == 'q' && !(at > 0 && in[at - 1].paired)) ||
                    (*l == 'z' && policy && n == 4) ||
                    (*l == 's' && l[1] == '?' && policy) ||
                    (*l == 'u' && l[1] == '?' && l[2] == 'b' && n - at == 1);
        if (skip || (at == n && l[1] == '?')) {
            continue;
        }
        if (at == n) {
            return wrong_count(p, h, f, n);
        }
        bool pair_ok = *l == 'p' || (strchr("dEYV", *l) != NULL && l[1] == 'q');
        if (in[at].paired && !pair_ok) {
            return tc_ptx_fail(p, in[at].span, NULL,
                               "'%s' has no a|b pair here", h->text);
        }
        if (!tc_ptx_fit(p, &h->op, *l, &in[at], out)) {
            return false;
        }
        note_use(&h->op, *l, index - 1);
        at++;
    }
    h->op.noperands = (uint8_t)index;
    return at == n || wrong_count(p, h, f, n);
}

static bool read_operands(tc_ptx_parser *p, const head *h, tc_ptx_parsed *in,
                          int *n) {
    *n = 0;
    if (tc_ptx_is(p, ';')) {
        return true;
    }
    for (;;) {
        if (*n == TC_PTX_MAX_OPERANDS) {
            return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                               "'%s' has too many operands", h->text);
        }
        if (!tc_ptx_parse_operand(p, &in[*n])) {
            return false;
        }
        bool paired = in[(*n)++].paired;
        if (!paired && !tc_ptx_accept(p, ',')) {
            return true;
        }
    }
}

bool tc_ptx_instruction(tc_ptx_parser *p, int16_t guard, bool guard_neg) {
    tc_ptx_token at = p->tok;
    head h = {0};
    tc_ptx_parsed in[TC_PTX_MAX_OPERANDS] = {0};
    int n = 0;
    if (!read_head(p, &h)) {
        return false;
    }
    p->written = in;
    const ptx_form *f = find_form(p, &h);
    bool call = h.op.opcode == TC_PTX_CALL;
    if (f == NULL || !set_spaces(p, &h) ||
        !(call ? tc_ptx_call(p, &h.op, h.span)
               : read_operands(p, &h, in, &n) && fit_all(p, &h, f, in, n)) ||
        !tc_ptx_check_op(p, &h.op, h.span) ||
        !tc_ptx_expect(p, ';', "an instruction")) {
        return false;
    }
    tc_ptx_op *op = tc_ptx_new_op(p, &at);
    const tc_ptx_op where = *op; /* its locations */
    *op = h.op;
    op->ptx_line = where.ptx_line;
    op->ptx_col = where.ptx_col;
    op->line = where.line;
    op->file = where.file;
    op->call_file = where.call_file;
    op->call_line = where.call_line;
    op->loc = where.loc;
    op->guard = guard;
    op->guard_neg = guard_neg;
    if (op->opcode == TC_PTX_BRA) {
        op->nounroll = p->nounroll;
        p->nounroll = false;
    }
    if (op->a[0].kind == TC_PO_LABEL) {
        tc_ptx_add_fixup(p, in[0].name, in[0].span, TC_FIX_BRANCH,
                         p->m->ncode - 1);
    } else if (op->opcode == TC_PTX_BRX_IDX) {
        tc_ptx_add_fixup(p, in[1].name, in[1].span, TC_FIX_BRX,
                         p->m->ncode - 1);
    }
    if (op->opcode == TC_PTX_ALLOCA || call) {
        p->m->funcs[p->func].stack = true;
    }
    return true;
}
