/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows in Temporal: starting and following them.
 */
#include "temporal_world.h"

/* Returns the nth start request. */
static const Temporal__StartWorkflowExecutionRequest *started(struct world *world, int n)
{
    return (const void *)temporal_nth(world->server, START, n)->message;
}

static void a_workflow_is_started_and_followed_to_its_result(void **state)
{
    struct world *world = *state;
    const struct report *report;

    start(world, flow_order(world, WF));
    report = fixture_wait(world->fixture, 1);
    assert_int_equal(report->kind, REPORT_ALIVE);
    assert_text(report->progress, "{\"workflowId\":\"" FLOW "\",\"runId\":\"run-1\","
                                  "\"workflows\":1,\"ended\":false}");
    wait_long_poll(world);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, "42");
    report = wait_end(world);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_text(report->result, "{\"workflowId\":\"" FLOW "\",\"runId\":\"run-1\","
                                "\"status\":\"COMPLETED\",\"output\":{\"payloads\":[{"
                                "\"metadata\":{},\"data\":\"NDI=\"}]},\"truncated\":false}");
    assert_int_equal(world->fixture->report_count, 2);
    assert_int_equal(world->server->count, 1);
}

static void assert_field(const char *fields, const char *line)
{
    if (!strstr(fields, line))
        fail_msg("%s\nis not among\n%s", line, fields);
}

static void a_request_has_the_headers_of_grpc_and_temporal(void **state)
{
    struct world *world = *state;
    const char *fields;

    start(world, flow_order(world, WF));
    wait_seen(world, START, 1);
    fields = temporal_nth(world->server, START, 0)->fields;
    assert_field(fields, "content-type: application/grpc\n");
    assert_field(fields, "te: trailers\n");
    assert_field(fields, "grpc-timeout: 60000m\n");
    assert_field(fields, "temporal-namespace: default\n");
    assert_field(fields, "authorization: Bearer k\n");
    wait_long_poll(world);
    assert_field(temporal_nth(world->server, POLL, 1)->fields, "grpc-timeout: 65000m\n");
}

static void assert_attribute(const Temporal__Fields__FieldsEntry *entry, const char *name,
                             const char *json, const char *type)
{
    const Temporal__Payload *value = entry->value;

    assert_string_equal(entry->key, name);
    assert_int_equal(value->data.len, strlen(json));
    assert_memory_equal(value->data.data, json, strlen(json));
    assert_int_equal(value->n_metadata, 2);
    assert_string_equal(value->metadata[0]->key, "encoding");
    assert_memory_equal(value->metadata[0]->value.data, "json/plain", 10);
    assert_string_equal(value->metadata[1]->key, "type");
    assert_memory_equal(value->metadata[1]->value.data, type, strlen(type));
}

/* temporal: task_queue.kind 1, three timeouts of 1, 2 and 3 s, attempts 4, priority 5 */
static const char full[] =
    "{\"type\":\"workflow\",\"name\":\"wf\",\"workflowId\":\"base\",\"queue\":\"q\","
    "\"header\":{\"h\":{\"metadata\":{\"encoding\":\"YQ==\"},\"data\":\"AP8=\"}},"
    "\"memo\":{\"m\":{\"metadata\":{},\"data\":\"AQ==\"}},"
    "\"searchAttributes\":{\"Tenant\":{\"metadata\":{},\"data\":\"Ag==\"}},"
    "\"temporal\":\"GgIQASoCCAEyAggCOgIIA0oCIASCAQIIBQ==\","
    "\"input\":{\"payloads\":[{\"metadata\":{\"encoding\":\"eC//\"},\"data\":\"AAH+\"}]}}";

static void a_start_contains_all_members_of_the_action(void **state)
{
    struct world *world = *state;
    const Temporal__StartWorkflowExecutionRequest *m;

    start(world, flow_order(world, full));
    wait_seen(world, START, 1);
    m = started(world, 0);
    assert_string_equal(m->namespace_, "default");
    assert_string_equal(m->workflow_id, FLOW);
    assert_string_equal(m->workflow_type->name, "wf");
    assert_string_equal(m->task_queue->name, "q");
    assert_int_equal(m->task_queue->kind, 1);
    assert_int_equal(m->input->n_payloads, 1);
    assert_memory_equal(m->input->payloads[0]->metadata[0]->value.data, "x/\xff", 3);
    assert_int_equal(m->input->payloads[0]->data.len, 3);
    assert_memory_equal(m->input->payloads[0]->data.data, "\0\1\xfe", 3);
    assert_int_equal(m->workflow_execution_timeout->seconds, 1);
    assert_int_equal(m->workflow_run_timeout->seconds, 2);
    assert_int_equal(m->workflow_task_timeout->seconds, 3);
    assert_int_equal(m->retry_policy->maximum_attempts, 4);
    assert_int_equal(m->priority->base.unknown_fields[0].data[0], 5);
    assert_string_equal(m->request_id, world->run);
    assert_int_equal(m->workflow_id_reuse_policy, 3); /* REJECT_DUPLICATE: a slot runs once */
    assert_string_equal(m->header->fields[0]->key, "h");
    assert_memory_equal(m->header->fields[0]->value->data.data, "\0\xff", 2);
    assert_string_equal(m->memo->fields[0]->key, "m");
    assert_int_equal(m->search_attributes->n_fields, 3);
    assert_string_equal(m->search_attributes->fields[0]->key, "Tenant");
    assert_attribute(m->search_attributes->fields[1], "TemporalScheduledStartTime",
                     "\"2026-09-21T14:13:20Z\"", "Datetime");
    assert_attribute(m->search_attributes->fields[2], "TemporalScheduledById", "\"nightly\"",
                     "Keyword");
    assert_null(m->last_completion_result);
    assert_null(m->continued_failure);
}

/* One argument like for any workflow: an object with the injected keys. */
static void an_action_without_payloads_passes_its_input_as_one_argument(void **state)
{
    struct world *world = *state;
    const Temporal__StartWorkflowExecutionRequest *m;
    json_auto_t *argument = NULL;
    struct str text;
    struct err err;

    start(world,
          flow_order(world, "{\"type\":\"workflow\",\"name\":\"wf\",\"input\":{\"a\":1}}"));
    wait_seen(world, START, 1);
    m = started(world, 0);
    assert_string_equal(m->workflow_id, "nightly-2026-09-21T14:13:20Z");
    assert_string_equal(m->task_queue->name, "wf");
    assert_int_equal(m->task_queue->kind, 1); /* normal, although the action does not say so */
    assert_int_equal(m->input->n_payloads, 1);
    assert_memory_equal(m->input->payloads[0]->metadata[0]->value.data, "json/plain", 10);
    text = (struct str){(const char *)m->input->payloads[0]->data.data,
                        m->input->payloads[0]->data.len};
    assert_int_equal(json_read(text, &argument, &err), RC_OK);
    assert_int_equal(json_integer_value(json_object_get(argument, "a")), 1);
    assert_string_equal(json_string_value(json_object_get(argument, "_executionId")),
                        world->run);
}

static void an_action_without_input_passes_no_argument(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_seen(world, START, 1);
    assert_null(started(world, 0)->input);
}

static void a_manual_run_may_reuse_the_workflow_id(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);

    order->assignment.run.kind = RUN_TRIGGER;
    start(world, order);
    wait_seen(world, START, 1);
    assert_int_equal(started(world, 0)->workflow_id_reuse_policy, 1); /* ALLOW_DUPLICATE */
}

static void the_last_result_and_the_last_failure_are_passed_on(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);
    const Temporal__StartWorkflowExecutionRequest *m;

    order->assignment.last_result = STR(
        "{\"workflowId\":\"w\",\"status\":\"COMPLETED\",\"output\":{"
        "\"payloads\":[{\"metadata\":{},\"data\":\"NDI=\"}]}}");
    order->assignment.last_failure = STR(
        "{\"code\":\"workflow_failed\",\"message\":\"no disk\"}");
    start(world, order);
    wait_seen(world, START, 1);
    m = started(world, 0);
    assert_int_equal(m->last_completion_result->n_payloads, 1);
    assert_memory_equal(m->last_completion_result->payloads[0]->data.data, "42", 2);
    assert_string_equal(m->continued_failure->message, "no disk");
}

static void each_workflow_status_ends_the_attempt_with_its_outcome(void **state)
{
    static const struct {
        enum temporal_end end;
        const char *code, *message;
        enum outcome outcome;
        bool is_retryable;
    } cases[] = {
        {TEMPORAL_FAILED, "workflow_failed", "ended as FAILED: no disk", OUTCOME_FAILED, true},
        {TEMPORAL_TIMED_OUT, "workflow_timeout", "ended as TIMED_OUT", OUTCOME_TIMED_OUT, true},
        {TEMPORAL_TERMINATED, "workflow_terminated", "ended as TERMINATED: no disk",
         OUTCOME_TERMINATED, false},
        {TEMPORAL_CANCELED, "workflow_cancelled", "ended as CANCELED", OUTCOME_CANCELLED,
         false},
    };
    struct world *world = *state;

    for (int i = 0; i < 4; i++) {
        struct dispatch_order *order = flow_order(world, WF);
        const struct report *report;
        char message[100];

        order->assignment.run.kind = RUN_TRIGGER;
        order->assignment.run.pass = i; /* another run with another key */
        order->assignment.id = (struct str){"r_a\0r_b\0r_c\0r_d" + 4 * i, 3};
        fixture_forget(world->fixture);
        start(world, order);
        wait_long_poll(world);
        temporal_end(world->server, i, cases[i].end, "no disk");
        report = wait_end(world);
        assert_int_equal(report->kind, REPORT_DONE);
        assert_int_equal(report->outcome, cases[i].outcome);
        snprintf(message, sizeof message, "workflow \"" FLOW "\" %s", cases[i].message);
        assert_error(report, cases[i].code, cases[i].is_retryable, message);
        assert_true(report->result.len > 0);
    }
}

/* For each status: does a start retry, or fail at once? */
static void each_grpc_status_is_retried_or_fails_at_once(void **state)
{
    static const bool passes[] = {
        [GRPC_CANCELLED] = true,         [GRPC_UNKNOWN] = true,
        [GRPC_DEADLINE_EXCEEDED] = true, [GRPC_RESOURCE_EXHAUSTED] = true,
        [GRPC_ABORTED] = true,           [GRPC_OUT_OF_RANGE] = true,
        [GRPC_INTERNAL] = true,          [GRPC_UNAVAILABLE] = true,
        [GRPC_DATA_LOSS] = true,         [GRPC_NOT_FOUND] = true, /* the namespace */
        [GRPC_UNAUTHENTICATED] = false,
    };
    struct world *world = *state;

    for (int status = 1; status <= GRPC_UNAUTHENTICATED; status++) {
        struct dispatch_order *order = flow_order(world, WF);
        int starts = temporal_count_seen(world->server, START);
        const struct report *report;
        char message[100];

        order->assignment.run.kind = RUN_TRIGGER;
        order->assignment.run.pass = status;
        fixture_forget(world->fixture);
        world->server->count = 0; /* reset for the next case */
        temporal_fail(world->server, 2,
                      (struct temporal_fault){
                          .method = START, .status = status, .words = "50% \xc3\xbc"});
        start(world, order);
        if (status == GRPC_ALREADY_EXISTS) { /* without details: a foreign workflow */
            assert_error(wait_end(world), "workflow_exists", false, NULL);
            assert_int_equal(wait_end(world)->outcome, OUTCOME_CANCELLED);
            world->server->fault_count = 0;
            continue;
        }
        if (!passes[status]) {
            report = wait_end(world);
            snprintf(message, sizeof message, "the upstream answered %s: 50%% \xc3\xbc",
                     grpc_status_text((enum grpc_status)status));
            assert_error(report, "upstream_refused", false, message);
            assert_int_equal(temporal_count_seen(world->server, START), starts + 1);
            world->server->fault_count = 0;
            continue;
        }
        wait_long_poll(world);
        assert_int_equal(temporal_count_seen(world->server, START), starts + 3);
        temporal_end(world->server, 0, TEMPORAL_COMPLETED, NULL);
        assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    }
}

static void a_start_repeated_after_a_lost_answer_starts_one_workflow(void **state)
{
    struct world *world = *state;

    temporal_fail(world->server, 2,
                  (struct temporal_fault){.method = START, .kind = FAULT_CUT, .is_done = true});
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    assert_int_equal(temporal_count_seen(world->server, START), 3);
    assert_string_equal(started(world, 0)->request_id, started(world, 2)->request_id);
    assert_int_equal(world->server->count, 1);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

static void a_start_that_was_not_carried_out_is_sent_again(void **state)
{
    struct world *world = *state;

    temporal_fail(world->server, 1,
                  (struct temporal_fault){.method = START, .kind = FAULT_CUT});
    temporal_fail(world->server, 1,
                  (struct temporal_fault){.method = START, .kind = FAULT_NO_STATUS});
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    assert_int_equal(temporal_count_seen(world->server, START), 3);
    assert_int_equal(world->server->count, 1);
}

static void a_start_that_is_not_answered_in_time_is_sent_again(void **state)
{
    struct world *world = *state;

    world->limits.request = -8 * SPAN_S; /* ten seconds are added: two seconds */
    temporal_fail(world->server, 1,
                  (struct temporal_fault){.method = START, .kind = FAULT_SILENT});
    start(world, flow_order(world, WF));
    wait_seen(world, START, 1);
    world->limits.request = 60 * SPAN_S;
    wait_long_poll(world);
    assert_int_equal(temporal_count_seen(world->server, START), 2);
    assert_int_equal(world->server->count, 1);
}

static void a_workflow_of_the_same_request_is_followed(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);

    world->server->runs[0] = (struct temporal_run){
        .id = FLOW, .request_id = world->run, .identity = "", .run = "run-1"};
    world->server->count = 1;
    order->assignment.run.attempt = 2;
    order->assignment.run.losses = 1; /* a node started it and died */
    start(world, order);
    assert_text(fixture_wait(world->fixture, 1)->progress,
                "{\"workflowId\":\"" FLOW "\",\"runId\":\"run-1\",\"workflows\":1,"
                "\"ended\":false}");
    assert_int_equal(world->server->count, 1);
}

static void a_workflow_id_of_another_request_cancels_the_run(void **state)
{
    struct world *world = *state;
    const struct report *report;

    create_foreign_flow(world);
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    assert_error(
        report, "workflow_exists", false,
        "the upstream answered ALREADY_EXISTS: Workflow execution is already running.");
    assert_int_equal(world->server->count, 1);
}

/* A Temporal that has just started may not know it yet. */
static void a_missing_namespace_is_retried(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    use_upstream(world, "other");
    start(world, flow_order(world, WF));
    assert_error(wait_end(world), "upstream_unreachable", true,
                 "the upstream answered NOT_FOUND: Namespace other is not found.");
    assert_true(temporal_count_seen(world->server, START) > 1);
}

static void http_statuses_of_a_proxy_are_mapped_to_grpc(void **state)
{
    struct world *world = *state;

    temporal_fail(world->server, 2,
                  (struct temporal_fault){.method = START, .kind = FAULT_HTTP, .status = 503});
    temporal_fail(world->server, 1,
                  (struct temporal_fault){.method = START, .kind = FAULT_HTTP, .status = 403});
    start(world, flow_order(world, WF));
    assert_error(wait_end(world), "upstream_refused", false,
                 "the upstream answered PERMISSION_DENIED: the answer has no gRPC status");
    assert_int_equal(temporal_count_seen(world->server, START), 3);
}

static void an_upstream_that_stays_unavailable_fails_the_run(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    temporal_fail(
        world->server, 30,
        (struct temporal_fault){.method = START, .status = GRPC_UNAVAILABLE, .words = "away"});
    start(world, flow_order(world, WF));
    assert_error(wait_end(world), "upstream_unreachable", true,
                 "the upstream answered UNAVAILABLE: away");
}

/* Every answer is lost, though the first start was carried out. */
static void lose_every_answer(struct world *world)
{
    world->limits.patience = 20 * SPAN_MS;
    temporal_fail(
        world->server, 30,
        (struct temporal_fault){
            .method = START, .status = GRPC_UNAVAILABLE, .words = "away", .is_done = true});
}

static void a_start_that_is_never_answered_is_looked_up_at_the_end(void **state)
{
    struct world *world = *state;

    lose_every_answer(world);
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    assert_int_equal(world->server->count, 1);
}

static void without_an_answer_to_the_last_lookup_the_outcome_is_unknown(void **state)
{
    struct world *world = *state;
    const struct report *report;

    lose_every_answer(world);
    temporal_fail(
        world->server, 30,
        (struct temporal_fault){.method = POLL, .status = GRPC_UNAVAILABLE, .words = "away"});
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_UNKNOWN);
    assert_error(report, "start_unconfirmed", true, "the upstream answered UNAVAILABLE: away");
    assert_int_equal(world->server->count, 1);
}

static void a_poll_without_an_event_is_repeated(void **state)
{
    struct world *world = *state;
    const Temporal__GetWorkflowExecutionHistoryRequest *poll;

    world->limits.poll_first = 0; /* every answer took long enough */
    start(world, flow_order(world, WF));
    for (int i = 0; i < 5; i++) {
        wait_long_poll(world);
        temporal_answer_polls(world->server);
    }
    wait_long_poll(world);
    assert_int_equal(temporal_count_seen(world->server, POLL), 7);
    poll = (const void *)temporal_nth(world->server, POLL, 6)->message;
    assert_true(poll->wait_new_event);
    assert_int_equal(poll->history_event_filter_type, 2); /* CLOSE_EVENT */
    assert_string_equal(poll->execution->workflow_id, FLOW);
    assert_string_equal(poll->execution->run_id, "run-1");
    assert_int_equal(poll->next_page_token.len, 5);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

/* Not even if polls exceed it for longer than `follow_patience`. */
static void a_poll_that_exceeds_its_deadline_is_not_a_failure(void **state)
{
    struct world *world = *state;

    world->limits.follow_patience = 1;
    temporal_fail(world->server, 20,
                  (struct temporal_fault){.method = POLL, .status = GRPC_DEADLINE_EXCEEDED});
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

static void a_failed_poll_is_repeated(void **state)
{
    struct world *world = *state;

    temporal_fail(world->server, 3, (struct temporal_fault){.method = POLL, .kind = FAULT_CUT});
    temporal_fail(world->server, 3,
                  (struct temporal_fault){.method = POLL, .status = GRPC_UNAVAILABLE});
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(world->server->count, 1);
}

static void following_continues_after_a_restart_of_the_server(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, WF));
    wait_long_poll(world);
    temporal_restart(world->server);
    wait_long_poll(world);
    temporal_restart(world->server);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(world->server->count, 1);
}

static void a_workflow_that_continues_as_another_run_is_followed(void **state)
{
    static const enum temporal_end ends[] = {TEMPORAL_CONTINUED, TEMPORAL_FAILED,
                                             TEMPORAL_TIMED_OUT, TEMPORAL_COMPLETED};
    struct world *world = *state;
    struct temporal *server = world->server;

    start(world, flow_order(world, WF));
    for (int i = 0; i < 4; i++) {
        wait_long_poll(world);
        snprintf(server->runs[i].next, sizeof server->runs[i].next, "run-%d", i + 2);
        server->runs[i + 1] = (struct temporal_run){
            .id = FLOW, .request_id = "", .identity = ""};
        snprintf(server->runs[i + 1].run, sizeof server->runs[i].run, "run-%d", i + 2);
        server->count++;
        temporal_end(server, i, ends[i], "1");
    }
    wait_long_poll(world);
    temporal_end(server, 4, TEMPORAL_COMPLETED, "\"last\"");
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(temporal_count_seen(server, START), 1);
    assert_non_null(strstr(wait_end(world)->result.ptr, "\"runId\":\"run-1\""));
}

static void a_later_attempt_follows_the_known_workflow(void **state)
{
    struct world *world = *state;

    start(world, next_attempt(world));
    wait_long_poll(world);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(temporal_count_seen(world->server, START), 0);
}

static void a_retry_of_a_failed_workflow_starts_a_new_one(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = next_attempt(world);
    char key[80];

    temporal_end(world->server, 0, TEMPORAL_FAILED, "");
    order->assignment.run.progress = STR(
        "{\"workflowId\":\"" FLOW "\",\"runId\":\"run-1\",\"workflows\":1,\"ended\":true}");
    start(world, order);
    wait_long_poll(world);
    snprintf(key, sizeof key, "%s.2", world->run);
    assert_string_equal(started(world, 0)->request_id, key);
    assert_int_equal(started(world, 0)->workflow_id_reuse_policy, 1);
    assert_int_equal(world->server->count, 2);
}

/* 200 KiB exceed the limit of results; the workflow has ended all the same. */
static void a_result_that_is_too_large_is_omitted(void **state)
{
    static char json[200 * 1024];
    struct world *world = *state;

    memset(json, '1', sizeof json - 1);
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, json);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_text(wait_end(world)->result,
                "{\"workflowId\":\"" FLOW "\",\"runId\":\"run-1\",\"status\":\"COMPLETED\","
                "\"output\":null,\"truncated\":true}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_workflow_is_started_and_followed_to_its_result),
        IN_WORLD(a_request_has_the_headers_of_grpc_and_temporal),
        IN_WORLD(a_start_contains_all_members_of_the_action),
        IN_WORLD(an_action_without_payloads_passes_its_input_as_one_argument),
        IN_WORLD(an_action_without_input_passes_no_argument),
        IN_WORLD(a_manual_run_may_reuse_the_workflow_id),
        IN_WORLD(the_last_result_and_the_last_failure_are_passed_on),
        IN_WORLD(each_workflow_status_ends_the_attempt_with_its_outcome),
        IN_WORLD(each_grpc_status_is_retried_or_fails_at_once),
        IN_WORLD(a_start_repeated_after_a_lost_answer_starts_one_workflow),
        IN_WORLD(a_start_that_was_not_carried_out_is_sent_again),
        IN_WORLD(a_start_that_is_not_answered_in_time_is_sent_again),
        IN_WORLD(a_workflow_of_the_same_request_is_followed),
        IN_WORLD(a_workflow_id_of_another_request_cancels_the_run),
        IN_WORLD(a_missing_namespace_is_retried),
        IN_WORLD(http_statuses_of_a_proxy_are_mapped_to_grpc),
        IN_WORLD(an_upstream_that_stays_unavailable_fails_the_run),
        IN_WORLD(a_start_that_is_never_answered_is_looked_up_at_the_end),
        IN_WORLD(without_an_answer_to_the_last_lookup_the_outcome_is_unknown),
        IN_WORLD(a_poll_without_an_event_is_repeated),
        IN_WORLD(a_poll_that_exceeds_its_deadline_is_not_a_failure),
        IN_WORLD(a_failed_poll_is_repeated),
        IN_WORLD(following_continues_after_a_restart_of_the_server),
        IN_WORLD(a_workflow_that_continues_as_another_run_is_followed),
        IN_WORLD(a_later_attempt_follows_the_known_workflow),
        IN_WORLD(a_retry_of_a_failed_workflow_starts_a_new_one),
        IN_WORLD(a_result_that_is_too_large_is_omitted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
