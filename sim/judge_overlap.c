/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariant 10: simultaneous runs of one schedule.
 *
 * History says when a run was created and ended, deliveries when it began; between them is the
 * moment at which it left the queue, which is not recorded.  So only what these times can prove
 * is checked.  Where a clock was stepped they prove nothing; the order of commits does.
 */
#include <stdlib.h>

#include "sim/judge_facts.h"

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* The policy of a schedule; OVERLAP_COUNT if its versions differ. */
static enum overlap policy_of(const struct schedule *s)
{
    enum overlap policy = s->versions[0].draft->policies.overlap;

    for (int i = 1; i < s->version_count; i++)
        if (s->versions[i].draft->policies.overlap != policy)
            return OVERLAP_COUNT;
    return policy;
}

/* Whether the run, as delivered, must not run together with others. */
static bool is_alone(const struct run_facts *rf, enum overlap policy)
{
    uint8_t own_policy = OVERLAP_DEFAULT;

    if (rf->kind == RUN_TEST || rf->kind == RUN_DIRECT || rf->kind < 0)
        return false;
    if (rf->sent_count > 0)
        own_policy = rf->sent[0]->run.overlap;
    else if (rf->pass > 0)
        return false;
    return own_policy == OVERLAP_DEFAULT
               ? policy != OVERLAP_ALLOW_ALL && policy != OVERLAP_COUNT
               : own_policy != OVERLAP_ALLOW_ALL;
}

/* An end that was pruned is unknown, even if the beginning is known. */
static bool is_known(const struct run_facts *rf)
{
    return rf->open || run_facts_last(rf);
}

static int by_began(const void *a, const void *b)
{
    const struct run_facts *const *x = a, *const *y = b;
    int c = compare((*x)->began, (*y)->began);

    /* A run that began and ended at one moment comes before one that is still open. */
    return c ? c : compare((*x)->ended, (*y)->ended);
}

static instant first_end(const struct run_facts *a, const struct run_facts *b)
{
    return a->ended < b->ended ? a->ended : b->ended;
}

static enum rc check_one_at_a_time(const struct facts *facts, const struct schedule *s,
                                   enum overlap policy, struct err *reterr)
{
    const struct run_facts **alone = arena_array(facts->arena, (size_t)s->run_count,
                                                 sizeof *alone);
    const struct run_facts *before = NULL;
    int count = 0;

    for (int i = 0; i < s->run_count; i++)
        if (is_alone(&s->runs[i], policy) && s->runs[i].began != INSTANT_NEVER &&
            is_known(&s->runs[i]))
            alone[count++] = &s->runs[i];
    qsort(alone, (size_t)count, sizeof *alone, by_began);
    for (int i = 0; i < count; i++) {
        if (before && first_end(before, alone[i]) - alone[i]->began > facts->skew)
            return judge_fail(
                reterr, 10,
                RUN_FACTS_FMT " began at %" PRId64 " ms together with slot %" PRId64
                              " ms, pass %" PRId64,
                RUN_FACTS_ARG(alone[i]), MS(alone[i]->began), MS(before->slot), before->pass);
        before = alone[i];
    }
    return RC_OK;
}

static int by_first_sent(const void *a, const void *b)
{
    const struct run_facts *const *x = a, *const *y = b;

    return compare((*x)->sent[0]->order, (*y)->sent[0]->order);
}

/* The same by the order of commits, for delivered runs. */
static enum rc check_one_after_the_other(const struct facts *facts, const struct schedule *s,
                                         enum overlap policy, struct err *reterr)
{
    const struct run_facts **alone = arena_array(facts->arena, (size_t)s->run_count,
                                                 sizeof *alone);
    int count = 0;

    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (is_alone(rf, policy) && rf->sent_count > 0 && is_known(rf))
            alone[count++] = rf;
    }
    qsort(alone, (size_t)count, sizeof *alone, by_first_sent);
    for (int i = 1; i < count; i++) {
        const struct run_facts *a = alone[i - 1], *b = alone[i];
        int64_t end = a->open ? INT64_MAX : facts_order(facts, a->ended, a->sent[0]->order);

        if (end > b->sent[0]->order)
            return judge_fail(reterr, 10,
                              RUN_FACTS_FMT " was sent together with slot %" PRId64
                                            " ms, pass %" PRId64,
                              RUN_FACTS_ARG(b), MS(a->slot), a->pass);
    }
    return RC_OK;
}

/* ---- how many wait ---- */

/* A run is created or ends. */
struct step {
    instant at;
    int by;
    const struct run_facts *rf;
};

static int by_step(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    int c = compare(x->at, y->at);

    return c ? c : compare(x->by, y->by);
}

/* Maximum simultaneous automatic runs, one of them open; 0: no limit. */
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

static int list_steps(const struct facts *facts, const struct schedule *s, struct step *ret)
{
    int count = 0;

    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (!run_facts_is_automatic(rf) || !is_known(rf))
            continue;
        ret[count++] = (struct step){rf->created_at, 1, rf};
        if (rf->ended != INSTANT_NEVER)
            ret[count++] = (struct step){rf->ended - facts->skew, -1, rf};
    }
    qsort(ret, (size_t)count, sizeof *ret, by_step);
    return count;
}

static enum rc check_depth(const struct facts *facts, const struct schedule *s,
                           enum overlap policy, struct err *reterr)
{
    int64_t most = most_at_once(s, policy), depth = 0;
    struct step *steps;
    int count;

    if (most == 0)
        return RC_OK;
    steps = arena_array(facts->arena, 2 * (size_t)s->run_count, sizeof *steps);
    count = list_steps(facts, s, steps);
    for (int i = 0; i < count; i++) {
        depth += steps[i].by;
        if (depth > most)
            return judge_fail(reterr, 10,
                              RUN_FACTS_FMT " made %" PRId64 " at once at %" PRId64
                                            " ms; %" PRId64 " are allowed",
                              RUN_FACTS_ARG(steps[i].rf), depth, MS(steps[i].at), most);
    }
    return RC_OK;
}

/* Where starts expire in their turn, a new slot may begin before one that waits [P-17]. */
static bool expires_in_turn(const struct schedule *s)
{
    for (int i = 0; i < s->version_count; i++)
        if (s->versions[i].draft->policies.expires_at_start)
            return true;
    return false;
}

/* Whether a run had to wait: another one had begun, and lasted. */
static bool has_waited(const struct facts *facts, const struct schedule *s,
                       const struct run_facts *rf)
{
    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *o = &s->runs[i];

        if (o != rf && o->kind != RUN_TEST && o->began < rf->created_at - facts->skew &&
            is_known(o) && o->ended > rf->created_at + facts->skew)
            return true;
    }
    return false;
}

static enum rc check_in_order(const struct facts *facts, const struct schedule *s,
                              struct err *reterr)
{
    const struct run_facts *before = NULL;
    bool may_overtake = expires_in_turn(s);

    for (int i = 0; i < s->run_count; i++) {
        const struct run_facts *rf = &s->runs[i];

        if (!run_facts_is_automatic(rf) || rf->began == INSTANT_NEVER)
            continue;
        if (!before || rf->began >= before->began - facts->skew)
            before = rf;
        else if (!may_overtake || has_waited(facts, s, rf))
            return judge_fail(reterr, 10,
                              RUN_FACTS_FMT " began at %" PRId64 " ms, before slot %" PRId64
                                            " ms",
                              RUN_FACTS_ARG(rf), MS(rf->began), MS(before->slot));
    }
    return RC_OK;
}

/* What times can prove. */
static enum rc check_times(const struct facts *facts, const struct schedule *s,
                           enum overlap policy, struct err *reterr)
{
    enum rc rc = check_one_at_a_time(facts, s, policy, reterr);

    if (rc == RC_OK)
        rc = check_depth(facts, s, policy, reterr);
    if (rc == RC_OK && policy == OVERLAP_BUFFER_ALL)
        rc = check_in_order(facts, s, reterr);
    return rc;
}

enum rc judge_overlap(struct facts *facts, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < facts->schedule_count && rc == RC_OK; i++) {
        const struct schedule *s = &facts->schedules[i];
        enum overlap policy = policy_of(s);

        rc = check_one_after_the_other(facts, s, policy, reterr);
        if (rc == RC_OK && !facts->record->clock_stepped)
            rc = check_times(facts, s, policy, reterr);
    }
    return rc;
}
