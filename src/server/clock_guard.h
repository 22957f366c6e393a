/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the wall clock can be believed: it is held against the clock that never steps.
 *
 * Pure: both readings are handed in.  Small steps are followed, as the people who set clocks
 * want; a step beyond a limit is not, until the clock is back or somebody says that it is
 * right.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"

#define CLOCK_GUARD_NOTED SPAN_S /* a step that is worth a line in the log */

struct clock_guard {
    span max_jump;
    span offset; /* of the wall clock to the other, as it is believed       */
    span seen;   /* as it was last read                                     */
    bool is_held;
};

struct clock_reading {
    instant now; /* while the clock is not believed: as if it had not stepped */
    bool hold;
    bool has_changed; /* hold is not what it was */
    span jump;        /* a step of CLOCK_GUARD_NOTED or more, just noticed; else 0 */
};

/* `last` is when this database last saw a turn, INSTANT_NONE: never. */
void clock_guard_begin(struct clock_guard *guard, span max_jump, instant last);

struct clock_reading clock_guard_read(struct clock_guard *guard, instant wall, int64_t boot_us);

/* The clock is right, whatever it says. */
void clock_guard_accept(struct clock_guard *guard);
