/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporal's calls, message by message: what its clients do not show, and every refusal.
 */
#include "temporal.h"

/* ---- refusals of create, with the texts of Temporal's server ---- */

static void what_is_missing_is_told(void **state)
{
    (void)state;
    reset("s");
    asked.create.namespace_ = word("");
    create();
    assert_words(400, "3", "Namespace not set on request.");
    reset("");
    create();
    assert_words(400, "3", "schedule_id");
    reset("s");
    asked.create.request_id = word("");
    create();
    assert_words(400, "3", "RequestId is not set on request.");
    reset("s");
    asked.workflow.workflow_type = NULL;
    create();
    assert_words(400, "3", "WorkflowType is not set on request.");
    reset("s");
    asked.workflow.task_queue = NULL;
    create();
    assert_words(400, "3", "taskQueue is not set");
    reset("s");
    asked.queue.name = word("");
    create();
    assert_words(400, "3", "missing task queue name");
    reset("s");
    asked.schedule.action = NULL;
    create();
    assert_words(400, "3", "Only StartWorkflow action is supported for schedules");
    reset("s");
    asked.create.schedule = NULL;
    create();
    assert_words(400, "3", "Only StartWorkflow action is supported for schedules");
}

static void what_schedules_may_not_have_is_told(void **state)
{
    Temporal__Duration before = TEMPORAL__DURATION__INIT;

    (void)state;
    reset("s");
    asked.workflow.cron_schedule = word("* * * * *");
    create();
    assert_words(400, "3", "Scheduled workflow must not contain CronSchedule");
    reset("s");
    asked.workflow.workflow_id_reuse_policy = 3;
    create();
    assert_words(400, "3", "Scheduled workflow must not contain WorkflowIDReusePolicy");
    reset("s");
    before.seconds = -1;
    asked.workflow.workflow_run_timeout = &before;
    create();
    assert_words(400, "3", "An invalid WorkflowRunTimeoutSeconds is set on request.");
    reset("s");
    asked.policies.overlap_policy = 7;
    create();
    assert_words(400, "3", "policies.overlapPolicy: is 7; must be from 0 to 6");
}

static void what_is_too_long_is_wrong_for_good(void **state)
{
    static char text[1200];

    (void)state;
    memset(text, 'x', 1001);
    reset("s");
    asked.create.request_id = text;
    create();
    assert_words(400, "3", "RequestId length exceeds limit.");
    reset(text);
    create();
    assert_words(400, "3", "WorkflowId exceeds maximum allowed length (1001/255)");
    reset("s");
    asked.type.name = text;
    create();
    assert_words(400, "3", "action.name");
    reset("s");
    asked.create.initial_patch = &asked.patch;
    asked.patch.pause = text;
    create();
    assert_words(400, "3", "Schedule notes exceeds limit.");
}

static void a_wrong_spec_is_known_by_its_first_words(void **state)
{
    uint8_t data[] = {1};

    (void)state;
    reset("s");
    asked.cron[0] = word("61 * * * *");
    create();
    assert_words(400, "3", "Invalid schedule spec: spec.cronString[0]: ");
    reset("s");
    asked.spec.timezone_name = word("No/Where");
    create();
    assert_words(400, "3", "Invalid schedule spec: ");
    reset("s");
    asked.spec.timezone_data = (ProtobufCBinaryData){1, data};
    create();
    assert_words(400, "3", "Invalid schedule spec: spec.timezoneData: ");
}

static void what_is_no_message_is_refused(void **state)
{
    (void)state;
    assert_int_equal(ask_rpc(SERVICE "CreateSchedule", STR("\n\007default\022\377")), 400);
    assert_string_equal(field("grpc-status"), "3");
    assert_int_equal(
        ask_rpc(SERVICE "DescribeSchedule", (struct str){"\n\007default\022\003a\0b", 14}),
        400);
    assert_words(400, "3", "schedule_id: contains a NUL");
}

/* ---- what is stored ---- */

static void the_spec_comes_back_as_it_counts(void **state)
{
    const Temporal__StructuredCalendarSpec *calendar;
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    reset("s");
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

        reset(id);
        window.seconds = list[i].seconds;
        asked.policies.catchup_window = &window;
        assert_int_equal(create(), 200);
        assert_int_equal(described(id)->schedule->policies->catchup_window->seconds,
                         list[i].expected);
    }
}

static void the_native_api_shows_what_it_means(void **state)
{
    (void)state;
    reset("s");
    asked.state.limited_actions = true;
    asked.state.remaining_actions = 3;
    assert_int_equal(create(), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.dialect", "'temporal'");
    assert_told("action.type", "'workflow'");
    assert_told("action.name", "'report'");
    assert_told("action.workflowId", "'base'");
    assert_told("action.queue", "'reports'");
    assert_told("policies.overlap", "'skip'");
    assert_told("policies.catchup",
                "{'mode':'all','window':'365d','whilePaused':false,'whenFull':'drop'}");
    assert_told("policies.remainingRuns", "3");
    assert_told("spec.dst", "'literal'");
    assert_told("state.nextAt", "'2026-01-05T12:00:00.000Z'");
}

/* Durations in messages have nanoseconds and any size; policies have whole milliseconds. */
static void policies_are_kept_within_their_bounds(void **state)
{
    Temporal__Duration window = TEMPORAL__DURATION__INIT, wait = TEMPORAL__DURATION__INIT;
    Temporal__Duration most = TEMPORAL__DURATION__INIT;
    Temporal__RetryPolicy retry = TEMPORAL__RETRY_POLICY__INIT;

    (void)state;
    reset("s");
    window.seconds = 60;
    window.nanos = 1500000;
    wait.nanos = 2750000;
    most.seconds = INT64_C(315576000000);
    retry.initial_interval = &wait;
    retry.maximum_interval = &most;
    retry.maximum_attempts = 5000;
    asked.policies.catchup_window = &window;
    asked.workflow.retry_policy = &retry;
    assert_int_equal(create(), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("policies.catchup.window", "'1m1ms'");
    assert_told("policies.retry", "{'attempts':1000,'backoff':'exponential','delay':'2ms',"
                                  "'max':'366d','jitter':'0s'}");
}

/* After an edit with another API, clients see the new spec; the rest is unchanged. */
static void an_edit_by_the_native_api_is_seen(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    reset("s");
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
    reset("s");
    asked.state.notes = word("made");
    assert_int_equal(create(), 200);
    assert_string_equal(described("s")->schedule->state->notes, "made");
    asked.patch.unpause = word("no pause");
    assert_int_equal(patch("s"), 200);
    got = described("s");
    assert_false(got->schedule->state->paused);
    assert_string_equal(got->schedule->state->notes, "no pause");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.pausedReason", "null");
    asked.patch.pause = word("both");
    assert_int_equal(patch("s"), 200); /* unpause wins over pause */
    got = described("s");
    assert_false(got->schedule->state->paused);
    assert_string_equal(got->schedule->state->notes, "no pause");
    asked.patch.unpause = word("");
    assert_int_equal(patch("s"), 200);
    got = described("s");
    assert_true(got->schedule->state->paused);
    assert_string_equal(got->schedule->state->notes, "both");
    assert_int_equal(got->info->n_future_action_times, 10); /* as if not paused */
    asked.state.notes = word("");
    assert_int_equal(update("s", (ProtobufCBinaryData){0, NULL}), 200);
    got = described("s");
    assert_false(got->schedule->state->paused);
    assert_string_equal(got->schedule->state->notes, "");
}

static void a_patch_without_a_patch_is_refused(void **state)
{
    Temporal__PatchScheduleRequest request = TEMPORAL__PATCH_SCHEDULE_REQUEST__INIT;

    (void)state;
    reset("s");
    assert_int_equal(create(), 200);
    request.namespace_ = word("default");
    request.schedule_id = word("s");
    say("PatchSchedule", &request.base);
    assert_words(400, "3", "Patch is not set on request.");
    temporal__schedule_patch__init(&asked.patch);
    assert_int_equal(patch("s"), 200); /* an empty patch does nothing */
    assert_int_equal(described("s")->conflict_token.data[0], 1);
}

static void a_token_is_the_version_that_was_read(void **state)
{
    uint8_t one[8] = {1}, odd[3] = {1};

    (void)state;
    reset("s");
    assert_int_equal(create(), 200);
    assert_int_equal(update("s", (ProtobufCBinaryData){8, one}), 200);
    update("s", (ProtobufCBinaryData){8, one});
    assert_words(412, "9", "mismatched conflict token");
    update("s", (ProtobufCBinaryData){3, odd});
    assert_words(412, "9", "mismatched conflict token");
    assert_int_equal(described("s")->conflict_token.data[0], 2);
}

/* ---- runs ---- */

static void runs_are_shown_with_their_ids_and_ends(void **state)
{
    const Temporal__ScheduleActionResult *recent;
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    reset("s");
    assert_int_equal(create(), 200);
    pass(2 * SPAN_H);
    got = described("s");
    assert_int_equal(got->info->action_count, 1);
    assert_int_equal(got->info->n_running_workflows, 1);
    assert_int_equal(got->info->n_recent_actions, 1);
    recent = got->info->recent_actions[0];
    assert_string_equal(recent->start_workflow_result->workflow_id,
                        "base-2026-01-05T12:00:00Z");
    assert_int_equal(recent->start_workflow_status, 1);
    assert_int_equal(
        ask(js("POST /api/v1/runs/%s/terminate", recent->start_workflow_result->run_id), NULL,
            "{}"),
        200);
    got = described("s");
    assert_int_equal(got->info->n_running_workflows, 0);
    assert_int_equal(got->info->recent_actions[0]->start_workflow_status, 5);
}

static void a_trigger_may_choose_its_time(void **state)
{
    Temporal__TriggerImmediatelyRequest trigger = TEMPORAL__TRIGGER_IMMEDIATELY_REQUEST__INIT;
    Temporal__Timestamp time = TEMPORAL__TIMESTAMP__INIT;

    (void)state;
    reset("s");
    assert_int_equal(create(), 200);
    time.seconds = 1767225600; /* 2026-01-01T00:00:00Z */
    trigger.scheduled_time = &time;
    asked.patch.trigger_immediately = &trigger;
    assert_int_equal(patch("s"), 200);
    assert_string_equal(
        described("s")->info->recent_actions[0]->start_workflow_result->workflow_id,
        "base-2026-01-01T00:00:00Z");
}

/* Of twelve runs, one a day, those of the 7th to the 16th; newest last. */
static void the_last_ten_actions_are_shown(void **state)
{
    const Temporal__DescribeScheduleResponse *got;

    (void)state;
    reset("s");
    asked.policies.overlap_policy = 6; /* allow all */
    assert_int_equal(create(), 200);
    for (int i = 0; i < 12; i++)
        pass(SPAN_DAY);
    got = described("s");
    assert_int_equal(got->info->action_count, 12);
    assert_int_equal(got->info->n_recent_actions, 10);
    assert_string_equal(got->info->recent_actions[0]->start_workflow_result->workflow_id,
                        "base-2026-01-07T12:00:00Z");
    assert_string_equal(got->info->recent_actions[9]->start_workflow_result->workflow_id,
                        "base-2026-01-16T12:00:00Z");
}

static const char *status_of(const char *id)
{
    assert_int_equal(get(js("/api/v1/schedules/%s", id)), 200);
    return told("state.status");
}

/* Runs on the day of its creation; closed a week after its last action. */
static void a_schedule_is_active_or_paused_or_closed(void **state)
{
    char run[64];

    (void)state;
    reset("s");
    asked.state.limited_actions = true;
    asked.state.remaining_actions = 1;
    assert_int_equal(create(), 200);
    assert_string_equal(status_of("s"), "'active'");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    assert_string_equal(status_of("s"), "'paused'");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    pass(2 * SPAN_H);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    snprintf(run, sizeof run, "%s", text_at("runs.0.id").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", run), "{}"), 200);
    pass(7 * SPAN_DAY - SPAN_S);
    assert_string_equal(status_of("s"), "'active'");
    pass(SPAN_H);
    assert_string_equal(status_of("s"), "'closed'");
    assert_int_equal(get("/api/v1/schedules?status=closed"), 200);
    assert_told("schedules.0.id", "'s'");
    assert_int_equal(get("/api/v1/schedules?status=active"), 200);
    assert_told("schedules", "[]");
    assert_refused(post("/api/v1/schedules/s/trigger", ""), 409, "bad_state", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(what_is_missing_is_told),
        SERVED(what_schedules_may_not_have_is_told),
        SERVED(what_is_too_long_is_wrong_for_good),
        SERVED(a_wrong_spec_is_known_by_its_first_words),
        SERVED(what_is_no_message_is_refused),
        SERVED(the_spec_comes_back_as_it_counts),
        SERVED(short_catch_up_windows_are_ten_seconds_and_none_is_a_year),
        SERVED(the_native_api_shows_what_it_means),
        SERVED(policies_are_kept_within_their_bounds),
        SERVED(an_edit_by_the_native_api_is_seen),
        SERVED(a_note_needs_no_pause),
        SERVED(a_patch_without_a_patch_is_refused),
        SERVED(a_token_is_the_version_that_was_read),
        SERVED(runs_are_shown_with_their_ids_and_ends),
        SERVED(the_last_ten_actions_are_shown),
        SERVED(a_schedule_is_active_or_paused_or_closed),
        SERVED(a_trigger_may_choose_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
