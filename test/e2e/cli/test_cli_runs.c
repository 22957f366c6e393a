/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry run ...` with a server.
 */
#include "command.h"
#include "request.h"

static struct server *start_with_exec(struct world *world)
{
    return server_start(world, &(struct server_start){.args = WORDS("--exec")});
}

static const char *ended_run(struct server *d, const char *id)
{
    const char *run = trigger(d, id);
    char path[128];

    snprintf(path, sizeof path, "/api/v1/runs/%s", run);
    UNTIL(strcmp(text_at(api(d, 200, "GET", path, NULL), "state"), "ended") == 0);
    return run;
}

static void runs_are_listed_and_shown(void **state)
{
    struct server *d = start_with_exec(*state);
    const char *run;
    struct command_result result;

    make_schedule(d, "a", "'spec':{},'action':{'type':'exec','argv':['/bin/echo','hi']}");
    make_schedule(d, "b", "'spec':{},'action':{'type':'exec','argv':['/bin/false']}");
    make_schedule(d, "c", "'spec':{},'action':{'type':'queue','queue':'q'}");
    run = ended_run(d, "a");
    ended_run(d, "b");
    trigger(d, "c");
    result = BELFRY(d, "run", "list");
    assert_has(result.out, run);
    assert_has(result.out, "succeeded");
    assert_has(result.out, "failed");
    assert_has(result.out, "ready");
    assert_int_equal(json_array_size(BELFRY(d, "run", "list", "--all", "-o", "json").json), 3);
    assert_int_equal(
        json_array_size(BELFRY(d, "run", "list", "-S", "a", "--all", "-o", "json").json), 1);
    assert_has(BELFRY(d, "run", "list", "--state", "open").out, "ready");
    ended_run(d, "b");
    assert_has(BELFRY(d, "schedule", "get", "b").out, " failed, failed; 2 of 2 failed\n");
    assert_has(BELFRY(d, "schedule", "get", "a").out, " succeeded; 0 of 1 failed\n");
    result = BELFRY(d, "run", "get", run);
    assert_has(result.out, "Outcome      succeeded\n");
    assert_has(result.out, "output=hi\\n");
    result = BELFRY(d, "run", "get", run, "-o", "json");
    assert_int_equal(json_array_size(at(result.json, "attempts")), 1);
    assert_has(REFUSED(d, 1, "run", "get", "x").err, "is not the id of a run");
    assert_has(REFUSED(d, 1, "run", "list", "--state", "asleep").err, "state");
}

/* More than one page of lines; a program's output cannot control the terminal. */
static void logs_are_complete_and_escaped(void **state)
{
    struct world *world = *state;
    struct server *d = start_with_exec(world);
    struct command command = {.server = d, .columns = 80};
    const char *run;
    struct command_result result;

    make_schedule(d, "a",
                  "'spec':{},'action':{'type':'exec','argv':['/bin/sh','-c',"
                  "'i=0; while [ $i -lt 2500 ]; do echo line $i; i=$((i+1)); done; "
                  "printf \\\"\\\\\\\\033]0;mine\\\\\\\\007\\\\\\\\n\\\"']}");
    run = ended_run(d, "a");
    result = BELFRY(d, "run", "logs", run);
    assert_has(result.out, "line 0\nline 1\n");
    assert_has(result.out, "line 2498\nline 2499\n");
    result = BELFRY(d, "run", "logs", run, "--times");
    assert_has(result.out, "Z line 2499\n");
    command.words = WORDS("run", "logs", run);
    result = command_run(world, &command);
    assert_int_equal(result.status, 0);
    assert_lacks(result.out, "\033]0;mine");
    assert_has(result.out, "\\x1b]0;mine\\x07");
    REFUSED(d, 1, "run", "logs", "x");
}

static void runs_are_cancelled_and_terminated(void **state)
{
    struct server *d = server_start(*state, NULL);
    const char *run;
    char path[128];

    make_schedule(d, "c", "'spec':{},'action':{'type':'queue','queue':'q'}");
    run = trigger(d, "c");
    assert_has(BELFRY(d, "run", "cancel", run).out, ": cancelled; a worker that has the run");
    snprintf(path, sizeof path, "/api/v1/runs/%s", run);
    UNTIL(strcmp(text_at(api(d, 200, "GET", path, NULL), "state"), "ended") == 0);
    assert_has(REFUSED(d, 1, "run", "cancel", run).err, "is not open");
    run = trigger(d, "c");
    assert_has(BELFRY(d, "run", "terminate", run).out, ": terminated\n");
    snprintf(path, sizeof path, "/api/v1/runs/%s", run);
    assert_string_equal(text_at(api(d, 200, "GET", path, NULL), "outcome"), "terminated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(runs_are_listed_and_shown),
        E2E_TEST(logs_are_complete_and_escaped),
        E2E_TEST(runs_are_cancelled_and_terminated),
    };

    return cmocka_run_group_tests_name("cli_runs", tests, NULL, NULL);
}
