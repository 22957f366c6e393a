/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workset of a turn: the schedules, runs and gates that it wants, holds or has read.
 *
 * Internal to the engine.  The steps of a turn first say which rows they want; the workset
 * locks and reads them.  Statements are queued as decisions are made and run when the turn
 * flushes.  Nothing in the workset outlives the turn.
 */
#pragma once

#include "engine/turn_state.h"
#include "store/cursors.h"
#include "store/events_requests.h"
#include "store/history.h"
#include "store/logs.h"
#include "store/nodes.h"
#include "store/runs.h"
#include "store/schedules.h"

/* VEC_ADD(): appends an element, uninitialised; the caller assigns it at once. */
void *vec_grow(struct arena *arena, void *at, int count, int *room, size_t size);
#define VEC_ADD(turn, vec)                                                                   \
    ((vec)->count == (vec)->room                                                             \
         ? (void)((vec)->at = vec_grow((turn)->arena, (vec)->at, (vec)->count, &(vec)->room, \
                                       sizeof(*(vec)->at)))                                  \
         : (void)0,                                                                          \
     &(vec)->at[(vec)->count++])

/* keys.c: a new key for a row, greater than every key that this node has made before. */
int64_t turn_key(struct turn *turn);
/* Makes all later keys greater than `key`, which another node may have made. */
void turn_set_key_after(struct turn *turn, int64_t key);
/* Called when a turn begins: keys continue at `now`, or after the last key if that is later. */
void turn_set_key_time(struct turn *turn, instant now);

/* row_check.c: the turn fails with RC_CORRUPT, because stored rows contradict each other. */
void turn_damage(struct turn *turn, int64_t key, const char *what);
/* Decrements a counter that was read from the row `key`; at 0 it is damaged. */
void turn_count_down(struct turn *turn, int64_t *count, int64_t key, const char *damage);
/* False: the row is damaged, and so is the turn. */
bool turn_read_run(struct turn *turn, const struct db_result *rows, int row, struct run *ret);
bool turn_read_cursor(struct turn *turn, const struct db_result *rows, int row,
                      struct cursor *ret);

/* Finds a schedule, or adds it as SCHED_WANTED. */
struct work_schedule *workset_schedule(struct turn *turn, int64_t schedule);
/* NULL: it is not in the workset. */
struct work_schedule *workset_find(struct turn *turn, int64_t schedule);
/* Finds a run, or adds it as WORK_WANTED. */
struct work_run *workset_run(struct turn *turn, struct work_schedule *sched, instant slot,
                             int64_t pass);
/* Adds a run that was just read; a copy that the turn has already read or changed stays. */
struct work_run *workset_put_run(struct turn *turn, struct work_schedule *sched,
                                 const struct run *run);
/* Finds a gate, or adds it and queues the statement that locks it. */
struct work_gate *workset_gate(struct turn *turn, int64_t gate);
/* Sends the reads of everything wanted so far with the first statements of the turn. */
void workset_send_early(struct turn *turn);
/* Locks the cursors of all wanted schedules: each is SCHED_HELD, _NO_CURSOR or _BUSY then. */
enum rc workset_lock(struct turn *turn, struct err *reterr);
/* Reads the plans and dependent rows of all schedules, and all wanted runs. */
enum rc workset_load(struct turn *turn, struct err *reterr);
/* Queries the named calendars of a spec; NULL: it names none. */
struct db_result *workset_send_calendars(struct turn *turn, int64_t namespace,
                                         const struct spec *spec);
/* Reads the answers, which the caller has put into rows_calendars. */
void workset_read_calendars(struct turn *turn, struct work_schedule *sched);
/* Locks the gates of all runs that hold a place in one or wait for one. */
enum rc workset_load_gates(struct turn *turn, struct err *reterr);
void turn_event(struct turn *turn, enum event_type type, const struct run *run, int64_t detail);
void turn_schedule_event(struct turn *turn, enum event_type type, int64_t schedule,
                         int64_t version);
/* Called after the plan or the cursor has changed. */
static inline void sched_update_context(struct work_schedule *sched)
{
    const struct day_set *calendars = sched->ctx.calendars;

    sched->ctx = advance_ctx(&sched->plan, &sched->cursor);
    sched->ctx.calendars = calendars;
}

static inline bool sched_is_held(const struct work_schedule *sched)
{
    return sched && sched->state == SCHED_HELD;
}
