/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run from its creation to its end, and the transitions between its states.
 *
 * Pure.  The numbers are stored: never change one, only add.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "base/str.h"
#include "core/outcome.h"
#include "core/policy/overlap.h"

enum run_kind {
    RUN_SLOT = 0,
    RUN_TRIGGER = 1,
    RUN_BACKFILL = 2,
    RUN_DIRECT = 3, /* without a schedule     */
    RUN_TEST = 4,   /* no counter includes it */
    RUN_KINDS
};

enum run_state {
    RUN_HELD = 1,     /* overlap: waits for another run of its schedule     */
    RUN_APPROVAL = 2, /* waits for a user to approve it                     */
    RUN_READY = 3,    /* can be claimed                                     */
    RUN_GATED = 4,    /* waits because its gate was full at the claim       */
    RUN_LEASED = 5,   /* claimed; its holder has not reported yet           */
    RUN_RUNNING = 6,  /* claimed, and its holder has reported that it works */
    RUN_BACKOFF = 7,  /* failed; waits for its next attempt                 */
    RUN_ENDED = 8,    /* exists only in the history                         */
};

enum run_flag {
    RUN_CANCELLING = 1 << 0, /* its holder has been asked to stop              */
    RUN_FOR_OTHER = 1 << 1,  /* cancelled for a later start of its schedule    */
    RUN_UNTRACED = 1 << 2,   /* the trace of its request is not sampled        */
    RUN_TOLD_LATE = 1 << 3,  /* the event that it begins late has been written */
    RUN_BLAMED = 3 << 4,     /* a number of two bits: losses that the run may have caused */
    RUN_FOLLOWED = 1 << 6,   /* its workflow runs in an upstream: any node can follow it  */
};

/* The W3C trace id of the request that asked for the run; zeros: none. */
struct trace {
    uint64_t high, low;
};

enum { RUN_LOSSES_MAX = 255 }; /* it is stored in one byte */

/* One step of priority is worth five minutes of waiting. */
#define RANK_STEP (5 * SPAN_MIN)

struct run {
    int64_t id;
    int64_t schedule; /* key; RUN_DIRECT has a key of its own */
    instant slot;     /* nominal time, whole milliseconds     */
    int64_t pass;
    enum run_kind kind;
    enum run_state state;
    int64_t flags;   /* enum run_flag                    */
    uint8_t overlap; /* enum overlap, or OVERLAP_DEFAULT */
    uint8_t lane;    /* enum lane                        */
    int64_t queue, gate;
    int32_t priority;
    instant due;     /* when it should begin: slot with jitter, the time of the request */
    instant rank;    /* order of ready runs; see run_rank()                             */
    int32_t attempt; /* attempts begun                                                  */
    int32_t losses;  /* attempts whose holder died, up to RUN_LOSSES_MAX                */
    int64_t fence;   /* number of the claim: a report with another one is rejected */
    int64_t node;    /* the node that holds it; 0: none */
    struct str worker;
    instant lease_until; /* INSTANT_NEVER: covered by the lease of its node */
    instant wake_at;     /* INSTANT_NEVER: no timer                         */
    instant created_at, started_at, attempt_at; /* INSTANT_NONE: not yet */
    instant last_run_at; /* the previous start of its schedule; INSTANT_NONE */
    int64_t source;      /* enum source + 1 of governed runs, 0: none        */
    struct str input;    /* JSON of the request, or empty                    */
    bool lacks_input;    /* it has an input, but that was not read           */
    struct str progress; /* the last report of its worker                    */
    struct trace trace;
};

/* Losses that the run may have caused itself; at most BLAMES_MAX. */
int run_blames(const struct run *run);
void run_add_blame(struct run *run);

/* True if a run may change from one state to the other. */
bool run_may(enum run_state from, enum run_state to);

/*
 * Moves a run to another state, which run_may() must allow.  Only a new run and a row that is
 * read set the state in any other way.
 */
void run_set_state(struct run *run, enum run_state to);

static inline bool run_is_claimed(enum run_state state)
{
    return state == RUN_LEASED || state == RUN_RUNNING;
}

/* The order of ready runs, lowest first: docs/semantics.md [P-52]. */
instant run_rank(instant due, int32_t priority);

const char *run_kind_text(enum run_kind kind);
const char *run_state_text(enum run_state state); /* gated is shown as held */
