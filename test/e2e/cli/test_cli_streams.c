/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of commands that follow logs and events, and of retrying, approving and rejecting runs.
 */
#include <signal.h>
#include <sys/wait.h>

#include "command.h"
#include "request.h"

static const char *state_of(struct server *d, const char *run, const char *member)
{
    char path[128];
    const json_t *json;

    snprintf(path, sizeof path, "/api/v1/runs/%s", run);
    json = at(api(d, 200, "GET", path, NULL), member);
    return json_is_string(json) ? json_string_value(json) : "";
}

static void a_log_is_followed_to_its_end(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, &(struct server_start){.args = WORDS("--exec")});
    struct command_result result;
    char script[512];
    const char *run;

    /* The program waits for the file, which is created after its first line was printed. */
    snprintf(script, sizeof script,
             "'spec':{},'action':{'type':'exec','argv':['/bin/sh','-c','echo one; "
             "while ! [ -e %s/go ]; do :; done; echo two >&2; exit 4']}",
             world->dir);
    make_schedule(d, "a", "%s", script);
    run = trigger(d, "a");
    UNTIL(strstr(BELFRY(d, "run", "logs", run).out, "one\n") != NULL);
    world_write(world, "go", "");
    result = BELFRY(d, "run", "logs", run, "-f");
    assert_string_equal(result.out, "one\ntwo\n");
    assert_string_equal(state_of(d, run, "state"), "ended");
    assert_string_equal(BELFRY(d, "run", "logs", run, "-f").out, "one\ntwo\n");
    result = BELFRY(d, "run", "logs", run, "-f", "-o", "json");
    assert_has(result.out, "\"stream\":\"stderr\"");
    REFUSED(d, 1, "run", "logs", "r_x", "-f");
}

static void runs_are_retried_approved_and_rejected(void **state)
{
    struct server *d = server_start(*state, &(struct server_start){.args = WORDS("--exec")});
    const char *run;
    struct command_result result;

    make_schedule(d, "a", "'spec':{},'action':{'type':'exec','argv':['/bin/false']}");
    make_schedule(d, "b",
                  "'spec':{},'policies':{'approval':true,'overlap':'allowAll'},"
                  "'action':{'type':'queue','queue':'q'}");
    run = trigger(d, "a");
    UNTIL(strcmp(state_of(d, run, "state"), "ended") == 0);
    result = BELFRY(d, "run", "retry", run);
    assert_has(result.out, ": retried as r_");
    UNTIL(json_array_size(
              BELFRY(d, "run", "list", "-S", "a", "--outcome", "failed", "--all", "-o", "json")
                  .json) == 2);
    run = trigger(d, "b");
    assert_has(BELFRY(d, "run", "list", "--state", "approval").out, run);
    assert_has(REFUSED(d, 1, "run", "retry", run).err, "the run has not ended; it is approval");
    assert_has(BELFRY(d, "run", "approve", run, "--reason", "fine").out, ": approved\n");
    assert_string_equal(state_of(d, run, "state"), "ready");
    REFUSED(d, 1, "run", "approve", run);
    run = trigger(d, "b");
    assert_has(BELFRY(d, "run", "reject", run, "--reason", "no").out, ": rejected\n");
    assert_string_equal(state_of(d, run, "state"), "ended");
    assert_int_equal(json_array_size(BELFRY(d, "run", "list", "--kind", "trigger", "--from",
                                            "-1h", "--to", "+1h", "--all", "-o", "json")
                                         .json),
                     4);
    assert_int_equal(
        json_array_size(BELFRY(d, "run", "list", "--to", "-1h", "--all", "-o", "json").json),
        0);
}

static void events_are_listed_in_pages(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    for (int i = 0; i < 5; i++) {
        char id[8];

        snprintf(id, sizeof id, "s%d", i);
        make_schedule(d, id, "'spec':{},'action':{'type':'queue','queue':'q'}");
    }
    BELFRY(d, "schedule", "delete", "s0");
    result = BELFRY(d, "events", "--type", "schedule.created", "--limit", "3");
    assert_has(result.out, "schedule.created  s2");
    assert_lacks(result.out, "s3");
    assert_has(result.err, "--after ");
    result = BELFRY(d, "events", "--type", "schedule.created", "--type", "schedule.deleted",
                    "--all", "--limit", "2", "-o", "json");
    assert_int_equal(json_array_size(result.json), 6);
    assert_string_equal(text_at(result.json, "[5].type"), "schedule.deleted");
    result = BELFRY(d, "events", "--schedule", "s1", "--all", "-o", "json");
    assert_int_equal(json_array_size(result.json), 1);
    assert_string_equal(BELFRY(d, "events", "--after", "now").out, "");
    assert_has(REFUSED(d, 1, "events", "--type", "schedule.creatd").err, "type");
}

/* The server is killed and restarted: no event is lost or repeated. */
static void events_are_followed_across_a_crash(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct command command = {.server = d,
                              .words = WORDS("events", "-f", "--after", "oldest", "--type",
                                             "schedule.created", "--limit", "4")};
    int ends[2];
    char line[512];
    FILE *lines;
    pid_t pid;

    make_schedule(d, "s0", "'spec':{},'action':{'type':'queue','queue':'q'}");
    make_schedule(d, "s1", "'spec':{},'action':{'type':'queue','queue':'q'}");
    assert_int_equal(pipe(ends), 0);
    pid = command_begin(world, &command, ends[1]);
    close(ends[1]);
    lines = fdopen(ends[0], "r");
    assert_non_null(lines);
    for (int i = 0; i < 4; i++) {
        char id[8];

        snprintf(id, sizeof id, "  s%d\n", i);
        assert_non_null(fgets(line, sizeof line, lines));
        assert_has(line, id);
        if (i != 1)
            continue;
        server_kill(d);
        d = server_restart(d, NULL);
        make_schedule(d, "s2", "'spec':{},'action':{'type':'queue','queue':'q'}");
        make_schedule(d, "s3", "'spec':{},'action':{'type':'queue','queue':'q'}");
    }
    assert_null(fgets(line, sizeof line, lines));
    fclose(lines);
    assert_int_equal(command_end(pid), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_log_is_followed_to_its_end),
        E2E_TEST(runs_are_retried_approved_and_rejected),
        E2E_TEST(events_are_listed_in_pages),
        E2E_TEST(events_are_followed_across_a_crash),
    };

    return cmocka_run_group_tests_name("cli_streams", tests, NULL, NULL);
}
