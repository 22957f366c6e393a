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

static enum rc check_unique(const struct facts *facts, const struct run_facts *l,
                            struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, l->schedule);

    if (l->open_count > 1)
        return judge_fail(reterr, 3, RUN_FACTS_FMT " is open %d times", RUN_FACTS_ARG(l),
                          l->open_count);
    if (l->open && run_facts_last(l))
        return judge_fail(reterr, 3, RUN_FACTS_FMT " is open and has ended", RUN_FACTS_ARG(l));
    if (l->kind < 0)
        return RC_OK;
    if (!s && l->kind != RUN_DIRECT)
        return judge_fail(reterr, 2, RUN_FACTS_FMT " has a schedule that no command created",
                          RUN_FACTS_ARG(l));
    if ((l->pass == 0) != (l->kind == RUN_SLOT) && l->kind != RUN_DIRECT)
        return judge_fail(reterr, 2, RUN_FACTS_FMT " has kind %" PRId64, RUN_FACTS_ARG(l),
                          l->kind);
    for (int i = 0; s && l->pass > 0 && i < s->ledger_count; i++)
        if (s->ledger[i]->pass == l->pass && s->ledger[i]->account.first == l->slot)
            return judge_fail(reterr, 1, RUN_FACTS_FMT " has a row in the ledger too",
                              RUN_FACTS_ARG(l));
    return RC_OK;
}

/*
 * If the rows before one were pruned: the number before it, or its own if the run only waited.
 */
static int64_t first_known(const struct history_row *row)
{
    return row->started_at == INSTANT_NONE ? row->attempt : row->attempt - 1;
}

/*
 * How much of its history retention may have deleted.  It deletes the rows with the lowest
 * keys.  Keys of one node grow, so that the first rows go first.  Keys of several nodes follow
 * clocks that differ: the end of a run may go before an attempt that another node wrote.
 */
enum gone { GONE_NOTHING, GONE_BEGINNING, GONE_ANY };

static enum gone gone_of(const struct facts *facts, const struct run_facts *l)
{
    const struct schedule *s = facts_schedule(facts, l->schedule);

    if (!s || !s->is_pruned)
        return GONE_NOTHING;
    return facts->record->node_count > 1 ? GONE_ANY : GONE_BEGINNING;
}

static bool comes_next(const struct history_row *row, int64_t attempt, enum gone gone)
{
    if (row->last && row->attempt == attempt)
        return true; /* it waited */
    if (gone == GONE_ANY)
        return row->attempt > attempt;
    return row->attempt == attempt + 1 && row->started_at != INSTANT_NONE;
}

/*
 * Attempts are numbered from 1 without gaps.  A run that ends while it waits has a last row
 * that is not an attempt: it repeats the number of the one before, or 0.
 */
static enum rc check_numbers(const struct run_facts *l, enum gone gone, struct err *reterr)
{
    bool is_pruned = gone != GONE_NOTHING;
    int64_t attempt = is_pruned && l->row_count ? first_known(l->rows[0]) : 0;
    int64_t open = l->open ? l->open->attempt : 0;

    for (int i = 0; i < l->row_count; i++) {
        const struct history_row *row = l->rows[i];

        if (!comes_next(row, attempt, gone))
            return judge_fail(reterr, 4,
                              RUN_FACTS_FMT " has attempt %" PRId64 " after %" PRId64,
                              RUN_FACTS_ARG(l), row->attempt, attempt);
        attempt = row->attempt;
        if (row->last && i + 1 < l->row_count)
            return judge_fail(reterr, 19,
                              RUN_FACTS_FMT " ended with attempt %" PRId64 " and went on",
                              RUN_FACTS_ARG(l), attempt);
    }
    if (l->open && open != attempt && open != attempt + 1 && !is_pruned)
        return judge_fail(reterr, 4,
                          RUN_FACTS_FMT " is at attempt %" PRId64 ", history at %" PRId64,
                          RUN_FACTS_ARG(l), open, attempt);
    if (l->open && run_is_claimed(l->open->state) && open == attempt && !is_pruned)
        return judge_fail(reterr, 4,
                          RUN_FACTS_FMT " works on attempt %" PRId64 ", which has ended",
                          RUN_FACTS_ARG(l), attempt);
    if (l->row_count && !l->open && !run_facts_last(l) && gone != GONE_ANY)
        return judge_fail(reterr, 4,
                          RUN_FACTS_FMT " is gone after attempt %" PRId64 " without an end",
                          RUN_FACTS_ARG(l), attempt);
    return RC_OK;
}

static enum rc check_row(const struct facts *facts, const struct run_facts *l,
                         const struct history_row *row, struct err *reterr)
{
    bool stepped = facts->record->clock_stepped;
    bool is_begun = row->attempt > 0 && row->started_at != INSTANT_NONE;

    if (!is_end_of_run(row->outcome))
        return judge_fail(reterr, 4, RUN_FACTS_FMT " attempt %" PRId64 " has outcome %d",
                          RUN_FACTS_ARG(l), row->attempt, (int)row->outcome);
    if (row->kind != l->kind || row->due != l->due || row->created_at != l->created_at)
        return judge_fail(reterr, 19, RUN_FACTS_FMT " changed its kind, due time or creation",
                          RUN_FACTS_ARG(l));
    /* A clock that went back may show a time before the creation. */
    if (!stepped && is_begun && row->started_at < l->due - facts->skew)
        return judge_fail(reterr, 12,
                          RUN_FACTS_FMT " started at %" PRId64 " ms, due %" PRId64 " ms",
                          RUN_FACTS_ARG(l), MS(row->started_at), MS(l->due));
    if (!stepped && is_begun && row->ended_at < row->started_at - facts->skew)
        return judge_fail(reterr, 4,
                          RUN_FACTS_FMT " attempt %" PRId64 " ended before it started",
                          RUN_FACTS_ARG(l), row->attempt);
    return RC_OK;
}

static enum rc check_fences(const struct run_facts *l, struct err *reterr)
{
    for (int i = 1; i < l->row_count; i++) {
        const struct history_row *a = l->rows[i - 1], *b = l->rows[i];
        bool waited = b->last && b->attempt == a->attempt;

        if (b->fence < a->fence || (b->fence == a->fence && !waited))
            return judge_fail(reterr, 5, RUN_FACTS_FMT " has fence %" PRId64 " after %" PRId64,
                              RUN_FACTS_ARG(l), b->fence, a->fence);
    }
    if (l->open && l->row_count && l->open->fence < l->rows[l->row_count - 1]->fence)
        return judge_fail(reterr, 5, RUN_FACTS_FMT " went back to fence %" PRId64,
                          RUN_FACTS_ARG(l), l->open->fence);
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

static enum rc check_retries(const struct schedule *s, const struct run_facts *l,
                             struct err *reterr)
{
    int64_t made = l->open ? l->open->attempt : 0, losses = l->open ? l->open->losses : 0;
    int64_t lost = 0;

    for (int i = 0; i < l->row_count; i++) {
        made = l->rows[i]->attempt > made ? l->rows[i]->attempt : made;
        lost += is_loss(l->rows[i]);
    }
    losses = losses > lost ? losses : lost;
    if (made > most_attempts(s) + losses && !s->is_pruned)
        return judge_fail(reterr, 16,
                          RUN_FACTS_FMT " made %" PRId64 " attempts, %" PRId64
                                        " of them lost; %" PRId64 " are allowed",
                          RUN_FACTS_ARG(l), made, losses, most_attempts(s));
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
                             const struct run_facts *l, struct err *reterr)
{
    int64_t lost = 0;

    if (facts->record->clock_stepped || s->is_pruned)
        return RC_OK;
    for (int i = 1; i < l->row_count; i++) {
        const struct history_row *a = l->rows[i - 1], *b = l->rows[i];

        lost += is_loss(a);
        if (b->attempt == a->attempt || is_loss(a))
            continue;
        if (b->started_at < a->ended_at + least_wait(s, a->attempt - lost) - facts->skew)
            return judge_fail(reterr, 16,
                              RUN_FACTS_FMT " began attempt %" PRId64 " after %" PRId64
                                            " ms; its policy waits longer",
                              RUN_FACTS_ARG(l), b->attempt, MS(b->started_at - a->ended_at));
    }
    return RC_OK;
}

/* The due time of a slot is its own, moved by less than its jitter. */
static enum rc check_due(const struct schedule *s, const struct run_facts *l,
                         struct err *reterr)
{
    span jitter = 1;

    if (!run_facts_is_automatic(l))
        return RC_OK;
    for (int i = 0; i < s->version_count; i++)
        if (s->versions[i].draft->def.jitter > jitter)
            jitter = s->versions[i].draft->def.jitter;
    if (l->due < l->slot || l->due >= l->slot + jitter)
        return judge_fail(reterr, 12, RUN_FACTS_FMT " was due at %" PRId64 " ms",
                          RUN_FACTS_ARG(l), MS(l->due));
    if (l->created_at < l->due)
        return judge_fail(reterr, 12,
                          RUN_FACTS_FMT " was made at %" PRId64 " ms, due %" PRId64 " ms",
                          RUN_FACTS_ARG(l), MS(l->created_at), MS(l->due));
    return RC_OK;
}

static enum rc check_by_schedule(const struct facts *facts, const struct schedule *s,
                                 const struct run_facts *l, struct err *reterr)
{
    enum rc rc = check_due(s, l, reterr);

    if (rc == RC_OK)
        rc = check_retries(s, l, reterr);
    if (rc == RC_OK)
        rc = check_backoff(facts, s, l, reterr);
    return rc;
}

static enum rc check_life(const struct facts *facts, const struct run_facts *l,
                          struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, l->schedule);
    enum rc rc = check_unique(facts, l, reterr);

    if (rc == RC_OK)
        rc = check_numbers(l, gone_of(facts, l), reterr);
    if (rc == RC_OK)
        rc = check_fences(l, reterr);
    for (int i = 0; i < l->row_count && rc == RC_OK; i++)
        rc = check_row(facts, l, l->rows[i], reterr);
    if (rc == RC_OK && s && l->kind >= 0)
        rc = check_by_schedule(facts, s, l, reterr);
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
        rc = check_life(facts, &facts->runs[i], reterr);
    return rc;
}
