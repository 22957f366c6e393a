/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of steps of the system clock.
 */
#include "base/instant.h"
#include "fake_clock.h"
#include "request.h"

#define EACH_MIN "'spec':{'intervals':[{'every':'1m'}]}"
#define QUEUED   "'action':{'type':'queue','queue':'q'}"
#define ALL      "'policies':{'overlap':'allowAll','catchup':{'mode':'all'}}"

static struct server *start(struct world *w)
{
    fake_clock_set_offset(w, "+0");
    return fake_clock_start(w, NULL);
}

static int64_t accounted(const struct world *w)
{
    return world_number(w, "SELECT started + missed + skipped FROM cursors");
}

/* Slots of every minute up to the mark that are not accounted for. */
static int64_t lost(const struct world *w)
{
    return world_number(w, "SELECT mark / 60000000 - (SELECT created_at FROM schedules) / "
                           "60000000 - started - missed - skipped FROM cursors");
}

static int64_t doubled(const struct world *w)
{
    return world_number(w, "SELECT count(*) - count(DISTINCT slot) FROM history");
}

static int64_t started(const struct world *w)
{
    return world_number(w, "SELECT started FROM cursors");
}

/* Claims and completes all ready runs; returns how many there were. */
static int complete_all(struct server *d)
{
    int count = 0;

    for (;;) {
        const json_t *runs = claim(d, "q", 1, "0s");

        if (json_array_size(runs) == 0)
            return count;
        assert_int_equal(tell_run(d, "complete", at(runs, "[0]"), "").status, 200);
        count++;
    }
}

static void a_step_ahead_is_followed_and_its_slots_are_caught_up(void **state)
{
    struct world *w = *state;
    struct server *d = start(w);

    make_schedule(d, "tick",
                  EACH_MIN "," QUEUED); /* of the late slots only the latest starts */
    fake_clock_set_offset(w, "+10m");
    assert_non_null(strstr(server_await(d, "msg=\"clock stepped\""), "held=false"));
    UNTIL(accounted(w) >= 10);
    assert_int_equal(world_events(w, "clock.jump"), 1);
    assert_int_equal(lost(w), 0);
    assert_true(started(w) >= 1 && started(w) <= 2); /* a minute may have begun since */
    assert_int_equal(ask(d, "GET", "/readyz", NULL).status, 200);
    assert_int_equal(server_stop(d), 0);
}

static void a_step_back_starts_no_slot_twice(void **state)
{
    struct world *w = *state;
    struct server *d = start(w);
    int64_t before;

    make_schedule(d, "tick", EACH_MIN "," QUEUED "," ALL);
    fake_clock_set_offset(w, "+10m");
    UNTIL(started(w) >= 10);
    assert_true(complete_all(d) >= 10);
    before = started(w);
    fake_clock_set_offset(w, "+0");
    assert_non_null(strstr(server_await(d, "step_ms=-"), "held=false"));
    complete_all(d);
    fake_clock_set_offset(w, "+10m");
    server_await(d, "step_ms=");
    UNTIL(complete_all(d) == 0);
    assert_in_range(started(w), before, before + 1); /* a minute may have begun since */
    assert_int_equal(lost(w), 0);
    assert_int_equal(doubled(w), 0);
    assert_int_equal(server_stop(d), 0);
}

/* The clock jumps further than max_jump, and nothing is started. */
static struct server *start_and_jump(struct world *w)
{
    struct server *d = start(w);
    struct answer answer;

    make_schedule(d, "tick", EACH_MIN "," QUEUED "," ALL);
    fake_clock_set_offset(w, "+2h");
    assert_non_null(strstr(server_await(d, "msg=\"clock stepped\""), "held=true"));
    UNTIL((answer = ask(d, "GET", "/readyz", NULL)).status == 503);
    assert_non_null(strstr(text_at(answer.json, "detail"), "/api/v1/clock/accept"));
    assert_int_equal(complete_all(d), 0);
    assert_in_range(accounted(w), 0, 1);
    return d;
}

static void a_jump_holds_all_starts_until_it_is_accepted(void **state)
{
    struct world *w = *state;
    struct server *d = start_and_jump(w);

    api(d, 200, "POST", "/api/v1/clock/accept", NULL);
    server_await(d, "msg=\"clock trusted again\"");
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    UNTIL(accounted(w) >= 120);
    assert_in_range(started(w), 0, 2);                  /* skipped slots are missed(clock) */
    assert_int_equal(world_events(w, "clock.jump"), 2); /* detected, and accepted */
    assert_int_equal(lost(w), 0);
    assert_int_equal(server_stop(d), 0);
}

static void a_jump_that_is_reverted_needs_no_acceptance(void **state)
{
    struct world *w = *state;
    struct server *d = start_and_jump(w);

    fake_clock_set_offset(w, "+0");
    server_await(d, "msg=\"clock trusted again\"");
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    complete_all(d);
    assert_in_range(started(w), 0, 2);
    assert_int_equal(lost(w), 0);
    assert_int_equal(server_stop(d), 0);
}

/* The database has times later than this clock, so the clock must be wrong. */
static void a_clock_far_behind_at_the_start_holds_all_starts(void **state)
{
    struct world *w = *state;
    struct server *d = start(w);
    struct answer answer;

    make_schedule(d, "tick", EACH_MIN "," QUEUED "," ALL);
    assert_int_equal(server_stop(d), 0);
    fake_clock_set_offset(w, "-2h");
    d = fake_clock_spawn(w, NULL);
    d->port = server_port(d);
    assert_non_null(strstr(server_await(d, "msg=\"clock stepped\""), "held=true"));
    UNTIL(ask(d, "GET", "/api/v1/schedules/tick", NULL).status == 200); /* the server answers */
    answer = ask(d, "GET", "/readyz", NULL);
    assert_int_equal(answer.status, 503);
    assert_non_null(strstr(text_at(answer.json, "detail"), "clock"));
    fake_clock_set_offset(w, "+0");
    server_await(d, "msg=ready");
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    assert_int_equal(server_stop(d), 0);
}

/*
 * A board without a battery starts in 1970; one whose clock chip reads all ones, in 2106.  The
 * ids of rows begin with a time, and must stay valid.
 */
static void the_server_runs_with_a_clock_that_is_not_set(void **state)
{
    struct world *w = *state;
    struct server *d;

    fake_clock_set_time(w, "1970-01-01T00:01:00Z");
    d = fake_clock_start(w, NULL);
    make_schedule(d, "tick", "'spec':{'at':['now']}," QUEUED);
    UNTIL(started(w) == 1);
    assert_int_equal(complete_all(d), 1);
    fake_clock_set_time(w, "2106-02-07T06:28:15Z");
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 503);
    api(d, 200, "POST", "/api/v1/clock/accept", NULL);
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    make_schedule(d, "tock", "'spec':{'at':['now']}," QUEUED);
    UNTIL(world_number(w, "SELECT sum(started) FROM cursors") == 2);
    assert_int_equal(complete_all(d), 1);
    assert_int_equal(world_number(w, "SELECT count(*) FROM schedules WHERE id <= 0"), 0);
    assert_int_equal(server_stop(d), 0);
}

/* The calendar ends with the year 9999: the server stops its clock there. */
static void the_server_runs_beyond_the_last_year(void **state)
{
    struct world *w = *state;
    struct server *d;
    const json_t *run;

    fake_clock_set_time(w, "9999-12-31T23:59:58Z");
    d = fake_clock_start(w, NULL);
    make_schedule(d, "tick",
                  "'spec':{'cron':['* * * * * *'],'timezone':'America/New_York'}," ALL
                  "," QUEUED);
    make_schedule(d, "rest",
                  "'spec':{'intervals':[{'every':'1h','anchor':'completion'}]}," ALL
                  "," QUEUED);
    server_await(d, "time=9999-12-31T23:59:59.999Z"); /* it logs that the clock has stopped */
    trigger(d, "rest");
    run = at(claim(d, "q", 9, "30s"), "[0]");
    assert_string_equal(text_at(run, "leaseUntil"), "9999-12-31T23:59:59.999Z");
    assert_int_equal(tell_run(d, "complete", run, "").status, 200);
    assert_true(json_is_null(at(schedule_state(d, "tick"), "nextAt")));
    api(d, 200, "GET", "/api/v1/schedules/tick/next", NULL);
    api(d, 200, "GET", "/api/v1/schedules/tick/slots", NULL);
    api(d, 200, "GET", "/api/v1/schedules/tick/health", NULL);
    api(d, 200, "GET", "/api/v1/nodes", NULL);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_step_ahead_is_followed_and_its_slots_are_caught_up),
        E2E_TEST(a_step_back_starts_no_slot_twice),
        E2E_TEST(a_jump_holds_all_starts_until_it_is_accepted),
        E2E_TEST(a_jump_that_is_reverted_needs_no_acceptance),
        E2E_TEST(a_clock_far_behind_at_the_start_holds_all_starts),
        E2E_TEST(the_server_runs_with_a_clock_that_is_not_set),
        E2E_TEST(the_server_runs_beyond_the_last_year),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
