/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claiming runs: the request, waiting, fields, and answers that are too large.
 */
#include "world.h"

static void make(const char *id, const char *queue)
{
    assert_int_equal(
        post("/api/v1/schedules",
             js("{'id':'%s','action':{'type':'queue','queue':'%s','kind':'report','input':"
                "{'a':1,'b':2}},'policies':{'overlap':'allowAll'}}",
                id, queue)),
        201);
}

static void a_claim_gives_the_run_with_lease_and_fence(void **state)
{
    struct str id;

    (void)state;
    make("s", "q");
    assert_int_equal(post("/api/v1/schedules/s/trigger", js("{'input':{'b':3}}")), 202);
    id = text_at("id");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['other','q'],'worker':'w1'}")),
                     200);
    assert_json("runs.1", "absent");
    assert_true(str_eq(text_at("runs.0.id"), id));
    assert_true(str_eq(text_at("runs.0.idempotencyKey"), id));
    assert_json("runs.0.schedule", "'s'");
    assert_json("runs.0.namespace", "'default'");
    assert_json("runs.0.kind", "'trigger'");
    assert_json("runs.0.state", "'leased'");
    assert_json("runs.0.attempt", "1");
    assert_json("runs.0.fence", "1");
    assert_json("runs.0.queue", "'q'");
    assert_json("runs.0.worker", "'w1'");
    assert_json("runs.0.slot", "'2026-01-05T10:00:00.000Z'");
    assert_json("runs.0.leaseUntil", "'2026-01-05T10:01:30.000Z'");
    assert_json("runs.0.input", "{'a':1,'b':3}");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_json("", "{'runs':[]}");
}

static void a_claim_takes_as_many_as_it_asks_for(void **state)
{
    (void)state;
    make("s", "q");
    for (int i = 0; i < 5; i++)
        assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':3}")), 200);
    assert_json("runs.2.schedule", "'s'");
    assert_json("runs.3", "absent");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':1000}")), 200);
    assert_json("runs.1.schedule", "'s'");
    assert_json("runs.2", "absent");
}

static void a_poll_says_how_long_it_waits(void **state)
{
    (void)state;
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'wait':'30s'}")), 200);
    assert_int_equal(world.call.poll.wait, 30 * SPAN_S);
    assert_int_equal(world.call.poll.max, 1);
}

static void errors_name_the_field_of_a_claim(void **state)
{
    static const struct {
        const char *body, *field;
        int status;
        const char *code;
    } wrong[] = {
        {"{}", "queues", 400, "invalid_field"},
        {"{'queues':'q'}", "queues", 400, "invalid_field"},
        {"{'queues':[]}", "queues", 400, "invalid_field"},
        {"{'queues':['q','']}", "queues[1]", 400, "invalid_field"},
        {"{'queues':['1','2','3','4','5','6','7','8','9','10','11','12','13','14','15','16',"
         "'17']}",
         "queues", 422, "limit"},
        {"{'queues':['q'],'max':0}", "max", 400, "invalid_field"},
        {"{'queues':['q'],'max':1001}", "max", 400, "invalid_field"},
        {"{'queues':['q'],'wait':'61s'}", "wait", 400, "invalid_field"},
        {"{'queues':['q'],'wait':5}", "wait", 400, "invalid_field"},
        {"{'queues':['q'],'worker':'\\u0007'}", "worker", 400, "invalid_field"},
        {"{'queues':['q'],'name':'w'}", "name", 400, "invalid_field"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int status = post("/api/v1/queues/claim", js("%s", wrong[i].body));

        assert_refused(status, wrong[i].status, wrong[i].code, wrong[i].field);
    }
}

/* 50 runs of 255 KiB each do not fit into one answer. */
static void runs_that_do_not_fit_an_answer_are_released(void **state)
{
    static char input[260 * 1024];
    int first, second;

    (void)state;
    memset(input, 'x', 255 * 1024);
    make("s", "q");
    for (int i = 0; i < 50; i++)
        assert_int_equal(post("/api/v1/schedules/s/trigger", js("{'input':{'a':'%s'}}", input)),
                         202);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':1000}")), 200);
    assert_int_equal(world.call.grant_count, 50);
    first = (int)json_array_size(json_object_get(world.json, "runs"));
    assert_in_range(first, 10, 49);
    assert_int_equal(world.call.report_count, 50 - first);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':1000}")), 200);
    second = (int)json_array_size(json_object_get(world.json, "runs"));
    assert_true(second > 0);
    assert_json("runs.0.fence", "2");
    assert_json("runs.0.attempt", "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_claim_gives_the_run_with_lease_and_fence),
        API_TEST(a_claim_takes_as_many_as_it_asks_for),
        API_TEST(a_poll_says_how_long_it_waits),
        API_TEST(errors_name_the_field_of_a_claim),
        API_TEST(runs_that_do_not_fit_an_answer_are_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
