/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of large objects in the other APIs.  Together the objects exceed the limits of one
 * database result and of one answer.
 */
#include <stdlib.h>

#include "temporal.h"

enum {
    LARGE = 70,
    BYTES = 250 * 1000,          /* of an input or a result: 70 of them are 17.5 MB */
    ANSWER_BYTES_MAX = 13 << 20, /* 12 MiB and the last entry                       */
    MESSAGE_BYTES_MAX = 4 << 20, /* that clients of gRPC accept                     */
    REFS_BYTES = 16000,          /* bytes of references; the limit is 16 KiB        */
};

/* `len` times x, valid until the next call. */
static const char *long_text(size_t len)
{
    static char text[BYTES + 1];

    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

/* Replaces each ^ in the format by a long text. */
static const char *with_long(const char *format, size_t len)
{
    static char room[4 * BYTES];
    struct buf out = BUF(room);

    for (const char *p = format; *p != '\0'; p++) {
        if (*p == '^')
            buf_text(&out, long_text(len));
        else
            buf_char(&out, *p == '\'' ? '"' : *p);
    }
    assert_false(out.cut);
    return room;
}

static void save_conductor(int i)
{
    static char format[300];

    snprintf(format, sizeof format,
             "{'name':'c%02d','cronExpression':'0 0 2 * * ?','tags':[{'key':'a','value':'b'}],"
             "'startWorkflowRequest':{'name':'wf','input':{'x':'^'}}}",
             i);
    assert_int_equal(post("/api/scheduler/schedules", with_long(format, BYTES)), 200);
}

static void trigger(const char *schedule)
{
    static char target[100];

    snprintf(target, sizeof target, "/api/v1/schedules/%s/trigger", schedule);
    assert_int_equal(post(target, with_long("{'input':{'x':'^'}}", BYTES)), 202);
}

/* A worker claims a run and completes it with this result. */
static void complete(const char *queue, const char *format, size_t len)
{
    static char target[100], fields[300];

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['%s'],'max':1}", queue)), 200);
    snprintf(target, sizeof target, "/api/v1/runs/%s/complete", text_at("runs.0.id").ptr);
    snprintf(fields, sizeof fields, "{'fence':%s,%s}", json_at("runs.0.fence"), format);
    assert_int_equal(post(target, with_long(fields, len)), 200);
}

/* Numbered pages: each entry is listed once, and every page has the total number. */
static void assert_pages(const char *target, int size, int total)
{
    int seen = 0;

    for (int start = 0; start < total; start += size) {
        assert_int_equal(get(js("%sstart=%d&size=%d", target, start, size)), 200);
        assert_json("totalHits", js("%d", total));
        assert_true(world.call.answer.len < ANSWER_BYTES_MAX);
        seen += (int)json_array_size(json_object_get(world.json, "results"));
    }
    assert_int_equal(seen, total);
}

static void assert_says(int got, int status, const char *words)
{
    assert_int_equal(got, status);
    if (!strstr(world.call.answer.ptr, words))
        fail_msg("%s\nbut not\n%s", world.call.answer.ptr, words);
}

static void large_schedules_of_conductor_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < LARGE; i++)
        save_conductor(i);
    assert_pages("/api/scheduler/schedules/search?", 30, LARGE);
    assert_pages("/api/scheduler/schedules/search?workflowName=wf&sort=createTime:DESC&", 30,
                 LARGE);
    assert_pages("/api/scheduler/schedules/search?workflowName=other&", 30, 0);
    assert_says(get("/api/scheduler/schedules/search?size=60"), 400, "with size=50");
    assert_says(get("/api/scheduler/schedules"), 400, "request pages");
    assert_says(get("/api/scheduler/schedules/tags?tag=a:b"), 400, "request pages");
    assert_int_equal(get("/api/scheduler/schedules/tags?tag=a:c"), 200);
}

static void large_executions_of_conductor_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < LARGE; i++) {
        save_conductor(i);
        trigger(js("c%02d", i));
    }
    for (int i = 0; i < 2; i++) { /* open, then ended */
        assert_pages("/api/scheduler/search/executions?", 30, LARGE);
        assert_says(get("/api/scheduler/search/executions?size=60"), 400, "with size=50");
        assert_int_equal(get("/api/scheduler/admin/requeue"), 200);
        for (int n = 0; n < LARGE && i == 0; n++)
            complete("wf", "'result':'^'", BYTES);
    }
}

static void large_executions_of_one_conductor_schedule_are_listed(void **state)
{
    (void)state;
    save_conductor(0);
    for (int i = 0; i < LARGE; i++)
        trigger("c00");
    assert_says(get("/api/scheduler/schedules/c00/executions?limit=60"), 400, "with limit=50");
    assert_int_equal(get("/api/scheduler/schedules/c00/executions?limit=40"), 200);
    assert_int_equal(json_array_size(world.json), 40);
    assert_int_equal(strlen(text_at("39.startWorkflowRequest.input.x").ptr), BYTES);
}

static void large_schedules_of_jobs_are_too_many_for_one_list(void **state)
{
    (void)state;
    for (int i = 0; i < LARGE; i++) {
        assert_int_equal(post("/api/orgs/acme/schedules",
                              with_long("{'name':'j','serverInstanceId':'s','jobType':'t',"
                                        "'cronExpression':'0 2 * * *','payload':{'x':'^'}}",
                                        BYTES)),
                         201);
        if (i == 30) {
            assert_int_equal(get("/api/orgs/acme/schedules"), 200);
            assert_int_equal(json_array_size(world.json), 31);
        }
    }
    assert_says(get("/api/orgs/acme/schedules"), 400, "/api/v1/schedules?namespace=acme");
}

/* Large schedules of other APIs in the namespace are skipped. */
static void agents_are_listed_beside_large_schedules(void **state)
{
    (void)state;
    assert_int_equal(post("/api/schedules", js("{'agentId':'zoe','scheduleType':'INTERVAL',"
                                               "'intervalMinutes':60}")),
                     201);
    assert_int_equal(post("/api/schedules", js("{'agentId':'ann','scheduleType':'INTERVAL',"
                                               "'intervalMinutes':60}")),
                     201);
    for (int i = 0; i < LARGE; i++)
        assert_int_equal(ask(js("PUT /api/v1/schedules/b%02d", i), NULL,
                             with_long("{'action':{'type':'queue','queue':'q',"
                                       "'input':{'x':'^'}}}",
                                       BYTES)),
                         201);
    assert_int_equal(get("/api/schedules"), 200);
    assert_int_equal(json_array_size(world.json), 2);
    assert_int_equal(get("/api/schedules?agentId=ann"), 200);
    assert_int_equal(json_array_size(world.json), 1);
    assert_int_equal(get("/api/executions/future?agentId=zoe"), 200);
    assert_json("0.agentId", "'zoe'");
}

/* Open runs with large inputs: in the plan of the day, and when their schedule is deleted. */
static void large_runs_of_agents_are_planned_and_deleted(void **state)
{
    (void)state;
    assert_int_equal(post("/api/schedules", js("{'agentId':'a','scheduleType':'INTERVAL',"
                                               "'intervalMinutes':1440,"
                                               "'executorPolicy':{'maxConcurrent':100}}")),
                     201);
    for (int i = 0; i < LARGE; i++)
        trigger("agent:a");
    assert_int_equal(get("/api/executions/future?execStatus=READY"), 200);
    assert_true(json_array_size(world.json) >= LARGE);
    assert_int_equal(get("/api/v1/schedules/agent:a/health"), 200);
    for (int i = 0; i < LARGE; i += 10) {
        assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['a'],'max':10}")), 200);
        assert_int_equal(world.call.grant_count, 10);
    }
    assert_int_equal(ask("DELETE /api/schedules/agent:a", NULL, ""), 204);
}

/* Numbered pages cannot end early: if one is too large, the error names a size that fits. */
static void large_past_executions_need_smaller_pages(void **state)
{
    enum { MANY = 330 };
    int seen = 0, size;

    (void)state;
    assert_int_equal(post("/api/schedules", js("{'agentId':'a','scheduleType':'INTERVAL',"
                                               "'intervalMinutes':1440}")),
                     201);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(post("/api/v1/schedules/agent:a/trigger", ""), 202);
        complete("a", "'result':'-','refs':['^'],'llm':{'t':'^'},'tools':['^']", REFS_BYTES);
    }
    assert_says(get("/api/executions/past?size=1000"), 422, "with size=");
    size = atoi(strstr(world.call.answer.ptr, "with size=") + strlen("with size="));
    assert_in_range(size, 1, MANY - 1);
    assert_int_equal(get(js("/api/executions/past?size=%d", size)), 200);
    for (int page = 0; page < (MANY + 199) / 200; page++) {
        assert_int_equal(get(js("/api/executions/past?size=200&page=%d", page)), 200);
        assert_json("totalElements", js("%d", MANY));
        assert_true(world.call.answer.len < ANSWER_BYTES_MAX);
        seen += (int)json_array_size(json_object_get(world.json, "content"));
    }
    assert_int_equal(seen, MANY);
    assert_int_equal(
        get(js("/api/executions/past/%s", text_at("content.0.pastExecutionId").ptr)), 200);
    assert_int_equal(strlen(text_at("responseRefs.0").ptr), REFS_BYTES);
}

/* ---- Temporal ---- */

static int create_large(int i, size_t argument, size_t memo)
{
    static char id[16];
    Temporal__Payload payload = TEMPORAL__PAYLOAD__INIT, note = TEMPORAL__PAYLOAD__INIT;
    Temporal__Payload *payload_list[] = {&payload};
    Temporal__Payloads input = TEMPORAL__PAYLOADS__INIT;
    Temporal__Fields__FieldsEntry entry = TEMPORAL__FIELDS__FIELDS_ENTRY__INIT;
    Temporal__Fields__FieldsEntry *entry_list[] = {&entry};
    Temporal__Fields fields = TEMPORAL__FIELDS__INIT;

    snprintf(id, sizeof id, "t%03d", i);
    make_request(id);
    sent.create.request_id = id;
    payload.data = (ProtobufCBinaryData){argument, (uint8_t *)(uintptr_t)long_text(BYTES)};
    note.data = (ProtobufCBinaryData){memo, payload.data.data};
    input.payloads = payload_list;
    input.n_payloads = 1;
    entry.key = proto_text("note");
    entry.value = &note;
    fields.fields = entry_list;
    fields.n_fields = 1;
    sent.workflow.input = &input;
    sent.create.memo = memo > 0 ? &fields : NULL;
    return create();
}

/* Reads all pages of a query; none is larger than clients accept. */
static int list_all(const char *query)
{
    Temporal__ListSchedulesRequest request = TEMPORAL__LIST_SCHEDULES_REQUEST__INIT;
    const Temporal__ListSchedulesResponse *got;
    static uint8_t token[CALL_NAME_MAX];
    size_t seen = 0;
    int pages = 0;

    request.namespace_ = proto_text("default");
    request.query = proto_text(query);
    do {
        assert_int_equal(call_method("ListSchedules", &request.base), 200);
        assert_true(world.call.answer.len < MESSAGE_BYTES_MAX);
        got = unpack_answer(&temporal__list_schedules_response__descriptor);
        for (size_t i = 0; i < got->n_schedules; i++)
            assert_string_equal(got->schedules[i]->schedule_id, js("t%03zu", seen++));
        if (got->next_page_token.len > 0)
            memcpy(token, got->next_page_token.data, got->next_page_token.len);
        request.next_page_token = (ProtobufCBinaryData){got->next_page_token.len, token};
        assert_true(pages++ < 100);
    } while (request.next_page_token.len > 0);
    return (int)seen;
}

static void large_schedules_of_temporal_are_listed(void **state)
{
    enum { MANY = 120 };
    Temporal__CountSchedulesRequest request = TEMPORAL__COUNT_SCHEDULES_REQUEST__INIT;
    const Temporal__CountSchedulesResponse *got;

    (void)state;
    for (int i = 0; i < MANY; i++)
        assert_int_equal(create_large(i, 140 * 1000, 28 * 1000), 200);
    assert_int_equal(list_all(""), MANY);
    assert_int_equal(list_all("TemporalSchedulePaused = false"), MANY);
    assert_int_equal(list_all("TemporalSchedulePaused = true"), 0);
    request.namespace_ = proto_text("default");
    request.query = proto_text("TemporalSchedulePaused = false");
    assert_int_equal(call_method("CountSchedules", &request.base), 200);
    got = unpack_answer(&temporal__count_schedules_response__descriptor);
    assert_int_equal(got->count, MANY);
}

/* A list has the workflow id once for each of five runs. */
static void page_sizes_of_temporal_include_the_runs(void **state)
{
    enum { MANY = 900 };
    static char id[ACTION_ID_MAX];

    (void)state;
    memset(id, 'w', sizeof id - 50);
    for (int i = 0; i < MANY; i++) {
        static char name[16];

        snprintf(name, sizeof name, "t%03d", i);
        make_request(name);
        sent.create.request_id = name;
        sent.workflow.workflow_id = id;
        sent.spec.n_cron_string = 0;
        sent.policies.overlap_policy = 6; /* ALLOW_ALL */
        assert_int_equal(create(), 200);
        for (int n = 0; n < 5; n++)
            assert_int_equal(post(js("/api/v1/schedules/%s/trigger", name), ""), 202);
    }
    assert_int_equal(list_all(""), MANY);
}

/* Results of runs are not read for it: ten of them would not fit into one answer. */
static void runs_with_large_results_are_described_by_temporal(void **state)
{
    (void)state;
    for (int i = 0; i < 15; i++) {
        assert_int_equal(create_large(i, 10, 0), 200);
        for (int n = 0; n < 5; n++) {
            trigger(js("t%03d", i));
            complete("reports", "'result':'^'", BYTES);
        }
    }
    assert_int_equal(list_all(""), 15);
    assert_int_equal(described("t003")->info->n_recent_actions, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(large_schedules_of_conductor_are_found),
        API_TEST(large_executions_of_conductor_are_found),
        API_TEST(large_executions_of_one_conductor_schedule_are_listed),
        API_TEST(large_schedules_of_jobs_are_too_many_for_one_list),
        API_TEST(agents_are_listed_beside_large_schedules),
        API_TEST(large_runs_of_agents_are_planned_and_deleted),
        API_TEST(large_past_executions_need_smaller_pages),
        API_TEST(large_schedules_of_temporal_are_listed),
        API_TEST(page_sizes_of_temporal_include_the_runs),
        API_TEST(runs_with_large_results_are_described_by_temporal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
