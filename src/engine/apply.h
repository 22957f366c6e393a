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
    bool keeps_gate;                /* the draft does not change the limit of its gate        */
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

/* audit_write.c: the audit entries of a turn, with fingerprints before and after a change */
bool audit_wants_fingerprint(const struct command *c);
void audit_write_before(const struct command *c, struct command_state *s);
void audit_write_after(const struct command *c, struct command_state *s,
                       const struct reply *reply);
void audit_write(struct turn *turn);

/* quota.c: counts the schedules of a namespace, and admits new ones up to its quota */
void quota_send(struct turn *turn, const struct command *c);
bool quota_take(struct turn *turn, const struct command *c, struct reply *reply);

/* apply_named.c: commands that do not name a schedule */
void apply_named(struct turn *turn, const struct command *c, struct command_state *state,
                 struct reply *reply);
/* After the flush: checks how many rows were changed (command_state.is_written). */
void applied_named(struct turn *turn, const struct command *c,
                   const struct command_state *state, struct reply *reply);
void apply_set_gate_limit(struct turn *turn, const struct command *c,
                          const struct command_state *state);

/* apply_queue.c */
void apply_send_queue(struct turn *turn, const struct command *c, struct command_state *state);
void apply_queue(struct turn *turn, const struct command *c, const struct command_state *state,
                 struct reply *reply);

/* apply_run.c */
void apply_trigger(struct turn *turn, const struct command *c, struct work_schedule *sched,
                   struct reply *reply);
void apply_backfill(struct turn *turn, const struct command *c, struct work_schedule *sched,
                    struct reply *reply);
void apply_run(struct turn *turn, const struct command *c, struct command_state *state,
               struct reply *reply);
void apply_no_run(struct turn *turn, struct reply *reply); /* refuses: the run is not open */
void apply_skip(struct turn *turn, const struct command *c, struct command_state *state,
                struct reply *reply);

/* apply_schedule.c */
void apply_create(struct turn *turn, const struct command *c, struct command_state *state,
                  struct reply *reply);
void apply_created(struct turn *turn, const struct command *c, struct command_state *state,
                   struct reply *reply);
void apply_update(struct turn *turn, const struct command *c, struct command_state *state,
                  struct reply *reply);
void apply_delete(struct turn *turn, const struct command *c, struct work_schedule *sched,
                  struct reply *reply);
void apply_close(struct turn *turn, const struct command *c, struct work_schedule *sched,
                 struct reply *reply);
void apply_pause(struct turn *turn, const struct command *c, struct work_schedule *sched,
                 struct reply *reply);
void apply_hint(struct turn *turn, const struct command *c, struct work_schedule *sched,
                struct reply *reply);
void apply_direct(struct turn *turn, const struct command *c, struct command_state *state,
                  struct reply *reply);

/* Sets an error as the reply. */
void refuse(struct turn *turn, struct reply *reply, enum rc rc, const char *fmt, ...)
    PRINTF(4, 5);
