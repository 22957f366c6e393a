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

/* What happens to one slot. */
struct fate {
    struct slot slot;
    enum outcome outcome; /* OUTCOME_STARTED: listed; OUTCOME_NONE: left for the next call */
    enum reason reason;
};

static struct world w;
static struct prng chance;
static struct fate fates[SLOTS_MAX];
static int fate_count;

static int below(int n)
{
    return (int)prng_below(&chance, (uint64_t)n);
}

static bool one_in(int n)
{
    return prng_chance(&chance, 1, (uint64_t)n);
}

static void make_spec(void)
{
    static const char *const crons[] = {"*/7 * * * *", "0 9-17 * * MON-FRI", "30 2 * * *",
                                        "*/20 5 */3 * * *", "0 */6 * * *"};
    static const char *const zones[] = {"UTC", "America/New_York", "Asia/Kathmandu"};
    static const int everies[] = {90, 600, 3600, 5400, 86400};

    begin_draft(&w.d, zones[below(3)]);
    for (int i = below(3); i > 0; i--)
        add_cron(&w.d, crons[below(5)], DIALECT_BELFRY);
    if (w.d.def.cron_count == 0 || one_in(3))
        add_every(&w.d, everies[below(5)] * SPAN_S + below(2) * SPAN_MS, 0,
                  one_in(2) ? ANCHOR_EPOCH : ANCHOR_START);
    if (one_in(3)) {
        struct calendar_text text = whole_days();

        text.weekday = STR("SAT,SUN");
        exclude(&w.d, text);
        if (one_in(2) && w.d.def.interval_count == 0)
            w.d.def.shift = SHIFT_NEXT;
    }
    if (one_in(3))
        w.d.def.jitter = (1 + below(120)) * SPAN_MIN;
    if (one_in(6))
        w.d.def.end = at("2022-06-06T00:00:00Z");
}

static void make_policies(void)
{
    struct policies *p = &w.plan.policies;

    p->catchup = (enum catchup)below(CATCHUP_COUNT);
    p->drop_when_full = one_in(2);
    if (one_in(2))
        p->catchup_window = prng_between(&chance, 0, one_in(2) ? 3600 : 48 * 3600) * SPAN_S;
    if (one_in(3))
        w.cursor.remaining = below(6);
    w.a.slots_max = one_in(3) ? below(8) : ADVANCE_SLOTS_MAX;
}

/* Some slots, and some times that are not slots. */
static void make_exceptions(void)
{
    instant t = w.a.now - below(4 * 86400) * SPAN_S;
    int count = one_in(2) ? below(EXCEPTIONS) : 0;
    struct slot slot;

    w.a.exception_count = 0;
    while (count-- > 0 && spec_next(&w.plan.spec, &w.a.ctx, t, &slot)) {
        t = one_in(5) ? slot.at - 1 : slot.at;
        if (w.a.exception_count == 0 || t > w.exceptions[w.a.exception_count - 1])
            w.exceptions[w.a.exception_count++] = t;
        t = slot.at + (one_in(2) ? 0 : below(20000) * SPAN_S);
    }
}

static bool make_case(void)
{
    struct slot slot;

    make_spec();
    make_plan(&w, "2022-06-01T00:00:00Z");
    w.cursor.mark += below(7 * 86400) * SPAN_S;
    w.cursor.last_slot = one_in(2) ? w.cursor.mark : INSTANT_NONE;
    prepare(&w, "2022-06-01T00:00:00Z");
    w.a.now = w.cursor.mark +
              prng_between(&chance, -3600, one_in(2) ? 86400 : 6 * 86400) * SPAN_S +
              below(1000) * SPAN_MS;
    w.a.ctx = advance_ctx(&w.plan, &w.cursor);
    /* Mistakes are most likely exactly at the time of a slot. */
    if (one_in(3) && spec_next(&w.plan.spec, &w.a.ctx, w.a.now, &slot))
        w.a.now = slot.due;
    make_policies();
    make_exceptions();
    /* The cursor may have the next slot, or advance() must find it. */
    if (one_in(2)) {
        w.cursor.next_at = INSTANT_NEVER;
        if (spec_next(&w.plan.spec, &w.a.ctx, w.cursor.mark, &slot))
            w.cursor.next_at = slot.at;
    } else {
        w.cursor.next_at = w.cursor.mark;
    }
    return spec_count(&w.plan.spec, &w.a.ctx, w.cursor.mark, w.a.now) < SLOTS_MAX;
}

static bool is_cancelled(instant t)
{
    for (int i = 0; i < w.a.exception_count; i++)
        if (w.exceptions[i] == t)
            return true;
    return false;
}

/* All slots that are due, each cancelled, too old, or undecided. */
static void walk_due(span window)
{
    instant after = w.cursor.mark;
    struct slot slot;

    fate_count = 0;
    while (spec_next(&w.plan.spec, &w.a.ctx, after, &slot) && slot.due <= w.a.now) {
        struct fate *fate = &fates[fate_count++];

        *fate = (struct fate){.slot = slot};
        if (is_cancelled(slot.at)) {
            fate->outcome = OUTCOME_SLOT_CANCELLED;
            fate->reason = REASON_USER;
        } else if (window >= 0 && w.a.now - slot.due > window) {
            fate->outcome = OUTCOME_MISSED;
            fate->reason = REASON_WINDOW;
        }
        after = slot.at;
    }
}

static void coalesce_undecided(int from, int to)
{
    for (int i = from; i < to; i++)
        if (fates[i].outcome == OUTCOME_NONE) {
            fates[i].outcome = OUTCOME_MISSED;
            fates[i].reason = REASON_COALESCED;
        }
}

/* The slot that runs in modes that start one; true if there was room or it was dropped. */
static bool decide_one(int i)
{
    if (w.a.slots_max > 0) {
        fates[i].outcome = OUTCOME_STARTED;
        return true;
    }
    if (!w.plan.policies.drop_when_full)
        return false;
    fates[i].outcome = OUTCOME_DROPPED;
    fates[i].reason = REASON_BUFFER;
    return true;
}

static void decide_latest(void)
{
    int i = fate_count - 1;

    while (i >= 0 && fates[i].outcome != OUTCOME_NONE)
        i--;
    if (i >= 0 && decide_one(i))
        coalesce_undecided(0, i);
}

static void decide_oldest(void)
{
    int i = 0;

    while (i < fate_count && fates[i].outcome != OUTCOME_NONE)
        i++;
    if (i < fate_count && decide_one(i))
        coalesce_undecided(i, fate_count);
}

static void decide_all(void)
{
    int64_t listed = 0, exist = w.cursor.remaining < 0 ? ADVANCE_SLOTS_MAX : w.cursor.remaining;

    if (w.plan.follows && exist > 1 && fate_count > 1)
        exist = 1;
    for (int i = 0; i < fate_count; i++) {
        if (fates[i].outcome != OUTCOME_NONE)
            continue;
        if (listed >= exist)
            return;
        if (listed < w.a.slots_max) {
            fates[i].outcome = OUTCOME_STARTED;
            listed++;
        } else if (w.plan.policies.drop_when_full) {
            fates[i].outcome = OUTCOME_DROPPED;
            fates[i].reason = REASON_BUFFER;
        } else {
            return;
        }
    }
}

static void decide(void)
{
    const struct policies *p = &w.plan.policies;
    span window = p->catchup_window;

    fate_count = 0;
    if (w.cursor.remaining == 0)
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

    while (n < fate_count && fates[n].outcome != OUTCOME_NONE)
        n++;
    return n;
}

static void compare_accounts(int number, int settled)
{
    int slots = 0, account = -1;
    int64_t left = 0;

    for (int i = 0; i < settled; i++) {
        const struct fate *fate = &fates[i];
        const struct account *now;

        if (fate->outcome == OUTCOME_STARTED) {
            assert_true(slots < w.a.slot_count && left == 0);
            assert_true(w.a.slots[slots].at == fate->slot.at);
            assert_true(w.a.slots[slots].due == fate->slot.due);
            slots++;
            continue;
        }
        if (left == 0) {
            if (++account >= w.a.account_count)
                fail_msg("case %d: no account for slot %d: %s", number, i, result_text(&w));
            left = w.a.accounts[account].count;
            assert_true(w.a.accounts[account].first == fate->slot.at);
        }
        now = &w.a.accounts[account];
        left--;
        if (now->outcome != fate->outcome || now->reason != fate->reason)
            fail_msg("case %d, slot %d is %s(%s): %s", number, i, outcome_text(fate->outcome),
                     reason_text(fate->reason), result_text(&w));
        assert_true(left > 0 || now->last == fate->slot.at);
    }
    assert_int_equal(left, 0);
    assert_int_equal(slots, w.a.slot_count);
    assert_int_equal(account + 1, w.a.account_count);
}

static void compare_mark_and_next(int number, int settled)
{
    instant mark = settled > 0 ? fates[settled - 1].slot.at : w.cursor.mark;
    int64_t count = w.a.slot_count;
    struct slot next = {.at = INSTANT_NEVER, .due = INSTANT_NEVER};

    if (w.a.mark != mark)
        fail_msg("case %d: mark is %lld, not %lld: %s", number, (long long)w.a.mark,
                 (long long)mark, result_text(&w));
    if (w.cursor.remaining != 0)
        (void)spec_next(&w.plan.spec, &w.a.ctx, mark, &next);
    if (w.a.next_at != next.at || w.a.next_due != next.due)
        fail_msg("case %d: next should be %lld: %s", number, (long long)next.at,
                 result_text(&w));
    for (int i = 0; i < w.a.account_count; i++)
        count += w.a.accounts[i].count;
    assert_int_equal(count, spec_count(&w.plan.spec, &w.a.ctx, w.cursor.mark, w.a.mark));
}

/* The slots after one that could not be decided are left for the next call. */
static void late_slots_meet_the_fate_that_the_rules_give_them(void **state)
{
    int compared = 0, listed = 0, accounted = 0, waiting = 0;

    (void)state;
    prng_seed(&chance, 3);
    for (int i = 0; i < CASES; i++) {
        int settled;

        if (!make_case())
            continue;
        decide();
        settled = decided();
        advance(&w.a);
        compare_accounts(i, settled);
        compare_mark_and_next(i, settled);
        compared++;
        listed += w.a.slot_count;
        accounted += w.a.account_count;
        waiting += settled < fate_count;
    }
    /* The random cases must have covered every branch. */
    assert_true(compared > CASES * 9 / 10 && listed > CASES && accounted > CASES);
    assert_true(waiting > CASES / 50);
}

static void slots_that_are_passed_over_have_one_fate_but_for_exceptions(void **state)
{
    (void)state;
    prng_seed(&chance, 4);
    for (int i = 0; i < CASES / 4; i++) {
        if (!make_case())
            continue;
        fate_count = 0;
        if (w.cursor.remaining != 0)
            walk_due(-1);
        for (int j = 0; j < fate_count; j++)
            if (fates[j].outcome == OUTCOME_NONE) {
                fates[j].outcome = OUTCOME_DROPPED;
                fates[j].reason = REASON_DELETED;
            }
        advance_account_due(&w.a, OUTCOME_DROPPED, REASON_DELETED);
        compare_accounts(i, fate_count);
        compare_mark_and_next(i, fate_count);
    }
}

/* Calls advance() at one time until no slot is undecided; returns how many were decided. */
static int64_t finish_all(void)
{
    int64_t count = 0, settled;

    do {
        advance(&w.a);
        settled = w.a.slot_count;
        for (int i = 0; i < w.a.account_count; i++)
            settled += w.a.accounts[i].count;
        count += settled;
        w.cursor.mark = w.a.mark;
        w.cursor.next_at = w.a.next_at;
    } while (settled > 0);
    return count;
}

static void calls_in_between_lose_nothing_and_double_nothing(void **state)
{
    int compared = 0;

    (void)state;
    prng_seed(&chance, 5);
    for (int i = 0; i < CASES / 10; i++) {
        instant from, until;
        int64_t count = 0;

        if (!make_case() || w.cursor.remaining >= 0 || w.a.now <= w.cursor.mark)
            continue;
        w.plan.policies.drop_when_full = true; /* otherwise waiting slots stay undecided */
        from = w.cursor.mark;
        until = w.a.now;
        for (int step = 1; step <= 5; step++) {
            w.a.now = from + (until - from) / 5 * step;
            count += finish_all();
            assert_true(w.a.next_due > w.a.now);
        }
        assert_int_equal(count, spec_count(&w.plan.spec, &w.a.ctx, from, w.cursor.mark));
        compared++;
    }
    assert_true(compared > CASES / 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_slots_meet_the_fate_that_the_rules_give_them),
        cmocka_unit_test(slots_that_are_passed_over_have_one_fate_but_for_exceptions),
        cmocka_unit_test(calls_in_between_lose_nothing_and_double_nothing),
    };

    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
