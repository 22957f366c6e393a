/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the judged slots of a schedule end, from the inputs alone: the turns, the pauses, the
 * starts and the runs that wait.  Neither cursor nor ledger is asked, so that a mark that stays
 * behind hides no slot.
 */
#include "sim/judge_account.h"

static instant min_of(instant a, instant b)
{
    return a < b ? a : b;
}

static instant max_of(instant a, instant b)
{
    return a > b ? a : b;
}

/* ---- starts that wait ---- */

static bool decides_at_once(enum overlap overlap)
{
    return overlap == OVERLAP_SKIP || overlap == OVERLAP_ALLOW_ALL || overlap >= OVERLAP_COUNT;
}

bool judge_starts_at_once(const struct facts *facts, const struct schedule *s)
{
    for (int i = 0; i < s->version_count; i++)
        if (!decides_at_once(s->versions[i].draft->policies.overlap))
            return false;
    for (int i = 0; i < facts->command_count; i++) {
        const struct command *c = &facts->commands[i]->command;

        if (facts->commands[i]->reply.schedule != s->key ||
            facts->commands[i]->reply.rc != RC_OK)
            continue;
        if ((c->kind == COMMAND_TRIGGER && !decides_at_once(c->start.overlap)) ||
            c->kind == COMMAND_BACKFILL || (c->kind == COMMAND_RESUME && c->pause.replays))
            return false;
        if (facts->commands[i]->draft >= 0 &&
            (c->save.backfill.count > 0 || !decides_at_once(c->save.start.overlap)))
            return false;
    }
    return true;
}

/* Runs that wait at the end; *ret_slots of them are automatic. */
static int64_t count_waiting(const struct schedule *s, int64_t *ret_slots)
{
    int64_t all = 0;

    *ret_slots = 0;
    for (int i = 0; i < s->run_count; i++) {
        bool waits = s->runs[i].open && s->runs[i].open->state == RUN_HELD;

        all += waits;
        *ret_slots += waits && run_facts_is_automatic(&s->runs[i]);
    }
    return all;
}

/* Whether due slots may wait for room in the buffer, or for one of the last starts. */
static bool may_fill(const struct policies *p)
{
    bool queues_up = p->overlap == OVERLAP_BUFFER_ALL || p->overlap == OVERLAP_CANCEL_OTHER ||
                     p->overlap == OVERLAP_TERMINATE_OTHER;

    return (p->buffer_limit > 0 && queues_up && !p->drop_when_full) ||
           (p->remaining_runs >= 0 && !decides_at_once(p->overlap));
}

/* Whether they may wait at the end: the runs before them still do. */
static bool is_full(const struct schedule *s)
{
    const struct policies *p = &s->versions[s->version_count - 1].draft->policies;
    int64_t slots, waiting = count_waiting(s, &slots);

    if (p->remaining_runs >= 0 && slots > 0)
        return true;
    return p->buffer_limit > 0 && waiting >= p->buffer_limit && may_fill(p);
}

/* ---- the end ---- */

/* Since when the schedule has been paused or disabled at the end; INSTANT_NEVER: it is not. */
static instant barred_since(const struct facts *facts, const struct schedule *s)
{
    instant since = INSTANT_NEVER;

    for (int i = 0; i < s->pause_count; i++)
        if (s->pauses[i].latest == INSTANT_NEVER &&
            s->pauses[i].until > facts->now - JUDGE_SLACK)
            since = min_of(since, s->pauses[i].from);
    for (int i = s->pause_count; i-- > 0 && since != INSTANT_NEVER;)
        if (s->pauses[i].from < since && s->pauses[i].latest >= since - facts->skew) {
            since = s->pauses[i].from;
            i = s->pause_count;
        }
    return since;
}

/*
 * A full disk fails turns of any size.  The engine tries them with fewer schedules, so that the
 * first turns after it may leave due ones to the turns that follow at once.
 */
static bool is_small(const struct facts *facts, const struct rec_turn *turn)
{
    const struct record *record = facts->record;

    for (int i = 0; turn->is_partial && i < record->fault_count; i++)
        if (record->faults[i].kind == FAULT_DISK_FULL && record->faults[i].order < turn->order)
            return true;
    return false;
}

/* The clock of the last turn before a time by which all that was due then was decided. */
static instant turn_before(const struct facts *facts, instant t)
{
    instant last = INSTANT_NONE;

    for (int i = 0; i < facts->turn_count; i++)
        if (facts->turns[i]->now < t - facts->skew && !is_small(facts, facts->turns[i]))
            last = max_of(last, facts->turns[i]->now);
    return last;
}

static instant last_start(const struct schedule *s)
{
    instant last = INSTANT_NONE;

    for (int i = 0; i < s->run_count; i++)
        if (run_facts_is_automatic(&s->runs[i]))
            last = max_of(last, s->runs[i].slot);
    return last;
}

/*
 * Late slots that follow runs start one in each turn [P-16]: some may still be late, if the
 * policy starts all of them.
 */
static bool may_be_late(const struct schedule *s, instant turn)
{
    const struct version *v = &s->versions[s->version_count - 1];

    if (!judge_spec_follows(v->spec) || v->draft->policies.catchup != CATCHUP_ALL)
        return false;
    for (int i = 0; i < s->run_count; i++)
        if (run_facts_is_automatic(&s->runs[i]) && s->runs[i].created_at >= turn)
            return true;
    return false;
}

instant judge_until(const struct facts *facts, const struct schedule *s)
{
    const struct policies *p = &s->versions[s->version_count - 1].draft->policies;
    instant since = barred_since(facts, s);
    bool is_barred = since != INSTANT_NEVER, waits;
    instant until = is_barred ? turn_before(facts, since) : facts->now;

    if (is_barred && facts->record->clock_stepped)
        return INSTANT_NONE; /* the order of turns and pause is not known */
    /* What waited when a pause began still waits; the runs before it may be gone. */
    waits = is_barred ? may_fill(p) || may_be_late(s, until) : is_full(s);
    if (until != INSTANT_NONE)
        until -= JUDGE_SLACK;
    return waits ? min_of(until, last_start(s)) : until;
}

/* The one-off "now" is a slot at the creation, in whole milliseconds. */
static bool has_now(const struct version *v)
{
    for (int i = 0; i < v->draft->def.at_count; i++)
        if (v->draft->def.at[i] == INSTANT_NONE)
            return true;
    return false;
}

void judge_bounds(const struct facts *facts, const struct schedule *s, const struct version *v,
                  instant *ret_after, instant *ret_until)
{
    span jitter = v->draft->def.jitter;
    instant until = judge_until(facts, s);

    *ret_after = v != s->versions ? v->latest_from : has_now(v) ? v->from - SPAN_MS : v->from;
    *ret_until = v->until != INSTANT_NEVER ? v->until - jitter
                 : until == INSTANT_NONE   ? until
                                           : until - jitter;
    /* The mark is checked, too: no slot before it lacks an account. */
    if (v->until == INSTANT_NEVER && s->cursor)
        *ret_until = max_of(*ret_until, s->cursor->mark);
}

/* ---- limited starts ---- */

/* The edit that set the number of starts; the same number again changes nothing. */
static const struct version *set_by(const struct schedule *s, const struct version *v)
{
    while (v > s->versions &&
           v[-1].draft->policies.remaining_runs == v->draft->policies.remaining_runs)
        v--;
    return v;
}

struct judge_budget judge_budget_of(const struct facts *facts, const struct schedule *s,
                                    const struct version *v)
{
    const struct version *set = set_by(s, v);
    int64_t left = v->draft->policies.remaining_runs;
    struct judge_budget budget = {.is_exact = !facts->record->clock_stepped &&
                                              facts->skew == 0 && !s->is_pruned &&
                                              judge_starts_at_once(facts, s)};

    if (left < 0)
        return budget;
    for (int i = 0; i < s->run_count && budget.is_exact; i++)
        if (set > s->versions && s->runs[i].created_at == set->from)
            budget.is_exact = false; /* before the edit, or after it */
    for (int i = 0; i < s->run_count && !budget.is_spent; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (!run_facts_is_automatic(rf) || (budget.is_exact && rf->created_at < set->from))
            continue;
        if (--left == 0) {
            budget.is_spent = true;
            budget.last = rf->slot;
            budget.made = rf->created_at;
        }
    }
    return budget;
}
