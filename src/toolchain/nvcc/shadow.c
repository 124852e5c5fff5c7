/* shadow.c - a folder in the place of CUDA's toolkit, for build systems: links
 * to all that is there, but for nvcc, cudart and what our runtime has too. */
#include "base/temporary.h"
#include "toolchain/nvcc/driver.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* runtime/stub/start.c: where the program is told what runs it. */
static const char place_mark[] = "TILECOPY-REPL-IS-AT:";
enum { PLACE = 1024 };

const char *tc_shadow_top(tc_arena *a, const tc_toolchain *t) {
    const char *nvcc = tc_real_path(a, t->nvcc);
    return tc_folder_of(a, tc_folder_of(a, nvcc != NULL ? nvcc : t->nvcc));
}

/* Libraries of the toolkit that have ours in their place. */
static bool is_replaced(const char *name) {
    static const char *const begins[] = {"libcudart", "libcuda.",
                                         "libcudadevrt"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Links in `to` to what is in `from`, without names that skip says. */
static bool link_all(tc_arena *a, const char *from, const char *to,
                     bool (*skip)(const char *name)) {
    DIR *d = opendir(from);
    bool ok = d != NULL;
    for (struct dirent *e; ok && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.' || skip(e->d_name)) {
            continue;
        }
        ok = symlink(tc_format(a, "%s/%s", from, e->d_name),
                     tc_format(a, "%s/%s", to, e->d_name)) == 0;
    }
    if (d != NULL) {
        closedir(d);
    }
    return ok;
}

static bool is_nvcc(const char *name) {
    return strcmp(name, "nvcc") == 0;
}

static bool is_made_here(const char *name) {
    static const char *const all[] = {"bin", "lib64", "lib", "targets"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(name, all[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Text in single quotes of a shell. */
static const char *quoted(tc_arena *a, const char *text) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_putc(&b, '\'');
    for (; *text != '\0'; text++) {
        tc_buf_puts(&b, *text == '\'' ? "'\\'" : "");
        tc_buf_putc(&b, *text);
    }
    tc_buf_putc(&b, '\'');
    return tc_buf_finish(&b, a);
}

static bool put(const char *path, const char *text, int mode) {
    return tc_write_file(path, text, strlen(text), mode);
}

static bool make_bin(tc_arena *a, const tc_toolchain *t, const char *self,
                     const char *top, const char *folder) {
    const char *bin = tc_format(a, "%s/bin", folder);
    const char *script =
        tc_format(a,
                  TC_SHADOW_MARK "\nTILECOPY_NVCC=%s\nexport TILECOPY_NVCC\n"
                                 "exec %s nvcc \"$@\"\n",
                  quoted(a, tc_real_path(a, t->nvcc)), quoted(a, self));
    return mkdir(bin, 0755) == 0 &&
           link_all(a, tc_format(a, "%s/bin", top), bin, is_nvcc) &&
           put(tc_format(a, "%s/nvcc", bin), script, 0755);
}

/* Our runtime, which knows where this program is. */
static bool put_stub(tc_arena *a, const char *self, const char *path) {
    size_t n = (size_t)(tc_stub_archive_end - tc_stub_archive);
    char *bytes = tc_alloc(a, n + 1);
    memcpy(bytes, tc_stub_archive, n);
    char *at = memmem(bytes, n, place_mark, sizeof place_mark - 1);
    if (at != NULL && strlen(self) < PLACE - sizeof place_mark) {
        strcpy(at + sizeof place_mark - 1, self);
    }
    return tc_write_file(path, bytes, n, 0644);
}

/* Libraries that are text: the linker reads what they name. */
static bool make_lib(tc_arena *a, const char *self, const char *top,
                     const char *folder) {
    static const char *const names[] = {"libcudart_static.a", "libcudart.so",
                                        "libcuda.so", "libcudadevrt.a",
                                        "stubs/libcuda.so"};
    const char *lib = tc_format(a, "%s/lib64", folder);
    const char *real = tc_format(a, "%s/lib64", top);
    real = tc_is_folder(real) ? real : tc_format(a, "%s/lib", top);
    const char *stub = tc_format(a, "%s/libtcstub.a", lib);
    bool ok = mkdir(lib, 0755) == 0 &&
              mkdir(tc_format(a, "%s/stubs", lib), 0755) == 0 &&
              put_stub(a, self, stub);
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        ok = put(tc_format(a, "%s/%s", lib, names[i]),
                 "/* tilecopy-repl */\nINPUT(libtcstub.a AS_NEEDED(-lpthread "
                 "-ldl))\n",
                 0644);
    }
    DIR *d = ok ? opendir(real) : NULL;
    for (struct dirent *e; ok && d != NULL && (e = readdir(d)) != NULL;) {
        if (strncmp(e->d_name, "lib", 3) == 0 && !is_replaced(e->d_name)) {
            ok = symlink(tc_format(a, "%s/%s", real, e->d_name),
                         tc_format(a, "%s/%s", lib, e->d_name)) == 0;
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return ok;
}

/* targets/x86_64-linux, of which nvcc speaks. */
static bool make_targets(tc_arena *a, const char *top, const char *folder) {
    static const char *const machines[] = {"x86_64-linux", "sbsa-linux"};
    bool ok = mkdir(tc_format(a, "%s/targets", folder), 0755) == 0 &&
              symlink("lib64", tc_format(a, "%s/lib", folder)) == 0;
    for (int i = 0; ok && i < 2; i++) {
        const char *real = tc_format(a, "%s/targets/%s", top, machines[i]);
        const char *to = tc_format(a, "%s/targets/%s", folder, machines[i]);
        if (tc_is_folder(real)) {
            ok = mkdir(to, 0755) == 0 &&
                 symlink(tc_format(a, "%s/include", top),
                         tc_format(a, "%s/include", to)) == 0 &&
                 symlink("../../lib64", tc_format(a, "%s/lib", to)) == 0;
        }
    }
    return ok;
}

/* runtime/stub/start.c has what it names. */
static bool make_header(tc_arena *a, const char *folder) {
    return put(tc_format(a, "%s/" TC_SHADOW_HEADER, folder),
               "#ifndef __CUDA_ARCH__\n"
               "#ifdef __cplusplus\n"
               "extern \"C\"\n"
               "#endif\n"
               "const char tilecopy_repl_runtime[];\n"
               "__attribute__((used)) static const char *const\n"
               "    tilecopy_repl_wants = tilecopy_repl_runtime;\n"
               "#endif\n",
               0644);
}

static bool make_shadow(tc_arena *a, const tc_toolchain *t, const char *self,
                        const char *folder) {
    const char *top = tc_shadow_top(a, t);
    return link_all(a, top, folder, is_made_here) &&
           make_bin(a, t, self, top, folder) &&
           make_lib(a, self, top, folder) && make_targets(a, top, folder) &&
           make_header(a, folder);
}

const char *tc_shadow_toolkit(tc_arena *a, const tc_toolchain *t,
                              const char **why) {
    const char *note = NULL, *cache = tc_cache_folder(a, NULL, &note);
    const char *self = tc_real_path(a, "/proc/self/exe");
    tc_hash h = TC_HASH_START;
    *why = "there is no folder to keep a toolkit's likeness in";
    bool kept = cache != NULL && strcmp(cache, tc_private_folder(a)) != 0;
    if (!kept || self == NULL || note != NULL) {
        *why = note != NULL ? note
               : kept       ? *why
                      : tc_format(a, "%s: set HOME or TILECOPY_CACHE", *why);
        return NULL;
    }
    tc_hash_text(&h, "shadow 2");
    tc_hash_text(&h, t->identity);
    tc_hash_text(&h, tc_real_path(a, t->nvcc));
    tc_hash_text(&h, self);
    tc_hash_block(&h, tc_stub_archive,
                  (size_t)(tc_stub_archive_end - tc_stub_archive));
    const char *folder =
        tc_format(a, "%s/toolkit-%.16s", cache, tc_hash_name(a, h));
    if (tc_is_program(tc_format(a, "%s/bin/nvcc", folder))) {
        return folder;
    }
    char *made = mkdtemp(tc_format(a, "%s/tilecopy-new-XXXXXX", cache));
    bool ok = made != NULL && chmod(made, 0755) == 0 &&
              make_shadow(a, t, self, made) &&
              (rename(made, folder) == 0 || tc_is_folder(folder));
    *why = tc_format(a, "%s: %s", cache, strerror(errno));
    if (!ok && made != NULL) {
        tc_remove_tree(made);
    }
    return ok ? folder : NULL;
}
