/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How slots and runs end, and why: the closed sets that the ledger and history hold.
 *
 * Plain data.  The numbers are stored: never change one, only add.
 */
#pragma once

#include <stdbool.h>

enum outcome {
    OUTCOME_NONE = 0, /* not ended */
    /* of a slot */
    OUTCOME_STARTED = 1, /* its run was created and may run: runs and history know the rest */
    OUTCOME_SKIPPED = 2,
    OUTCOME_MISSED = 3,
    OUTCOME_DROPPED = 4,
    OUTCOME_SLOT_CANCELLED = 5,
    /* of a run */
    OUTCOME_SUCCEEDED = 10,
    OUTCOME_FAILED = 11,
    OUTCOME_TIMED_OUT = 12,
    OUTCOME_CANCELLED = 13,
    OUTCOME_TERMINATED = 14,
    OUTCOME_UNKNOWN = 15, /* sent, and nobody can say what came of it */
};

enum reason {
    REASON_NONE = 0,
    /* of slots */
    REASON_OVERLAP = 1,     /* skipped: a run of the schedule was open                  */
    REASON_WINDOW = 2,      /* missed: older than the catch-up window                   */
    REASON_COALESCED = 3,   /* missed: one run stands for several late slots            */
    REASON_PAUSED = 4,      /* missed: the schedule was paused or disabled              */
    REASON_EDITED = 5,      /* missed: overdue when the schedule was edited             */
    REASON_CLOCK = 6,       /* missed: the clock jumped over it and its owner said skip */
    REASON_BUFFER = 7,      /* dropped: no room among the waiting                       */
    REASON_DELETED = 8,     /* dropped, cancelled: the schedule was deleted             */
    REASON_QUARANTINED = 9, /* dropped: its runs take nodes down                        */
    REASON_USER = 10,       /* cancelled, terminated: someone asked for it              */
    /* of runs */
    REASON_TARGET = 20,       /* failed: the worker or target said so                  */
    REASON_TIMEOUT = 21,      /* timed out: the attempt took too long                  */
    REASON_MAX_RUN_TIME = 22, /* timed out: the run took too long, heartbeats or not   */
    REASON_LEASE = 23,        /* the worker fell silent                                */
    REASON_NODE = 24,         /* the node that held it died                            */
    REASON_START_WITHIN = 25, /* timed out: nobody began it in time                    */
    REASON_REJECTED = 26,     /* cancelled: approval was refused                       */
    REASON_OTHER = 27,        /* cancelled, terminated: overlap, a later start wants it */
};

/* "succeeded", "timedOut" … and "overlap", "maxRunTime" … as in the native API. */
const char *outcome_text(enum outcome outcome);
const char *reason_text(enum reason reason);

/* A sentence for an end that nobody reported; NULL: there is none for this reason. */
const char *reason_sentence(enum reason reason);

/* Failed, timed out or unknown: what a failure counter counts. */
bool outcome_is_failure(enum outcome outcome);
