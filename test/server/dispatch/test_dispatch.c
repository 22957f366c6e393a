/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests dispatches from start to report, however they end: by themselves, by a stop, too late,
 * or with the server.
 */
#include "http_world.h"
#include "io/clock.h"

/* Starts a request that the server has seen and does not answer. */
static struct stop start_hanging(struct world *world, int64_t fence)
{
    struct dispatch_order *order = world_order(world, "/hang", "");
    struct stop stop;
    int seen = world->server.seen_count;

    world_script(world, "/hang", STR("H"), BAD_STAYS);
    order->assignment.run.fence = fence;
    stop = fixture_stop_of(order);
    dispatcher_start(world->fixture->dispatcher, order);
    world_wait_seen(world, seen + 1);
    return stop;
}

static void a_report_names_the_run_and_the_fence(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = world_order(world, "/", "");
    const struct report *report;

    order->assignment.run.pass = 3;
    report = world_run(world, order);
    assert_int_equal(report->run.schedule, 42);
    assert_int_equal(report->run.slot_ms, INT64_C(1790000000000));
    assert_int_equal(report->run.pass, 3);
    assert_int_equal(report->fence, 7);
    assert_int_equal(dispatcher_count(world->fixture->dispatcher, LANE_HTTP), 0);
}

static void no_report_arrives_during_a_call_of_the_dispatcher(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = world_order(world, "/", "");

    order->assignment.deadline = order->now; /* no time left at the start */
    dispatcher_start(world->fixture->dispatcher, order);
    assert_int_equal(world->fixture->report_count, 0);
    assert_int_equal(fixture_wait(world->fixture, 1)->outcome, OUTCOME_TIMED_OUT);
}

static void an_order_after_its_send_deadline_is_released(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = world_order(world, "/", "");

    order->send_by_us = clock_boot_us();
    assert_int_equal(world_run(world, order)->kind, REPORT_RELEASE);
    assert_int_equal(world->server.connections, 0);
}

static void an_order_whose_send_deadline_passes_in_the_queue_is_released(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order;

    world->fixture->options.http_per_host = 1;
    start_hanging(world, 1);
    order = world_order(world, "/late", "");
    order->send_by_us = clock_boot_us() + 20 * SPAN_MS;
    assert_int_equal(world_run(world, order)->kind, REPORT_RELEASE);
    assert_int_equal(world->server.seen_count, 1);
}

static void concurrent_requests_are_limited(void **state)
{
    struct world *world = *state;
    struct stop stops[4];

    world->fixture->options.http = 3;
    world->fixture->options.http_per_host = 2;
    for (int i = 0; i < 2; i++)
        stops[i] = start_hanging(world, i);
    for (int i = 2; i < 4; i++) {
        struct dispatch_order *order = world_order(world, "/hang", "");

        order->assignment.run.fence = i;
        stops[i] = fixture_stop_of(order);
        dispatcher_start(world->fixture->dispatcher, order);
    }
    assert_int_equal(dispatcher_count(world->fixture->dispatcher, LANE_HTTP), 4);
    assert_int_equal(dispatcher_count(world->fixture->dispatcher, LANE_EXEC), 0);
    dispatcher_stop(world->fixture->dispatcher, &stops[0]);
    world_wait_seen(world, 3);
    assert_int_equal(world->server.open_most, 2);
    for (int i = 1; i < 4; i++)
        dispatcher_stop(world->fixture->dispatcher, &stops[i]);
    fixture_wait(world->fixture, 4);
    assert_int_equal(dispatcher_count(world->fixture->dispatcher, LANE_HTTP), 0);
}

static void a_stop_ends_a_request_as_cancelled(void **state)
{
    struct world *world = *state;
    struct stop stop = start_hanging(world, 7);
    const struct report *report;

    dispatcher_stop(world->fixture->dispatcher, &stop);
    dispatcher_stop(world->fixture->dispatcher, &stop);
    assert_int_equal(world->fixture->report_count, 0);
    report = fixture_wait(world->fixture, 1);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    dispatcher_stop(world->fixture->dispatcher, &stop); /* already ended */
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
        dispatcher_stop(world->fixture->dispatcher, &wrong[i]);
    assert_int_equal(dispatcher_count(world->fixture->dispatcher, LANE_HTTP), 1);
    dispatcher_stop(world->fixture->dispatcher, &right);
    assert_int_equal(fixture_wait(world->fixture, 1)->outcome, OUTCOME_CANCELLED);
}

static void a_terminated_dispatch_sends_no_report(void **state)
{
    struct world *world = *state;
    struct stop gone = start_hanging(world, 1), both = start_hanging(world, 2);
    struct stop other = start_hanging(world, 3);

    dispatcher_stop(world->fixture->dispatcher, &both); /* first stopped, then terminated */
    gone.is_terminated = both.is_terminated = true;
    dispatcher_stop(world->fixture->dispatcher, &gone);
    dispatcher_stop(world->fixture->dispatcher, &both);
    dispatcher_stop(world->fixture->dispatcher, &other);
    assert_int_equal(fixture_wait(world->fixture, 1)->fence, 3);
    while (dispatcher_count(world->fixture->dispatcher, LANE_HTTP) > 0)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    assert_int_equal(world->fixture->report_count, 1);
}

static void closing_reports_sent_requests_as_lost_and_releases_the_rest(void **state)
{
    struct world *world = *state;
    struct stop stopped;
    int kinds[8] = {-1, -1, -1, -1, -1, -1, -1, -1};

    world->fixture->options.http_per_host = 2;
    start_hanging(world, 1);
    stopped = start_hanging(world, 2);
    for (int fence = 3; fence <= 4; fence++) {
        struct dispatch_order *order = world_order(world, "/hang", "");

        order->assignment.run.fence = fence;
        dispatcher_start(world->fixture->dispatcher, order);
    }
    dispatcher_stop(world->fixture->dispatcher, &stopped);
    fixture_close(world->fixture);
    fixture_wait_closed(world->fixture);
    assert_int_equal(world->fixture->report_count, 4);
    for (int i = 0; i < 4; i++)
        kinds[world->fixture->reports[i]->report.fence] =
            (int)world->fixture->reports[i]->report.kind;
    assert_int_equal(kinds[1], REPORT_LOST);
    assert_int_equal(kinds[2], REPORT_DONE); /* cancelled by the stop */
    assert_int_equal(kinds[3], REPORT_RELEASE);
    assert_int_equal(kinds[4], REPORT_RELEASE);
}

static void each_dispatch_is_reported_once(void **state)
{
    enum { MANY = 200 };
    struct world *world = *state;
    bool is_reported[MANY] = {false};

    world->fixture->options.http = MANY;
    for (int i = 0; i < MANY; i++) {
        struct dispatch_order *order = world_order(world, "/", "");

        order->assignment.run.slot += i * SPAN_S;
        dispatcher_start(world->fixture->dispatcher, order);
    }
    assert_int_equal(dispatcher_count(world->fixture->dispatcher, LANE_HTTP), MANY);
    fixture_wait(world->fixture, MANY);
    for (int i = 0; i < MANY; i++) {
        const struct report *report = &world->fixture->reports[i]->report;
        int64_t n = (report->run.slot_ms - INT64_C(1790000000000)) / 1000;

        assert_in_range(n, 0, MANY - 1);
        assert_false(is_reported[n]);
        is_reported[n] = true;
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

    fixture_open(world->fixture);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        world_assert_end(world,
                         world_run(world, fixture_order(world->fixture, LANE_HTTP, actions[i])),
                         OUTCOME_FAILED, "bad_action", false);
}

static const struct dispatch_settings *find_settings(void *arg, int64_t namespace)
{
    return namespace == 1 ? arg : NULL;
}

static void the_namespace_overrides_the_setting_for_private_networks(void **state)
{
    static const struct {
        int64_t namespace; /* only 1 has settings */
        bool is_set, is_allowed_there, is_allowed_by_default, is_allowed;
    } cases[] = {
        {1, true, true, false, true},   {1, true, false, true, false},
        {1, false, true, false, false}, {1, false, false, true, true},
        {2, true, true, false, false},  {2, true, false, true, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dispatch_settings settings = {
            .plain = {.has_allows_private = cases[i].is_set,
                      .allows_private = cases[i].is_allowed_there}};
        struct dispatcher dispatcher = {
            .options = {.settings = find_settings,
                        .arg = &settings,
                        .allow_private = cases[i].is_allowed_by_default}};
        struct dispatch_order order = {.assignment.namespace = cases[i].namespace};
        const struct dispatch dispatch = {.dispatcher = &dispatcher, .order = &order};

        assert_int_equal(dispatch_address_policy(&dispatch).allows_private,
                         cases[i].is_allowed);
        assert_false(dispatch_address_policy(&dispatch).allows_loopback);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_report_names_the_run_and_the_fence, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(no_report_arrives_during_a_call_of_the_dispatcher,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(an_order_after_its_send_deadline_is_released,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(
            an_order_whose_send_deadline_passes_in_the_queue_is_released, world_begin,
            world_end),
        cmocka_unit_test_setup_teardown(concurrent_requests_are_limited, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(a_stop_ends_a_request_as_cancelled, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(a_stop_for_another_fence_or_run_does_nothing,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_terminated_dispatch_sends_no_report, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(
            closing_reports_sent_requests_as_lost_and_releases_the_rest, world_begin,
            world_end),
        cmocka_unit_test(the_namespace_overrides_the_setting_for_private_networks),
        cmocka_unit_test_setup_teardown(each_dispatch_is_reported_once, world_begin, world_end),
        cmocka_unit_test_setup_teardown(
            an_action_that_cannot_be_carried_out_fails_with_the_reason, world_begin, world_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
