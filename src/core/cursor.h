/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a schedule that changes with every turn: how far its slots are decided, what is
 * open, and its counters.  Plain data, all integers; the store keeps it as one row.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

enum cursor_flag {
    CURSOR_PAUSED = 1 << 0,
    CURSOR_DISABLED = 1 << 1,    /* not enabled: has the effect of a pause          */
    CURSOR_CLOSED = 1 << 2,      /* has no more slots and accepts only its deletion */
    CURSOR_QUARANTINED = 1 << 3, /* its runs killed nodes; a resume or edit ends it */
    CURSOR_EXCEPTIONS = 1 << 4,  /* some planned slots were cancelled               */
    CURSOR_FULL = 1 << 5,        /* due slots wait for room in the buffer           */
    CURSOR_DELETED = 1 << 6,     /* its waiting runs are ended, one batch per turn  */
    CURSOR_UNSTARTED = 1 << 7,   /* the upstream did not start its last run         */
    CURSOR_BARRED = CURSOR_PAUSED | CURSOR_DISABLED, /* either stops automatic starts */
};

/*
 * `last_late` is how much later than due the first attempt of an automatic run began, 0 if it
 * began in time; of the last such run that has ended.  This value: none has.
 */
#define CURSOR_LATE_UNKNOWN (-1)

struct cursor {
    int64_t id;           /* the schedule's key                                              */
    instant wake_at;      /* when the engine must process it; INSTANT_NEVER: only on request */
    instant mark;         /* every slot at or before this is decided                         */
    instant next_at;      /* the next slot, INSTANT_NEVER: none                              */
    int64_t version;      /* of the schedule                                                 */
    int64_t flags;        /* enum cursor_flag                                                */
    int64_t tail;         /* of its last ledger entry: outcome × 256 + reason; 0: none      */
    int64_t source;       /* enum source of next_at, for governed schedules                  */
    instant paused_until; /* only when paused; INSTANT_NEVER: until it is resumed            */
    int64_t open;         /* runs in any state but held                                      */
    int64_t waiting;      /* runs that are held                                              */
    int64_t failures;     /* consecutive failed runs                                         */
    int64_t remaining;    /* automatic starts left; -1: no limit                             */
    int64_t pass;         /* number of the last trigger or backfill                          */
    int64_t backfills;    /* unfinished ones                                                 */
    instant last_slot;    /* nominal time of the last automatic start; or NONE               */
    instant last_held;    /* nominal time of the last one whose run had to wait; or NONE     */
    instant last_start;   /* INSTANT_NONE: never                                             */
    instant last_end;
    instant last_ok;      /* end of the last run that succeeded; INSTANT_NONE: none */
    span last_late;       /* see above; CURSOR_LATE_UNKNOWN: none                   */
    int64_t recent;       /* how the last runs ended: core/recent.h                 */
    int64_t last_outcome; /* enum outcome of the last run that ended                */
    instant active_at;    /* last start, end of a backfill, or request of its owner */
    span hint_interval;   /* hints for governed schedules: core/policy/governor.h */
    instant hint_at, hint_expires;
    int64_t started, skipped, missed, dropped, cancelled, succeeded, failed;
    int64_t unstarted; /* of the failed runs, those that no upstream has started */
};
