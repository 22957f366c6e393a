/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands.  The engine checks each against the rows that it has locked, and either carries it
 * out in full or refuses it with a text for the client; no command can fail the turn of the
 * others.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* The state of one command during the turn. */
struct command_state {
    struct work_schedule *sched;
    struct work_run *work;
    bool is_done;    /* its reply is final                                     */
    bool is_created; /* a schedule is inserted; `changed` shows the result     */
    struct audit_fingerprint
        before;                     /* of the schedule before the change                      */
    struct audit_fingerprint after; /* and after it                                           */
    bool sets_gate;                 /* it sets the limit of its gate                          */
    int64_t gate_limit;             /* to this                                                */
    int64_t queue;                  /* key of the draft's queue, when cached; else 0          */
    bool is_written;                /* another row is written; `changed` shows the result     */
    struct db_result
        *calendar_rows; /* one for each calendar that the draft names             */
    struct db_result name_row, queue_row, gate_row, changed, request_taken, request_row,
        lock_row;
};

/* Queues the statements on names, keys and requests, with the first ones of the turn. */
void apply_send(struct turn *turn);
/* Reads their answers and adds the schedules, runs and gates that are needed to the workset. */
void apply_want(struct turn *turn);
/* Carries out the commands; the workset is loaded. */
enum rc apply_commands(struct turn *turn, struct err *reterr);
/* After the commit: caches the keys of queues. */
void apply_cache_queues(struct turn *turn);
/* Stores the replies to requests that have an idempotency key. */
void apply_store_replies(struct turn *turn);

/* Whether the command changes the definition of a schedule. */
bool apply_is_edit(enum command_kind kind);

/* audit_write.c: the audit entries of a turn, with fingerprints before and after a change */
void audit_write_before(const struct command *c, struct command_state *s);
void audit_write_after(const struct command *c, struct command_state *s,
                       const struct reply *reply);
void audit_write(struct turn *turn);

/* quota.c: counts the schedules of a namespace, and admits new ones up to its quota */
void quota_send(struct turn *turn, const struct command *c);
bool quota_take(struct turn *turn, const struct command *c, struct reply *reply);

/* Carries out one command, or finishes it after the flush, and sets its reply. */
typedef void apply_fn(struct turn *turn, const struct command *c, struct command_state *s,
                      struct reply *reply);
/* Queues the statements of one command, or adds the rows that it needs to the workset. */
typedef void apply_send_fn(struct turn *turn, const struct command *c, struct command_state *s);

/* apply_named.c: commands that do not name a schedule */
apply_send_fn send_namespace, send_queue, send_queue_key, send_queue_limit, send_gate,
    send_gate_find, send_calendar, send_token_used;
apply_fn apply_namespace, apply_queue, apply_queue_pause, apply_queue_limit, apply_gate,
    apply_ungate, applied_ungate, apply_calendar, applied_calendar, apply_clock, apply_token,
    applied_token, apply_token_delete, apply_session, apply_session_end, applied_session;
void apply_set_gate_limit(struct turn *turn, const struct command_state *s);

/* apply_run.c: commands that create or end runs */
apply_fn apply_trigger, apply_backfill, apply_unbackfill, apply_skip, apply_unskip,
    apply_cancel, apply_terminate, apply_approve, apply_reject;
void apply_start(struct turn *turn, const struct command *c, const struct start_args *args,
                 struct work_schedule *sched, struct reply *reply);
void apply_ranges(struct turn *turn, const struct command *c, const struct backfill_args *args,
                  struct work_schedule *sched, struct reply *reply);
void refuse_run(struct turn *turn, struct reply *reply); /* the run is not open */

/* apply_schedule.c: commands about schedules, and direct runs */
apply_fn apply_create, applied_create, apply_update, apply_delete, apply_close, apply_pause,
    apply_resume, apply_hint, apply_unhint, apply_reset, apply_release, apply_direct;

/* Sets an error as the reply. */
void refuse(struct turn *turn, struct reply *reply, enum rc rc, const char *fmt, ...)
    PRINTF(4, 5);
