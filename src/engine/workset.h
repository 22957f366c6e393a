/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workset of a turn: what is wanted is locked and read here.
 *
 * Internal to the engine.  Statements are queued as decisions fall and run when the turn
 * flushes.  Nothing on the workset outlives the turn.
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

/* One more at the end, which is to be written at once. */
void *vec_grow(struct arena *arena, void *at, int count, int *room, size_t size);
#define VEC_ADD(turn, vec)                                                                   \
    ((vec)->count == (vec)->room                                                             \
         ? (void)((vec)->at = vec_grow((turn)->arena, (vec)->at, (vec)->count, &(vec)->room, \
                                       sizeof(*(vec)->at)))                                  \
         : (void)0,                                                                          \
     &(vec)->at[(vec)->count++])

int64_t turn_key(struct turn *turn);
/* Keys that follow are later than this one of another node, however its clock goes. */
void turn_see_key(struct turn *turn, int64_t key);
void turn_keys_from(struct turn *turn, instant now); /* a turn begins */

/* workset.c: finding and reading */
struct work_schedule *workset_schedule(struct turn *turn,
                                       int64_t schedule); /* wanted, or as it is */
struct work_schedule *workset_find(struct turn *turn,
                                   int64_t schedule); /* NULL: nobody wants it */
struct work_run *workset_run(struct turn *turn, struct work_schedule *sched, instant slot,
                             int64_t pass);
struct work_run *workset_put_run(struct turn *turn, struct work_schedule *sched,
                                 const struct run *run);
struct work_gate *workset_gate(struct turn *turn, int64_t gate);
/* What is wanted so far is asked for with the first statements. */
void workset_send_early(struct turn *turn);
enum rc workset_lock(struct turn *turn, struct err *reterr);
enum rc workset_load(struct turn *turn, struct err *reterr);
/* Asks for the named calendars of a spec; NULL: there are none. */
struct db_result *workset_send_calendars(struct turn *turn, int64_t namespace,
                                         const struct spec *spec);
/* With their answers in rows_calendars. */
void workset_read_calendars(struct turn *turn, struct work_schedule *sched);
enum rc workset_load_gates(struct turn *turn, struct err *reterr);
void turn_event(struct turn *turn, enum event_type type, const struct run *run, int64_t detail);
void turn_schedule_event(struct turn *turn, enum event_type type, int64_t schedule,
                         int64_t version);
/* After its runs, its plan or its cursor have changed. */
static inline void sched_context(struct work_schedule *sched)
{
    const struct day_set *calendars = sched->ctx.calendars;

    sched->ctx = advance_ctx(&sched->plan, &sched->cursor);
    sched->ctx.calendars = calendars;
}

static inline bool sched_is_held(const struct work_schedule *sched)
{
    return sched && sched->state == SCHED_HELD;
}
