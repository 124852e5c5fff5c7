/* cubin.h - sections of a cubin, and its line table. */
#ifndef TC_SASS_CUBIN_H
#define TC_SASS_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section's bytes within the file. */
typedef struct tc_cubin_section {
    const uint8_t *data;
    size_t size;
    int index;
} tc_cubin_section;

typedef struct tc_cubin {
    const uint8_t *data;
    size_t size;
} tc_cubin;

/* Is it an ELF file of 64 bits whose tables lie within it? */
bool tc_cubin_is(const tc_cubin *c);
/* The section called prefix and, behind it, name. False: there is none. */
bool tc_cubin_find(const tc_cubin *c, const char *prefix, const char *name,
                   tc_cubin_section *out);
/* The section that a symbol stands for or lies in; -1 where there is none. */
int tc_cubin_symbol_section(const tc_cubin *c, uint64_t symbol);

/* Calls fn for each row of .nv_debug_line_sass: the code of section `section`
 * from address on comes from that line of the PTX text. Rows of other sections
 * are left out. */
void tc_cubin_lines(const tc_cubin *c, int section,
                    void (*fn)(void *user, uint64_t address, int line),
                    void *user);

#endif
