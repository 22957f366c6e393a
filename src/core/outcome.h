/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How slots and runs end, and why: the closed sets used by the ledger and the history.
 *
 * Plain data.  The numbers are stored: never change one, only add.
 */
#pragma once

#include <stdbool.h>

enum outcome {
    OUTCOME_NONE = 0, /* not ended */
    /* of a slot */
    OUTCOME_STARTED = 1, /* its run was created and may run; see runs and history */
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
    OUTCOME_UNKNOWN = 15, /* sent, result unknown */
};

enum reason {
    REASON_NONE = 0,
    /* of slots */
    REASON_OVERLAP = 1,     /* skipped: a run of the schedule was open                 */
    REASON_WINDOW = 2,      /* missed: older than the catch-up window                  */
    REASON_COALESCED = 3,   /* missed: one run replaces several late slots             */
    REASON_PAUSED = 4,      /* missed: the schedule was paused or disabled             */
    REASON_EDITED = 5,      /* missed: overdue when the schedule was edited            */
    REASON_CLOCK = 6,       /* missed: the clock jumped over it and the policy is skip */
    REASON_BUFFER = 7,      /* dropped: no room in the buffer                          */
    REASON_DELETED = 8,     /* dropped, cancelled: the schedule was deleted            */
    REASON_QUARANTINED = 9, /* dropped: its runs kill nodes                            */
    REASON_USER = 10,       /* cancelled, terminated: a user requested it              */
    REASON_GOVERNOR = 11,   /* skipped: the governor chose another time                */
    /* of runs */
    REASON_TARGET = 20,       /* failed: the worker or target reported it            */
    REASON_TIMEOUT = 21,      /* timed out: the attempt took too long                */
    REASON_MAX_RUN_TIME = 22, /* timed out: the run took too long, heartbeats or not */
    REASON_LEASE = 23,        /* the worker sent no heartbeat until the lease ended  */
    REASON_NODE = 24,         /* the node that held it died                          */
    REASON_START_WITHIN = 25, /* timed out: it did not begin in time                 */
    REASON_REJECTED = 26,     /* cancelled: approval was denied                      */
    REASON_OTHER = 27,        /* cancelled, terminated: a later start replaced it    */
    REASON_NOT_STARTED = 28,  /* failed: the upstream did not start a workflow       */
    REASON_LAST = REASON_NOT_STARTED,
};

/* "succeeded", "timedOut" … and "overlap", "maxRunTime" … as in the native API. */
const char *outcome_text(enum outcome outcome);
const char *reason_text(enum reason reason);

/* True for an outcome and a reason that a slot without a run may have together. */
bool outcome_is_of_slot(enum outcome outcome, enum reason reason);

/* The error message for an end that no worker reported; NULL for other reasons. */
const char *reason_sentence(enum reason reason);

/* True for the outcomes that count as failures: failed, timed out, unknown. */
bool outcome_is_failure(enum outcome outcome);
