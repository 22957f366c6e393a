/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays one schedule forward without running anything: which slots would be listed, missed or
 * dropped, and when their runs would begin, if each run took a given time and the server did
 * nothing during an outage.
 *
 * Pure.  advance.h decides about slots, policy/overlap.h about starts and pick.h about governed
 * times, as in the engine; this file only chooses the instants at which they are asked: when a
 * slot is due, a run ends or a pause ends.  Decisions about slots are exact as far as they do
 * not depend on runs; when runs begin and which are skipped is an estimate.
 */
#pragma once

#include "core/advance.h"

enum {
    FORECAST_WAITING_MAX =
        BUFFER_LIMIT_MAX,        /* starts that wait; more slots are left undecided */
    FORECAST_OPEN_MAX = 1000,    /* open runs; with more, the oldest is taken to have ended */
    FORECAST_ROUNDS_MAX = 30000, /* turns at one instant: each starts or ends a waiting start */
};

enum forecast_kind {
    FORECAST_ACCOUNT, /* slots that get an outcome and no run                           */
    FORECAST_LISTED,  /* a slot that may start; then one of the others, or it waits     */
    FORECAST_BEGUN,   /* its run begins                                                 */
    FORECAST_SKIPPED, /* it does not, because of the overlap policy                     */
    FORECAST_EXPIRED, /* it waited for longer than the catch-up window                  */
};

struct forecast_note {
    enum forecast_kind kind;
    instant at; /* when this happens */
    struct account account;
    instant due; /* of the slot; of FORECAST_ACCOUNT: that of the first slot, without jitter */
};

struct forecast_run {
    instant started, ends;
};

/* Memory, which one forecast after the other may use. */
struct forecast_room {
    struct due_slot waiting[FORECAST_WAITING_MAX + ADVANCE_SLOTS_MAX]; /* then new starts */
    uint8_t policy[FORECAST_WAITING_MAX + ADVANCE_SLOTS_MAX];
    uint8_t verdict[FORECAST_WAITING_MAX + ADVANCE_SLOTS_MAX];
    struct forecast_run open[FORECAST_OPEN_MAX];
    struct advance advance;
};

struct forecast {
    /* in */
    const struct plan *plan;
    const struct day_set *calendars; /* as in struct spec_ctx */
    struct budget *budget;
    const instant *exceptions; /* ascending nominal times of cancelled slots */
    int exception_count;
    span duration;              /* of each run; 0: it ends at once                          */
    instant down_from, down_to; /* no turn from down_from to before down_to; equal: none    */
    instant until;              /* the play ends before it                                  */
    struct forecast_room *room;
    bool (*note)(void *arg, const struct forecast_note *note); /* false: stop the play */
    void *arg;
    /* in, and out: the state at the end */
    struct cursor cursor;
    /* out */
    bool is_cut; /* some limit above was reached: slots may be undecided */
    /* private */
    struct spec_ctx ctx;
    instant now, next_due;
    int open_first, start_count, rounds;
    bool open_changed, is_stopped;
};

/* True if slots depend on the runs before them, so that a play cannot begin at any instant. */
bool forecast_depends_on_runs(const struct plan *plan, const struct cursor *cursor);

/*
 * Begins from the state of the cursor, at `now`; computes next_at if it is not after the mark.
 * Runs that are open or wait are unknown to a cursor: the caller adds them, open runs in the
 * order of their ends.
 */
void forecast_begin(struct forecast *forecast, instant now);
void forecast_add_open(struct forecast *forecast, struct forecast_run run);
void forecast_add_waiting(struct forecast *forecast, struct due_slot slot);

/*
 * Begins at any instant: as if all slots before it had been decided in time, and with the run
 * of the last one, which this plays.  If slots depend on runs, as if one had ended at `at`.
 */
void forecast_begin_at(struct forecast *forecast, instant at);

/* Plays up to `until`.  If the budget is used up, the caller must discard the result. */
void forecast_play(struct forecast *forecast);
