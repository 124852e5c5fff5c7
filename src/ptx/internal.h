/* internal.h - what the files of the PTX parser share.
 *
 * lex.c makes tokens; scope.c keeps names; module.c reads directives; stmt.c
 * function bodies; operand.c operands; decode.c matches an instruction to its
 * form (forms.def) and fills a tc_ptx_op; names.c holds the tables. */
#ifndef TC_PTX_INTERNAL_H
#define TC_PTX_INTERNAL_H

#include "ptx/mma.h"
#include "ptx/ptx.h"

typedef enum tc_ptx_token_kind {
    TC_TK_END,
    TC_TK_IDENT,  /* add, %r1, $L__BB0_1, _ */
    TC_TK_DOT,    /* .u32, .shared::cta, .L2::128B: text with its dot */
    TC_TK_INT,    /* value */
    TC_TK_FLOAT,  /* value: bits; form tells of what */
    TC_TK_STRING, /* text without quotes */
    TC_TK_PUNCT   /* punct */
} tc_ptx_token_kind;

typedef struct tc_ptx_token {
    uint8_t kind; /* tc_ptx_token_kind */
    char punct;
    char form; /* of a FLOAT: 'f' for 0f (32 bits), 'd' for 64 bits */
    uint32_t begin, end, line, col;
    uint64_t value;
} tc_ptx_token;

/* Names: text and length, never copied. */
typedef struct tc_ptx_name {
    const char *text;
    uint32_t len;
} tc_ptx_name;

typedef enum tc_ptx_entry_kind {
    TC_PE_NONE,
    TC_PE_REG,   /* type, index: slot; nvec of them follow each other */
    TC_PE_RANGE, /* .reg .b32 %r<index>: registers are made at first use */
    TC_PE_SYMBOL,
    TC_PE_FUNC,
    TC_PE_LABEL, /* index: op */
    TC_PE_PROTO  /* .callprototype and other labelled directives */
} tc_ptx_entry_kind;

typedef struct tc_ptx_entry {
    tc_ptx_name name;
    uint8_t kind, type;
    uint8_t nvec; /* of a register or range: elements, 1 but for .v2 and .v4 */
    uint32_t index;
} tc_ptx_entry;

typedef struct tc_ptx_map {
    tc_ptx_entry *slots; /* open addressing; kind NONE is empty */
    uint32_t n, cap;
} tc_ptx_map;

typedef enum tc_ptx_fix {
    TC_FIX_BRANCH, /* index: the op, whose target it is */
    TC_FIX_TARGET, /* index: of module->targets */
    TC_FIX_BRX,    /* index: the op, whose a[1] is a table */
    TC_FIX_CALL    /* index: the op, whose a[3] is a table */
} tc_ptx_fix;

typedef struct tc_ptx_fixup { /* a label that is not known yet */
    tc_ptx_name name;
    tc_span span;
    uint32_t index;
    uint8_t what; /* tc_ptx_fix */
} tc_ptx_fixup;

/* A { } block of a function body, or the module. */
typedef struct tc_ptx_block {
    struct tc_ptx_block *parent;
    tc_ptx_map names, labels;
    tc_ptx_fixup *fixups;
    int nfixups, cap;
} tc_ptx_block;

typedef struct tc_ptx_use {
    uint32_t index, target;
    tc_span span;
} tc_ptx_use;

struct tc_ptx_parsed;

typedef struct tc_ptx_parser {
    tc_arena *arena;
    const tc_source *source;
    tc_diags *diags;
    int errors;
    bool stop; /* too many errors, or the end of what makes sense */

    uint32_t at, line, line_begin; /* lexer */
    uint64_t ntokens;
    tc_ptx_token tok, next;
    uint32_t prev_end; /* of the token before tok */

    tc_ptx_module *m;
    int fcap, scap, filecap;
    uint32_t ncode_cap, nvec, vec_cap;
    tc_ptx_block *scope;
    int depth;         /* of { } in a function body */
    int func;          /* index of the function being read, or -1 */
    bool label_at_end; /* a label names the op that comes next */
    bool saw_target, saw_version;
    bool nounroll; /* .pragma "nounroll" stands before the next branch */
    uint32_t line_now, call_line, call_file; /* .loc in effect */
    uint16_t file_now;
    uint32_t loc_now, first_loc; /* .loc in effect; the function's first */
    int loccap;
    int32_t *sym_user; /* per symbol: -1 none, function, -2 several */
    int nsym_user, sym_user_cap;
    int tablecap, targetcap;
    tc_ptx_use *uses; /* functions that calls and addresses name */
    int nuses, usecap;
    const struct tc_ptx_parsed *written; /* operands of the instruction that is
                                            read, TC_PTX_MAX_OPERANDS */
    tc_ptx_use *aliases;                 /* index is another name of target */
    int naliases, aliascap;
} tc_ptx_parser;

enum {
    TC_PTX_MAX_ERRORS = 20,
    TC_PTX_MAX_DEPTH = 64,
    TC_PTX_MAX_REGISTERS = 1 << 20, /* slots of one file of one function */
    TC_PTX_MAX_ALIGN = 1 << 20
};
#define TC_PTX_MAX_BYTES ((uint64_t)1 << 40) /* of a variable */
#define TC_PTX_MAX_INIT  ((uint64_t)1 << 24) /* of one with initial values */

/* ---- lex.c ---- */
void tc_ptx_lex_start(tc_ptx_parser *p);
void tc_ptx_advance(tc_ptx_parser *p);
tc_span tc_ptx_span(const tc_ptx_parser *p, uint32_t begin, uint32_t end);
tc_span tc_ptx_here(const tc_ptx_parser *p); /* the current token */
tc_ptx_name tc_ptx_text(const tc_ptx_parser *p, const tc_ptx_token *t);
char *tc_ptx_dup(tc_ptx_parser *p, tc_ptx_name n);
bool tc_ptx_name_is(tc_ptx_name n, const char *text);
bool tc_ptx_is(const tc_ptx_parser *p, char punct);
bool tc_ptx_is_dot(const tc_ptx_parser *p, const char *word);
bool tc_ptx_accept(tc_ptx_parser *p, char punct);
/* Reports "expected ... before/instead of ..." and returns false if the token
 * is not punct. */
bool tc_ptx_expect(tc_ptx_parser *p, char punct, const char *after);
/* What the current token is, for a message. */
const char *tc_ptx_token_text(tc_ptx_parser *p);
/* Reports an error (unless there were too many); always returns false. */
bool tc_ptx_fail(tc_ptx_parser *p, tc_span span, const char *hint,
                 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The same for what is right and not built yet; subject names it. */
bool tc_ptx_unbuilt(tc_ptx_parser *p, tc_span span, const char *subject,
                    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Goes on after the next ';' or before the next '}'. */
void tc_ptx_skip_statement(tc_ptx_parser *p);
/* At '{': goes on after its '}'. */
bool tc_ptx_skip_braces(tc_ptx_parser *p);

/* ---- scope.c ---- */
tc_ptx_entry *tc_ptx_map_find(const tc_ptx_map *m, tc_ptx_name n);
tc_ptx_entry *tc_ptx_map_add(tc_arena *a, tc_ptx_map *m, tc_ptx_name n);
void tc_ptx_push_scope(tc_ptx_parser *p);
void tc_ptx_pop_scope(tc_ptx_parser *p); /* settles or passes on its fixups */
/* Declares name in the current scope; reports a name that is taken. */
tc_ptx_entry *tc_ptx_declare(tc_ptx_parser *p, tc_ptx_name n, tc_span span,
                             tc_ptx_entry_kind kind);
/* The innermost entry of that name, making the register of a range; NULL. */
tc_ptx_entry *tc_ptx_lookup(tc_ptx_parser *p, tc_ptx_name n);
/* Reports that n is not declared, with the nearest name that is. */
bool tc_ptx_unknown_name(tc_ptx_parser *p, tc_ptx_name n, tc_span span);
bool tc_ptx_declare_reg(tc_ptx_parser *p, tc_ptx_name n, tc_span span,
                        tc_ptx_type type, int nvec);
bool tc_ptx_add_label(tc_ptx_parser *p, tc_ptx_name n, tc_span span);
void tc_ptx_add_fixup(tc_ptx_parser *p, tc_ptx_name n, tc_span span,
                      tc_ptx_fix what, uint32_t index);
/* A label of the current block: of an op, or (PROTO) of a table. */
tc_ptx_entry *tc_ptx_new_label(tc_ptx_parser *p, tc_ptx_name n, tc_span span);

/* ---- names.c ---- */
bool tc_ptx_type_by_name(tc_ptx_name n, tc_ptx_type *out); /* ".u32" */
bool tc_ptx_special_by_name(tc_ptx_name n, tc_ptx_special *out);
extern const char *const tc_ptx_special_names[TC_SR_COUNT];
bool tc_ptx_special_is_64(tc_ptx_special s);

/* What a modifier sets. */
typedef enum tc_ptx_mod_what {
    TC_MW_FLAG,
    TC_MW_SPACE,
    TC_MW_CMP,
    TC_MW_SUB,
    TC_MW_SUB2,
    TC_MW_SUBS, /* the first one given is sub, the next sub2 */
    TC_MW_MORE, /* a bit of op.more; set says whose */
    TC_MW_SCOPE,
    TC_MW_VEC,
    TC_MW_IGNORE, /* a hint that changes no result */
    TC_MW_NOT_BUILT
} tc_ptx_mod_what;

/* Opcodes that a modifier belongs to. */
enum {
    TC_MODS_ANY = 0,
    TC_MODS_CMP = 1,
    TC_MODS_SHFL = 2,
    TC_MODS_PRMT = 4,
    TC_MODS_FENCE = 8,
    TC_MODS_MEMBAR = 16,
    TC_MODS_LD = 32,
    TC_MODS_ST = 64,
    TC_MODS_CP = 128,
    TC_MODS_CVTA = 256,
    TC_MODS_ATOM = 1 << 9,     /* atom, red */
    TC_MODS_VOTE = 1 << 10,    /* vote, match */
    TC_MODS_BAR = 1 << 11,     /* bar, barrier */
    TC_MODS_MATRIX = 1 << 12,  /* ldmatrix, stmatrix, movmatrix */
    TC_MODS_POLICY = 1 << 13,  /* createpolicy, prefetch, applypriority */
    TC_MODS_ARITH = 1 << 14,   /* arithmetic that needs op.more */
    TC_MODS_MBAR = 1 << 15,    /* mbarrier.*, cp.async.mbarrier.arrive */
    TC_MODS_CLUSTER = 1 << 16, /* barrier.cluster, mapa, getctarank */
    TC_MODS_BULK = 1 << 17,    /* cp.async.bulk, cp.reduce.async.bulk */
    TC_MODS_TENSOR = 1 << 18,  /* their .tensor forms */
    TC_MODS_ASYNC = 1 << 19,   /* st.async, red.async */
    TC_MODS_PROXY = 1 << 20,   /* fence.proxy, tensormap.* */
    TC_MODS_TCGEN = 1 << 21,   /* tcgen05.* */
    TC_MODS_REDUX = 1 << 22,
    TC_MODS_GRID = 1 << 30,
    TC_MODS_VIDEO = 1 << 23, /* vadd, vshl, vmad, vset, vadd2, ... */
    TC_MODS_PACK = 1 << 24,  /* cvt.pack */
    TC_MODS_LOP3 = 1 << 25,
    TC_MODS_TESTP = 1 << 26,
    TC_MODS_SETV = 1 << 27,   /* vset: also a comparison */
    TC_MODS_SPACEP = 1 << 28, /* isspacep */
    TC_MODS_MOVE = 1 << 29    /* mov, pmevent */
};
/* Beyond the bits of an int. */
#define TC_MODS_MMA     (UINT64_C(1) << 31) /* mma, wmma.* */
#define TC_MODS_TEXTURE (UINT64_C(1) << 32) /* tex, tld4, txq, suld, ... */
/* The set of modifiers that an opcode takes. */
uint64_t tc_ptx_modifier_set(tc_ptx_opcode op);

typedef struct tc_ptx_mod {
    const char *name; /* with its dot */
    uint64_t set;     /* TC_MODS_* */
    tc_ptx_mod_what what;
    uint32_t value;
} tc_ptx_mod;
/* The modifier of that name for op, or NULL. */
const tc_ptx_mod *tc_ptx_mod_by_name(tc_ptx_name n, tc_ptx_opcode op);
/* The nearest modifier (or type) that op knows, or NULL. */
const char *tc_ptx_nearest_mod(tc_arena *a, tc_ptx_name n, tc_ptx_opcode op);
/* One flag's name with its dot. */
const char *tc_ptx_flag_name(uint32_t flag);
/* Names of the flags in mask: ".rn, .rz or .rm". */
const char *tc_ptx_flag_list(tc_arena *a, uint32_t mask);
/* Names of the types in a set: ".u16, .u32 or .u64". */
const char *tc_ptx_type_list(tc_arena *a, uint64_t set);
/* One bit of op.more as it is written for op. */
const char *tc_ptx_more_name(tc_ptx_opcode op, uint32_t more);

/* The opcode whose name is the longest prefix (in whole words) of the dotted
 * text; len is set to the prefix's length. built: false for one that is named
 * in unbuilt.def only. Returns false for no opcode at all. */
bool tc_ptx_opcode_by_name(tc_ptx_name n, tc_ptx_opcode *op, bool *built,
                           uint32_t *len);
const char *tc_ptx_nearest_opcode(tc_arena *a, tc_ptx_name n);

/* ---- operand.c ---- */
typedef struct tc_ptx_parsed { /* an operand as written */
    tc_ptx_operand o;
    tc_span span;
    uint8_t type;                /* of the register, or NONE */
    char literal;                /* of an IMM: 'i', 'f' or 'd' */
    bool minus;                  /* -register: vmad */
    bool paired;                 /* the next operand came after '|' */
    tc_ptx_name name, part;      /* part: .h1 after a register, of video */
    struct tc_ptx_parsed *items; /* of a VECTOR */
} tc_ptx_parsed;

enum { TC_PTX_MAX_OPERANDS = 8, TC_PTX_MAX_VECTOR = 128 };
bool tc_ptx_parse_operand(tc_ptx_parser *p, tc_ptx_parsed *out);
/* An integer constant: number, sign, parentheses. */
bool tc_ptx_parse_integer(tc_ptx_parser *p, int64_t *out);

/* ---- check.c ---- */
/* Turns an operand as written into the decoded one that a form's letter wants,
 * for instruction type t. Reports and returns false when it does not fit. */
bool tc_ptx_fit(tc_ptx_parser *p, const tc_ptx_op *op, char letter,
                tc_ptx_parsed *in, tc_ptx_operand *out);
bool tc_ptx_fits_type(tc_ptx_type want, tc_ptx_type have, bool wider);

/* ---- rules/ ---- */
/* What an instruction asks beyond its form: of its target, its addresses, and
 * its opcode's rule. Reports and returns false. May complete op. */
bool tc_ptx_check_op(tc_ptx_parser *p, tc_ptx_op *op, tc_span span);
/* The rule of an opcode's row; the operands as written are p->written. */
typedef bool tc_ptx_rule(tc_ptx_parser *p, tc_ptx_op *op, tc_span span);
#define TC_PTX_OP(id, name, section, units, class, effect, target, modifiers,  \
                  rule)                                                        \
    tc_ptx_rule tc_ptx_rule_##rule;
#include "ptx/ops.def"

/* target.c: reports an instruction that the module's .target lacks. */
bool tc_ptx_check_target(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span);
/* The same of something that targets have from sm on, of such a family. */
bool tc_ptx_wants_family(tc_ptx_parser *p, tc_span span, int sm,
                         tc_ptx_family family, const char *what);
bool tc_ptx_wants_sm(tc_ptx_parser *p, tc_span span, int sm, const char *what);
/* arith.c: the same of the types and modifiers of arithmetic. */
bool tc_ptx_check_types(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span);
/* address.c: all that stands in [ ]; gives a generic op that names a variable
 * the variable's space. */
bool tc_ptx_check_addresses(tc_ptx_parser *p, tc_ptx_op *op, tc_span span);
/* hints.c: what guides caches at an ld or st, and the orders it goes with. */
bool tc_ptx_check_hints(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span);
/* tcgen05.c: the registers that a tcgen05.ld or st of this shape and .num has;
 * 0: the ISA has no such form. */
int tc_ptx_tcgen05_registers(const tc_ptx_op *op);
/* mma.c: ".m16n8k16" as TC_MMA_SHAPE. */
bool tc_ptx_mma_shape_by_name(tc_ptx_name n, uint32_t *size);
/* mma.c: the registers of the matrix that forms.def's letter stands for, and
 * their type; 0: there is no such matrix. */
int tc_ptx_mma_registers(const tc_ptx_op *op, char letter, tc_ptx_type *t);

/* ---- decode.c ---- */
/* At the first token of an instruction (after its guard): reads it up to and
 * with its ';' and appends it to the code. */
bool tc_ptx_instruction(tc_ptx_parser *p, int16_t guard, bool guard_neg);
tc_ptx_op *tc_ptx_new_op(tc_ptx_parser *p, const tc_ptx_token *at);

/* ---- decl.c ---- */
/* At a state space's dot word in a body or module: variables. */
bool tc_ptx_variables(tc_ptx_parser *p, tc_ptx_space space, bool is_extern);
bool tc_ptx_registers(tc_ptx_parser *p); /* at .reg */
/* At '(' of a parameter list; fills the function's parameters. */
bool tc_ptx_params(tc_ptx_parser *p, tc_ptx_func *f, bool returns);
void tc_ptx_layout(tc_ptx_parser *p); /* offsets of all symbols, at the end */
void tc_ptx_note_use(tc_ptx_parser *p, uint32_t symbol);
bool tc_ptx_space_by_name(tc_ptx_name n, tc_ptx_space *out);

/* ---- init.c ---- */
/* After '=': fills s->init and s->relocs; open: gives it its size. */
enum { TC_PTX_MAX_DIMS = 8 };
typedef struct tc_ptx_shape { /* of an array; the last is a vector's */
    uint64_t dim[TC_PTX_MAX_DIMS + 1];
    int n;
} tc_ptx_shape;
bool tc_ptx_initialise(tc_ptx_parser *p, tc_ptx_symbol *s, tc_ptx_type t,
                       const tc_ptx_shape *shape, bool open);

/* ---- call.c ---- */
/* The operands of call, up to its ';'. */
bool tc_ptx_call(tc_ptx_parser *p, tc_ptx_op *op, tc_span span);
/* Remembers that the module needs function index (first at span). */
void tc_ptx_note_call(tc_ptx_parser *p, uint32_t index, tc_span span);
/* At a dot word after "label:": .branchtargets and the like. */
bool tc_ptx_table_directive(tc_ptx_parser *p, tc_ptx_name label, tc_span span);
bool tc_ptx_alias(tc_ptx_parser *p); /* at .alias */
/* At the end of the module: calls and addresses go to the definitions. */
void tc_ptx_link(tc_ptx_parser *p);

/* ---- stmt.c ---- */
bool tc_ptx_body(tc_ptx_parser *p); /* at '{' */
bool tc_ptx_loc_directive(tc_ptx_parser *p);
bool tc_ptx_file_directive(tc_ptx_parser *p);
bool tc_ptx_section(tc_ptx_parser *p);

#endif
