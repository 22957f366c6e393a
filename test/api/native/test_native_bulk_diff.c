/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of many documents with the stored schedules, which changes nothing.
 */
#include "world.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"
#define DIFF   "/api/v1/bulk/schedules/diff"

static void documents_are_new_changed_the_same_or_wrong(void **state)
{
    (void)state;
    assert_int_equal(
        post(
            "/api/v1/bulk/schedules",
            js("{'items':[{'id':'a','labels':{'team':'x'},'spec':{'cron':['0 9 * * *']}," QUEUED
               "},{'id':'b'," QUEUED "}]}")),
        200);
    assert_int_equal(
        post(DIFF, js("{'items':[{'id':'a','description':'new','labels':{'team':'y','env':'p'},"
                      "'spec':{'cron':['0 10 * * *']}," QUEUED "},{'id':'b'," QUEUED
                      "},{'id':'c'," QUEUED "},{'id':'d','spec':{'cron':['61 * * * *']}," QUEUED
                      "},{" QUEUED "},7]}")),
        200);
    assert_told("results.0.status", "'change'");
    assert_told("results.0.version", "1");
    assert_told("results.0.changes",
                "[{'field':'description','from':'','to':'new'},"
                "{'field':'labels.team','from':'x','to':'y'},"
                "{'field':'labels.env','from':null,'to':'p'},"
                "{'field':'spec.cron[0].expr','from':'0 9 * * *','to':'0 10 * * *'}]");
    assert_told("results.1", "{'id':'b','status':'same','version':1}");
    assert_told("results.2", "{'id':'c','status':'create'}");
    assert_told("results.3.status", "'error'");
    assert_told("results.3.error.code", "'invalid_spec'");
    assert_told("results.3.error.field", "'items[3].spec.cron[0].expr.minute'");
    assert_told("results.4.error.field", "'items[4].id'");
    assert_told("results.5.status", "'error'");
    /* Nothing was changed. */
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_told("description", "''");
    assert_told("state.version", "1");
    assert_int_equal(get("/api/v1/schedules/c"), 404);
}

static void the_same_in_other_words_is_the_same(void **state)
{
    (void)state;
    assert_int_equal(
        post("/api/v1/bulk/schedules",
             js("{'items':[{'id':'a','spec':{'cron':['0 9 * * *'],'jitter':'90s'},"
                "'policies':{'retry':{'attempts':3}},'enabled':false," QUEUED "}]}")),
        200);
    assert_int_equal(
        post(DIFF, js("{'items':[{'enabled':false,'id':'a','namespace':'default',"
                      "'policies':{'overlap':'skip','retry':{'attempts':3,'delay':'1000ms'}},"
                      "'spec':{'jitter':'1m30s','timezone':'UTC','cron':[{'expr':'0 9 * * *',"
                      "'dialect':'belfry'}]},'state':{'status':'paused'}," QUEUED "}]}")),
        200);
    assert_told("results", "[{'id':'a','status':'same','version':1}]");
    assert_int_equal(
        post(DIFF, js("{'items':[{'id':'a','spec':{'cron':['0 9 * * *'],'jitter':'90s'},"
                      "'policies':{'retry':{'attempts':3}}," QUEUED "}]}")),
        200);
    assert_told("results.0.changes", "[{'field':'enabled','from':false,'to':true}]");
}

static void a_pause_is_compared_where_the_document_speaks_of_it(void **state)
{
    (void)state;
    assert_int_equal(post("/api/v1/bulk/schedules",
                          js("{'items':[{'id':'a'," QUEUED "},{'id':'b'," QUEUED "}]}")),
                     200);
    assert_int_equal(post("/api/v1/schedules/b/pause", js("{'reason':'x'}")), 200);
    assert_int_equal(
        post(DIFF,
             js("{'items':[{'id':'a'," QUEUED "},{'id':'b'," QUEUED "},{'id':'a',"
                "'paused':false," QUEUED "},{'id':'b','paused':{'reason':'x'}," QUEUED "}]}")),
        200);
    for (int i = 0; i < 4; i++)
        assert_told(js("results.%d.status", i), "'same'");
    assert_int_equal(
        post(DIFF, js("{'items':[{'id':'a','paused':true," QUEUED "},{'id':'b','paused':false,"
                      "" QUEUED "},{'id':'b','paused':{'until':'2026-02-01T00:00:00Z'}," QUEUED
                      "},{'id':'b','paused':{'until':'2025-02-01T00:00:00Z'}," QUEUED "}]}")),
        200);
    assert_told("results.0.changes", "[{'field':'paused','from':false,"
                                     "'to':{'reason':null,'until':null}}]");
    assert_told("results.1.changes", "[{'field':'paused','from':{'reason':'x','until':null},"
                                     "'to':false}]");
    assert_told("results.2.changes",
                "[{'field':'paused.reason','from':'x','to':null},"
                "{'field':'paused.until','from':null,'to':'2026-02-01T00:00:00.000Z'}]");
    assert_told("results.3.changes.0.to", "false"); /* its end is in the past */
}

static void more_than_one_portion_is_compared(void **state)
{
    static char body[64 * 1024];
    struct buf out = BUF(body);

    (void)state;
    buf_text(&out, "{\"items\":[");
    for (int i = 0; i < 120; i++)
        buf_printf(&out, "%s{\"id\":\"s%d\",\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}",
                   i > 0 ? "," : "", i);
    buf_text(&out, "]}");
    assert_false(out.cut);
    assert_int_equal(post(DIFF, body), 200);
    assert_told("results.119", "{'id':'s119','status':'create'}");
    assert_int_equal(post("/api/v1/bulk/schedules/put", body), 200);
    assert_int_equal(post(DIFF, body), 200);
    assert_told("results.0", "{'id':'s0','status':'same','version':1}");
    assert_told("results.119", "{'id':'s119','status':'same','version':1}");
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    assert_refused(post(DIFF, "[]"), 400, "invalid_field", "");
    assert_refused(post(DIFF, "{}"), 400, "invalid_field", "items");
    assert_refused(post(DIFF, js("{'items':1}")), 400, "invalid_field", "items");
    assert_refused(post(DIFF, js("{'items':[],'x':1}")), 400, "invalid_field", "x");
    assert_int_equal(post(DIFF, js("{'items':[]}")), 200);
    assert_told("", "{'results':[]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(documents_are_new_changed_the_same_or_wrong),
        SERVED(the_same_in_other_words_is_the_same),
        SERVED(a_pause_is_compared_where_the_document_speaks_of_it),
        SERVED(more_than_one_portion_is_compared),
        SERVED(wrong_requests_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
