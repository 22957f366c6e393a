/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what happened, in order.  The events of one turn are packed into one row.
 *
 * Pure.  The numbers are stored: never change one, only add.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum event_type {
    EVENT_SCHEDULE_CREATED = 1,
    EVENT_SCHEDULE_UPDATED = 2,
    EVENT_SCHEDULE_PAUSED = 3,
    EVENT_SCHEDULE_RESUMED = 4,
    EVENT_SCHEDULE_DISABLED = 5,
    EVENT_SCHEDULE_DELETED = 6,
    EVENT_SCHEDULE_CLOSED = 7,
    EVENT_SCHEDULE_QUARANTINED = 8,
    EVENT_SCHEDULE_RELEASED = 9, /* from quarantine */
    EVENT_RUN_PLANNED = 10,
    EVENT_RUN_READY = 11,
    EVENT_RUN_CLAIMED = 12,
    EVENT_RUN_STARTED = 13,
    EVENT_RUN_RETRYING = 14,
    EVENT_RUN_ENDED = 15,
    EVENT_RUN_CANCELLED = 16,
    EVENT_RUN_LATE = 17,
    EVENT_RUN_UNPLANNED = 18, /* planned slots of a day that an edit removed */
    EVENT_SLOT_SKIPPED = 20,
    EVENT_SLOT_MISSED = 21,
    EVENT_SLOT_DROPPED = 22,
    EVENT_SLOT_CANCELLED = 23,
    EVENT_BACKFILL_STARTED = 24,
    EVENT_BACKFILL_STOPPED = 25, /* by a user                                    */
    EVENT_BACKFILL_ENDED = 26,   /* its last slot is decided, its last run ended */
    EVENT_LEASE_EXPIRED = 30,
    EVENT_LEASE_STALE = 31,
    EVENT_PLAN_MIDNIGHT = 40, /* a new day has begun in a zone */
    EVENT_NODE_UP = 50,
    EVENT_NODE_DOWN = 51,
    EVENT_CLOCK_JUMP = 60,
    EVENT_DAMAGED = 61, /* never stored: `count` events of a row cannot be read */
};

enum { EVENT_PACKED_MAX = 80 }; /* bytes of one: eight numbers of up to ten bytes */

struct event {
    int64_t type; /* enum event_type */
    int64_t schedule;
    instant slot; /* 0 where there is none */
    int64_t pass;
    int64_t fence;   /* of a run                                                           */
    int64_t attempt; /* of a run                                                           */
    /*
     * By type: outcome × 256 + reason (slots, ends of runs), the last slot (RUN_PLANNED,
     * RUN_UNPLANNED), the lateness (RUN_LATE), the key of a zone (PLAN_MIDNIGHT) or of a node
     * (NODE_*, CLOCK_JUMP).
     */
    int64_t detail;
    /*
     * BACKFILL_*: pass is its id, count the runs that began, detail the starts that were
     * skipped, attempt those that wait.  BACKFILL_ENDED: attempt, fence and slot are the runs
     * that succeeded, failed and were cancelled.
     */
    /* Slots, or the version of a schedule, or the ms of a clock jump (0: it is right again). */
    int64_t count;
};

/* Appends to *out; sets out->cut if the event does not fit. */
void event_pack(const struct event *event, struct buf *out);

/*
 * Reads the event at the start of *bytes and advances *bytes; *ret_any is false at the end.
 * Returns RC_CORRUPT if the bytes are not an event.
 */
MUST_USE enum rc event_unpack(struct str *bytes, struct event *ret, bool *ret_any,
                              struct err *reterr);

const char *event_text(enum event_type type); /* "schedule.created" … */
