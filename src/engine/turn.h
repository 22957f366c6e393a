/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes into a turn of the engine and what comes out of it.  Plain data.
 *
 * Texts of `in` belong to the caller and are read during the call only.  Everything of
 * `out` belongs to the engine and lives until the next turn.
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
    TURN_POLLS_MAX = 16384, /* all that wait: one that is left out would starve */
    TURN_ROWS_MIN = 64,     /* due schedules, and waking runs, of one turn */
    TURN_ROWS_MAX = 4096,
    POLL_QUEUES_MAX = 16,
    POLL_RUNS_MAX = 1000,
};

/* What the holder of a run says about it. */
enum report_kind {
    REPORT_ALIVE,   /* the first sign of life, or a heartbeat                        */
    REPORT_DONE,    /* the attempt has ended, see outcome                            */
    REPORT_RELEASE, /* it was not begun: hand it back                                */
    REPORT_LOST,    /* it was begun, and how it ends nobody will know               */
};

struct report {
    uint64_t tag; /* the caller's; comes back in the reply */
    enum report_kind kind;
    int64_t namespace; /* of who reports; 0: this node itself  */
    struct run_id run;
    int64_t fence;
    /* REPORT_DONE */
    enum outcome outcome; /* SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, TERMINATED, UNKNOWN */
    enum reason reason;   /* REASON_NONE: by the outcome                      */
    bool is_retryable;
    span retry_after;
    struct str error;     /* text or JSON */
    struct str result;    /* JSON         */
    struct str log;       /* what to add to the run's log, lines as store/logs.h packs them */
    int64_t tokens, cost; /* of models, and what they cost in millionths of a dollar */
    /* REPORT_ALIVE */
    struct str progress; /* empty: as it was          */
    span extend;         /* 0: by the schedule's lease */
};

/* RC_OK; RC_BUSY: hand it in again; RC_CONFLICT: the fence is not the run's (any more). */
struct report_reply {
    uint64_t tag;
    enum rc rc;
    bool is_cancelled; /* the holder should stop */
    instant lease_until;
};

/* A worker that waits for runs.  It stays with the caller until a grant answers it. */
struct poll {
    uint64_t tag;
    int64_t queues[POLL_QUEUES_MAX]; /* keys */
    int queue_count;
    int max;
    struct str worker;
    bool is_new; /* not seen by a turn yet: its queues are searched */
};

struct turn_in {
    instant now;
    span skew; /* of this machine's clock to `now`, for people */
    int rows;  /* how much work; TURN_ROWS_MIN .. TURN_ROWS_MAX                */
    bool hold; /* the clock is not trusted: nothing is advanced, nothing claimed */
    span jump; /* by which the clock was stepped since the last turn             */
    const struct command *commands;
    int command_count;
    const struct report *reports;
    int report_count;
    const struct poll *polls;
    int poll_count;
    int capacity[LANE_COUNT]; /* calls that this node can make now; [LANE_PULL] is ignored */
};

/* A run to be carried out: by this node (calls) or by the worker of a poll (grants). */
struct assignment {
    struct run run;
    struct str id;     /* r_…                                             */
    struct str name;   /* of its schedule; empty: it has none             */
    struct str action; /* JSON                                            */
    struct str last_result, last_failure; /* where the schedule asks for them */
    int64_t namespace;
    int cron;            /* which of the spec's expressions it is due by, -1: none */
    instant last_run_at; /* the start before this one; INSTANT_NONE: none */
    span timeout;        /* of the attempt, 0: none                         */
    instant deadline;    /* of the attempt or the run, INSTANT_NEVER: none  */
    bool is_once;        /* what may have been sent is not sent again    */
    uint64_t poll;       /* tag of the poll that it answers                 */
};

/* A call of this node that should end; its report is still expected when not terminated. */
struct stop {
    struct run_id run;
    int64_t fence;
    bool is_terminated; /* the run has ended: nothing that the call brings matters */
};

/* An attempt that is over, or a run that ended without one: for whoever counts. */
struct ended {
    enum outcome outcome;
    uint8_t lane; /* enum lane                                     */
    bool is_last; /* the run has ended with it                     */
    span took;    /* -1: it had not begun                          */
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
    int64_t started[RUN_KINDS]; /* runs that may run from now on */
    int row_count;              /* of turn_in.rows: schedules that were due, runs that woke   */
    instant wake_at;            /* when there is something to do, at the latest; now: at once */
    bool made_ready;            /* others should be told: a run waits for whoever is free     */
    int64_t node, turn;
};
