/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After the faults have stopped: nothing is stuck, nothing starves, nothing is late.
 * Invariants 18 and 25 to 28, for runs; judge_account.c has 25 for slots.
 */
#include "sim/judge_facts.h"

/* The longest time that any schedule of the record allows without progress. */
struct longest {
    span lease; /* heartbeat and grace */
    span retry;
};

static struct longest longest_of(const struct record *record)
{
    struct longest longest = {0, 0};

    for (int i = 0; i < record->draft_count; i++) {
        const struct policies *p = &record->drafts[i].policies;

        if (p->heartbeat + p->grace > longest.lease)
            longest.lease = p->heartbeat + p->grace;
        if (p->retry.max + p->retry.jitter > longest.retry)
            longest.retry = p->retry.max + p->retry.jitter;
    }
    return longest;
}

static const struct node *node_of(const struct record *record, int64_t id)
{
    for (int i = 0; i < record->node_count; i++)
        if (record->nodes[i].id == id)
            return &record->nodes[i];
    return NULL;
}

/* ---- zombies ---- */

static enum rc check_holder(const struct facts *facts, const struct run_facts *rf,
                            const struct longest *longest, struct err *reterr)
{
    const struct run *run = rf->open;
    const struct node *node = node_of(facts->record, run->node);
    instant until = run->lease_until + longest->lease;

    if (!run_is_claimed(run->state))
        return RC_OK;
    if (run->node != 0 &&
        (!node || node->state != NODE_UP || node->lease_until < facts->now - JUDGE_PATIENCE))
        return judge_fail(reterr, 18,
                          RUN_FACTS_FMT " is held by node %" PRId64 ", which is dead",
                          RUN_FACTS_ARG(rf), run->node);
    if (node && node->started_at > run->attempt_at &&
        node->started_at < facts->now - JUDGE_PATIENCE && !facts->record->clock_stepped)
        return judge_fail(reterr, 18,
                          RUN_FACTS_FMT " is held by node %" PRId64 ", which was started since",
                          RUN_FACTS_ARG(rf), run->node);
    if (run->node == 0 && run->lease_until == INSTANT_NEVER)
        return judge_fail(reterr, 18, RUN_FACTS_FMT " is claimed without a holder",
                          RUN_FACTS_ARG(rf));
    if (run->node == 0 && until < facts->now - JUDGE_PATIENCE)
        return judge_fail(reterr, 18,
                          RUN_FACTS_FMT " has a lease that ended at %" PRId64
                                        " ms; the clock is at %" PRId64 " ms",
                          RUN_FACTS_ARG(rf), MS(run->lease_until), MS(facts->now));
    return RC_OK;
}

/* ---- waiting without a reason ---- */

/* When something of the schedule last happened that may have made a run ready. */
static instant last_move(const struct facts *facts, const struct run_facts *rf)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);
    instant last = rf->created_at;

    for (int i = 0; s && i < s->run_count; i++)
        for (int k = 0; k < s->runs[i].row_count; k++)
            if (s->runs[i].rows[k]->ended_at > last)
                last = s->runs[i].rows[k]->ended_at;
    return last;
}

static bool is_queue_paused(const struct facts *facts, int64_t queue)
{
    bool paused = false;

    for (int i = 0; i < facts->command_count; i++) {
        const struct rec_command *c = facts->commands[i];

        if (c->reply.rc == RC_OK &&
            (c->command.kind == COMMAND_QUEUE_PAUSE ||
             c->command.kind == COMMAND_QUEUE_RESUME) &&
            c->command.key == queue)
            paused = c->command.kind == COMMAND_QUEUE_PAUSE;
    }
    return paused;
}

/* All that could claim it are busy with other runs. */
static bool is_busy(const struct record *record, const struct run *run)
{
    for (int i = 0; i < record->run_count; i++)
        if (run_is_claimed(record->runs[i].state) && record->runs[i].lane == run->lane &&
            (run->lane != LANE_PULL || record->runs[i].queue == run->queue))
            return true;
    return false;
}

static bool has_open(const struct facts *facts, const struct run_facts *rf)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);

    for (int i = 0; s && i < s->run_count; i++)
        if (s->runs[i].open && s->runs[i].open->state != RUN_HELD &&
            s->runs[i].kind != RUN_TEST)
            return true;
    return false;
}

static bool is_barred(const struct facts *facts, const struct run_facts *rf)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);

    return s && s->cursor && s->cursor->flags & (CURSOR_BARRED | CURSOR_QUARANTINED) &&
           rf->kind == RUN_SLOT;
}

/* Whether the next slot of a schedule will start by itself. */
static bool can_start_slot(const struct schedule *s, const struct policies *p)
{
    const struct cursor *c = s->cursor;
    bool is_limited = p->buffer_limit > 0 &&
                      (p->drop_when_full || p->overlap == OVERLAP_BUFFER_ALL ||
                       p->overlap == OVERLAP_CANCEL_OTHER ||
                       p->overlap == OVERLAP_TERMINATE_OTHER);
    int64_t slots = 0;

    for (int i = 0; i < s->run_count; i++)
        slots += run_facts_is_automatic(&s->runs[i]) && s->runs[i].open &&
                 s->runs[i].open->state == RUN_HELD;
    return c->next_at != INSTANT_NEVER &&
           !(c->flags & (CURSOR_BARRED | CURSOR_QUARANTINED | CURSOR_FULL)) &&
           (!is_limited || c->waiting < p->buffer_limit) &&
           (c->remaining < 0 || c->remaining > slots);
}

/* Whether some start of the schedule waits and is not too late for the window. */
static bool has_timely_start(const struct facts *facts, const struct schedule *s, span window)
{
    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];
        bool is_late = rf->kind == RUN_SLOT && facts->now + facts->skew - rf->due > window;

        if (rf->open && rf->open->state == RUN_HELD && !is_late)
            return true;
    }
    return false;
}

/*
 * A start that expires in its turn may wait for the next slot [P-17]: if that slot can start,
 * and is within the window or all starts that wait are too late.
 */
static bool may_await_slot(const struct facts *facts, const struct run_facts *rf)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);
    const struct version *v = s && s->version_count ? &s->versions[s->version_count - 1] : NULL;
    const struct policies *p = v ? &v->draft->policies : NULL;
    struct judge_origin origin = {s ? s->created : 0, INSTANT_NONE, INSTANT_NONE};
    instant due;

    if (!p || !p->expires_at_start || p->catchup_window == CATCHUP_WINDOW_NONE ||
        v->draft->is_governed || judge_spec_follows(v->spec) || !s->cursor ||
        !can_start_slot(s, p))
        return false;
    due = judge_spec_due(v->spec, &origin, v->draft->seed, s->cursor->next_at);
    return facts->record->clock_stepped ||
           due - facts->now - facts->skew <= p->catchup_window ||
           !has_timely_start(facts, s, p->catchup_window);
}

static bool has_room(const struct record *record, int64_t gate)
{
    for (int i = 0; i < record->gate_count; i++)
        if (record->gates[i].id == gate)
            return record->gates[i].open < record->gates[i].most;
    return true;
}

/* Why the run should have continued by now; NULL: it may wait. */
static const char *overdue(const struct facts *facts, const struct run_facts *rf,
                           const struct longest *longest)
{
    const struct run *run = rf->open;
    instant patience = facts->now - JUDGE_PATIENCE;

    switch (run->state) {
    case RUN_BACKOFF:
        return run->wake_at < patience ? "its next attempt is overdue" : NULL;
    case RUN_HELD:
        return !has_open(facts, rf) && !is_barred(facts, rf) && !may_await_slot(facts, rf) &&
                       last_move(facts, rf) < patience
                   ? "nothing is open"
                   : NULL;
    case RUN_GATED:
        return has_room(facts->record, run->gate) && last_move(facts, rf) < patience
                   ? "its gate has room"
                   : NULL;
    case RUN_READY:
        return last_move(facts, rf) + longest->retry < patience &&
                       !is_busy(facts->record, run) && !is_queue_paused(facts, run->queue)
                   ? "no executor is busy"
                   : NULL;
    case RUN_APPROVAL:
    case RUN_LEASED:
    case RUN_RUNNING:
    case RUN_ENDED:
        break;
    }
    return NULL;
}

static enum rc check_overdue(const struct facts *facts, const struct run_facts *rf,
                             const struct longest *longest, struct err *reterr)
{
    const char *why = overdue(facts, rf, longest);

    if (why)
        return judge_fail(reterr, 25, RUN_FACTS_FMT " waits (state %d) although %s",
                          RUN_FACTS_ARG(rf), (int)rf->open->state, why);
    return RC_OK;
}

/* ---- lateness ---- */

/* Its policies let slots wait before they become runs. */
static bool may_be_late(const struct schedule *s)
{
    for (int i = 0; i < s->version_count; i++) {
        const struct policies *p = &s->versions[i].draft->policies;
        bool piles_up = p->overlap != OVERLAP_SKIP && p->overlap != OVERLAP_BUFFER_ONE &&
                        p->overlap != OVERLAP_ALLOW_ALL;

        if (p->catchup_paused || p->remaining_runs >= 0 ||
            (p->buffer_limit > 0 && piles_up && !p->drop_when_full))
            return true;
    }
    return false;
}

static enum rc check_late(const struct facts *facts, const struct run_facts *rf,
                          struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);

    if (!s || !run_facts_is_automatic(rf) || facts->record->clock_stepped || may_be_late(s) ||
        rf->due < facts->record->healed + JUDGE_PATIENCE)
        return RC_OK;
    if (rf->created_at > rf->due + JUDGE_SLACK)
        return judge_fail(reterr, 26,
                          RUN_FACTS_FMT " was due at %" PRId64 " ms and made at %" PRId64
                                        " ms, long after the faults",
                          RUN_FACTS_ARG(rf), MS(rf->due), MS(rf->created_at));
    return RC_OK;
}

/* ---- starvation ---- */

/*
 * A run that could be claimed from its creation on: never held, no gate, no approval, no retry.
 */
static bool is_claimable_at_once(const struct facts *facts, const struct run_facts *rf)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);
    const struct run *run = rf->sent_count ? &rf->sent[0]->run : rf->open;

    if (!s || !run_facts_is_automatic(rf) || !run || run->gate != 0 || rf->row_count > 1 ||
        (rf->open && rf->open->state != RUN_READY))
        return false;
    for (int i = 0; i < s->version_count; i++) {
        const struct policies *p = &s->versions[i].draft->policies;

        if ((p->overlap != OVERLAP_SKIP && p->overlap != OVERLAP_ALLOW_ALL) || p->approval)
            return false;
    }
    return true;
}

/*
 * Claimed at most once, and never handed back: it waited from its creation to its first claim.
 */
static bool was_claimed_once(const struct run_facts *rf)
{
    for (int i = 0; i < rf->report_count; i++)
        if (rf->reports[i]->kind == REPORT_RELEASE)
            return false;
    return rf->sent_count ? rf->sent[0]->run.attempt == 1 : rf->row_count == 0;
}

/*
 * The turn after which no other run may be served first.  A single node knows everything that
 * is ready.  Other nodes are notified, and get some time after the healing.
 */
static int64_t waits_from(const struct facts *facts, const struct run_facts *rf)
{
    instant healthy = facts->record->healed + JUDGE_PATIENCE;
    instant at = rf->created_at + JUDGE_SLACK > healthy ? rf->created_at + JUDGE_SLACK
                                                        : healthy;
    int64_t from = -1;

    if (facts->record->node_count == 1 && was_claimed_once(rf))
        return facts_order(facts, rf->created_at, 0);
    for (int i = 0; i < facts->turn_count; i++)
        if (facts->turns[i]->now <= at)
            from = facts->turns[i]->order;
    return from;
}

/* No run with a worse rank is served while a run waits in the same queue. */
static enum rc check_starved(const struct facts *facts, const struct run_facts *rf,
                             struct err *reterr)
{
    const struct record *record = facts->record;
    const struct run *run = rf->sent_count ? &rf->sent[0]->run : rf->open;
    int64_t until = rf->sent_count ? rf->sent[0]->order : INT64_MAX;
    int64_t from;

    if (record->clock_stepped || !is_claimable_at_once(facts, rf))
        return RC_OK;
    from = waits_from(facts, rf);
    for (int i = 0; i < record->delivery_count; i++) {
        const struct rec_delivery *d = &record->deliveries[i];

        if (d->order > from && d->order < until && d->run.lane == run->lane &&
            d->run.queue == run->queue && d->run.rank > run->rank)
            return judge_fail(reterr, 27,
                              RUN_FACTS_FMT " waited since %" PRId64 " ms; slot %" PRId64
                                            " ms of schedule %" PRId64
                                            " with a worse rank was sent at %" PRId64 " ms",
                              RUN_FACTS_ARG(rf), MS(rf->created_at), MS(d->run.slot),
                              d->run.schedule, MS(d->at));
    }
    return RC_OK;
}

/* ---- a fixed point ---- */

static enum rc check_quiet(const struct facts *facts, struct err *reterr)
{
    const struct record *record = facts->record;
    instant patience = facts->now - JUDGE_PATIENCE;

    for (int i = 0; i < record->cursor_count; i++)
        if (record->cursors[i].wake_at < patience)
            return judge_fail(reterr, 28,
                              "schedule %" PRId64 " is due from %" PRId64
                              " ms on; the clock is at %" PRId64 " ms",
                              record->cursors[i].id, MS(record->cursors[i].wake_at),
                              MS(facts->now));
    for (int i = 0; i < record->run_count; i++)
        if (record->runs[i].wake_at < patience)
            return judge_fail(
                reterr, 28,
                "run %" PRId64 " of schedule %" PRId64 " is due from %" PRId64 " ms on",
                record->runs[i].id, record->runs[i].schedule, MS(record->runs[i].wake_at));
    return RC_OK;
}

static enum rc check_run(const struct facts *facts, const struct run_facts *rf,
                         const struct longest *longest, struct err *reterr)
{
    enum rc rc = RC_OK;

    if (rf->open)
        rc = check_holder(facts, rf, longest, reterr);
    if (rc == RC_OK && rf->open)
        rc = check_overdue(facts, rf, longest, reterr);
    if (rc == RC_OK)
        rc = check_late(facts, rf, reterr);
    if (rc == RC_OK && rf->kind >= 0)
        rc = check_starved(facts, rf, reterr);
    return rc;
}

enum rc judge_after(struct facts *facts, struct err *reterr)
{
    struct longest longest = longest_of(facts->record);
    enum rc rc = RC_OK;

    /* A world without time to recover proves nothing here. */
    if (facts->record->end - facts->record->healed < JUDGE_PATIENCE)
        return RC_OK;
    for (int i = 0; i < facts->run_count && rc == RC_OK; i++)
        rc = check_run(facts, &facts->runs[i], &longest, reterr);
    return rc == RC_OK ? check_quiet(facts, reterr) : rc;
}
