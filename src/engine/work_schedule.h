/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies on the workset of a turn: scheds (schedules), places (runs) and gates, as copies
 * that the steps of a turn change.  Internal to the engine.
 */
#pragma once

#include "core/advance.h"
#include "core/cursor.h"
#include "core/plan.h"
#include "core/run.h"
#include "engine/command.h"
#include "engine/plan_cache.h"
#include "store/exceptions_backfills.h"
#include "store/named_objects.h"

enum sched_state {
    SCHED_WANTED, /* not locked yet                                           */
    SCHED_HELD,   /* its cursor is locked                                     */
    SCHED_BARE,   /* it has no cursor: deleted, or a direct run's             */
    SCHED_AWAY,   /* another node holds it or one of its runs or gates        */
    SCHED_PLAN,   /* only its plan was read, to claim a run                   */
};

/* A run that should start, before overlap has spoken. */
struct start {
    struct start *next;
    enum run_kind kind;
    instant slot, due;
    int64_t pass;
    uint8_t overlap;
    int32_t priority; /* at the least */
    int64_t source;
    struct str input;
    struct trace trace;
    bool is_untraced;
    struct reply *reply; /* says what became of it; NULL */
};

/* A stretch of pass 0 whose fate was decided in this turn. */
struct noted {
    struct noted *next;
    struct account account; /* OUTCOME_STARTED: breaks stretches, is not written */
};

struct work_schedule {
    int64_t id;
    enum sched_state state;
    bool is_due;     /* by the clock                                        */
    bool is_touched; /* its cursor is to be written                         */
    bool is_new;     /* its cursor is to be inserted                        */
    bool is_loaded;  /* what hangs on it was read                           */
    bool want_open;  /* its open runs are needed                            */
    bool want_whole; /* all that people wrote is: the audit tells its print  */
    bool has_plan;
    bool is_edited;    /* or made, or resumed: its plan is told of            */
    bool is_replanned; /* zones or calendars have changed                   */
    bool moved;        /* next_due is of this turn                            */
    bool open_changed; /* runs ended: those that wait may start               */
    bool has_more;     /* open runs beyond what was read                      */
    struct cursor cursor;
    struct plan plan;
    int64_t namespace;
    struct str name;
    struct str action;
    struct str last_result, last_failure;
    struct spec_ctx ctx;
    instant next_due;
    struct work_run *runs, **runs_end; /* runs, named ones first, then by id */
    struct start *starts, **starts_end;
    struct noted *noted, **noted_end;
    instant *exceptions;
    int exception_count;
    struct backfill *backfills;
    int backfill_count;
    int backfilled;    /* slots that they have started in this turn */
    struct cursor was; /* as the store has it */
    bool is_lock_sent, is_plan_sent, has_text;
    struct plan_text text; /* of its plan, when it was kept or is new    */
    bool has_new_text;     /* the plan is of this turn: kept once it is committed */
    struct audit_fingerprint fingerprint; /* with want_whole: of what people wrote so far */
    struct db_result row_cursor, row, rows_held, rows_open, rows_exceptions, rows_backfills,
        row_result, row_whole;
    struct db_result *rows_calendars;
};

enum work_state { WORK_WANTED, WORK_READ, WORK_NEW, WORK_GONE, WORK_AWAY, WORK_NONE };

struct work_run {
    struct work_run *next; /* of its sched */
    struct work_schedule *sched;
    enum work_state state;
    struct run run;
    bool is_changed; /* to be written */
    bool is_fresh;   /* in turn.fresh */
    bool is_new;     /* was inserted by this turn */
    bool is_trusted; /* as this node remembers it; what deletes it will tell */
    bool is_sent;
    struct db_result row, peek;
};

struct work_gate {
    struct gate gate;
    bool is_held, is_changed;
    struct db_result row;
};
