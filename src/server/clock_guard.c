/* SPDX-License-Identifier: Apache-2.0 */
#include "server/clock_guard.h"

/* Neither belongs to a clock: the first reading decides. */
#define UNREAD INSTANT_NONE

void pace_begin(struct pace *pace, span max_jump, instant last)
{
    *pace = (struct pace){.max_jump = max_jump, .offset = UNREAD, .seen = last};
}

/* A first reading before the last turn of an earlier process is a clock that went back. */
static void begin(struct pace *pace, instant wall, int64_t boot_us)
{
    instant last = pace->seen;

    pace->offset = wall - boot_us;
    if (last != INSTANT_NONE && wall < last - pace->max_jump)
        pace->offset = last - boot_us;
}

static span size(span step)
{
    return step < 0 ? -step : step;
}

struct pace_reading pace_read(struct pace *pace, instant wall, int64_t boot_us)
{
    struct pace_reading reading = {0};
    bool was_held = pace->is_held;
    span step;

    if (pace->offset == UNREAD)
        begin(pace, wall, boot_us);
    pace->seen = wall - boot_us;
    step = pace->seen - pace->offset;
    pace->is_held = size(step) > pace->max_jump;
    if (!pace->is_held)
        pace->offset = pace->seen;
    reading.now = boot_us + pace->offset;
    reading.hold = pace->is_held;
    reading.has_changed = was_held != pace->is_held;
    if (!was_held && size(step) >= PACE_NOTED)
        reading.jump = step;
    return reading;
}

void pace_accept(struct pace *pace)
{
    pace->offset = pace->seen;
}
