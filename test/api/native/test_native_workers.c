/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of workers: heartbeat, complete, fail and release, in batches and alone.
 */
#include "world.h"

#include "store/history.h"
#include "store/logs.h"

enum { RUNS = 5 };

static char ids[RUNS][RUN_ID_TEXT_MAX];
static struct run_id keys[RUNS];

/* Starts and claims runs of the schedule "s"; each has fence 1. */
static void hold_runs(int count, const char *policies)
{
    struct err err;

    assert_int_equal(post("/api/v1/schedules",
                          js("{'id':'s','action':{'type':'queue','queue':'q'},'policies':"
                             "{'overlap':'allowAll'%s}}",
                             policies)),
                     201);
    for (int i = 0; i < count; i++) {
        assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
        snprintf(ids[i], sizeof ids[i], "%s", text_at("id").ptr);
        assert_int_equal(run_id_parse(str_of(ids[i]), &keys[i], &err), RC_OK);
    }
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':%d}", RUNS)), 200);
    assert_int_equal(world.call.grant_count, count);
}

static struct history_row newest(void)
{
    static struct arena *arena;
    struct db_result rows = {0};
    struct history_row row = {0};
    struct err err;

    arena = arena ? arena : arena_new(1 << 20);
    arena_reset(arena);
    history_of_schedule(world.reader, keys[0].schedule, INT64_MAX, 1, &rows);
    assert_int_equal(db_flush(world.reader, arena, &err), RC_OK);
    assert_int_equal(rows.rows, 1);
    history_read(&rows, 0, &row);
    return row;
}

/* Compares the last answer; %s in the format is the id of a run. */
static void assert_answer(const char *fmt, const char *id)
{
    const char *at = strstr(fmt, "%s");
    char expected[512];

    assert_non_null(at);
    snprintf(expected, sizeof expected, "%.*s%s%s", (int)(at - fmt), fmt, id, at + 2);
    assert_json("", expected);
}

static void assert_text(struct str got, const char *expected)
{
    assert_true(got.len < 4096);
    assert_string_equal(js("%.*s", (int)got.len, got.ptr), js("%s", expected));
}

static void a_batch_completes_runs_in_order(void **state)
{
    (void)state;
    hold_runs(3, "");
    assert_int_equal(post("/api/v1/runs/complete",
                          js("{'items':[{'id':'%s','fence':1},{'id':'%s','fence':9},"
                             "{'id':'%s','fence':1,'result':{'n':1},'summary':'fine'}]}",
                             ids[0], ids[1], ids[2])),
                     200);
    assert_json("results.0.status", "'ok'");
    assert_json("results.1.status", "'stale'");
    assert_json("results.2.status", "'ok'");
    assert_true(str_eq(text_at("results.1.id"), str_of(ids[1])));
    assert_int_equal(newest().outcome, OUTCOME_SUCCEEDED);
    assert_text(newest().result, "{'result':{'n':1},'summary':'fine'}");
}

static void the_second_end_of_one_run_is_stale(void **state)
{
    (void)state;
    hold_runs(1, "");
    assert_int_equal(
        post("/api/v1/runs/complete",
             js("{'items':[{'id':'%s','fence':1},{'id':'%s','fence':1}]}", ids[0], ids[0])),
        200);
    assert_json("results.0.status", "'ok'");
    assert_json("results.1.status", "'stale'");
}

static void a_batch_can_ask_for_failed_results_only(void **state)
{
    (void)state;
    hold_runs(5, "");
    assert_int_equal(
        post("/api/v1/runs/complete",
             js("{'results':'notOk','items':[{'id':'%s','fence':1},{'id':'%s','fence':9},"
                "{'fence':1},{'id':'%s','fence':1}]}",
                ids[0], ids[1], ids[2])),
        200);
    assert_json("ok", "2");
    assert_json("results.0.index", "1");
    assert_json("results.0.status", "'stale'");
    assert_true(str_eq(text_at("results.0.id"), str_of(ids[1])));
    assert_json("results.1.index", "2");
    assert_json("results.1.id", "null");
    assert_json("results.1.status", "'invalid'");
    assert_json("results.1.error.field", "'items[2].id'");
    assert_json("results.2", "absent");
    assert_int_equal(post("/api/v1/runs/fail",
                          js("{'items':[{'id':'%s','fence':1}],'results':'notOk'}", ids[3])),
                     200);
    assert_json("", "{'results':[],'ok':1}");
    assert_int_equal(post("/api/v1/runs/release",
                          js("{'items':[{'id':'%s','fence':1}],'results':'notOk'}", ids[4])),
                     200);
    assert_json("", "{'results':[],'ok':1}");
    assert_int_equal(post("/api/v1/runs/complete", js("{'items':[],'results':'notOk'}")), 200);
    assert_json("", "{'results':[],'ok':0}");
}

static void a_heartbeat_of_a_cancelled_run_always_has_a_result(void **state)
{
    (void)state;
    hold_runs(2, "");
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", ids[1]), ""), 202);
    assert_int_equal(
        post("/api/v1/runs/heartbeat",
             js("{'items':[{'id':'%s','fence':1},{'id':'%s','fence':1}],'results':'notOk'}",
                ids[0], ids[1])),
        200);
    assert_answer("{'results':[{'index':1,'id':'%s','status':'ok','cancelled':true,"
                  "'leaseUntil':'2026-01-05T10:01:30.000Z'}],'ok':1}",
                  ids[1]);
}

static void a_batch_returns_all_results_by_default(void **state)
{
    static const char *const same[] = {"", ",'results':'all'", ",'results':null"};
    static const char *const wrong[] = {"'some'", "'notok'", "true", "[]", "''"};

    (void)state;
    hold_runs(1, "");
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        assert_int_equal(post("/api/v1/runs/heartbeat",
                              js("{'items':[{'id':'%s','fence':1}]%s}", ids[0], same[i])),
                         200);
        assert_answer("{'results':[{'id':'%s','status':'ok','leaseUntil':"
                      "'2026-01-05T10:01:30.000Z'}]}",
                      ids[0]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(
            post("/api/v1/runs/complete",
                 js("{'items':[{'id':'%s','fence':1}],'results':%s}", ids[0], wrong[i])),
            400, "invalid_field", "results");
}

static void an_invalid_item_fails_alone(void **state)
{
    static const struct {
        bool has_id; /* `item` is the rest of an object that begins with an id */
        const char *item, *field;
    } wrong[] = {
        {false, "5", "items[1]"},
        {false, "{'fence':1}", "items[1].id"},
        {false, "{'id':'r_x','fence':1}", "items[1].id"},
        {false, "{'id':7,'fence':1}", "items[1].id"},
        {true, "'summary':'x'}", "items[1].fence"},
        {true, "'fence':'1'}", "items[1].fence"},
        {true, "'fence':-1}", "items[1].fence"},
        {true, "'fence':1,'resultt':1}", "items[1].resultt"},
        {true, "'fence':1,'summary':1}", "items[1].summary"},
        {true, "'fence':1,'log':[1]}", "items[1].log"},
        {true, "'fence':1,'log':5}", "items[1].log"},
    };

    (void)state;
    hold_runs(1, "");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *head = wrong[i].has_id ? js("{'id':'%s',", ids[0]) : "";

        assert_int_equal(
            post("/api/v1/runs/complete",
                 js("{'items':[{'id':'%s','fence':8},%s%s]}", ids[0], head, wrong[i].item)),
            200);
        assert_json("results.0.status", "'stale'");
        assert_json("results.1.status", "'invalid'");
        assert_json("results.1.error.code", "'invalid_field'");
        assert_string_equal(text_at("results.1.error.field").ptr, wrong[i].field);
    }
}

static void an_invalid_batch_is_refused(void **state)
{
    static char many[64 * 1024];
    struct buf out = BUF(many);

    (void)state;
    assert_refused(post("/api/v1/runs/complete", ""), 400, "invalid_json", "");
    assert_refused(post("/api/v1/runs/complete", "{}"), 400, "invalid_field", "items");
    assert_refused(post("/api/v1/runs/complete", js("{'item':[]}")), 400, "invalid_field",
                   "item");
    assert_refused(post("/api/v1/runs/complete", js("{'items':{}}")), 400, "invalid_field",
                   "items");
    assert_int_equal(post("/api/v1/runs/complete", js("{'items':[]}")), 200);
    assert_json("", "{'results':[]}");
    buf_text(&out, "{\"items\":[1");
    for (int i = 0; i < CALL_ITEMS_MAX; i++)
        buf_text(&out, ",1");
    buf_text(&out, "]}");
    assert_refused(post("/api/v1/runs/complete", many), 422, "limit", "items");
}

static void a_heartbeat_extends_the_lease_and_reports_a_cancel(void **state)
{
    (void)state;
    hold_runs(2, ",'lease':{'for':'90s','heartbeat':'30s','grace':'30s'}");
    pass_time(10 * SPAN_S);
    assert_int_equal(post("/api/v1/runs/heartbeat",
                          js("{'items':[{'id':'%s','fence':1,'progress':{'text':'half',"
                             "'percent':50}},{'id':'%s','fence':1,'extend':'5m'}]}",
                             ids[0], ids[1])),
                     200);
    assert_json("results.0.leaseUntil", "'2026-01-05T10:01:40.000Z'");
    assert_json("results.0.cancelled", "absent");
    assert_json("results.1.leaseUntil", "'2026-01-05T10:05:10.000Z'");
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", ids[0]), ""), 202);
    assert_int_equal(post("/api/v1/runs/heartbeat",
                          js("{'items':[{'id':'%s','fence':1,'progress':'at work'}]}", ids[0])),
                     200);
    assert_json("results.0.status", "'ok'");
    assert_json("results.0.cancelled", "true");
}

static void invalid_heartbeats_are_refused(void **state)
{
    static const struct {
        const char *item, *field;
    } wrong[] = {
        {"'progress':5", "items[0].progress"},
        {"'progress':{'percent':101}", "items[0].progress.percent"},
        {"'progress':{'percent':'5'}", "items[0].progress.percent"},
        {"'progress':{'part':1}", "items[0].progress.part"},
        {"'progress':{'text':1}", "items[0].progress.text"},
        {"'extend':'0s'", "items[0].extend"},
        {"'extend':60", "items[0].extend"},
        {"'extend':'25h'", "items[0].extend"},
    };

    (void)state;
    hold_runs(1, "");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(
            post("/api/v1/runs/heartbeat",
                 js("{'items':[{'id':'%s','fence':1,%s}]}", ids[0], wrong[i].item)),
            200);
        assert_json("results.0.status", "'invalid'");
        assert_string_equal(text_at("results.0.error.field").ptr, wrong[i].field);
    }
}

static void a_failure_has_a_code_a_message_and_whether_to_try_again(void **state)
{
    (void)state;
    hold_runs(1, "");
    assert_int_equal(post(js("/api/v1/runs/%s/fail", ids[0]),
                          js("{'fence':1,'error':{'code':'disk','message':'it is \\'full\\'',"
                             "'retryable':false}}")),
                     200);
    assert_json("status", "'ok'");
    assert_int_equal(newest().outcome, OUTCOME_FAILED);
    assert_int_equal(newest().reason, REASON_TARGET);
    assert_text(newest().error,
                "{'code':'disk','message':'it is \\'full\\'','retryable':false}");
}

static void a_failure_may_ask_for_a_later_attempt(void **state)
{
    (void)state;
    hold_runs(1, ",'retry':{'attempts':2,'delay':'1s'}");
    assert_int_equal(
        post("/api/v1/runs/fail",
             js("{'items':[{'id':'%s','fence':1,'error':'no','retryAfter':'1m'}]}", ids[0])),
        200);
    assert_json("results.0.status", "'ok'");
    pass_time(59 * SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_json("runs", "[]");
    pass_time(SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_json("runs.0.attempt", "2");
    assert_json("runs.0.fence", "2");
}

static void a_failure_with_code_cancelled_is_a_cancellation(void **state)
{
    (void)state;
    hold_runs(1, ",'retry':{'attempts':5}");
    assert_int_equal(post(js("/api/v1/runs/%s/fail", ids[0]),
                          js("{'fence':1,'error':{'code':'cancelled'}}")),
                     200);
    assert_int_equal(newest().outcome, OUTCOME_CANCELLED);
}

static void invalid_failure_reports_are_refused(void **state)
{
    (void)state;
    hold_runs(1, "");
    assert_refused(post(js("/api/v1/runs/%s/fail", ids[0]), js("{'fence':1,'error':5}")), 400,
                   "invalid_field", "error");
    assert_refused(
        post(js("/api/v1/runs/%s/fail", ids[0]), js("{'fence':1,'error':{'retryable':1}}")),
        400, "invalid_field", "error.retryable");
    assert_refused(
        post(js("/api/v1/runs/%s/fail", ids[0]), js("{'fence':1,'retryAfter':'400d'}")), 400,
        "invalid_field", "retryAfter");
}

static void a_run_that_is_released_is_ready_again_at_once(void **state)
{
    (void)state;
    hold_runs(1, "");
    assert_int_equal(
        post("/api/v1/runs/release", js("{'items':[{'id':'%s','fence':1}]}", ids[0])), 200);
    assert_json("results.0.status", "'ok'");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_json("runs.0.attempt", "1");
    assert_json("runs.0.fence", "2");
}

static void a_begun_run_that_is_released_may_end_as_unknown(void **state)
{
    (void)state;
    hold_runs(1, ",'delivery':'atMostOnce'");
    assert_int_equal(post("/api/v1/runs/release",
                          js("{'items':[{'id':'%s','fence':1,'begun':true}]}", ids[0])),
                     200);
    assert_json("results.0.status", "'ok'");
    assert_int_equal(newest().outcome, OUTCOME_UNKNOWN);
    assert_refused(post(js("/api/v1/runs/%s/release", ids[0]), js("{'fence':1,'begun':1}")),
                   400, "invalid_field", "begun");
}

static void a_stale_report_of_one_run_is_a_conflict(void **state)
{
    (void)state;
    hold_runs(2, "");
    assert_int_equal(post(js("/api/v1/runs/%s/heartbeat", ids[0]), js("{'fence':1}")), 200);
    assert_json("status", "'ok'");
    assert_refused(post(js("/api/v1/runs/%s/heartbeat", ids[0]), js("{'fence':2}")), 409,
                   "stale_fence", "");
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", ids[0]), js("{'fence':1,'result':'done'}")), 200);
    assert_text(newest().result, "{'result':'done'}");
    assert_refused(post(js("/api/v1/runs/%s/complete", ids[0]), js("{'fence':1}")), 409,
                   "stale_fence", "");
    assert_refused(post("/api/v1/runs/r_none/complete", js("{'fence':1}")), 404, "not_found",
                   "");
    assert_refused(
        post(js("/api/v1/runs/%s/complete", ids[1]), js("{'id':'%s','fence':1}", ids[0])), 400,
        "invalid_field", "id");
    assert_refused(post(js("/api/v1/runs/%s/complete", ids[1]), js("{'fense':1}")), 400,
                   "invalid_field", "fense");
    assert_int_equal(
        post(js("/api/v1/runs/%s/release", ids[1]), js("{'id':'%s','fence':1}", ids[1])), 200);
}

static void lines_of_a_report_become_the_runs_log(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    static const char *const lines[] = {"one", "", "two", "three", "four"};
    struct log_part run, part;
    struct db_result rows = {0};
    struct log_line line;
    struct err err;
    int count = 0;

    (void)state;
    hold_runs(1, "");
    assert_int_equal(
        post("/api/v1/runs/heartbeat",
             js("{'items':[{'id':'%s','fence':1,'log':'one\\n\\ntwo\\n'}]}", ids[0])),
        200);
    assert_int_equal(
        post("/api/v1/runs/complete",
             js("{'items':[{'id':'%s','fence':1,'log':['three','four']}]}", ids[0])),
        200);
    run = (struct log_part){
        .schedule = keys[0].schedule, .slot = keys[0].slot_ms * SPAN_MS, .pass = keys[0].pass};
    logs_of_run(world.reader, &run, 0, 10, &rows);
    assert_int_equal(db_flush(world.reader, arena, &err), RC_OK);
    assert_int_equal(rows.rows, 2);
    for (int i = 0; i < rows.rows; i++) {
        bool any = true;

        logs_read(&rows, i, &part);
        while (log_line_unpack(&part.body, &line, &any, &err) == RC_OK && any) {
            assert_true(str_eq(line.text, str_of(lines[count++])));
            assert_int_equal(line.stream, LOG_WORKER);
            assert_int_equal(line.at, world.now);
        }
    }
    assert_int_equal(count, 5);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_batch_completes_runs_in_order),
        API_TEST(the_second_end_of_one_run_is_stale),
        API_TEST(a_batch_can_ask_for_failed_results_only),
        API_TEST(a_heartbeat_of_a_cancelled_run_always_has_a_result),
        API_TEST(a_batch_returns_all_results_by_default),
        API_TEST(an_invalid_item_fails_alone),
        API_TEST(an_invalid_batch_is_refused),
        API_TEST(a_heartbeat_extends_the_lease_and_reports_a_cancel),
        API_TEST(invalid_heartbeats_are_refused),
        API_TEST(a_failure_has_a_code_a_message_and_whether_to_try_again),
        API_TEST(a_failure_may_ask_for_a_later_attempt),
        API_TEST(a_failure_with_code_cancelled_is_a_cancellation),
        API_TEST(invalid_failure_reports_are_refused),
        API_TEST(a_run_that_is_released_is_ready_again_at_once),
        API_TEST(a_begun_run_that_is_released_may_end_as_unknown),
        API_TEST(a_stale_report_of_one_run_is_a_conflict),
        API_TEST(lines_of_a_report_become_the_runs_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
