/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on many schedules in one request.
 */
#include "world.h"

#include "model/schedule_json.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"

static void each_item_has_a_result(void **state)
{
    (void)state;
    assert_int_equal(
        post("/api/v1/bulk/schedules",
             js("{'items':[{'id':'a'," QUEUED "},{'id':'b','spec':{'cron':['x']}," QUEUED
                "},{" QUEUED "},{'id':'a'," QUEUED "}]}")),
        200);
    assert_json("results.0", "{'id':'a','status':'ok','version':1}");
    assert_json("results.1.id", "'b'");
    assert_json("results.1.status", "'error'");
    assert_json("results.1.error.code", "'invalid_spec'");
    assert_json("results.1.error.field", "'items[1].spec.cron[0].expr'");
    assert_json("results.2.status", "'ok'");
    assert_int_equal(text_at("results.2.id").len, 21);
    assert_json("results.3.status", "'error'");
    assert_json("results.3.error.code", "'exists'");
    assert_json("results.4", "absent");
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_int_equal(get("/api/v1/schedules/b"), 404);
}

static void a_thousand_schedules_are_created_at_once(void **state)
{
    static char body[CALL_BODY_MAX];
    struct buf out = BUF(body);

    (void)state;
    buf_text(&out, "{\"items\":[");
    for (int i = 0; i < CALL_ITEMS_MAX; i++)
        buf_printf(&out, "%s%s", i > 0 ? "," : "",
                   js("{'id':'s%d','spec':{'cron':['* * * * *']}," QUEUED "}", i));
    buf_text(&out, "]}");
    assert_false(out.cut);
    assert_int_equal(post("/api/v1/bulk/schedules", body), 200);
    assert_json("results.999", "{'id':'s999','status':'ok','version':1}");
    assert_int_equal(get("/api/v1/schedules/s500"), 200);
}

/* A calendar compiles to a hundred times the size of its text. */
static void many_calendars_in_one_body_do_not_exhaust_the_memory(void **state)
{
    static char body[CALL_BODY_MAX];
    struct buf out = BUF(body);
    int items = 0;

    (void)state;
    buf_text(&out, "{\"items\":[");
    while (out.len < 190000 && items < CALL_ITEMS_MAX) {
        buf_printf(&out, "%s",
                   js("%s{" QUEUED ",'spec':{'calendars':[{}", items > 0 ? "," : ""));
        for (int i = 1; i < 128; i++)
            buf_text(&out, ",{}");
        buf_text(&out, "]}}");
        items++;
    }
    buf_text(&out, "]}");
    assert_false(out.cut);
    assert_int_equal(post("/api/v1/bulk/schedules", body), 200);
    assert_int_equal(json_array_size(json_object_get(world.json, "results")), items);
    assert_json("results.0.status", "'ok'");
    assert_true(arena_used(world.arena) < SCHEDULE_BYTES_MAX);
}

static void a_key_covers_the_whole_batch(void **state)
{
    const char *body = js("{'items':[{" QUEUED "},{" QUEUED "}]}");
    struct str first, second;

    (void)state;
    assert_int_equal(ask("POST /api/v1/bulk/schedules", "Idempotency-Key: k\r\n",
                         js("{'items':[{'id':'a'," QUEUED "},{'id':'b'," QUEUED "}]}")),
                     200);
    assert_int_equal(ask("POST /api/v1/bulk/schedules", "Idempotency-Key: k\r\n",
                         js("{'items':[{'id':'a'," QUEUED "},{'id':'b'," QUEUED "}]}")),
                     200);
    assert_json("results.0", "{'id':'a','status':'ok','version':1}");
    assert_json("results.1", "{'id':'b','status':'ok','version':1}");
    assert_int_equal(post("/api/v1/bulk/schedules", body), 200);
    first = text_at("results.0.id");
    second = text_at("results.1.id");
    assert_false(str_eq(first, second));
}

static void an_invalid_batch_is_refused(void **state)
{
    (void)state;
    assert_refused(post("/api/v1/bulk/schedules", "[]"), 400, "invalid_field", "");
    assert_refused(post("/api/v1/bulk/schedules", "{}"), 400, "invalid_field", "items");
    assert_refused(post("/api/v1/bulk/schedules", js("{'items':1}")), 400, "invalid_field",
                   "items");
    assert_int_equal(post("/api/v1/bulk/schedules", js("{'items':[]}")), 200);
    assert_json("", "{'results':[]}");
}

static void hints_are_part_of_a_batch(void **state)
{
    (void)state;
    assert_int_equal(
        post("/api/v1/bulk/schedules",
             js("{'items':[{'id':'a'," QUEUED "},{'id':'g','spec':{'intervals':[{'every':"
                "'1h'}]},'governor':{'hint':{'interval':'10m','expires':"
                "'2026-01-05T12:00:00Z'}}," QUEUED "}]}")),
        200);
    assert_json("results.1.status", "'ok'");
    assert_int_equal(get("/api/v1/schedules/g"), 200);
    assert_json("governor.hint.interval", "'10m'");
}

static void documents_replace_what_is_there(void **state)
{
    (void)state;
    assert_int_equal(post("/api/v1/bulk/schedules", js("{'items':[{'id':'a'," QUEUED "}]}")),
                     200);
    assert_int_equal(post("/api/v1/bulk/schedules/update",
                          js("{'items':[{'id':'a','description':'new'," QUEUED
                             "},{'id':'b'," QUEUED "},{" QUEUED "}]}")),
                     200);
    assert_json("results.0", "{'id':'a','status':'ok','version':2}");
    assert_json("results.1.error.code", "'not_found'");
    assert_json("results.2.error.code", "'invalid_field'");
    assert_json("results.2.error.field", "'items[2].id'");
    assert_int_equal(post("/api/v1/bulk/schedules/put",
                          js("{'items':[{'id':'a'," QUEUED "},{'id':'b'," QUEUED "}]}")),
                     200);
    assert_json("results", "[{'id':'a','status':'ok','version':3},"
                           "{'id':'b','status':'ok','version':1}]");
}

/* Of three, the first is unchanged, the second was edited since, the third is new. */
static void documents_replace_the_version_that_was_read(void **state)
{
    const char *const three = "{'items':[{'id':'a'," QUEUED "},{'id':'b'," QUEUED
                              "},{'id':'c'," QUEUED "}],"
                              "'versions':%s}";

    (void)state;
    assert_int_equal(post("/api/v1/bulk/schedules",
                          js("{'items':[{'id':'a'," QUEUED "},{'id':'b'," QUEUED "}]}")),
                     200);
    assert_int_equal(post("/api/v1/schedules/b/pause", ""), 200);
    assert_int_equal(ask("PUT /api/v1/schedules/c", NULL, js("{" QUEUED "}")), 201);
    assert_int_equal(post("/api/v1/bulk/schedules/put", js(three, "[1,1,0]")), 200);
    assert_json("results.0", "{'id':'a','status':'ok','version':2}");
    assert_json("results.1.error.code", "'version_conflict'");
    assert_json("results.2.error.code", "'exists'");
    assert_int_equal(post("/api/v1/bulk/schedules/put", js(three, "[2,null,1]")), 200);
    assert_json("results", "[{'id':'a','status':'ok','version':3},"
                           "{'id':'b','status':'ok','version':3},"
                           "{'id':'c','status':'ok','version':2}]");
    assert_int_equal(ask("DELETE /api/v1/schedules/c", NULL, NULL), 204);
    assert_int_equal(post("/api/v1/bulk/schedules/put", js(three, "[3,null,2]")), 200);
    assert_json("results.2.error.code", "'not_found'"); /* it was deleted */
    assert_refused(post("/api/v1/bulk/schedules/put", js(three, "[1]")), 400, "invalid_field",
                   "versions");
    assert_refused(post("/api/v1/bulk/schedules/put", js(three, "1")), 400, "invalid_field",
                   "versions");
}

static void assert_moving(void)
{
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("state.pausedReason", "'moving'");
    assert_json("state.pausedUntil", "'2026-01-06T00:00:00.000Z'");
    assert_json("state.version", "2");
}

static void a_pause_without_options_keeps_that_of_before(void **state)
{
    (void)state;
    assert_int_equal(post("/api/v1/schedules", js("{'id':'a'," QUEUED "}")), 201);
    assert_int_equal(post("/api/v1/schedules/a/pause",
                          js("{'reason':'moving','until':'2026-01-06T00:00:00Z'}")),
                     200);
    assert_int_equal(post("/api/v1/schedules/a/pause", ""), 200);
    assert_moving();
    assert_int_equal(post("/api/v1/schedules/a/pause", js("{'reason':null}")), 200);
    assert_moving();
    assert_int_equal(post("/api/v1/bulk/schedules/pause", js("{'items':['a']}")), 200);
    assert_json("results.0", "{'id':'a','status':'ok','version':2}");
    assert_moving();
    /* With an option, it is a new pause. */
    assert_int_equal(post("/api/v1/schedules/a/pause", js("{'reason':'ill'}")), 200);
    assert_json("state.pausedReason", "'ill'");
    assert_json("state.pausedUntil", "null");
    /* A pause that has ended is not kept. */
    assert_int_equal(post("/api/v1/schedules/a/pause",
                          js("{'reason':'moving','until':'2026-01-06T00:00:00Z'}")),
                     200);
    pass_time(24 * SPAN_H);
    assert_int_equal(post("/api/v1/schedules/a/pause", ""), 200);
    assert_json("state.status", "'paused'");
    assert_json("state.pausedReason", "null");
    assert_json("state.pausedUntil", "null");
}

static void ids_are_paused_resumed_and_deleted(void **state)
{
    (void)state;
    assert_int_equal(post("/api/v1/bulk/schedules",
                          js("{'items':[{'id':'a'," QUEUED "},{'id':'b'," QUEUED "}]}")),
                     200);
    assert_int_equal(post("/api/v1/bulk/schedules/pause",
                          js("{'items':['a',{'id':'b','version':7},'c',{'id':'b','version':1},"
                             "5,{'name':'b'}],'reason':'all','until':'2026-01-06T00:00:00Z'}")),
                     200);
    assert_json("results.0", "{'id':'a','status':'ok','version':2}");
    assert_json("results.1.error.code", "'version_conflict'");
    assert_json("results.2.error.code", "'not_found'");
    assert_json("results.3", "{'id':'b','status':'ok','version':2}");
    assert_json("results.4.error.code", "'invalid_field'");
    assert_json("results.4.error.field", "'items[4]'");
    assert_json("results.5.error.field", "'items[5].name'");
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("state.pausedReason", "'all'");
    assert_json("state.pausedUntil", "'2026-01-06T00:00:00.000Z'");
    assert_int_equal(post("/api/v1/bulk/schedules/resume", js("{'items':['a','b']}")), 200);
    assert_json("results.1", "{'id':'b','status':'ok','version':3}");
    assert_int_equal(get("/api/v1/schedules/b"), 200);
    assert_json("state.status", "'active'");
    assert_int_equal(post("/api/v1/bulk/schedules/delete", js("{'items':['a','b','a']}")), 200);
    assert_json("results.0", "{'id':'a','status':'ok'}");
    assert_json("results.1", "{'id':'b','status':'ok'}");
    assert_json("results.2.error.code", "'not_found'");
    assert_int_equal(get("/api/v1/schedules/a"), 404);
}

static void errors_name_the_field_of_a_batch(void **state)
{
    (void)state;
    assert_refused(post("/api/v1/bulk/schedules/pause", js("{'item':[]}")), 400,
                   "invalid_field", "item");
    assert_refused(post("/api/v1/bulk/schedules/pause", js("{}")), 400, "invalid_field",
                   "items");
    assert_refused(post("/api/v1/bulk/schedules/delete", js("{'items':[],'reason':'x'}")), 400,
                   "invalid_field", "reason");
    assert_refused(
        post("/api/v1/bulk/schedules/pause", js("{'items':[],'until':'2026-01-05T10:00:00Z'}")),
        400, "invalid_field", "until");
    assert_refused(post("/api/v1/bulk/schedules/resume", js("{'items':'a'}")), 400,
                   "invalid_field", "items");
    assert_int_equal(post("/api/v1/bulk/schedules/resume", js("{'items':[]}")), 200);
    assert_json("", "{'results':[]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(each_item_has_a_result),
        API_TEST(a_thousand_schedules_are_created_at_once),
        API_TEST(many_calendars_in_one_body_do_not_exhaust_the_memory),
        API_TEST(a_key_covers_the_whole_batch),
        API_TEST(an_invalid_batch_is_refused),
        API_TEST(hints_are_part_of_a_batch),
        API_TEST(documents_replace_what_is_there),
        API_TEST(documents_replace_the_version_that_was_read),
        API_TEST(a_pause_without_options_keeps_that_of_before),
        API_TEST(ids_are_paused_resumed_and_deleted),
        API_TEST(errors_name_the_field_of_a_batch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
