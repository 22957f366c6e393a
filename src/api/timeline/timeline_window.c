/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the parameters of a window and divides it.
 */
#include "api/timeline/timeline_window.h"

#include "core/time/civil.h"
#include "core/time/text.h"

enum { BUCKETS_DEFAULT = 96 }; /* 15 minutes each in a day */

#define BEFORE_NOW (6 * SPAN_H)
#define AFTER_NOW  (18 * SPAN_H)

/* The widths that people read easily. */
static const span steps[] = {
    SPAN_S,       5 * SPAN_S,   10 * SPAN_S,   15 * SPAN_S,   30 * SPAN_S,   SPAN_MIN,
    2 * SPAN_MIN, 5 * SPAN_MIN, 10 * SPAN_MIN, 15 * SPAN_MIN, 30 * SPAN_MIN, SPAN_H,
    2 * SPAN_H,   3 * SPAN_H,   6 * SPAN_H,    12 * SPAN_H,   SPAN_DAY,
};

static enum rc read_range(const struct call *call, struct timeline_window *w,
                          struct err *reterr)
{
    instant from = INSTANT_NONE, to = INSTANT_NONE;
    enum rc rc = request_query_instant(call, "from", &from, reterr);

    if (rc == RC_OK)
        rc = request_query_instant(call, "to", &to, reterr);
    if (rc != RC_OK)
        return rc;
    if (from == INSTANT_NONE)
        from = to == INSTANT_NONE ? call->now - BEFORE_NOW : to - (BEFORE_NOW + AFTER_NOW);
    if (to == INSTANT_NONE)
        to = from + BEFORE_NOW + AFTER_NOW;
    if (from >= to)
        return err_field(reterr, "to", "must be after from");
    if (to - from > TIMELINE_DAYS_MAX * SPAN_DAY) {
        err_set(reterr, RC_LIMIT, -1, 0, "the window is too long; the limit is %d days",
                TIMELINE_DAYS_MAX);
        return err_in(reterr, "to");
    }
    w->from = instant_clamp(from);
    w->to = instant_clamp(to);
    return RC_OK;
}

static span default_step(span length)
{
    int i = 0;

    while (steps[i] * BUCKETS_DEFAULT < length && steps[i] < SPAN_DAY)
        i++;
    return steps[i];
}

static enum rc read_step(const struct call *call, struct timeline_window *w, struct err *reterr)
{
    struct str text = request_query(call, "step");
    enum rc rc = RC_OK;

    w->step = default_step(w->to - w->from);
    if (text.len > 0)
        rc = duration_parse(text, &w->step, reterr);
    if (rc != RC_OK)
        return err_in(reterr, "step");
    if (w->step < SPAN_S || w->step % SPAN_S != 0)
        return err_field(reterr, "step", "must be whole seconds, at least 1s");
    return RC_OK;
}

enum rc timeline_window_read(const struct call *call, struct timeline_window *ret,
                             struct err *reterr)
{
    struct timeline_window w;
    enum rc rc = read_range(call, &w, reterr);
    int64_t buckets;

    if (rc == RC_OK)
        rc = read_step(call, &w, reterr);
    if (rc != RC_OK)
        return rc;
    w.origin = floor_div(w.from, w.step) * w.step;
    buckets = floor_div(w.to - 1 - w.origin, w.step) + 1;
    if (buckets > TIMELINE_BUCKETS_MAX) {
        err_set(reterr, RC_LIMIT, -1, 0, "divides the window into %lld parts; the limit is %d",
                (long long)buckets, TIMELINE_BUCKETS_MAX);
        return err_in(reterr, "step");
    }
    w.buckets = (int)buckets;
    *ret = w;
    return RC_OK;
}

int timeline_window_bucket(const struct timeline_window *w, instant at)
{
    must(timeline_window_has(w, at));
    return (int)((at - w->origin) / w->step);
}

bool timeline_window_has(const struct timeline_window *w, instant at)
{
    return at >= w->from && at < w->to;
}

instant timeline_window_start(const struct timeline_window *w, int bucket)
{
    return w->origin + bucket * w->step;
}

void timeline_window_print(const struct timeline_window *w, instant now, struct answer *out)
{
    char text[DURATION_TEXT_MAX];
    struct buf step = BUF(text);

    duration_format(w->step, &step);
    answer_put_instant(out, "from", w->from);
    answer_put_instant(out, "to", w->to);
    answer_put_instant(out, "now", now);
    answer_put_text(out, "step", buf_as_str(&step));
}
