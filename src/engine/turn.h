/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input and the output of one turn of the engine.  Plain data.
 *
 * Texts in struct turn_in belong to the caller; the engine reads them during the call only.
 * Everything in struct turn_out belongs to the engine and is valid until the next turn.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event.h"
#include "core/plan.h"
#include "core/run.h"
#include "core/run_id.h"
#include "engine/command.h"

enum {
    TURN_COMMANDS_MAX = 1000,
    TURN_REPORTS_MAX = 4096,
    TURN_POLLS_MAX = 16384, /* all waiting polls: one that is left out gets no run */
    TURN_ROWS_MIN = 64,     /* due schedules, and waking runs, per turn            */
    TURN_ROWS_MAX = 4096,
    POLL_QUEUES_MAX = 16,
    POLL_RUNS_MAX = 1000,
};

/* What the holder of a run reports. */
enum report_kind {
    REPORT_ALIVE,   /* the attempt has started, or a heartbeat                */
    REPORT_DONE,    /* the attempt has ended, see outcome                     */
    REPORT_RELEASE, /* the attempt was not started: the run is ready again    */
    REPORT_LOST,    /* the attempt was started and its outcome is unknown     */
    REPORT_NOTE,    /* only the log: the attempt has ended                    */
};

struct report {
    uint64_t tag; /* the caller's; copied to the reply */
    enum report_kind kind;
    int64_t namespace; /* of the worker; 0: this node itself */
    struct run_id run;
    int64_t fence;
    /* REPORT_DONE */
    enum outcome outcome; /* SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, TERMINATED, UNKNOWN */
    enum reason reason;   /* REASON_NONE: follows from the outcome */
    bool is_retryable;
    span retry_after;
    struct str error;     /* text or JSON */
    struct str failure;   /* the last failure for the next run, if more than the error; JSON */
    struct str result;    /* JSON         */
    struct str log;       /* lines to append to the run's log, packed as in store/logs.h */
    int64_t tokens, cost; /* model tokens used, and their cost in millionths of a dollar */
    /* REPORT_ALIVE */
    struct str progress; /* empty: unchanged                  */
    bool is_followed;    /* LANE_FLOW: it only waits for its workflow, without a place    */
    span extend;         /* 0: the lease of the schedule      */
    /* REPORT_NOTE */
    int32_t attempt;
};

/* RC_OK; RC_BUSY: hand the report in again; RC_CONFLICT: the sender does not hold the run. */
struct report_reply {
    uint64_t tag;
    enum rc rc;
    bool is_cancelled; /* the holder should stop */
    instant lease_until;
};

/* A worker that waits for runs.  The caller keeps it until a grant answers it. */
struct poll {
    uint64_t tag;
    int64_t queues[POLL_QUEUES_MAX]; /* keys */
    int queue_count;
    int max;
    struct str worker;
    bool is_new; /* no turn has seen it yet: this turn searches its queues */
};

struct turn_in {
    instant now;
    span skew; /* wall clock of this machine minus `now`; only shown to people          */
    int rows;  /* maximum rows of the scans: TURN_ROWS_MIN .. TURN_ROWS_MAX             */
    bool hold; /* the clock is not trusted: the turn advances and claims nothing        */
    span jump; /* how far the clock was stepped since the last turn                     */
    const struct command *commands;
    int command_count;
    const struct report *reports;
    int report_count;
    const struct poll *polls;
    int poll_count;
    int capacity[LANE_COUNT]; /* calls that this node can start now; [LANE_PULL] is ignored */
};

/* A claimed run, for this node (dispatches) or for the worker of a poll (grants). */
struct assignment {
    struct run run;
    struct str id;                        /* r_…                                 */
    struct str name;                      /* of its schedule; empty: it has none */
    struct str action;                    /* JSON                                */
    struct str last_result, last_failure; /* if the schedule wants them */
    int64_t namespace;
    int cron;            /* index of the cron expression that gave the slot, -1: none      */
    instant last_run_at; /* start of the schedule's previous run; INSTANT_NONE: none       */
    span timeout;        /* of the attempt, 0: none                                        */
    instant deadline;    /* of the attempt or the run, INSTANT_NEVER: none                 */
    bool is_once;        /* at most once: never repeat a request that may have been sent   */
    uint64_t poll;       /* tag of the poll that it answers                                */
};

/* A call of this node that should end.  Unless terminated, the call still has to report. */
struct stop {
    struct run_id run;
    int64_t fence;
    bool is_terminated; /* the run has ended: the result of the call is ignored */
};

/* An ended attempt, or a run that ended without one; for counters. */
struct ended {
    enum outcome outcome;
    uint8_t lane; /* enum lane                              */
    bool is_last; /* the run has ended, too                 */
    span took;    /* duration; -1: the attempt never began  */
};

struct turn_out {
    struct reply *replies; /* one for each command, in order */
    int reply_count;
    struct report_reply *report_replies; /* one for each report, in order */
    int report_count;
    struct assignment *dispatches;
    int dispatch_count;
    struct assignment *grants;
    int grant_count;
    struct stop *stops;
    int stop_count;
    struct event *events; /* numbered from first_event */
    int event_count;
    int64_t first_event;
    struct ended *ended;
    int ended_count;
    int64_t started[RUN_KINDS]; /* runs that were started */
    int row_count;              /* rows used of turn_in.rows: due schedules and waking runs  */
    instant wake_at;            /* latest time of the next turn; `now`: at once              */
    bool made_ready;            /* a run is ready that another node may claim: notify them   */
    int64_t node, turn;
};
