/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariant 10: runs of one schedule side by side.
 *
 * History says when a run was made and ended, deliveries when it began; in between lies the
 * moment at which it left the queue, which nobody wrote down.  So what is checked is what
 * these times can prove.  Where a clock was stepped they prove nothing; the order of commits
 * does.
 */
#include <stdlib.h>

#include "sim/judge_case.h"

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The one policy of a schedule; OVERLAP_COUNT when its versions differ. */
static enum overlap policy_of(const struct schedule *s)
{
    enum overlap policy = s->versions[0].draft->policies.overlap;

    for (int i = 1; i < s->version_count; i++)
        if (s->versions[i].draft->policies.overlap != policy)
            return OVERLAP_COUNT;
    return policy;
}

/* Whether the run, as it was handed out, may not run beside others. */
static bool is_alone(const struct life *l, enum overlap policy)
{
    uint8_t own = OVERLAP_DEFAULT;

    if (l->kind == RUN_TEST || l->kind == RUN_DIRECT || l->kind < 0)
        return false;
    if (l->sent_count > 0)
        own = l->sent[0]->run.overlap;
    else if (l->pass > 0)
        return false;
    return own == OVERLAP_DEFAULT ? policy != OVERLAP_ALLOW_ALL && policy != OVERLAP_COUNT
                                  : own != OVERLAP_ALLOW_ALL;
}

/* An end that was pruned is not known, even where the beginning is. */
static bool is_known(const struct life *l)
{
    return l->open || life_last(l);
}

static int by_began(const void *a, const void *b)
{
    const struct life *const *x = a, *const *y = b;
    int c = compare((*x)->began, (*y)->began);

    /* What began and ended in one moment comes before what is still there. */
    return c ? c : compare((*x)->ended, (*y)->ended);
}

static instant first_end(const struct life *a, const struct life *b)
{
    return a->ended < b->ended ? a->ended : b->ended;
}

static enum rc check_one_at_a_time(const struct court *court, const struct schedule *s,
                                   enum overlap policy, struct err *reterr)
{
    const struct life **alone = arena_array(court->arena, (size_t)s->life_count, sizeof *alone);
    const struct life *before = NULL;
    int count = 0;

    for (int i = 0; i < s->life_count; i++)
        if (is_alone(&s->lives[i], policy) && s->lives[i].began != INSTANT_NEVER &&
            is_known(&s->lives[i]))
            alone[count++] = &s->lives[i];
    qsort(alone, (size_t)count, sizeof *alone, by_began);
    for (int i = 0; i < count; i++) {
        if (before && first_end(before, alone[i]) - alone[i]->began > court->skew)
            return judge_fail(
                reterr, 10,
                LIFE_FMT " began at %" PRId64 " ms beside slot %" PRId64 " ms, pass %" PRId64,
                LIFE_ARG(alone[i]), MS(alone[i]->began), MS(before->slot), before->pass);
        before = alone[i];
    }
    return RC_OK;
}

static int by_first_sent(const void *a, const void *b)
{
    const struct life *const *x = a, *const *y = b;

    return compare((*x)->sent[0]->order, (*y)->sent[0]->order);
}

/* The same by the order of commits, for those that were handed to someone. */
static enum rc check_one_after_the_other(const struct court *court, const struct schedule *s,
                                         enum overlap policy, struct err *reterr)
{
    const struct life **alone = arena_array(court->arena, (size_t)s->life_count, sizeof *alone);
    int count = 0;

    for (int i = 0; i < s->life_count; i++) {
        const struct life *l = &s->lives[i];

        if (is_alone(l, policy) && l->sent_count > 0 && is_known(l))
            alone[count++] = l;
    }
    qsort(alone, (size_t)count, sizeof *alone, by_first_sent);
    for (int i = 1; i < count; i++) {
        const struct life *a = alone[i - 1], *b = alone[i];
        int64_t end = a->open ? INT64_MAX : court_order(court, a->ended, a->sent[0]->order);

        if (end > b->sent[0]->order)
            return judge_fail(reterr, 10,
                              LIFE_FMT " was sent beside slot %" PRId64 " ms, pass %" PRId64,
                              LIFE_ARG(b), MS(a->slot), a->pass);
    }
    return RC_OK;
}

/* ---- how many wait ---- */

/* A run comes or goes. */
struct step {
    instant at;
    int by;
    const struct life *life;
};

static int by_step(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    int c = compare(x->at, y->at);

    return c ? c : compare(x->by, y->by);
}

/* Automatic runs that may be there at once, one of them open; 0: any number. */
static int64_t most_at_once(const struct schedule *s, enum overlap policy)
{
    int64_t most = 0;

    if (policy == OVERLAP_SKIP)
        return 1;
    if (policy == OVERLAP_BUFFER_ONE)
        return 2;
    for (int i = 0; i < s->version_count; i++) {
        int64_t limit = s->versions[i].draft->policies.buffer_limit;

        if (policy != OVERLAP_BUFFER_ALL || limit == 0)
            return 0;
        most = limit + 1 > most ? limit + 1 : most;
    }
    return most;
}

static int list_steps(const struct court *court, const struct schedule *s, struct step *ret)
{
    int count = 0;

    for (int i = 0; i < s->life_count; i++) {
        const struct life *l = &s->lives[i];

        if (!life_is_automatic(l) || !is_known(l))
            continue;
        ret[count++] = (struct step){l->created_at, 1, l};
        if (l->ended != INSTANT_NEVER)
            ret[count++] = (struct step){l->ended - court->skew, -1, l};
    }
    qsort(ret, (size_t)count, sizeof *ret, by_step);
    return count;
}

static enum rc check_depth(const struct court *court, const struct schedule *s,
                           enum overlap policy, struct err *reterr)
{
    int64_t most = most_at_once(s, policy), depth = 0;
    struct step *steps;
    int count;

    if (most == 0)
        return RC_OK;
    steps = arena_array(court->arena, 2 * (size_t)s->life_count, sizeof *steps);
    count = list_steps(court, s, steps);
    for (int i = 0; i < count; i++) {
        depth += steps[i].by;
        if (depth > most)
            return judge_fail(reterr, 10,
                              LIFE_FMT " made %" PRId64 " at once at %" PRId64 " ms; %" PRId64
                                       " are allowed",
                              LIFE_ARG(steps[i].life), depth, MS(steps[i].at), most);
    }
    return RC_OK;
}

static enum rc check_in_order(const struct court *court, const struct schedule *s,
                              struct err *reterr)
{
    const struct life *before = NULL;

    for (int i = 0; i < s->life_count; i++) {
        const struct life *l = &s->lives[i];

        if (!life_is_automatic(l) || l->began == INSTANT_NEVER)
            continue;
        if (before && l->began < before->began - court->skew)
            return judge_fail(reterr, 10,
                              LIFE_FMT " began at %" PRId64 " ms, before slot %" PRId64 " ms",
                              LIFE_ARG(l), MS(l->began), MS(before->slot));
        before = l;
    }
    return RC_OK;
}

/* What times can prove. */
static enum rc check_times(const struct court *court, const struct schedule *s,
                           enum overlap policy, struct err *reterr)
{
    enum rc rc = check_one_at_a_time(court, s, policy, reterr);

    if (rc == RC_OK)
        rc = check_depth(court, s, policy, reterr);
    if (rc == RC_OK && policy == OVERLAP_BUFFER_ALL)
        rc = check_in_order(court, s, reterr);
    return rc;
}

enum rc judge_overlap(struct court *court, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < court->schedule_count && rc == RC_OK; i++) {
        const struct schedule *s = &court->schedules[i];
        enum overlap policy = policy_of(s);

        rc = check_one_after_the_other(court, s, policy, reterr);
        if (rc == RC_OK && !court->record->clock_stepped)
            rc = check_times(court, s, policy, reterr);
    }
    return rc;
}
