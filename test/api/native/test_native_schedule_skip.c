/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancelling planned slots and restoring them.
 */
#include "world.h"

static void make(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

static void make_other(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/t", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

static int skip_next(const char *fields, const char *body)
{
    return ask("POST /api/v1/schedules/s/skip-next", fields, js("%s", body));
}

static void the_next_slot_is_cancelled_before_it_exists(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(skip_next(NULL, ""), 200);
    assert_told("skipped.0.slot", "'2026-01-05T11:00:00.000Z'");
    assert_told("skipped.1", "absent");
    assert_int_equal(get("/api/v1/schedules/s/next?count=1"), 200);
    assert_told("times.0.slot", "'2026-01-05T12:00:00.000Z'");
    pass(90 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.counters.cancelled", "1");
    assert_told("state.counters.started", "0");
}

/* A schedule, lists and other APIs show the same next time; 11:00 and 12:00 are cancelled. */
static void the_next_that_is_told_is_one_that_will_run(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(skip_next(NULL, "{'count':2}"), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.nextAt", "'2026-01-05T13:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules"), 200);
    assert_told("schedules.0.state.nextAt", "'2026-01-05T13:00:00.000Z'");
    assert_int_equal(
        ask("DELETE /api/v1/schedules/s/exceptions/2026-01-05T11:00:00Z", NULL, NULL), 204);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.nextAt", "'2026-01-05T11:00:00.000Z'");
    pass(90 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.nextAt", "'2026-01-05T13:00:00.000Z'");
    assert_told("state.counters.started", "1");
}

/* Its last slot is cancelled: no slot will run. */
static void without_any_that_will_run_none_is_told(void **state)
{
    (void)state;
    make("{'at':['2026-01-05T12:00:00Z']}", "");
    assert_int_equal(skip_next(NULL, ""), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.nextAt", "null");
    assert_told("state.nextSource", "null");
    make_other("{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    assert_int_equal(post("/api/v1/schedules/t/skip-next", ""), 200);
    assert_int_equal(get("/api/v1/schedules/t"), 200);
    assert_told("state.nextAt", "null"); /* the slot after it is decided later */
    pass(SPAN_H);
    assert_int_equal(get("/api/v1/schedules/t"), 200);
    assert_told("state.nextAt", "'2026-01-05T12:00:00.000Z'");
}

static void several_and_then_those_behind_them(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(skip_next(NULL, "{'count':2}"), 200);
    assert_told("skipped.1.slot", "'2026-01-05T12:00:00.000Z'");
    assert_int_equal(skip_next(NULL, "{'count':1}"), 200);
    assert_told("skipped.0.slot", "'2026-01-05T13:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules/s/exceptions"), 200);
    assert_told("exceptions.2.slot", "'2026-01-05T13:00:00.000Z'");
    assert_told("exceptions.3", "absent");
    assert_told("cursor", "null");
}

static void the_same_key_skips_the_same_slots(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(skip_next("Idempotency-Key: one\r\n", ""), 200);
        assert_told("skipped.0.slot", "'2026-01-05T11:00:00.000Z'");
        assert_int_equal(skip_next("Idempotency-Key: two\r\n", "{'count':2}"), 200);
        assert_told("skipped.0.slot", "'2026-01-05T12:00:00.000Z'");
        assert_told("skipped.1.slot", "'2026-01-05T13:00:00.000Z'");
    }
    assert_int_equal(get("/api/v1/schedules/s/next?count=1"), 200);
    assert_told("times.0.slot", "'2026-01-05T14:00:00.000Z'");
}

static void a_slot_by_its_time_and_back(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T12:00:00Z", NULL, ""),
                     201);
    assert_told("slot", "'2026-01-05T12:00:00.000Z'");
    assert_int_equal(
        ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T13:00:00%2B01:00", NULL, ""), 200);
    assert_int_equal(
        ask("DELETE /api/v1/schedules/s/exceptions/2026-01-05T12:00:00.000Z", NULL, NULL), 204);
    assert_refused(
        ask("DELETE /api/v1/schedules/s/exceptions/2026-01-05T12:00:00Z", NULL, NULL), 404,
        "not_found", "");
    assert_int_equal(get("/api/v1/schedules/s/exceptions"), 200);
    assert_told("exceptions", "[]");
}

static void an_adaptive_schedule_has_one_next(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    assert_int_equal(skip_next(NULL, "{'count':3}"), 200);
    assert_told("skipped.0.slot", "'2026-01-05T11:00:00.000Z'");
    assert_told("skipped.1", "absent");
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_refused(skip_next(NULL, ""), 404, "not_found", "");
    assert_refused(get("/api/v1/schedules/s/exceptions"), 404, "not_found", "");
    assert_refused(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T12:00:00Z", NULL, ""),
                   404, "not_found", "");
    make("{'at':['2026-01-05T12:00:00Z']}", "");
    assert_refused(skip_next(NULL, "{'count':0}"), 400, "invalid_field", "count");
    assert_refused(skip_next(NULL, "{'count':1001}"), 400, "invalid_field", "count");
    assert_refused(skip_next(NULL, "{'count':'1'}"), 400, "invalid_field", "count");
    assert_refused(skip_next(NULL, "{'number':1}"), 400, "invalid_field", "number");
    assert_refused(skip_next(NULL, "["), 400, "invalid_json", "");
    assert_refused(ask("PUT /api/v1/schedules/s/exceptions/noon", NULL, ""), 400,
                   "invalid_field", "slot");
    assert_refused(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T12:30:00Z", NULL, ""),
                   404, "not_found", "");
    assert_int_equal(skip_next(NULL, "{'count':9}"), 200);
    assert_told("skipped.1", "absent");
    assert_refused(skip_next(NULL, ""), 409, "bad_state", "");
    assert_refused(skip_next("If-Match: \"9\"\r\n", ""), 409, "bad_state", "");
}

/* A day after the last possible time there is no slot to skip or to show. */
static void an_adaptive_schedule_has_no_slot_behind_the_last_year(void **state)
{
    (void)state;
    world.now = INSTANT_MAX - 10 * SPAN_S;
    make("{'intervals':[{'every':'5s'}]}", ",'governor':{'minInterval':'1d'}");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.nextAt", "null");
    assert_refused(skip_next(NULL, ""), 409, "bad_state", "");
    assert_int_equal(get("/api/v1/schedules/s/next"), 200);
    assert_told("times", "[]");
    assert_int_equal(get("/api/v1/schedules/s/slots?to=9999-12-31T23:59:59.999Z"), 200);
    assert_told("slots", "[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(the_next_slot_is_cancelled_before_it_exists),
        SERVED(the_next_that_is_told_is_one_that_will_run),
        SERVED(without_any_that_will_run_none_is_told),
        SERVED(several_and_then_those_behind_them),
        SERVED(the_same_key_skips_the_same_slots),
        SERVED(a_slot_by_its_time_and_back),
        SERVED(an_adaptive_schedule_has_one_next),
        SERVED(an_adaptive_schedule_has_no_slot_behind_the_last_year),
        SERVED(what_is_wrong_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
