/* finding_cuda_missing.c - the line that is missing, in the words of the
 * library that the program uses. */
#include "explain/finding.h"
#include "explain/finding_cuda.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 32 };

/* What a finding's sides are calls of; and what it says of them. */
typedef struct missing {
    tc_session *s;
    const tc_finding *f;
    tc_buf *b;
    const char *text; /* of the program */
    tc_cuda_call at, cause, other;
    const tc_ptx_loc *here, *there; /* of at and cause, in one function if they
                                       can be had so; or NULL */
} missing;

static void look(missing *m, const tc_access *a, tc_cuda_call *c) {
    tc_last_run *run = m->s->program.run;
    *c = (tc_cuda_call){.family = TC_CUDA_FAMILY_LANGUAGE};
    if (a->valid && a->op != NULL) {
        tc_cuda_call_of(run->file, a->op, run->arena, c);
    }
}

/* The chain of the learner's places, the outermost first. */
static int chain_of(missing *m, const tc_access *a, const tc_ptx_loc **out) {
    const tc_loaded *f = m->s->program.run->file;
    const tc_ptx_loc *l =
        a->valid && a->op != NULL ? tc_cuda_location(f, a->op) : NULL;
    int n = 0;
    for (; l != NULL && n < DEEPEST; l = tc_cuda_caller(f, l)) {
        out[n++] = l;
    }
    for (int i = 0; i < n / 2; i++) {
        const tc_ptx_loc *t = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = t;
    }
    return n;
}

static bool same_place(const tc_ptx_loc *a, const tc_ptx_loc *b) {
    return a->line == b->line && a->col == b->col && a->file == b->file;
}

/* What is missing would stand in the innermost function that holds both. */
static void meet(missing *m) {
    const tc_ptx_loc *at[DEEPEST], *cause[DEEPEST];
    int n = chain_of(m, &m->f->at, at), k = chain_of(m, &m->f->cause, cause);
    int i = 0;
    while (i + 1 < n && i + 1 < k && same_place(at[i], cause[i])) {
        i++;
    }
    m->here = n > 0 ? at[k > 0 ? i : n - 1] : NULL;
    m->there = k > 0 ? cause[n > 0 ? i : k - 1] : NULL;
}

static void line(missing *m, const tc_access *a) {
    const tc_ptx_loc *l = a == &m->f->at      ? m->here
                          : a == &m->f->cause ? m->there
                                              : NULL;
    if (l != NULL) {
        tc_cuda_location_text(m->s, l, m->b);
    } else {
        tc_cuda_line_text(m->s, a, m->b);
    }
}

static void before(missing *m) {
    tc_buf_puts(m->b, " before ");
    line(m, &m->f->at);
}

/* Line n of the program begins with that word. */
static bool begins(const missing *m, uint32_t n, const char *word) {
    const char *p = m->text;
    for (uint32_t i = 1; *p != 0 && i < n; i++) {
        p += strcspn(p, "\n");
        p += *p != 0;
    }
    p += strspn(p, " \t");
    size_t len = strlen(word);
    return strncmp(p, word, len) == 0 && strchr(" ({", p[len]) != NULL;
}

/* "line 10", or "the loop of line 10", which spins there. */
static void fence_after(missing *m) {
    const tc_ptx_loc *l =
        m->f->other.valid && m->f->other.op != NULL
            ? tc_cuda_location(m->s->program.run->file, m->f->other.op)
            : NULL;
    bool both = m->f->missing == TC_MISSING_FENCES;
    uint32_t n = both ? (uint32_t)m->f->missing_n : l != NULL ? l->line : 0;
    bool loop = n > 0 && (begins(m, n, "while") || begins(m, n, "for") ||
                          begins(m, n, "do"));
    tc_buf_puts(m->b, loop ? "the loop of " : "");
    if (both || loop) {
        tc_buf_printf(m->b, "line %u", n);
    } else {
        line(m, &m->f->other);
    }
}

static bool uses(const missing *m, const char *name) {
    return strstr(m->text, name) != NULL;
}

/* The last argument of a copy is what it completes on. */
static const char *completes_on(const tc_cuda_call *c, const char *otherwise) {
    const char *last = c->nargs > 0 ? c->args[c->nargs - 1] : otherwise;
    return last + (*last == '&');
}

/* "pipe." or, of *pipe, "pipe->". */
static const char *member_of(const missing *m, const char *on) {
    tc_arena *a = m->s->program.run->arena;
    return *on == '*' ? tc_format(a, "%s->", on + 1) : tc_format(a, "%s.", on);
}

/* What the program calls its block or cluster: the variable that was set to
 * this_thread_block() or this_cluster(). */
static const char *group_name(const missing *m, const char *made,
                              const char *otherwise) {
    const char *at = strstr(m->text, made);
    const char *equals = at;
    while (equals != NULL && equals > m->text && *equals != '=' &&
           *equals != ';' && *equals != '\n') {
        equals--;
    }
    if (equals == NULL || *equals != '=') {
        return otherwise;
    }
    const char *end = equals;
    while (end > m->text && isspace((unsigned char)end[-1])) {
        end--;
    }
    const char *begin = end;
    while (begin > m->text &&
           (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')) {
        begin--;
    }
    return end > begin ? tc_strndup(m->s->program.run->arena, begin,
                                    (size_t)(end - begin))
                       : otherwise;
}

/* The prefix of cooperative groups as the copy had it: "cg::". */
static const char *group_scope(const missing *m) {
    return m->cause.scope != NULL ? m->cause.scope : "cooperative_groups::";
}

/* "cuda::ptx::" as the program calls it, from a call of it. */
static const char *scope_of(const tc_cuda_call *c, tc_cuda_family family,
                            const char *otherwise) {
    return c->family == family && c->scope != NULL ? c->scope : otherwise;
}

static const char *ptx_scope(const missing *m) {
    return scope_of(&m->cause, TC_CUDA_FAMILY_PTX,
                    scope_of(&m->at, TC_CUDA_FAMILY_PTX, "cuda::ptx::"));
}

static const char *bulk_scope(const missing *m) {
    return scope_of(
        &m->cause, TC_CUDA_FAMILY_BULK,
        scope_of(&m->at, TC_CUDA_FAMILY_BULK, "cuda::device::experimental::"));
}

/* --- batches of copies -----------------------------------------------------*/

static void commit_text(missing *m) {
    if (m->cause.family == TC_CUDA_FAMILY_LIBCUXX) {
        tc_buf_printf(m->b, "%sproducer_commit()",
                      member_of(m, completes_on(&m->cause, "pipe")));
    } else {
        tc_buf_puts(m->b, "__pipeline_commit()");
    }
}

/* A wait that leaves n batches in flight. */
static void wait_text(missing *m) {
    long long n = (long long)m->f->missing_n;
    const char *on = completes_on(&m->cause, "pipe");
    switch (m->cause.family) {
    case TC_CUDA_FAMILY_LIBCUXX:
        if (n > 0 || uses(m, "pipeline_consumer_wait_prior")) {
            tc_buf_printf(m->b, "cuda::pipeline_consumer_wait_prior<%lld>(%s)",
                          n, on);
        } else {
            tc_buf_printf(m->b, "%sconsumer_wait()", member_of(m, on));
        }
        break;
    case TC_CUDA_FAMILY_GROUPS: {
        const char *group = m->cause.nargs > 0 ? m->cause.args[0] : "block";
        if (n > 0) {
            tc_buf_printf(m->b, "%swait_prior<%lld>(%s)", group_scope(m), n,
                          group);
        } else {
            tc_buf_printf(m->b, "%swait(%s)", group_scope(m), group);
        }
        break;
    }
    default:
        tc_buf_printf(m->b, "__pipeline_wait_prior(%lld)", n);
        break;
    }
}

/* A wait that leaves fewer: its own call again takes one more batch. */
static void wait_less(missing *m) {
    if (m->other.name != NULL &&
        strncmp(m->other.name, "consumer_wait", 13) == 0) {
        tc_buf_printf(m->b, "%sconsumer_wait()", m->other.scope);
        before(m); /* one more: each takes the oldest batch */
        return;
    }
    wait_text(m);
    tc_buf_puts(m->b, m->f->missing_n > 0 ? " or less at " : " at ");
    line(m, &m->f->other);
}

/* --- bulk copies -----------------------------------------------------------*/

/* A source may be written again once it has been read. */
static bool read_is_enough(const tc_finding *f) {
    switch (f->missing) {
    case TC_MISSING_BULK_WAIT_READ:
        return true;
    case TC_MISSING_BULK_COMMIT_AND_WAIT:
    case TC_MISSING_BULK_LESS:
        return f->kind == TC_FINDING_OVERWRITE_IN_FLIGHT;
    default:
        return false;
    }
}

static void bulk_wait(missing *m) {
    long long n = (long long)m->f->missing_n;
    bool read = read_is_enough(m->f);
    n = m->f->missing == TC_MISSING_BULK_LESS ? n : 0;
    if (m->cause.family == TC_CUDA_FAMILY_BULK && read) {
        tc_buf_printf(m->b, "%scp_async_bulk_wait_group_read<%lld>()",
                      bulk_scope(m), n);
    } else {
        const char *scope = ptx_scope(m);
        tc_buf_printf(m->b, "%scp_async_bulk_wait_group%s(%sn32_t<%lld>{})",
                      scope, read ? "_read" : "", scope, n);
    }
}

static void bulk_commit(missing *m) {
    tc_buf_printf(m->b, "%scp_async_bulk_commit_group()",
                  m->cause.family == TC_CUDA_FAMILY_BULK ? bulk_scope(m)
                                                         : ptx_scope(m));
}

/* --- barriers --------------------------------------------------------------*/

/* " between lines C and A", or round a loop. */
static void between(missing *m) {
    const tc_finding *f = m->f;
    bool known = m->here != NULL && m->there != NULL, turned;
    bool same = known && m->here->file == m->there->file;
    switch (tc_finding_between(m->s->program.run->module, f,
                               known ? m->here->line : 0,
                               known ? m->there->line : 0, same, &turned)) {
    case TC_BETWEEN_TURNS:
    case TC_BETWEEN_NOWHERE:
        tc_buf_puts(m->b, " between two turns of ");
        line(m, &f->at);
        return;
    case TC_BETWEEN_WITHIN:
        tc_buf_puts(m->b, " between the read and the write of ");
        line(m, &f->at);
        return;
    case TC_BETWEEN_ROUND:
        tc_buf_puts(m->b, " after ");
        line(m, &f->cause);
        tc_buf_puts(m->b, ", before ");
        line(m, &f->at);
        tc_buf_puts(m->b, " comes round again");
        return;
    case TC_BETWEEN_LINES:
        break;
    }
    if (same) {
        const tc_ptx_loc *last = turned ? m->there : m->here;
        tc_buf_printf(m->b, " between lines %u and ",
                      turned ? m->here->line : m->there->line);
        tc_cuda_number(m->s, last, m->b);
    } else {
        tc_buf_puts(m->b, " between ");
        line(m, turned ? &f->at : &f->cause);
        tc_buf_puts(m->b, " and ");
        line(m, turned ? &f->cause : &f->at);
    }
}

/* Threads of one warp, where not all of the block's threads may come: a barrier
 * of the block would wait for those that do not. */
static bool of_warp(const missing *m) {
    return !m->f->apart && tc_code_skipped(m->s->program.run->module,
                                           m->f->at.op, m->f->cause.op);
}

static void empty_wait(missing *m) {
    bool pipeline = uses(m, "producer_acquire") || uses(m, "consumer_wait");
    if (pipeline && uses(m, "pipeline_shared_state")) {
        tc_buf_puts(m->b, "consumer_release() after ");
        line(m, &m->f->cause);
        tc_buf_puts(m->b, ", and producer_acquire()");
        before(m);
    } else {
        tc_buf_puts(m->b, "a wait");
        before(m);
        tc_buf_puts(m->b, " for a barrier at which the readers arrive after ");
        line(m, &m->f->cause);
    }
}

static void block_barrier(missing *m) {
    const char *name = group_name(m, "this_thread_block", NULL);
    const char *barrier = of_warp(m) ? "__syncwarp()"
                          : name && !uses(m, "__syncthreads")
                              ? NULL
                              : "__syncthreads()";
    if (m->f->apart && uses(m, "arrive") &&
        tc_code_skipped(m->s->program.run->module, m->f->at.op,
                        m->f->cause.op) &&
        m->f->kind == TC_FINDING_OVERWRITE_BEFORE_READ) {
        empty_wait(m); /* roles, which do not all come to a barrier */
        return;
    }
    if (m->f->kind == TC_FINDING_DATA_RACE && m->here != NULL &&
        m->there != NULL && same_place(m->here, m->there)) {
        bool loops = tc_code_loops(m->s->program.run->module, m->f->at.op,
                                   m->f->cause.op) ||
                     m->f->at.op != m->f->cause.op;
        tc_buf_puts(m->b, "an atomic operation, such as atomicAdd, at ");
        line(m, &m->f->at);
        if (loops) {
            tc_buf_printf(m->b, ", or %s between two turns of it",
                          barrier ? barrier : "__syncthreads()");
        } else {
            tc_buf_puts(m->b, ", or one thread alone that writes it");
        }
        return;
    }
    if (barrier) {
        tc_buf_puts(m->b, barrier);
    } else {
        tc_buf_printf(m->b, "%s.sync()", name);
    }
    between(m);
    if (m->f->kind == TC_FINDING_READ_BEFORE_BARRIER) {
        tc_buf_puts(m->b, ", after the wait");
    }
}

static void cluster_barrier(missing *m) {
    tc_buf_printf(
        m->b, "%s.sync()",
        group_name(m, "this_cluster", "cooperative_groups::this_cluster()"));
}

/* The wait for a phase of what a copy completes on. */
static void phase_wait(missing *m) {
    const char *on = completes_on(&m->cause, "bar");
    tc_arena *a = m->s->program.run->arena;
    const char *consumer = tc_format(a, "%sconsumer_wait", member_of(m, on));
    const char *arrive = tc_format(a, "%sarrive()", member_of(m, on));
    if (m->cause.family == TC_CUDA_FAMILY_LIBCUXX && uses(m, consumer) &&
        !uses(m, "consumer_release")) {
        tc_buf_printf(m->b, "%sconsumer_release() after ", member_of(m, on));
        line(m, &m->f->at);
        tc_buf_puts(m->b, ", in each round, and a wait");
    } else if (m->cause.family == TC_CUDA_FAMILY_LIBCUXX &&
               (uses(m, consumer) || uses(m, "pipeline_shared_state"))) {
        tc_buf_printf(m->b, "%s()", consumer);
    } else if (m->cause.family == TC_CUDA_FAMILY_LIBCUXX &&
               uses(m, tc_format(a, "(void)%s", arrive))) {
        tc_buf_printf(m->b, "%swait(%s), in place of %s,", member_of(m, on),
                      arrive, arrive);
    } else if (m->cause.family == TC_CUDA_FAMILY_LIBCUXX ||
               m->cause.family == TC_CUDA_FAMILY_BULK) {
        tc_buf_printf(m->b,
                      "a wait for %s's phase, such as "
                      "%sarrive_and_wait(),",
                      on, member_of(m, on));
    } else if (m->cause.family == TC_CUDA_FAMILY_PTX) {
        tc_buf_printf(m->b,
                      "a wait for %s's phase "
                      "(%smbarrier_try_wait_parity)",
                      on, ptx_scope(m));
    } else {
        tc_buf_puts(m->b, "a wait for the phase of the barrier that the copy "
                          "arrives at (__mbarrier_try_wait)");
    }
}

static void proxy_fence(missing *m) {
    bool ptx = m->at.family == TC_CUDA_FAMILY_PTX ||
               m->cause.family == TC_CUDA_FAMILY_PTX;
    if (ptx) {
        tc_buf_printf(m->b, "%sfence_proxy_async(%sspace_shared)", ptx_scope(m),
                      ptx_scope(m));
    } else {
        tc_buf_printf(m->b, "%sfence_proxy_async_shared_cta()", bulk_scope(m));
    }
}

/* --- mbarriers -------------------------------------------------------------*/

/* The call of a library that does to a barrier what is missing; otherwise: in
 * one where a barrier is an object. */
static void barrier_call(missing *m, const char *what, const char *otherwise) {
    switch (m->at.family) {
    case TC_CUDA_FAMILY_PTX:
        tc_buf_printf(m->b, "%smbarrier_%s", ptx_scope(m), what);
        break;
    case TC_CUDA_FAMILY_MBARRIER:
    case TC_CUDA_FAMILY_PRIMITIVE:
        tc_buf_printf(m->b, "__mbarrier_%s", what);
        break;
    case TC_CUDA_FAMILY_LANGUAGE:
    case TC_CUDA_FAMILY_ASSEMBLY:
    case TC_CUDA_FAMILY_LIBCUXX:
    case TC_CUDA_FAMILY_BULK:
    case TC_CUDA_FAMILY_GROUPS:
        tc_buf_puts(m->b, otherwise);
        break;
    }
}

static void mbarrier_init(missing *m) {
    barrier_call(m, "init", "init");
}

static void mbarrier_inval(missing *m) {
    barrier_call(m, "inval", "the barrier's destructor");
}

static void or_lower(missing *m) {
    const tc_cuda_call *c = &m->other;
    const char *n =
        tc_format(m->s->program.run->arena, "%lld", (long long)m->f->missing_n);
    bool none = c->nargs > 0 && strcmp(c->args[c->nargs - 1], n) == 0;
    if (m->f->other.valid && !none) { /* a count of 0 is none */
        tc_buf_printf(m->b, ", or a count that is %lld lower in ",
                      (long long)m->f->missing_n);
        tc_cuda_where(m->s, &m->f->other, m->b);
    }
}

static void expect_bytes(missing *m) {
    if (m->f->missing_n >= 0) {
        tc_buf_printf(m->b, "%lld bytes", (long long)m->f->missing_n);
    } else {
        tc_buf_puts(m->b, "all bytes that are copied,");
    }
}

/* --- the fields ------------------------------------------------------------*/

#define FIELD(name)                                                            \
    static void name##_field(const tc_sentence *x, const tc_access *side,      \
                             tc_buf *b)
/* A field that writes to the missing line's own buffer. */
#define WRITTEN(name)                                                          \
    FIELD(name) {                                                              \
        (void)side, (void)b;                                                   \
        name(x->user);                                                         \
    }

WRITTEN(fence_after)
WRITTEN(commit_text)
WRITTEN(wait_text)
WRITTEN(wait_less)
WRITTEN(bulk_commit)
WRITTEN(bulk_wait)
WRITTEN(phase_wait)
WRITTEN(empty_wait)
WRITTEN(block_barrier)
WRITTEN(cluster_barrier)
WRITTEN(between)
WRITTEN(proxy_fence)
WRITTEN(mbarrier_init)
WRITTEN(mbarrier_inval)
WRITTEN(or_lower)
WRITTEN(expect_bytes)

FIELD(line) {
    (void)b;
    line(x->user, side);
}

FIELD(where) {
    tc_cuda_where(x->session, side, b);
}

FIELD(n) {
    (void)side;
    tc_buf_printf(b, "%lld", (long long)x->finding->missing_n);
}

FIELD(plural) {
    (void)side;
    tc_buf_puts(b, tc_describe_plural((uint64_t)x->finding->missing_n));
}

FIELD(or_less) {
    (void)side;
    tc_buf_puts(b, x->finding->missing_n > 0 ? " or less" : "");
}

FIELD(again) {
    (void)side;
    tc_buf_puts(b, x->finding->cause.valid ? "again " : "");
}

static const tc_field list[] = {{".line", line_field},
                                {".where", where_field},
                                {"commit", commit_text_field},
                                {"wait", wait_text_field},
                                {"wait.less", wait_less_field},
                                {"commit.bulk", bulk_commit_field},
                                {"wait.bulk", bulk_wait_field},
                                {"wait.phase", phase_wait_field},
                                {"wait.empty", empty_wait_field},
                                {"barrier.block", block_barrier_field},
                                {"barrier.cluster", cluster_barrier_field},
                                {"between", between_field},
                                {"fence.after", fence_after_field},
                                {"fence.proxy", proxy_fence_field},
                                {"mbarrier.init", mbarrier_init_field},
                                {"mbarrier.inval", mbarrier_inval_field},
                                {"or.lower", or_lower_field},
                                {"or.less", or_less_field},
                                {"expect.bytes", expect_bytes_field},
                                {"n", n_field},
                                {"s", plural_field},
                                {"again", again_field}};

const tc_fields *tc_cuda_missing_fields(void) {
    static const tc_fields fields = {list, sizeof list / sizeof *list};
    return &fields;
}

/* --- all of them -----------------------------------------------------------*/

/* The side whose assembly, if it is the learner's own, has PTX's terms. */
typedef enum assembly_side { SIDE_ANY, SIDE_AT, SIDE_CAUSE } assembly_side;

typedef struct cuda_row {
    assembly_side side;
    const char *text; /* NULL: PTX's */
} cuda_row;

static const cuda_row rows[TC_MISSING_COUNT] = {
#define TC_MISSING(id, reach, pending, ptx, script, side, cuda)                \
    {SIDE_##side, cuda},
#include "sim/findings.def"
};

const char *tc_cuda_missing_template(tc_missing which) {
    return rows[which].text;
}

static bool in_assembly(const missing *m) {
    switch (rows[m->f->missing].side) {
    case SIDE_ANY:
        return false;
    case SIDE_AT:
        return m->at.family == TC_CUDA_FAMILY_ASSEMBLY;
    case SIDE_CAUSE:
        return m->cause.family == TC_CUDA_FAMILY_ASSEMBLY;
    }
    return false;
}

bool tc_cuda_missing(tc_session *s, const tc_finding *f, tc_buf *b) {
    missing m = {.s = s, .f = f, .b = b};
    m.text = s->program.run->file->source->text;
    look(&m, &f->at, &m.at);
    look(&m, &f->cause, &m.cause);
    look(&m, &f->other, &m.other);
    meet(&m);
    bool unknown = f->missing == TC_MISSING_BYTES && m.cause.text == NULL;
    if (rows[f->missing].text == NULL || in_assembly(&m) || unknown) {
        return false;
    }
    tc_sentence x = {.session = s, .finding = f, .user = &m};
    tc_template_fill(rows[f->missing].text, tc_cuda_missing_fields(), &x, b);
    return true;
}
