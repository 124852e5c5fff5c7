/* finding_detail.c - the details of a finding, and who waits for what. */
#include "explain/finding.h"

/* --- details ---------------------------------------------------------------*/

typedef struct detail_row {
    const char *text, *cuda;
} detail_row;

static const detail_row rows[TC_DETAIL_COUNT] = {
#define TC_DETAIL(id, text, cuda) {text, cuda},
#include "sim/findings.def"
};

/* tc_sentence.user of a detail. */
typedef struct teller {
    bool cuda;
    tc_arena *arena;
} teller;

static const char *block_word(bool cuda) {
    return cuda ? "block" : "CTA";
}

static const char *plain(bool cuda, tc_arena *a, const char *text) {
    return cuda ? tc_cuda_plain_text(a, text) : text;
}

#define FIELD(name)                                                            \
    static void name##_field(const tc_sentence *x, const tc_access *side,      \
                             tc_buf *b)
#define NUMBER(name)                                                           \
    FIELD(name) {                                                              \
        (void)side;                                                            \
        tc_buf_printf(b, "%u", x->finding->detail.name);                       \
    }
#define TEXT(name)                                                             \
    FIELD(name) {                                                              \
        const teller *t = x->user;                                             \
        const char *text = x->finding->detail.name;                            \
        (void)side;                                                            \
        tc_buf_puts(b, text ? plain(t->cuda, t->arena, text) : "");            \
    }

NUMBER(id)
NUMBER(count)
NUMBER(wanted)
NUMBER(line)
TEXT(function)
TEXT(expression)
TEXT(file)
TEXT(why)

FIELD(block) {
    const teller *t = x->user;
    (void)side;
    tc_buf_puts(b, block_word(t->cuda));
}

static const tc_field list[] = {
    {"id", id_field},         {"count", count_field},
    {"wanted", wanted_field}, {"line", line_field},
    {"file", file_field},     {"function", function_field},
    {"why", why_field},       {"expression", expression_field},
    {"CTA", block_field}};
static const tc_fields fields = {list, sizeof list / sizeof *list};

const tc_fields *tc_detail_fields(void) {
    return &fields;
}

const char *tc_detail_template(tc_detail_id detail) {
    return rows[detail].text;
}

const char *tc_detail_message(tc_detail_id detail) {
    return rows[detail].cuda;
}

void tc_detail_text(const tc_finding *f, bool cuda, tc_arena *a, tc_buf *b) {
    teller t = {cuda, a};
    tc_sentence x = {.finding = f, .user = &t};
    tc_template_fill(rows[f->detail.row].text, &fields, &x, b);
}

/* --- a waiter --------------------------------------------------------------*/

enum { LANES = 32 };

static int count_of(uint32_t mask) {
    int n = 0;
    for (; mask != 0; mask &= mask - 1) {
        n++;
    }
    return n;
}

/* "all lanes", "lane 3", "lanes 0-7, 9". */
static void put_lanes(uint32_t mask, tc_buf *b) {
    const char *sep = "";
    if (mask == UINT32_MAX) {
        tc_buf_puts(b, "all lanes");
        return;
    }
    tc_buf_puts(b, count_of(mask) == 1 ? "lane " : "lanes ");
    for (int i = 0; i < LANES; i++) {
        if (!(mask >> i & 1)) {
            continue;
        }
        int j = i;
        while (j + 1 < LANES && (mask >> (j + 1) & 1)) {
            j++;
        }
        tc_buf_printf(b, i == j ? "%s%d" : "%s%d-%d", sep, i, j);
        sep = ", ";
        i = j;
    }
}

/* The line of an op as the learner sees it: "line 7", "PTX line 30". */
static uint32_t line_of(const tc_ptx_op *op) {
    return op->line ? op->line : op->ptx_line;
}

static void put_line(const tc_ptx_op *op, tc_buf *b) {
    tc_buf_printf(b, "%s %u", op->line ? "line" : "PTX line", line_of(op));
}

static void put_bytes(const tc_waiter *w, tc_buf *b) {
    if (w->tx > 0) {
        tc_buf_printf(b, ", %d bytes that were announced", w->tx);
    } else if (w->tx < 0) {
        tc_buf_printf(b, ", the announcement of %d bytes", -w->tx);
    }
    if (w->tx != 0 && (w->announced != 0 || w->copied != 0)) {
        tc_buf_printf(b, " (%lld announced, %lld copied)",
                      (long long)w->announced, (long long)w->copied);
    }
}

static void put_absent(const tc_waiter *w, bool cuda, tc_buf *b) {
    const char *sep = "; not yet here, as in the phase before: ";
    for (int i = 0; i < w->nabsent; i++) {
        const tc_wait_lanes *a = &w->absent[i];
        tc_buf_printf(b, "%s%s %u, warp %u, ", sep, block_word(cuda), a->cta,
                      a->warp);
        put_lanes(a->lanes, b);
        tc_buf_puts(b, a->ended ? " (ended)" : "");
        sep = "; ";
    }
}

/* "bar+8": the variable that holds the offset, if there is one. */
static void put_object(const tc_waiter *w, bool cuda, tc_arena *a, tc_buf *b) {
    if (w->object == NULL) {
        tc_buf_printf(b, "at offset %u of shared memory", w->offset);
        return;
    }
    tc_buf_puts(b, plain(cuda, a, w->object->name));
    if (w->offset != 0) {
        tc_buf_printf(b, "+%u", w->offset);
    }
}

static void put_mbarrier(const tc_waiter *w, bool cuda, tc_arena *a,
                         tc_buf *b) {
    tc_buf_puts(b, ": mbarrier ");
    put_object(w, cuda, a, b);
    tc_buf_puts(b, " (");
    put_line(w->op, b);
    tc_buf_printf(b, "), phase %u, ", w->phase);
    if (!w->live) {
        tc_buf_puts(b, "which is invalidated");
    } else if (w->phase != w->current) {
        tc_buf_printf(b, "which is in phase %u", w->current);
    } else {
        tc_buf_printf(b, "where %u of %u arrivals are missing", w->pending,
                      w->expected);
        put_bytes(w, b);
        put_absent(w, cuda, b);
    }
}

static void put_barrier(const tc_waiter *w, bool cuda, tc_buf *b) {
    if (cuda && w->barrier == 0) {
        tc_buf_puts(b, ": the block's barrier (");
    } else {
        tc_buf_printf(b, ": barrier %u (", w->barrier);
    }
    put_line(w->op, b);
    tc_buf_printf(b, "), where %u of %u threads have arrived", w->arrived,
                  w->wanted);
}

static void put_cluster(const tc_waiter *w, bool cuda, tc_buf *b) {
    tc_buf_puts(b, cuda ? ": the cluster's barrier ("
                        : ": barrier.cluster.wait (");
    put_line(w->op, b);
    tc_buf_printf(b, "), where %u of the cluster's %u threads have arrived",
                  w->arrived, w->wanted);
}

/* What it waits for. stuck: nobody can go on, so who waits for nothing loops.
 */
static void put_wait(const tc_waiter *w, bool stuck, bool cuda, tc_arena *a,
                     tc_buf *b) {
    switch (w->what) {
    case TC_WAIT_NONE:
        tc_buf_puts(b, stuck ? ": loops at " : ": at ");
        put_line(w->op, b);
        tc_buf_puts(b, stuck ? ", and nothing is left that could change what "
                               "it tests"
                             : "");
        break;
    case TC_WAIT_MBARRIER:
        put_mbarrier(w, cuda, a, b);
        break;
    case TC_WAIT_BARRIER:
        put_barrier(w, cuda, b);
        break;
    case TC_WAIT_CLUSTER:
        put_cluster(w, cuda, b);
        break;
    case TC_WAIT_WARP:
        tc_buf_printf(b, ": %s (", tc_ptx_ops[w->op->opcode].name);
        put_line(w->op, b);
        tc_buf_puts(b, ") for ");
        put_lanes(w->need, b);
        break;
    case TC_WAIT_TENSOR:
        tc_buf_puts(b, ": tcgen05.alloc (");
        put_line(w->op, b);
        tc_buf_printf(b,
                      "), where not enough columns of tensor memory are free, "
                      "or the other %s of the pair has not come",
                      block_word(cuda));
        break;
    }
}

/* Warps [w->warp, last] wait alike. */
static void put_waiter(const tc_waiter *w, uint32_t last, bool stuck, bool cuda,
                       tc_arena *a, tc_buf *b) {
    tc_buf_printf(b, "%s %u, ", block_word(cuda), w->cta);
    if (last > w->warp) {
        tc_buf_printf(b, "warps %u-%u, ", w->warp, last);
    } else {
        tc_buf_printf(b, "warp %u, ", w->warp);
    }
    put_lanes(w->lanes, b);
    put_wait(w, stuck, cuda, a, b);
}

void tc_waiter_text(const tc_wait_list *w, bool cuda, tc_arena *a, tc_buf *b) {
    if (w->n > 0) {
        put_waiter(&w->list[0], w->list[0].warp, w->stuck, cuda, a, b);
    }
}

/* --- all waiters -----------------------------------------------------------*/

static bool same_absent(const tc_waiter *a, const tc_waiter *b) {
    for (int i = 0; i < a->nabsent; i++) {
        const tc_wait_lanes *x = &a->absent[i], *y = &b->absent[i];
        if (x->cta != y->cta || x->warp != y->warp || x->lanes != y->lanes ||
            x->ended != y->ended) {
            return false;
        }
    }
    return true;
}

/* In all that is told of it but who it is. */
static bool waits_alike(const tc_waiter *a, const tc_waiter *b) {
    bool same_op = a->what != TC_WAIT_WARP || a->op->opcode == b->op->opcode;
    return a->what == b->what && a->lanes == b->lanes && same_op &&
           line_of(a->op) == line_of(b->op) && a->barrier == b->barrier &&
           a->arrived == b->arrived && a->wanted == b->wanted &&
           a->need == b->need && a->object == b->object &&
           a->offset == b->offset && a->phase == b->phase &&
           a->current == b->current && a->live == b->live &&
           a->pending == b->pending && a->expected == b->expected &&
           a->tx == b->tx && a->announced == b->announced &&
           a->copied == b->copied && a->nabsent == b->nabsent &&
           same_absent(a, b);
}

/* How many of the list from i on are the next warps of a CTA and wait alike. */
static int alike(const tc_wait_list *w, int i) {
    int n = 1;
    while (i + n < w->n && w->list[i + n].cta == w->list[i].cta &&
           w->list[i + n].warp == w->list[i].warp + (uint32_t)n &&
           waits_alike(&w->list[i], &w->list[i + n])) {
        n++;
    }
    return n;
}

static void put_reason(const tc_wait_list *w, tc_buf *b) {
    switch (w->reason) {
    case TC_REASON_NONE:
        break;
    case TC_REASON_PHASE:
        tc_buf_printf(b,
                      "phase %u is not the current one, %u, nor the one before "
                      "it\n",
                      w->phase, w->current);
        break;
    case TC_REASON_PARITY:
        tc_buf_printf(b,
                      "parity %u now names phase %u, in which nobody has "
                      "arrived; phase %u is over\n",
                      w->current & 1, w->current, w->current - 1);
        break;
    case TC_REASON_ALL_NEW:
        tc_buf_puts(b, "all of them are new: who is to go first waits for "
                       "parity 1, which passes at once on a new mbarrier\n");
        break;
    }
}

/* The waiter of the list at i, with those behind it that are told with it: how
 * many. */
static int put_group(const tc_wait_list *w, int i, bool cuda, tc_arena *a,
                     tc_buf *b) {
    int n = cuda ? alike(w, i) : 1;
    put_waiter(&w->list[i], w->list[i].warp + (uint32_t)n - 1, w->stuck, cuda,
               a, b);
    return n;
}

json_t *tc_waiters_json(const tc_wait_list *w, bool cuda, tc_arena *a) {
    json_t *all = json_array();
    for (int i = 0; i < w->n;) {
        tc_buf text = TC_BUF_INIT;
        i += put_group(w, i, cuda, a, &text);
        json_array_append_new(all, json_string(tc_buf_text(&text)));
        tc_buf_free(&text);
    }
    return all;
}

void tc_waiters_text(const tc_wait_list *w, bool cuda, tc_arena *a, tc_buf *b) {
    for (int i = 0; i < w->n;) {
        i += put_group(w, i, cuda, a, b);
        tc_buf_putc(b, '\n');
    }
    if (w->more > 0) {
        tc_buf_printf(b, "and %d more\n", w->more);
    }
    put_reason(w, b);
    if (w->unstarted > 0) {
        tc_buf_printf(b,
                      "%u more %ss cannot start before one of these %u ends: "
                      "the machine holds no more\n",
                      w->unstarted, block_word(cuda), w->running);
    }
}
