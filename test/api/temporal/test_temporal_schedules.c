/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporal's calls: every refusal, and what the tests with its client (test/clients/temporal)
 * cannot check.
 */
#include "temporal.h"

/* ---- refusals of create, with the texts of Temporal's server ---- */

static void missing_fields_are_refused(void **state)
{
    (void)state;
    make_request("s");
    sent.create.namespace_ = proto_text("");
    create();
    assert_grpc_error(400, "3", "Namespace is empty.");
    make_request("");
    create();
    assert_grpc_error(400, "3", "schedule_id");
    make_request("s");
    sent.create.request_id = proto_text("");
    create();
    assert_grpc_error(400, "3", "RequestId is not set on request.");
    make_request("s");
    sent.workflow.workflow_type = NULL;
    create();
    assert_grpc_error(400, "3", "WorkflowType is not set on request.");
    make_request("s");
    sent.workflow.task_queue = NULL;
    create();
    assert_grpc_error(400, "3", "taskQueue is not set");
    make_request("s");
    sent.queue.name = proto_text("");
    create();
    assert_grpc_error(400, "3", "missing task queue name");
    make_request("s");
    sent.queue.name = proto_text("/_sys/x");
    create();
    assert_grpc_error(400, "3", "task queue name cannot start with reserved prefix /_sys/");
    make_request("s");
    sent.schedule.action = NULL;
    create();
    assert_grpc_error(400, "3", "Only StartWorkflow action is supported for schedules");
    make_request("s");
    sent.create.schedule = NULL;
    create();
    assert_grpc_error(400, "3", "Only StartWorkflow action is supported for schedules");
}

static void fields_that_schedules_may_not_have_are_refused(void **state)
{
    Temporal__Duration before = TEMPORAL__DURATION__INIT;

    (void)state;
    make_request("s");
    sent.workflow.cron_schedule = proto_text("* * * * *");
    create();
    assert_grpc_error(400, "3", "Scheduled workflow must not contain CronSchedule");
    make_request("s");
    sent.workflow.workflow_id_reuse_policy = 3;
    create();
    assert_grpc_error(400, "3", "Scheduled workflow must not contain WorkflowIDReusePolicy");
    make_request("s");
    before.seconds = -1;
    sent.workflow.workflow_run_timeout = &before;
    create();
    assert_grpc_error(400, "3",
                      "An invalid WorkflowRunTimeoutSeconds is set on request. "
                      "cause: negative duration");
}

static void too_long_fields_are_permanent_errors(void **state)
{
    static char text[1200];

    (void)state;
    memset(text, 'x', 1001);
    make_request("s");
    sent.create.request_id = text;
    create();
    assert_grpc_error(400, "3", "RequestId length exceeds limit.");
    make_request(text);
    create();
    assert_grpc_error(400, "3", "WorkflowId exceeds maximum allowed length (1024/1000)");
    make_request("s"); /* test/e2e/test_limits.c has the other names */
    sent.type.name = text;
    create();
    assert_grpc_error(400, "3", "WorkflowType length exceeds limit.");
    make_request("s");
    sent.create.initial_patch = &sent.patch;
    sent.patch.pause = text;
    create();
    assert_grpc_error(400, "3", "Schedule notes exceeds limit.");
    make_request("s");
    sent.state.notes = text;
    create();
    assert_grpc_error(400, "3", "Schedule notes exceeds limit.");
    make_request("s");
    assert_int_equal(create(), 200);
    sent.state.notes = text;
    update("s", (ProtobufCBinaryData){0, NULL});
    assert_grpc_error(400, "3", "Schedule notes exceeds limit.");
}

static void the_error_for_an_invalid_spec_begins_as_in_temporal(void **state)
{
    uint8_t data[] = {1};

    (void)state;
    make_request("s");
    sent.cron[0] = proto_text("61 * * * *");
    create();
    assert_grpc_error(400, "3", "Invalid schedule spec: spec.cronString[0]: ");
    make_request("s");
    sent.spec.timezone_name = proto_text("No/Where");
    create();
    assert_grpc_error(400, "3", "Invalid schedule spec: ");
    make_request("s");
    sent.spec.timezone_data = (ProtobufCBinaryData){1, data};
    create();
    assert_grpc_error(400, "3", "Invalid schedule spec: spec.timezoneData: ");
}

static void an_invalid_message_is_refused(void **state)
{
    (void)state;
    assert_int_equal(ask_rpc(SERVICE "CreateSchedule", STR("\n\007default\022\377")), 400);
    assert_string_equal(field("grpc-status"), "3");
    assert_int_equal(
        ask_rpc(SERVICE "DescribeSchedule", (struct str){"\n\007default\022\003a\0b", 14}),
        400);
    assert_grpc_error(400, "3", "schedule_id: contains a NUL");
}

/* ---- what is stored ---- */

static void the_spec_is_shown_in_canonical_form(void **state)
{
    const Temporal__StructuredCalendarSpec *calendar;
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    got = described("s");
    assert_int_equal(got->schedule->spec->n_cron_string, 0);
    assert_int_equal(got->schedule->spec->n_structured_calendar, 1);
    calendar = got->schedule->spec->structured_calendar[0];
    assert_int_equal(calendar->hour[0]->start, 12);
    assert_int_equal(calendar->hour[0]->end, 12);
    assert_int_equal(calendar->hour[0]->step, 1);
    assert_int_equal(calendar->n_year, 0);
    assert_int_equal(got->schedule->policies->overlap_policy, 1);
    assert_int_equal(got->schedule->policies->catchup_window->seconds, 365 * 86400);
    assert_int_equal(got->info->n_future_action_times, 10);
    /* It is Monday, ten o'clock. */
    assert_int_equal(got->info->future_action_times[0]->seconds, world.now / SPAN_S + 7200);
    assert_null(got->info->update_time);
    assert_int_equal(got->conflict_token.len, 8);
    assert_int_equal(got->conflict_token.data[0], 1);
}

static void short_catch_up_windows_are_ten_seconds_and_none_is_a_year(void **state)
{
    static const struct {
        int64_t seconds, expected;
    } list[] = {{0, 365 * 86400}, {-5, 365 * 86400}, {3, 10}, {10, 10}, {60, 60}};

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        Temporal__Duration window = TEMPORAL__DURATION__INIT;
        const char *id = js("s%zu", i);

        make_request(id);
        window.seconds = list[i].seconds;
        sent.policies.catchup_window = &window;
        assert_int_equal(create(), 200);
        assert_int_equal(described(id)->schedule->policies->catchup_window->seconds,
                         list[i].expected);
    }
}

static void the_native_api_shows_a_temporal_schedule(void **state)
{
    (void)state;
    make_request("s");
    sent.state.limited_actions = true;
    sent.state.remaining_actions = 3;
    assert_int_equal(create(), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.dialect", "'temporal'");
    assert_json("action.type", "'workflow'");
    assert_json("action.name", "'report'");
    assert_json("action.workflowId", "'base'");
    assert_json("action.queue", "'reports'");
    assert_json("policies.overlap", "'skip'");
    assert_json("policies.catchup",
                "{'mode':'all','window':'365d','whilePaused':false,'whenFull':'drop',"
                "'expires':'starting'}");
    assert_json("policies.remainingRuns", "3");
    assert_json("spec.dst", "'literal'");
    assert_json("state.nextAt", "'2026-01-05T12:00:00.000Z'");
}

/* Durations in messages have nanoseconds and any size; policies have whole milliseconds. */
static void policies_are_kept_within_their_bounds(void **state)
{
    Temporal__Duration window = TEMPORAL__DURATION__INIT, wait = TEMPORAL__DURATION__INIT;
    Temporal__Duration most = TEMPORAL__DURATION__INIT;
    Temporal__RetryPolicy retry = TEMPORAL__RETRY_POLICY__INIT;

    (void)state;
    make_request("s");
    window.seconds = 60;
    window.nanos = 1500000;
    wait.nanos = 2750000;
    most.seconds = INT64_C(315576000000);
    retry.initial_interval = &wait;
    retry.maximum_interval = &most;
    retry.maximum_attempts = 5000;
    sent.policies.catchup_window = &window;
    sent.workflow.retry_policy = &retry;
    assert_int_equal(create(), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("policies.catchup.window", "'1m1ms'");
    assert_json("policies.retry", "{'attempts':1000,'backoff':'exponential','delay':'2ms',"
                                  "'max':'366d','jitter':'0s'}");
}

/* After an edit with another API, clients see the new spec; the rest is unchanged. */
static void an_edit_by_the_native_api_is_seen(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL,
                         js("{'spec':{'cron':null,'calendars':null,"
                            "'intervals':[{'every':'15m'}],'timezone':'Europe/Berlin'}}")),
                     200);
    got = described("s");
    assert_int_equal(got->schedule->spec->n_structured_calendar, 0);
    assert_int_equal(got->schedule->spec->n_interval, 1);
    assert_int_equal(got->schedule->spec->interval[0]->interval->seconds, 900);
    assert_string_equal(got->schedule->spec->timezone_name, "Europe/Berlin");
    assert_string_equal(got->schedule->action->start_workflow->workflow_type->name, "report");
    assert_int_equal(got->conflict_token.data[0], 2);
}

/* ---- state ---- */

static void a_note_needs_no_pause(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    sent.state.notes = proto_text("made");
    assert_int_equal(create(), 200);
    assert_string_equal(described("s")->schedule->state->notes, "made");
    sent.patch.unpause = proto_text("no pause");
    assert_int_equal(patch("s"), 200);
    got = described("s");
    assert_false(got->schedule->state->paused);
    assert_string_equal(got->schedule->state->notes, "no pause");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.pausedReason", "null");
    sent.patch.pause = proto_text("both");
    assert_int_equal(patch("s"), 200); /* unpause wins over pause */
    got = described("s");
    assert_false(got->schedule->state->paused);
    assert_string_equal(got->schedule->state->notes, "no pause");
    sent.patch.unpause = proto_text("");
    assert_int_equal(patch("s"), 200);
    got = described("s");
    assert_true(got->schedule->state->paused);
    assert_string_equal(got->schedule->state->notes, "both");
    assert_int_equal(got->info->n_future_action_times, 10); /* as if not paused */
    sent.state.notes = proto_text("");
    assert_int_equal(update("s", (ProtobufCBinaryData){0, NULL}), 200);
    got = described("s");
    assert_false(got->schedule->state->paused);
    assert_string_equal(got->schedule->state->notes, "");
}

static void a_request_without_a_patch_is_refused(void **state)
{
    Temporal__PatchScheduleRequest request = TEMPORAL__PATCH_SCHEDULE_REQUEST__INIT;

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    request.namespace_ = proto_text("default");
    request.schedule_id = proto_text("s");
    call_method("PatchSchedule", &request.base);
    assert_grpc_error(400, "3", "Patch is not set on request.");
    temporal__schedule_patch__init(&sent.patch);
    assert_int_equal(patch("s"), 200); /* an empty patch does nothing */
    assert_int_equal(described("s")->conflict_token.data[0], 1);
}

static void a_token_is_the_version_that_was_read(void **state)
{
    uint8_t one[8] = {1}, odd[3] = {1};

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    assert_int_equal(update("s", (ProtobufCBinaryData){8, one}), 200);
    update("s", (ProtobufCBinaryData){8, one});
    assert_grpc_error(412, "9", "mismatched conflict token");
    update("s", (ProtobufCBinaryData){3, odd});
    assert_grpc_error(412, "9", "mismatched conflict token");
    assert_int_equal(described("s")->conflict_token.data[0], 2);
}

/* ---- runs ---- */

/* Ends the only open run through the native API. */
static void terminate_open_run(void)
{
    assert_int_equal(get("/api/v1/runs?schedule=s&state=open"), 200);
    assert_int_equal(
        ask(js("POST /api/v1/runs/%s/terminate", text_at("runs.0.id").ptr), NULL, "{}"), 200);
}

static void runs_are_shown_with_their_ids_and_ends(void **state)
{
    const Temporal__ScheduleActionResult *recent;
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    pass_time(2 * SPAN_H);
    got = described("s");
    assert_int_equal(got->info->action_count, 1);
    assert_int_equal(got->info->n_running_workflows, 1);
    assert_int_equal(got->info->n_recent_actions, 1);
    recent = got->info->recent_actions[0];
    assert_string_equal(recent->start_workflow_result->workflow_id,
                        "base-2026-01-05T12:00:00Z");
    assert_int_equal(recent->start_workflow_status, 1);
    terminate_open_run();
    got = described("s");
    assert_int_equal(got->info->n_running_workflows, 0);
    assert_int_equal(got->info->recent_actions[0]->start_workflow_status, 5);
}

/* RFC 9562: version 8, variant 10. */
static void assert_uuid(const char *text)
{
    static const char shape[] = "xxxxxxxx-xxxx-8xxx-Vxxx-xxxxxxxxxxxx";

    assert_int_equal(strlen(text), sizeof shape - 1);
    for (size_t i = 0; i < sizeof shape - 1; i++)
        if (shape[i] == 'x')
            assert_non_null(strchr("0123456789abcdef", text[i]));
        else if (shape[i] == 'V')
            assert_non_null(strchr("89ab", text[i]));
        else
            assert_int_equal(text[i], shape[i]);
}

static void a_run_without_an_upstream_has_a_stable_uuid(void **state)
{
    const Temporal__ScheduleInfo *info;
    char first[64];

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    pass_time(2 * SPAN_H);
    info = described("s")->info;
    assert_uuid(info->running_workflows[0]->run_id);
    snprintf(first, sizeof first, "%s", info->running_workflows[0]->run_id);
    assert_string_equal(info->recent_actions[0]->start_workflow_result->run_id, first);
    terminate_open_run();
    pass_time(SPAN_DAY);
    info = described("s")->info;
    assert_string_equal(info->recent_actions[0]->start_workflow_result->run_id, first);
    assert_string_not_equal(info->recent_actions[1]->start_workflow_result->run_id, first);
}

/* A start that the upstream has not confirmed is not an action yet. */
static void runs_of_an_upstream_have_its_ids(void **state)
{
    const char started[] = "{\"workflowId\":\"w \\\"1\\\"\",\"runId\":\"r-1\",\"workflows\":1}";
    const char ended[] = "{\"result\":{\"workflowId\":\"w \\\"1\\\"\",\"runId\":\"r-1\"}}";
    const Temporal__ScheduleInfo *info;

    (void)state;
    world.upstream = "main";
    world.workflow_limit = 1;
    make_request("s");
    assert_int_equal(create(), 200);
    pass_time(2 * SPAN_H);
    assert_int_equal(world.dispatch_count, 1);
    info = described("s")->info;
    assert_int_equal(info->n_running_workflows + info->n_recent_actions, 0);
    report_dispatch(0, (struct report){.kind = REPORT_ALIVE, .progress = str_of(started)});
    info = described("s")->info;
    assert_int_equal(info->n_running_workflows, 1);
    assert_string_equal(info->running_workflows[0]->workflow_id, "w \"1\"");
    assert_string_equal(info->running_workflows[0]->run_id, "r-1");
    report_dispatch(0, (struct report){.kind = REPORT_DONE,
                                       .outcome = OUTCOME_SUCCEEDED,
                                       .result = str_of(ended)});
    info = described("s")->info;
    assert_int_equal(info->n_running_workflows, 0);
    assert_int_equal(info->n_recent_actions, 1);
    assert_string_equal(info->recent_actions[0]->start_workflow_result->workflow_id, "w \"1\"");
    assert_string_equal(info->recent_actions[0]->start_workflow_result->run_id, "r-1");
}

static void a_trigger_may_choose_its_time(void **state)
{
    const Temporal__ScheduleActionResult *recent;
    Temporal__TriggerImmediatelyRequest trigger = TEMPORAL__TRIGGER_IMMEDIATELY_REQUEST__INIT;
    Temporal__Timestamp time = TEMPORAL__TIMESTAMP__INIT;

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    time.seconds = 1767225600; /* 2026-01-01T00:00:00Z */
    trigger.scheduled_time = &time;
    sent.patch.trigger_immediately = &trigger;
    assert_int_equal(patch("s"), 200);
    recent = described("s")->info->recent_actions[0];
    assert_string_equal(recent->start_workflow_result->workflow_id,
                        "base-2026-01-01T00:00:00Z");
    assert_int_equal(recent->schedule_time->seconds, 1767225600);
    assert_int_equal(recent->actual_time->seconds, 1767607200); /* the 5th, 10:00 */
    terminate_open_run();
    recent = described("s")->info->recent_actions[0];
    assert_int_equal(recent->schedule_time->seconds, 1767225600);
}

/* Of twelve runs, one a day, those of the 7th to the 16th; newest last. */
static void the_last_ten_actions_and_all_that_run_are_shown(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    sent.policies.overlap_policy = 6; /* allow all */
    assert_int_equal(create(), 200);
    for (int i = 0; i < 12; i++)
        pass_time(SPAN_DAY);
    got = described("s");
    assert_int_equal(got->info->action_count, 12);
    assert_int_equal(got->info->n_running_workflows, 12);
    assert_int_equal(got->info->n_recent_actions, 10);
    assert_string_equal(got->info->recent_actions[0]->start_workflow_result->workflow_id,
                        "base-2026-01-07T12:00:00Z");
    assert_string_equal(got->info->recent_actions[9]->start_workflow_result->workflow_id,
                        "base-2026-01-16T12:00:00Z");
}

/* Runs that wait do not hide the one that runs. */
static void the_running_workflow_is_shown_however_many_wait(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    sent.policies.overlap_policy = 3; /* buffer all */
    assert_int_equal(create(), 200);
    for (int i = 0; i < 12; i++)
        pass_time(SPAN_DAY);
    got = described("s");
    assert_int_equal(got->info->n_running_workflows, 1);
    assert_int_equal(got->info->n_recent_actions, 1);
    assert_string_equal(got->info->recent_actions[0]->start_workflow_result->workflow_id,
                        "base-2026-01-05T12:00:00Z");
}

/* Claims the run that waits, and fails it until no attempt is left: ten, a minute apart. */
static void fail_run(void)
{
    char queue[64], id[64], fence[24];

    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    snprintf(queue, sizeof queue, "%s", text_at("runs.0.queue").ptr);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['%s'],'max':1}", queue)),
                         200);
        snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
        snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
        assert_int_equal(post(js("/api/v1/runs/%s/fail", id), js("{'fence':%s}", fence)), 200);
        pass_time(61 * SPAN_S);
    }
}

/* An action is a run: its attempts are not actions of their own. */
static void attempts_do_not_hide_earlier_actions(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    for (int i = 0; i < 2; i++) {
        pass_time(SPAN_DAY);
        fail_run();
    }
    got = described("s");
    assert_int_equal(got->info->n_recent_actions, 2);
    assert_string_equal(got->info->recent_actions[0]->start_workflow_result->workflow_id,
                        "base-2026-01-05T12:00:00Z");
    assert_string_equal(got->info->recent_actions[1]->start_workflow_result->workflow_id,
                        "base-2026-01-06T12:00:00Z");
}

/* Open or ended, a backfilled action has the time of its slot. */
static void a_backfilled_action_shows_its_slot(void **state)
{
    const Temporal__ScheduleActionResult *recent;

    (void)state;
    make_request("s");
    assert_int_equal(create(), 200);
    assert_int_equal(post("/api/v1/schedules/s/backfill",
                          js("{'from':'2026-01-04T00:00:00Z','to':'2026-01-05T00:00:00Z'}")) /
                         100,
                     2);
    pass_time(SPAN_S);
    recent = described("s")->info->recent_actions[0];
    assert_int_equal(recent->schedule_time->seconds, 1767528000); /* 2026-01-04T12:00:00Z */
    terminate_open_run();
    recent = described("s")->info->recent_actions[0];
    assert_int_equal(recent->start_workflow_status, 5);
    assert_int_equal(recent->schedule_time->seconds, 1767528000);
}

static const char *status_of(const char *id)
{
    assert_int_equal(get(js("/api/v1/schedules/%s", id)), 200);
    return json_at("state.status");
}

/* Runs on the day of its creation; closed a week after its last action. */
static void a_schedule_is_active_or_paused_or_closed(void **state)
{
    char run[64];

    (void)state;
    make_request("s");
    sent.state.limited_actions = true;
    sent.state.remaining_actions = 1;
    assert_int_equal(create(), 200);
    assert_string_equal(status_of("s"), "'active'");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    assert_string_equal(status_of("s"), "'paused'");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    pass_time(2 * SPAN_H);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    snprintf(run, sizeof run, "%s", text_at("runs.0.id").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", run), "{}"), 200);
    pass_time(7 * SPAN_DAY - SPAN_S);
    assert_string_equal(status_of("s"), "'active'");
    pass_time(SPAN_H);
    assert_string_equal(status_of("s"), "'closed'");
    assert_int_equal(get("/api/v1/schedules?status=closed"), 200);
    assert_json("schedules.0.id", "'s'");
    assert_int_equal(get("/api/v1/schedules?status=active"), 200);
    assert_json("schedules", "[]");
    assert_refused(post("/api/v1/schedules/s/trigger", ""), 409, "bad_state", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(missing_fields_are_refused),
        API_TEST(fields_that_schedules_may_not_have_are_refused),
        API_TEST(too_long_fields_are_permanent_errors),
        API_TEST(the_error_for_an_invalid_spec_begins_as_in_temporal),
        API_TEST(an_invalid_message_is_refused),
        API_TEST(the_spec_is_shown_in_canonical_form),
        API_TEST(short_catch_up_windows_are_ten_seconds_and_none_is_a_year),
        API_TEST(the_native_api_shows_a_temporal_schedule),
        API_TEST(policies_are_kept_within_their_bounds),
        API_TEST(an_edit_by_the_native_api_is_seen),
        API_TEST(a_note_needs_no_pause),
        API_TEST(a_request_without_a_patch_is_refused),
        API_TEST(a_token_is_the_version_that_was_read),
        API_TEST(runs_are_shown_with_their_ids_and_ends),
        API_TEST(the_last_ten_actions_and_all_that_run_are_shown),
        API_TEST(a_run_without_an_upstream_has_a_stable_uuid),
        API_TEST(runs_of_an_upstream_have_its_ids),
        API_TEST(the_running_workflow_is_shown_however_many_wait),
        API_TEST(attempts_do_not_hide_earlier_actions),
        API_TEST(a_backfilled_action_shows_its_slot),
        API_TEST(a_schedule_is_active_or_paused_or_closed),
        API_TEST(a_trigger_may_choose_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
