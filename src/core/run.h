/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run from its creation to its end, and which steps it may take.
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
    RUN_DIRECT = 3, /* without a schedule              */
    RUN_TEST = 4,   /* leaves no trace on its schedule */
    RUN_KINDS
};

enum run_state {
    RUN_HELD = 1,     /* overlap: waits for another run of its schedule; not yet started */
    RUN_APPROVAL = 2, /* waits for a person                                             */
    RUN_READY = 3,    /* may be claimed                                                 */
    RUN_GATED = 4,    /* its gate was full when it was to be claimed                    */
    RUN_LEASED = 5,   /* claimed; no sign of life yet                                   */
    RUN_RUNNING = 6,  /* claimed, and said to be at work                                */
    RUN_BACKOFF = 7,  /* failed; waits for its next attempt                             */
    RUN_ENDED = 8,    /* only history knows it                                          */
};

enum run_flag {
    RUN_CANCELLING = 1 << 0, /* its holder is asked to stop                            */
    RUN_FOR_OTHER = 1 << 1,  /* because a later start of its schedule wants it         */
    RUN_UNTRACED = 1 << 2,   /* whoever asked for it does not keep its trace           */
    RUN_TOLD_LATE = 1 << 3,  /* that it begins later than its schedule allows was said */
};

/* The trace of W3C that whoever asked for a run is part of; zeros: it asked in none. */
struct trace {
    uint64_t high, low;
};

/* Five minutes of waiting are worth one step of priority. */
#define RANK_STEP (5 * SPAN_MIN)

struct run {
    int64_t id;
    int64_t schedule; /* key; a key of its own for RUN_DIRECT        */
    instant slot;     /* nominal time, whole milliseconds            */
    int64_t pass;
    enum run_kind kind;
    enum run_state state;
    int64_t flags;   /* enum run_flag */
    uint8_t overlap; /* enum overlap, or OVERLAP_DEFAULT            */
    uint8_t lane;    /* enum lane */
    int64_t queue, gate;
    int32_t priority;
    instant due;     /* when it should begin: slot with jitter, the time of the request */
    instant rank;    /* order among the ready                       */
    int32_t attempt; /* attempts begun                              */
    int32_t losses;  /* attempts whose holder died                  */
    int64_t fence;
    int64_t node; /* holds it, 0: none */
    struct str worker;
    instant lease_until; /* INSTANT_NEVER: under its node's lease        */
    instant wake_at;     /* INSTANT_NEVER: nothing to do by itself       */
    instant created_at, started_at, attempt_at; /* INSTANT_NONE: not yet     */
    instant last_run_at; /* the start of its schedule before it; INSTANT_NONE */
    int64_t source;      /* enum source + 1 of governed runs, 0: none    */
    struct str input;    /* JSON of the request, or empty                */
    bool lacks_input;    /* it has one that was not read                 */
    struct str progress; /* what its worker last said                    */
    struct trace trace;
};

/* True when a run may go from one state to the other. */
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

instant run_rank(instant due, int32_t priority);

const char *run_kind_text(enum run_kind kind);
const char *run_state_text(enum run_state state); /* gated is shown as held */
