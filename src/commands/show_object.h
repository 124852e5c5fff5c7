/* show_object.h - what `show` is asked about. */
#ifndef TC_COMMANDS_SHOW_OBJECT_H
#define TC_COMMANDS_SHOW_OBJECT_H

#include "layout/picture.h"
#include "session/session.h"

/* A name, a part of one (A_smem[0:16, :]) or any expression. */
typedef struct tc_show_object {
    const char *name;        /* as typed; NULL for an expression */
    const tc_value *value;   /* of a name or expression; NULL for a buffer */
    const tc_buffer *buffer; /* of the current program; or NULL */
    bool part;               /* a part was named: */
    int64_t from[TC_PICTURE_RANK], to[TC_PICTURE_RANK];
    int nparts; /* the rest is whole; to -1: up to the end */
} tc_show_object;

/* Finds it by the learner's text; reports at span. Lives in a. */
bool tc_show_object_find(tc_session *s, tc_arena *a, tc_span span,
                         tc_show_object *out);
/* The layout that can be drawn, or NULL. */
const tc_layout *tc_show_object_layout(tc_arena *a, const tc_show_object *t);

#endif
