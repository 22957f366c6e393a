/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the offset between the wall clock and the monotonic clock with the last trusted one.
 */
#include "server/clock_guard.h"

/* The value before the first reading, which sets the offset. */
#define UNREAD INSTANT_NONE

void clock_guard_begin(struct clock_guard *guard, span max_jump, instant last)
{
    *guard = (struct clock_guard){.max_jump = max_jump, .offset = UNREAD, .seen = last};
}

/* A first reading that is earlier than the last turn means that the clock was set back. */
static void set_first_offset(struct clock_guard *guard, instant wall, int64_t boot_us)
{
    instant last = guard->seen;

    guard->offset = wall - boot_us;
    if (last != INSTANT_NONE && wall < last - guard->max_jump)
        guard->offset = last - boot_us;
}

static span magnitude(span step)
{
    return step < 0 ? -step : step;
}

struct clock_reading clock_guard_read(struct clock_guard *guard, instant wall, int64_t boot_us)
{
    struct clock_reading reading = {0};
    bool was_held = guard->is_held;
    span step;

    if (guard->offset == UNREAD)
        set_first_offset(guard, wall, boot_us);
    guard->seen = wall - boot_us;
    step = guard->seen - guard->offset;
    guard->is_held = magnitude(step) > guard->max_jump;
    if (!guard->is_held)
        guard->offset = guard->seen;
    reading.now = boot_us + guard->offset;
    reading.is_held = guard->is_held;
    reading.has_changed = was_held != guard->is_held;
    if (!was_held && magnitude(step) >= CLOCK_GUARD_LOG_MIN)
        reading.jump = step;
    return reading;
}

void clock_guard_accept(struct clock_guard *guard)
{
    guard->offset = guard->seen;
}
