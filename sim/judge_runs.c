/* SPDX-License-Identifier: Apache-2.0 */
/* Runs and their attempts in the store: invariants 3, 4, 5, 12, 16 and 19. */
#include "sim/judge_facts.h"

static bool is_end_of_run(enum outcome outcome)
{
    return outcome >= OUTCOME_SUCCEEDED && outcome <= OUTCOME_UNKNOWN;
}

/* Its holder died or became silent: such an attempt does not count against the run. */
static bool is_loss(const struct history_row *row)
{
    return row->reason == REASON_NODE || row->reason == REASON_LEASE;
}

static enum rc check_unique(const struct facts *facts, const struct run_facts *rf,
                            struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);

    if (rf->open_count > 1)
        return judge_fail(reterr, 3, RUN_FACTS_FMT " is open %d times", RUN_FACTS_ARG(rf),
                          rf->open_count);
    if (rf->open && run_facts_last(rf))
        return judge_fail(reterr, 3, RUN_FACTS_FMT " is open and has ended", RUN_FACTS_ARG(rf));
    if (rf->kind < 0)
        return RC_OK;
    if (!s && rf->kind != RUN_DIRECT)
        return judge_fail(reterr, 2, RUN_FACTS_FMT " has a schedule that no command created",
                          RUN_FACTS_ARG(rf));
    if ((rf->pass == 0) != (rf->kind == RUN_SLOT) && rf->kind != RUN_DIRECT)
        return judge_fail(reterr, 2, RUN_FACTS_FMT " has kind %" PRId64, RUN_FACTS_ARG(rf),
                          rf->kind);
    for (int i = 0; s && rf->pass > 0 && i < s->ledger_count; i++)
        if (s->ledger[i]->pass == rf->pass && s->ledger[i]->account.first == rf->slot)
            return judge_fail(reterr, 1, RUN_FACTS_FMT " has a row in the ledger too",
                              RUN_FACTS_ARG(rf));
    return RC_OK;
}

/*
 * The number of the attempt before the first row that was not pruned.  If the run ended while
 * it waited, that row is not an attempt but has the number of the attempt before it.
 */
static int64_t attempt_before(const struct history_row *row)
{
    return row->started_at == INSTANT_NONE ? row->attempt : row->attempt - 1;
}

/*
 * How much of its history retention may have deleted.  It deletes the rows with the lowest
 * keys.  Keys of one node grow, so that the first rows go first.  Keys of several nodes follow
 * clocks that differ: the end of a run may go before an attempt that another node wrote.
 */
enum pruned { PRUNED_NOTHING, PRUNED_BEGINNING, PRUNED_ANY };

static enum pruned pruned_of(const struct facts *facts, const struct run_facts *rf)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);

    if (!s || !s->is_pruned)
        return PRUNED_NOTHING;
    return facts->record->node_count > 1 ? PRUNED_ANY : PRUNED_BEGINNING;
}

static bool comes_next(const struct history_row *row, int64_t attempt, enum pruned pruned)
{
    if (row->last && row->attempt == attempt)
        return true; /* it waited */
    if (pruned == PRUNED_ANY)
        return row->attempt > attempt;
    return row->attempt == attempt + 1 && row->started_at != INSTANT_NONE;
}

/*
 * Attempts are numbered from 1 without gaps.  A run that ends while it waits has a last row
 * that is not an attempt: it repeats the number of the one before, or 0.
 */
static enum rc check_numbers(const struct run_facts *rf, enum pruned pruned, struct err *reterr)
{
    bool is_pruned = pruned != PRUNED_NOTHING;
    int64_t attempt = is_pruned && rf->row_count ? attempt_before(rf->rows[0]) : 0;
    int64_t open = rf->open ? rf->open->attempt : 0;

    for (int i = 0; i < rf->row_count; i++) {
        const struct history_row *row = rf->rows[i];

        if (!comes_next(row, attempt, pruned))
            return judge_fail(reterr, 4,
                              RUN_FACTS_FMT " has attempt %" PRId64 " after %" PRId64,
                              RUN_FACTS_ARG(rf), row->attempt, attempt);
        attempt = row->attempt;
        if (row->last && i + 1 < rf->row_count)
            return judge_fail(reterr, 19,
                              RUN_FACTS_FMT " ended with attempt %" PRId64 " and went on",
                              RUN_FACTS_ARG(rf), attempt);
    }
    if (rf->open && open != attempt && open != attempt + 1 && !is_pruned)
        return judge_fail(reterr, 4,
                          RUN_FACTS_FMT " is at attempt %" PRId64 ", history at %" PRId64,
                          RUN_FACTS_ARG(rf), open, attempt);
    if (rf->open && run_is_claimed(rf->open->state) && open == attempt && !is_pruned)
        return judge_fail(reterr, 4,
                          RUN_FACTS_FMT " works on attempt %" PRId64 ", which has ended",
                          RUN_FACTS_ARG(rf), attempt);
    if (rf->row_count && !rf->open && !run_facts_last(rf) && pruned != PRUNED_ANY)
        return judge_fail(reterr, 4,
                          RUN_FACTS_FMT " is gone after attempt %" PRId64 " without an end",
                          RUN_FACTS_ARG(rf), attempt);
    return RC_OK;
}

static enum rc check_row(const struct facts *facts, const struct run_facts *rf,
                         const struct history_row *row, struct err *reterr)
{
    bool stepped = facts->record->clock_stepped;
    bool is_begun = row->attempt > 0 && row->started_at != INSTANT_NONE;

    if (!is_end_of_run(row->outcome))
        return judge_fail(reterr, 4, RUN_FACTS_FMT " attempt %" PRId64 " has outcome %d",
                          RUN_FACTS_ARG(rf), row->attempt, (int)row->outcome);
    if (row->kind != rf->kind || row->due != rf->due || row->created_at != rf->created_at)
        return judge_fail(reterr, 19, RUN_FACTS_FMT " changed its kind, due time or creation",
                          RUN_FACTS_ARG(rf));
    /* A clock that went back may show a time before the creation. */
    if (!stepped && is_begun && row->started_at < rf->due - facts->skew)
        return judge_fail(reterr, 12,
                          RUN_FACTS_FMT " started at %" PRId64 " ms, due %" PRId64 " ms",
                          RUN_FACTS_ARG(rf), MS(row->started_at), MS(rf->due));
    if (!stepped && is_begun && row->ended_at < row->started_at - facts->skew)
        return judge_fail(reterr, 4,
                          RUN_FACTS_FMT " attempt %" PRId64 " ended before it started",
                          RUN_FACTS_ARG(rf), row->attempt);
    return RC_OK;
}

static enum rc check_fences(const struct run_facts *rf, struct err *reterr)
{
    for (int i = 1; i < rf->row_count; i++) {
        const struct history_row *a = rf->rows[i - 1], *b = rf->rows[i];
        bool waited = b->last && b->attempt == a->attempt;

        if (b->fence < a->fence || (b->fence == a->fence && !waited))
            return judge_fail(reterr, 5, RUN_FACTS_FMT " has fence %" PRId64 " after %" PRId64,
                              RUN_FACTS_ARG(rf), b->fence, a->fence);
    }
    if (rf->open && rf->row_count && rf->open->fence < rf->rows[rf->row_count - 1]->fence)
        return judge_fail(reterr, 5, RUN_FACTS_FMT " went back to fence %" PRId64,
                          RUN_FACTS_ARG(rf), rf->open->fence);
    return RC_OK;
}

/* ---- retries ---- */

static int64_t most_attempts(const struct schedule *s)
{
    int64_t most = 1;

    for (int i = 0; i < s->version_count; i++)
        if (s->versions[i].draft->policies.retry.attempts > most)
            most = s->versions[i].draft->policies.retry.attempts;
    return most;
}

static enum rc check_retries(const struct schedule *s, const struct run_facts *rf,
                             struct err *reterr)
{
    int64_t made = rf->open ? rf->open->attempt : 0, losses = rf->open ? rf->open->losses : 0;
    int64_t lost = 0;

    for (int i = 0; i < rf->row_count; i++) {
        made = rf->rows[i]->attempt > made ? rf->rows[i]->attempt : made;
        lost += is_loss(rf->rows[i]);
    }
    losses = losses > lost ? losses : lost;
    if (made > most_attempts(s) + losses && !s->is_pruned)
        return judge_fail(reterr, 16,
                          RUN_FACTS_FMT " made %" PRId64 " attempts, %" PRId64
                                        " of them lost; %" PRId64 " are allowed",
                          RUN_FACTS_ARG(rf), made, losses, most_attempts(s));
    return RC_OK;
}

/* The minimum wait after an attempt that some version requires. */
static span least_wait(const struct schedule *s, int64_t attempt)
{
    span least = INT64_MAX;

    for (int i = 0; i < s->version_count; i++) {
        const struct retry_policy *p = &s->versions[i].draft->policies.retry;
        span wait = p->delay;

        for (int64_t k = 1; k < attempt && p->backoff == BACKOFF_EXPONENTIAL && wait < p->max;
             k++)
            wait *= 2;
        wait = wait > p->max ? p->max : wait;
        least = wait < least ? wait : least;
    }
    return least;
}

static enum rc check_backoff(const struct facts *facts, const struct schedule *s,
                             const struct run_facts *rf, struct err *reterr)
{
    int64_t lost = 0;

    if (facts->record->clock_stepped || s->is_pruned)
        return RC_OK;
    for (int i = 1; i < rf->row_count; i++) {
        const struct history_row *a = rf->rows[i - 1], *b = rf->rows[i];

        lost += is_loss(a);
        if (b->attempt == a->attempt || is_loss(a))
            continue;
        if (b->started_at < a->ended_at + least_wait(s, a->attempt - lost) - facts->skew)
            return judge_fail(reterr, 16,
                              RUN_FACTS_FMT " began attempt %" PRId64 " after %" PRId64
                                            " ms; its policy waits longer",
                              RUN_FACTS_ARG(rf), b->attempt, MS(b->started_at - a->ended_at));
    }
    return RC_OK;
}

/*
 * Whether the jitter of a version gives this due time.  If slots follow runs, the distance to
 * the next slot is not known here: then the delay is only less than the jitter.  The default
 * jitter of a node does not delay the one-off "now", which starts with the creation.
 */
static bool can_be_due(const struct schedule *s, const struct version *v,
                       const struct run_facts *rf)
{
    const struct judge_origin origin = {s->created, INSTANT_NONE, INSTANT_NONE};
    span delay = rf->due - rf->slot, jitter = v->draft->def.jitter;

    if (delay == 0 && v == s->versions && rf->slot == s->created / SPAN_MS * SPAN_MS)
        return true;
    if (judge_spec_follows(v->spec))
        return delay >= 0 && delay < (jitter > 0 ? jitter : 1);
    return rf->due == judge_spec_due(v->spec, &origin, v->draft->seed, rf->slot);
}

/* The due time of a slot is its own, moved by its jitter. */
static enum rc check_due(const struct schedule *s, const struct run_facts *rf,
                         struct err *reterr)
{
    bool is_valid = false;

    if (!run_facts_is_automatic(rf))
        return RC_OK;
    for (int i = 0; i < s->version_count && !is_valid; i++)
        is_valid = can_be_due(s, &s->versions[i], rf);
    if (!is_valid)
        return judge_fail(reterr, 12, RUN_FACTS_FMT " was due at %" PRId64 " ms",
                          RUN_FACTS_ARG(rf), MS(rf->due));
    if (rf->created_at < rf->due)
        return judge_fail(reterr, 12,
                          RUN_FACTS_FMT " was made at %" PRId64 " ms, due %" PRId64 " ms",
                          RUN_FACTS_ARG(rf), MS(rf->created_at), MS(rf->due));
    return RC_OK;
}

static enum rc check_by_schedule(const struct facts *facts, const struct schedule *s,
                                 const struct run_facts *rf, struct err *reterr)
{
    enum rc rc = check_due(s, rf, reterr);

    if (rc == RC_OK)
        rc = check_retries(s, rf, reterr);
    if (rc == RC_OK)
        rc = check_backoff(facts, s, rf, reterr);
    return rc;
}

static enum rc check_run(const struct facts *facts, const struct run_facts *rf,
                         struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);
    enum rc rc = check_unique(facts, rf, reterr);

    if (rc == RC_OK)
        rc = check_numbers(rf, pruned_of(facts, rf), reterr);
    if (rc == RC_OK)
        rc = check_fences(rf, reterr);
    for (int i = 0; i < rf->row_count && rc == RC_OK; i++)
        rc = check_row(facts, rf, rf->rows[i], reterr);
    if (rc == RC_OK && s && rf->kind >= 0)
        rc = check_by_schedule(facts, s, rf, reterr);
    return rc;
}

static enum rc check_order(const struct record *record, struct err *reterr)
{
    for (int i = 1; i < record->history_count; i++)
        if (record->history[i].id <= record->history[i - 1].id)
            return judge_fail(reterr, 19, "history row %" PRId64 " comes after %" PRId64,
                              record->history[i].id, record->history[i - 1].id);
    return RC_OK;
}

enum rc judge_runs(struct facts *facts, struct err *reterr)
{
    enum rc rc = check_order(facts->record, reterr);

    for (int i = 0; i < facts->run_count && rc == RC_OK; i++)
        rc = check_run(facts, &facts->runs[i], reterr);
    return rc;
}
