/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row of a schedule that the engine moves.  Plain data, all integers.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

enum cursor_flag {
    CURSOR_PAUSED = 1 << 0,
    CURSOR_DISABLED = 1 << 1,    /* not enabled: as paused, but nobody paused it      */
    CURSOR_CLOSED = 1 << 2,      /* nothing is ever done again                        */
    CURSOR_QUARANTINED = 1 << 3, /* its runs took nodes down; resume or edit frees it */
    CURSOR_EXCEPTIONS = 1 << 4,  /* some planned slots were cancelled                 */
    CURSOR_FULL = 1 << 5,        /* slots wait for room among the waiting             */
    CURSOR_DELETED = 1 << 6,     /* what waits is being ended, a portion a turn       */
    CURSOR_BARRED = CURSOR_PAUSED | CURSOR_DISABLED, /* by itself it starts nothing    */
};

struct cursor {
    int64_t id;      /* the schedule's key */
    instant wake_at; /* when the engine must look at it; INSTANT_NEVER: when asked     */
    instant mark;    /* every slot at or before this is accounted for                  */
    instant next_at; /* the next slot, INSTANT_NEVER: none                             */
    int64_t version; /* of the schedule                                                */
    int64_t flags;   /* enum cursor_flag                                               */
    int64_t tail;    /* outcome × 256 + reason of the last slots accounted for as ledger, 0 */
    int64_t source;  /* enum source of next_at, for governed ones                      */
    instant paused_until; /* INSTANT_NEVER: until someone resumes; only when paused    */
    int64_t open;         /* runs that may run or do: all states but held                   */
    int64_t waiting;      /* runs that are held                                             */
    int64_t failures;     /* in a row                                                      */
    int64_t remaining;    /* automatic starts left; -1: no limit                          */
    int64_t pass;         /* given to the last trigger or backfill                        */
    int64_t backfills;    /* not finished                                                 */
    instant last_slot;    /* nominal time of the last automatic start; INSTANT_NONE       */
    instant last_held;    /* of the last one whose run had to wait; INSTANT_NONE          */
    instant last_start;   /* INSTANT_NONE: never                                         */
    instant last_end;
    int64_t last_outcome; /* enum outcome of the last run that ended                   */
    instant active_at;    /* last start, end of a backfill, or word from its owner     */
    span hint_interval;
    instant hint_at, hint_expires;
    int64_t started, skipped, missed, dropped, cancelled, succeeded, failed;
};
