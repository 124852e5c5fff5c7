/* What streams, events and the host's waits order, and what they do not. The rules
 * are those of the CUDA Runtime API (Stream synchronization behavior) and the CUDA
 * C++ Programming Guide (Streams, Events). */
#include "runtime/order/stream_order.h"
#include "sim/sim.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { P = 0x1000, READ = TC_SIM_READS, WRITE = TC_SIM_WRITES };

static int nfound;
static tc_stream_race last;
static uint64_t before;

static void found(void *user, const tc_stream_race *r) {
    (void)user;
    nfound++;
    last = *r;
    before = r->before->where;
}

static tc_stream_order *fresh(void) {
    nfound = 0;
    tc_stream_order *o = tc_stream_order_new(found, NULL);
    tc_stream_made(o, 1, true);
    tc_stream_made(o, 2, true);
    tc_stream_made(o, 3, false);
    return o;
}

static uint64_t calls;

/* A kernel of that stream. */
static void op(tc_stream_order *o, uint32_t stream, uint64_t at, uint64_t n,
               uint32_t how) {
    tc_stream_begin(o, &(tc_stream_op){TC_STREAM_KERNEL, stream, ++calls});
    tc_stream_touch(o, at, n, how, true);
}

/* One rule a row: what is between a write in stream `a` and a read in `b`. */
typedef struct row {
    const char *name;
    uint32_t a, b;
    void (*between)(tc_stream_order *o);
    int races;
} row;

static void nothing(tc_stream_order *o) {
    (void)o;
}
static void by_event(tc_stream_order *o) {
    tc_stream_record(o, 1, 7);
    tc_stream_after(o, 2, 7);
}
static void event_too_early(tc_stream_order *o) {
    tc_stream_after(o, 2, 7); /* not recorded: waits for nothing */
    tc_stream_record(o, 1, 7);
}
static void event_by_third(tc_stream_order *o) {
    tc_stream_record(o, 1, 7);
    tc_stream_after(o, 3, 7);
    tc_stream_record(o, 3, 8);
    tc_stream_after(o, 2, 8);
}
static void host_stream(tc_stream_order *o) {
    tc_stream_host_stream(o, 1);
}
static void host_other(tc_stream_order *o) {
    tc_stream_host_stream(o, 2);
}
static void host_all(tc_stream_order *o) {
    tc_stream_host_all(o);
}
static void host_event(tc_stream_order *o) {
    tc_stream_record(o, 1, 7);
    tc_stream_host_event(o, 7);
}
static void default_op(tc_stream_order *o) {
    op(o, 0, P + 4096, 4, WRITE);
}
static void host_default(tc_stream_order *o) {
    tc_stream_host_stream(o, 0);
}
static void destroyed(tc_stream_order *o) {
    tc_stream_gone(o, 1);
    tc_stream_made(o, 4, true);
}
static void destroyed_waited(tc_stream_order *o) {
    tc_stream_gone(o, 1);
    tc_stream_host_all(o);
    tc_stream_made(o, 4, true);
    op(o, 4, P, 4, WRITE); /* in the place of the stream that is gone */
    tc_stream_record(o, 4, 7);
    tc_stream_after(o, 2, 7);
}
static void elsewhere(tc_stream_order *o) {
    tc_stream_forget(o, P, 64); /* freed, and there again */
}

static const row rows[] = {
    {"one stream", 1, 1, nothing, 0},
    {"two streams", 1, 2, nothing, 1},
    {"event", 1, 2, by_event, 0},
    {"event not recorded yet", 1, 2, event_too_early, 1},
    {"events over a third stream", 1, 2, event_by_third, 0},
    {"host waits for the stream", 1, 2, host_stream, 0},
    {"host waits for the other one", 1, 2, host_other, 1},
    {"host waits for the device", 1, 2, host_all, 0},
    {"host waits for an event", 1, 2, host_event, 0},
    {"default stream then ordinary", 0, 1, nothing, 0},
    {"ordinary then default stream", 1, 0, nothing, 0},
    {"default stream then non-blocking", 0, 3, nothing, 1},
    {"non-blocking then default stream", 3, 0, nothing, 1},
    {"default stream between ordinary ones", 1, 2, default_op, 0},
    {"default stream before a non-blocking one", 1, 3, default_op, 1},
    {"host waits for the default stream", 1, 3, host_default, 0},
    {"host waits for the default stream only", 3, 1, host_default, 1},
    {"destroyed", 1, 2, destroyed, 1},
    {"destroyed, waited for, its place taken", 1, 2, destroyed_waited, 0},
    {"memory is other memory", 1, 2, elsewhere, 0},
};

static void order(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tc_stream_order *o = fresh();
        op(o, rows[i].a, P, 64, WRITE);
        rows[i].between(o);
        op(o, rows[i].b, P, 64, READ);
        if (nfound != rows[i].races) {
            fail_msg("%s: %d races, not %d", rows[i].name, nfound,
                     rows[i].races);
        }
        tc_stream_order_free(o);
    }
}

/* How the two accesses conflict. */
static void conflicts(void **state) {
    (void)state;
    const uint32_t all[] = {TC_SIM_READS, TC_SIM_READS_STRONG, TC_SIM_WRITES,
                            TC_SIM_WRITES_STRONG};
    const int want[4][4] = {
        {0, 0, 1, 1}, {0, 0, 1, 0}, {1, 1, 1, 1}, {1, 0, 1, 0}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            tc_stream_order *o = fresh();
            op(o, 1, P, 4, all[i]);
            op(o, 2, P, 4, all[j]);
            assert_int_equal(nfound, want[i][j]);
            tc_stream_order_free(o);
        }
    }
}

/* Neighbours in a word are no race; one byte in common is. */
static void bytes(void **state) {
    (void)state;
    tc_stream_order *o = fresh();
    op(o, 1, P, 4097, WRITE);
    op(o, 2, P + 4097, 4097, WRITE);
    assert_int_equal(nfound, 0);
    op(o, 3, P + 4096, 1, READ);
    assert_int_equal(nfound, 1);
    assert_int_equal(last.address, P + 4096);
    assert_true(last.wrote && !last.writes);
    tc_stream_order_free(o);
}

/* A write after the reads of three streams, one of which is waited for. */
static void readers(void **state) {
    (void)state;
    tc_stream_order *o = fresh();
    op(o, 1, P, 64, READ);
    op(o, 2, P, 64, READ);
    uint64_t second = calls;
    op(o, 3, P, 64, READ);
    tc_stream_record(o, 1, 1);
    tc_stream_record(o, 3, 3);
    tc_stream_after(o, 3, 1);
    op(o, 3, P, 64, WRITE);
    assert_int_equal(nfound, 1);
    assert_int_equal(before, second);
    tc_stream_order_free(o);
}

/* What the host may touch, and what it is told of. */
static void host(void **state) {
    (void)state;
    int n;
    tc_stream_order *o = fresh();
    op(o, 1, P, 64, READ);
    op(o, 2, P + 64, 64, WRITE);
    tc_stream_host_touch(o, P, false, 1000); /* both read */
    tc_stream_host_touch(o, P + 128, true, 1001);
    assert_int_equal(nfound, 0);
    tc_stream_host_touch(o, P, true, 1002);
    assert_int_equal(nfound, 1);
    assert_true(last.op == NULL && last.where == 1002 && last.writes);
    tc_stream_host_touch(o, P + 64, false, 1003);
    tc_stream_host_touch(o, P + 65, false, 1003); /* told once */
    assert_int_equal(nfound, 2);
    tc_stream_flights(o, &n);
    assert_int_equal(n, 2);
    tc_stream_host_stream(o, 1);
    const tc_stream_flight *f = tc_stream_flights(o, &n);
    assert_int_equal(n, 1);
    assert_int_equal(f->address, P + 64);
    tc_stream_host_touch(o, P, true, 1004);
    assert_int_equal(nfound, 2);
    tc_stream_host_all(o);
    tc_stream_flights(o, &n);
    assert_int_equal(n, 0);
    tc_stream_order_free(o);
}

/* A flag that a kernel writes atomically tells who polls it that the kernel's
 * data are there. */
static void flag(void **state) {
    (void)state;
    tc_stream_order *o = fresh();
    op(o, 1, P, 64, WRITE);
    tc_stream_touch(o, P + 64, 4, TC_SIM_WRITES_STRONG, true);
    tc_stream_host_touch(o, P + 64, false, 1000);
    tc_stream_host_touch(o, P, false, 1001);
    assert_int_equal(nfound, 0);
    tc_stream_order_free(o);
}

/* More streams than are followed: nothing is said. */
static void many(void **state) {
    (void)state;
    tc_stream_order *o = fresh();
    for (uint32_t i = 10; i < 2000; i++) {
        tc_stream_made(o, i, true);
    }
    op(o, 1, P, 4, WRITE);
    op(o, 2, P, 4, WRITE);
    assert_int_equal(nfound, 0);
    tc_stream_order_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order), cmocka_unit_test(conflicts),
        cmocka_unit_test(bytes), cmocka_unit_test(readers),
        cmocka_unit_test(host),  cmocka_unit_test(flag),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
