/* sim_program.h - PTX 9.0 programs around sim_harness.h: threads with their
 * number in %r1, their lane in %r7, their own 32 bytes of A and B at %rd4 and
 * %rd5, their own 16 bytes of sm at %r4. */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include "sim_harness.h"
#include "tool.h"

/* The text of kernel k for target, ended by ret. decls: before the kernel. */
char *program(const char *target, const char *decls, const char *body);

/* A module and a launch with two pointers, to 4096 bytes each, as arguments
 * (less, if the kernel takes less); what is printed goes to c->printed. */
typedef struct sim_file {
    const char *entry;
    uint32_t block, nparams;
    bool hazards, timing;
    uint8_t a[BYTES], b[BYTES];
    tc_sim_result r;
    tc_buf printed;
    tc_arena *arena;
    tc_sim *sim;
} sim_file;

void launch_text(sim_file *c, const char *text);
void end_file(sim_file *c);

/* tests/ptx/NAME.ptx */
char *ptx_file(const char *name);
uint64_t dword(const uint8_t *p, uint32_t at);

#endif
