/* internal.h - what the toolchain's files share: programs that are run, files,
 * hashes and the cache. Nothing outside src/toolchain/ includes it. */
#ifndef TC_TOOLCHAIN_INTERNAL_H
#define TC_TOOLCHAIN_INTERNAL_H

#include "base/buf.h"
#include "toolchain/toolchain.h"
#include <stdarg.h>
#include <stdatomic.h>

/* --- process.c: other programs, without a shell ----------------------------*/

typedef struct tc_tool_process {
    const char *const *argv; /* argv[0] is the path of the file to run */
    const char *const *env;  /* "NAME=value" put before ours, or NULL */
    const char *folder;      /* to run in; NULL: ours */
    tc_buf *out;             /* gets standard output; NULL: thrown away */
    tc_buf *err;             /* gets standard error; may be the same as out */
    /* gets both by lines as they come (out and err are then not filled) */
    void (*said)(void *user, const char *line);
    void *user;
    const atomic_int *cancel; /* not 0: end it; or NULL */
    int timeout_ms;           /* 0: none */
    const tc_limits *limits;  /* NULL: none */
    tc_buf *why; /* with limits: gets which one it passed, as text */
    const tc_sandbox *sandbox; /* NULL: none */
    const char *own; /* a folder that is its own: limits.disk is of that, and
                        it goes where we are killed meanwhile; or NULL */
} tc_tool_process;

enum { /* tc_run besides the exit status; a signal's is 128 + its number */
       TC_RUN_NOT_STARTED = -1,
       TC_RUN_CANCELLED = -2,
       TC_RUN_TIMEOUT = -3,
       TC_RUN_LIMITED = -4
};
/* Runs it to its end, with nothing on standard input and without a terminal.
 * Nothing of what it started is left then, nor if we are killed meanwhile.
 * Output beyond some megabytes is read and dropped. */
int tc_tool_run(const tc_tool_process *p);

/* --- files.c ---------------------------------------------------------------*/

bool tc_is_program(const char *path); /* a file that may be executed */
bool tc_is_folder(const char *path);
/* The program of that name in the folders of PATH, or NULL. */
const char *tc_in_path(tc_arena *a, const char *name);
/* The file's bytes, ended by a 0 that is not counted; NULL with errno. */
char *tc_read_file(tc_arena *a, const char *path, size_t *len);
/* Written beside its place and renamed into it. */
bool tc_write_file(const char *path, const void *bytes, size_t len, int mode);
bool tc_make_folders(const char *path); /* all of them, as mkdir -p */
/* An absolute path without "..", or NULL where there is no such file. */
const char *tc_real_path(tc_arena *a, const char *path);
const char *tc_folder_of(tc_arena *a, const char *path); /* "." for "x" */
const char *tc_base_of(const char *path);
/* A new folder in TMPDIR or /tmp whose path has only plain characters, which
 * nvcc can pass through its shell. NULL with errno. */
const char *tc_temporary(tc_arena *a);
/* May nvcc be given the path? It hands names to a shell in double quotes, and
 * takes a comma for the end of a word. */
bool tc_plain_path(const char *path);

/* --- filetable.c -----------------------------------------------------------*/

/* The file that has number 1 in the table of the unit whose own file has that
 * base name. NULL where the program has no such debug information. */
const char *tc_first_file(tc_arena *a, const char *program, const char *base);

/* --- checksum.c ------------------------------------------------------------*/

/* SHA-256. A block and a text go in with their length, so that ("ab", "c") is
 * not ("a", "bc"). */
typedef struct tc_hash {
    uint32_t h[8];
    uint8_t block[64];
    uint64_t len;
} tc_hash;
#define TC_HASH_START                                                          \
    ((tc_hash){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,           \
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}})
void tc_hash_bytes(tc_hash *h, const void *bytes, size_t len);
void tc_hash_block(tc_hash *h, const void *bytes, size_t len);
void tc_hash_text(tc_hash *h, const char *text);  /* NULL counts too */
const char *tc_hash_name(tc_arena *a, tc_hash h); /* 64 hex digits */
/* What tells that a file is another one without reading it: path, size, time,
 * inode. False where it is not there. */
bool tc_hash_stat(tc_hash *h, const char *path);

/* --- cache_folder.c --------------------------------------------------------*/

/* The folder that holds what was built, made if need be: tilecopy-repl/v1 in
 * `instead`, else in TILECOPY_CACHE, XDG_CACHE_HOME or ~/.cache. Where that
 * cannot be or is not to be trusted (*note then says why; else it stays), or
 * there is no HOME, this process's private folder; NULL where there is not even
 * that, with errno. */
const char *tc_cache_folder(tc_arena *a, const char *instead,
                            const char **note);
/* A new folder in TMPDIR or /tmp that goes when the process ends. */
const char *tc_private_folder(tc_arena *a);
void tc_private_end(void); /* it goes now */

/* --- cache.c: its entries, folders with a few files ------------------------*/

typedef struct tc_part {
    const char *name;
    int mode; /* 0600 or 0700 */
    const void *bytes;
    size_t len;
} tc_part;
/* The entry's path if it is there and whole, with the bytes of its parts, whose
 * names and modes are given; it is marked as used. Else NULL. */
const char *tc_cache_find(tc_arena *a, const char *folder, const char *name,
                          tc_part *parts, int n);
/* Puts an entry there, whole or not at all; one that is there and whole stays.
 * Its path, or NULL with errno. */
const char *tc_cache_put(tc_arena *a, const char *folder, const char *name,
                         const tc_part *parts, int n);

/* --- cache_trim.c ----------------------------------------------------------*/

/* Has the name the form of an entry's: HASH.build, .kernels, .deps,
 * .registers, .cubin, or tilecopy-new-XXXXXX? */
bool tc_cache_is_entry(const char *name);
/* Removes what was used longest ago until the rest is within the limit
 * (TILECOPY_CACHE_MB, else 512), but nothing that was used just now. */
void tc_cache_trim(tc_arena *a, const char *folder);
/* The same where an entry that was put there may have made it necessary. */
void tc_cache_grew(tc_arena *a, const char *folder, const char *entry);

/* --- durations.c -----------------------------------------------------------*/

/* Seconds that work of a kind ("program", "ptx": a word) on what has that name
 * took before, or the middle of what else of that kind took; 0: nobody knows. */
double tc_took_before(tc_arena *a, const char *folder, const char *kind,
                      const char *name);
void tc_took(tc_arena *a, const char *folder, const char *kind,
             const char *name, double seconds);

/* --- embedded.c: libtcstub.a, and src/tools/toolkit.sh ended by a 0 --------*/

extern const unsigned char tc_stub_archive[], tc_stub_archive_end[];
extern const char tc_toolkit_script[];

/* --- compile.c -------------------------------------------------------------*/

/* Options that give functions which the toolkit has no more their names of
 * today; ends with NULL. Static. */
const char *const *tc_removed_names(const tc_toolchain *t);

#endif
