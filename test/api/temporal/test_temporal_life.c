/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of Temporal's API as time passes: counters, actions, closing, catch-up.
 */
#include "temporal.h"

static void missed_catchup_window_counts_only_slots_outside_the_window(void **state)
{
    Temporal__Duration window = TEMPORAL__DURATION__INIT;

    (void)state;
    make_request("s");
    window.seconds = 10;
    sent.policies.catchup_window = &window;
    assert_int_equal(create(), 200);
    world.now += 2 * SPAN_DAY; /* the server was down at 12:00 on two days */
    pass_time(0);
    assert_int_equal(described("s")->info->missed_catchup_window, 2);
    sent.patch.pause = proto_text("p");
    assert_int_equal(patch("s"), 200);
    pass_time(3 * SPAN_DAY);
    sent.patch.pause = proto_text("");
    sent.patch.unpause = proto_text("u");
    assert_int_equal(patch("s"), 200);
    pass_time(SPAN_H);
    assert_int_equal(described("s")->info->missed_catchup_window, 2);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.missed", "5");
}

static void the_id_of_a_schedule_that_closed_is_free(void **state)
{
    (void)state;
    make_request("s");
    sent.state.limited_actions = true; /* and 0 remain */
    assert_int_equal(create(), 200);
    sent.create.request_id = proto_text("too early");
    assert_int_equal(create(), 409);
    pass_time(8 * SPAN_DAY);
    assert_int_equal(call_method("DescribeSchedule", &sent.create.base), 404);
    sent.state.limited_actions = false;
    sent.create.request_id = proto_text("later");
    assert_int_equal(create(), 200);
    assert_false(described("s")->schedule->state->limited_actions);
    assert_int_equal(create(), 200); /* the same request again */
    sent.create.request_id = proto_text("another");
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
    make_request("s");
    sent.spec.timezone_name = proto_text("Europe/Berlin");
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

    request.namespace_ = proto_text("default");
    assert_int_equal(call_method("ListSchedules", &request.base), 200);
    return unpack_answer(&temporal__list_schedules_response__descriptor);
}

/* The slot of the 6th at 12:00 is a holiday, that of the 7th is cancelled. */
static void a_list_omits_excluded_and_cancelled_times(void **state)
{
    const Temporal__ScheduleListInfo *info;

    (void)state;
    assert_int_equal(
        ask("PUT /api/v1/calendars/holidays", NULL, js("{'dates':['2026-01-06']}")), 201);
    make_request("s");
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

static void a_backfill_of_future_times_runs_at_once(void **state)
{
    Temporal__BackfillRequest request = TEMPORAL__BACKFILL_REQUEST__INIT, *list[] = {&request};
    Temporal__Timestamp from = TEMPORAL__TIMESTAMP__INIT, until = TEMPORAL__TIMESTAMP__INIT;
    const Temporal__ScheduleInfo *info;
    char path[128];

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    from.seconds = 1769947200; /* 2026-02-01T12:00:00Z, itself a matching time */
    until.seconds = from.seconds + 2 * 86400;
    request.start_time = &from;
    request.end_time = &until;
    request.overlap_policy = 6; /* ALLOW_ALL */
    sent.patch.backfill_request = list;
    sent.patch.n_backfill_request = 1;
    assert_int_equal(patch("s"), 200);
    pass_time(SPAN_MIN);
    info = described("s")->info;
    assert_int_equal(info->n_running_workflows, 3);
    assert_int_equal(info->n_recent_actions, 3);
    assert_string_equal(info->recent_actions[0]->start_workflow_result->workflow_id,
                        "base-2026-02-01T12:00:00Z");
    assert_string_equal(info->recent_actions[2]->start_workflow_result->workflow_id,
                        "base-2026-02-03T12:00:00Z");
    assert_int_equal(info->future_action_times[0]->seconds, 1767614400); /* today at 12:00 */
    assert_int_equal(info->recent_actions[1]->schedule_time->seconds, from.seconds + 86400);
    assert_int_equal(get("/api/v1/runs?schedule=s&state=open"), 200);
    snprintf(path, sizeof path, "/api/v1/runs/%s/terminate", text_at("runs.1.id").ptr);
    assert_int_equal(post(path, "") / 100, 2);
    pass_time(0);
    info = described("s")->info;
    assert_int_equal(info->n_running_workflows, 2);
    for (int i = 0; i < 3; i++) /* an ended run keeps the time of its slot */
        assert_true(info->recent_actions[i]->schedule_time->seconds >= from.seconds);
}

static int64_t counted(const char *query)
{
    Temporal__CountSchedulesRequest request = TEMPORAL__COUNT_SCHEDULES_REQUEST__INIT;
    const Temporal__CountSchedulesResponse *got;

    request.namespace_ = proto_text("default");
    request.query = proto_text(query);
    if (call_method("CountSchedules", &request.base) != 200)
        fail_msg("%s: %s", query, field("grpc-message"));
    got = unpack_answer(&temporal__count_schedules_response__descriptor);
    return got->count;
}

static void counts_without_and_with_a_query_agree(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        make_request((const char *[]){"s0", "s1", "s2"}[i]);
        sent.create.request_id = proto_text((const char *[]){"r0", "r1", "r2"}[i]);
        sent.state.paused = i == 0;
        sent.state.limited_actions = i == 1;
        assert_int_equal(create(), 200);
    }
    assert_int_equal(ask("POST /api/v1/schedules", NULL,
                         js("{'id':'n','spec':{'cron':['0 0 * * *']},"
                            "'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_int_equal(counted(""), 3);
    assert_int_equal(counted("  "), 3);
    assert_int_equal(counted("TemporalSchedulePaused = false"), 2);
    pass_time(8 * SPAN_DAY); /* the schedule without further actions is closed */
    assert_int_equal(counted(""), 2);
    assert_int_equal(counted("ScheduleId STARTS_WITH 's'"), 2);
}

/* Temporal checks no overlap policy: one that it does not know never waits. */
static void an_unknown_overlap_policy_is_shown_and_skips(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    sent.policies.overlap_policy = 7;
    assert_int_equal(create(), 200);
    pass_time(2 * SPAN_DAY); /* the first action is still open at the second time */
    got = described("s");
    assert_int_equal(got->schedule->policies->overlap_policy, 7);
    assert_int_equal(got->info->action_count, 1);
    assert_int_equal(got->info->buffer_size, 0);
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'policies':{'overlap':'bufferOne'}}")),
        200);
    assert_int_equal(described("s")->schedule->policies->overlap_policy, 2);
}

/* The run does not react to the cancellation, so the next starts replace each other. */
static void cancel_other_counts_no_skips(void **state)
{
    (void)state;
    make_request("s");
    sent.cron[0] = proto_text("* * * * *");
    sent.policies.overlap_policy = 4; /* CANCEL_OTHER */
    assert_int_equal(create(), 200);
    pass_time(61 * SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['reports'],'worker':'w'}")),
                     200);
    pass_time(5 * SPAN_MIN);
    assert_int_equal(described("s")->info->overlap_skipped, 0);
    sent.policies.overlap_policy = 1; /* SKIP */
    assert_int_equal(update("s", (ProtobufCBinaryData){0, NULL}), 200);
    pass_time(5 * SPAN_MIN);
    assert_true(described("s")->info->overlap_skipped > 0);
    sent.policies.overlap_policy = 4;
    assert_int_equal(update("s", (ProtobufCBinaryData){0, NULL}), 200);
    assert_int_equal(described("s")->info->overlap_skipped, 0);
}

static void remaining_actions_are_kept_while_not_limited(void **state)
{
    const Temporal__ScheduleState *got;

    (void)state;
    make_request("s");
    sent.state.remaining_actions = 5;
    assert_int_equal(create(), 200);
    pass_time(SPAN_DAY); /* an action that is not counted */
    got = described("s")->schedule->state;
    assert_false(got->limited_actions);
    assert_int_equal(got->remaining_actions, 5);
}

static void remaining_actions_are_not_negative(void **state)
{
    (void)state;
    make_request("s");
    sent.state.remaining_actions = -3;
    assert_int_equal(create(), 200); /* it counts only while actions are limited */
    make_request("t");
    sent.state.limited_actions = true;
    sent.state.remaining_actions = -3;
    create();
    assert_grpc_error(400, "3", "RemainingActions is negative");
}

static void the_zone_local_is_utc(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    sent.spec.timezone_name = proto_text("Local");
    assert_int_equal(create(), 200);
    got = described("s");
    assert_string_equal(got->schedule->spec->timezone_name, "Local");
    assert_int_equal(got->info->future_action_times[0]->seconds, 1767614400); /* 12:00Z */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(missed_catchup_window_counts_only_slots_outside_the_window),
        API_TEST(the_id_of_a_schedule_that_closed_is_free),
        API_TEST(a_schedule_whose_zone_is_gone_is_shown_without_times),
        API_TEST(a_list_omits_excluded_and_cancelled_times),
        API_TEST(a_backfill_of_future_times_runs_at_once),
        API_TEST(counts_without_and_with_a_query_agree),
        API_TEST(an_unknown_overlap_policy_is_shown_and_skips),
        API_TEST(cancel_other_counts_no_skips),
        API_TEST(remaining_actions_are_kept_while_not_limited),
        API_TEST(remaining_actions_are_not_negative),
        API_TEST(the_zone_local_is_utc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
