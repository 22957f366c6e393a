/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of the transitions between the states of a run, and the names of kinds and states.
 */
#include "core/run.h"

#include "base/must.h"
#include "core/policy/policies.h"

#define TO(state) (1u << (state))

/* The states that may follow each state.  None leads back to held, and none follows ended. */
static const unsigned transitions[] = {
    [RUN_HELD] = TO(RUN_READY) | TO(RUN_APPROVAL) | TO(RUN_ENDED),
    [RUN_APPROVAL] = TO(RUN_READY) | TO(RUN_ENDED),
    [RUN_READY] = TO(RUN_LEASED) | TO(RUN_GATED) | TO(RUN_ENDED),
    [RUN_GATED] = TO(RUN_READY) | TO(RUN_ENDED),
    [RUN_LEASED] = TO(RUN_RUNNING) | TO(RUN_READY) | TO(RUN_BACKOFF) | TO(RUN_ENDED),
    [RUN_RUNNING] = TO(RUN_READY) | TO(RUN_BACKOFF) | TO(RUN_ENDED),
    [RUN_BACKOFF] = TO(RUN_READY) | TO(RUN_ENDED),
    [RUN_ENDED] = 0,
};

_Static_assert(sizeof transitions / sizeof *transitions == RUN_ENDED + 1, "a row per state");

bool run_may(enum run_state from, enum run_state to)
{
    must(from >= RUN_HELD && from <= RUN_ENDED && to >= RUN_HELD && to <= RUN_ENDED);
    must(from == RUN_ENDED || (transitions[from] & TO(RUN_ENDED))); /* or it never ends */
    must((transitions[from] & TO(RUN_HELD)) == 0); /* or it could start twice */
    return (transitions[from] & TO(to)) != 0;
}

void run_set_state(struct run *run, enum run_state to)
{
    must(run_may(run->state, to));
    run->state = to;
}

enum { BLAMES_AT = 4 }; /* the lowest bit of RUN_BLAMED */

int run_blames(const struct run *run)
{
    return (int)((run->flags & RUN_BLAMED) >> BLAMES_AT);
}

void run_add_blame(struct run *run)
{
    must(run_blames(run) < BLAMES_MAX);
    run->flags += 1 << BLAMES_AT;
}

instant run_rank(instant due, int32_t priority)
{
    must(priority >= PRIORITY_MIN && priority <= PRIORITY_MAX);
    return due - priority * RANK_STEP;
}

const char *run_kind_text(enum run_kind kind)
{
    static const char *const names[] = {
        [RUN_SLOT] = "slot",     [RUN_TRIGGER] = "trigger", [RUN_BACKFILL] = "backfill",
        [RUN_DIRECT] = "direct", [RUN_TEST] = "test",
    };

    must(kind >= RUN_SLOT && kind <= RUN_TEST);
    return names[kind];
}

const char *run_state_text(enum run_state state)
{
    static const char *const names[] = {
        [RUN_HELD] = "held",       [RUN_APPROVAL] = "approval", [RUN_READY] = "ready",
        [RUN_GATED] = "held",      [RUN_LEASED] = "leased",     [RUN_RUNNING] = "running",
        [RUN_BACKOFF] = "backoff", [RUN_ENDED] = "ended",
    };

    must(state >= RUN_HELD && state <= RUN_ENDED);
    return names[state];
}
