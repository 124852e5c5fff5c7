/* ast.h - the syntax tree of the TVMScript subset.
 *
 * TVMScript is Python syntax. The tree keeps Python's shape and knows nothing
 * of what names mean; front/ gives it meaning. Nodes live in an arena and
 * point into the source text. */
#ifndef TC_LANG_AST_H
#define TC_LANG_AST_H

#include "base/arena.h"
#include "base/diag.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum tc_node_kind {
    /* expressions */
    TC_N_INT,    /* i */
    TC_N_FLOAT,  /* f */
    TC_N_STRING, /* s (decoded) */
    TC_N_BOOL,   /* i */
    TC_N_NONE,
    TC_N_NAME,      /* s */
    TC_N_ATTR,      /* a . s */
    TC_N_CALL,      /* a ( items..., kwargs... ) */
    TC_N_SUBSCRIPT, /* a [ items... ]: one item each for a, b in x[a, b] */
    TC_N_SLICE,     /* a : b : c, each may be NULL */
    TC_N_TUPLE,     /* items */
    TC_N_LIST,      /* items */
    TC_N_DICT,      /* items: key, value, key, value ... */
    TC_N_UNARY,     /* op a */
    TC_N_BINARY,    /* a op b; comparisons and and/or too */
    TC_N_IFEXP,     /* b if a else c */
    TC_N_STAR,      /* *a in a call or a display */
    TC_N_FSTRING,   /* items: STRINGs and FORMATs */
    TC_N_FORMAT,    /* {a!i:s} of an f-string; i is 'r', 's', 'a' or 0, s may be
                       NULL; s2 is the text of {a=}, or NULL */
    TC_N_LAMBDA,    /* lambda params: a */
    TC_N_COMP,      /* a [: b] for ...: i is ')', ']' or '}'; items: its FORs,
                       each with its conditions in orelse */
    TC_N_ELLIPSIS,
    /* statements */
    TC_N_EXPR,      /* a */
    TC_N_ASSIGN,    /* target a (a TUPLE unpacks) = b; a = b = c nests in b as
                       another ASSIGN */
    TC_N_ANNASSIGN, /* a : b = c, c may be NULL */
    TC_N_AUGASSIGN, /* a op= b */
    TC_N_DEF,       /* decorators kwargs[].value?, see fields below */
    TC_N_CLASS, /* class s(kwargs and bases, unread): body; items: decorators */
    TC_N_TRY,   /* try: body; items: its EXCEPTs; else: orelse; finally: b,
                       a BLOCK or NULL */
    TC_N_EXCEPT, /* except a as s: body; both may be NULL */
    TC_N_BLOCK,  /* body */
    TC_N_RAISE,  /* a or NULL */
    TC_N_DELETE, /* items */
    TC_N_GLOBAL, /* global s (one node a name), nonlocal: i is 1 */
    TC_N_FOR,    /* for a in b: body else: orelse */
    TC_N_WHILE,  /* while a: body */
    TC_N_IF,     /* if a: body else: orelse (elif nests) */
    TC_N_WITH,   /* with a as b: body; b may be NULL */
    TC_N_RETURN, /* a or NULL */
    TC_N_PASS,
    TC_N_BREAK,
    TC_N_CONTINUE,
    TC_N_IMPORT,     /* import s as s2 (one node a name) */
    TC_N_IMPORTFROM, /* from s import s2 as s3; s2 "*" for all */
    TC_N_ASSERT,     /* a, message b or NULL */
    TC_N_COUNT
} tc_node_kind;

typedef enum tc_token_op {
    TC_OP_NONE,
    TC_OP_ADD,
    TC_OP_SUB,
    TC_OP_MUL,
    TC_OP_DIV,
    TC_OP_FLOORDIV,
    TC_OP_MOD,
    TC_OP_POW,
    TC_OP_MATMUL,
    TC_OP_SHL,
    TC_OP_SHR,
    TC_OP_BITAND,
    TC_OP_BITOR,
    TC_OP_BITXOR,
    TC_OP_INVERT,
    TC_OP_LT,
    TC_OP_LE,
    TC_OP_GT,
    TC_OP_GE,
    TC_OP_EQ,
    TC_OP_NE,
    TC_OP_AND,
    TC_OP_OR,
    TC_OP_NOT,
    TC_OP_IN,
    TC_OP_NOTIN,
    TC_OP_IS,
    TC_OP_ISNOT,
    TC_OP_POS,
    TC_OP_NEG
} tc_token_op;

typedef struct tc_node tc_node;

typedef struct tc_kwarg {
    const char *name; /* NULL for **x */
    tc_node *value;
    tc_span span; /* of name=value */
} tc_kwarg;

typedef struct tc_node_list {
    tc_node **items;
    int n, cap;
} tc_node_list;

typedef struct tc_param {
    const char *name;
    tc_node *annotation;    /* or NULL */
    tc_node *default_value; /* or NULL */
    char kind;              /* 0, '*' or '=' behind it: only by name, '2': ** */
    tc_span span;
} tc_param;

struct tc_node {
    tc_node_kind kind;
    tc_token_op op;
    tc_span span;      /* the whole construct; for DEF the header line(s) */
    tc_span name_span; /* ATTR: the attribute; DEF: the name; else empty */
    int64_t i;
    double f;
    const char *s, *s2, *s3;
    tc_node *a, *b, *c;
    tc_node_list items; /* also TC_N_DEF: the decorators */
    tc_kwarg *kwargs;
    int nkwargs;
    tc_param *params; /* TC_N_DEF; s is the name, a the return annotation */
    int nparams;
    tc_node_list body, orelse; /* statements */
};

/* Parses a whole source into a list of statements. On error reports through
 * diags and returns false; out then holds nothing. Nesting is limited (200
 * levels), so that no input exhausts the stack. */
bool tc_parse(tc_arena *a, const tc_source *source, tc_diags *diags,
              tc_node_list *out);

/* The same with two arenas: the tree in nodes, the names and strings that it
 * holds as text, where what is made from the tree may go on to use them. */
bool tc_parse_split(tc_arena *nodes, tc_arena *strings, const tc_source *source,
                    tc_diags *diags, tc_node_list *out);

/* True when text is an unfinished beginning: an open bracket or triple-quoted
 * string, a trailing backslash, a decorator without its def, or a block that
 * no blank line has ended. What a prompt asks before it evaluates. */
bool tc_parse_wants_more(const char *text);

const char *tc_token_op_text(tc_token_op op); /* "+", "//", "and", ... */

#endif
