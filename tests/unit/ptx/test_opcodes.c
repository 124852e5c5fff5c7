/* test_opcodes.c - ops.def's rows: every opcode has a form, a unit, a class, a
 * cost, an executing function and a rule, and its effect agrees with its forms;
 * and an op's destinations are those of its form. What fails names the opcode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"
#include "ptx/internal.h"
#include "sim/core/code.h"
#include "sim/timing/profile.h"
#include <stdio.h>
#include <string.h>

/* ---- the rows ---- */

enum { /* classes that depend on the op */
       TC_CLASS_UNIT = TC_CLASS_COUNT,
       TC_CLASS_LOAD,
       TC_CLASS_STORE,
       CLASSES
};

static const struct row {
    const char *id;
    uint8_t class;
    tc_sim_op_fn *execute;
    tc_ptx_rule *rule;
} rows[TC_PTX_OPCODE_COUNT] = {
#define TC_PTX_OP(id, name, section, units, class, effect, target, modifiers,  \
                  rule)                                                        \
    [TC_PTX_##id] = {#id, TC_CLASS_##class, tc_sim_op_##id, tc_ptx_rule_##rule},
#include "ptx/ops.def"
};

static const struct form {
    uint16_t op;
    const char *operands;
} forms[] = {
#define TC_PTX_FORM(op, types, types2, allowed, need1, need2, operands)        \
    {TC_PTX_##op, operands},
#define TC_PTX_FORM_MORE(op, types, types2, allowed, more, need1, need2,       \
                         operands)                                             \
    {TC_PTX_##op, operands},
#include "ptx/forms.def"
};
enum { FORMS = sizeof forms / sizeof *forms };

static void test_rows(void **state) {
    (void)state;
    for (int i = 0; i < TC_PTX_OPCODE_COUNT; i++) {
        const tc_ptx_op_info *o = &tc_ptx_ops[i];
        int n = 0;
        for (int f = 0; f < FORMS; f++) {
            n += forms[f].op == i;
        }
        if (n == 0 || !rows[i].execute || !rows[i].rule || !o->name ||
            !o->section || strncmp(o->section, "9.7.", 4) != 0) {
            fail_msg("%s: has no form, function, rule or section", rows[i].id);
        }
        for (int k = 0; k < TC_PTX_UNIT_COLUMNS; k++) {
            assert_true(o->unit[k] < TC_PU_COUNT);
        }
        if (rows[i].class >= CLASSES || o->effect >= TC_PTX_EFFECT_COUNT) {
            fail_msg("%s: has no class or effect", o->name);
        }
        if ((o->target.sm == 0) != (o->target.family == TC_PTX_FAMILY_NONE) &&
            o->target.sm == 0) {
            fail_msg("%s: a suffix of no target", o->name);
        }
        for (int j = 0; j < i; j++) {
            if (strcmp(o->name, tc_ptx_ops[j].name) == 0) {
                fail_msg("%s: has two rows", o->name);
            }
        }
    }
}

/* Of every type: a unit's share is taken, and what is no access gives its
 * result some time later. */
static void test_costs(void **state) {
    (void)state;
    static const int sms[] = {80, 90, 100};
    for (int i = 0; i < TC_PTX_OPCODE_COUNT; i++) {
        for (int t = 0; t < TC_PT_COUNT; t++) {
            tc_ptx_op op = {.opcode = (uint16_t)i, .type = (uint8_t)t};
            bool lsu = tc_ptx_unit_of(&op) == TC_PU_LSU;
            for (int k = 0; k < 3; k++) {
                tc_machine m = {.sm = sms[k]};
                tc_unit_cost c = tc_cost_of(tc_profile_of(&m), &op);
                if (c.interval == 0 || (c.latency == 0 && !lsu)) {
                    fail_msg("%s%s: costs nothing on sm_%d", tc_ptx_ops[i].name,
                             tc_ptx_type_names[t], sms[k]);
                }
            }
        }
    }
}

/* ---- effects ---- */

static bool has(const char *operands, const char *letters) {
    return strpbrk(operands, letters) != NULL;
}

/* The effect of an opcode in the light of one of its forms. */
static bool agrees(int opcode, const char *operands) {
    bool address = has(operands, "a0126");
    bool writes = has(operands, "dgwUpqDVYEXmAHjRL");
    switch ((tc_ptx_effect)tc_ptx_ops[opcode].effect) {
    case TC_PTX_EFFECT_NONE: /* that one only has to do with its number */
        return !address || opcode == TC_PTX_CREATEPOLICY_RANGE;
    case TC_PTX_EFFECT_LOAD:
    case TC_PTX_EFFECT_TMEM_LOAD:
        return address && writes;
    case TC_PTX_EFFECT_STORE:
    case TC_PTX_EFFECT_HINT:
    case TC_PTX_EFFECT_COPY:
    case TC_PTX_EFFECT_REDUCE:
    case TC_PTX_EFFECT_ST_ASYNC:
    case TC_PTX_EFFECT_RED_ASYNC:
    case TC_PTX_EFFECT_TMEM_STORE:
    case TC_PTX_EFFECT_TMEM_COPY:
        return address && !writes;
    case TC_PTX_EFFECT_ATOMIC:
    case TC_PTX_EFFECT_MBARRIER:
        return address;
    case TC_PTX_EFFECT_ASYNC_MMA:
        return !address && writes;
    case TC_PTX_EFFECT_BARRIER: /* bar.red has a result */
        return !address;
    case TC_PTX_EFFECT_GROUP:
    case TC_PTX_EFFECT_FENCE:
        return !writes;
    case TC_PTX_EFFECT_CALL:
        return opcode == TC_PTX_CALL;
    case TC_PTX_EFFECT_COUNT:
        break;
    }
    return false;
}

static void test_effects(void **state) {
    (void)state;
    static const char letters[] = "dswexghUupqbcDSVWalYEGFXvynCNmoABjtzkRZMf"
                                  "HIJKPQLir0123456789#?";
    for (int f = 0; f < FORMS; f++) {
        const char *operands = forms[f].operands;
        if (operands[strspn(operands, letters)] != 0) {
            fail_msg("%s: its form \"%s\" has a letter that forms.def's head "
                     "does not explain",
                     tc_ptx_ops[forms[f].op].name, operands);
        }
        if (!agrees(forms[f].op, forms[f].operands)) {
            fail_msg("%s: its effect does not go with its form \"%s\"",
                     tc_ptx_ops[forms[f].op].name, forms[f].operands);
        }
    }
    for (int i = 0; i < TC_PTX_OPCODE_COUNT; i++) {
        tc_ptx_effect e = (tc_ptx_effect)tc_ptx_ops[i].effect;
        uint8_t c = rows[i].class;
        bool load = c == TC_CLASS_LOAD || c == TC_CLASS_LDSM;
        bool store = c == TC_CLASS_STORE || c == TC_CLASS_STSM;
        if ((load && e != TC_PTX_EFFECT_LOAD) ||
            (store && e != TC_PTX_EFFECT_STORE) ||
            ((c == TC_CLASS_ATOM) != (e == TC_PTX_EFFECT_ATOMIC)) ||
            (c == TC_CLASS_MEMBAR && e != TC_PTX_EFFECT_FENCE) ||
            (e == TC_PTX_EFFECT_MBARRIER && c != TC_CLASS_MBARRIER)) {
            fail_msg("%s: its class does not go with its effect",
                     tc_ptx_ops[i].name);
        }
    }
}

/* ---- destinations ---- */

static void complain(void *user, const tc_diag *d) {
    fprintf(stderr, "%s%d: %s\n", (const char *)user, d->line, d->message);
}

static void test_destinations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned dst, src; /* a bit an operand of tc_ptx_op.a */
    } ops[] = {
        {"add.s32 %r1, %r2, %r3;", 1, 6},
        {"mad.wide.u32 %d1, %r1, %r2, %d2;", 1, 14},
        {"mov.b64 {%r1, %r2}, %d1;", 1, 2},
        {"setp.lt.s32 %p1, %r1, %r2;", 1, 12},
        {"setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;", 3, 28},
        {"lop3.b32 %r1, %r2, %r3, %r4, 0x80;", 1, 60},
        {"lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2;", 3, 124},
        {"lop3.or.b32 _|%p1, %r2, %r3, %r4, 0x80, %p2;", 2, 124},
        {"shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;", 3, 60},
        {"shfl.sync.up.b32 %r1, %r2, 1, 0, -1;", 1, 60},
        {"vote.sync.ballot.b32 %r1, %p1, -1;", 1, 6},
        {"match.all.sync.b32 %r1|%p1, %r2, -1;", 3, 12},
        {"elect.sync _|%p1, -1;", 2, 4},
        {"activemask.b32 %r1;", 1, 0},
        {"ld.global.v2.u32 {%r1, %r2}, [%d1];", 1, 2},
        {"st.global.u32 [%d1], %r1;", 0, 3},
        {"atom.global.add.u32 %r1, [%d1], %r2;", 1, 6},
        {"atom.global.add.u32 _, [%d1], %r2;", 0, 6},
        {"red.global.add.u32 [%d1], %r2;", 0, 3},
        {"bar.sync %r1;", 0, 1},
        {"bar.red.popc.u32 %r1, 0, %p1;", 1, 10},
        {"nanosleep.u32 %r1;", 0, 1},
        {"mbarrier.arrive.shared.b64 %d1, [%r1];", 1, 2},
        {"mbarrier.test_wait.shared.b64 %p1, [%r1], %d1;", 1, 6},
        {"cp.async.ca.shared.global [%r1], [%d1], 4;", 0, 7},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];", 1, 2},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
         "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
         "{%f1, %f2, %f3, %f4};",
         1, 14},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
         "{%f1, %f2, %f3, %f4}, %d1, %d2, 1, 1, 1, 0, 0;",
         1, 255},
        {"ret;", 0, 0},
    };
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, ".version 8.6\n.target sm_90a\n.entry k()\n{\n"
                    ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .f32 %f<9>;\n"
                    ".reg .pred %p<9>;\n");
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        tc_buf_printf(&b, "%s\n", ops[i].text);
    }
    tc_buf_puts(&b, "}\n");
    tc_arena *a = tc_arena_new();
    char user[] = "";
    tc_diags d = {.fn = complain, .user = user};
    tc_source s = {"test.ptx", b.data, strlen(b.data), 1};
    tc_ptx_module *m = tc_ptx_parse(a, &s, &d);
    assert_non_null(m);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (m->code[i].dst != ops[i].dst || m->code[i].src != ops[i].src) {
            fail_msg("%s: writes %u and reads %u, not %u and %u", ops[i].text,
                     m->code[i].dst, m->code[i].src, ops[i].dst, ops[i].src);
        }
    }
    tc_arena_free(a);
    tc_buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_effects),
        cmocka_unit_test(test_destinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
