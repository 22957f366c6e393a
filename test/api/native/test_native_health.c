/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Health, readiness and version of the server, and accepting its clock.
 */
#include "world.h"

static void health_is_always_well(void **state)
{
    (void)state;
    world.not_ready = "the database is away";
    assert_int_equal(get("/healthz"), 200);
    assert_told("", "{'status':'ok'}");
}

static void readiness_has_reasons(void **state)
{
    (void)state;
    assert_int_equal(get("/readyz"), 200);
    assert_told("", "{'status':'ready','reasons':[]}");
    world.not_ready = "the database is away";
    assert_refused(get("/readyz"), 503, "unavailable", "");
    assert_told("detail", "'the database is away; the clock has jumped'");
    assert_told("reasons", "[{'code':'database','detail':'the database is away'},"
                           "{'code':'clock','detail':'the clock has jumped'}]");
    assert_string_equal(field("Retry-After"), "1");
}

static void the_version_is_told(void **state)
{
    (void)state;
    assert_int_equal(get("/version"), 200);
    assert_told("version", "'1.2.3'");
    assert_told("commit", "'abc'");
    assert_told("sqlite", "'3'");
    assert_told("libpq", "null");
    assert_told("startedAt", "'2026-01-05T10:00:00.000Z'");
}

static void a_clock_that_is_accepted_leaves_out_what_it_jumped_over(void **state)
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
    assert_told("state.counters.missed", "5");
    assert_told("state.counters.started", "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(health_is_always_well),
        SERVED(readiness_has_reasons),
        SERVED(the_version_is_told),
        SERVED(a_clock_that_is_accepted_leaves_out_what_it_jumped_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
