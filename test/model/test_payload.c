/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as its executor receives it.  A grant is compared with run_to_json(), field by field.
 */
#include "model/payload.h"

#include <stdlib.h>

#include "codecs.h"
#include "core/policy/governor.h"
#include "model/run_json.h"

#define NEW_YEAR INT64_C(1798761600000000) /* 2027-01-01T00:00:00Z */

static struct run some_run(void)
{
    return (struct run){.id = 9,
                        .schedule = 5,
                        .slot = NEW_YEAR,
                        .kind = RUN_SLOT,
                        .state = RUN_LEASED,
                        .due = NEW_YEAR + 250 * SPAN_MS,
                        .attempt = 2,
                        .fence = 7,
                        .worker = STR("w \"1\""),
                        .lease_until = NEW_YEAR + 90 * SPAN_S,
                        .wake_at = INSTANT_NEVER,
                        .created_at = NEW_YEAR + SPAN_S,
                        .started_at = NEW_YEAR + 2 * SPAN_S,
                        .attempt_at = NEW_YEAR + 3 * SPAN_S,
                        .last_run_at = INSTANT_NONE};
}

static struct payload some_payload(const struct run *run)
{
    static char id[RUN_ID_TEXT_MAX];
    const struct run_id parts = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass};

    run_id_format(&parts, id);
    return (struct payload){.run = run,
                            .id = str_of(id),
                            .schedule = STR("nightly"),
                            .namespace = STR("default"),
                            .last_run_at = INSTANT_NONE};
}

/* The caller owns the result. */
static json_t *printed(void (*print)(const struct payload *, struct buf *),
                       const struct payload *payload)
{
    size_t room = payload_room(payload, STR(""), STR(""));
    struct buf out = {text_a, 0, room, false};

    assert_true(room <= TEXT_MAX);
    print(payload, &out);
    assert_false(out.cut);
    return json_of(text_a);
}

/* The caller owns the result. */
static json_t *granted_of(const struct payload *payload, const char *queue, const char *action,
                          field_set fields)
{
    size_t room = payload_room(payload, str_of(queue), str_of(action));
    struct buf out = {text_a, 0, room, false};

    assert_true(room <= TEXT_MAX);
    grant_print(payload, str_of(queue), str_of(action), fields, &out);
    assert_false(out.cut);
    return json_of(text_a);
}

static json_t *granted(const struct payload *payload, const char *queue, const char *action)
{
    return granted_of(payload, queue, action, FIELDS_ALL);
}

static void assert_json(const json_t *value, const char *expected)
{
    json_auto_t *parsed = json_of(expected);
    char *text = json_dumps(value, JSON_ENCODE_ANY);

    if (!json_equal(value, parsed))
        fail_msg("%s is not %s", text, expected);
    free(text);
}

/* `grant` contains the non-null fields of `doc` and the names in `more`, and nothing else. */
static void assert_grant(json_t *grant, const struct run_doc *doc, const char *more)
{
    json_auto_t *full = run_to_json(doc, FIELDS_ALL);
    json_auto_t *others = json_of(more);
    const char *key;
    json_t *value;

    assert_int_equal(json_string_length(json_object_get(grant, "traceparent")), 55);
    json_object_del(grant, "traceparent");
    json_object_foreach(full, key, value)
    {
        json_t *shown = json_object_get(grant, key);

        if (json_is_null(value) ? shown != NULL : !shown || !json_equal(value, shown))
            fail_msg("%s differs", key);
    }
    json_object_foreach(others, key, value) if (!json_equal(json_object_get(grant, key), value))
        fail_msg("%s differs", key);
    json_object_foreach(grant, key,
                        value) if (!json_object_get(full, key) && !json_object_get(others, key))
        fail_msg("unexpected %s", key);
}

static void a_grant_is_the_run_without_its_nulls(void **state)
{
    struct run run = some_run();
    struct payload payload = some_payload(&run);
    struct run_doc doc = run_doc_of(&run);
    json_auto_t *grant = granted(
        &payload, "reports",
        "{\"type\":\"queue\",\"queue\":\"reports\",\"kind\":\"pdf\",\"input\":{\"a\":[1,2]}}");

    (void)state;
    doc.schedule = payload.schedule;
    doc.queue = STR("reports");
    doc.input = STR("{\"a\":[1,2]}");
    assert_grant(
        grant, &doc,
        "{\"namespace\":\"default\",\"action\":{\"type\":\"queue\",\"kind\":\"pdf\"}}");
}

static void a_grant_has_every_member_that_a_run_can_have(void **state)
{
    struct run run = some_run();
    struct payload payload;
    struct run_doc doc;
    json_t *grant;

    (void)state;
    run.kind = RUN_TRIGGER;
    run.pass = 3;
    run.source = SOURCE_AI_ONESHOT + 1;
    run.progress = STR("{\"percent\":50}");
    run.input = STR("{\"b\":2}");
    payload = some_payload(&run);
    payload.schedule = STR("n\u00e4chtlich \"1\"");
    payload.last_run_at = NEW_YEAR - SPAN_H;
    payload.last_result = STR("{\"status\":200}");
    payload.last_failure = STR("{\"code\":\"x\"}");
    doc = run_doc_of(&run);
    doc.schedule = payload.schedule;
    doc.queue = STR("q");
    doc.input = STR("{\"a\":1,\"b\":2}");
    doc.last_run_at = payload.last_run_at;
    grant = granted(&payload, "q", "{\"type\":\"queue\",\"input\":{\"a\":1,\"b\":1}}");
    assert_grant(grant, &doc,
                 "{\"namespace\":\"default\",\"action\":{\"type\":\"queue\"},"
                 "\"lastResult\":{\"status\":200},\"lastFailure\":{\"code\":\"x\"}}");
    json_decref(grant);
    run.progress = STR("{half");
    payload.last_failure = STR("it broke");
    doc.progress = run.progress;
    grant = granted(&payload, "q", "{\"type\":\"queue\",\"input\":{\"a\":1,\"b\":1}}");
    assert_grant(grant, &doc,
                 "{\"namespace\":\"default\",\"action\":{\"type\":\"queue\"},"
                 "\"lastResult\":{\"status\":200},\"lastFailure\":\"it broke\"}");
    json_decref(grant);
}

/* With id and fence; a field must not depend on the other selected fields. */
static void each_field_of_a_grant_is_the_same_alone_and_with_all(void **state)
{
    static const char action[] = "{\"type\":\"queue\",\"kind\":\"pdf\",\"input\":{\"a\":1}}";
    struct run run = some_run();
    struct payload payload = some_payload(&run);
    json_auto_t *all = NULL;

    (void)state;
    run.source = SOURCE_BASELINE_CRON + 1;
    run.progress = STR("half");
    payload.last_run_at = NEW_YEAR;
    payload.last_result = STR("[1]");
    payload.last_failure = STR("no room");
    all = granted(&payload, "q", action);
    assert_int_equal(json_object_size(all), GRANT_FIELDS);
    for (int i = 0; i < GRANT_FIELDS; i++) {
        const char *name = grant_fields.names[i];
        json_auto_t *one = granted_of(&payload, "q", action, grant_fields.always | FIELD(i));
        bool is_always = fields_have(grant_fields.always, i);

        assert_int_equal(json_object_size(one), is_always ? 2 : 3);
        assert_true(json_equal(json_object_get(one, "id"), json_object_get(all, "id")));
        assert_true(json_equal(json_object_get(one, "fence"), json_object_get(all, "fence")));
        assert_true(json_equal(json_object_get(one, name), json_object_get(all, name)));
    }
}

static void a_grant_of_a_direct_run_has_no_schedule(void **state)
{
    struct run run = some_run();
    struct payload payload;
    struct run_doc doc;
    json_auto_t *grant = NULL;

    (void)state;
    run.kind = RUN_DIRECT;
    payload = some_payload(&run);
    payload.schedule = (struct str){0};
    doc = run_doc_of(&run);
    doc.queue = STR("q");
    grant = granted(&payload, "q", "{\"type\":\"queue\",\"kind\":null,\"input\":{}}");
    assert_grant(grant, &doc, "{\"namespace\":\"default\",\"action\":{\"type\":\"queue\"}}");
}

#define INJECTED                                                                              \
    "\"scheduledTime\":1798761600000,\"executionTime\":1798761603000,"                        \
    "\"_startedByScheduler\":\"nightly\",\"_scheduledTime\":1798761600000,"                   \
    "\"_executedTime\":1798761603000,\"_executionId\":\"%s\",\"_schedulerCron\":\"0 0 * * * " \
    "UTC\""

static void a_workflow_gets_seven_keys_that_replace_the_users(void **state)
{
    struct run run = some_run();
    struct payload payload = some_payload(&run);
    char expected[1000];
    struct buf out = BUF(expected);
    json_t *input, *grant;

    (void)state;
    payload.cron = STR("0 0 * * * UTC");
    payload.input = STR("{\"owner\":\"x\",\"_scheduledTime\":\"mine\",\"scheduledTimes\":1}");
    buf_printf(&out, "{" INJECTED ",\"owner\":\"x\",\"scheduledTimes\":1}", payload.id.ptr);
    input = printed(payload_print_workflow, &payload);
    assert_int_equal(json_object_size(input), 9);
    assert_json(input, expected);
    grant = granted(&payload, "wf",
                    "{\"type\":\"workflow\",\"name\":\"wf\",\"version\":2,\"workflowId\":\"i\","
                    "\"queue\":null,\"correlationId\":\"c\",\"upstream\":null,"
                    "\"input\":{\"owner\":\"x\",\"scheduledTimes\":1}}");
    assert_json(json_object_get(grant, "input"), expected);
    assert_json(json_object_get(grant, "action"),
                "{\"type\":\"workflow\",\"name\":\"wf\",\"version\":2,\"workflowId\":\"i\","
                "\"correlationId\":\"c\"}");
    json_decref(input);
    json_decref(grant);
}

/* The id is that of the action and the time of the slot, cut to the second. */
static void a_grant_of_a_temporal_workflow_has_its_id_and_attributes(void **state)
{
    struct run run = some_run();
    struct payload payload = some_payload(&run);
    json_t *grant;

    (void)state;
    run.slot = instant_of_seconds(1790000000) + 900 * SPAN_MS;
    grant = granted(&payload, "q",
                    "{\"type\":\"workflow\",\"name\":\"wf\",\"workflowId\":\"a \\\"b\\\"\","
                    "\"queue\":\"q\",\"header\":{\"h\":{\"metadata\":{},\"data\":\"AA==\"}},"
                    "\"memo\":{\"m\":{}},\"searchAttributes\":{\"s\":{}},\"temporal\":\"GgA=\","
                    "\"input\":{\"payloads\":[{\"metadata\":{},\"data\":\"/w==\"}]}}");
    assert_json(json_object_get(grant, "action"),
                "{\"type\":\"workflow\",\"name\":\"wf\","
                "\"workflowId\":\"a \\\"b\\\"-2026-09-21T14:13:20Z\","
                "\"header\":{\"h\":{\"metadata\":{},\"data\":\"AA==\"}},"
                "\"memo\":{\"m\":{}},\"searchAttributes\":{\"s\":{}}}");
    assert_json(json_object_get(json_object_get(grant, "input"), "payloads"),
                "[{\"metadata\":{},\"data\":\"/w==\"}]");
    json_decref(grant);
}

static void a_workflow_without_an_input_or_a_cron_gets_six_keys(void **state)
{
    struct run run = some_run();
    struct payload payload = some_payload(&run);
    json_auto_t *input = printed(payload_print_workflow, &payload);

    (void)state;
    assert_int_equal(json_object_size(input), 6);
    assert_null(json_object_get(input, "_schedulerCron"));
}

static void null_ids_of_a_job_become_the_id_of_the_run(void **state)
{
    static const char action[] = "{\"type\":\"queue\",\"queue\":\"jobs:acme\",\"input\":"
                                 "{\"jobId\":null,\"jobRunId\":null,\"hostId\":null}}";
    struct run run = some_run();
    struct payload payload = some_payload(&run);
    json_auto_t *job = granted(&payload, "jobs:acme", action);
    json_auto_t *other = granted(&payload, "jobs", action);
    json_auto_t *empty = granted(&payload, "jobs:acme", "{\"type\":\"queue\"}");
    char expected[200];
    struct buf out = BUF(expected);

    (void)state;
    buf_printf(&out, "{\"jobId\":\"%s\",\"jobRunId\":\"%s\",\"hostId\":null}", payload.id.ptr,
               payload.id.ptr);
    assert_json(json_object_get(job, "input"), expected);
    assert_json(json_object_get(other, "input"),
                "{\"jobId\":null,\"jobRunId\":null,\"hostId\":null}");
    assert_json(json_object_get(empty, "input"), "{}");
}

static void a_payload_names_its_run(void **state)
{
    struct run run = some_run();
    struct payload payload = some_payload(&run);
    char expected[1000];
    struct buf out = BUF(expected);
    json_t *json;

    (void)state;
    payload.input = STR("{\"a\":1.5}");
    payload.last_result = STR("[1]");
    buf_printf(&out,
               "{\"run\":\"%s\",\"schedule\":\"nightly\",\"namespace\":\"default\","
               "\"kind\":\"slot\",\"attempt\":2,\"fence\":7,"
               "\"scheduledTime\":\"2027-01-01T00:00:00.000Z\","
               "\"executionTime\":\"2027-01-01T00:00:03.000Z\",\"input\":{\"a\":1.5},"
               "\"lastResult\":[1]}",
               payload.id.ptr);
    json = printed(payload_print, &payload);
    assert_json(json, expected);
    json_decref(json);
    payload.schedule = payload.input = payload.last_result = (struct str){0};
    payload.last_failure = STR("bad\n");
    json = printed(payload_print, &payload);
    assert_true(json_is_null(json_object_get(json, "schedule")));
    assert_json(json_object_get(json, "input"), "{}");
    assert_json(json_object_get(json, "lastFailure"), "\"bad\\n\"");
    assert_null(json_object_get(json, "lastResult"));
    json_decref(json);
}

static void the_runs_input_wins_key_by_key(void **state)
{
    (void)state;
    assert_str(payload_input(STR("{\"a\":1,\"b\":{\"x\":1}}"), STR("{\"b\":{\"y\":2},\"c\":3}"),
                             arena),
               "{\"a\":1,\"b\":{\"y\":2},\"c\":3}");
    assert_str(payload_input(STR("{\"a\":1}"), (struct str){0}, arena), "{\"a\":1}");
    assert_str(payload_input((struct str){0}, STR("{\"a\":1}"), arena), "{\"a\":1}");
    assert_int_equal(payload_input((struct str){0}, (struct str){0}, arena).len, 0);
}

static void the_room_is_enough_when_every_byte_must_be_escaped(void **state)
{
    static char bad[201];
    struct run run = some_run();
    struct payload payload;
    struct str all = {bad, sizeof bad - 1};

    (void)state;
    memset(bad, '\1', sizeof bad - 1);
    run.worker = run.progress = all;
    run.input = STR("{\"b\":1}");
    payload = some_payload(&run);
    payload.schedule = payload.namespace = payload.last_failure = payload.cron = all;
    payload.last_result = STR("[]");
    payload.input = STR("{\"k\":\"v\"}");
    json_decref(granted(&payload, bad, "{\"type\":\"workflow\",\"input\":{\"a\":2}}"));
    json_decref(printed(payload_print, &payload));
    json_decref(printed(payload_print_workflow, &payload));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_grant_is_the_run_without_its_nulls, begin, end),
        cmocka_unit_test_setup_teardown(a_grant_has_every_member_that_a_run_can_have, begin,
                                        end),
        cmocka_unit_test_setup_teardown(each_field_of_a_grant_is_the_same_alone_and_with_all,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_grant_of_a_direct_run_has_no_schedule, begin, end),
        cmocka_unit_test_setup_teardown(a_workflow_gets_seven_keys_that_replace_the_users,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            a_grant_of_a_temporal_workflow_has_its_id_and_attributes, begin, end),
        cmocka_unit_test_setup_teardown(a_workflow_without_an_input_or_a_cron_gets_six_keys,
                                        begin, end),
        cmocka_unit_test_setup_teardown(null_ids_of_a_job_become_the_id_of_the_run, begin, end),
        cmocka_unit_test_setup_teardown(a_payload_names_its_run, begin, end),
        cmocka_unit_test_setup_teardown(the_runs_input_wins_key_by_key, begin, end),
        cmocka_unit_test_setup_teardown(the_room_is_enough_when_every_byte_must_be_escaped,
                                        begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
