/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of many documents with the stored schedules, which changes nothing.
 */
#include <stdlib.h>

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
    assert_json("results.0.status", "'change'");
    assert_json("results.0.version", "1");
    assert_json("results.0.changes",
                "[{'field':'description','from':'','to':'new'},"
                "{'field':'labels.team','from':'x','to':'y'},"
                "{'field':'labels.env','from':null,'to':'p'},"
                "{'field':'spec.cron[0].expr','from':'0 9 * * *','to':'0 10 * * *'}]");
    assert_json("results.1", "{'id':'b','status':'same','version':1}");
    assert_json("results.2", "{'id':'c','status':'create'}");
    assert_json("results.3.status", "'error'");
    assert_json("results.3.error.code", "'invalid_spec'");
    assert_json("results.3.error.field", "'items[3].spec.cron[0].expr.minute'");
    assert_json("results.4.error.field", "'items[4].id'");
    assert_json("results.5.status", "'error'");
    /* Nothing was changed. */
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("description", "''");
    assert_json("state.version", "1");
    assert_int_equal(get("/api/v1/schedules/c"), 404);
}

/* A document, and the fields of all its errors. */
static const struct {
    const char *document, *fields[16];
} invalid_documents[] = {
    {"'spec':{'cron':['61 * * * *','0 9 * * *','0 9 32 * *',{'expr':'x','dialect':'vixie'}],"
     "'timezone':'Nowhere/X','jitter':'x'},'action':{'type':'http','url':'ftp://x',"
     "'method':'get','timeout':'x'},'policies':{'retry':{'attempts':0,'delay':'x'},"
     "'overlap':'x'},'polices':{},'labels':{'a.b':7,'c':8}",
     {"polices", "labels.a.b", "labels.c", "spec.cron[0].expr.minute",
      "spec.cron[2].expr.day-of-month", "spec.cron[3].expr", "spec.timezone", "spec.jitter",
      "action.url", "action.method", "action.timeout", "policies.retry.attempts",
      "policies.retry.delay", "policies.overlap"}},
    /* What depends on an invalid value is not an error of its own. */
    {"'action':{'type':'htp','url':'http://x/'},'description':7",
     {"action.type", "description"}},
    {"'spec':{'cron':[{'expr':'0 0 9 * * ?','dialect':'quarz'}],'intervals':[{'every':'x',"
     "'phase':'2h'},{'phase':'1h'}]},'action':{'type':'queue'},'enabled':1",
     {"spec.cron[0].dialect", "spec.intervals[0].every", "spec.intervals[1].every",
      "action.queue", "enabled"}},
    /* Keys with other characters are not repeated in messages. */
    {"'enabled':1,'policies':{'[0]':1,'x y':2,'overlap':'x'}," QUEUED,
     {"enabled", "policies", "policies.overlap"}},
    {"'policies':{'retry':{'max':'x','delay':'30d'},'lease':{'for':'x','heartbeat':'2h'},"
     "'concurrency':{'key':''}},'governor':{'hint':{'interval':'1h'}}",
     {"policies.retry.max", "policies.lease.for", "policies.concurrency.key",
      "policies.concurrency.limit", "governor.hint.expires", "action"}},
    {"'spec':{'exclude':{'dates':['2026-02-30','2026-01-01','x'],'calendars':[{'hour':'25'}]},"
     "'window':{'from':'x'}},'action':{'type':'exec','argv':['x'],'env':{'a b':'c'}}",
     {"spec.exclude.dates[0]", "spec.exclude.dates[2]", "spec.exclude.calendars[0].hour",
      "spec.window.from", "spec.window.to", "action.argv[0]", "action.env"}},
};

static void every_error_of_a_document_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof invalid_documents / sizeof invalid_documents[0]; i++) {
        int count = 0;

        assert_int_equal(
            post(DIFF, js("{'items':[{'id':'a',%s}]}", invalid_documents[i].document)), 200);
        for (; invalid_documents[i].fields[count]; count++) {
            const char *field = invalid_documents[i].fields[count];
            char wanted[100];

            snprintf(wanted, sizeof wanted, "'field':'items[0].%s'}", field);
            if (!strstr(json_at("results.0.errors"), wanted))
                fail_msg("row %zu: %s is not in %s", i, field, json_at("results.0.errors"));
        }
        if (strcmp(json_at(js("results.0.errors.%d", count)), "absent") != 0)
            fail_msg("row %zu: too many errors: %s", i, json_at("results.0.errors"));
        assert_json("results.0.hasMoreErrors", "absent");
    }
}

/* The work is limited: at most 100 errors of a document, and less if documents are long. */
static void an_incomplete_list_of_errors_says_so(void **state)
{
    static char body[600 * 1024];
    struct buf out = BUF(body);

    (void)state;
    buf_text(&out, "{\"items\":[{\"id\":\"a\",\"spec\":{\"at\":[");
    for (int i = 0; i < 101; i++)
        buf_printf(&out, "%s\"x\"", i > 0 ? "," : "");
    buf_text(&out, "]}}]}");
    assert_int_equal(post(DIFF, body), 200);
    assert_json("results.0.errors.99.field", "'items[0].spec.at[99]'");
    assert_json("results.0.errors.100", "absent");
    assert_json("results.0.hasMoreErrors", "true");
    out = BUF(body);
    buf_text(&out, "{\"items\":[{\"id\":\"a\",\"extra\":{\"x\":\"");
    for (int i = 0; i < 60 * 1024; i++)
        buf_char(&out, 'x');
    buf_text(&out, "\"},\"spec\":{\"at\":[");
    for (int i = 0; i < 99; i++)
        buf_printf(&out, "%s\"x\"", i > 0 ? "," : "");
    buf_text(&out, "]}}]}");
    assert_false(out.cut);
    assert_int_equal(post(DIFF, body), 200);
    assert_json("results.0.errors.50.field", "'items[0].spec.at[50]'");
    assert_json("results.0.errors.98", "absent");
    assert_json("results.0.hasMoreErrors", "true");
}

static void equivalent_documents_are_the_same(void **state)
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
    assert_json("results", "[{'id':'a','status':'same','version':1}]");
    assert_int_equal(
        post(DIFF, js("{'items':[{'id':'a','spec':{'cron':['0 9 * * *'],'jitter':'90s'},"
                      "'policies':{'retry':{'attempts':3}}," QUEUED "}]}")),
        200);
    assert_json("results.0.changes", "[{'field':'enabled','from':false,'to':true}]");
}

static void a_pause_is_compared_only_if_the_document_has_paused(void **state)
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
        assert_json(js("results.%d.status", i), "'same'");
    assert_int_equal(
        post(DIFF, js("{'items':[{'id':'a','paused':true," QUEUED "},{'id':'b','paused':false,"
                      "" QUEUED "},{'id':'b','paused':{'until':'2026-02-01T00:00:00Z'}," QUEUED
                      "},{'id':'b','paused':{'until':'2025-02-01T00:00:00Z'}," QUEUED "}]}")),
        200);
    assert_json("results.0.changes", "[{'field':'paused','from':false,"
                                     "'to':{'reason':null,'until':null}}]");
    assert_json("results.1.changes", "[{'field':'paused','from':{'reason':'x','until':null},"
                                     "'to':false}]");
    assert_json("results.2.changes",
                "[{'field':'paused.reason','from':'x','to':null},"
                "{'field':'paused.until','from':null,'to':'2026-02-01T00:00:00.000Z'}]");
    assert_json("results.3.changes.0.to", "false"); /* its end is in the past */
}

static void more_documents_than_one_read_are_compared(void **state)
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
    assert_json("results.119", "{'id':'s119','status':'create'}");
    assert_int_equal(post("/api/v1/bulk/schedules/put", body), 200);
    assert_int_equal(post(DIFF, body), 200);
    assert_json("results.0", "{'id':'s0','status':'same','version':1}");
    assert_json("results.119", "{'id':'s119','status':'same','version':1}");
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    assert_refused(post(DIFF, "[]"), 400, "invalid_field", "");
    assert_refused(post(DIFF, "{}"), 400, "invalid_field", "items");
    assert_refused(post(DIFF, js("{'items':1}")), 400, "invalid_field", "items");
    assert_refused(post(DIFF, js("{'items':[],'x':1}")), 400, "invalid_field", "x");
    assert_int_equal(post(DIFF, js("{'items':[]}")), 200);
    assert_json("", "{'results':[]}");
}

enum { LARGE = 40, LARGE_BYTES = 250 * 1000 };

/* Together the stored documents exceed the bytes of one read of the database: 16 MiB. */
static void large_schedules_are_compared(void **state)
{
    char *body = malloc(LARGE_BYTES + 1);
    char *document = malloc(2 * LARGE_BYTES + 1000);
    char items[LARGE * 80];
    struct buf out = BUF(items);

    (void)state;
    assert_true(body && document);
    memset(body, 'x', LARGE_BYTES);
    body[LARGE_BYTES] = '\0';
    buf_text(&out, "{\"items\":[");
    for (int i = 0; i < LARGE; i++) {
        snprintf(document, 2 * LARGE_BYTES + 1000,
                 "{\"id\":\"s%d\",\"action\":{\"type\":\"http\",\"url\":\"http://a/\","
                 "\"input\":{\"a\":\"%s\"},\"body\":\"%s\"}}",
                 i, body, body);
        assert_int_equal(post("/api/v1/schedules", document), 201);
        buf_printf(&out, "%s{\"id\":\"s%d\",\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}",
                   i > 0 ? "," : "", i);
    }
    buf_text(&out, "]}");
    assert_int_equal(post(DIFF, items), 200);
    for (int i = 0; i < LARGE; i++) {
        snprintf(document, 16, "s%d", i);
        assert_string_equal(text_at(js("results.%d.id", i)).ptr, document);
        assert_json(js("results.%d.status", i), "'change'");
    }
    free(document);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(documents_are_new_changed_the_same_or_wrong),
        API_TEST(every_error_of_a_document_is_reported),
        API_TEST(an_incomplete_list_of_errors_says_so),
        API_TEST(equivalent_documents_are_the_same),
        API_TEST(a_pause_is_compared_only_if_the_document_has_paused),
        API_TEST(more_documents_than_one_read_are_compared),
        API_TEST(large_schedules_are_compared),
        API_TEST(wrong_requests_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
