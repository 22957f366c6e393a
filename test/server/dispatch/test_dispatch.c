/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errands from their start to what is told of them, however they end: of their own, by a
 * stop, too late, or with the daemon.
 */
#include "http_world.h"
#include "io/clock.h"

/* Has a call under way that the server has seen and does not answer. */
static struct stop start_hanging(struct world *world, int64_t fence)
{
    struct task *task = world_task(world, "/hang", "");
    struct stop stop;
    int seen = world->server.seen_count;

    world_script(world, "/hang", STR("H"), BAD_STAYS);
    task->work.run.fence = fence;
    stop = errands_stop_of(task);
    calls_start(world->errands->calls, task);
    world_wait_seen(world, seen + 1);
    return stop;
}

static void a_report_names_the_run_and_the_fence(void **state)
{
    struct world *world = *state;
    struct task *task = world_task(world, "/", "");
    const struct report *report;

    task->work.run.pass = 3;
    report = world_run(world, task);
    assert_int_equal(report->run.schedule, 42);
    assert_int_equal(report->run.slot_ms, INT64_C(1790000000000));
    assert_int_equal(report->run.pass, 3);
    assert_int_equal(report->fence, 7);
    assert_int_equal(calls_count(world->errands->calls, LANE_HTTP), 0);
}

static void nothing_is_told_from_within_a_function_that_was_called(void **state)
{
    struct world *world = *state;
    struct task *task = world_task(world, "/", "");

    task->work.deadline = task->now; /* it ends as it begins */
    calls_start(world->errands->calls, task);
    assert_int_equal(world->errands->told_count, 0);
    assert_int_equal(errands_wait(world->errands, 1)->outcome, OUTCOME_TIMED_OUT);
}

static void a_task_that_comes_too_late_is_handed_back(void **state)
{
    struct world *world = *state;
    struct task *task = world_task(world, "/", "");

    task->send_by_us = clock_boot_us();
    assert_int_equal(world_run(world, task)->kind, REPORT_RELEASE);
    assert_int_equal(world->server.connections, 0);
}

static void a_task_whose_time_ends_in_the_queue_is_handed_back(void **state)
{
    struct world *world = *state;
    struct task *task;

    world->errands->options.http_per_host = 1;
    start_hanging(world, 1);
    task = world_task(world, "/late", "");
    task->send_by_us = clock_boot_us() + 20 * SPAN_MS;
    assert_int_equal(world_run(world, task)->kind, REPORT_RELEASE);
    assert_int_equal(world->server.seen_count, 1);
}

static void no_more_are_called_at_a_time_than_the_limits_say(void **state)
{
    struct world *world = *state;
    struct stop stops[4];

    world->errands->options.http = 3;
    world->errands->options.http_per_host = 2;
    for (int i = 0; i < 2; i++)
        stops[i] = start_hanging(world, i);
    for (int i = 2; i < 4; i++) {
        struct task *task = world_task(world, "/hang", "");

        task->work.run.fence = i;
        stops[i] = errands_stop_of(task);
        calls_start(world->errands->calls, task);
    }
    assert_int_equal(calls_count(world->errands->calls, LANE_HTTP), 4);
    assert_int_equal(calls_count(world->errands->calls, LANE_EXEC), 0);
    calls_stop(world->errands->calls, &stops[0]);
    world_wait_seen(world, 3);
    assert_int_equal(world->server.open_most, 2);
    for (int i = 1; i < 4; i++)
        calls_stop(world->errands->calls, &stops[i]);
    errands_wait(world->errands, 4);
    assert_int_equal(calls_count(world->errands->calls, LANE_HTTP), 0);
}

static void a_stop_ends_a_call_as_cancelled(void **state)
{
    struct world *world = *state;
    struct stop stop = start_hanging(world, 7);
    const struct report *report;

    calls_stop(world->errands->calls, &stop);
    calls_stop(world->errands->calls, &stop);
    assert_int_equal(world->errands->told_count, 0);
    report = errands_wait(world->errands, 1);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    calls_stop(world->errands->calls, &stop); /* of one that is no more */
}

static void a_stop_for_another_fence_or_run_does_nothing(void **state)
{
    struct world *world = *state;
    struct stop right = start_hanging(world, 7), wrong[4];

    for (int i = 0; i < 4; i++) {
        wrong[i] = right;
        wrong[i].is_terminated = true;
    }
    wrong[0].fence++;
    wrong[1].run.pass++;
    wrong[2].run.slot_ms++;
    wrong[3].run.schedule++;
    for (int i = 0; i < 4; i++)
        calls_stop(world->errands->calls, &wrong[i]);
    assert_int_equal(calls_count(world->errands->calls, LANE_HTTP), 1);
    calls_stop(world->errands->calls, &right);
    assert_int_equal(errands_wait(world->errands, 1)->outcome, OUTCOME_CANCELLED);
}

static void nothing_is_told_of_a_call_that_was_terminated(void **state)
{
    struct world *world = *state;
    struct stop gone = start_hanging(world, 1), both = start_hanging(world, 2);
    struct stop other = start_hanging(world, 3);

    calls_stop(world->errands->calls, &both); /* first asked, then made to */
    gone.is_terminated = both.is_terminated = true;
    calls_stop(world->errands->calls, &gone);
    calls_stop(world->errands->calls, &both);
    calls_stop(world->errands->calls, &other);
    assert_int_equal(errands_wait(world->errands, 1)->fence, 3);
    while (calls_count(world->errands->calls, LANE_HTTP) > 0)
        uv_run(loop_uv(world->errands->loop), UV_RUN_ONCE);
    assert_int_equal(world->errands->told_count, 1);
}

static void at_the_end_what_was_sent_is_lost_and_the_rest_is_handed_back(void **state)
{
    struct world *world = *state;
    struct stop stopped;
    int kinds[8] = {-1, -1, -1, -1, -1, -1, -1, -1};

    world->errands->options.http_per_host = 2;
    start_hanging(world, 1);
    stopped = start_hanging(world, 2);
    for (int fence = 3; fence <= 4; fence++) {
        struct task *task = world_task(world, "/hang", "");

        task->work.run.fence = fence;
        calls_start(world->errands->calls, task);
    }
    calls_stop(world->errands->calls, &stopped);
    errands_close(world->errands);
    errands_wait_closed(world->errands);
    assert_int_equal(world->errands->told_count, 4);
    for (int i = 0; i < 4; i++)
        kinds[world->errands->told[i]->report.fence] =
            (int)world->errands->told[i]->report.kind;
    assert_int_equal(kinds[1], REPORT_LOST);
    assert_int_equal(kinds[2], REPORT_DONE); /* cancelled, as it was asked to be */
    assert_int_equal(kinds[3], REPORT_RELEASE);
    assert_int_equal(kinds[4], REPORT_RELEASE);
}

static void many_errands_are_told_of_once_each(void **state)
{
    enum { MANY = 200 };
    struct world *world = *state;
    bool is_told[MANY] = {false};

    world->errands->options.http = MANY;
    for (int i = 0; i < MANY; i++) {
        struct task *task = world_task(world, "/", "");

        task->work.run.slot += i * SPAN_S;
        calls_start(world->errands->calls, task);
    }
    assert_int_equal(calls_count(world->errands->calls, LANE_HTTP), MANY);
    errands_wait(world->errands, MANY);
    for (int i = 0; i < MANY; i++) {
        const struct report *report = &world->errands->told[i]->report;
        int64_t n = (report->run.slot_ms - INT64_C(1790000000000)) / 1000;

        assert_in_range(n, 0, MANY - 1);
        assert_false(is_told[n]);
        is_told[n] = true;
        assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    }
    assert_int_equal(world->server.seen_count, MANY);
}

static void an_action_that_cannot_be_carried_out_fails_with_the_reason(void **state)
{
    static const char *const actions[] = {
        "",
        "{",
        "{\"type\":\"http\"}",
        "{\"type\":\"queue\",\"queue\":\"q\"}",
        "{\"type\":\"http\",\"url\":\"http://h/${what}\"}",
    };
    struct world *world = *state;

    errands_open(world->errands);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        world_assert_end(world,
                         world_run(world, errands_task(world->errands, LANE_HTTP, actions[i])),
                         OUTCOME_FAILED, "bad_action", false);
}

static const struct settings *their_settings(void *with, int64_t namespace)
{
    return namespace == 1 ? with : NULL;
}

static void private_networks_are_the_namespaces_matter_then_the_configurations(void **state)
{
    struct settings settings = {0};
    struct calls calls = {.options = {.settings = their_settings, .with = &settings}};
    struct task task = {.work.namespace = 1};
    const struct errand errand = {.calls = &calls, .task = &task};

    (void)state;
    for (int i = 0; i < 16; i++) {
        bool is_set = i & 1, is_known = i & 8;

        settings.has_allows_private = is_set;
        settings.allows_private = i & 2;
        calls.options.allow_private = i & 4;
        task.work.namespace = is_known ? 1 : 2;
        assert_int_equal(errand_guard(&errand).allows_private,
                         is_known && is_set ? (i & 2) != 0 : (i & 4) != 0);
        assert_false(errand_guard(&errand).allows_loopback);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_report_names_the_run_and_the_fence, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(nothing_is_told_from_within_a_function_that_was_called,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_task_that_comes_too_late_is_handed_back, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(a_task_whose_time_ends_in_the_queue_is_handed_back,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(no_more_are_called_at_a_time_than_the_limits_say,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_stop_ends_a_call_as_cancelled, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(a_stop_for_another_fence_or_run_does_nothing,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(nothing_is_told_of_a_call_that_was_terminated,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(
            at_the_end_what_was_sent_is_lost_and_the_rest_is_handed_back, world_begin,
            world_end),
        cmocka_unit_test(private_networks_are_the_namespaces_matter_then_the_configurations),
        cmocka_unit_test_setup_teardown(many_errands_are_told_of_once_each, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(
            an_action_that_cannot_be_carried_out_fails_with_the_reason, world_begin, world_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
