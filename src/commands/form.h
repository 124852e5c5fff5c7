/* form.h - a command's argument form, and the arguments read by it.
 *
 *     KERNEL        an argument     [VARIANT]        one that may be left out
 *     ARG...        any number      [--smem BYTES]   an option with a value
 *     [--source]    an option       [cta N]          the same, without dashes
 *
 * What an upper-case word stands for says params.def. */
#ifndef TC_COMMANDS_FORM_H
#define TC_COMMANDS_FORM_H

#include "session/session.h"

typedef enum tc_form_param_kind {
    TC_PARAM_TEXT,
    TC_PARAM_INTEGER,
    TC_PARAM_DIMS,
    TC_PARAM_COORDS,
    TC_PARAM_SHAPE,
    TC_PARAM_EXPR
} tc_form_param_kind;

/* What Tab offers in the place of a parameter. */
typedef enum tc_offers {
    TC_OFFERS_nothing,
    TC_OFFERS_variants,
    TC_OFFERS_kernels,
    TC_OFFERS_formats,
    TC_OFFERS_files,
    TC_OFFERS_buffers,
    TC_OFFERS_values,
    TC_OFFERS_dtypes,
    TC_OFFERS_lessons,
    TC_OFFERS_exercises,
    TC_OFFERS_settings,
    TC_OFFERS_setting_values,
    TC_OFFERS_topics,
    TC_OFFERS_terms
} tc_offers;

typedef struct tc_form_param {
    const char *command, *name;
    tc_form_param_kind kind;
    int64_t least, most;
    tc_offers offers;
    const char *meaning, *example;
} tc_form_param;

enum { TC_FORM_ITEMS = 8, TC_FORM_RANK = 16 };

typedef struct tc_form_item {
    char name[24]; /* "KERNEL"; of an option "--smem" or "cta" */
    bool option, required, repeated;
    bool unknown; /* its word has no row in params.def */
    const tc_form_param
        *param; /* of its value; NULL: an option that has none */
} tc_form_item;

typedef struct tc_form {
    tc_form_item items[TC_FORM_ITEMS];
    int n;
    bool dashes; /* words that begin with -- are options */
} tc_form;

/* One argument of a command, as its form reads it. */
typedef struct tc_command_value {
    const char *name; /* the form's: "KERNEL", "--smem" */
    const char *text;
    tc_span span;
    int64_t number;                /* of an INTEGER */
    uint32_t dims[3];              /* of DIMS */
    int64_t extents[TC_FORM_RANK]; /* of COORDS and SHAPE */
    int rank;
} tc_command_value;

/* The arguments of a command. All in the arena of its evaluation. */
typedef struct tc_command_args {
    const char *line;    /* after the command's name, without outer blanks */
    const char **tokens; /* split at blanks; "quoted words" are one */
    int n;
    tc_span span;             /* of the arguments in the typed line */
    tc_span *spans;           /* of each word */
    tc_command_value *values; /* those of a name together, in their order */
    int nvalues;
} tc_command_args;

/* The form of a command, as its row has it. */
void tc_form_of(const char *command, const char *form, tc_form *out);

/* Do all words that follow, up to the options, belong to the item's value? */
bool tc_form_takes_rest(const tc_form_item *item);

/* Fills in the values of args, whose words are split. Reports a missing or a
 * further argument, an unknown option and a value that is not of its kind; of a
 * form with a word that has no row in params.def an internal error. */
bool tc_form_read(tc_session *s, tc_arena *a, const char *command,
                  const char *form, tc_command_args *args);

/* The first value of a name, or NULL: it is not given. */
const tc_command_value *tc_value_of(const tc_command_args *args,
                                    const char *name);
/* Of a name that may be given several times: how many, and the first. */
int tc_values_of(const tc_command_args *args, const char *name,
                 const tc_command_value **first);

/* The item that a word stands for which follows n others. NULL: there is none
 * left. */
const tc_form_item *tc_form_next(const tc_form *f, const char *const *tokens,
                                 int n);

#endif
