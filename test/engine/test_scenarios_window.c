/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts that wait longer than the catch-up window: policy `expires`, and the timelines of
 * vectors/temporal-window.json.
 */
#include <jansson.h>

#include "harness.h"

static struct test_schedule buffering(span length, span window)
{
    struct test_schedule w = overlapping(temporal(every(length)), OVERLAP_BUFFER_ALL);

    w.draft.plan.policies.catchup_window = window;
    return w;
}

static int64_t number_at(const json_t *list, size_t i)
{
    return json_integer_value(json_array_get(list, i));
}

static span ms_of(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name)) * SPAN_MS;
}

/* A real server starts a workflow a little later. */
static void assert_starts(const json_t *timeline, instant first)
{
    const json_t *starts = json_object_get(timeline, "starts"), *pair;
    size_t i;

    assert_int_equal(world.call_count, json_array_size(starts));
    json_array_foreach(starts, i, pair)
    {
        const struct call *call = &world.calls[i];

        assert_int_equal(call->work.run.slot - first, number_at(pair, 0) * SPAN_MS);
        assert_in_range(number_at(pair, 1) * SPAN_MS - (call->at - first), 0, SPAN_S);
    }
}

static void follow(const json_t *timeline)
{
    const json_t *counts = json_object_get(timeline, "counts"), *row;
    span every_us = ms_of(timeline, "everyMs");
    instant first = world.base + every_us;
    struct cursor c;
    size_t i;

    assert_true(json_array_size(counts) > 40);
    world.call_length = ms_of(timeline, "runMs");
    create("job", buffering(every_us, ms_of(timeline, "windowMs")));
    json_array_foreach(counts, i, row)
    {
        run_until(first + number_at(row, 0) * SPAN_MS);
        c = cursor_of("job");
        if (c.missed != number_at(row, 1) || c.waiting != number_at(row, 2))
            fail_test("at %d ms: missed %d, waiting %d", (int)number_at(row, 0), (int)c.missed,
                      (int)c.waiting);
    }
    assert_starts(timeline, first);
}

static void follow_vector(size_t index)
{
    json_t *root = json_load_file("test/data/vectors/temporal-window.json", 0, NULL);

    assert_non_null(root);
    follow(json_array_get(json_object_get(root, "timelines"), index));
    json_decref(root);
}

static void a_run_of_twenty_seconds_is_as_in_temporal(void **state)
{
    (void)state;
    follow_vector(0);
}

static void a_run_of_five_seconds_is_as_in_temporal(void **state)
{
    (void)state;
    follow_vector(1);
}

/* The default of the native API. */
static void starts_expire_while_they_wait(void **state)
{
    struct test_schedule w = buffering(2 * SPAN_S, 10 * SPAN_S);

    (void)state;
    w.draft.plan.policies.expires_at_start = false;
    world.call_length = 20 * SPAN_S;
    create("job", w);
    run_to("00:00:20");
    assert_counts("job", "started 1, missed 3, open 1, waiting 6");
    run_to("00:00:22");
    assert_calls("00:00:02@00:00:02, 00:00:12@00:00:22");
}

static void waiting_starts_do_not_wait_for_a_slot_that_never_comes(void **state)
{
    struct test_schedule w = buffering(2 * SPAN_S, 10 * SPAN_S);

    (void)state;
    w.def.end = when("00:00:24");
    world.call_length = 18 * SPAN_S;
    create("job", w);
    run_to("00:02:00");
    /* At 00:20 the slot 00:04 is dropped, and 00:22 starts; at 00:40 no slot will come. */
    assert_calls("00:00:02@00:00:02, 00:00:22@00:00:22");
    assert_counts("job", "started 2, missed 10");
}

static void starts_that_are_not_late_do_not_wait_for_a_far_slot(void **state)
{
    (void)state;
    ends("01:00", "02:30", OUTCOME_SUCCEEDED);
    world.call_length = SPAN_MIN;
    create("job", buffering(SPAN_H, SPAN_MIN));
    run_to("02:10");
    backfill("job", "00:00", "00:00", OVERLAP_BUFFER_ALL);
    run_to("02:31");
    assert_calls("01:00@01:00, b00:00@02:30");
    assert_counts("job", "started 2, missed 1");
}

static void late_starts_wait_for_a_far_slot(void **state)
{
    (void)state;
    ends("01:00", "03:30", OUTCOME_SUCCEEDED);
    world.call_length = SPAN_MIN;
    create("job", buffering(SPAN_H, SPAN_MIN));
    run_to("03:31");
    assert_counts("job", "started 1, missed 1, waiting 1");
    run_to("04:02");
    assert_calls("01:00@01:00, 04:00@04:00");
    assert_counts("job", "started 2, missed 2");
}

static void a_full_buffer_does_not_stop_the_schedule(void **state)
{
    struct test_schedule w = buffering(2 * SPAN_S, 10 * SPAN_S);

    (void)state;
    w.draft.plan.policies.buffer_limit = 10;
    world.call_length = 20 * SPAN_S;
    create("job", w);
    run_to("00:00:20");
    w.draft.plan.policies.buffer_limit = 4; /* fewer than wait */
    assert_int_equal(update("job", 1, w).rc, RC_OK);
    run_to("00:00:25");
    assert_int_equal(cursor_of("job").open, 1);
}

static void the_last_runs_of_a_limited_schedule_start(void **state)
{
    struct test_schedule w = buffering(2 * SPAN_S, 10 * SPAN_S);

    (void)state;
    w.draft.plan.policies.remaining_runs = 3;
    world.call_length = 20 * SPAN_S;
    create("job", w);
    run_to("00:05:00");
    assert_int_equal(cursor_of("job").started, 3);
    assert_int_equal(cursor_of("job").waiting, 0);
}

static void waiting_starts_survive_a_pause(void **state)
{
    (void)state;
    world.call_length = 20 * SPAN_S;
    create("job", buffering(2 * SPAN_S, 10 * SPAN_S));
    run_to("00:00:23"); /* none is open, and starts wait for the next slot */
    assert_counts("job", "started 1, missed 1, waiting 9");
    pause_it("job", "x");
    run_to("00:00:31");
    assert_counts("job", "started 1, missed 1, waiting 9");
    resume("job"); /* counts as an end: the next one is too late; four were due in the pause */
    run_to("00:00:33");
    assert_counts("job", "started 2, missed 6, open 1, waiting 8");
    assert_calls("00:00:02@00:00:02, 00:00:32@00:00:32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_run_of_twenty_seconds_is_as_in_temporal),
        TIMELINE(a_run_of_five_seconds_is_as_in_temporal),
        TIMELINE(starts_expire_while_they_wait),
        TIMELINE(waiting_starts_do_not_wait_for_a_slot_that_never_comes),
        TIMELINE(starts_that_are_not_late_do_not_wait_for_a_far_slot),
        TIMELINE(late_starts_wait_for_a_far_slot),
        TIMELINE(a_full_buffer_does_not_stop_the_schedule),
        TIMELINE(the_last_runs_of_a_limited_schedule_start),
        TIMELINE(waiting_starts_survive_a_pause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
