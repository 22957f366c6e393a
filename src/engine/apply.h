/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands.  Each is checked against what was locked and either done whole or refused with
 * a text for whoever asked; none can spoil the turn for the others.  Internal to the engine.
 */
#pragma once

#include "engine/workset.h"

/* What a command needs to know before it can be done. */
struct command_state {
    struct work_schedule *sched;
    struct work_run *work;
    bool is_done;                    /* its reply is final                          */
    bool is_created;                 /* a schedule was inserted: `changed` will tell */
    struct audit_fingerprint before; /* of the schedule that it changes             */
    struct audit_fingerprint after;  /* once it has                                 */
    bool keeps_gate;                 /* a draft that says of its gate what was said before */
    int64_t queue;                   /* of a draft, when its key is known; 0 */
    bool is_written;                 /* a row besides: `changed` will tell          */
    struct db_result *calendar_rows; /* of a draft, one for each that it names */
    struct db_result name_row, queue_row, gate_row, changed, request_taken, request_row,
        lock_row;
};

/* Names, keys and requests: queued with the first statements of the turn. */
void apply_send(struct turn *turn);
/* With those known: which scheds and runs are needed. */
void apply_want(struct turn *turn);
enum rc apply_commands(struct turn *turn, struct err *reterr);
/* After the commit: the keys of queues. */
void apply_remember(struct turn *turn);
/* Keeps the answers of requests that may come again. */
void apply_keep_replies(struct turn *turn);

/* witness.c: what the audit is told of this turn, and how schedules were before and after */
bool audit_wants_fingerprint(const struct command *c);
void audit_write_before(const struct command *c, struct command_state *s);
void audit_write_after(const struct command *c, struct command_state *s,
                       const struct reply *reply);
void audit_write(struct turn *turn);

/* quota.c: counts what the namespaces of new schedules have, then lets in what is left */
void quota_send(struct turn *turn, const struct command *c);
bool quota_take(struct turn *turn, const struct command *c, struct reply *reply);

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
void apply_no_run(struct turn *turn, struct reply *reply);
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

void refuse(struct turn *turn, struct reply *reply, enum rc rc, const char *fmt, ...)
    PRINTF(4, 5);
