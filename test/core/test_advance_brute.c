/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advance() and advance_account_due() compared with a naive model that walks every slot and
 * decides each by the written rules.  And conservation: the slots that are listed or accounted
 * for are exactly those between the marks.
 */
#include "core/advance.h"

#include "advancing.h"
#include "base/prng.h"

enum {
    CASES = 6000,
    SLOTS_MAX = 3000, /* of one case, so that the naive model is fast enough */
    EXCEPTIONS = 12,
};

/* What the model decides about one slot. */
struct decision {
    struct slot slot;
    enum outcome outcome; /* OUTCOME_STARTED: listed; OUTCOME_NONE: left for the next call */
    enum reason reason;
};

static struct fixture f;
static struct prng prng;
static struct decision decisions[SLOTS_MAX];
static int decision_count;

static int below(int n)
{
    return (int)prng_below(&prng, (uint64_t)n);
}

static bool one_in(int n)
{
    return prng_chance(&prng, 1, (uint64_t)n);
}

static void make_spec(void)
{
    static const char *const crons[] = {"*/7 * * * *", "0 9-17 * * MON-FRI", "30 2 * * *",
                                        "*/20 5 */3 * * *", "0 */6 * * *"};
    static const char *const zones[] = {"UTC", "America/New_York", "Asia/Kathmandu"};
    static const int everies[] = {90, 600, 3600, 5400, 86400};

    begin_draft(&f.d, zones[below(3)]);
    for (int i = below(3); i > 0; i--)
        add_cron(&f.d, crons[below(5)], DIALECT_BELFRY);
    if (f.d.def.cron_count == 0 || one_in(3))
        add_every(&f.d, everies[below(5)] * SPAN_S + below(2) * SPAN_MS, 0,
                  one_in(2) ? ANCHOR_EPOCH : ANCHOR_START);
    if (one_in(3)) {
        struct calendar_text text = whole_days();

        text.weekday = STR("SAT,SUN");
        exclude(&f.d, text);
        if (one_in(2) && f.d.def.interval_count == 0)
            f.d.def.shift = SHIFT_NEXT;
    }
    if (one_in(3))
        f.d.def.jitter = (1 + below(120)) * SPAN_MIN;
    if (one_in(6))
        f.d.def.end = at("2022-06-06T00:00:00Z");
}

static void make_policies(void)
{
    struct policies *p = &f.plan.policies;

    p->catchup = (enum catchup)below(CATCHUP_COUNT);
    p->drop_when_full = one_in(2);
    if (one_in(2))
        p->catchup_window = prng_between(&prng, 0, one_in(2) ? 3600 : 48 * 3600) * SPAN_S;
    if (one_in(3))
        f.cursor.remaining = below(6);
    f.a.slots_max = one_in(3) ? below(8) : ADVANCE_SLOTS_MAX;
}

/* Some slots, and some times that are not slots. */
static void make_exceptions(void)
{
    instant t = f.a.now - below(4 * 86400) * SPAN_S;
    int count = one_in(2) ? below(EXCEPTIONS) : 0;
    struct slot slot;

    f.a.exception_count = 0;
    while (count-- > 0 && spec_next(&f.plan.spec, &f.a.ctx, t, &slot)) {
        t = one_in(5) ? slot.at - 1 : slot.at;
        if (f.a.exception_count == 0 || t > f.exceptions[f.a.exception_count - 1])
            f.exceptions[f.a.exception_count++] = t;
        t = slot.at + (one_in(2) ? 0 : below(20000) * SPAN_S);
    }
}

static bool make_case(void)
{
    struct slot slot;

    make_spec();
    make_plan(&f, "2022-06-01T00:00:00Z");
    f.cursor.mark += below(7 * 86400) * SPAN_S;
    f.cursor.last_slot = one_in(2) ? f.cursor.mark : INSTANT_NONE;
    prepare(&f, "2022-06-01T00:00:00Z");
    f.a.now = f.cursor.mark +
              prng_between(&prng, -3600, one_in(2) ? 86400 : 6 * 86400) * SPAN_S +
              below(1000) * SPAN_MS;
    f.a.ctx = advance_ctx(&f.plan, &f.cursor);
    /* Mistakes are most likely exactly at the time of a slot. */
    if (one_in(3) && spec_next(&f.plan.spec, &f.a.ctx, f.a.now, &slot))
        f.a.now = slot.due;
    make_policies();
    make_exceptions();
    /* The cursor may have the next slot, or advance() must find it. */
    if (one_in(2)) {
        f.cursor.next_at = INSTANT_NEVER;
        if (spec_next(&f.plan.spec, &f.a.ctx, f.cursor.mark, &slot))
            f.cursor.next_at = slot.at;
    } else {
        f.cursor.next_at = f.cursor.mark;
    }
    return spec_count(&f.plan.spec, &f.a.ctx, f.cursor.mark, f.a.now) < SLOTS_MAX;
}

static bool is_cancelled(instant t)
{
    for (int i = 0; i < f.a.exception_count; i++)
        if (f.exceptions[i] == t)
            return true;
    return false;
}

/* All slots that are due, each cancelled, too old, or undecided. */
static void walk_due(span window)
{
    instant after = f.cursor.mark;
    struct slot slot;

    decision_count = 0;
    while (spec_next(&f.plan.spec, &f.a.ctx, after, &slot) && slot.due <= f.a.now) {
        struct decision *decision = &decisions[decision_count++];

        *decision = (struct decision){.slot = slot};
        if (is_cancelled(slot.at)) {
            decision->outcome = OUTCOME_SLOT_CANCELLED;
            decision->reason = REASON_USER;
        } else if (window >= 0 && f.a.now - slot.due > window) {
            decision->outcome = OUTCOME_MISSED;
            decision->reason = REASON_WINDOW;
        }
        after = slot.at;
    }
}

static void coalesce_undecided(int from, int to)
{
    for (int i = from; i < to; i++)
        if (decisions[i].outcome == OUTCOME_NONE) {
            decisions[i].outcome = OUTCOME_MISSED;
            decisions[i].reason = REASON_COALESCED;
        }
}

/* The slot that runs in modes that start one; true if there was room or it was dropped. */
static bool decide_one(int i)
{
    if (f.a.slots_max > 0) {
        decisions[i].outcome = OUTCOME_STARTED;
        return true;
    }
    if (!f.plan.policies.drop_when_full)
        return false;
    decisions[i].outcome = OUTCOME_DROPPED;
    decisions[i].reason = REASON_BUFFER;
    return true;
}

static void decide_latest(void)
{
    int i = decision_count - 1;

    while (i >= 0 && decisions[i].outcome != OUTCOME_NONE)
        i--;
    if (i >= 0 && decide_one(i))
        coalesce_undecided(0, i);
}

static void decide_oldest(void)
{
    int i = 0;

    while (i < decision_count && decisions[i].outcome != OUTCOME_NONE)
        i++;
    if (i < decision_count && decide_one(i))
        coalesce_undecided(i, decision_count);
}

static void decide_all(void)
{
    int64_t listed = 0, exist = f.cursor.remaining < 0 ? ADVANCE_SLOTS_MAX : f.cursor.remaining;

    if (f.plan.follows && exist > 1 && decision_count > 1)
        exist = 1;
    for (int i = 0; i < decision_count; i++) {
        if (decisions[i].outcome != OUTCOME_NONE)
            continue;
        if (listed >= exist)
            return;
        if (listed < f.a.slots_max) {
            decisions[i].outcome = OUTCOME_STARTED;
            listed++;
        } else if (f.plan.policies.drop_when_full) {
            decisions[i].outcome = OUTCOME_DROPPED;
            decisions[i].reason = REASON_BUFFER;
        } else {
            return;
        }
    }
}

static void decide(void)
{
    const struct policies *p = &f.plan.policies;
    span window = p->catchup_window;

    decision_count = 0;
    if (f.cursor.remaining == 0)
        return;
    if (p->catchup == CATCHUP_NONE && (window < 0 || window > 30 * SPAN_S))
        window = 30 * SPAN_S;
    walk_due(window);
    if (p->catchup == CATCHUP_ALL)
        decide_all();
    else if (p->catchup == CATCHUP_OLDEST)
        decide_oldest();
    else
        decide_latest();
}

/* The number of slots before the first undecided one. */
static int decided(void)
{
    int n = 0;

    while (n < decision_count && decisions[n].outcome != OUTCOME_NONE)
        n++;
    return n;
}

static void compare_accounts(int number, int settled)
{
    int slots = 0, account = -1;
    int64_t left = 0;

    for (int i = 0; i < settled; i++) {
        const struct decision *decision = &decisions[i];
        const struct account *now;

        if (decision->outcome == OUTCOME_STARTED) {
            assert_true(slots < f.a.slot_count && left == 0);
            assert_true(f.a.slots[slots].at == decision->slot.at);
            assert_true(f.a.slots[slots].due == decision->slot.due);
            slots++;
            continue;
        }
        if (left == 0) {
            if (++account >= f.a.account_count)
                fail_msg("case %d: no account for slot %d: %s", number, i, result_text(&f));
            left = f.a.accounts[account].count;
            assert_true(f.a.accounts[account].first == decision->slot.at);
        }
        now = &f.a.accounts[account];
        left--;
        if (now->outcome != decision->outcome || now->reason != decision->reason)
            fail_msg("case %d, slot %d is %s(%s): %s", number, i,
                     outcome_text(decision->outcome), reason_text(decision->reason),
                     result_text(&f));
        assert_true(left > 0 || now->last == decision->slot.at);
    }
    assert_int_equal(left, 0);
    assert_int_equal(slots, f.a.slot_count);
    assert_int_equal(account + 1, f.a.account_count);
}

static void compare_mark_and_next(int number, int settled)
{
    instant mark = settled > 0 ? decisions[settled - 1].slot.at : f.cursor.mark;
    int64_t count = f.a.slot_count;
    struct slot next = {.at = INSTANT_NEVER, .due = INSTANT_NEVER};

    if (f.a.mark != mark)
        fail_msg("case %d: mark is %lld, not %lld: %s", number, (long long)f.a.mark,
                 (long long)mark, result_text(&f));
    if (f.cursor.remaining != 0)
        (void)spec_next(&f.plan.spec, &f.a.ctx, mark, &next);
    if (f.a.next_at != next.at || f.a.next_due != next.due)
        fail_msg("case %d: next should be %lld: %s", number, (long long)next.at,
                 result_text(&f));
    for (int i = 0; i < f.a.account_count; i++)
        count += f.a.accounts[i].count;
    assert_int_equal(count, spec_count(&f.plan.spec, &f.a.ctx, f.cursor.mark, f.a.mark));
}

/* The slots after one that could not be decided are left for the next call. */
static void late_slots_are_decided_by_the_written_rules(void **state)
{
    int compared = 0, listed = 0, accounted = 0, waiting = 0;

    (void)state;
    prng_seed(&prng, 3);
    for (int i = 0; i < CASES; i++) {
        int settled;

        if (!make_case())
            continue;
        decide();
        settled = decided();
        advance(&f.a);
        compare_accounts(i, settled);
        compare_mark_and_next(i, settled);
        compared++;
        listed += f.a.slot_count;
        accounted += f.a.account_count;
        waiting += settled < decision_count;
    }
    /* The random cases must have covered every branch. */
    assert_true(compared > CASES * 9 / 10 && listed > CASES && accounted > CASES);
    assert_true(waiting > CASES / 50);
}

static void accounted_slots_have_one_outcome_except_cancelled_ones(void **state)
{
    (void)state;
    prng_seed(&prng, 4);
    for (int i = 0; i < CASES / 4; i++) {
        if (!make_case())
            continue;
        decision_count = 0;
        if (f.cursor.remaining != 0)
            walk_due(-1);
        for (int j = 0; j < decision_count; j++)
            if (decisions[j].outcome == OUTCOME_NONE) {
                decisions[j].outcome = OUTCOME_DROPPED;
                decisions[j].reason = REASON_DELETED;
            }
        advance_account_due(&f.a, OUTCOME_DROPPED, REASON_DELETED);
        compare_accounts(i, decision_count);
        compare_mark_and_next(i, decision_count);
    }
}

/* Calls advance() at one time until no slot is undecided; returns how many were decided. */
static int64_t finish_all(void)
{
    int64_t count = 0, settled;

    do {
        advance(&f.a);
        settled = f.a.slot_count;
        for (int i = 0; i < f.a.account_count; i++)
            settled += f.a.accounts[i].count;
        count += settled;
        f.cursor.mark = f.a.mark;
        f.cursor.next_at = f.a.next_at;
    } while (settled > 0);
    return count;
}

static void several_calls_account_for_each_slot_once(void **state)
{
    int compared = 0;

    (void)state;
    prng_seed(&prng, 5);
    for (int i = 0; i < CASES / 10; i++) {
        instant from, until;
        int64_t count = 0;

        if (!make_case() || f.cursor.remaining >= 0 || f.a.now <= f.cursor.mark)
            continue;
        f.plan.policies.drop_when_full = true; /* otherwise waiting slots stay undecided */
        from = f.cursor.mark;
        until = f.a.now;
        for (int step = 1; step <= 5; step++) {
            f.a.now = from + (until - from) / 5 * step;
            count += finish_all();
            assert_true(f.a.next_due > f.a.now);
        }
        assert_int_equal(count, spec_count(&f.plan.spec, &f.a.ctx, from, f.cursor.mark));
        compared++;
    }
    assert_true(compared > CASES / 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_slots_are_decided_by_the_written_rules),
        cmocka_unit_test(accounted_slots_have_one_outcome_except_cancelled_ones),
        cmocka_unit_test(several_calls_account_for_each_slot_once),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
