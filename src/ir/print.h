/* print.h - what the files of the printer share. Private to ir/. */
#ifndef TC_IR_PRINT_H
#define TC_IR_PRINT_H

#include "ir/ir.h"

/* name = T.alloc_shared(...), T.decl_buffer(...), base.view(...), ... and the
 * end of the line. */
void tc_ir_print_alloc(tc_buf *b, const tc_buffer *buf);

#endif
