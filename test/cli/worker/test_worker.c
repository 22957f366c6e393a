/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry worker` and its programs: input, results, output, failures.
 */
#include "fake_run.h"

/* ---- results ---- */

static void standard_output_that_is_json_is_the_result(void **state)
{
    struct fake *fake = *state;

    assert_int_equal(once(fake, "echo '{\"a\": [1, 2.5, \"x\"]}'; echo note >&2"), 0);
    assert_string_equal(fake->runs[0].how, "complete");
    assert_string_equal(member(&fake->runs[0], "result"), "{\"a\":[1,2.5,\"x\"]}");
    assert_non_null(strstr(fake->runs[0].log, "note\n"));
    assert_int_equal(fake->runs[0].grants, 1);
}

static void other_output_is_the_result_as_text(void **state)
{
    struct fake *fake = *state;

    assert_int_equal(once(fake, "printf 'one\\ntwo \"\\001\\377'"), 0);
    assert_string_equal(member(&fake->runs[0], "result"),
                        "{\"output\":\"one\\ntwo \\\"\\u0001\xef\xbf\xbd\"}");
    assert_string_equal(fake->runs[0].log, "one\ntwo \"\001\xef\xbf\xbd\n");
}

static void no_output_is_no_result(void **state)
{
    struct fake *fake = *state;

    assert_int_equal(once(fake, "exit 0"), 0);
    assert_string_equal(fake->runs[0].how, "complete");
    assert_string_equal(member(&fake->runs[0], "result"), "(none)");
}

static void a_program_gets_its_run(void **state)
{
    struct fake *fake = *state;
    json_t *result;

    assert_int_equal(once(fake, "cat"), 0);
    result = json_object_get(fake->runs[0].item, "result");
    assert_string_equal(json_string_value(json_object_get(result, "id")), "r_0");
    assert_int_equal(json_integer_value(json_object_get(result, "fence")), 1);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(result, "input"), "text")), "[\"}");
}

static void a_program_gets_its_variables(void **state)
{
    struct fake *fake = *state;
    char want[256];

    setenv("BELFRY_RUN", "of another run", 1);
    setenv("KEPT", "yes", 1);
    assert_int_equal(once(fake, "echo $BELFRY_RUN $BELFRY_SCHEDULE $BELFRY_QUEUE "
                                "$BELFRY_NAMESPACE $BELFRY_ATTEMPT $BELFRY_FENCE "
                                "$BELFRY_SCHEDULED_TIME $BELFRY_SERVER $KEPT"),
                     0);
    unsetenv("BELFRY_RUN");
    snprintf(want, sizeof want,
             "r_0 nightly q default 1 1 2027-01-01T00:00:00.000Z http://127.0.0.1:%d yes\n",
             fake->port);
    assert_string_equal(fake->runs[0].log, want);
}

static void a_program_does_not_get_the_token(void **state)
{
    struct fake *fake = *state;

    fake->token = "bf_worker_x";
    setenv("BELFRY_TOKEN", "bf_worker_x", 1);
    assert_int_equal(once(fake, "echo ${BELFRY_TOKEN:-none}"), 0);
    unsetenv("BELFRY_TOKEN");
    assert_string_equal(fake->runs[0].log, "none\n");
}

static void a_claim_has_the_queues_the_limit_and_the_name(void **state)
{
    struct fake *fake = *state;

    WORKER(fake, "-Q", "r\"s", "-c", "7", "--name", "me", "--", "true");
    fake_await(fake, has_one_poll);
    assert_string_equal(fake->last_claim, "{\"queues\":[\"q\",\"r\\\"s\"],\"max\":7,"
                                          "\"wait\":\"30s\",\"worker\":\"me\"}");
}

/* ---- failures ---- */

static void an_exit_code_is_a_retryable_failure(void **state)
{
    struct fake *fake = *state;

    assert_int_equal(once(fake, "echo first >&2; echo the disk is full >&2; exit 3"), 3);
    assert_string_equal(fake->runs[0].how, "fail");
    assert_string_equal(error_code(&fake->runs[0]), "exec_exit");
    assert_string_equal(message(&fake->runs[0]),
                        "the program ended with exit code 3: the disk is full");
    assert_true(is_retryable(&fake->runs[0]));
}

/* sysexits.h: 64 to 68, 77 and 78 are errors of the request; 69 to 76 may be temporary. */
static void exit_codes_about_the_request_are_not_retryable(void **state)
{
    static const struct {
        int code;
        bool is_retryable;
    } cases[] = {
        {63, true}, {64, false}, {65, false}, {66, false}, {67, false}, {68, false},
        {69, true}, {70, true},  {71, true},  {72, true},  {73, true},  {74, true},
        {75, true}, {76, true},  {77, false}, {78, false}, {79, true},
    };
    struct fake *fake = *state;

    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        char script[16];

        snprintf(script, sizeof script, "exit %d", cases[i].code);
        assert_int_equal(once(fake, script), cases[i].code);
        assert_int_equal(is_retryable(&fake->runs[i]), cases[i].is_retryable);
    }
}

static void a_signal_is_a_failure(void **state)
{
    struct fake *fake = *state;

    assert_int_equal(once(fake, "kill -9 $$"), 128 + SIGKILL);
    assert_string_equal(error_code(&fake->runs[0]), "exec_signal");
    assert_string_equal(message(&fake->runs[0]), "the program was ended by signal 9 (Killed)");
    assert_true(is_retryable(&fake->runs[0]));
}

static void a_program_that_was_deleted_is_a_failure(void **state)
{
    struct fake *fake = *state;
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s/program", fake->dir);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    assert_int_equal(write(fd, "#!/bin/sh\n", 10), 10);
    close(fd);
    WORKER(fake, "--once", "--", path);
    fake_await(fake, has_one_poll);
    unlink(path);
    fake_add(fake);
    assert_int_equal(fake_await_exit(fake), 127);
    assert_string_equal(fake->runs[0].how, "fail");
    assert_string_equal(error_code(&fake->runs[0]), "exec_start");
}

/* ---- output ---- */

static void too_much_output_is_truncated(void **state)
{
    struct fake *fake = *state;
    struct fake_run *run = &fake->runs[0];
    json_t *result;

    assert_int_equal(once(fake, "yes 'a line of a flood' | head -c 40000000"), 0);
    result = json_object_get(run->item, "result");
    assert_int_equal(json_string_length(json_object_get(result, "output")), 100 * 1024);
    assert_true(json_is_true(json_object_get(result, "truncated")));
    assert_true(run->log_len > 100 * 1024 && run->log_len < 3 << 19);
    assert_non_null(strstr(run->log + run->log_len - 64, "lines of output were dropped)"));
}

static void a_burst_of_lines_arrives_whole_and_in_order(void **state)
{
    enum { LINES = 30000 };
    struct fake *fake = *state;
    const char *at;

    assert_int_equal(once(fake, "seq 30000; echo end >&2"), 0);
    assert_true(fake->runs[0].beats > 1);
    at = fake->runs[0].log;
    for (int i = 1; i <= LINES; i++) {
        char line[16];
        int len = snprintf(line, sizeof line, "%d\n", i);

        if (strncmp(at, "end\n", 4) == 0)
            at += 4;
        assert_memory_equal(at, line, (size_t)len);
        at += len;
    }
}

static void a_result_that_a_server_would_refuse_is_text(void **state)
{
    struct fake *fake = *state;

    assert_int_equal(once(fake, "printf '%040d' 0 | tr 0 '['; printf '%040d' 0 | tr 0 ']'"), 0);
    assert_non_null(strstr(member(&fake->runs[0], "result"), "{\"output\":\"[[["));
    assert_int_equal(once(fake, "printf '['; yes 0, | head -n 70000 | tr -d '\\n'; "
                                "printf '0]'"),
                     0);
    assert_non_null(strstr(member(&fake->runs[1], "result"), "{\"output\":\"[0,0,"));
    assert_int_equal(once(fake, "printf '['; yes 0, | head -n 60000 | tr -d '\\n'; "
                                "printf '0]'"),
                     0);
    assert_int_equal(json_array_size(json_object_get(fake->runs[2].item, "result")), 60001);
}

static void lines_arrive_while_the_program_runs(void **state)
{
    struct fake *fake = *state;
    char script[256];

    snprintf(script, sizeof script, "echo up; read x < %s; echo \"$x\"", fake->gate);
    fake_add(fake);
    WORKER(fake, "--once", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    assert_int_equal(fake->runs[0].state, FAKE_LEASED);
    fake_open_gate(fake);
    assert_int_equal(fake_await_exit(fake), 0);
    assert_string_equal(fake->runs[0].log, "up\ngo\n");
}

static void a_claim_requests_the_fields_of_program_and_worker(void **state)
{
    struct fake *fake = *state;

    fake_add(fake);
    WORKER(fake, "--once", "--fields", "lastResult,input", "--", "true");
    assert_int_equal(fake_await_exit(fake), 0);
    assert_non_null(strstr(
        fake->last_claim, ",\"fields\":[\"id\",\"schedule\",\"slot\",\"attempt\",\"fence\","
                          "\"queue\",\"leaseUntil\",\"input\",\"namespace\",\"lastResult\"]}"));
    assert_string_equal(fake->runs[0].how, "complete");
}

/* ---- the command line ---- */

static void refuses(const struct run *run, const char *err)
{
    assert_int_equal(run->status, 2);
    if (!strstr(run->err, err))
        fail_msg("%s", run->err);
}

static void wrong_options_are_reported(void **state)
{
    (void)state;
    refuses(RUN("worker", "--", "true"), "missing option: --queue NAME");
    refuses(RUN("worker", "-Q", "q"), "missing program; use -- PROGRAM [ARG]...");
    refuses(RUN("worker", "-Q", "q", "--"), "missing program; use -- PROGRAM [ARG]...");
    refuses(RUN("worker", "-Q", "q", "true"),
            "unexpected argument \"true\"; put -- before the program");
    refuses(RUN("worker", "-Q", "", "--", "true"), "--queue must be UTF-8 of 1 to 1000 bytes");
    refuses(RUN("worker", "-Q", "q", "-c", "0", "--", "true"),
            "--concurrency must be 1 to 1000, not \"0\"");
    refuses(RUN("worker", "-Q", "q", "--drain", "30", "--", "true"),
            "--drain must be a duration up to 1d, such as 30s, not \"30\"");
    refuses(RUN("worker", "-Q", "q", "-s", "ftp://x", "--", "true"),
            "`ftp://x` does not begin with http:// or https:// and a host");
    refuses(RUN("worker", "-Q", "q", "--token", "a b", "--", "true"),
            "--token: invalid token; use one line such as bf_editor_");
    refuses(RUN("worker", "-Q", "q", "--name", "", "--", "true"),
            "--name must be UTF-8 of 1 to 1000 bytes");
    refuses(RUN("worker", "-Q", "q", "--fields", "slot,inputs", "--", "true"),
            "--fields: \"inputs\" is not a field; did you mean input? valid fields: id,");
    refuses(RUN("worker", "-Q", "q", "--fields", "", "--", "true"),
            "--fields: \"\" is not a field");
}

static void a_missing_program_is_reported(void **state)
{
    const struct run *run = RUN("worker", "-Q", "q", "--", "no-such-program-anywhere");

    (void)state;
    assert_int_equal(run->status, 2);
    assert_string_equal(run->err, "belfry: program \"no-such-program-anywhere\" not found\n");
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(standard_output_that_is_json_is_the_result),
        WITH_SERVER(other_output_is_the_result_as_text),
        WITH_SERVER(no_output_is_no_result),
        WITH_SERVER(a_program_gets_its_run),
        WITH_SERVER(a_program_gets_its_variables),
        WITH_SERVER(a_claim_requests_the_fields_of_program_and_worker),
        WITH_SERVER(a_program_does_not_get_the_token),
        WITH_SERVER(a_claim_has_the_queues_the_limit_and_the_name),
        WITH_SERVER(an_exit_code_is_a_retryable_failure),
        WITH_SERVER(exit_codes_about_the_request_are_not_retryable),
        WITH_SERVER(a_signal_is_a_failure),
        WITH_SERVER(a_program_that_was_deleted_is_a_failure),
        WITH_SERVER(too_much_output_is_truncated),
        WITH_SERVER(a_burst_of_lines_arrives_whole_and_in_order),
        WITH_SERVER(a_result_that_a_server_would_refuse_is_text),
        WITH_SERVER(lines_arrive_while_the_program_runs),
        cmocka_unit_test(wrong_options_are_reported),
        cmocka_unit_test(a_missing_program_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
