/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of --wait, and of `belfry backfill ...`, with a server.
 */
#include "command.h"
#include "request.h"

static void a_backfill_can_be_waited_for(void **state)
{
    static const char *const exec[] = {"--exec", NULL};
    struct server *d = server_start(*state, &(struct server_start){.args = exec});
    struct command_result result;

    make_schedule(d, "a",
                  "'spec':{'cron':['0 3 * * *']},"
                  "'action':{'type':'exec','argv':['/bin/true']}");
    BELFRY(d, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z", "--to",
           "2026-01-11T00:00:00Z", "--overlap", "allowAll", "--yes", "--wait");
    assert_int_equal(number_at(schedule_state(d, "a"), "open"), 0);
    assert_int_equal(
        json_array_size(
            BELFRY(d, "run", "list", "--state", "ended", "--all", "-o", "json").json),
        10);
    make_schedule(d, "b",
                  "'spec':{'cron':['0 3 * * *']},"
                  "'action':{'type':'exec','argv':['/bin/false']}");
    result = REFUSED(d, 3, "schedule", "backfill", "b", "--from", "2026-01-01T00:00:00Z",
                     "--to", "2026-01-04T00:00:00Z", "--yes", "--wait");
    assert_has(result.out, "b: backfill 1 ended: 3 started, 0 skipped; 0 succeeded, 3 failed, "
                           "0 cancelled\n");
}

static void the_end_of_a_run_is_the_exit_status(void **state)
{
    struct server *d = server_start(*state, &(struct server_start){.args = WORDS("--exec")});
    struct command_result result;
    char run[64];

    make_schedule(d, "good",
                  "'spec':{'cron':['0 3 * * *']},"
                  "'action':{'type':'exec','argv':['/bin/true']}");
    make_schedule(d, "bad",
                  "'spec':{'cron':['0 3 * * *']},'action':{'type':'exec','argv':"
                  "['/bin/sh','-c','seq 1 12; exit 9']}");
    make_schedule(d, "slow",
                  "'spec':{'cron':['0 3 * * *']},'action':{'type':'exec','argv':"
                  "['/bin/sleep','100']},'policies':{'timeout':'1s'}");
    assert_has(BELFRY(d, "schedule", "trigger", "good", "--wait").out, ": succeeded\n");
    assert_has(BELFRY(d, "schedule", "test", "good", "--wait").out, ": succeeded\n");
    result = REFUSED(d, 3, "schedule", "trigger", "bad", "--wait");
    assert_has(result.out, ": failed: ");
    assert_has(result.err, "last 10 log lines of r_");
    assert_has(result.err, "  3\n");
    assert_has(result.err, "  12\n");
    assert_lacks(result.err, "  2\n");
    REFUSED(d, 3, "schedule", "test", "bad", "--wait");
    result = REFUSED(d, 3, "schedule", "trigger", "bad", "--wait", "-o", "json");
    assert_string_equal(text_at(result.json, "outcome"), "failed");
    snprintf(run, sizeof run, "%s", text_at(result.json, "id"));
    assert_has(REFUSED(d, 3, "run", "retry", run, "--wait").err, "last 10 log lines of r_");
    REFUSED(d, 4, "schedule", "trigger", "slow", "--wait");
}

static void backfills_are_listed_watched_and_stopped(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    make_schedule(d, "a",
                  "'spec':{'cron':['0 3 * * *']},'action':{'type':'queue','queue':'q'}");
    result = BELFRY(d, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z", "--to",
                    "2026-01-06T00:00:00Z", "--yes");
    assert_has(result.out, "a: backfill 1 of 5 slots: 1 started, 0 skipped, 4 buffered");
    result = BELFRY(d, "backfill", "list", "a", "-o", "json");
    assert_int_equal(json_array_size(at(result.json, "backfills")), 1);
    assert_string_equal(BELFRY(d, "backfill", "list", "a", "-o", "name").out, "1\n");
    assert_string_equal(BELFRY(d, "backfill", "list", "-o", "name").out, "a 1\n");
    assert_has(BELFRY(d, "backfill", "list", "--state", "running").out, "SCHEDULE");
    assert_string_equal(BELFRY(d, "backfill", "list", "--state", "ended", "-o", "name").out,
                        "");
    result = BELFRY(d, "backfill", "get", "a", "1", "-o", "json");
    assert_string_equal(text_at(result.json, "state"), "running");
    assert_int_equal(number_at(result.json, "buffered"), 4);
    assert_has(BELFRY(d, "backfill", "stop", "a", "1").out,
               "a: backfill 1 stopped: 4 cancelled, 1 run still open");
    result = BELFRY(d, "run", "list", "--state", "open", "-o", "json");
    BELFRY(d, "run", "cancel", text_at(result.json, "runs[0].id"));
    result = REFUSED(d, 3, "backfill", "watch", "a", "1");
    assert_has(result.out,
               "a: backfill 1 stopped: 1 started, 0 skipped; 0 succeeded, 0 failed, "
               "5 cancelled");
    assert_has(REFUSED(d, 1, "backfill", "stop", "a", "1").err, "has ended or does not exist");
    assert_has(REFUSED(d, 1, "backfill", "get", "a", "2").err, "has no backfill 2");
    result = REFUSED(d, 75, "schedule", "backfill", "a", "--from", "2026-01-01T00:00:00Z",
                     "--to", "2026-01-06T00:00:00Z", "--overlap", "skip", "--yes");
    assert_has(result.err, "overlap skipped 4 slots");
    assert_has(BELFRY(d, "schedule", "backfill", "a", "--from", "-1d", "--only", "missed",
                      "--include", "cancelled", "--dry-run")
                   .out,
               "a: 1 run\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_backfill_can_be_waited_for),
        E2E_TEST(the_end_of_a_run_is_the_exit_status),
        E2E_TEST(backfills_are_listed_watched_and_stopped),
    };

    return cmocka_run_group_tests_name("cli_wait", tests, NULL, NULL);
}
