/* Findings in CUDA programs, in the learner's terms. tests/messages holds small
 * .cu files and the PTX that nvcc made of each (make.sh there). A file says how
 * its kernel is launched and what must be found, by hand from CUDA's documents:
 *     // @launch KERNEL GRID BLOCK ARG...
 *     ... code ...  // @finding KIND|KIND    a finding of this line
 *     ... code ...  // @cause                its cause
 *     // @at FILE:LINE KIND    the finding, where it is in another file
 *     // @message TEXT    all of the finding's message, blanks made one
 *     // @missing TEXT    all of what is missing
 *     // @object TEXT
 *     // @shows TEXT      the finding as text has this line, as it is
 * WORDS= the beginning of a name runs those alone, and prints what was said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explain/finding.h"
#include "explain/finding_cuda.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 5 };

static const char folder[] = "tests/messages";

typedef struct program {
    const char *name, *launch, *kinds, *file;
    int line, cause;
    tc_source *cu, *ptx;
} program;

static char *read_all(tc_arena *a, const char *path) {
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        return NULL;
    }
    tc_buf b = TC_BUF_INIT;
    int c;
    while ((c = getc(f)) != EOF) {
        tc_buf_putc(&b, (char)c);
    }
    fclose(f);
    char *text = tc_strndup(a, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
    return text;
}

static tc_source *source_of(tc_arena *a, const char *name, const char *ext) {
    tc_source *s = TC_NEW(a, tc_source);
    s->name = tc_format(a, "%s/%s%s", folder, name, ext);
    s->text = read_all(a, s->name);
    s->len = s->text != NULL ? strlen(s->text) : 0;
    s->first_line = 1;
    return s;
}

/* What stands behind a key in a line, or NULL. */
static const char *behind(tc_arena *a, const char *line, size_t n,
                          const char *key) {
    const char *whole = tc_strndup(a, line, n), *at = strstr(whole, key);
    bool other = strncmp(whole, "// @", 4) == 0 && at != whole;
    return at != NULL && !other ? at + strlen(key) : NULL;
}

/* Calls fn with what stands behind every such key. */
static void each(tc_arena *a, const char *text, const char *key,
                 void (*fn)(void *user, int line, const char *rest),
                 void *user) {
    int number = 1;
    for (const char *p = text; *p != '\0'; number++) {
        size_t n = strcspn(p, "\n");
        const char *rest = behind(a, p, n, key);
        if (rest != NULL) {
            fn(user, number, rest);
        }
        p += n + (p[n] == '\n');
    }
}

static void take_launch(void *user, int line, const char *rest) {
    (void)line;
    ((program *)user)->launch = rest;
}

static void take_finding(void *user, int line, const char *rest) {
    ((program *)user)->line = line;
    ((program *)user)->kinds = rest;
}

static void take_at(void *user, int line, const char *rest) {
    program *p = user;
    (void)line;
    p->file = rest;
    p->line = atoi(strchr(rest, ':') + 1);
    p->kinds = strchr(rest, ' ') + 1;
}

static void take_cause(void *user, int line, const char *rest) {
    (void)rest;
    ((program *)user)->cause = line;
}

static bool is_one_of(const char *kinds, const char *kind) {
    size_t n = strlen(kind);
    for (const char *p = kinds; p != NULL; p = strchr(p, '|')) {
        p += *p == '|';
        if (strncmp(p, kind, n) == 0 && strchr("|", p[n]) != NULL) {
            return true;
        }
    }
    return false;
}

static void on_output(void *user, const char *text, size_t len) {
    tc_buf_write(user, text, len);
}

static void on_diag(void *user, const tc_diag *d) {
    (void)user;
    print_error("%s:%d: %s\n", d->file ? d->file : "", d->line, d->message);
}

static tc_session *running;

static void on_alarm(int sig) {
    (void)sig;
    tc_session_interrupt(running, true);
}

/* The findings of a program: as JSON, or as text. */
static void launch(const program *p, bool json, tc_buf *out) {
    tc_options o = tc_options_default();
    o.json = json;
    tc_session *s = tc_session_new(&o, on_diag, on_output, out);
    tc_arena *a = tc_arena_new();
    tc_loaded *f = tc_loaded_cuda(s, a, p->ptx, p->cu, "/cuda/include");
    assert_non_null(f);
    tc_loaded_retain(s, f);
    tc_buf command = TC_BUF_INIT;
    tc_buf_printf(&command, "launch %s", p->launch);
    running = s;
    signal(SIGALRM, on_alarm);
    alarm(LIMIT_S);
    tc_session_eval(s, tc_buf_text(&command));
    alarm(0);
    tc_buf_free(&command);
    tc_session_free(s);
}

typedef struct judged {
    const program *p;
    const json_t *finding;
    const char *key, *text;
    int failed, seen;
} judged;

static void check_member(void *user, int line, const char *rest) {
    judged *j = user;
    (void)line;
    const json_t *from = strcmp(j->key, "missing") == 0
                             ? json_object_get(j->finding, "cause")
                             : j->finding;
    const char *is = json_string_value(json_object_get(from, j->key));
    j->seen++;
    if (is == NULL || strcmp(is, rest) != 0) {
        print_error("%s: %s:\n  expected %s\n  got      %s\n", j->p->name,
                    j->key, rest, is != NULL ? is : "none");
        j->failed++;
    }
}

static void check_shown(void *user, int line, const char *rest) {
    judged *j = user;
    (void)line;
    j->seen++;
    for (const char *at = j->text; (at = strstr(at, rest)) != NULL; at++) {
        if ((at == j->text || at[-1] == '\n') && at[strlen(rest)] == '\n') {
            return;
        }
    }
    print_error("%s: no line '%s'\n", j->p->name, rest);
    j->failed++;
}

static int judge_place(const program *p, const json_t *f) {
    const char *kind = json_string_value(json_object_get(f, "kind"));
    int line = (int)json_integer_value(json_object_get(f, "line"));
    int cause = (int)json_integer_value(
        json_object_get(json_object_get(f, "cause"), "line"));
    const char *file = json_string_value(json_object_get(f, "file"));
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (p->file != NULL && strncmp(p->file, base, strlen(base)) != 0) {
        print_error("%s: in %s, not in %s\n", p->name, file, p->file);
        return 1;
    }
    if (!is_one_of(p->kinds, kind) || line != p->line ||
        (p->cause != 0 && cause != p->cause)) {
        print_error("%s: %s at %d, cause %d; expected %s at %d, cause %d\n",
                    p->name, kind, line, cause, p->kinds, p->line, p->cause);
        return 1;
    }
    return 0;
}

static int check(const char *name, bool aloud) {
    tc_arena *a = tc_arena_new();
    program p = {.name = name, .kinds = ""};
    p.cu = source_of(a, name, ".cu");
    p.ptx = source_of(a, name, ".ptx");
    assert_non_null(p.cu->text);
    assert_non_null(p.ptx->text);
    each(a, p.cu->text, "// @launch ", take_launch, &p);
    each(a, p.cu->text, "// @finding ", take_finding, &p);
    each(a, p.cu->text, "// @at ", take_at, &p);
    each(a, p.cu->text, "// @cause", take_cause, &p);
    tc_buf json = TC_BUF_INIT, text = TC_BUF_INIT;
    launch(&p, true, &json);
    launch(&p, false, &text);
    if (aloud) {
        printf("== %s\n%s%s\n", name, tc_buf_text(&text), tc_buf_text(&json));
        fflush(stdout);
    }
    json_t *reply = json_loads(tc_buf_text(&json), 0, NULL);
    const json_t *findings = json_object_get(reply, "findings");
    judged j = {.p = &p, .text = tc_buf_text(&text)};
    j.finding = json_array_get(findings, 0);
    if (json_array_size(findings) != 1) {
        print_error("%s: %zu findings\n", name, json_array_size(findings));
        j.failed++;
    } else {
        j.failed += judge_place(&p, j.finding);
        j.key = "message";
        each(a, p.cu->text, "// @message ", check_member, &j);
        j.key = "missing";
        each(a, p.cu->text, "// @missing ", check_member, &j);
        j.key = "object";
        each(a, p.cu->text, "// @object ", check_member, &j);
        each(a, p.cu->text, "// @shows ", check_shown, &j);
        if (j.seen == 0) {
            print_error("%s: expects no words\n", name);
            j.failed++;
        }
    }
    json_decref(reply);
    tc_buf_free(&json);
    tc_buf_free(&text);
    tc_arena_free(a);
    return j.failed;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void programs(void **state) {
    (void)state;
    const char *only = getenv("WORDS");
    DIR *d = opendir(folder);
    assert_non_null(d);
    setenv("TILECOPY_PTXAS", "none", 1); /* who is first, by the PTX's clock */
    char *names[256];
    int n = 0, failed = 0;
    for (struct dirent *e; n < 256 && (e = readdir(d)) != NULL;) {
        size_t len = strlen(e->d_name);
        if (len > 3 && strcmp(e->d_name + len - 3, ".cu") == 0) {
            names[n++] = tc_xstrdup(e->d_name);
            names[n - 1][len - 3] = '\0';
        }
    }
    closedir(d);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        if (only == NULL || strncmp(names[i], only, strlen(only)) == 0) {
            failed += check(names[i], only != NULL);
        }
        free(names[i]);
    }
    assert_int_equal(failed, 0);
}

/* By hand from the Itanium C++ ABI, 5.1; the last are none of its names, or of
 * forms that are left alone. */
static void mangled(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"_Z5saxpyifPKfPf", "saxpy"},
        {"_Z5scaleIfLi2EEvPT_PKS0_i", "scale<float, 2>"},
        {"_Z1kIPKcEvT_", "k<...>"},
        {"_Z1kILb1ELin3EEvv", "k<true, -3>"},
        {"_ZN3lab4tile4loadEPf", "lab::tile::load"},
        {"_ZN3lab1kIdEEvT_", "lab::k<double>"},
        {"_ZL6kernelPi", "kernel"},
        {"_ZZ1kPfPKfE1s", "s"},
        {"_ZZ1kPfPKfE3bar_0", "bar"},
        {"_ZZ1cIfLi64EEvPT_PKS0_E1s", "s"},
        {"_ZZN3lab1kEPfE4tile__12_", "tile"},
        {"_ZN12_GLOBAL__N_11kEPf", "(anonymous)::k"},
        {"saxpy", "saxpy"},
        {"_Z", "_Z"},
        {"_ZZ", "_ZZ"},
        {"_ZZE", "_ZZE"},
        {"_Z99x", "_Z99x"},
        {"_Z1kI", "k<...>"},
        {"_ZplRK1aS1_", "_ZplRK1aS1_"},
        {"_ZN", "_ZN"}};
    tc_arena *a = tc_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(tc_cuda_name(a, cases[i][0]), cases[i][1]);
    }
    assert_string_equal(tc_cuda_plain_text(a, "mbarrier _ZZ1kPfE3bar+8 (x)"),
                        "mbarrier bar+8 (x)");
    tc_arena_free(a);
}

/* Warps that wait alike have one line in CUDA's terms. */
static void waiters(void **state) {
    (void)state;
    static const tc_ptx_op op = {.line = 7};
    tc_waiter list[5] = {{0}};
    for (uint32_t i = 0; i < 5; i++) {
        list[i] = (tc_waiter){.cta = i / 4,
                              .warp = i,
                              .lanes = i < 3 ? UINT32_MAX : 2,
                              .op = &op};
    }
    const tc_wait_list all = {.list = list, .n = 5, .more = 3};
    tc_arena *a = tc_arena_new();
    tc_buf b = TC_BUF_INIT;
    tc_waiters_text(&all, true, a, &b);
    assert_string_equal(tc_buf_text(&b),
                        "block 0, warps 0-2, all lanes: at line 7\n"
                        "block 0, warp 3, lane 1: at line 7\n"
                        "block 1, warp 4, lane 1: at line 7\nand 3 more\n");
    tc_buf_clear(&b);
    tc_waiter_text(&all, false, a, &b);
    assert_string_equal(tc_buf_text(&b), "CTA 0, warp 0, all lanes: at line 7");
    tc_buf_free(&b);
    tc_arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs),
                                       cmocka_unit_test(mangled),
                                       cmocka_unit_test(waiters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
