/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of settings that no other test changes: each does what its help says.
 */
#include <signal.h>

#include "core/time/text.h"
#include "fake_clock.h"
#include "request.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"

enum {
    LOOKS = 5,       /* turns in which a run could have started          */
    MANY = 512,      /* schedules that are due in the same minute         */
    ROWS = 64,       /* the minimum of turn_rows                          */
    PORTION = 5,     /* slots of a backfill per turn                     */
    TEXT_MAX = 65536 /* bytes of a request                               */
};

static int64_t turns(const struct world *w)
{
    return world_number(w, "SELECT turn FROM nodes");
}

static void with_enabled_off_the_server_answers_and_starts_nothing(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, &(struct server_start){.args = WORDS("--enabled=off")});

    make_schedule(d, "s", "'spec':{'at':['now']}," QUEUED);
    make_schedule(d, "other", QUEUED);
    /* Every poll causes a turn, and no turn starts a due run. */
    for (int i = 0; i < LOOKS; i++)
        assert_int_equal(json_array_size(claim(d, "q", 1, "0s")), 0);
    assert_int_equal(number_at(schedule_state(d, "s"), "counters.started"), 0);
    assert_int_equal(world_number(w, "SELECT count(*) FROM runs"), 0);
    api(d, 200, "PATCH", "/api/v1/schedules/other", "{'description':'still here'}");
    assert_int_equal(server_stop(d), 0);
    d = server_start(w, NULL);
    assert_int_equal(json_array_size(claim(d, "q", 1, "20s")), 1);
    assert_int_equal(server_stop(d), 0);
}

static instant moment_at(const json_t *json, const char *path)
{
    struct err err;
    instant t;

    assert_int_equal(instant_parse(str_of(text_at(json, path)), &t, &err), RC_OK);
    return t;
}

static void absent_policies_come_from_the_configuration(void **state)
{
    struct server *d = server_start(
        *state,
        &(struct server_start){.args = WORDS("--lease", "40s", "--heartbeat", "10s", "--grace",
                                             "5s", "--max-run-time", "2h", "--buffer-limit",
                                             "7", "--retention", "10d")});
    const json_t *policies, *run;

    make_schedule(d, "plain", "'spec':{'at':['now']}," QUEUED);
    policies = at(api(d, 200, "GET", "/api/v1/schedules/plain", NULL), "policies");
    assert_string_equal(text_at(policies, "lease.for"), "40s");
    assert_string_equal(text_at(policies, "lease.heartbeat"), "10s");
    assert_string_equal(text_at(policies, "lease.grace"), "5s");
    assert_string_equal(text_at(policies, "maxRunTime"), "2h");
    assert_int_equal(number_at(policies, "bufferLimit"), 7);
    assert_string_equal(text_at(policies, "retention.age"), "10d");
    run = at(claim(d, "q", 1, "20s"), "[0]");
    assert_int_equal(moment_at(run, "leaseUntil") - moment_at(run, "startedAt"), 40 * SPAN_S);
    make_schedule(d, "own", QUEUED ",'policies':{'lease':{'for':'50s'},'bufferLimit':3}");
    policies = at(api(d, 200, "GET", "/api/v1/schedules/own", NULL), "policies");
    assert_string_equal(text_at(policies, "lease.for"), "50s");
    assert_string_equal(text_at(policies, "lease.grace"), "5s");
    assert_int_equal(number_at(policies, "bufferLimit"), 3);
    assert_int_equal(server_stop(d), 0);
}

static void make_many(struct server *d)
{
    static char text[TEXT_MAX];
    size_t len = 0;

    for (int i = 0; i < MANY; i++) {
        int n = snprintf(text + len, sizeof text - len,
                         "%s{'id':'s%d','spec':{'cron':['0 12 * * *']}," QUEUED "}",
                         i > 0 ? "," : "", i);

        assert_in_range(n, 1, sizeof text - len - 1);
        len += (size_t)n;
    }
    api(d, 200, "POST", "/api/v1/bulk/schedules", "{'items':[%s]}", text);
}

static void a_turn_starts_at_most_turn_rows_schedules(void **state)
{
    struct world *w = *state;
    struct server *d;
    int64_t before;

    fake_clock_set_time(w, "2027-03-12T11:59:00Z");
    d = fake_clock_start(w, WORDS("--turn-rows", "64"));
    make_many(d);
    before = turns(w);
    fake_clock_set_time(w, "2027-03-12T12:00:01Z");
    UNTIL(world_number(w, "SELECT count(*) FROM runs") == MANY);
    assert_true(turns(w) - before >= MANY / ROWS);
    assert_int_equal(server_stop(d), 0);
}

/* 2026-01-01 01:00 to 2026-01-03 00:00 has 48 slots, of which a turn starts five. */
static void a_turn_starts_at_most_backfill_portion_slots(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(
        w, &(struct server_start){.args = WORDS("--backfill-portion", "5")});
    int64_t before;

    make_schedule(d, "s", "'spec':{'cron':['0 * * * *']}," QUEUED);
    before = turns(w);
    api(d, 202, "POST", "/api/v1/schedules/s/backfill",
        "{'from':'2026-01-01T01:00:00Z','to':'2026-01-03T00:00:00Z','overlap':'allowAll'}");
    UNTIL(world_number(w, "SELECT count(*) FROM runs") == 48);
    assert_true(turns(w) - before >= 48 / PORTION);
    assert_int_equal(world_number(w, "SELECT sum(started) FROM backfills"), 48);
    assert_int_equal(server_stop(d), 0);
}

static void zone_warning_and_minimum_interval_are_configurable(void **state)
{
    struct server *d = server_start(
        *state, &(struct server_start){.args = WORDS("--default-timezone", "Asia/Tokyo",
                                                     "--plan-warn-per-day", "10",
                                                     "--min-interval", "5m")});
    const json_t *answer;

    answer = api(d, 201, "POST", "/api/schedules",
                 "{'agentId':'a','scheduleType':'FIXED_TIMES','timesOfDay':['09:00']}");
    assert_string_equal(text_at(answer, "timezone"), "Asia/Tokyo");
    answer = api(d, 200, "POST", "/api/v1/preview", "{'spec':{'cron':['0 * * * *']}}");
    assert_non_null(strstr(text_at(answer, "warnings[0]"), "24 times a day"));
    answer = api(d, 400, "POST", "/api/v1/schedules",
                 "{'spec':{'intervals':[{'every':'4m'}]}," QUEUED "}");
    assert_string_equal(text_at(answer, "field"), "spec.intervals[0].every");
    assert_non_null(strstr(text_at(answer, "detail"), "5m"));
    make_schedule(d, "slow", "'spec':{'intervals':[{'every':'5m'}]}," QUEUED);
    assert_int_equal(server_stop(d), 0);
}

static void writes_above_rate_write_are_refused(void **state)
{
    struct server *d = server_start(*state,
                                    &(struct server_start){.args = WORDS("--rate-write", "2")});

    make_schedule(d, "a", QUEUED);
    make_schedule(d, "b", QUEUED);
    assert_string_equal(
        text_at(api(d, 429, "POST", "/api/v1/schedules", "{'id':'c'," QUEUED "}"), "code"),
        "rate_limited");
    api(d, 200, "GET", "/api/v1/schedules/a", NULL); /* reads have another limit: none */
    assert_int_equal(server_stop(d), 0);
}

static void the_log_has_the_configured_format_and_level(void **state)
{
    struct world *w = *state;
    int fd = world_notify_open(w);
    struct server *d = server_spawn(w, &(struct server_start){.args = WORDS("--log", "json")});

    server_await(d, "\"msg\":\"ready\"");
    assert_int_equal(d->log[0], '{');
    server_signal(d, SIGTERM);
    assert_int_equal(server_wait(d), 0);
    /* It is ready, but does not log that. */
    d = server_spawn(w, &(struct server_start){.args = WORDS("--log-level", "warn"),
                                               .env = WORDS(world_notify_env(w))});
    world_notify_await(fd, "READY=1");
    server_signal(d, SIGTERM);
    assert_int_equal(server_wait(d), 0);
    assert_false(server_has_logged(d, "level=info"));
    assert_false(server_has_logged(d, "msg=ready"));
}

/* Both kinds of address serve both protocols; they differ only in how they are announced. */
static void grpc_may_have_its_own_address(void **state)
{
    struct world *w = *state;
    struct server *d = server_spawn(
        w, &(struct server_start){.is_bare = true,
                                  .args = WORDS("--db", w->url, "--listen", "127.0.0.1:0",
                                                "--grpc", "127.0.0.1:0")});
    const char *line = server_await(d, "for=grpc");

    d->port = (uint16_t)strtol(strstr(line, " port=") + strlen(" port="), NULL, 10);
    server_await(d, "msg=ready");
    api(d, 200, "GET", "/healthz", NULL);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(with_enabled_off_the_server_answers_and_starts_nothing),
        E2E_TEST(absent_policies_come_from_the_configuration),
        E2E_TEST(a_turn_starts_at_most_turn_rows_schedules),
        E2E_TEST(a_turn_starts_at_most_backfill_portion_slots),
        E2E_TEST(zone_warning_and_minimum_interval_are_configurable),
        E2E_TEST(writes_above_rate_write_are_refused),
        E2E_TEST(the_log_has_the_configured_format_and_level),
        E2E_TEST(grpc_may_have_its_own_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
