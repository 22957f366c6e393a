/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests dispatches of real programs and their reports.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "dispatch_fixture.h"
#include "io/process/supervisor.h"
#include "model/trace.h"
#include "server/dispatch/run_log.h"
#include "wire/json/json.h"

#define SH(script) "{\"type\":\"exec\",\"argv\":[\"/bin/sh\",\"-c\",\"" script "\"]}"

static struct dispatch_fixture *opened(void **state)
{
    fixture_open(*state);
    return *state;
}

static struct dispatch_order *exec_order(struct dispatch_fixture *fixture, const char *action)
{
    return fixture_order(fixture, LANE_EXEC, action);
}

/* A misbehaving program of test/io/zoo, killed 100 ms after the stop. */
static struct dispatch_order *zoo_order(struct dispatch_fixture *fixture, const char *name)
{
    char folder[1000], action[2000];

    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(action, sizeof action,
             "{\"type\":\"exec\",\"killAfter\":\"100ms\","
             "\"argv\":[\"/bin/sh\",\"%s/test/io/zoo/%s.sh\"]}",
             folder, name);
    return exec_order(fixture, action);
}

static json_t *parsed(struct str text)
{
    struct err err;
    json_t *json;

    if (json_read(text, &json, &err) != RC_OK)
        fail_msg("%s", err.text);
    return json;
}

static void assert_error(const struct report *report, const char *code, bool is_retryable,
                         const char *message)
{
    json_auto_t *error = parsed(report->error);

    assert_string_equal(json_string_value(json_object_get(error, "code")), code);
    if (message)
        assert_string_equal(json_string_value(json_object_get(error, "message")), message);
    assert_int_equal(json_is_true(json_object_get(error, "retryable")), is_retryable);
    assert_int_equal(report->is_retryable, is_retryable);
}

static const char *text_at(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));

    assert_non_null(text);
    return text;
}

static void a_program_that_exits_with_0_has_succeeded(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(fixture, exec_order(fixture, SH("echo done")));
    json_auto_t *result = parsed(report->result);
    const json_t *usage = json_object_get(result, "usage");

    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(report->fence, 7);
    assert_int_equal(report->run.schedule, 42);
    assert_int_equal(report->error.len, 0);
    assert_int_equal(json_integer_value(json_object_get(result, "exitCode")), 0);
    assert_null(json_object_get(result, "signal"));
    assert_string_equal(text_at(result, "output"), "done\n");
    assert_true(json_is_false(json_object_get(result, "truncated")));
    assert_int_equal(json_integer_value(json_object_get(result, "strays")), 0);
    assert_true(json_is_integer(json_object_get(usage, "userMs")));
    assert_true(json_is_integer(json_object_get(usage, "systemMs")));
    assert_true(json_integer_value(json_object_get(usage, "maxRssBytes")) > 0);
    assert_string_equal(fixture_log(fixture), "0 done\n");
    assert_int_equal(dispatcher_count(fixture->dispatcher, LANE_EXEC), 0);
}

static void another_exit_code_fails_with_the_last_line_of_standard_error(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(
        fixture, exec_order(fixture, SH("echo a; echo first >&2; echo no disk >&2; exit 7")));
    json_auto_t *result = parsed(report->result);

    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_error(report, "exec_exit", true, "the program ended with exit code 7: no disk");
    assert_int_equal(json_integer_value(json_object_get(result, "exitCode")), 7);
    assert_string_equal(fixture_log(fixture), "0 a\n1 first\n1 no disk\n");
}

static void a_signal_is_a_failure(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(fixture,
                                              exec_order(fixture, SH("kill -SEGV $$")));
    json_auto_t *result = parsed(report->result);

    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_error(report, "exec_signal", true,
                 "the program was ended by signal 11 (Segmentation fault)");
    assert_int_equal(json_integer_value(json_object_get(result, "signal")), SIGSEGV);
    assert_null(json_object_get(result, "exitCode"));
}

static void a_missing_program_fails_without_a_retry(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(
        fixture, exec_order(fixture, "{\"type\":\"exec\",\"argv\":[\"/no/such\"]}"));

    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_error(report, "exec_not_started", false,
                 "cannot run `/no/such`: No such file or directory");
    assert_int_equal(report->result.len, 0);
}

/* Starts an order while no descriptor is free. */
static struct dispatch_order *start_without_room(struct dispatch_fixture *fixture)
{
    struct dispatch_order *order = exec_order(fixture, SH("true"));
    struct rlimit usual, none;
    int least = dup(0); /* all lower descriptors are in use */

    assert_true(least > 0);
    close(least);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    none = (struct rlimit){(rlim_t)least, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    dispatcher_start(fixture->dispatcher, order);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    return order;
}

static void a_run_is_released_if_no_process_can_be_created(void **state)
{
    struct dispatch_fixture *fixture = opened(state);

    start_without_room(fixture);
    assert_int_equal(dispatcher_count(fixture->dispatcher, LANE_EXEC), 1);
    assert_int_equal(fixture_wait_end(fixture)->kind, REPORT_RELEASE);
    assert_int_equal(dispatcher_count(fixture->dispatcher, LANE_EXEC), 0);
}

static void a_run_that_waits_for_its_release_can_be_cancelled(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct stop stop = fixture_stop_of(start_without_room(fixture));
    const struct report *report;

    dispatcher_stop(fixture->dispatcher, &stop);
    report = fixture_wait_end(fixture);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
}

static void a_killed_supervisor_is_reported_as_lost(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(fixture, zoo_order(fixture, "kills_supervisor"));

    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_error(report, "exec_lost", true,
                 "the supervisor of the program was killed; the program was "
                 "killed too");
}

static void exec_actions_fail_unless_the_configuration_allows_them(void **state)
{
    struct dispatch_fixture *fixture = *state;
    const struct report *report;

    fixture->options.exec = 0;
    fixture_open(fixture);
    report = fixture_run(fixture, exec_order(fixture, SH("echo done")));
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_error(
        report, "exec_disabled", false,
        "exec actions are disabled on this server; set exec = true in its configuration");
}

static void a_full_pool_releases_the_run(void **state)
{
    struct dispatch_fixture *fixture = *state;
    struct dispatch_order *first, *second;
    const struct report *report;
    struct stop stop;

    fixture->options.exec = 1;
    fixture_open(fixture);
    first = exec_order(fixture, SH("echo up; sleep 60"));
    second = exec_order(fixture, SH("true"));
    second->assignment.run.pass = 1;
    stop = fixture_stop_of(first);
    dispatcher_start(fixture->dispatcher, first);
    dispatcher_start(fixture->dispatcher, second);
    assert_int_equal(fixture->report_count, 0); /* not from inside dispatcher_start() */
    report = fixture_wait_end(fixture);
    assert_int_equal(report->kind, REPORT_RELEASE);
    assert_int_equal(report->run.pass, 1);
    fixture_forget(fixture);
    dispatcher_stop(fixture->dispatcher, &stop);
    assert_int_equal(fixture_wait_end(fixture)->outcome, OUTCOME_CANCELLED);
}

static void nothing_starts_after_the_lease_expired(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct dispatch_order *order = exec_order(fixture, SH("echo done"));

    order->send_by_us = 1;
    assert_int_equal(fixture_run(fixture, order)->kind, REPORT_RELEASE);
    assert_string_equal(fixture_log(fixture), "");
}

static void the_environment_describes_the_run(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct dispatch_order *order = exec_order(
        fixture, "{\"type\":\"exec\",\"argv\":[\"/usr/bin/env\"],\"env\":{\"A\":\"b c\"},"
                 "\"user\":null}");
    char expected[1000], trace[TRACE_TEXT_MAX];
    struct buf buf = BUF(expected);

    order->assignment.run.trace = (struct trace){1, 2};
    trace_print(&order->assignment.run, order->assignment.id, trace);
    assert_memory_equal(trace, "00-00000000000000010000000000000002-", 36);
    setenv("HOME", "/srv/belfry", 1);
    setenv("USER", "belfry", 1);
    setenv("SECRET", "of the server", 1);
    buf_printf(&buf,
               "0 A=b c\n0 BELFRY_RUN=%.*s\n0 BELFRY_SCHEDULE=nightly\n"
               "0 BELFRY_NAMESPACE=default\n0 BELFRY_ATTEMPT=1\n0 BELFRY_FENCE=7\n"
               "0 BELFRY_SCHEDULED_TIME=2026-09-21T14:13:20.000Z\n"
               "0 BELFRY_EXECUTION_TIME=2026-09-21T14:13:20.250Z\n0 TRACEPARENT=%s\n"
               "0 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
               "0 LANG=C.UTF-8\n0 USER=belfry\n0 LOGNAME=belfry\n0 HOME=/srv/belfry\n",
               STR_ARG(order->assignment.id), trace);
    fixture_run(fixture, order);
    assert_string_equal(fixture_log(fixture), expected);
}

static void variables_of_the_action_override_the_defaults(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const char *log;

    fixture_run(fixture,
                exec_order(fixture, "{\"type\":\"exec\",\"argv\":[\"/usr/bin/env\"],\"env\":{"
                                    "\"PATH\":\"/opt/bin\",\"HOME\":\"/h\",\"LANG\":\"C\"}}"));
    log = fixture_log(fixture);
    assert_ptr_equal(strstr(log, "0 PATH=/opt/bin\n0 HOME=/h\n0 LANG=C\n0 BELFRY_RUN="), log);
    assert_null(strstr(log, "/usr/local/sbin"));
    assert_null(strstr(log, "C.UTF-8"));
}

static void templates_are_filled_in_and_never_run_by_a_shell(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct dispatch_order *order = exec_order(
        fixture, "{\"type\":\"exec\",\"argv\":[\"/usr/bin/printf\",\"[%s]\",\"${schedule}\","
                 "\"${input.who}\",\"$${attempt}\",\"${input.none}\"],"
                 "\"input\":{\"who\":\"a; rm -rf $HOME\"}}");

    fixture_run(fixture, order);
    assert_string_equal(fixture_log(fixture), "0 [nightly][a; rm -rf $HOME][${attempt}][]\n");
}

static void the_path_of_the_program_may_be_a_template(void **state)
{
    struct dispatch_fixture *fixture = opened(state);

    fixture_run(fixture,
                exec_order(fixture, "{\"type\":\"exec\",\"argv\":[\"/bin/${input.p}\",\"hi\"],"
                                    "\"input\":{\"p\":\"echo\"}}"));
    assert_string_equal(fixture_log(fixture), "0 hi\n");
}

static void standard_input_is_the_run_as_json(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct dispatch_order *order = exec_order(fixture,
                                              "{\"type\":\"exec\",\"argv\":[\"/bin/cat\"],"
                                              "\"input\":{\"a\":1,\"b\":2}}");
    json_auto_t *result = NULL;
    const json_t *output;

    order->assignment.run.input = STR("{\"b\":3}");
    result = parsed(fixture_run(fixture, order)->result);
    output = json_object_get(result, "output");
    assert_string_equal(text_at(output, "schedule"), "nightly");
    assert_string_equal(text_at(output, "kind"), "slot");
    assert_string_equal(text_at(output, "scheduledTime"), "2026-09-21T14:13:20.000Z");
    assert_int_equal(json_integer_value(json_object_get(output, "fence")), 7);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(output, "input"), "a")),
                     1);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(output, "input"), "b")),
                     3);
}

static void json_output_stays_json_and_other_output_becomes_text(void **state)
{
    static const struct {
        const char *action, *output;
    } cases[] = {
        {SH("echo '{\\\"a\\\": [1, 2]}'"), "{\"a\":[1,2]}"},
        {SH("echo 12"), "12"},
        {SH("echo 1 2"), "\"1 2\\n\""},
        {SH("true"), "\"\""},
        {SH("printf 'a\\\\377b'"), "\"a?b\""},
        {SH("printf 'a\\\\000b'"), "\"a?b\""},
    };
    struct dispatch_fixture *fixture = opened(state);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dispatch_order *order = exec_order(fixture, cases[i].action);
        char text[200];
        struct buf buf = BUF(text);
        json_auto_t *result = NULL;

        fixture_forget(fixture);
        result = parsed(fixture_run(fixture, order)->result);
        json_print(json_object_get(result, "output"), JSON_STYLE_LINE, &buf);
        assert_string_equal(text, cases[i].output);
    }
}

static void long_output_is_cut_and_marked(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(
        fixture, exec_order(fixture, SH("head -c 300000 /dev/zero | tr '\\\\0' x")));
    json_auto_t *result = parsed(report->result);

    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(json_string_length(json_object_get(result, "output")), 100 * 1024);
    assert_true(json_is_true(json_object_get(result, "truncated")));
    assert_int_equal(strlen(fixture_log(fixture)), 300000 + 37 * 3); /* 37 parts of 8 KiB */
}

static void output_that_grows_as_json_still_fits(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(
        fixture, exec_order(fixture, SH("head -c 90000 /dev/zero | tr '\\\\0' '\\\\033'")));
    json_auto_t *result = parsed(report->result);

    assert_true(report->result.len <= 256 * 1024);
    assert_int_equal(json_string_length(json_object_get(result, "output")), 22500);
    assert_true(json_is_true(json_object_get(result, "truncated")));
}

static void the_log_is_limited_to_one_megabyte_and_counts_the_rest(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(
        fixture, exec_order(fixture, SH("yes 0123456789 | head -n 300000")));
    const char *log = fixture_log(fixture), *last;

    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    last = strstr(log, "2 ");
    assert_non_null(last);
    /*
     * The server reads 1 MiB of 3300000 bytes: 95325 whole lines; 45590 of 23 bytes fit packed.
     */
    assert_string_equal(last, "2 49736 lines with 497351 bytes were left out of the log; "
                              "2251424 bytes of output were not read\n");
}

static void a_stopped_program_is_cancelled_even_if_it_exits_with_0(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct dispatch_order *order = exec_order(
        fixture, SH("trap 'echo bye; exit 0' TERM; echo up; sleep 60 & wait"));
    struct stop stop = fixture_stop_of(order);
    const struct report *report;

    dispatcher_start(fixture->dispatcher, order);
    fixture_wait(fixture, 1); /* "up" */
    dispatcher_stop(fixture->dispatcher, &stop);
    dispatcher_stop(fixture->dispatcher, &stop);
    report = fixture_wait_end(fixture);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_CANCELLED);
    assert_string_equal(fixture_log(fixture), "0 up\n0 bye\n");
}

static void a_terminated_program_is_killed_and_not_reported(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct dispatch_order *order = exec_order(fixture, SH("trap '' TERM; echo up; sleep 60"));
    struct stop stop = fixture_stop_of(order);

    dispatcher_start(fixture->dispatcher, order);
    fixture_wait(fixture, 1);
    stop.is_terminated = true;
    dispatcher_stop(fixture->dispatcher, &stop);
    while (dispatcher_count(fixture->dispatcher, LANE_EXEC) > 0)
        uv_run(loop_uv(fixture->loop), UV_RUN_ONCE);
    fixture_close(fixture);
    fixture_wait_closed(fixture);
    assert_int_equal(fixture->report_count, 1);
}

static void a_program_that_exceeds_its_time_is_stopped(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct dispatch_order *order = zoo_order(fixture, "ignores_term");
    const struct report *report;

    order->assignment.deadline = order->now + 300 * SPAN_MS;
    report = fixture_run(fixture, order);
    assert_int_equal(report->outcome, OUTCOME_TIMED_OUT);
    assert_error(report, "exec_timeout", true, NULL); /* it may not have set its trap yet */
    fixture_forget(fixture);
    order = exec_order(fixture, SH("sleep 60"));
    order->assignment.deadline = order->now; /* over before the start */
    report = fixture_run(fixture, order);
    assert_int_equal(report->outcome, OUTCOME_TIMED_OUT);
    assert_error(report, "exec_timeout", true,
                 "the program did not end in time and was stopped");
}

static void closing_kills_the_program_and_reports_it_as_lost(void **state)
{
    struct dispatch_fixture *fixture = opened(state);

    dispatcher_start(fixture->dispatcher,
                     exec_order(fixture, SH("trap '' TERM; echo up; sleep 60")));
    fixture_wait(fixture, 1);
    fixture_close(fixture);
    fixture_wait_closed(fixture);
    assert_int_equal(fixture->report_count, 2);
    assert_int_equal(fixture->reports[1]->report.kind, REPORT_LOST);
}

static void log_lines_are_reported_while_the_program_runs(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    struct dispatch_order *order = exec_order(fixture, SH("echo one; sleep 60"));
    struct stop stop = fixture_stop_of(order);

    dispatcher_start(fixture->dispatcher, order);
    assert_int_equal(fixture_wait(fixture, 1)->kind, REPORT_ALIVE);
    assert_int_equal(fixture->reports[0]->report.progress.len, 0);
    assert_string_equal(fixture_log(fixture), "0 one\n");
    dispatcher_stop(fixture->dispatcher, &stop);
    fixture_wait_end(fixture);
}

static void the_action_sets_limits_and_directory(void **state)
{
    struct dispatch_fixture *fixture = opened(state);

    fixture_run(fixture, exec_order(fixture, "{\"type\":\"exec\",\"cwd\":\"/usr\",\"limits\":{"
                                             "\"openFiles\":33},\"argv\":[\"/bin/sh\",\"-c\","
                                             "\"pwd; ulimit -n\"]}"));
    assert_string_equal(fixture_log(fixture), "0 /usr\n0 33\n");
}

static void a_program_can_run_as_another_user(void **state)
{
    struct dispatch_fixture *fixture = opened(state);
    const struct report *report = fixture_run(
        fixture, exec_order(fixture, "{\"type\":\"exec\",\"user\":\"nobody\",\"argv\":["
                                     "\"/bin/sh\",\"-c\",\"id -un; echo $USER $HOME\"]}"));

    if (geteuid() == 0)
        assert_string_equal(fixture_log(fixture), "0 nobody\n0 nobody /nonexistent\n");
    else
        assert_error(report, "exec_not_started", false, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        CASE(a_program_that_exits_with_0_has_succeeded),
        CASE(another_exit_code_fails_with_the_last_line_of_standard_error),
        CASE(a_signal_is_a_failure),
        CASE(a_missing_program_fails_without_a_retry),
        CASE(a_run_is_released_if_no_process_can_be_created),
        CASE(a_run_that_waits_for_its_release_can_be_cancelled),
        CASE(a_killed_supervisor_is_reported_as_lost),
        CASE(exec_actions_fail_unless_the_configuration_allows_them),
        CASE(a_full_pool_releases_the_run),
        CASE(nothing_starts_after_the_lease_expired),
        CASE(the_environment_describes_the_run),
        CASE(variables_of_the_action_override_the_defaults),
        CASE(templates_are_filled_in_and_never_run_by_a_shell),
        CASE(the_path_of_the_program_may_be_a_template),
        CASE(standard_input_is_the_run_as_json),
        CASE(json_output_stays_json_and_other_output_becomes_text),
        CASE(long_output_is_cut_and_marked),
        CASE(output_that_grows_as_json_still_fits),
        CASE(the_log_is_limited_to_one_megabyte_and_counts_the_rest),
        CASE(a_stopped_program_is_cancelled_even_if_it_exits_with_0),
        CASE(a_terminated_program_is_killed_and_not_reported),
        CASE(a_program_that_exceeds_its_time_is_stopped),
        CASE(closing_kills_the_program_and_reports_it_as_lost),
        CASE(log_lines_are_reported_while_the_program_runs),
        CASE(a_program_can_run_as_another_user),
        CASE(the_action_sets_limits_and_directory),
    };

    if (argc > 0 && strcmp(argv[0], SUPERVISOR_NAME) == 0)
        supervisor_main();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
