/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Setting and clearing hints through the API.
 */
#include "world.h"

static void make(const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':{'intervals':[{'every':'1h'}]},"
                            "'action':{'type':'queue','queue':'q'}%s}",
                            rest)),
                     201);
}

static int hint(const char *body)
{
    return ask("PUT /api/v1/schedules/s/hint", NULL, js("%s", body));
}

static int fail_one(void)
{
    struct str id;

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    id = text_at("runs.0.id");
    assert_int_equal(post(js("/api/v1/runs/%s/fail", id.ptr),
                          js("{'fence':%s,'error':{'code':'x','message':'broken',"
                             "'retryable':false}}",
                             json_at("runs.0.fence"))),
                     200);
    return get("/api/v1/schedules/s");
}

static void a_hint_counts_until_it_expires(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_int_equal(hint("{'interval':'5m','expires':'2026-01-05T12:00:00Z','reason':'load'}"),
                     200);
    assert_json("governor.hint", "{'interval':'5m','at':null,"
                                 "'expires':'2026-01-05T12:00:00.000Z','reason':'load'}");
    assert_json("state.nextAt", "'2026-01-05T10:05:00.000Z'");
    assert_json("state.nextSource", "'ai-interval'");
}

static void a_hint_without_an_end_counts_an_hour(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_int_equal(hint("{'at':'2026-01-05T10:20:00Z'}"), 200);
    assert_json("governor.hint.expires", "'2026-01-05T11:00:00.000Z'");
    assert_json("governor.hint.reason", "null");
    assert_json("state.nextAt", "'2026-01-05T10:20:00.000Z'");
    assert_json("state.nextSource", "'ai-oneshot'");
}

static void a_hint_for_a_later_time_expires_after_it(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_int_equal(hint("{'at':'2026-01-05T13:00:00Z'}"), 200);
    assert_json("governor.hint.expires", "'2026-01-05T14:00:00.000Z'");
    assert_int_equal(hint("{'interval':'2h'}"), 200);
    assert_json("governor.hint.expires", "'2026-01-05T13:00:00.000Z'");
}

static void a_hint_must_not_expire_before_its_run(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_refused(hint("{'at':'2026-01-05T10:20:00Z','expires':'2026-01-05T10:10:00Z'}"), 400,
                   "invalid_field", "expires");
    assert_refused(hint("{'at':'2026-01-05T10:20:00Z','expires':'2026-01-05T10:20:00Z'}"), 400,
                   "invalid_field", "expires");
    assert_refused(
        ask("PUT /api/v1/schedules/s", NULL,
            js("{'spec':{'cron':['0 * * * *']},'action':{'type':'queue','queue':'q'},"
               "'governor':{'hint':{'at':'2026-01-05T10:20:00Z',"
               "'expires':'2026-01-05T10:10:00Z'}}}")),
        400, "invalid_policy", "governor.hint.expires");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("governor.hint.at", "null");
    assert_json("state.nextAt", "'2026-01-05T11:00:00.000Z'");
}

static void a_hint_replaces_the_whole_hint(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_int_equal(hint("{'interval':'5m','reason':'load'}"), 200);
    assert_int_equal(hint("{'at':'2026-01-05T10:20:00Z','expires':'2026-01-05T10:30:00Z'}"),
                     200);
    assert_json("governor.hint", "{'interval':null,'at':'2026-01-05T10:20:00.000Z',"
                                 "'expires':'2026-01-05T10:30:00.000Z','reason':null}");
    assert_json("state.warnings", "absent");
    assert_int_equal(hint("{'interval':'5m'}"), 200);
    assert_json("governor.hint.at", "null");
}

static void a_hint_of_both_kinds_has_a_warning(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_int_equal(hint("{'interval':'5m','at':'2026-01-05T10:20:00Z'}"), 200);
    assert_non_null(strstr(json_at("state.warnings.0"), "both interval and at"));
}

static void clearing_a_hint_clears_its_reason(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_int_equal(hint("{'interval':'5m','reason':'load'}"), 200);
    assert_int_equal(ask("DELETE /api/v1/schedules/s/hint", NULL, NULL), 200);
    assert_json("governor.hint", "{'interval':null,'at':null,'expires':null,'reason':null}");
    assert_int_equal(hint("{'interval':'5m'}"), 200);
    assert_json("governor.hint.reason", "null");
}

static void errors_name_the_field_of_a_hint(void **state)
{
    (void)state;
    assert_refused(hint("{'interval':'5m'}"), 404, "not_found", "");
    make("");
    assert_refused(hint("{'interval':'5m'}"), 400, "invalid_field", "");
    assert_non_null(strstr(json_at("detail"), "governor"));
    assert_refused(hint("{}"), 400, "invalid_field", "interval");
    assert_refused(hint("{'interval':'5m','expires':'2026-01-05T10:00:00Z'}"), 400,
                   "invalid_field", "expires");
    assert_refused(hint("{'interval':'1ms'}"), 400, "invalid_field", "interval");
    assert_refused(hint("{'intervall':'5m'}"), 400, "invalid_field", "intervall");
    assert_non_null(strstr(json_at("detail"), "interval"));
    assert_refused(ask("DELETE /api/v1/schedules/s/hint", NULL, NULL), 400, "invalid_field",
                   "");
    assert_refused(ask("DELETE /api/v1/schedules/t/hint", NULL, NULL), 404, "not_found", "");
}

static void a_hint_is_within_what_the_server_and_the_schedule_allow(void **state)
{
    (void)state;
    world.context.min_interval = 10 * SPAN_S;
    make(",'governor':{'minInterval':'1m','maxInterval':'2h'}");
    assert_refused(hint("{'interval':'9s'}"), 400, "invalid_field", "interval");
    assert_non_null(strstr(json_at("detail"), "minimum interval of this server"));
    assert_refused(hint("{'interval':'59s'}"), 400, "invalid_field", "");
    assert_non_null(strstr(json_at("detail"), "shorter than the governor's minInterval"));
    assert_refused(hint("{'interval':'121m'}"), 400, "invalid_field", "");
    assert_non_null(strstr(json_at("detail"), "longer than the governor's maxInterval"));
    assert_refused(hint("{'at':'2026-01-05T10:00:00Z'}"), 400, "invalid_field", "at");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("governor.hint.interval", "null"); /* nothing was stored */
    assert_json("state.nextAt", "'2026-01-05T11:00:00.000Z'");
    assert_int_equal(hint("{'interval':'1m'}"), 200);
    assert_int_equal(hint("{'interval':'2h'}"), 200);
}

/* 1 min is below the new minimum, which applies; a document with both is accepted. */
static void bounds_that_are_set_later_apply_to_a_hint(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_int_equal(hint("{'interval':'1m'}"), 200);
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'governor':{'minInterval':'5m'}}")), 200);
    assert_json("governor.hint.interval", "'1m'");
    assert_json("state.nextAt", "'2026-01-05T10:05:00.000Z'");
    assert_json("state.nextSource", "'clamped-min'");
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL,
                         js("{'governor':{'minInterval':'5m','hint':{'interval':'1m',"
                            "'at':'2026-01-05T09:00:00Z','expires':'2027-01-01T00:00:00Z'}}}")),
                     200);
    assert_json("governor.hint.interval", "'5m'");
    assert_json("governor.hint.at", "null"); /* it is in the past */
    assert_json("state.nextAt", "'2026-01-05T10:05:00.000Z'");
    world.context.min_interval = 10 * SPAN_S;
    assert_refused(ask("PATCH /api/v1/schedules/s", NULL,
                       js("{'governor':{'minInterval':null,'hint':{'interval':'2s',"
                          "'expires':'2027-01-01T00:00:00Z'}}}")),
                   400, "invalid_policy", "governor.hint.interval");
}

static void reset_failures_clears_the_count(void **state)
{
    (void)state;
    make("");
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    fail_one();
    assert_json("state.failures", "1");
    assert_int_equal(post("/api/v1/schedules/s/reset-failures", ""), 200);
    assert_json("state.failures", "0");
    assert_refused(post("/api/v1/schedules/t/reset-failures", ""), 404, "not_found", "");
    assert_refused(post("/api/v1/schedules/s/reset-failures", js("{'all':true}")), 400,
                   "invalid_field", "all");
}

static void a_test_run_does_not_change_the_schedule(void **state)
{
    (void)state;
    make("");
    assert_int_equal(post("/api/v1/schedules/s/test", js("{'input':{'a':1}}")), 202);
    assert_json("schedule", "'s'");
    assert_true(str_starts(str_of(field("Location")), STR("/api/v1/runs/r_")));
    assert_int_equal(get(field("Location")), 200);
    assert_json("kind", "'test'");
    fail_one();
    assert_json("state.failures", "0");
    assert_json("state.open", "0");
    assert_json("state.counters.failed", "0");
    assert_refused(post("/api/v1/schedules/t/test", ""), 404, "not_found", "");
    assert_refused(post("/api/v1/schedules/s/test", js("{'input':1}")), 400, "invalid_field",
                   "input");
    assert_refused(post("/api/v1/schedules/s/test", js("{'overlap':'skip'}")), 400,
                   "invalid_field", "overlap");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_hint_counts_until_it_expires),
        API_TEST(a_hint_without_an_end_counts_an_hour),
        API_TEST(a_hint_for_a_later_time_expires_after_it),
        API_TEST(a_hint_must_not_expire_before_its_run),
        API_TEST(a_hint_replaces_the_whole_hint),
        API_TEST(a_hint_of_both_kinds_has_a_warning),
        API_TEST(clearing_a_hint_clears_its_reason),
        API_TEST(errors_name_the_field_of_a_hint),
        API_TEST(a_hint_is_within_what_the_server_and_the_schedule_allow),
        API_TEST(bounds_that_are_set_later_apply_to_a_hint),
        API_TEST(reset_failures_clears_the_count),
        API_TEST(a_test_run_does_not_change_the_schedule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
