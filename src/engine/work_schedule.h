/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a workset: schedules, runs and gates, as copies of their rows that the steps
 * of a turn change before they are written back.  Internal to the engine.
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
#include "store/slots.h"

enum sched_state {
    SCHED_WANTED,    /* not locked yet                                             */
    SCHED_HELD,      /* its cursor is locked; only then may the turn change it     */
    SCHED_NO_CURSOR, /* deleted, or the schedule of a direct run                   */
    SCHED_BUSY,      /* another node holds its cursor, or one of its runs or gates */
    SCHED_PLAN,      /* only its plan was read, to claim a run                     */
};

/* A start that was requested; the overlap policy has not decided on it yet. */
struct start {
    struct start *next;
    enum run_kind kind;
    instant slot, due;
    int64_t pass;
    uint8_t overlap;
    int32_t priority; /* minimum */
    int64_t source;
    struct str input;
    struct trace trace;
    bool is_untraced;
    struct reply *reply; /* to be updated with the decision; NULL: none */
};

/* Days in the zone of a schedule. */
struct day_range {
    int64_t first, count;
};

/* A range of slots of pass 0 whose outcome this turn has decided. */
struct noted {
    struct noted *next;
    struct account account; /* OUTCOME_STARTED: separates ranges, is not written */
    struct day_range days;  /* of its slots                                      */
};

struct work_backfill {
    struct backfill row;
    bool is_new;     /* this turn has created it                              */
    bool is_changed; /* its row must be written                               */
    bool is_known;   /* only for missed slots: `evidence` was read            */
    struct slot_evidence evidence;
};

struct work_schedule {
    int64_t id;
    enum sched_state state;
    bool is_due;       /* its wake_at has come                                       */
    bool is_touched;   /* its cursor must be written                                 */
    bool is_new;       /* its cursor must be inserted                                */
    bool is_loaded;    /* its plan, waiting runs, exceptions and backfills were read */
    bool want_open;    /* its open runs are needed                                   */
    bool want_row;     /* its whole row is needed, for the audit's fingerprint       */
    bool has_plan;     /* false: its row is gone, or its time zone is not known here */
    bool is_edited;    /* created, edited or resumed: see day_events_plan()          */
    bool needs_replan; /* zones or calendars have changed                            */
    bool has_next_due; /* this turn has computed next_due                            */
    bool open_changed; /* runs ended: waiting ones may start                         */
    bool has_unread;   /* it has more open runs than were read                       */
    struct cursor cursor;
    struct plan plan;
    int64_t namespace;
    struct str name;
    struct str action;
    struct str last_result, last_failure;
    struct spec_ctx ctx;
    instant next_due;
    struct work_run *runs, **runs_end; /* first those that commands or reports name */
    struct start *starts, **starts_end;
    struct noted *noted, **noted_end;
    instant *exceptions;
    int exception_count;
    struct work_backfill *backfills; /* also those that have ended, if some have not */
    int backfill_count;
    int backfilled;         /* slots that they have started in this turn                 */
    int64_t ended;          /* runs that ended in this turn and counted in cursor.open   */
    int64_t waiting_change; /* of cursor.waiting, in this turn                           */
    struct cursor stored;   /* the cursor as the database has it                         */
    bool is_lock_sent, is_plan_sent, has_text;
    struct plan_text text; /* of its plan, when it was cached or is new         */
    bool has_new_text;     /* this turn wrote the plan: cached after the commit */
    struct audit_fingerprint fingerprint; /* with want_row: of the row as changed so far */
    struct db_result row_cursor, row, rows_held, rows_open, rows_exceptions, rows_backfills,
        row_result, row_all;
    struct db_result *rows_calendars;
};

enum work_state {
    WORK_WANTED, /* not read yet                               */
    WORK_READ,   /* `run` is its row, locked or as cached      */
    WORK_NEW,    /* this turn has created it; not inserted yet */
    WORK_ENDED,  /* this turn has ended it                     */
    WORK_BUSY,   /* another node holds its row                 */
    WORK_ABSENT, /* it has no row                              */
};

struct work_run {
    struct work_run *next; /* of the same schedule */
    struct work_schedule *sched;
    enum work_state state;
    struct run run;
    int64_t fence;   /* as read: never to be lowered                                     */
    bool is_changed; /* its row must be written                                          */
    bool is_fresh;   /* it is in turn.fresh                                              */
    bool is_new;     /* this turn has inserted its row                                   */
    bool is_cached;  /* not read: the statement that deletes it shows whether it existed */
    bool is_sent;    /* the statement that locks it was sent                             */
    struct db_result row, peek;
};

struct work_gate {
    struct gate gate;
    bool is_held, is_changed;
    struct db_result row;
};
