/* exercise.h - an exercise as its folder's exercise.yml describes it. */
#ifndef TC_GRADE_EXERCISE_H
#define TC_GRADE_EXERCISE_H

#include "base/diag.h"
#include "grade/expr.h"
#include "grade/reasons.h"

enum {
    TC_EXERCISE_ARGS = 12,
    TC_EXERCISE_LIST = 64 /* of tests, rules, hints, wrong answers */
};

/* How the elements of an input are made: values.def. */
typedef struct tc_draw {
    uint64_t state; /* splitmix64 */
} tc_draw;
uint64_t tc_draw_next(tc_draw *d);
uint64_t tc_draw_below(tc_draw *d, uint64_t n); /* 0 <= result < n */

typedef struct tc_pattern {
    const char *name, *about;
    double (*value)(tc_draw *d, uint64_t i, uint64_t n);
} tc_pattern;
extern const tc_pattern tc_patterns[];
extern const int tc_npatterns;

/* What was executed, as a number: measures.def. */
typedef struct tc_measure {
    const char *name, *unit, *about;
    bool timed; /* kernels must be executed with timing on */
} tc_measure;
extern const tc_measure tc_measures[];
extern const int tc_nmeasures;

typedef struct tc_argument {
    const char *name;
    tc_c_type type;
    bool pointer, output;     /* output: a pointer that is not const */
    const tc_formula *count;  /* pointer: its elements */
    const tc_formula *starts; /* output: what it holds before; NULL: no value */
    const tc_formula *result; /* output: what it should hold */
    const char *result_text;
    double ulps, absolute; /* that it may be off */
    bool around_least;     /* around an input is -infinity, not +infinity */
} tc_argument;

/* A number of a test: one, or drawn from a range. */
typedef struct tc_number_range {
    double from, to;
} tc_number_range;

typedef struct tc_exercise_test {
    tc_number_range scalars[TC_EXERCISE_ARGS]; /* by argument */
    const tc_pattern *patterns[TC_EXERCISE_ARGS];
    bool hidden;
    bool gpu;     /* it runs on a GPU alone, being too large for others */
    bool sampled; /* it runs on a GPU whole, and is simulated in part */
    bool there;   /* it is given at all */
} tc_exercise_test;

/* A result that is wrong for a reason that is known. */
typedef struct tc_mistake {
    int output; /* argument */
    const tc_formula *result;
    const char *says;
} tc_mistake;

typedef struct tc_rule {
    const tc_measure *measure;
    const tc_formula *least, *most; /* NULL: no such bound */
    const char *least_text, *most_text;
    const char *says, *hint;
    int points;
} tc_rule;

/* A test of its own, and the rules that are held to what it executed. */
typedef struct tc_structure {
    tc_exercise_test test;
    int first, nrules; /* among the exercise's rules */
    bool timed;        /* one of them needs the clock */
} tc_structure;

/* How fast a call is, as a fraction of a copy of as many bytes. */
typedef struct tc_speed_point {
    double least, modelled; /* the fraction; and where it is modelled */
    int points;
} tc_speed_point;

typedef struct tc_speed {
    tc_exercise_test test, gpu; /* gpu: on a GPU, in the place of test */
    const tc_formula *bytes;    /* that have to be read and written */
    tc_speed_point points[8];
    int npoints; /* 0: the exercise asks for no speed */
    const char *hint;
} tc_speed;

typedef struct tc_hint {
    const char *reason, *says; /* a reason, a finding's kind or a measure */
} tc_hint;

typedef struct tc_wrong {
    const char *file, *fails, *says; /* fails: as tc_hint.reason; says may be
                                        NULL: words of the verdict */
} tc_wrong;

/* Buffers that hold the same when a program of TVMScript has run. */
typedef struct tc_same {
    const char *left, *right;
    long bytes;
} tc_same;

typedef struct tc_exercise {
    const char *name, *folder, *title;
    bool tirx;
    const char *interface, *function; /* "void f(int n)", "f" */
    const char *start, *reference;    /* files in the folder */
    tc_argument args[TC_EXERCISE_ARGS];
    int nargs;
    const char *explain; /* of an element, with {EXPRESSION}s; or NULL */
    tc_mistake *mistakes;
    int nmistakes;
    tc_exercise_test *tests;
    int ntests;
    tc_structure *structures;
    int nstructures;
    tc_speed speed;
    tc_rule *rules;
    int nrules;
    tc_hint *hints;
    int nhints;
    tc_wrong *wrong;
    int nwrong;
    double timeout_s;
    int most_launches; /* in a call */
    /* tirx: the copies' variants, in order, and what the buffers hold */
    const char **variants;
    int nvariants;
    struct tc_same *same;
    int nsame;
    tc_expr_names names; /* i, then scalars; buffers */
} tc_exercise;

/* The exercise in FOLDER/exercise.yml, in arena a; NULL after diagnostics. */
const tc_exercise *tc_exercise_load(tc_arena *a, const char *name,
                                    const char *folder, tc_diags *d);
/* The text of {EXPRESSION}s put in. */
const char *tc_exercise_fill(tc_arena *a, const tc_exercise *e,
                             const char *text, tc_expr_env *env);
/* The hint for a reason, or NULL. */
const char *tc_exercise_hint(const tc_exercise *e, const char *reason);

#endif
