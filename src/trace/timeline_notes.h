/* timeline_notes.h - the sentences under the picture. */
#ifndef TC_TRACE_TIMELINE_NOTES_H
#define TC_TRACE_TIMELINE_NOTES_H

#include "trace/timeline.h"

/* One paragraph, broken between words at width columns, lines after the first
 * indented. */
void tc_notes_wrap(tc_buf *out, const char *text, int width, int indent);

/* One sentence for each group ordinal, all rows taken together. */
void tc_notes_groups(tc_buf *out, const tc_timeline *tl, int width);

/* What the row did while its groups were in flight; nothing without groups. */
void tc_notes_stall(tc_buf *out, const tc_timeline *tl,
                    const tc_timeline_row *row, int width);

#endif
