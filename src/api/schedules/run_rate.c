/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates how often a plan runs, and warns if that is very often.
 */
#include "api/schedules/run_rate.h"

#include <inttypes.h>

#include "api/schedules/schedule_times.h"

enum { WEEK_DAYS = 7 };

int64_t run_rate_per_day(const struct plan *plan, const struct spec_ctx *ctx, instant after,
                         int rounds)
{
    struct schedule_times_count week = schedule_times_count(
        plan, ctx, after, after + WEEK_DAYS * SPAN_DAY, rounds);

    if (!week.is_cut)
        return (week.count + WEEK_DAYS / 2) / WEEK_DAYS;
    return week.count * (SPAN_DAY / SPAN_MS) / ((week.last - after) / SPAN_MS + 1);
}

bool run_rate_warn(const struct call *call, int64_t per_day, struct buf *out)
{
    int64_t most = call->context->plan_warn_per_day;

    if (most == 0 || per_day <= most)
        return false;
    buf_printf(out,
               "it runs %" PRId64 " times a day; if this is not intended, check its seconds "
               "and minutes",
               per_day);
    return true;
}
