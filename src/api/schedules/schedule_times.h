/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule as a reader sees it when it is to tell times: its plan with all that the plan
 * needs to be asked.
 */
#pragma once

#include "api/schedules/view.h"
#include "core/advance.h"

struct schedule_times {
    struct schedule_view view;
    struct plan plan;
    struct spec_ctx ctx;
    const instant *exceptions; /* cancelled slots, ascending */
    int exception_count;
};

/* The schedule that params[0] names; RC_NOT_FOUND, RC_CONFLICT when a zone is gone. */
MUST_USE enum rc schedule_times_read(const struct call *call, struct db *db,
                                     struct schedule_times *ret, struct err *reterr);

/* The same for ret->view, which the caller has read. */
MUST_USE enum rc schedule_times_fill(const struct call *call, struct db *db,
                                     struct schedule_times *ret, struct err *reterr);

/* The days of the calendars that a spec names, into *ctx. */
MUST_USE enum rc schedule_times_calendars(const struct call *call, struct db *db,
                                          const struct spec *spec, struct spec_ctx *ctx,
                                          struct err *reterr);

/*
 * Whether the i-th calendar that a spec names is not there, as after a typing error: it takes
 * no day then, and *out gets a sentence that says so.
 */
bool schedule_times_lacks_calendar(const struct spec *spec, const struct spec_ctx *ctx, int i,
                                   struct buf *out);

/* Days as COMMAND_CALENDAR takes them: little-endian int32. */
struct day_set schedule_times_days(struct str bytes, struct arena *arena);

/*
 * The cursor of *view knows the next slot of the plan; this sets its next_at to the next that
 * will run: not a cancelled one, nor one that a pause with an end leaves out; and its source.
 * Only to be told.
 */
MUST_USE enum rc schedule_times_next(const struct call *call, struct db *db,
                                     struct arena *scratch, struct schedule_view *view,
                                     struct err *reterr);

bool schedule_times_is_cancelled(const struct schedule_times *p, instant slot);

/* The one slot that is known where slots hang on runs, INSTANT_NEVER: none. */
struct slot schedule_times_only(const struct schedule_times *p);

/* It starts nothing by itself, however long one waits. */
bool schedule_times_is_at_rest(const struct cursor *cursor);

/* Of a slot of the spec: baseline-cron or baseline-interval. */
enum source schedule_times_source(const struct plan *plan, const struct slot *slot);

/*
 * Sets the source of the next slot, as the engine keeps it for governed schedules only, by
 * the kinds of times that the spec has.  False: it has both, and schedule_times_next() must
 * tell.
 */
bool schedule_times_source_is_sure(struct schedule_view *view);

/*
 * Where the server's dispatch_jitter has an effect on a schedule that is not governed: appends
 * a member "note" that says so.  Times are told as the schedule has them.
 */
void schedule_times_note_spread(const struct call *call, const struct spec *spec,
                                struct answer *out);

struct schedule_times_count {
    int64_t count;
    instant first, last; /* good when count is not 0 */
    bool is_cut;         /* there are more, too many to pass one by one */
};

/*
 * Nominal times in (after, until], by arithmetic where that is possible.  `rounds`: of some
 * 20,000 slots each, which take a millisecond or two, where they must be passed one by one.
 */
struct schedule_times_count schedule_times_count(const struct plan *plan,
                                                 const struct spec_ctx *ctx, instant after,
                                                 instant until, int rounds);
