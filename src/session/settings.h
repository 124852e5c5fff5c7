/* settings.h - what `set` changes: a row each in settings.def. */
#ifndef TC_SESSION_SETTINGS_H
#define TC_SESSION_SETTINGS_H

#include "session/session.h"

enum { TC_SETTING_VALUES = 8 };

/* A value of a setting: which of its words (0 of a range), and the number that
 * a word takes, or that is in the range. A word in capitals stands for a file's
 * name. */
typedef struct tc_setting_value {
    int word;
    int64_t number;
    const char *text; /* of a text; NULL: none */
    const char *file; /* where the word stands for one; else NULL. Borrowed */
    tc_span at;       /* of what was typed */
} tc_setting_value;

typedef struct tc_setting {
    const char *name;
    const char *values; /* "on|off", "timing|early|late|random N"; in capitals
                           it is a text, or none: "COMMAND" */
    const char *standard;
    const char *help;
    tc_setting_value (*get)(const tc_session *s);
    /* Reports what keeps it from being so. */
    void (*apply)(tc_session *s, tc_setting_value v);
} tc_setting;

extern const tc_setting tc_settings[];
extern const int tc_nsettings;

/* What a setting's values are. */
typedef struct tc_setting_form {
    char choices[TC_SETTING_VALUES][16]; /* none: a range */
    int n;
    int numbered;        /* the word that takes a number, or -1 */
    int64_t least, most; /* of a range */
    bool text;
} tc_setting_form;

void tc_setting_form_of(const tc_setting *t, tc_setting_form *out);
/* "on or off", "timing, early, late, or random N", "a number from 20 to 10000"
 */
void tc_setting_describe(const tc_setting *t, tc_buf *b);
/* Reads "on", "random 7", "100". False: it is none of its values. */
bool tc_setting_read(const tc_setting *t, const char *text,
                     tc_setting_value *out);
/* "on", "random 7", "100" */
void tc_setting_print(const tc_setting *t, tc_setting_value v, tc_buf *b);

/* Makes every setting the standard one. */
void tc_settings_reset(tc_session *s);

#endif
