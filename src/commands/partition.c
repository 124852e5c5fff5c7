/* partition.c - the command: all copies, or the owner of one element. */
#include "explain/partition.h"
#include "commands/copies.h"

#include <stdlib.h>
#include <string.h>

static const tc_region *side(const tc_copy *c, bool global) {
    bool src_is_global = c->src.buffer->space == TC_SPACE_GLOBAL;
    return src_is_global == global ? &c->src : &c->dst;
}

static void header_text(tc_session *s, const tc_decision *d, tc_buf *b) {
    tc_buf_printf(b, "line %d: ", tc_span_line(d->span));
    tc_describe_source(b, d->span, s->options.width - 12);
    tc_buf_putc(b, '\n');
}

/* Why a copy has no partition, or NULL if it has one. */
static const char *no_partition(const tc_decision *d) {
    if (d->chosen == NULL) {
        return "no variant accepts it; `why` tells";
    }
    if (!d->chosen->lowering_built) {
        return "its variant's lowering is not built yet";
    }
    if (d->chosen->partition == NULL && d->chosen->nissues > 0) {
        return "no thread owns a part of it; `why` tells which instructions "
               "move it";
    }
    if (d->chosen->partition == NULL) {
        return "one thread copies all of it, element by element";
    }
    return NULL;
}

static void partition_text(tc_session *s, const tc_decision *d, tc_buf *b) {
    header_text(s, d, b);
    const char *none = no_partition(d);
    if (none != NULL && d->chosen != NULL && d->chosen->nissues > 0) {
        tc_explain_copy_layouts(s, d, b);
        return;
    }
    if (none != NULL) {
        tc_buf_printf(b, "  no partition: %s.\n", none);
        return;
    }
    const tc_partition *p = d->chosen->partition;
    tc_buf_printf(b,
                  "  %s: [outer, threads, vec] = [%lld, %lld, %lld]\n"
                  "  %lld elements = %lld rounds x %lld threads x %lld; %lld x "
                  "%d bits = %d bytes at a time\n",
                  tc_variants[d->chosen->variant->id].name, (long long)p->outer,
                  (long long)p->threads, (long long)p->vec,
                  (long long)p->elements, (long long)p->outer,
                  (long long)p->threads, (long long)p->vec, (long long)p->vec,
                  tc_dtypes[p->g_buffer->type].bits, p->vec_bytes);
    tc_owners owners;
    if (tc_owners_make(p, side(d->copy, true), &owners)) {
        tc_owners_picture(&owners, s->options.width, b);
        tc_owners_free(&owners);
    } else {
        tc_buf_puts(b, "  (the tile is too large to draw)\n");
    }
    tc_warp_touch touch;
    tc_warp_touch_make(p, tc_dtype_bytes(p->g_buffer->type), &touch);
    tc_warp_touch_text(&touch, b);
}

static json_t *places_json(const int64_t *at, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        json_array_append_new(list, json_integer((json_int_t)at[i]));
    }
    return list;
}

static json_t *partition_json(const tc_decision *d) {
    const char *none = no_partition(d);
    int line = tc_span_line(d->span);
    if (none != NULL) {
        return json_pack("{s:i,s:n,s:s}", "line", line, "partition", "why",
                         none);
    }
    const tc_partition *p = d->chosen->partition;
    tc_warp_touch w;
    tc_warp_touch_make(p, tc_dtype_bytes(p->g_buffer->type), &w);
    json_t *warp = json_pack("{s:o,s:o,s:i,s:i,s:i,s:i}", "global_bytes",
                             places_json(w.global, w.lanes), "shared_bytes",
                             places_json(w.shared, w.lanes), "wavefronts",
                             w.wavefronts, "ideal_wavefronts", w.parts,
                             "sectors", w.sectors, "lines", w.lines);
    return json_pack("{s:i,s:s,s:{s:I,s:I,s:I,s:I,s:i},s:o}", "line", line,
                     "variant", tc_variants[d->chosen->variant->id].name,
                     "partition", "outer", (json_int_t)p->outer, "threads",
                     (json_int_t)p->threads, "vec", (json_int_t)p->vec,
                     "elements", (json_int_t)p->elements, "vec_bytes",
                     p->vec_bytes, "warp0", warp);
}

/* --- one element -----------------------------------------------------------*/

/* Index of coord in the region, row-major, or -1 if it lies outside. */
static int64_t index_in(const tc_region *r, const int64_t *coord) {
    int64_t index = 0;
    for (int i = 0; i < r->buffer->rank; i++) {
        int64_t min = 0;
        tc_expr_const(r->range[i].min, &min);
        int64_t c = coord[i] - min;
        if (c < 0 || c >= r->range[i].extent) {
            return -1;
        }
        index = index * r->range[i].extent + c;
    }
    return index;
}

typedef struct owner {
    int64_t round, thread, lane_of_vec;
    int64_t global_byte, shared_byte;
} owner;

static bool find_owner(const tc_decision *d, const int64_t *coord, owner *out) {
    const tc_partition *p = d->chosen->partition;
    const tc_region *global = side(d->copy, true);
    int64_t index = index_in(global, coord);
    tc_owners o;
    if (index < 0 || !tc_owners_make(p, global, &o)) {
        return false;
    }
    int64_t chunk = o.chunk[index], g, s;
    tc_owners_free(&o);
    if (chunk < 0) {
        return false;
    }
    out->round = chunk / p->threads;
    out->thread = chunk % p->threads;
    tc_partition_at(p, out->round, out->thread, &g, &s);
    tc_arena *scratch = tc_arena_new();
    tc_layout_ctx cx = {.arena = scratch, .target_cuda = true};
    out->lane_of_vec = tc_region_position(&cx, global, index) - g;
    tc_arena_free(scratch);
    int bytes = tc_dtype_bytes(p->g_buffer->type);
    out->global_byte = (g + out->lane_of_vec) * bytes;
    out->shared_byte = (s + out->lane_of_vec) * bytes;
    return true;
}

static void owner_text(tc_session *s, const tc_decision *d,
                       const int64_t *coord, tc_buf *b) {
    header_text(s, d, b);
    const char *none = no_partition(d);
    owner o;
    if (none != NULL) {
        tc_buf_printf(b, "  no partition: %s.\n", none);
        return;
    }
    const tc_region *global = side(d->copy, true);
    tc_buf_printf(b, "  %s[", global->buffer->name);
    for (int i = 0; i < global->buffer->rank; i++) {
        tc_buf_printf(b, "%s%lld", i ? "," : "", (long long)coord[i]);
    }
    if (!find_owner(d, coord, &o)) {
        tc_buf_puts(b, "] is not part of this copy.\n");
        return;
    }
    const tc_partition *p = d->chosen->partition;
    int64_t bank = o.shared_byte / 4 % 32;
    tc_buf_printf(
        b,
        "]: thread %lld (warp %lld, lane %lld), round %lld, element %lld of "
        "its %lld\n  %s byte %lld (sector %lld); %s byte %lld (bank %lld)\n",
        (long long)o.thread, (long long)(o.thread / 32),
        (long long)(o.thread % 32), (long long)o.round,
        (long long)o.lane_of_vec, (long long)p->vec, p->g_buffer->name,
        (long long)o.global_byte, (long long)(o.global_byte / 32),
        p->s_buffer->name, (long long)o.shared_byte, (long long)bank);
}

static json_t *owner_json(const tc_decision *d, const int64_t *coord) {
    owner o;
    int line = tc_span_line(d->span);
    if (no_partition(d) != NULL || !find_owner(d, coord, &o)) {
        return json_pack("{s:i,s:n}", "line", line, "thread");
    }
    return json_pack(
        "{s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "line", line, "thread",
        (json_int_t)o.thread, "warp", (json_int_t)(o.thread / 32), "lane",
        (json_int_t)(o.thread % 32), "outer", (json_int_t)o.round, "element",
        (json_int_t)o.lane_of_vec, "global_byte", (json_int_t)o.global_byte,
        "shared_byte", (json_int_t)o.shared_byte);
}

static bool has_element(const tc_buffer *b, const int64_t *coord, int n) {
    bool in = b->rank == n;
    for (int i = 0; in && i < n; i++) {
        in = coord[i] < b->shape[i];
    }
    return in;
}

/* An element must exist in at least one copied buffer of global memory. */
static bool check_coord(tc_session *s, const tc_command_args *args,
                        const tc_decisions *all, const int64_t *coord, int n) {
    const tc_buffer *b = NULL;
    if (all->n == 0) {
        tc_error(&s->diags, args->span, NULL,
                 "%s copies nothing: it has no Tx.copy or Tx.copy_async",
                 s->program.func->name);
        return false;
    }
    for (int i = 0; i < all->n; i++) {
        b = side(all->items[i].copy, true)->buffer;
        if (has_element(b, coord, n)) {
            return true;
        }
    }
    tc_buf shape = TC_BUF_INIT;
    for (int i = 0; i < b->rank; i++) {
        tc_buf_printf(&shape, "%s%lld", i ? " x " : "", (long long)b->shape[i]);
    }
    if (n != b->rank) {
        tc_error(&s->diags, args->span, NULL,
                 "an element of %s has %d coordinate%s, not %d: it has %s "
                 "elements",
                 b->name, b->rank, b->rank == 1 ? "" : "s", n,
                 tc_buf_text(&shape));
    } else {
        tc_error(&s->diags, args->span, "coordinates count from 0",
                 "there is no such element: %s has %s elements", b->name,
                 tc_buf_text(&shape));
    }
    tc_buf_free(&shape);
    return false;
}

/* What `partition` is asked: an element's owners, a copy, or all. */
typedef struct partition_asked {
    const int64_t *coord; /* of an element, n of them; n is 0 without one */
    int n, copy;          /* copy -1: all */
} partition_asked;

/* A number alone is an element's coordinate where something of one dimension is
 * copied, and else a line. */
static bool is_line(const tc_decisions *all, const tc_command_value *at) {
    bool line = at != NULL && at->rank == 1 && all->n > 0;
    for (int i = 0; line && i < all->n; i++) {
        line = side(all->items[i].copy, true)->buffer->rank != 1;
    }
    return line;
}

static tc_status read_question(tc_session *s, const tc_command_args *args,
                               partition_asked *q) {
    const tc_decisions *all = &s->program.decisions;
    const tc_command_value *at = tc_value_of(args, "I,J");
    const tc_command_value *line = tc_value_of(args, "--line");
    tc_command_value number;
    *q = (partition_asked){.copy = -1};
    if (line == NULL && is_line(all, at)) {
        number = *at;
        number.number = at->extents[0];
        line = &number;
        at = NULL;
    }
    if (line != NULL) {
        q->copy = tc_copies_at(all, line->number);
        if (q->copy < 0) {
            return tc_copies_none(s, line);
        }
    }
    if (at == NULL) {
        return TC_OK;
    }
    q->coord = at->extents;
    q->n = at->rank;
    return check_coord(s, args, all, q->coord, q->n) ? TC_OK : TC_FAILED;
}

static bool is_asked(const partition_asked *q, const tc_decisions *all,
                     int copy) {
    return (q->copy < 0 || q->copy == copy) &&
           (q->n == 0 ||
            side(all->items[copy].copy, true)->buffer->rank == q->n);
}

static void answer_text(tc_session *s, const partition_asked *q,
                        const tc_decision *d, tc_buf *b) {
    tc_buf_puts(b, b->len > 0 ? "\n" : "");
    if (q->n > 0) {
        owner_text(s, d, q->coord, b);
    } else {
        partition_text(s, d, b);
    }
}

tc_status tc_cmd_partition(tc_session *s, const tc_command_args *args,
                           tc_reply *r) {
    partition_asked q;
    tc_status status;
    if (!tc_need_decisions(s, args->span, &status)) {
        return status;
    }
    status = read_question(s, args, &q);
    if (status != TC_OK) {
        return status;
    }
    const tc_decisions *all = &s->program.decisions;
    json_t *copies = json_array();
    for (int i = 0; i < all->n; i++) {
        const tc_decision *d = &all->items[i];
        if (!is_asked(&q, all, i)) {
            continue;
        }
        if (s->options.json) {
            json_array_append_new(copies, q.n > 0 ? owner_json(d, q.coord)
                                                  : partition_json(d));
        } else {
            answer_text(s, &q, d, &r->text);
        }
    }
    if (s->options.json) {
        r->json = json_pack("{s:O}", "copies", copies);
    } else if (all->n == 0) {
        tc_buf_puts(&r->text, "the program copies nothing.\n");
    }
    json_decref(copies);
    return TC_OK;
}
