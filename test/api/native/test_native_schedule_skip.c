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
    assert_json("skipped.0.slot", "'2026-01-05T11:00:00.000Z'");
    assert_json("skipped.1", "absent");
    assert_int_equal(get("/api/v1/schedules/s/next?count=1"), 200);
    assert_json("times.0.slot", "'2026-01-05T12:00:00.000Z'");
    pass_time(90 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.cancelled", "1");
    assert_json("state.counters.started", "0");
}

/* A schedule and the list show the same next time; 11:00 and 12:00 are cancelled. */
static void the_next_time_is_one_that_will_run(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(skip_next(NULL, "{'count':2}"), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "'2026-01-05T13:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules"), 200);
    assert_json("schedules.0.state.nextAt", "'2026-01-05T13:00:00.000Z'");
    assert_int_equal(
        ask("DELETE /api/v1/schedules/s/exceptions/2026-01-05T11:00:00Z", NULL, NULL), 204);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "'2026-01-05T11:00:00.000Z'");
    pass_time(90 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "'2026-01-05T13:00:00.000Z'");
    assert_json("state.counters.started", "1");
}

/* Its last slot is cancelled: no slot will run. */
static void without_a_next_run_next_at_is_null(void **state)
{
    (void)state;
    make("{'at':['2026-01-05T12:00:00Z']}", "");
    assert_int_equal(skip_next(NULL, ""), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "null");
    assert_json("state.nextSource", "null");
    make_other("{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    assert_int_equal(post("/api/v1/schedules/t/skip-next", ""), 200);
    assert_int_equal(get("/api/v1/schedules/t"), 200);
    assert_json("state.nextAt", "null"); /* the slot after it is decided later */
    pass_time(SPAN_H);
    assert_int_equal(get("/api/v1/schedules/t"), 200);
    assert_json("state.nextAt", "'2026-01-05T12:00:00.000Z'");
}

static void skipping_again_skips_the_following_slots(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(skip_next(NULL, "{'count':2}"), 200);
    assert_json("skipped.1.slot", "'2026-01-05T12:00:00.000Z'");
    assert_int_equal(skip_next(NULL, "{'count':1}"), 200);
    assert_json("skipped.0.slot", "'2026-01-05T13:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules/s/exceptions"), 200);
    assert_json("exceptions.2.slot", "'2026-01-05T13:00:00.000Z'");
    assert_json("exceptions.3", "absent");
    assert_json("cursor", "null");
}

static void the_same_key_skips_the_same_slots(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(skip_next("Idempotency-Key: one\r\n", ""), 200);
        assert_json("skipped.0.slot", "'2026-01-05T11:00:00.000Z'");
        assert_int_equal(skip_next("Idempotency-Key: two\r\n", "{'count':2}"), 200);
        assert_json("skipped.0.slot", "'2026-01-05T12:00:00.000Z'");
        assert_json("skipped.1.slot", "'2026-01-05T13:00:00.000Z'");
    }
    assert_int_equal(get("/api/v1/schedules/s/next?count=1"), 200);
    assert_json("times.0.slot", "'2026-01-05T14:00:00.000Z'");
}

static void a_slot_is_cancelled_by_its_time_and_restored(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T12:00:00Z", NULL, ""),
                     201);
    assert_json("slot", "'2026-01-05T12:00:00.000Z'");
    assert_int_equal(
        ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T13:00:00%2B01:00", NULL, ""), 200);
    assert_int_equal(
        ask("DELETE /api/v1/schedules/s/exceptions/2026-01-05T12:00:00.000Z", NULL, NULL), 204);
    assert_refused(
        ask("DELETE /api/v1/schedules/s/exceptions/2026-01-05T12:00:00Z", NULL, NULL), 404,
        "not_found", "");
    assert_int_equal(get("/api/v1/schedules/s/exceptions"), 200);
    assert_json("exceptions", "[]");
}

static void an_adaptive_schedule_has_one_next_slot(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    assert_int_equal(skip_next(NULL, "{'count':3}"), 200);
    assert_json("skipped.0.slot", "'2026-01-05T11:00:00.000Z'");
    assert_json("skipped.1", "absent");
}

static void errors_name_the_field(void **state)
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
    assert_json("skipped.1", "absent");
    assert_refused(skip_next(NULL, ""), 409, "bad_state", "");
    assert_refused(skip_next("If-Match: \"9\"\r\n", ""), 409, "bad_state", "");
}

/* A day after the last possible time there is no slot to skip or to show. */
static void an_adaptive_schedule_has_no_slot_after_the_year_9999(void **state)
{
    (void)state;
    world.now = INSTANT_MAX - 10 * SPAN_S;
    make("{'intervals':[{'every':'5s'}]}", ",'governor':{'minInterval':'1d'}");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "null");
    assert_refused(skip_next(NULL, ""), 409, "bad_state", "");
    assert_int_equal(get("/api/v1/schedules/s/next"), 200);
    assert_json("times", "[]");
    assert_int_equal(get("/api/v1/schedules/s/slots?to=9999-12-31T23:59:59.999Z"), 200);
    assert_json("slots", "[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(the_next_slot_is_cancelled_before_it_exists),
        API_TEST(the_next_time_is_one_that_will_run),
        API_TEST(without_a_next_run_next_at_is_null),
        API_TEST(skipping_again_skips_the_following_slots),
        API_TEST(the_same_key_skips_the_same_slots),
        API_TEST(a_slot_is_cancelled_by_its_time_and_restored),
        API_TEST(an_adaptive_schedule_has_one_next_slot),
        API_TEST(an_adaptive_schedule_has_no_slot_after_the_year_9999),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
