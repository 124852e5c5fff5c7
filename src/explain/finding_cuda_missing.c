/* finding_cuda_missing.c - the line that is missing, in the words of the
 * library that the program uses. */
#include "explain/finding_cuda.h"
#include "explain/finding_words.h"

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
    tc_run *run = m->s->program.run;
    *c = (tc_cuda_call){.home = TC_HOME_LANGUAGE};
    if (a->valid && a->op != NULL) {
        tc_cuda_call_of(run->file, a->op, run->arena, c);
    }
}

/* The chain of the learner's places, the outermost first. */
static int chain_of(missing *m, const tc_access *a, const tc_ptx_loc **out) {
    const tc_loaded *f = m->s->program.run->file;
    const tc_ptx_loc *l =
        a->valid && a->op != NULL ? tc_cuda_place(f, a->op) : NULL;
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
        tc_cuda_place_words(m->s, l, m->b);
    } else {
        tc_cuda_line_words(m->s, a, m->b);
    }
}

static void before(missing *m) {
    tc_buf_puts(m->b, " before ");
    line(m, &m->f->at);
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
static const char *scope_of(const tc_cuda_call *c, tc_cuda_home home,
                            const char *otherwise) {
    return c->home == home && c->scope != NULL ? c->scope : otherwise;
}

static const char *ptx_scope(const missing *m) {
    return scope_of(&m->cause, TC_HOME_PTX,
                    scope_of(&m->at, TC_HOME_PTX, "cuda::ptx::"));
}

static const char *bulk_scope(const missing *m) {
    return scope_of(
        &m->cause, TC_HOME_BULK,
        scope_of(&m->at, TC_HOME_BULK, "cuda::device::experimental::"));
}

/* --- batches of copies -------------------------------------------------------
 */

static void commit_words(missing *m) {
    if (m->cause.home == TC_HOME_LIBCUXX) {
        tc_buf_printf(m->b, "%sproducer_commit()",
                      member_of(m, completes_on(&m->cause, "pipe")));
    } else {
        tc_buf_puts(m->b, "__pipeline_commit()");
    }
}

/* A wait that leaves n batches in flight. */
static void wait_words(missing *m) {
    long long n = (long long)m->f->missing_n;
    const char *on = completes_on(&m->cause, "pipe");
    switch (m->cause.home) {
    case TC_HOME_LIBCUXX:
        if (n > 0 || uses(m, "pipeline_consumer_wait_prior")) {
            tc_buf_printf(m->b, "cuda::pipeline_consumer_wait_prior<%lld>(%s)",
                          n, on);
        } else {
            tc_buf_printf(m->b, "%sconsumer_wait()", member_of(m, on));
        }
        break;
    case TC_HOME_GROUPS: {
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

static void batch(missing *m) {
    const tc_finding *f = m->f;
    switch (f->missing) {
    case TC_MISSING_COMMIT:
        commit_words(m);
        tc_buf_puts(m->b, " after ");
        line(m, &f->cause);
        tc_buf_puts(m->b, ", before the wait");
        break;
    case TC_MISSING_COMMIT_AND_WAIT:
        commit_words(m);
        tc_buf_puts(m->b, " after ");
        line(m, &f->cause);
        tc_buf_puts(m->b, ", and ");
        wait_words(m);
        before(m);
        break;
    case TC_MISSING_WAIT:
        wait_words(m);
        before(m);
        break;
    default: /* WAIT_LESS */
        if (m->other.name != NULL &&
            strncmp(m->other.name, "consumer_wait", 13) == 0) {
            tc_buf_printf(m->b, "%sconsumer_wait()", m->other.scope);
            before(m); /* one more: each takes the oldest batch */
            break;
        }
        wait_words(m);
        tc_buf_puts(m->b, f->missing_n > 0 ? " or less at " : " at ");
        line(m, &f->other);
        break;
    }
}

/* --- bulk copies -------------------------------------------------------------
 */

static void bulk_wait_words(missing *m, bool read) {
    long long n = (long long)m->f->missing_n;
    n = m->f->missing == TC_MISSING_BULK_LESS ? n : 0;
    if (m->cause.home == TC_HOME_BULK && read) {
        tc_buf_printf(m->b, "%scp_async_bulk_wait_group_read<%lld>()",
                      bulk_scope(m), n);
    } else {
        const char *scope = ptx_scope(m);
        tc_buf_printf(m->b, "%scp_async_bulk_wait_group%s(%sn32_t<%lld>{})",
                      scope, read ? "_read" : "", scope, n);
    }
}

static void bulk_commit_words(missing *m) {
    tc_buf_printf(m->b, "%scp_async_bulk_commit_group() after ",
                  m->cause.home == TC_HOME_BULK ? bulk_scope(m) : ptx_scope(m));
    line(m, &m->f->cause);
}

static void bulk(missing *m) {
    const tc_finding *f = m->f;
    switch (f->missing) {
    case TC_MISSING_BULK_COMMIT:
        bulk_commit_words(m);
        tc_buf_puts(m->b, ", before the wait");
        break;
    case TC_MISSING_BULK_COMMIT_AND_WAIT:
        bulk_commit_words(m);
        tc_buf_puts(m->b, ", and ");
        bulk_wait_words(m, f->kind == TC_FINDING_OVERWRITE_IN_FLIGHT);
        before(m);
        break;
    case TC_MISSING_BULK_LESS:
        bulk_wait_words(m, f->kind == TC_FINDING_OVERWRITE_IN_FLIGHT);
        tc_buf_puts(m->b, f->missing_n > 0 ? " or less at " : " at ");
        line(m, &f->other);
        break;
    default:
        bulk_wait_words(m, f->missing == TC_MISSING_BULK_WAIT_READ);
        before(m);
        break;
    }
}

/* --- barriers ----------------------------------------------------------------
 */

/* "X between lines C and A", or round a loop. */
static void between(missing *m, const char *what) {
    const tc_finding *f = m->f;
    bool known = m->here != NULL && m->there != NULL;
    bool same = known && m->here->file == m->there->file;
    uint32_t at = known ? m->here->line : 0, cause = known ? m->there->line : 0;
    bool turned = same ? cause > at : f->cause.op > f->at.op;
    tc_buf_puts(m->b, what);
    if (same && cause == at) {
        tc_buf_puts(m->b, " between two turns of ");
        line(m, &f->at);
    } else if (turned) {
        tc_buf_puts(m->b, " after ");
        line(m, &f->cause);
        tc_buf_puts(m->b, ", before ");
        line(m, &f->at);
        tc_buf_puts(m->b, " comes round again");
    } else if (same) {
        tc_buf_printf(m->b, " between lines %u and ", cause);
        tc_cuda_number_words(m->s, m->here, m->b);
    } else {
        tc_buf_puts(m->b, " between ");
        line(m, &f->cause);
        tc_buf_puts(m->b, " and ");
        line(m, &f->at);
    }
}

static void block_barrier(missing *m) {
    if (m->f->kind == TC_FINDING_DATA_RACE && m->here != NULL &&
        m->there != NULL && same_place(m->here, m->there)) {
        tc_buf_puts(m->b, "an atomic operation, such as atomicAdd, at ");
        line(m, &m->f->at);
        tc_buf_puts(m->b, ", or __syncthreads() between two turns of it");
        return;
    }
    const char *name = group_name(m, "this_thread_block", NULL);
    if (name != NULL && !uses(m, "__syncthreads")) {
        between(m, tc_format(m->s->program.run->arena, "%s.sync()", name));
    } else {
        between(m, "__syncthreads()");
    }
    if (m->f->kind == TC_FINDING_READ_BEFORE_BARRIER) {
        tc_buf_puts(m->b, ", after the wait");
    }
}

static const char *cluster_barrier(missing *m) {
    const char *name = group_name(m, "this_cluster", NULL);
    return name != NULL ? tc_format(m->s->program.run->arena, "%s.sync()", name)
                        : "cooperative_groups::this_cluster().sync()";
}

/* The wait for a phase of what a copy completes on. */
static void phase_wait(missing *m) {
    const char *on = completes_on(&m->cause, "bar");
    tc_arena *a = m->s->program.run->arena;
    const char *consumer = tc_format(a, "%sconsumer_wait", member_of(m, on));
    if (m->cause.home == TC_HOME_LIBCUXX &&
        (uses(m, consumer) || uses(m, "pipeline_shared_state"))) {
        tc_buf_printf(m->b, "%s()", consumer);
    } else if (m->cause.home == TC_HOME_LIBCUXX ||
               m->cause.home == TC_HOME_BULK) {
        tc_buf_printf(m->b,
                      "a wait for %s's phase, such as "
                      "%sarrive_and_wait(),",
                      on, member_of(m, on));
    } else if (m->cause.home == TC_HOME_PTX) {
        tc_buf_printf(m->b,
                      "a wait for %s's phase "
                      "(%smbarrier_try_wait_parity)",
                      on, ptx_scope(m));
    } else {
        tc_buf_puts(m->b, "a wait for the phase of the barrier that the copy "
                          "arrives at (__mbarrier_try_wait)");
    }
    before(m);
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

static void proxy_fence(missing *m) {
    tc_arena *a = m->s->program.run->arena;
    bool ptx = m->at.home == TC_HOME_PTX || m->cause.home == TC_HOME_PTX;
    between(m, ptx ? tc_format(a, "%sfence_proxy_async(%sspace_shared)",
                               ptx_scope(m), ptx_scope(m))
                   : tc_format(a, "%sfence_proxy_async_shared_cta()",
                               bulk_scope(m)));
}

/* --- mbarriers ---------------------------------------------------------------
 */

/* The call of a library that does to a barrier what is missing. */
static const char *barrier_call(const missing *m, const char *what) {
    tc_arena *a = m->s->program.run->arena;
    switch (m->at.home) {
    case TC_HOME_PTX:
        return tc_format(a, "%smbarrier_%s", ptx_scope(m), what);
    case TC_HOME_MBARRIER:
    case TC_HOME_PRIMITIVE:
        return tc_format(a, "__mbarrier_%s", what);
    default:
        return strcmp(what, "inval") == 0 ? "the barrier's destructor" : what;
    }
}

static void say_init(missing *m, const char *relation) {
    tc_buf_puts(m->b, relation);
    tc_cuda_where(m->s, &m->f->other, m->b);
}

static bool mbarrier(missing *m) {
    const tc_finding *f = m->f;
    long long n = (long long)f->missing_n;
    switch (f->missing) {
    case TC_MISSING_INIT:
        tc_buf_printf(m->b, "%s%s", barrier_call(m, "init"),
                      f->cause.valid ? " again" : "");
        before(m);
        tc_buf_puts(m->b, ", and __syncthreads() between the two");
        return true;
    case TC_MISSING_INVAL:
        between(m, barrier_call(m, "inval"));
        return true;
    case TC_MISSING_OWN_BYTES:
        tc_buf_puts(m->b, "memory of its own for the barrier");
        return true;
    case TC_MISSING_PARITY:
        tc_buf_printf(m->b, "parity %lld at ", n);
        line(m, &f->at);
        return true;
    case TC_MISSING_PHASE:
        tc_buf_puts(m->b, "a wait for the phase under way, at ");
        line(m, &f->at);
        return true;
    case TC_MISSING_IN_RANGE:
        tc_buf_printf(m->b, "at most %lld in ", n);
        tc_cuda_where(m->s, &f->at, m->b);
        return true;
    case TC_MISSING_FEWER_ARRIVALS:
        tc_buf_printf(m->b, "a count above %lld", n);
        say_init(m, " in ");
        tc_buf_puts(m->b, ", or fewer arrivals");
        return true;
    case TC_MISSING_MORE_ARRIVALS:
        tc_buf_printf(m->b, "%lld more arrival%s", n,
                      tc_describe_plural((uint64_t)n));
        if (f->other.valid) {
            tc_buf_printf(m->b, ", or a count that is %lld lower", n);
            say_init(m, " in ");
        }
        return true;
    case TC_MISSING_BYTES:
        if (m->cause.text == NULL) {
            return false;
        }
        if (n >= 0) {
            tc_buf_printf(m->b, "%lld bytes in ", n);
        } else {
            tc_buf_puts(m->b, "all bytes that are copied, in ");
        }
        tc_cuda_where(m->s, &f->cause, m->b);
        return true;
    default:
        return false;
    }
}

/* --- all of them -------------------------------------------------------------
 */

static void scope_words(missing *m) {
    tc_buf_puts(m->b, "a scope of the device at ");
    line(m, &m->f->cause);
    tc_buf_puts(m->b, " and ");
    line(m, &m->f->at);
    tc_buf_puts(m->b, ": that of a block does not reach another");
}

static bool is_bulk(tc_missing kind) {
    return kind >= TC_MISSING_BULK_COMMIT && kind <= TC_MISSING_BULK_WAIT_READ;
}

static bool cluster_words(missing *m) {
    const char *what = cluster_barrier(m);
    switch (m->f->missing) {
    case TC_MISSING_CLUSTER_BARRIER:
        between(m, what);
        return true;
    case TC_MISSING_CLUSTER_START:
        tc_buf_puts(m->b, what);
        before(m);
        return true;
    case TC_MISSING_CLUSTER_END:
        tc_buf_printf(m->b, "%s after ", what);
        line(m, &m->f->at);
        tc_buf_puts(m->b, ", before the other block ends");
        return true;
    default:
        return false;
    }
}

bool tc_cuda_missing(tc_session *s, const tc_finding *f, tc_buf *b) {
    missing m = {.s = s, .f = f, .b = b};
    m.text = s->program.run->file->source->text;
    look(&m, &f->at, &m.at);
    look(&m, &f->cause, &m.cause);
    look(&m, &f->other, &m.other);
    meet(&m);
    bool assembly = m.cause.home == TC_HOME_ASSEMBLY;
    if (is_bulk(f->missing)) {
        if (!assembly) {
            bulk(&m);
        }
        return !assembly;
    }
    switch (f->missing) {
    case TC_MISSING_COMMIT:
    case TC_MISSING_WAIT:
    case TC_MISSING_WAIT_LESS:
    case TC_MISSING_COMMIT_AND_WAIT:
        if (!assembly) {
            batch(&m);
        }
        return !assembly;
    case TC_MISSING_PHASE_WAIT:
        if (!assembly) {
            phase_wait(&m);
        }
        return !assembly;
    case TC_MISSING_BARRIER:
        block_barrier(&m);
        return true;
    case TC_MISSING_EMPTY_WAIT:
        empty_wait(&m);
        return true;
    case TC_MISSING_PROXY_FENCE:
        if (m.at.home != TC_HOME_ASSEMBLY) {
            proxy_fence(&m);
        }
        return m.at.home != TC_HOME_ASSEMBLY;
    case TC_MISSING_SCOPE:
        scope_words(&m);
        return true;
    default:
        return cluster_words(&m) ||
               (m.at.home != TC_HOME_ASSEMBLY && mbarrier(&m));
    }
}
