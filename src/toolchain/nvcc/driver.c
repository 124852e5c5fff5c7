/* driver.c - tilecopy-repl in the place of nvcc: the same words, given on to
 * nvcc with other machines' code left out and our runtime linked in.
 *
 * Objects have PTX alone, plain, with lines. Relocatable device code is linked
 * when the program starts (ptx/link.c): what nvcc's device linker would define
 * for each source is defined here instead, once (shadow.c has the folders). */
#include "toolchain/nvcc/driver.h"
#include "base/temporary.h"
#include "tilecopy.h"
#include "toolchain/nvcc/command_line.h"
#include "toolchain/nvcc/main.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum driver_mode {
    PASS,    /* what asks nvcc something, or makes no code of ours */
    COMPILE, /* -c, -dc */
    DEVICE_LINK,
    LINK
} driver_mode;

typedef struct driver {
    tc_arena *a;
    const tc_toolchain *t;
    const char *shadow; /* the folder that stands in for the toolkit */
    const char *work;   /* temporary; NULL: not made yet */
    tc_words words;     /* the command line, without what names machines */
    tc_words objects, sources;
    const char *output, *arch;
    driver_mode mode;
    bool shows, debug, rdc; /* shows: -v, --dryrun */
} driver;

static int fails(const char *why, const char *hint) {
    fprintf(stderr, "tilecopy-repl nvcc: error: %s\n", why);
    if (hint != NULL) {
        fprintf(stderr, "hint: %s\n", hint);
    }
    return 1;
}

static void push(driver *d, tc_words *w, const char *word) {
    TC_PUSH(d->a, w->w, w->n, w->cap, word);
}

/* --- words -----------------------------------------------------------------*/

static bool is_any(const char *word, const char *const *all) {
    for (; *all != NULL; all++) {
        if (strcmp(word, *all) == 0) {
            return true;
        }
    }
    return false;
}

/* What stands behind '=', or in the next word; NULL: word is not the option. */
static const char *value_of(const char *word, const char *const *names,
                            char **next) {
    for (; *names != NULL; names++) {
        size_t n = strlen(*names);
        if (strncmp(word, *names, n) == 0 && word[n] == '=') {
            return word + n + 1;
        }
        if (strcmp(word, *names) == 0) {
            return next[1] != NULL ? next[1] : "";
        }
    }
    return NULL;
}

/* "compute_80", "sm_80", "arch=compute_80,code=sm_80": the first that is named.
 * Machines that nvcc does not know any more are its business. */
static void take_arch(driver *d, const char *value) {
    const char *at = strstr(value, "compute_");
    at = at != NULL ? at + 8 : strstr(value, "sm_");
    at = at != NULL && strncmp(at, "sm_", 3) == 0 ? at + 3 : at;
    if (at != NULL && d->arch == NULL && *at >= '0' && *at <= '9') {
        d->arch = tc_strndup(d->a, at, strspn(at, "0123456789af"));
    }
}

static driver_mode mode_of(const char *word, driver_mode before) {
    static const char *const pass[] = {"-ptx",
                                       "--ptx",
                                       "-cubin",
                                       "--cubin",
                                       "-fatbin",
                                       "--fatbin",
                                       "-E",
                                       "-M",
                                       "-MM",
                                       "-lib",
                                       "--lib",
                                       "-cuda",
                                       "--cuda",
                                       "--version",
                                       "-V",
                                       "--help",
                                       "-h",
                                       "-ltoir",
                                       "--preprocess",
                                       "--list-gpu-arch",
                                       "--list-gpu-code",
                                       "-optix-ir",
                                       NULL};
    static const char *const compile[] = {
        "-c", "--compile", "-dc", "-dw", "--device-c", "--device-w", NULL};
    static const char *const link[] = {"-dlink", "--device-link", NULL};
    return is_any(word, pass)      ? PASS
           : before == PASS        ? PASS
           : is_any(word, compile) ? COMPILE
           : is_any(word, link)    ? DEVICE_LINK
                                   : before;
}

static void take_plain(driver *d, const char *word) {
    tc_source_kind k = tc_source_kind_of(word);
    if (k == TC_SOURCE_OBJECT) {
        push(d, &d->objects, word);
    } else if (k != TC_SOURCE_NONE) {
        push(d, &d->sources, word);
    }
}

/* Reads the word at *argv; returns how many words it is. */
static int take_word(driver *d, char **argv) {
    static const char *const arch[] = {
        "-arch",    "--gpu-architecture", "-code", "--gpu-code",
        "-gencode", "--generate-code",    NULL};
    static const char *const shows[] = {"-v", "--verbose", "--dryrun",
                                        "-dryrun", NULL};
    static const char *const debug[] = {"-G", "--device-debug", NULL};
    static const char *const rdc[] = {"-rdc=true",
                                      "--relocatable-device-code=true", "-dc",
                                      "--device-c", NULL};
    static const char *const output[] = {"-o", "--output-file", NULL};
    const char *word = argv[0], *value = value_of(word, arch, argv);
    int n = tc_nvcc_word(word) == 2 && argv[1] != NULL ? 2 : 1;
    if (value != NULL) {
        take_arch(d, value);
        return strchr(word, '=') == NULL && argv[1] != NULL ? 2 : 1;
    }
    d->mode = mode_of(word, d->mode);
    d->shows |= is_any(word, shows);
    d->debug |= is_any(word, debug);
    d->rdc |= is_any(word, rdc) || (n == 2 && strcmp(word, "-rdc") == 0 &&
                                    strcmp(argv[1], "true") == 0);
    value = value_of(word, output, argv);
    d->output = value != NULL ? value : d->output;
    if (word[0] != '-') {
        take_plain(d, word);
    }
    for (int i = 0; i < n; i++) {
        push(d, &d->words, argv[i]);
    }
    return n;
}

/* Words of a text, with quotes as nvcc takes them. */
static void split_words(driver *d, const char *p, tc_words *out) {
    tc_buf one = TC_BUF_INIT;
    char quote = '\0';
    bool any = false;
    for (;; p++) {
        bool blank = *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r';
        if (*p == '\0' || (blank && quote == '\0')) {
            if (any) {
                push(d, out, tc_strdup(d->a, tc_buf_text(&one)));
            }
            tc_buf_clear(&one);
            any = false;
            if (*p == '\0') {
                break;
            }
        } else if (*p == quote || (quote == '\0' && strchr("\"'", *p))) {
            quote = quote == '\0' ? *p : '\0';
            any = true;
        } else {
            tc_buf_putc(&one, *p);
            any = true;
        }
    }
    tc_buf_free(&one);
}

/* The command line with the words of --options-file in their place. */
static tc_words expand(driver *d, int argc, char **argv) {
    static const char *const names[] = {"--options-file", "-optf", NULL};
    tc_words all = {0};
    for (int i = 0; i < argc; i++) {
        const char *path = value_of(argv[i], names, argv + i);
        size_t n = 0;
        if (path == NULL) {
            push(d, &all, argv[i]);
            continue;
        }
        i += strchr(argv[i], '=') == NULL && argv[i + 1] != NULL;
        const char *text = tc_read_file(d->a, path, &n);
        split_words(d, text != NULL ? text : "", &all);
    }
    push(d, &all, NULL);
    all.n--;
    return all;
}

/* --- nvcc ------------------------------------------------------------------*/

/* nvcc speaks of its own folder: build systems are to know ours. */
static void show(const driver *d, const char *said) {
    const char *top = tc_shadow_top(d->a, d->t);
    const char *bin = tc_format(d->a, "%s/bin/..", top);
    for (const char *p = said; *p != '\0';) {
        size_t n = strncmp(p, bin, strlen(bin)) == 0   ? strlen(bin)
                   : strncmp(p, top, strlen(top)) == 0 ? strlen(top)
                                                       : 0;
        if (n > 0) {
            fputs(d->shadow, stderr);
            p += n;
        } else {
            fputc(*p++, stderr);
        }
    }
}

static int run(driver *d, tc_words *w) {
    tc_buf out = TC_BUF_INIT, err = TC_BUF_INIT;
    push(d, w, NULL);
    tc_tool_process p = {.argv = w->w, .out = &out, .err = &err};
    int status = tc_tool_run(&p);
    fputs(tc_buf_text(&out), stdout);
    if (d->shows) {
        show(d, tc_buf_text(&err));
    } else {
        fputs(tc_buf_text(&err), stderr);
    }
    tc_buf_free(&out);
    tc_buf_free(&err);
    return status < 0 ? fails("nvcc cannot be run", NULL) : status;
}

/* The words of a compilation, before those of the command line. */
static void begin(driver *d, tc_words *w) {
    const char *arch = d->arch != NULL ? d->arch : "90a";
    push(d, w, d->t->nvcc);
    push(d, w, tc_format(d->a, "-arch=compute_%s", arch));
    push(d, w, tc_format(d->a, "-code=compute_%s", arch));
    push(d, w, "--no-compress");
    if (!d->debug) {
        push(d, w, "-lineinfo");
    }
    const char *const *p = tc_removed_names(d->t);
    for (; *p != NULL; p++) {
        push(d, w, *p);
    }
    push(d, w, "-include");
    push(d, w, tc_format(d->a, "%s/" TC_SHADOW_HEADER, d->shadow));
    push(d, w, "-g");
    push(d, w, "-Xcompiler");
    push(d, w, "-fno-optimize-sibling-calls");
}

static void rest(driver *d, tc_words *w, bool sources) {
    for (int i = 0; i < d->words.n; i++) {
        bool source = false;
        for (int k = 0; k < d->sources.n; k++) {
            source |= d->sources.w[k] == d->words.w[i];
        }
        if (sources || !source) {
            push(d, w, d->words.w[i]);
        }
    }
}

static int compile(driver *d) {
    tc_words w = {0};
    begin(d, &w);
    rest(d, &w, true);
    return run(d, &w);
}

static int pass(driver *d, char **argv) {
    tc_words w = {0};
    push(d, &w, d->t->nvcc);
    for (; *argv != NULL; argv++) {
        push(d, &w, *argv);
    }
    return run(d, &w);
}

/* --- linking ---------------------------------------------------------------*/

static bool make_work(driver *d) {
    d->work = d->work != NULL ? d->work : tc_temporary(d->a);
    return d->work != NULL;
}

/* The names that the objects want and none of them has from a device link. */
static tc_words wanted(driver *d) {
    tc_words names = {0}, left = {0};
    for (int i = 0; i < d->objects.n; i++) {
        size_t n = 0;
        const char *bytes = tc_read_file(d->a, d->objects.w[i], &n);
        if (bytes != NULL) {
            tc_linked_names(d->a, bytes, n, &names);
        }
    }
    for (int k = 0; k < names.n; k++) {
        const char *mark = tc_format(d->a, "tilecopy links %s;", names.w[k]);
        bool has = false;
        for (int i = 0; i < d->objects.n && !has; i++) {
            size_t n = 0;
            const char *bytes = tc_read_file(d->a, d->objects.w[i], &n);
            has = bytes != NULL && memmem(bytes, n, mark, strlen(mark)) != NULL;
        }
        if (!has) {
            push(d, &left, names.w[k]);
        }
    }
    return left;
}

/* Makes the object that defines the names. */
static int define(driver *d, const tc_words *names, const char *object) {
    tc_buf b = TC_BUF_INIT;
    const char *source;
    tc_buf_puts(&b,
                "extern \"C\" {\ntypedef void (*A)(void **), (*B)(void *);\n"
                "void tc_stub_register_linked(A, void *, void *, B);\n");
    for (int i = 0; i < names->n; i++) {
        tc_buf_printf(&b,
                      "void %s(A a, void *f, void *i, B b) "
                      "{ tc_stub_register_linked(a, f, i, b); }\n",
                      names->w[i]);
        tc_buf_printf(&b,
                      "__attribute__((used)) static const char m%d[] = "
                      "\"tilecopy links %s;\";\n",
                      i, names->w[i]);
    }
    tc_buf_puts(&b, "}\n");
    bool ok = make_work(d);
    source = ok ? tc_format(d->a, "%s/linked.cpp", d->work) : "";
    ok = ok && tc_write_file(source, b.data, b.len, 0600);
    tc_buf_free(&b);
    if (!ok) {
        return fails(strerror(errno), NULL);
    }
    const char *host = tc_in_path(d->a, "g++");
    tc_words w = {0};
    push(d, &w, host != NULL ? host : "g++");
    push(d, &w, "-O1");
    push(d, &w, "-fPIC");
    push(d, &w, "-c");
    push(d, &w, source);
    push(d, &w, "-o");
    push(d, &w, object);
    return run(d, &w);
}

static int device_link(driver *d) {
    tc_words names = wanted(d);
    if (d->shows) {
        return 0;
    }
    return define(d, &names, d->output != NULL ? d->output : "a_dlink.o");
}

/* Sources of relocatable code are compiled first: their names are needed. */
static int compile_sources(driver *d) {
    int status = make_work(d) ? 0 : fails(strerror(errno), NULL);
    for (int i = 0; i < d->sources.n && status == 0; i++) {
        tc_words w = {0};
        const char *object = tc_format(d->a, "%s/source%d.o", d->work, i);
        begin(d, &w);
        push(d, &w, "-c");
        for (int k = 0; k < d->words.n; k++) {
            const char *word = d->words.w[k];
            if (strcmp(word, "-o") == 0) {
                k++;
            } else if (word[0] == '-' ||
                       tc_source_kind_of(word) == TC_SOURCE_NONE) {
                push(d, &w, word);
            }
        }
        push(d, &w, d->sources.w[i]);
        push(d, &w, "-o");
        push(d, &w, object);
        status = run(d, &w);
        push(d, &d->objects, object);
    }
    return status;
}

static int link_program(driver *d) {
    bool apart = d->rdc && d->sources.n > 0 && !d->shows;
    int status = apart ? compile_sources(d) : 0;
    tc_words names = wanted(d), w = {0};
    const char *object = NULL;
    if (status == 0 && names.n > 0 && !d->shows && make_work(d)) {
        object = tc_format(d->a, "%s/linked.o", d->work);
        status = define(d, &names, object);
    }
    if (status != 0) {
        return status;
    }
    begin(d, &w);
    if (!d->shows) {
        push(d, &w, "-nodlink");
    }
    rest(d, &w, !apart);
    for (int i = 0; apart && i < d->sources.n; i++) {
        push(d, &w, tc_format(d->a, "%s/source%d.o", d->work, i));
    }
    if (object != NULL) {
        push(d, &w, object);
    }
    push(d, &w, "-L");
    push(d, &w, tc_format(d->a, "%s/lib64", d->shadow));
    return run(d, &w);
}

/* --- the command -----------------------------------------------------------*/

static int work(driver *d, char **argv) {
    if (d->mode == LINK && d->objects.n + d->sources.n == 0) {
        d->mode = PASS;
    }
    switch (d->mode) {
    case PASS:
        return pass(d, argv);
    case COMPILE:
        return compile(d);
    case DEVICE_LINK:
        return device_link(d);
    case LINK:
        break;
    }
    return link_program(d);
}

int tc_nvcc_main(int argc, char **argv) {
    const char *why = "", *hint = NULL;
    driver d = {.a = tc_arena_new(), .mode = LINK};
    int status;
    d.t = tc_toolchain_find(d.a, &why, &hint);
    d.shadow = d.t != NULL ? tc_shadow_toolkit(d.a, d.t, &why) : NULL;
    if (d.shadow == NULL) {
        status = fails(why, hint);
    } else if (argc > 0 && strcmp(argv[0], "--toolkit") == 0) {
        status = puts(d.shadow) >= 0 ? 0 : 1;
    } else {
        tc_words all = expand(&d, argc, argv);
        char **words = (char **)(uintptr_t)all.w;
        for (int i = 0; i < all.n;) {
            i += take_word(&d, words + i);
        }
        status = work(&d, words);
    }
    if (d.work != NULL) {
        tc_remove_tree(d.work);
    }
    tc_arena_free(d.a);
    return status;
}
