/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was handed out and what came back: invariants 5, 6, 7, 8, 9, 12 and 17.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/judge_case.h"

static int by_order(const void *a, const void *b)
{
    const struct rec_turn *const *x = a, *const *y = b;

    return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

static const struct rec_turn *turn_of(const struct court *court, int64_t order)
{
    struct rec_turn wanted = {.order = order};
    const struct rec_turn *key = &wanted;
    const struct rec_turn **found = bsearch(&key, court->turns, (size_t)court->turn_count,
                                            sizeof *court->turns, by_order);

    return found ? *found : NULL;
}

static const struct history_row *row_with_fence(const struct life *l, int64_t fence)
{
    for (int i = 0; i < l->row_count; i++)
        if (l->rows[i]->fence == fence)
            return l->rows[i];
    return NULL;
}

/* ---- deliveries ---- */

/* Nothing is sent that the store did not have before, under the same attempt and fence. */
static enum rc check_intent(const struct court *court, const struct life *l,
                            const struct rec_delivery *d, struct err *reterr)
{
    const struct rec_turn *turn = turn_of(court, d->order);
    const struct schedule *s = court_schedule(court, l->schedule);
    bool is_open = l->open && l->open->fence == d->run.fence &&
                   l->open->attempt == d->run.attempt;

    if (!turn || turn->node != d->node || turn->now != d->at)
        return judge_fail(reterr, 7,
                          LIFE_FMT " was sent by node %" PRId64
                                   " without a turn that was committed",
                          LIFE_ARG(l), d->node);
    if (is_open || life_release(l, d->run.fence) || (s && s->is_pruned))
        return RC_OK;
    for (int i = 0; i < l->row_count; i++)
        if (l->rows[i]->fence == d->run.fence && l->rows[i]->attempt == d->run.attempt)
            return RC_OK;
    return judge_fail(reterr, 7,
                      LIFE_FMT " was sent as attempt %d, fence %" PRId64
                               ", which the store does not know",
                      LIFE_ARG(l), d->run.attempt, d->run.fence);
}

static enum rc check_early(const struct court *court, const struct life *l,
                           const struct rec_delivery *d, struct err *reterr)
{
    if (d->at < d->run.due - court->skew && !court->record->clock_stepped)
        return judge_fail(reterr, 12,
                          LIFE_FMT " was sent at %" PRId64 " ms, due %" PRId64 " ms",
                          LIFE_ARG(l), MS(d->at), MS(d->run.due));
    return RC_OK;
}

/* Of two deliveries of a run, the later one. */
static enum rc check_again(const struct court *court, const struct life *l, int i,
                           struct err *reterr)
{
    const struct rec_delivery *a = l->sent[i - 1], *b = l->sent[i];
    const struct history_row *row = row_with_fence(l, a->run.fence);
    bool gave_back = life_release(l, a->run.fence) != NULL;

    if (strcmp(a->id, b->id) != 0)
        return judge_fail(reterr, 8, LIFE_FMT " was sent as %s and as %s", LIFE_ARG(l), a->id,
                          b->id);
    if (b->run.fence <= a->run.fence)
        return judge_fail(reterr, 5, LIFE_FMT " was sent with fence %" PRId64 " after %" PRId64,
                          LIFE_ARG(l), b->run.fence, a->run.fence);
    if (b->run.attempt < a->run.attempt || (b->run.attempt == a->run.attempt && !gave_back))
        return judge_fail(reterr, 8, LIFE_FMT " was sent as attempt %d after %d", LIFE_ARG(l),
                          b->run.attempt, a->run.attempt);
    if (row && row->ended_at > b->at + court->skew && !court->record->clock_stepped)
        return judge_fail(reterr, 17,
                          LIFE_FMT " was sent at %" PRId64 " ms; fence %" PRId64
                                   " held it until %" PRId64 " ms",
                          LIFE_ARG(l), MS(b->at), a->run.fence, MS(row->ended_at));
    return RC_OK;
}

static enum rc check_once(const struct court *court, const struct life *l, struct err *reterr)
{
    const struct schedule *s = court_schedule(court, l->schedule);
    int count = 0;

    for (int i = 0; s && i < s->version_count; i++)
        if (!s->versions[i].draft->policies.at_most_once)
            return RC_OK;
    for (int i = 0; s && i < l->sent_count; i++)
        count += !life_release(l, l->sent[i]->run.fence);
    if (count > 1)
        return judge_fail(reterr, 8, LIFE_FMT " was sent %d times and asks for once",
                          LIFE_ARG(l), count);
    return RC_OK;
}

static enum rc check_sent(const struct court *court, const struct life *l, struct err *reterr)
{
    enum rc rc = check_once(court, l, reterr);

    for (int i = 0; i < l->sent_count && rc == RC_OK; i++) {
        rc = check_early(court, l, l->sent[i], reterr);
        if (rc == RC_OK && i > 0)
            rc = check_again(court, l, i, reterr);
        if (rc == RC_OK)
            rc = check_intent(court, l, l->sent[i], reterr);
    }
    return rc;
}

/* ---- reports ---- */

/* The fence with which the run was last handed out before a turn; -1: never. */
static int64_t fence_at(const struct life *l, int64_t order)
{
    int64_t fence = -1;

    for (int i = 0; i < l->sent_count && l->sent[i]->order < order; i++)
        fence = l->sent[i]->run.fence;
    return fence;
}

static bool is_written(const struct court *court, const struct life *l,
                       const struct rec_report *r)
{
    const struct schedule *s = court_schedule(court, l->schedule);

    if (s && s->is_pruned)
        return true;
    /* Who was asked to stop has been cancelled, whatever he says but success. */
    for (int i = 0; i < l->row_count; i++)
        if (l->rows[i]->fence == r->fence && l->rows[i]->ended_at == r->at &&
            (l->rows[i]->outcome == r->outcome || l->rows[i]->outcome == OUTCOME_CANCELLED))
            return true;
    return false;
}

/* A node may hand back what it claimed and never sent: that fence is newer than any sent. */
static bool is_holder(const struct life *l, const struct rec_report *r)
{
    int64_t fence = fence_at(l, r->order);

    return r->kind == REPORT_RELEASE ? r->fence >= fence : r->fence == fence;
}

static enum rc check_accepted(const struct court *court, const struct life *l, int i,
                              struct err *reterr)
{
    const struct rec_report *r = l->reports[i];

    if (!is_holder(l, r))
        return judge_fail(reterr, 6,
                          LIFE_FMT ": a report with fence %" PRId64 " was taken when %" PRId64
                                   " was in force",
                          LIFE_ARG(l), r->fence, fence_at(l, r->order));
    if (r->kind == REPORT_DONE && !is_written(court, l, r))
        return judge_fail(reterr, 6,
                          LIFE_FMT ": the end that fence %" PRId64
                                   " reported was taken and is not in history",
                          LIFE_ARG(l), r->fence);
    for (int k = 0; k < i && r->kind == REPORT_DONE; k++)
        if (l->reports[k]->kind == REPORT_DONE && l->reports[k]->rc == RC_OK &&
            l->reports[k]->fence == r->fence)
            return judge_fail(reterr, 6, LIFE_FMT ": fence %" PRId64 " ended it twice",
                              LIFE_ARG(l), r->fence);
    return RC_OK;
}

static enum rc check_refused(const struct court *court, const struct life *l,
                             struct err *reterr)
{
    int refused = 0;

    for (int i = 0; i < l->report_count; i++)
        refused += l->reports[i]->rc == RC_CONFLICT;
    if (court->has_all_events && l->stale_events < refused)
        return judge_fail(reterr, 6, LIFE_FMT ": %d reports were refused and %d left an event",
                          LIFE_ARG(l), refused, l->stale_events);
    return RC_OK;
}

static enum rc check_reports(const struct court *court, const struct life *l,
                             struct err *reterr)
{
    enum rc rc = check_refused(court, l, reterr);

    for (int i = 0; i < l->report_count && rc == RC_OK; i++)
        if (l->reports[i]->rc == RC_OK)
            rc = check_accepted(court, l, i, reterr);
    return rc;
}

/* ---- pauses and deletions ---- */

static enum rc check_barred(const struct court *court, const struct life *l, struct err *reterr)
{
    const struct schedule *s = court_schedule(court, l->schedule);

    /* A test is its own affair: it outlives its schedule. */
    if (!s || l->kind < 0 || l->kind == RUN_TEST || court->record->clock_stepped)
        return RC_OK;
    if (s->deleted != INSTANT_NEVER && l->created_at > s->deleted + court->skew)
        return judge_fail(reterr, 9, LIFE_FMT " was made after its schedule was deleted",
                          LIFE_ARG(l));
    for (int i = 0; i < l->sent_count; i++)
        if (s->deleted != INSTANT_NEVER && l->sent[i]->at > s->deleted + JUDGE_SLACK)
            return judge_fail(reterr, 9, LIFE_FMT " was sent after its schedule was deleted",
                              LIFE_ARG(l));
    for (int i = 0; i < s->pause_count && life_is_automatic(l); i++)
        if (s->pauses[i].is_asked && l->created_at > s->pauses[i].from + court->skew &&
            l->created_at < s->pauses[i].until - court->skew)
            return judge_fail(reterr, 9,
                              LIFE_FMT " was made at %" PRId64
                                       " ms, while its schedule was paused",
                              LIFE_ARG(l), MS(l->created_at));
    return RC_OK;
}

/* Two runs never share the name under which they are sent. */
static enum rc check_names(const struct court *court, struct err *reterr)
{
    const struct life *before = NULL;

    for (int i = 0; i < court->life_count; i++) {
        const struct life *l = &court->lives[i];

        if (l->sent_count == 0)
            continue;
        if (before && strcmp(before->sent[0]->id, l->sent[0]->id) == 0)
            return judge_fail(reterr, 8, LIFE_FMT " was sent under another's name, %s",
                              LIFE_ARG(l), l->sent[0]->id);
        before = l;
    }
    return RC_OK;
}

enum rc judge_sent(struct court *court, struct err *reterr)
{
    enum rc rc = check_names(court, reterr);

    for (int i = 0; i < court->life_count && rc == RC_OK; i++) {
        const struct life *l = &court->lives[i];

        rc = check_sent(court, l, reterr);
        if (rc == RC_OK)
            rc = check_reports(court, l, reterr);
        if (rc == RC_OK)
            rc = check_barred(court, l, reterr);
    }
    return rc;
}
