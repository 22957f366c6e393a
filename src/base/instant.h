/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points in time and lengths of time, as numbers.
 *
 * An instant is microseconds since 1970-01-01T00:00:00Z without leap seconds; a span is a
 * number of microseconds.  Both are int64, which is wide enough for the years 1 to 9999: the
 * sum of an instant and a span of less than a thousand years cannot overflow.
 */
#pragma once

#include <stdint.h>

typedef int64_t instant;
typedef int64_t span;

#define INSTANT_NEVER INT64_MAX /* later than every instant: it will not happen    */
#define INSTANT_NONE  INT64_MIN /* earlier than every instant: it has not happened */

#define SPAN_MS  INT64_C(1000)
#define SPAN_S   INT64_C(1000000)
#define SPAN_MIN (60 * SPAN_S)
#define SPAN_H   (60 * SPAN_MIN)
#define SPAN_DAY (24 * SPAN_H)

/* The first and the last instant that Belfry supports; input outside is rejected. */
#define INSTANT_MIN INT64_C(-62135596800000000) /* 0001-01-01T00:00:00Z        */
#define INSTANT_MAX INT64_C(253402300799999999) /* 9999-12-31T23:59:59.999999Z */

/* The nearest supported instant: sums and clocks may leave the supported years. */
static inline instant instant_clamp(instant t)
{
    return t < INSTANT_MIN ? INSTANT_MIN : t > INSTANT_MAX ? INSTANT_MAX : t;
}

/* `t` plus a span of less than a thousand years, but at most INSTANT_MAX. */
static inline instant instant_after(instant t, span d)
{
    return t > INSTANT_MAX - d ? INSTANT_MAX : t + d;
}

/* Whole seconds at or before `t`: rounds towards the past, also before 1970. */
static inline int64_t instant_seconds(instant t)
{
    int64_t s = t / SPAN_S;

    return t % SPAN_S < 0 ? s - 1 : s;
}

static inline instant instant_of_seconds(int64_t s)
{
    return s * SPAN_S;
}
