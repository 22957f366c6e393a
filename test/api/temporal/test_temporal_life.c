/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of Temporal's API as time passes: counters, actions, closing, catch-up.
 */
#include "temporal.h"

static void only_what_the_window_missed_is_counted_as_that(void **state)
{
    Temporal__Duration window = TEMPORAL__DURATION__INIT;

    (void)state;
    reset("s");
    window.seconds = 10;
    asked.policies.catchup_window = &window;
    assert_int_equal(create(), 200);
    world.now += 2 * SPAN_DAY; /* the server was down at 12:00 on two days */
    pass(0);
    assert_int_equal(described("s")->info->missed_catchup_window, 2);
    asked.patch.pause = word("p");
    assert_int_equal(patch("s"), 200);
    pass(3 * SPAN_DAY);
    asked.patch.pause = word("");
    asked.patch.unpause = word("u");
    assert_int_equal(patch("s"), 200);
    pass(SPAN_H);
    assert_int_equal(described("s")->info->missed_catchup_window, 2);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.counters.missed", "5");
}

static void the_id_of_a_schedule_that_closed_is_free(void **state)
{
    (void)state;
    reset("s");
    asked.state.limited_actions = true; /* and 0 remain */
    assert_int_equal(create(), 200);
    asked.create.request_id = word("too early");
    assert_int_equal(create(), 409);
    pass(8 * SPAN_DAY);
    assert_int_equal(say("DescribeSchedule", &asked.create.base), 404);
    asked.state.limited_actions = false;
    asked.create.request_id = word("later");
    assert_int_equal(create(), 200);
    assert_false(described("s")->schedule->state->limited_actions);
    assert_int_equal(create(), 200); /* the same request again */
    asked.create.request_id = word("another");
    assert_int_equal(create(), 409);
}

static const struct tz *find_none(void *user, struct str name, struct err *reterr)
{
    (void)user;
    err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no zone `%.*s`", STR_ARG(name));
    return NULL;
}

static void a_schedule_whose_zone_is_gone_is_shown_without_times(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    reset("s");
    asked.spec.timezone_name = word("Europe/Berlin");
    assert_int_equal(create(), 200);
    assert_int_equal(described("s")->info->n_future_action_times, 10);
    world.context.zones.find = find_none;
    got = described("s");
    assert_int_equal(got->info->n_future_action_times, 0);
    assert_string_equal(got->schedule->spec->timezone_name, "Europe/Berlin");
    assert_int_equal(got->schedule->policies->overlap_policy, 1);
}

static Temporal__ListSchedulesResponse *listed(void)
{
    Temporal__ListSchedulesRequest request = TEMPORAL__LIST_SCHEDULES_REQUEST__INIT;

    request.namespace_ = word("default");
    assert_int_equal(say("ListSchedules", &request.base), 200);
    return answer(&temporal__list_schedules_response__descriptor);
}

/* The slot of the 6th at 12:00 is a holiday, that of the 7th is cancelled. */
static void a_list_has_the_times_that_will_be(void **state)
{
    const Temporal__ScheduleListInfo *info;

    (void)state;
    assert_int_equal(
        ask("PUT /api/v1/calendars/holidays", NULL, js("{'dates':['2026-01-06']}")), 201);
    reset("s");
    assert_int_equal(create(), 200);
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL,
                         js("{'spec':{'exclude':{'named':['holidays']}}}")),
                     200);
    assert_int_equal(
        ask("PUT /api/v1/schedules/s/exceptions/2026-01-07T12:00:00Z", NULL, NULL) / 100, 2);
    info = listed()->schedules[0]->info;
    assert_int_equal(info->n_future_action_times, 5);
    assert_int_equal(info->future_action_times[0]->seconds, 1767614400); /* the 5th, 12:00 */
    assert_int_equal(info->future_action_times[1]->seconds, 1767614400 + 3 * 86400);
}

static void a_backfill_may_lie_ahead_and_runs_at_once(void **state)
{
    Temporal__BackfillRequest request = TEMPORAL__BACKFILL_REQUEST__INIT, *list[] = {&request};
    Temporal__Timestamp from = TEMPORAL__TIMESTAMP__INIT, until = TEMPORAL__TIMESTAMP__INIT;
    const Temporal__ScheduleInfo *info;

    (void)state;
    reset("s");
    assert_int_equal(create(), 200);
    from.seconds = 1769947200; /* 2026-02-01T12:00:00Z, itself a matching time */
    until.seconds = from.seconds + 2 * 86400;
    request.start_time = &from;
    request.end_time = &until;
    request.overlap_policy = 6; /* ALLOW_ALL */
    asked.patch.backfill_request = list;
    asked.patch.n_backfill_request = 1;
    assert_int_equal(patch("s"), 200);
    pass(SPAN_MIN);
    info = described("s")->info;
    assert_int_equal(info->n_running_workflows, 3);
    assert_int_equal(info->n_recent_actions, 3);
    assert_string_equal(info->recent_actions[0]->start_workflow_result->workflow_id,
                        "base-2026-02-01T12:00:00Z");
    assert_string_equal(info->recent_actions[2]->start_workflow_result->workflow_id,
                        "base-2026-02-03T12:00:00Z");
    assert_int_equal(info->future_action_times[0]->seconds, 1767614400); /* today at 12:00 */
}

static int64_t counted(const char *query)
{
    Temporal__CountSchedulesRequest request = TEMPORAL__COUNT_SCHEDULES_REQUEST__INIT;
    const Temporal__CountSchedulesResponse *got;

    request.namespace_ = word("default");
    request.query = word(query);
    if (say("CountSchedules", &request.base) != 200)
        fail_msg("%s: %s", query, field("grpc-message"));
    got = answer(&temporal__count_schedules_response__descriptor);
    return got->count;
}

static void all_are_counted_as_those_that_a_query_finds(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        reset((const char *[]){"s0", "s1", "s2"}[i]);
        asked.create.request_id = word((const char *[]){"r0", "r1", "r2"}[i]);
        asked.state.paused = i == 0;
        asked.state.limited_actions = i == 1;
        assert_int_equal(create(), 200);
    }
    assert_int_equal(ask("POST /api/v1/schedules", NULL,
                         js("{'id':'n','spec':{'cron':['0 0 * * *']},"
                            "'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_int_equal(counted(""), 3);
    assert_int_equal(counted("  "), 3);
    assert_int_equal(counted("TemporalSchedulePaused = false"), 2);
    pass(8 * SPAN_DAY); /* the schedule without further actions is closed */
    assert_int_equal(counted(""), 2);
    assert_int_equal(counted("ScheduleId STARTS_WITH 's'"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(only_what_the_window_missed_is_counted_as_that),
        SERVED(the_id_of_a_schedule_that_closed_is_free),
        SERVED(a_schedule_whose_zone_is_gone_is_shown_without_times),
        SERVED(a_list_has_the_times_that_will_be),
        SERVED(a_backfill_may_lie_ahead_and_runs_at_once),
        SERVED(all_are_counted_as_those_that_a_query_finds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
