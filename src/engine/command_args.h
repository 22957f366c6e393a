/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of commands: one struct for the commands that share it.  Plain data.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/plan.h"
#include "core/run_id.h"

enum { BACKFILLS_MAX = 100 }; /* of a schedule, that have slots left */

/* The wanted state of a schedule. */
struct draft {
    struct plan plan;                   /* the engine sets queue, gate and created */
    struct str queue;                   /* name of the queue, LANE_PULL only       */
    struct str spec, action, policies;  /* JSON as it is stored                    */
    struct str governor, labels, extra; /* JSON or empty                           */
    struct str description;
    int64_t dialect;
    bool is_disabled;
    bool is_paused;  /* create it paused; with sets_pause, an update pauses or resumes it */
    bool sets_pause; /* false: an update keeps the pause; save_args.pause_until is unused */
    bool trigger;    /* start one run when it is created                                  */
};

struct range {
    instant from, until; /* inclusive */
    enum overlap overlap;
    int64_t flags; /* BACKFILL_MISSED, BACKFILL_CANCELLED, BACKFILL_GOVERNOR      */
    int64_t slots; /* as counted for the request; 0: unknown, see struct backfill */
};

struct backfill_args {
    const struct range *ranges;
    int count;
};

/* A run that a client requests. */
struct start_args {
    enum overlap overlap; /* OVERLAP_DEFAULT: the schedule's */
    instant slot;         /* 0: now                          */
    struct str input;
    int32_t priority; /* minimum priority of the run; 0: the schedule's */
};

struct save_args {
    const struct draft *draft;
    struct str reason;             /* of the draft's pause, otherwise a note */
    instant pause_until;           /* INSTANT_NEVER: no end                  */
    struct start_args start;       /* of a direct run, or if draft.trigger   */
    struct backfill_args backfill; /* of a new schedule                      */
};

struct pause_args {
    instant until;     /* INSTANT_NEVER: no end                  */
    struct str reason; /* COMMAND_RESUME: a note, ptr NULL: none */
    bool keeps;        /* if it is paused already, its reason and end stay */
    bool replays;      /* COMMAND_RESUME: backfill the missed slots from `from` to now */
    instant from;
};

struct run_args {
    struct run_id id;
    struct str log;     /* COMMAND_APPROVE: packed lines for its log, see store/logs.h */
    struct str error;   /* COMMAND_REJECT: the error that it ends with                 */
    bool keeps_started; /* COMMAND_CANCEL: end the run at once, unless its holder has  */
                        /* started to work on it: RC_CONFLICT                          */
    bool is_voided;     /* COMMAND_CANCEL: because an edit removed its slot, unless it */
                        /* is held or claimed: RC_CONFLICT                             */
};

struct hint_args {
    span interval;   /* 0: none               */
    instant at;      /* INSTANT_NEVER: none   */
    instant expires; /* INSTANT_NEVER: no end */
    struct str reason;
};

struct ungate_args {
    struct str policy; /* the part of the policies' JSON that names the gate     */
    instant since;     /* no schedule that was changed before this time names it */
};

struct token_use_args {
    int64_t id;
    instant at; /* when the token was used */
};
