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
    struct said said;

    make_schedule(d, "a", "'spec':{},'action':{'type':'exec','argv':['/bin/echo','hi']}");
    make_schedule(d, "b", "'spec':{},'action':{'type':'exec','argv':['/bin/false']}");
    make_schedule(d, "c", "'spec':{},'action':{'type':'queue','queue':'q'}");
    run = ended_run(d, "a");
    ended_run(d, "b");
    trigger(d, "c");
    said = SAY(d, "run", "list");
    has_text(said.out, run);
    has_text(said.out, "succeeded");
    has_text(said.out, "failed");
    has_text(said.out, "ready");
    assert_int_equal(json_array_size(SAY(d, "run", "list", "--all", "-o", "json").json), 3);
    assert_int_equal(
        json_array_size(SAY(d, "run", "list", "-S", "a", "--all", "-o", "json").json), 1);
    has_text(SAY(d, "run", "list", "--state", "open").out, "ready");
    said = SAY(d, "run", "get", run);
    has_text(said.out, "Outcome      succeeded\n");
    has_text(said.out, "output=hi\\n");
    said = SAY(d, "run", "get", run, "-o", "json");
    assert_int_equal(json_array_size(at(said.json, "attempts")), 1);
    has_text(REFUSED(d, 1, "run", "get", "x").err, "is not the id of a run");
    has_text(REFUSED(d, 1, "run", "list", "--state", "asleep").err, "state");
}

/* More than one page of lines; a program's output cannot control the terminal. */
static void logs_are_shown_whole_and_harmless(void **state)
{
    struct world *world = *state;
    struct server *d = start_with_exec(world);
    struct saying saying = {.server = d, .columns = 80};
    const char *run;
    struct said said;

    make_schedule(d, "a",
                  "'spec':{},'action':{'type':'exec','argv':['/bin/sh','-c',"
                  "'i=0; while [ $i -lt 2500 ]; do echo line $i; i=$((i+1)); done; "
                  "printf \\\"\\\\\\\\033]0;mine\\\\\\\\007\\\\\\\\n\\\"']}");
    run = ended_run(d, "a");
    said = SAY(d, "run", "logs", run);
    has_text(said.out, "line 0\nline 1\n");
    has_text(said.out, "line 2498\nline 2499\n");
    said = SAY(d, "run", "logs", run, "--times");
    has_text(said.out, "Z line 2499\n");
    saying.words = WORDS("run", "logs", run);
    said = say_all(world, &saying);
    assert_int_equal(said.status, 0);
    lacks_text(said.out, "\033]0;mine");
    has_text(said.out, "\\x1b]0;mine\\x07");
    REFUSED(d, 1, "run", "logs", "x");
}

static void runs_are_cancelled_and_ended(void **state)
{
    struct server *d = server_start(*state, NULL);
    const char *run;
    char path[128];

    make_schedule(d, "c", "'spec':{},'action':{'type':'queue','queue':'q'}");
    run = trigger(d, "c");
    has_text(SAY(d, "run", "cancel", run).out, ": cancelled; a worker that has the run");
    snprintf(path, sizeof path, "/api/v1/runs/%s", run);
    UNTIL(strcmp(text_at(api(d, 200, "GET", path, NULL), "state"), "ended") == 0);
    has_text(REFUSED(d, 1, "run", "cancel", run).err, "is not open");
    run = trigger(d, "c");
    has_text(SAY(d, "run", "terminate", run).out, ": terminated\n");
    snprintf(path, sizeof path, "/api/v1/runs/%s", run);
    assert_string_equal(text_at(api(d, 200, "GET", path, NULL), "outcome"), "terminated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(runs_are_listed_and_shown),
        E2E_TEST(logs_are_shown_whole_and_harmless),
        E2E_TEST(runs_are_cancelled_and_ended),
    };

    return cmocka_run_group_tests_name("cli_runs", tests, NULL, NULL);
}
