/* copies.h - which variant and which copy a command's arguments mean. */
#ifndef TC_COMMANDS_COPIES_H
#define TC_COMMANDS_COPIES_H

#include "commands/commands.h"

/* The variant that a word names; reports one that none has, with the nearest
 * name. */
bool tc_copies_variant(tc_session *s, const tc_command_value *name,
                       tc_variant_id *out);

/* The arguments of a form "[NAME] [LINE]", in which `why 10` has no name but a
 * line. Returns the name or NULL; line->text is NULL where none is given. */
const tc_command_value *tc_copies_name(const tc_command_args *args,
                                       const char *name,
                                       tc_command_value *line);

/* The copy that stands on a line of the program, or -1. */
int tc_copies_at(const tc_decisions *all, int64_t line);

/* "copy 1 of 2, line 10: Tx.copy(...)" and the end of the line. */
void tc_copies_head(const tc_session *s, int copy, tc_buf *b);

/* Reports that no copy stands on a line, and on which there is one. */
tc_status tc_copies_none(tc_session *s, const tc_command_value *line);

#endif
