/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where slots depend on runs, a new run must not remove slots that were due before it: those
 * between the end of the last run and the creation of the new one.  Invariant 1.
 *
 * Nothing that these slots count from changes in that time, so the judge can list them.
 * Intervals that count from starts are left out: the record does not always show which run was
 * created last.
 */
#include "sim/judge_facts.h"

static bool is_counted(const struct run_facts *rf)
{
    return rf->kind != RUN_TEST;
}

/* The last end before a run was created, or the creation; false: another may have been open. */
static bool find_end(const struct schedule *s, const struct run_facts *by, instant *ret)
{
    *ret = s->created;
    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (rf->kind < 0)
            return false;
        if (!is_counted(rf) || rf->created_at >= by->created_at)
            continue;
        if (rf->ended > by->created_at)
            return false;
        *ret = rf->ended > *ret ? rf->ended : *ret;
        if (run_facts_is_automatic(rf) && rf->slot > *ret)
            *ret = rf->slot; /* it ended by a clock that is behind */
    }
    return true;
}

/* The version that was in force all the time; NULL: there was an edit. */
static const struct version *version_of(const struct schedule *s, instant from, instant until)
{
    for (int i = 0; i < s->version_count; i++) {
        const struct version *v = &s->versions[i];

        if (v->latest_from <= from && v->until > until)
            return v;
    }
    return NULL;
}

/* Whether its policies let slots wait, or limit the number of starts. */
static bool may_wait(const struct policies *p)
{
    bool piles_up = p->overlap != OVERLAP_SKIP && p->overlap != OVERLAP_BUFFER_ONE &&
                    p->overlap != OVERLAP_ALLOW_ALL;

    return p->catchup_paused || p->remaining_runs >= 0 ||
           (p->buffer_limit > 0 && piles_up && !p->drop_when_full);
}

static bool has_account(const struct schedule *s, instant at)
{
    for (int i = 0; i < s->run_count; i++)
        if (run_facts_is_automatic(&s->runs[i]) && s->runs[i].slot == at)
            return true;
    for (int i = 0; i < s->ledger_count; i++)
        if (s->ledger[i]->pass == 0 && s->ledger[i]->account.first <= at &&
            s->ledger[i]->account.last >= at)
            return true;
    return s->cursor && s->cursor->mark < at && s->cursor->next_at <= at; /* it waits */
}

/*
 * Each slot that was due when the run was created has an account.  If every due slot must
 * start, only the first is checked: its own run moves the others.
 */
static enum rc check_opening(const struct facts *facts, const struct schedule *s,
                             const struct run_facts *by, struct err *reterr)
{
    struct judge_origin origin = {s->created, INSTANT_NEVER, INSTANT_NONE};
    instant opened = by->created_at, end, at, until;
    const struct version *v;

    if (!find_end(s, by, &end))
        return RC_OK;
    v = version_of(s, end, opened);
    if (!v || may_wait(&v->draft->policies))
        return RC_OK;
    origin.last_end = at = end;
    until = run_facts_is_automatic(by) ? by->slot - 1 : opened - facts->skew;
    for (int i = 0; judge_spec_next(v->spec, &origin, at, until, &at); i++) {
        instant due = at + v->draft->def.jitter;
        bool is_settled = i == 0 || (v->draft->policies.catchup != CATCHUP_ALL && due < opened);

        if (!is_settled && !run_facts_is_automatic(by))
            break;
        if (v->until != INSTANT_NEVER && due + JUDGE_SLACK > v->until)
            break;
        if (!has_account(s, at))
            return judge_fail(reterr, 1,
                              "schedule %" PRId64 ": slot %" PRId64
                              " ms has no account: a run was made at %" PRId64 " ms",
                              s->key, MS(at), MS(opened));
    }
    return RC_OK;
}

enum rc judge_opened(struct facts *facts, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->schedule_count && !facts->record->clock_stepped; i++) {
        const struct schedule *s = &facts->schedules[i];

        for (int k = 0; k < s->run_count && !s->is_governed && !s->is_pruned; k++)
            if (is_counted(&s->runs[k]) && rc == RC_OK)
                rc = check_opening(facts, s, &s->runs[k], reterr);
    }
    return rc;
}
