/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the last runs ended, as the cursor has it and as history and the journal have it:
 * invariant 15.
 */
#include "sim/ends.h"
#include "sim/judge_facts.h"

enum { RUNS = 32 }; /* that the number has */

/* Runs of this kind, 1 to 3, among the last 32. */
static int count_kind(uint64_t recent, unsigned kind)
{
    int count = 0;

    for (; recent != 0; recent >>= 2)
        count += (recent & 3) == kind;
    return count;
}

/* The order of the ends is unknown: at least their numbers are right. */
static enum rc check_numbers_of(const struct schedule *s, const struct ends *ends,
                                struct err *reterr)
{
    uint64_t recent = (uint64_t)s->cursor->recent;
    int count = 0;

    for (unsigned kind = 1; kind <= 3; kind++) {
        int found = count_kind(recent, kind);

        count += found;
        if (found > ends->ends[kind - 1])
            return judge_fail(reterr, 15,
                              "schedule %" PRId64 ": %d of its last runs are of kind %u; "
                              "history has %d",
                              s->key, found, kind, ends->ends[kind - 1]);
    }
    if (count != (ends->count < RUNS ? ends->count : RUNS))
        return judge_fail(reterr, 15,
                          "schedule %" PRId64 " has the ends of %d runs; %d have ended", s->key,
                          count, ends->count);
    return RC_OK;
}

static enum rc check_schedule(const struct schedule *s, const struct ends *ends,
                              struct err *reterr)
{
    const struct cursor *c = s->cursor;

    if (!ends->is_ordered)
        return check_numbers_of(s, ends, reterr);
    if ((uint64_t)c->recent != ends->recent)
        return judge_fail(reterr, 15,
                          "schedule %" PRId64 ": its last runs ended as %" PRIx64
                          ", the cursor has %" PRIx64,
                          s->key, ends->recent, (uint64_t)c->recent);
    if (c->last_ok != ends->last_ok)
        return judge_fail(reterr, 15,
                          "schedule %" PRId64 ": its last success was at %" PRId64
                          " ms, the cursor has %" PRId64 " ms",
                          s->key, MS(ends->last_ok), MS(c->last_ok));
    if (c->last_late != ends->last_late)
        return judge_fail(reterr, 15,
                          "schedule %" PRId64 ": its last automatic run was %" PRId64
                          " us late, the cursor has %" PRId64,
                          s->key, ends->last_late, c->last_late);
    return RC_OK;
}

enum rc judge_recent(struct facts *facts, struct err *reterr)
{
    struct ends_turns turns;
    enum rc rc = RC_OK;

    ends_turns_make(facts->record, facts->arena, &turns);
    for (int i = 0; i < facts->schedule_count && rc == RC_OK; i++) {
        const struct schedule *s = &facts->schedules[i];
        struct ends ends;

        if (!s->cursor || s->deleted != INSTANT_NEVER || s->is_pruned)
            continue;
        ends_read(facts->record, &turns, s->key, facts->arena, &ends);
        rc = check_schedule(s, &ends, reterr);
    }
    return rc;
}
