/* SPDX-License-Identifier: Apache-2.0 */
/* The packed form of events and their names.  Expected bytes are written by hand. */
#include "core/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct event samples[] = {
    {.type = EVENT_RUN_ENDED,
     .schedule = 1234567890123456,
     .slot = 1767225600000000,
     .pass = 3,
     .fence = 7,
     .attempt = 2,
     .detail = 10 * 256,
     .count = 1},
    {.type = EVENT_SLOT_MISSED, .slot = -62135596800000000, .count = 315360000},
    {.type = INT64_MAX,
     .schedule = INT64_MIN,
     .slot = INT64_MAX,
     .pass = -1,
     .fence = 63,
     .attempt = 64,
     .detail = -64,
     .count = -65},
    {.type = EVENT_NODE_UP},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static void what_is_packed_comes_back(void **state)
{
    char room[SAMPLES * EVENT_PACKED_MAX + 1];
    struct buf buf = BUF(room);
    struct str rest;
    struct event got;
    struct err err;
    bool any;

    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        event_pack(&samples[i], &buf);
    assert_false(buf.cut);
    rest = buf_as_str(&buf);
    for (int i = 0; i < SAMPLES; i++) {
        assert_int_equal(event_unpack(&rest, &got, &any, &err), RC_OK);
        assert_true(any);
        assert_memory_equal(&got, &samples[i], sizeof got);
    }
    assert_int_equal(event_unpack(&rest, &got, &any, &err), RC_OK);
    assert_false(any);
}

/* Zigzag in groups of seven bits, low groups first: 1 is 02, -1 is 01, 64 is 80 01. */
static void the_packed_bytes_are_zigzag_numbers(void **state)
{
    char room[EVENT_PACKED_MAX];
    struct buf buf = BUF(room);

    (void)state;
    event_pack(&(struct event){.type = 1, .schedule = -1, .slot = 64}, &buf);
    assert_int_equal(buf.len, 9);
    assert_memory_equal(room, "\x02\x01\x80\x01\0\0\0\0\0", 9);
}

static void a_cut_or_overlong_row_is_corrupt(void **state)
{
    char room[EVENT_PACKED_MAX];
    struct buf buf = BUF(room);
    struct str overlong = STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\0\0\0\0\0\0\0");
    struct event got;
    struct err err;
    bool any;

    (void)state;
    event_pack(&samples[0], &buf);
    for (size_t len = 1; len < buf.len; len++) {
        struct str part = {room, len};

        assert_int_equal(event_unpack(&part, &got, &any, &err), RC_CORRUPT);
        assert_int_equal(part.len, len);
    }
    assert_int_equal(event_unpack(&overlong, &got, &any, &err), RC_CORRUPT);
}

static void types_have_the_names_of_the_model(void **state)
{
    (void)state;
    assert_string_equal(event_text(EVENT_SCHEDULE_CREATED), "schedule.created");
    assert_string_equal(event_text(EVENT_SCHEDULE_CLOSED), "schedule.closed");
    assert_string_equal(event_text(EVENT_RUN_RETRYING), "run.retrying");
    assert_string_equal(event_text(EVENT_RUN_LATE), "run.late");
    assert_string_equal(event_text(EVENT_RUN_UNPLANNED), "run.unplanned");
    assert_string_equal(event_text(EVENT_SLOT_CANCELLED), "slot.cancelled");
    assert_string_equal(event_text(EVENT_LEASE_STALE), "lease.stale");
    assert_string_equal(event_text(EVENT_PLAN_MIDNIGHT), "plan.midnight");
    assert_string_equal(event_text(EVENT_NODE_DOWN), "node.down");
    assert_string_equal(event_text(EVENT_CLOCK_JUMP), "clock.jump");
    assert_string_equal(event_text(EVENT_DAMAGED), "events.damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(the_packed_bytes_are_zigzag_numbers),
        cmocka_unit_test(a_cut_or_overlong_row_is_corrupt),
        cmocka_unit_test(types_have_the_names_of_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
