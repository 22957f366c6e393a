/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries and reports: invariants 5, 6, 7, 8, 9, 12 and 17. */
#include <stdlib.h>
#include <string.h>

#include "sim/judge_facts.h"

static int by_order(const void *a, const void *b)
{
    const struct rec_turn *const *x = a, *const *y = b;

    return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

static const struct rec_turn *turn_of(const struct facts *facts, int64_t order)
{
    struct rec_turn wanted = {.order = order};
    const struct rec_turn *key = &wanted;
    const struct rec_turn **found = bsearch(&key, facts->turns, (size_t)facts->turn_count,
                                            sizeof *facts->turns, by_order);

    return found ? *found : NULL;
}

static const struct history_row *row_with_fence(const struct run_facts *rf, int64_t fence)
{
    for (int i = 0; i < rf->row_count; i++)
        if (rf->rows[i]->fence == fence)
            return rf->rows[i];
    return NULL;
}

/* ---- deliveries ---- */

/* Nothing is delivered that the store did not have before, with the same attempt and fence. */
static enum rc check_intent(const struct facts *facts, const struct run_facts *rf,
                            const struct rec_delivery *d, struct err *reterr)
{
    const struct rec_turn *turn = turn_of(facts, d->order);
    const struct schedule *s = facts_schedule(facts, rf->schedule);
    bool is_open = rf->open && rf->open->fence == d->run.fence &&
                   rf->open->attempt == d->run.attempt;

    if (!turn || turn->node != d->node || turn->now != d->at)
        return judge_fail(reterr, 7,
                          RUN_FACTS_FMT " was sent by node %" PRId64
                                        " without a turn that was committed",
                          RUN_FACTS_ARG(rf), d->node);
    if (is_open || run_facts_release(rf, d->run.fence) || (s && s->is_pruned))
        return RC_OK;
    for (int i = 0; i < rf->row_count; i++)
        if (rf->rows[i]->fence == d->run.fence && rf->rows[i]->attempt == d->run.attempt)
            return RC_OK;
    return judge_fail(reterr, 7,
                      RUN_FACTS_FMT " was sent as attempt %d, fence %" PRId64
                                    ", which the store does not know",
                      RUN_FACTS_ARG(rf), d->run.attempt, d->run.fence);
}

static enum rc check_early(const struct facts *facts, const struct run_facts *rf,
                           const struct rec_delivery *d, struct err *reterr)
{
    if (d->at < d->run.due - facts->skew && !facts->record->clock_stepped)
        return judge_fail(reterr, 12,
                          RUN_FACTS_FMT " was sent at %" PRId64 " ms, due %" PRId64 " ms",
                          RUN_FACTS_ARG(rf), MS(d->at), MS(d->run.due));
    return RC_OK;
}

/* The later of two deliveries of a run. */
static enum rc check_again(const struct facts *facts, const struct run_facts *rf, int i,
                           struct err *reterr)
{
    const struct rec_delivery *a = rf->sent[i - 1], *b = rf->sent[i];
    const struct history_row *row = row_with_fence(rf, a->run.fence);
    bool gave_back = run_facts_release(rf, a->run.fence) != NULL;

    if (strcmp(a->id, b->id) != 0)
        return judge_fail(reterr, 8, RUN_FACTS_FMT " was sent as %s and as %s",
                          RUN_FACTS_ARG(rf), a->id, b->id);
    if (b->run.fence <= a->run.fence)
        return judge_fail(reterr, 5,
                          RUN_FACTS_FMT " was sent with fence %" PRId64 " after %" PRId64,
                          RUN_FACTS_ARG(rf), b->run.fence, a->run.fence);
    if (b->run.attempt < a->run.attempt || (b->run.attempt == a->run.attempt && !gave_back))
        return judge_fail(reterr, 8, RUN_FACTS_FMT " was sent as attempt %d after %d",
                          RUN_FACTS_ARG(rf), b->run.attempt, a->run.attempt);
    if (row && row->ended_at > b->at + facts->skew && !facts->record->clock_stepped)
        return judge_fail(reterr, 17,
                          RUN_FACTS_FMT " was sent at %" PRId64 " ms; fence %" PRId64
                                        " held it until %" PRId64 " ms",
                          RUN_FACTS_ARG(rf), MS(b->at), a->run.fence, MS(row->ended_at));
    return RC_OK;
}

static enum rc check_once(const struct facts *facts, const struct run_facts *rf,
                          struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);
    int count = 0;

    for (int i = 0; s && i < s->version_count; i++)
        if (!s->versions[i].draft->policies.at_most_once)
            return RC_OK;
    for (int i = 0; s && i < rf->sent_count; i++)
        count += !run_facts_release(rf, rf->sent[i]->run.fence);
    if (count > 1)
        return judge_fail(reterr, 8, RUN_FACTS_FMT " was sent %d times and asks for once",
                          RUN_FACTS_ARG(rf), count);
    return RC_OK;
}

static enum rc check_sent(const struct facts *facts, const struct run_facts *rf,
                          struct err *reterr)
{
    enum rc rc = check_once(facts, rf, reterr);

    for (int i = 0; i < rf->sent_count && rc == RC_OK; i++) {
        rc = check_early(facts, rf, rf->sent[i], reterr);
        if (rc == RC_OK && i > 0)
            rc = check_again(facts, rf, i, reterr);
        if (rc == RC_OK)
            rc = check_intent(facts, rf, rf->sent[i], reterr);
    }
    return rc;
}

/* ---- reports ---- */

/* The fence of the last delivery of the run before a turn; -1: none. */
static int64_t fence_at(const struct run_facts *rf, int64_t order)
{
    int64_t fence = -1;

    for (int i = 0; i < rf->sent_count && rf->sent[i]->order < order; i++)
        fence = rf->sent[i]->run.fence;
    return fence;
}

static bool is_written(const struct facts *facts, const struct run_facts *rf,
                       const struct rec_report *r)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);

    if (s && s->is_pruned)
        return true;
    /*
     * A holder that was asked to stop counts as cancelled, regardless of its report, except
     * success.
     */
    for (int i = 0; i < rf->row_count; i++)
        if (rf->rows[i]->fence == r->fence && rf->rows[i]->ended_at == r->at &&
            (rf->rows[i]->outcome == r->outcome || rf->rows[i]->outcome == OUTCOME_CANCELLED))
            return true;
    return false;
}

/*
 * A node may hand back what it claimed and never delivered: that fence is newer than any
 * delivered.
 */
static bool is_holder(const struct run_facts *rf, const struct rec_report *r)
{
    int64_t fence = fence_at(rf, r->order);

    return r->kind == REPORT_RELEASE ? r->fence >= fence : r->fence == fence;
}

static enum rc check_accepted(const struct facts *facts, const struct run_facts *rf, int i,
                              struct err *reterr)
{
    const struct rec_report *r = rf->reports[i];

    if (!is_holder(rf, r))
        return judge_fail(reterr, 6,
                          RUN_FACTS_FMT ": a report with fence %" PRId64
                                        " was taken when %" PRId64 " was in force",
                          RUN_FACTS_ARG(rf), r->fence, fence_at(rf, r->order));
    if (r->kind == REPORT_DONE && !is_written(facts, rf, r))
        return judge_fail(reterr, 6,
                          RUN_FACTS_FMT ": the end that fence %" PRId64
                                        " reported was taken and is not in history",
                          RUN_FACTS_ARG(rf), r->fence);
    for (int k = 0; k < i && r->kind == REPORT_DONE; k++)
        if (rf->reports[k]->kind == REPORT_DONE && rf->reports[k]->rc == RC_OK &&
            rf->reports[k]->fence == r->fence)
            return judge_fail(reterr, 6, RUN_FACTS_FMT ": fence %" PRId64 " ended it twice",
                              RUN_FACTS_ARG(rf), r->fence);
    return RC_OK;
}

static enum rc check_refused(const struct facts *facts, const struct run_facts *rf,
                             struct err *reterr)
{
    int refused = 0;

    for (int i = 0; i < rf->report_count; i++)
        refused += rf->reports[i]->rc == RC_CONFLICT;
    if (facts->has_all_events && rf->stale_events < refused)
        return judge_fail(reterr, 6,
                          RUN_FACTS_FMT ": %d reports were rejected; %d events say so",
                          RUN_FACTS_ARG(rf), refused, rf->stale_events);
    return RC_OK;
}

static enum rc check_reports(const struct facts *facts, const struct run_facts *rf,
                             struct err *reterr)
{
    enum rc rc = check_refused(facts, rf, reterr);

    for (int i = 0; i < rf->report_count && rc == RC_OK; i++)
        if (rf->reports[i]->rc == RC_OK)
            rc = check_accepted(facts, rf, i, reterr);
    return rc;
}

/* ---- pauses and deletions ---- */

static enum rc check_barred(const struct facts *facts, const struct run_facts *rf,
                            struct err *reterr)
{
    const struct schedule *s = facts_schedule(facts, rf->schedule);

    /* A test run is independent: it outlives its schedule. */
    if (!s || rf->kind < 0 || rf->kind == RUN_TEST || facts->record->clock_stepped)
        return RC_OK;
    if (s->deleted != INSTANT_NEVER && rf->created_at > s->deleted + facts->skew)
        return judge_fail(reterr, 9, RUN_FACTS_FMT " was made after its schedule was deleted",
                          RUN_FACTS_ARG(rf));
    for (int i = 0; i < rf->sent_count; i++)
        if (s->deleted != INSTANT_NEVER && rf->sent[i]->at > s->deleted + JUDGE_SLACK)
            return judge_fail(reterr, 9,
                              RUN_FACTS_FMT " was sent after its schedule was deleted",
                              RUN_FACTS_ARG(rf));
    for (int i = 0; i < s->pause_count && run_facts_is_automatic(rf); i++)
        if (s->pauses[i].is_asked && rf->created_at > s->pauses[i].from + facts->skew &&
            rf->created_at < s->pauses[i].until - facts->skew)
            return judge_fail(reterr, 9,
                              RUN_FACTS_FMT " was made at %" PRId64
                                            " ms, while its schedule was paused",
                              RUN_FACTS_ARG(rf), MS(rf->created_at));
    return RC_OK;
}

/* Two runs that follow each other by schedule, slot and pass have different ids. */
static enum rc check_names(const struct facts *facts, struct err *reterr)
{
    const struct run_facts *before = NULL;

    for (int i = 0; i < facts->run_count; i++) {
        const struct run_facts *rf = &facts->runs[i];

        if (rf->sent_count == 0)
            continue;
        if (before && strcmp(before->sent[0]->id, rf->sent[0]->id) == 0)
            return judge_fail(reterr, 8,
                              RUN_FACTS_FMT " was sent with the id of another run, %s",
                              RUN_FACTS_ARG(rf), rf->sent[0]->id);
        before = rf;
    }
    return RC_OK;
}

enum rc judge_sent(struct facts *facts, struct err *reterr)
{
    enum rc rc = check_names(facts, reterr);

    for (int i = 0; i < facts->run_count && rc == RC_OK; i++) {
        const struct run_facts *rf = &facts->runs[i];

        rc = check_sent(facts, rf, reterr);
        if (rc == RC_OK)
            rc = check_reports(facts, rf, reterr);
        if (rc == RC_OK)
            rc = check_barred(facts, rf, reterr);
    }
    return rc;
}
