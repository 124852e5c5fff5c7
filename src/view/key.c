/* key.c - names of keys; the action of a key. */
#include "view/key.h"

#include <string.h>

static const char *const keys_of[TC_ACT_COUNT] = {
#define TC_HEADING(text)
#define TC_ACTION(id, keys, what) [TC_ACT_##id] = keys,
#include "view/actions.def"
};

static const tc_action_row listed[] = {
#define TC_HEADING(text)          {NULL, text},
#define TC_ACTION(id, keys, what) {keys, what},
#include "view/actions.def"
};

size_t tc_action_list(const tc_action_row **rows) {
    *rows = listed;
    return sizeof listed / sizeof *listed;
}

tc_key tc_key_named(const char *name, size_t len) {
    static const struct {
        const char *name;
        tc_key key;
    } names[] = {
        {"Left", TC_KEY_LEFT},
        {"Right", TC_KEY_RIGHT},
        {"Up", TC_KEY_UP},
        {"Down", TC_KEY_DOWN},
        {"Home", TC_KEY_HOME},
        {"End", TC_KEY_END},
        {"PageUp", TC_KEY_PAGE_UP},
        {"PageDown", TC_KEY_PAGE_DOWN},
        {"Space", ' '},
        {"Backspace", TC_KEY_BACKSPACE},
        {"Delete", TC_KEY_DELETE},
        {"Tab", TC_KEY_TAB},
        {"BackTab", TC_KEY_BACK_TAB},
        {"Enter", TC_KEY_ENTER},
        {"Escape", TC_KEY_ESCAPE},
        {"Timer", TC_KEY_TIMER},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) == len &&
            memcmp(names[i].name, name, len) == 0) {
            return names[i].key;
        }
    }
    if (len == 2 && name[0] == '^' && name[1] >= '@' && name[1] <= '_') {
        return (tc_key)(name[1] - '@');
    }
    bool one = len == 1 && name[0] > ' ' && name[0] < 127;
    return one ? (tc_key)name[0] : TC_KEY_NONE;
}

/* Is the name, of one key or two, these keys; or do they begin it? */
static bool matches(const char *name, size_t len, const tc_key *keys, size_t n,
                    bool *begins) {
    tc_key whole = tc_key_named(name, len);
    if (whole != TC_KEY_NONE) {
        return n == 1 && keys[0] == whole;
    }
    if (len != 2 || keys[0] != (tc_key)name[0]) {
        return false;
    }
    *begins = *begins || n == 1;
    return n == 2 && keys[1] == (tc_key)name[1];
}

tc_action tc_action_of(const tc_key *keys, size_t n, bool *wants) {
    *wants = false;
    for (int a = 1; a < TC_ACT_COUNT && n > 0; a++) {
        const char *p = keys_of[a];
        while (*p != '\0') {
            size_t len = strcspn(p, " ");
            if (matches(p, len, keys, n, wants)) {
                return (tc_action)a;
            }
            p += len + strspn(p + len, " ");
        }
    }
    return TC_ACT_NONE;
}
