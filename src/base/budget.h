/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit on the work of one computation, such as a search for the times of a spec.
 *
 * Work is counted in steps: one step examines one entry or one exclusion of a spec for one
 * candidate, or counts the slots of one entry for half an hour.  A step takes some 20 to 100
 * nanoseconds.  When it is used up, searches find nothing more, so the caller must discard
 * their result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct budget {
    int64_t left;                  /* steps                                           */
    bool (*is_stopped)(void *arg); /* asked now and then: nobody waits; NULL: never   */
    void *arg;                     /* of is_stopped()                                 */
    bool is_over;                  /* steps were missing, or is_stopped() said true   */
    bool is_trial;                 /* what is over is done again, with more steps     */
};

enum { BUDGET_ASK_EVERY = 1024 }; /* steps between two calls of is_stopped() */

/* Counts `steps`; false: it is used up.  `budget` NULL: there is no limit. */
static inline bool budget_spend(struct budget *budget, int64_t steps)
{
    int64_t before;
    bool asks;

    if (!budget)
        return true;
    if (budget->is_over)
        return false;
    before = budget->left;
    budget->left -= steps;
    asks = before / BUDGET_ASK_EVERY != budget->left / BUDGET_ASK_EVERY;
    budget->is_over = budget->left < 0 ||
                      (asks && budget->is_stopped && budget->is_stopped(budget->arg));
    return !budget->is_over;
}

/* Counts work other than searches, which only a trial limits. */
static inline bool budget_try(struct budget *budget, int64_t steps)
{
    return !budget || !budget->is_trial || budget_spend(budget, steps);
}

/*
 * For one of many items: at most `steps`, and at most half of what is left, so that items
 * cannot use up the whole.  The item that used it up has no result; the others do.  A trial is
 * over if an item would have got more steps otherwise.
 */
static inline struct budget budget_part(const struct budget *whole, int64_t steps)
{
    struct budget part = {.left = steps};

    if (!whole)
        return part;
    part = *whole;
    part.left = whole->left / 2 < steps ? whole->left / 2 : steps;
    part.is_trial = whole->is_trial && part.left < steps;
    return part;
}

/* Counts what an item used of its `given` steps. */
static inline void budget_join(struct budget *whole, int64_t given, const struct budget *part)
{
    if (!whole)
        return;
    whole->left -= part->left < 0 ? given : given - part->left;
    whole->is_over |= part->is_trial && part->is_over;
}
