/* key.h - keys, what they are called, and what they do (actions.def). */
#ifndef TC_VIEW_KEY_H
#define TC_VIEW_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key is the character that it types, or one of these. */
typedef uint32_t tc_key;
enum {
    TC_KEY_NONE = 0x110000, /* nothing that is known here */
    TC_KEY_LEFT,
    TC_KEY_RIGHT,
    TC_KEY_UP,
    TC_KEY_DOWN,
    TC_KEY_HOME,
    TC_KEY_END,
    TC_KEY_PAGE_UP,
    TC_KEY_PAGE_DOWN,
    TC_KEY_BACKSPACE,
    TC_KEY_DELETE,
    TC_KEY_TAB,
    TC_KEY_BACK_TAB,
    TC_KEY_ENTER,
    TC_KEY_ESCAPE,
    TC_KEY_TIMER /* not pressed: time has passed while it plays */
};

typedef enum tc_action {
    TC_ACT_NONE,
#define TC_HEADING(text)
#define TC_ACTION(id, keys, what) TC_ACT_##id,
#include "view/actions.def"
    TC_ACT_COUNT
} tc_action;

typedef struct tc_action_row { /* keys NULL: a heading */
    const char *keys, *what;
} tc_action_row;
/* Headings and actions in their order; returns how many. */
size_t tc_action_list(const tc_action_row **rows);

/* "Right", "^F", "a": one key; TC_KEY_NONE: there is none of that name. */
tc_key tc_key_named(const char *name, size_t len);

/* What the keys pressed so far come to. *wants: no action, but a key more may
 * make one. */
tc_action tc_action_of(const tc_key *keys, size_t n, bool *wants);

#endif
