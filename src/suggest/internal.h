/* internal.h - what the files of suggest/ share. */
#ifndef TC_SUGGEST_INTERNAL_H
#define TC_SUGGEST_INTERNAL_H

#include "lang/ast.h"
#include "suggest/suggest.h"

/* --- reparse.c: a text, read and dispatched --------------------------------- */

typedef struct tc_trial {
    tc_arena *arena; /* owned */
    tc_source source;
    tc_node_list stmts;
    tc_func *func;        /* NULL: the text is refused */
    const tc_decision *d; /* about the copy asked about */
    const tc_verdict *v;  /* the goal's; NULL: of the other operation */
    tc_decisions all;
    const char *error; /* of the first error, where refused */
} tc_trial;

/* Reads text, which must outlive the trial. goal TC_VARIANT_COUNT: v is NULL.
 * Free with tc_trial_free. */
void tc_trial_read(tc_trial *t, const tc_suggest_input *in, const char *text,
                   size_t len);
void tc_trial_free(tc_trial *t);
bool tc_trial_accepts(const tc_trial *t);
/* Nothing that was well before is broken in t: the launch is consistent, some
 * thread comes to the copy, and every other copy that had a choice has one. */
bool tc_trial_keeps(const tc_trial *before, const tc_trial *t);
/* The first thread that the conditions around the copy let through, as far as
 * they can be worked out; -1: none (reach.c). */
int64_t tc_first_thread(const tc_trial *t);

/* --- edits.c: the edits of one trial -------------------------------------- */

typedef enum tc_edit_kind {
#define TC_EDIT(id, values, serves, what) TC_EDIT_##id,
#include "suggest/edits.def"
    TC_EDIT_COUNT
} tc_edit_kind;

typedef struct tc_patch {
    uint32_t begin, end; /* bytes of the text to replace */
    const char *text;
} tc_patch;

/* One atomic edit. Edits with the same kind and site exclude each other; kind,
 * site and value name an edit across texts. */
typedef struct tc_edit {
    tc_edit_kind kind;
    const char *site, *value;
    const char *summary;
    tc_patch *patches;
    int n, cap;
    bool shrinks;
} tc_edit;

typedef struct tc_edit_list {
    tc_edit *items;
    int n, cap;
} tc_edit_list;

typedef struct tc_editor {
    tc_arena *a;
    const tc_trial *t;
    const tc_node *call;      /* the copy */
    const tc_node *statement; /* that holds it */
    const tc_node **ifs;      /* around it, outermost first */
    int nifs, ifs_cap;
    tc_variant_id goal;
    tc_edit_list *out;
} tc_editor;

/* Every edit of the copy of t, in the table's order; lives in a. */
void tc_edits(tc_arena *a, const tc_trial *t, tc_variant_id goal,
              tc_edit_list *out);
/* kinds: bits 1 << TC_EDIT_x */
void tc_edits_of(tc_arena *a, const tc_trial *t, tc_variant_id goal,
                 unsigned kinds, tc_edit_list *out);
bool tc_edit_same(const tc_edit *x, const tc_edit *y);
/* The kinds that can mend a check of that name. */
unsigned tc_edit_kinds_for(const char *check, bool lowering);

typedef void tc_edit_fn(tc_editor *e, const char *values);
#define TC_EDIT(id, values, serves, what) tc_edit_fn tc_edits_##id;
#include "suggest/edits.def"

/* Begins an edit; patches follow. */
tc_edit *tc_edit_new(tc_editor *e, tc_edit_kind kind, const char *site,
                     const char *value, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void tc_edit_patch(tc_editor *e, tc_edit *x, uint32_t begin, uint32_t end,
                   const char *text);
/* The next word of values, or NULL; moves on. */
const char *tc_edit_value(tc_arena *a, const char **values);

/* --- locate.c: where things stand in the text ----------------------------- */

/* The call whose span is that; or NULL. */
const tc_node *tc_locate_call(const tc_node_list *stmts, tc_span span);
/* Fills e->call, statement and ifs; false where the copy is not a statement of
 * its own. */
bool tc_locate_copy(tc_editor *e);
/* An argument by position or keyword; NULL where it is not given. */
const tc_node *tc_locate_arg(const tc_node *call, int position,
                             const char *keyword);
const char *tc_locate_text(tc_arena *a, const tc_trial *t, const tc_node *n);
/* The call that declares b, or NULL. */
const tc_node *tc_locate_buffer(const tc_trial *t, const tc_buffer *b);
/* The function's declaration of that kind of scope id, or NULL. */
const tc_scope_id *tc_locate_id(const tc_trial *t, tc_scope_id_kind kind,
                                const tc_node **call);
/* Adds ", text" as the last argument. */
void tc_edit_argument(tc_editor *e, tc_edit *x, const tc_node *call,
                      const char *text);

/* --- patch.c -------------------------------------------------------------- */

/* The text with an edit made; it keeps its number of lines. NULL: the patches
 * overlap. */
char *tc_patch_apply(tc_arena *a, const char *text, size_t len,
                     const tc_edit *edit, size_t *out_len);
/* The lines that differ. */
void tc_patch_diff(tc_arena *a, const char *from, const char *to,
                   int first_line, tc_suggestion *out);

#endif
