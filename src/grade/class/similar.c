/* similar.c - tokens, their fingerprints, and what submissions have of them in
 * common. */
#include "grade/class/similar.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens ---- */

typedef struct token {
    uint64_t value;
    int line;
} token;

typedef struct token_reader {
    tc_arena *a;
    const char *p, *end;
    int line;
    bool python;
    token *all;
    int n, cap;
} token_reader;

static uint64_t hash(const char *s, size_t n) {
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < n; i++) {
        h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

static void add(token_reader *r, const char *s, size_t n) {
    token t = {hash(s, n), r->line};
    TC_PUSH(r->a, r->all, r->n, r->cap, t);
}

/* To the next c; a backslash takes what follows with it. */
static void skip_past(token_reader *r, char c) {
    while (r->p < r->end && *r->p != c) {
        r->p += *r->p == '\\' && r->p + 1 < r->end ? 2 : 1;
    }
    r->p += r->p < r->end;
}

static void skip_line(token_reader *r) {
    while (r->p < r->end && *r->p != '\n') {
        r->line += *r->p == '\\' && r->p + 1 < r->end && r->p[1] == '\n';
        r->p += *r->p == '\\' && r->p + 1 < r->end ? 2 : 1;
    }
    r->p = r->p < r->end ? r->p : r->end;
}

static void skip_comment(token_reader *r) {
    for (r->p += 2; r->p + 1 < r->end && memcmp(r->p, "*/", 2) != 0; r->p++) {
        r->line += *r->p == '\n';
    }
    r->p = r->p + 2 < r->end ? r->p + 2 : r->end;
}

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* What nobody can rename: the languages' and CUDA's words. */
static bool is_fixed(const char *s, size_t n) {
    static const char *const words[] = {
        "for",     "while",    "if",     "else",      "do",        "return",
        "break",   "continue", "switch", "case",      "template",  "typename",
        "struct",  "class",    "const",  "static",    "constexpr", "auto",
        "void",    "int",      "float",  "double",    "unsigned",  "char",
        "bool",    "size_t",   "extern", "threadIdx", "blockIdx",  "blockDim",
        "gridDim", "dim3",     "float4", "float2",    "fmaxf",     "fminf",
        "max",     "min",      "def",    "range",     "with",      "lambda",
        "inline",  "sizeof",   "asm",    "volatile"};
    if (n > 2 &&
        (memcmp(s, "__", 2) == 0 || (n > 4 && memcmp(s, "cuda", 4) == 0))) {
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0) {
            return true;
        }
    }
    return false;
}

static void read_word(token_reader *r) {
    const char *from = r->p;
    bool number = isdigit((unsigned char)*from);
    while (r->p < r->end &&
           (in_word(*r->p) || (number && (*r->p == '.' || *r->p == '\'')))) {
        r->p++;
    }
    size_t n = (size_t)(r->p - from);
    if (number || !is_fixed(from, n)) {
        add(r, number ? "0" : "x", 1);
    } else {
        add(r, from, n);
    }
}

/* What stands for nothing: blanks, comments, #include. False: a token begins. */
static bool skip(token_reader *r) {
    char c = *r->p;
    bool two = r->p + 1 < r->end;
    if (isspace((unsigned char)c)) {
        r->line += c == '\n';
        r->p++;
    } else if (r->python ? c == '#' : two && memcmp(r->p, "//", 2) == 0) {
        skip_line(r);
    } else if (!r->python && two && memcmp(r->p, "/*", 2) == 0) {
        skip_comment(r);
    } else if (!r->python && c == '#') {
        const char *word = r->p + 1;
        word += strspn(word, " \t");
        if (strncmp(word, "define", 6) == 0) {
            r->p++;
        } else {
            skip_line(r);
        }
    } else {
        return false;
    }
    return true;
}

static void read_tokens(token_reader *r) {
    while (r->p < r->end) {
        if (skip(r)) {
            continue;
        }
        char c = *r->p;
        if (in_word(c)) {
            read_word(r);
        } else if (c == '"' || c == '\'') {
            r->p++;
            skip_past(r, c);
            add(r, "\"", 1);
        } else {
            add(r, &c, 1);
            r->p++;
        }
    }
}

/* ---- fingerprints ---- */

static int by_value(const void *a, const void *b) {
    const struct tc_print *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1)
                                : x->line - y->line;
}

static uint64_t gram(const token *t) {
    uint64_t h = 0;
    for (int i = 0; i < TC_SIMILAR_GRAM; i++) {
        h = (h ^ t[i].value) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return h;
}

/* Equal values once; in order. */
static tc_prints in_order(struct tc_print *all, int n) {
    int kept = 0;
    if (n > 0) {
        qsort(all, (size_t)n, sizeof *all, by_value);
    }
    for (int i = 0; i < n; i++) {
        if (kept == 0 || all[kept - 1].value != all[i].value) {
            all[kept++] = all[i];
        }
    }
    return (tc_prints){all, kept};
}

tc_prints tc_similar_prints(tc_arena *a, const char *text, size_t n,
                            bool python) {
    token_reader r = {
        .a = a, .p = text, .end = text + n, .line = 1, .python = python};
    read_tokens(&r);
    int grams = r.n - TC_SIMILAR_GRAM + 1, kept = 0, last = -1;
    if (grams <= 0) {
        return (tc_prints){NULL, 0};
    }
    uint64_t *h = TC_NEWN(a, uint64_t, grams);
    struct tc_print *all = TC_NEWN(a, struct tc_print, grams);
    for (int i = 0; i < grams; i++) {
        h[i] = gram(&r.all[i]);
    }
    /* Of each window the least, the last of equal ones. */
    for (int from = 0; from + TC_SIMILAR_WINDOW <= grams || from == 0; from++) {
        int least = from;
        for (int i = from; i < grams && i < from + TC_SIMILAR_WINDOW; i++) {
            least = h[i] <= h[least] ? i : least;
        }
        if (least != last) {
            all[kept++] = (struct tc_print){h[least], r.all[least].line};
            last = least;
        }
    }
    return in_order(all, kept);
}

/* ---- what is everybody's ---- */

static bool has(const tc_prints *p, uint64_t value) {
    struct tc_print key = {value, 0};
    int from = 0, to = p->n;
    while (from < to) {
        int mid = (from + to) / 2;
        if (p->all[mid].value == key.value) {
            return true;
        }
        if (p->all[mid].value < key.value) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    return false;
}

typedef struct similar_search {
    tc_arena *a;
    tc_prints *own; /* a submission: without what was given */
    int n;
    int *group; /* a submission: the first of those that are alike */
} similar_search;

static tc_prints without(tc_arena *a, const tc_prints *p,
                         const tc_prints *given, int ngiven) {
    tc_prints out = {TC_NEWN(a, struct tc_print, p->n + 1), 0};
    for (int i = 0; i < p->n; i++) {
        bool is = false;
        for (int g = 0; g < ngiven && !is; g++) {
            is = has(&given[g], p->all[i].value);
        }
        if (!is) {
            out.all[out.n++] = p->all[i];
        }
    }
    return out;
}

/* How two have their fingerprints in common. */
static tc_similar compare(const tc_prints *x, const tc_prints *y) {
    tc_similar s = {0};
    for (int i = 0, j = 0; i < x->n && j < y->n;) {
        const struct tc_print *p = &x->all[i], *q = &y->all[j];
        if (p->value == q->value) {
            bool first = s.common++ == 0;
            s.left_first =
                first || p->line < s.left_first ? p->line : s.left_first;
            s.left_last = p->line > s.left_last ? p->line : s.left_last;
            s.right_first =
                first || q->line < s.right_first ? q->line : s.right_first;
            s.right_last = q->line > s.right_last ? q->line : s.right_last;
        }
        i += p->value <= q->value;
        j += q->value <= p->value;
    }
    int least = x->n < y->n ? x->n : y->n;
    s.percent = least > 0 ? 100 * s.common / least : 0;
    return s;
}

static bool alike(const tc_similar *s) {
    return s->common >= TC_SIMILAR_LEAST && s->percent >= TC_SIMILAR_PERCENT;
}

/* Copies of one submission are one group, however many they are: what they
 * have is not everybody's for that. */
static void make_groups(similar_search *f) {
    for (int i = 0; i < f->n; i++) {
        f->group[i] = i;
        for (int k = 0; k < i; k++) {
            tc_similar s = compare(&f->own[k], &f->own[i]);
            if (f->group[k] == k && alike(&s)) {
                f->group[i] = k;
                break;
            }
        }
    }
}

typedef struct use {
    uint64_t value;
    int group;
} use;

static int by_use(const void *a, const void *b) {
    const use *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1)
                                : x->group - y->group;
}

/* The fingerprints of more than TC_SIMILAR_COMMON groups. */
static tc_prints everybodys(similar_search *f) {
    int all = 0, n = 0, kept = 0;
    for (int i = 0; i < f->n; i++) {
        all += f->own[i].n;
    }
    use *uses = TC_NEWN(f->a, use, all + 1);
    struct tc_print *out = TC_NEWN(f->a, struct tc_print, all + 1);
    for (int i = 0; i < f->n; i++) {
        for (int k = 0; k < f->own[i].n; k++) {
            uses[n++] = (use){f->own[i].all[k].value, f->group[i]};
        }
    }
    qsort(uses, (size_t)n, sizeof *uses, by_use);
    for (int i = 0, groups = 0; i < n; i++) {
        bool same = i > 0 && uses[i].value == uses[i - 1].value;
        groups = !same ? 1 : groups + (uses[i].group != uses[i - 1].group);
        bool last = i + 1 == n || uses[i + 1].value != uses[i].value;
        if (last && groups > TC_SIMILAR_COMMON) {
            out[kept++] = (struct tc_print){uses[i].value, 0};
        }
    }
    return (tc_prints){out, kept};
}

/* ---- pairs ---- */

static int by_likeness(const void *a, const void *b) {
    const tc_similar *x = a, *y = b;
    return x->percent != y->percent ? y->percent - x->percent
           : x->left != y->left     ? x->left - y->left
                                    : x->right - y->right;
}

tc_similar *tc_similar_find(tc_arena *a, const tc_prints *all, int n,
                            const tc_prints *given, int ngiven, int *npairs) {
    similar_search f = {a, TC_NEWN(a, tc_prints, n + 1), n,
                        TC_NEWN(a, int, n + 1)};
    tc_similar *pairs = NULL;
    int cap = 0;
    *npairs = 0;
    for (int i = 0; i < n; i++) {
        f.own[i] = without(a, &all[i], given, ngiven);
    }
    make_groups(&f);
    tc_prints common = everybodys(&f);
    for (int i = 0; i < n; i++) {
        f.own[i] = without(a, &f.own[i], &common, 1);
    }
    for (int i = 0; i < n; i++) {
        for (int k = i + 1; k < n; k++) {
            tc_similar s = compare(&f.own[i], &f.own[k]);
            s.left = i;
            s.right = k;
            if (alike(&s)) {
                TC_PUSH(a, pairs, *npairs, cap, s);
            }
        }
    }
    if (*npairs > 0) {
        qsort(pairs, (size_t)*npairs, sizeof *pairs, by_likeness);
    }
    return pairs;
}
