/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains how start, end, exclusions and window remove slots of an entry.
 */
#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"
#include "core/explain/explain_parts.h"
#include "core/spec/window.h"
#include "core/time/text.h"

static bool has_day(const int32_t *days, int count, int64_t day)
{
    for (int i = 0; i < count; i++)
        if (days[i] == day)
            return true;
    return false;
}

static int64_t local_time(const struct spec *spec, instant t)
{
    int64_t s = instant_seconds(t);

    return s + tz_offset(spec->zones[0].tz, s);
}

static bool write_out_of_bounds(const struct spec *spec, instant t, struct explain *ret,
                                struct buf *out)
{
    if (spec->start != INSTANT_NONE && t < spec->start) {
        ret->why = WHY_BEFORE_START;
        buf_text(out, "it is before the start, ");
        instant_format(spec->start, out);
        return true;
    }
    if (t > spec->end) {
        ret->why = WHY_AFTER_END;
        buf_text(out, "it is after the end, ");
        instant_format(spec->end, out);
        return true;
    }
    return false;
}

/* The index of the named calendar that contains this day; -1 if none does. */
static int find_named(const struct spec *spec, const struct spec_ctx *ctx, int64_t day)
{
    for (int i = 0; ctx->calendars && i < spec->not_named_count; i++)
        if (has_day(ctx->calendars[i].days, ctx->calendars[i].count, day))
            return i;
    return -1;
}

static int find_calendar(const struct spec *spec, int64_t local)
{
    for (int i = 0; i < spec->not_cron_count; i++)
        if (cron_matches(&spec->not_crons[i], local))
            return i;
    return -1;
}

static bool write_excluded(const struct spec *spec, const struct spec_ctx *ctx, instant t,
                           struct explain *ret, struct buf *out)
{
    int64_t local = local_time(spec, t), day = floor_div(local, DAY_SECONDS);
    int named = find_named(spec, ctx, day), calendar = find_calendar(spec, local);

    if (has_day(spec->not_dates, spec->not_date_count, day)) {
        ret->why = WHY_EXCLUDED_DATE;
        words_date(out, day);
        buf_text(out, " is an excluded date");
    } else if (named >= 0) {
        ret->why = WHY_EXCLUDED_NAMED;
        words_date(out, day);
        buf_text(out, " is a day of ");
        buf_str(out, spec->not_named[named]);
    } else if (calendar >= 0) {
        ret->why = WHY_EXCLUDED_CALENDAR;
        buf_printf(out, "exclude.calendars[%d] excludes it: ", calendar);
        describe_cron_phrase(&spec->not_crons[calendar], out);
    } else {
        return false;
    }
    if (spec->shift != SHIFT_NONE)
        buf_printf(out, "; its slots move to the %s free day",
                   spec->shift == SHIFT_NEXT ? "next" : "previous");
    if (spec->shift == SHIFT_PREVIOUS && spec_follows(spec))
        buf_text(out, ", except those that count from a run of that day");
    return true;
}

static bool write_outside_window(const struct spec *spec, instant t, struct explain *ret,
                                 struct buf *out)
{
    const struct window_def *window = &spec->window;
    int64_t local = local_time(spec, t);

    if (!window->is_set || window_next(window, spec->zones[0].tz, t) == t)
        return false;
    ret->why = WHY_OUTSIDE_WINDOW;
    time_of_day_format((int32_t)(local - floor_div(local, DAY_SECONDS) * DAY_SECONDS), out);
    buf_text(out, " is outside the window from ");
    time_of_day_format(window->from, out);
    buf_text(out, " to ");
    time_of_day_format(window->to, out);
    if (window->rule == WINDOW_CLAMP) {
        buf_text(out, "; the slot moves to ");
        time_of_day_format(window->from, out);
    }
    return true;
}

bool explain_removal(const struct spec *spec, const struct spec_ctx *ctx, instant t,
                     struct explain *ret)
{
    struct buf out = BUF(ret->text);

    return write_out_of_bounds(spec, t, ret, &out) || write_excluded(spec, ctx, t, ret, &out) ||
           write_outside_window(spec, t, ret, &out);
}
