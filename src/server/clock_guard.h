/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether the wall clock can be trusted, by comparing it with the monotonic clock.
 *
 * Pure: the caller passes both readings in.  The guard follows small steps, because
 * administrators set clocks on purpose.  After a step beyond the limit it does not trust the
 * clock until the clock steps back by about as much or an operator accepts it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"

#define CLOCK_GUARD_LOG_MIN SPAN_S /* minimum step to log */

struct clock_guard {
    span max_jump;
    span offset;  /* wall clock minus monotonic clock, last trusted value     */
    span seen;    /* the same, last reading; before the first: time of the last turn */
    bool is_held; /* the clock is not trusted                                 */
};

struct clock_reading {
    instant now; /* while the clock is not trusted: continues as if it had not stepped */
    bool is_held;
    bool has_changed; /* is_held differs from the previous reading            */
    span jump;        /* new step of CLOCK_GUARD_LOG_MIN or more; otherwise 0 */
};

/* `last` is the time of the last turn on this database; INSTANT_NONE: there was none. */
void clock_guard_begin(struct clock_guard *guard, span max_jump, instant last);

struct clock_reading clock_guard_read(struct clock_guard *guard, instant wall, int64_t boot_us);

/* Trusts the clock as it is now. */
void clock_guard_accept(struct clock_guard *guard);
