/* stream_shadow.h - who accessed which byte of memory last: for each byte the
 * number of a state, and states are shared by all bytes with one history. */
#ifndef TC_RUNTIME_ORDER_STREAM_SHADOW_H
#define TC_RUNTIME_ORDER_STREAM_SHADOW_H

#include <stdint.h>

typedef struct tc_stream_shadow tc_stream_shadow;

tc_stream_shadow *tc_stream_shadow_new(void);
void tc_stream_shadow_free(tc_stream_shadow *s); /* NULL is allowed */

/* Each byte of [address, address + bytes) gets the state that next() says for
 * the one it had; 0 is that of bytes that nobody has accessed. next is asked
 * for runs of bytes, the first of which is at `at`. */
void tc_stream_shadow_apply(
    tc_stream_shadow *s, uint64_t address, uint64_t bytes,
    uint32_t (*next)(void *user, uint32_t state, uint64_t at), void *user);
uint32_t tc_stream_shadow_at(const tc_stream_shadow *s, uint64_t address);

#endif
