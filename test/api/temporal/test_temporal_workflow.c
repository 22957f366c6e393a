/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workflow of a schedule of Temporal's API: what clients read back, what a worker gets.
 */
#include "temporal.h"

static Temporal__Payload__MetadataEntry encoding = TEMPORAL__PAYLOAD__METADATA_ENTRY__INIT;
static Temporal__Payload__MetadataEntry *metadata[] = {&encoding};
static Temporal__Payload value = TEMPORAL__PAYLOAD__INIT;
static Temporal__Payload *values[] = {&value};

/* Bytes that are not text, in an unknown encoding. */
static void set_value(void)
{
    static uint8_t name[] = {'x', '/', 0xff}, bytes[] = {0, 1, 0xfe};

    encoding.key = proto_text("encoding");
    encoding.value = (ProtobufCBinaryData){sizeof name, name};
    value.metadata = metadata;
    value.n_metadata = 1;
    value.data = (ProtobufCBinaryData){sizeof bytes, bytes};
}

/* Fields with the value under one name. */
struct named {
    Temporal__Fields fields;
    Temporal__Fields__FieldsEntry entry, *list[1];
};

static Temporal__Fields *named(struct named *to, const char *name)
{
    temporal__fields__init(&to->fields);
    temporal__fields__fields_entry__init(&to->entry);
    to->entry.key = proto_text(name);
    to->entry.value = &value;
    to->list[0] = &to->entry;
    to->fields.fields = to->list;
    to->fields.n_fields = 1;
    return &to->fields;
}

/* Everything that a workflow can have. */
static void fill_workflow(void)
{
    static Temporal__Payloads input = TEMPORAL__PAYLOADS__INIT;
    static struct named header, memo, attributes;
    static Temporal__Duration timeout = TEMPORAL__DURATION__INIT;
    static uint8_t two[] = {2};
    static ProtobufCMessageUnknownField key = {1, PROTOBUF_C_WIRE_TYPE_VARINT, 1, two};
    static Temporal__Opaque priority = TEMPORAL__OPAQUE__INIT; /* {priority_key: 2} */

    set_value();
    input.payloads = values;
    input.n_payloads = 1;
    timeout.seconds = 90;
    sent.workflow.input = &input;
    sent.workflow.header = named(&header, "trace");
    sent.workflow.memo = named(&memo, "owner");
    sent.workflow.search_attributes = named(&attributes, "Tenant");
    sent.workflow.workflow_task_timeout = &timeout;
    priority.base.unknown_fields = &key;
    priority.base.n_unknown_fields = 1;
    sent.workflow.priority = &priority;
    sent.queue.kind = 1;
}

static void assert_value(const Temporal__Payload *got)
{
    assert_string_equal(got->metadata[0]->key, "encoding");
    assert_int_equal(got->metadata[0]->value.len, 3);
    assert_memory_equal(got->metadata[0]->value.data, "x/\xff", 3);
    assert_int_equal(got->data.len, 3);
    assert_memory_equal(got->data.data, "\0\1\xfe", 3);
}

static void assert_fields(const Temporal__Fields *got, const char *name)
{
    assert_int_equal(got->n_fields, 1);
    assert_string_equal(got->fields[0]->key, name);
    assert_value(got->fields[0]->value);
}

static void a_workflow_comes_back_as_it_was_given(void **state)
{
    const Temporal__NewWorkflowExecutionInfo *got;

    (void)state;
    make_request("s");
    fill_workflow();
    assert_int_equal(create(), 200);
    got = described("s")->schedule->action->start_workflow;
    assert_string_equal(got->workflow_id, "base");
    assert_string_equal(got->workflow_type->name, "report");
    assert_string_equal(got->task_queue->name, "reports");
    assert_int_equal(got->task_queue->kind, 1);
    assert_value(got->input->payloads[0]);
    assert_fields(got->header, "trace");
    assert_fields(got->memo, "owner");
    assert_fields(got->search_attributes, "Tenant");
    assert_int_equal(got->workflow_task_timeout->seconds, 90);
    assert_int_equal(got->priority->base.n_unknown_fields, 1);
    assert_int_equal(got->priority->base.unknown_fields[0].tag, 1);
    assert_int_equal(got->priority->base.unknown_fields[0].data[0], 2);
}

static void names_may_contain_characters_that_json_escapes(void **state)
{
    const Temporal__NewWorkflowExecutionInfo *got;

    (void)state;
    make_request("s");
    fill_workflow();
    sent.workflow.workflow_id = proto_text("say \"no\" to \\");
    sent.type.name = proto_text("\\");
    assert_int_equal(create(), 200);
    got = described("s")->schedule->action->start_workflow;
    assert_string_equal(got->workflow_id, "say \"no\" to \\");
    assert_string_equal(got->workflow_type->name, "\\");
    assert_value(got->input->payloads[0]);
    assert_fields(got->memo, "owner");
    assert_int_equal(got->workflow_task_timeout->seconds, 90);
}

#define VALUE "{'metadata':{'encoding':'eC//'},'data':'AAH+'}"

static void a_worker_gets_the_workflow_with_the_id_that_temporal_would_give_it(void **state)
{
    (void)state;
    make_request("s");
    fill_workflow();
    assert_int_equal(create(), 200);
    pass_time(2 * SPAN_H);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['reports'],'worker':'w'}")),
                     200);
    assert_json("runs.0.action",
                "{'type':'workflow','name':'report',"
                "'workflowId':'base-2026-01-05T12:00:00Z','header':{'trace':" VALUE "},"
                "'memo':{'owner':" VALUE "},'searchAttributes':{'Tenant':" VALUE "}}");
    assert_json("runs.0.input.payloads", "[" VALUE "]");
}

static void an_upstream_handles_retries_and_timeouts(void **state)
{
    Temporal__RetryPolicy retry = TEMPORAL__RETRY_POLICY__INIT;
    Temporal__Duration minute = TEMPORAL__DURATION__INIT;

    (void)state;
    minute.seconds = 60;
    retry.maximum_attempts = 5;
    make_request("here");
    sent.workflow.retry_policy = &retry;
    sent.workflow.workflow_run_timeout = sent.workflow.workflow_execution_timeout = &minute;
    assert_int_equal(create(), 200);
    assert_int_equal(get("/api/v1/schedules/here"), 200);
    assert_json("policies.retry.attempts", "5");
    assert_json("policies.timeout", "'1m'");
    assert_json("policies.maxRunTime", "'1m'");
    world.upstream = "main";
    sent.create.schedule_id = proto_text("there");
    sent.create.request_id = proto_text("another");
    assert_int_equal(create(), 200);
    assert_int_equal(get("/api/v1/schedules/there"), 200);
    assert_json("policies.retry.attempts", "1");
    assert_json("policies.timeout", "null");
    assert_json("policies.maxRunTime", "'0s'");
    assert_int_equal(
        described("there")->schedule->action->start_workflow->retry_policy->maximum_attempts,
        5);
}

/* An edit of the action with another API shows here too. */
static void an_action_changed_by_the_native_api_is_shown(void **state)
{
    const Temporal__NewWorkflowExecutionInfo *got;

    (void)state;
    make_request("s");
    fill_workflow();
    assert_int_equal(create(), 200);
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'action':{'name':'other','header':null}}")),
        200);
    got = described("s")->schedule->action->start_workflow;
    assert_string_equal(got->workflow_type->name, "other");
    assert_null(got->header);
    assert_fields(got->memo, "owner");
    assert_int_equal(got->workflow_task_timeout->seconds, 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_workflow_comes_back_as_it_was_given),
        API_TEST(names_may_contain_characters_that_json_escapes),
        API_TEST(a_worker_gets_the_workflow_with_the_id_that_temporal_would_give_it),
        API_TEST(an_upstream_handles_retries_and_timeouts),
        API_TEST(an_action_changed_by_the_native_api_is_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
