/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a schedule with everything that a reader needs to compute its times: calendars,
 * cancelled slots and the cursor.
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

/* The schedule that params[0] names; RC_NOT_FOUND, or RC_CONFLICT if a time zone is missing. */
MUST_USE enum rc schedule_times_read(const struct call *call, struct db *db,
                                     struct schedule_times *ret, struct err *reterr);

/* The same for a ret->view that the caller has read.  Also runs the statements in the queue. */
MUST_USE enum rc schedule_times_fill(const struct call *call, struct db *db,
                                     struct schedule_times *ret, struct err *reterr);

/* Reads the days of the calendars that a spec names into *ctx. */
MUST_USE enum rc schedule_times_calendars(const struct call *call, struct db *db,
                                          const struct spec *spec, struct spec_ctx *ctx,
                                          struct err *reterr);

/*
 * Returns true if the i-th calendar that a spec names does not exist, as after a typing error,
 * and prints a warning: such a calendar excludes no day.
 */
bool schedule_times_warn_calendar(const struct spec *spec, const struct spec_ctx *ctx, int i,
                                  struct buf *out);

/* Unpacks days as COMMAND_CALENDAR stores them: little-endian int32. */
struct day_set schedule_times_days(struct str bytes, struct arena *arena);

/*
 * Changes next_at of *view, for display: from the next slot of the plan to the next slot that
 * will run, which is not cancelled and not inside a pause with an end.  Also sets the source.
 */
MUST_USE enum rc schedule_times_next(const struct call *call, struct db *db,
                                     struct arena *scratch, struct schedule_view *view,
                                     struct err *reterr);

bool schedule_times_is_cancelled(const struct schedule_times *p, instant slot);

/* When a governed schedule runs after its pause if its next time is during the pause. */
instant schedule_times_resumed(const struct schedule_times *p);

/* The only known slot of a schedule whose later slots depend on runs; INSTANT_NEVER: none. */
struct slot schedule_times_known(const struct schedule_times *p);

/* The schedule will start no run by itself until it is changed. */
bool schedule_times_is_at_rest(const struct cursor *cursor);

/* The source of a slot of the spec: baseline-cron or baseline-interval. */
enum source schedule_times_source(const struct plan *plan, const struct slot *slot);

/*
 * Sets the source of the next slot by the kinds of times in the spec; the engine stores it for
 * governed schedules only.  False: the spec has both kinds, and schedule_times_next() must
 * decide.
 */
bool schedule_times_set_source(struct schedule_view *view);

/*
 * Appends a member "note" if the server's dispatch_jitter affects the schedule (which must not
 * be governed).  The times themselves are shown without it.
 */
void schedule_times_jitter_note(const struct call *call, const struct spec *spec,
                                struct answer *out);

struct schedule_times_count {
    int64_t count;
    instant first, last; /* valid if count is not 0 */
    bool is_cut;         /* `rounds` ended the count: there are more */
};

/* The number of slots in (after, until] that are not cancelled. */
int64_t schedule_times_planned(const struct schedule_times *p, instant after, instant until);

/*
 * Counts nominal times in (after, until], by arithmetic where possible.  Where slots must be
 * visited one by one, `rounds` limits the work: some 20,000 slots each, a millisecond or two.
 */
struct schedule_times_count schedule_times_count(const struct plan *plan,
                                                 const struct spec_ctx *ctx, instant after,
                                                 instant until, int rounds);
