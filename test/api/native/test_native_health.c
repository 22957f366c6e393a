/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Health, readiness and version of the server, and accepting its clock.
 */
#include "world.h"

static void healthz_is_always_ok(void **state)
{
    (void)state;
    world.not_ready = "the database is away";
    assert_int_equal(get("/healthz"), 200);
    assert_json("", "{'status':'ok'}");
}

static void readiness_has_reasons(void **state)
{
    (void)state;
    assert_int_equal(get("/readyz"), 200);
    assert_json("", "{'status':'ready','reasons':[]}");
    world.not_ready = "the database is away";
    assert_refused(get("/readyz"), 503, "unavailable", "");
    assert_json("detail", "'the database is away; the clock has jumped'");
    assert_json("reasons", "[{'code':'database','detail':'the database is away'},"
                           "{'code':'clock','detail':'the clock has jumped'}]");
    assert_string_equal(field("Retry-After"), "1");
}

static void an_overload_is_a_reason_of_a_ready_server(void **state)
{
    (void)state;
    world.has_late_reads = true;
    assert_int_equal(get("/readyz"), 200);
    assert_json("", "{'status':'ready','reasons':[{'code':'reads_queued','detail':'reads "
                    "wait'}]}");
    world.not_ready = "the database is away";
    assert_refused(get("/readyz"), 503, "unavailable", "");
    assert_json("detail", "'the database is away; the clock has jumped'");
    assert_json("reasons.2.code", "'reads_queued'");
}

static void version_shows_the_build(void **state)
{
    (void)state;
    assert_int_equal(get("/version"), 200);
    assert_json("version", "'1.2.3'");
    assert_json("commit", "'abc'");
    assert_json("sqlite", "'3'");
    assert_json("libpq", "null");
    assert_json("startedAt", "'2026-01-05T10:00:00.000Z'");
}

static void accepting_the_clock_skips_the_slots_that_it_jumped_over(void **state)
{
    (void)state;
    assert_int_equal(
        post("/api/v1/schedules", js("{'id':'a','spec':{'cron':['0 * * * *']},'action':{'type':"
                                     "'queue','queue':'q'}}")),
        201);
    world.now += 5 * SPAN_H + SPAN_MIN;
    assert_refused(post("/api/v1/clock/accept", js("{'at':1}")), 400, "invalid_field", "at");
    assert_int_equal(post("/api/v1/clock/accept", ""), 200);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("state.counters.missed", "5");
    assert_json("state.counters.started", "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(healthz_is_always_ok),
        API_TEST(readiness_has_reasons),
        API_TEST(an_overload_is_a_reason_of_a_ready_server),
        API_TEST(version_shows_the_build),
        API_TEST(accepting_the_clock_skips_the_slots_that_it_jumped_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
