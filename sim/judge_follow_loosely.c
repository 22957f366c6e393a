/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules that follow their runs where the inputs do not determine every slot: stepped
 * clocks, several nodes, retention, and runs that may have waited in vain.  Each account must
 * be a slot that follows from some start or end, and none may be missing at the end.
 */
#include "sim/judge_account.h"

/* Whether `at` can be a slot if intervals count from `start`, a slot with a run, or any end. */
static bool can_follow_from(const struct schedule *s, const struct version *v, instant start,
                            instant at)
{
    struct judge_origin origin = {s->created, start, start};
    instant slot;

    if (judge_spec_next(v->spec, &origin, at - 1, at, &slot))
        return true;
    for (int i = 0; i < s->run_count; i++) {
        origin.last_end = s->runs[i].ended;
        if (origin.last_end < at && judge_spec_next(v->spec, &origin, at - 1, at, &slot))
            return true;
    }
    return false;
}

/* The last slot before this one that had a run; INSTANT_NONE: none. */
static instant last_slot_with_run(const struct schedule *s, instant at)
{
    instant last = INSTANT_NONE;

    for (int i = 0; i < s->run_count; i++)
        if (run_facts_is_automatic(&s->runs[i]) && s->runs[i].slot < at)
            last = s->runs[i].slot;
    return last;
}

/* Slots that are due in one turn are accounted for together, before one of them has a run. */
static bool is_accounted_together(const struct account_entry *e)
{
    return e->ledger && (e->ledger->account.reason == REASON_COALESCED ||
                         e->ledger->account.reason == REASON_BUFFER);
}

/*
 * Intervals from starts count from the last slot that has a run, even if that run is held.
 * They also count from a slot whose held run never started: it has a ledger row.
 */
static bool can_follow(const struct schedule *s, const struct version *v,
                       const struct account_entry *e, instant at)
{
    instant start = last_slot_with_run(s, at);

    if (can_follow_from(s, v, start, at))
        return true;
    if (is_accounted_together(e)) {
        start = last_slot_with_run(s, start);
        if (can_follow_from(s, v, start, at))
            return true;
    }
    for (int i = 0; i < s->ledger_count; i++) {
        const struct account *a = &s->ledger[i]->account;

        if ((a->first > start && a->first < at && can_follow_from(s, v, a->first, at)) ||
            (a->last > start && a->last < at && can_follow_from(s, v, a->last, at)))
            return true;
    }
    return false;
}

static enum rc check_follows(const struct schedule *s, const struct account_entry *e,
                             instant at, struct err *reterr)
{
    for (int i = 0; i < s->version_count; i++) {
        const struct version *v = &s->versions[i];

        if (at >= v->from - v->draft->def.jitter - SPAN_MS && at <= v->latest_until &&
            can_follow(s, v, e, at))
            return RC_OK;
    }
    return judge_fail(reterr, 2,
                      "schedule %" PRId64 ": %" PRId64
                      " ms is not a slot: it does not follow from any start or end",
                      s->key, MS(at));
}

/* The slot that must follow the last start and end, if nothing is open. */
static enum rc check_continues(const struct facts *facts, const struct schedule *s,
                               struct err *reterr)
{
    const struct version *v = &s->versions[s->version_count - 1];
    struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    instant until = judge_until(facts, s), next;

    if (until != INSTANT_NONE)
        until -= v->draft->def.jitter;
    if (!s->cursor || s->deleted != INSTANT_NEVER || s->closed != INSTANT_NEVER ||
        s->is_pruned || judge_budget_of(facts, s, v).is_spent || until <= s->cursor->mark)
        return RC_OK;
    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (rf->open && rf->kind != RUN_TEST)
            return RC_OK;
        if (run_facts_is_automatic(rf) && rf->slot > origin.last_start)
            origin.last_start = rf->slot;
        if (rf->ended != INSTANT_NEVER && rf->ended > origin.last_end && rf->kind != RUN_TEST)
            origin.last_end = rf->ended;
    }
    /* Only the cursor knows which of the slots without a start had been held. */
    if (s->cursor->last_held > origin.last_start)
        origin.last_start = s->cursor->last_held;
    if (origin.last_start > origin.last_end)
        origin.last_end = origin.last_start;
    if (judge_spec_next(v->spec, &origin, s->cursor->mark, until, &next))
        return judge_fail(reterr, 25,
                          "schedule %" PRId64 ": slot %" PRId64
                          " ms follows from its last run and has no account",
                          s->key, MS(next));
    return RC_OK;
}

enum rc judge_follow_loosely(const struct facts *facts, const struct schedule *s,
                             const struct account_entries *entries, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < entries->count && rc == RC_OK && !s->is_pruned; i++) {
        const struct account_entry *e = &entries->at[i];

        rc = check_follows(s, e, e->first, reterr);
        if (rc == RC_OK && e->last != e->first)
            rc = check_follows(s, e, e->last, reterr);
    }
    return rc == RC_OK ? check_continues(facts, s, reterr) : rc;
}
