/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry worker` and its server: leases, an unavailable server, refusals, batches,
 * and shutdown.
 */
#include <dirent.h>

#include "fake_run.h"

static bool run_0_ended(const struct fake *fake)
{
    return fake->run_count > 0 && fake->runs[0].state == FAKE_ENDED;
}

static bool all_runs_ended(const struct fake *fake)
{
    for (int i = 0; i < fake->run_count; i++)
        if (fake->runs[i].state != FAKE_ENDED)
            return false;
    return true;
}

static bool is_idle(const struct fake *fake)
{
    return fake->poll_count == 1 && all_runs_ended(fake);
}

static bool has_no_poll(const struct fake *fake)
{
    return fake->poll_count == 0;
}

static bool was_refused(const struct fake *fake)
{
    return fake->refused > 0;
}

static bool has_denied(const struct fake *fake)
{
    return fake->denied_claims > 0;
}

/* ---- leases ---- */

static bool has_five_beats(const struct fake *fake)
{
    return fake->runs[0].beats >= 5;
}

static void heartbeats_are_sent_for_a_silent_program(void **state)
{
    struct fake *fake = *state;
    char script[256];

    fake->lease = 300 * SPAN_MS;
    snprintf(script, sizeof script, "read x < %s", fake->gate);
    fake_add(fake);
    WORKER(fake, "--once", "--", "sh", "-c", script);
    fake_await(fake, has_five_beats);
    fake_open_gate(fake);
    assert_int_equal(fake_await_exit(fake), 0);
    assert_string_equal(fake->runs[0].how, "complete");
}

static void a_cancelled_program_that_ignores_sigterm_is_killed(void **state)
{
    struct fake *fake = *state;
    char script[256];

    fake->lease = 300 * SPAN_MS;
    snprintf(script, sizeof script, "trap '' TERM; echo up; read x < %s; read x < %s",
             fake->gate, fake->gate);
    fake_add(fake);
    WORKER(fake, "--once", "--kill-after", "50ms", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    fake->runs[0].is_cancelled = true;
    assert_int_equal(fake_await_exit(fake), 128 + SIGKILL);
    assert_string_equal(fake->runs[0].how, "fail");
    assert_string_equal(error_code(&fake->runs[0]), "cancelled");
    assert_false(is_retryable(&fake->runs[0]));
}

static void a_cancelled_program_may_end_by_itself(void **state)
{
    struct fake *fake = *state;
    char script[256];

    fake->lease = 300 * SPAN_MS;
    snprintf(script, sizeof script,
             "trap 'echo tidied; exit 0' TERM; echo up; while :; do read x < %s & wait; done",
             fake->gate);
    fake_add(fake);
    WORKER(fake, "--once", "--kill-after", "60s", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    fake->runs[0].is_cancelled = true;
    assert_int_equal(fake_await_exit(fake), 0);
    assert_string_equal(error_code(&fake->runs[0]), "cancelled");
    assert_string_equal(fake->runs[0].log, "up\ntidied\n");
}

static void a_lost_run_is_killed_and_not_reported(void **state)
{
    struct fake *fake = *state;
    char script[256];

    fake->lease = 300 * SPAN_MS;
    /* The first attempt waits forever, the second ends. */
    snprintf(script, sizeof script,
             "echo up; [ $BELFRY_ATTEMPT = 2 ] || { trap '' TERM; read x < %s; }", fake->gate);
    fake_add(fake);
    WORKER(fake, "-c", "1", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    fake_take_over(fake, &fake->runs[0]);
    fake_await(fake, run_0_ended);
    assert_int_equal(fake->stale, 1);
    assert_string_equal(fake->runs[0].how, "complete");
    assert_int_equal(json_integer_value(json_object_get(fake->runs[0].item, "fence")), 3);
    assert_non_null(strstr(fake_errors(&fake->workers[0]), "outcome=lost"));
}

/* ---- an unavailable server ---- */

static void a_report_waits_until_the_server_is_available(void **state)
{
    struct fake *fake = *state;
    char script[256], line;
    int gate;

    snprintf(script, sizeof script, "echo up; read x < %s; echo \"$x\"; echo > %s", fake->gate,
             fake->gate);
    fake_add(fake);
    WORKER(fake, "-c", "2", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    fake_close(fake);
    fake_open_gate(fake);
    /* The program writes to the gate when it ends, while the server is unavailable. */
    gate = open(fake->gate, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(gate, &line, 1), 1); /* without a reader SIGPIPE might kill it */
    close(gate);
    fake_listen(fake);
    fake_await(fake, is_idle);
    assert_string_equal(fake->runs[0].how, "complete");
    assert_int_equal(fake->runs[0].grants, 1);
    assert_int_equal(fake->stale, 0);
    assert_string_equal(fake->runs[0].log, "up\ngo\n");
    assert_int_equal(kill(fake->workers[0].pid, SIGTERM), 0);
    /* The message may be logged after the claim has arrived, but before the exit. */
    assert_int_equal(fake_await_exit(fake), 0);
    assert_non_null(strstr(fake_errors(&fake->workers[0]), "server available again"));
}

static void a_worker_waits_for_a_server_that_starts_later(void **state)
{
    struct fake *fake = *state;

    char line[256];
    size_t len = 0;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fake_close(fake);
    fake_add(fake);
    fake->err = ends[1];
    WORKER(fake, "--once", "-q", "--", "true");
    close(ends[1]);
    /* Its first log line. */
    while (len < sizeof line && read(ends[0], line + len, 1) == 1 && line[len] != '\n')
        len++;
    assert_non_null(memmem(line, len, "server unavailable", 18));
    fake_listen(fake);
    assert_int_equal(fake_await_exit(fake), 0);
    assert_string_equal(fake->runs[0].how, "complete");
    close(ends[0]);
}

static void a_worker_ends_if_access_is_denied(void **state)
{
    struct fake *fake = *state;

    fake->token = "bf_worker_x";
    fake_add(fake);
    WORKER(fake, "--token", "bf_worker_y", "--", "true");
    assert_int_equal(fake_await_exit(fake), 1);
    assert_int_equal(fake->requests, 1);
    assert_non_null(strstr(fake_errors(&fake->workers[0]), "reason=\"this needs a token\""));
    assert_null(strstr(fake_errors(&fake->workers[0]), "bf_worker_y"));
    WORKER(fake, "--token", "bf_worker_x", "--once", "--", "true");
    assert_int_equal(fake_await_exit(fake), 0);
}

/* The worker finishes the runs that it has, and reports them if the server allows it. */
static void a_worker_finishes_its_runs_if_access_is_revoked(void **state)
{
    struct fake *fake = *state;
    char script[256];

    snprintf(script, sizeof script, "echo up; read x < %s", fake->gate);
    fake->token = "bf_worker_x";
    fake_add(fake);
    WORKER(fake, "--token", "bf_worker_x", "-c", "2", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    fake->token = "bf_worker_y";
    fake_close(fake);
    fake_listen(fake);
    fake_await(fake, has_denied);
    fake->token = "bf_worker_x";
    fake_open_gate(fake);
    assert_int_equal(fake_await_exit(fake), 1);
    assert_string_equal(fake->runs[0].how, "complete");
    assert_non_null(strstr(fake_errors(&fake->workers[0]), "worker draining"));
}

static bool has_denied_report(const struct fake *fake)
{
    return fake->denied_reports > 0;
}

/* A worker that has no room for another run learns it from its reports. */
static void a_denied_report_is_not_an_unavailable_server(void **state)
{
    struct fake *fake = *state;
    char script[256];

    snprintf(script, sizeof script, "echo up; read x < %s", fake->gate);
    fake->token = "bf_worker_x";
    fake_add(fake);
    WORKER(fake, "--token", "bf_worker_x", "-c", "1", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    fake->token = "bf_worker_y";
    fake_open_gate(fake);
    fake_await(fake, has_denied_report);
    fake->token = "bf_worker_x";
    assert_int_equal(fake_await_exit(fake), 1);
    assert_string_equal(fake->runs[0].how, "complete");
    assert_non_null(strstr(fake_errors(&fake->workers[0]), "access denied"));
    assert_null(strstr(fake_errors(&fake->workers[0]), "unavailable"));
}

static void a_report_is_sent_again_unchanged(void **state)
{
    struct fake *fake = *state;

    fake->unavailable = 3;
    assert_int_equal(once(fake, "echo 7"), 0);
    assert_string_equal(member(&fake->runs[0], "result"), "7");
    assert_int_equal(fake->stale, 0);
    assert_int_equal(fake->unavailable, 0);
}

static void a_lost_answer_does_not_repeat_the_run(void **state)
{
    struct fake *fake = *state;

    fake->loses_answer = true;
    /* The lost answer may be that of a heartbeat; then the report is accepted as usual. */
    assert_int_equal(once(fake, "echo 7"), 0);
    assert_string_equal(fake->runs[0].how, "complete");
    assert_string_equal(member(&fake->runs[0], "result"), "7");
    assert_true(fake->stale <= 1);
    assert_int_equal(fake->runs[0].grants, 1);
}

static void a_refused_result_becomes_a_failure(void **state)
{
    struct fake *fake = *state;

    fake->refuses = "complete";
    assert_int_equal(once(fake, "echo 7"), 0);
    assert_string_equal(fake->runs[0].how, "fail");
    assert_string_equal(error_code(&fake->runs[0]), "result_refused");
    assert_false(is_retryable(&fake->runs[0]));
    assert_non_null(strstr(message(&fake->runs[0]), "invalid"));
}

static void a_refused_failure_is_logged_and_dropped(void **state)
{
    struct fake *fake = *state;

    fake->refuses = "fail";
    assert_int_equal(once(fake, "exit 4"), 4);
    assert_int_equal(fake->refused, 1);
    assert_non_null(strstr(fake_errors(&fake->workers[0]), "report refused"));
}

/* ---- many runs ---- */

static void a_worker_claims_up_to_its_concurrency(void **state)
{
    enum { RUNS = 40, CONCURRENCY = 8 };
    struct fake *fake = *state;

    for (int i = 0; i < RUNS; i++)
        fake_add(fake);
    WORKER(fake, "-c", "8", "--", "sh", "-c", "echo $BELFRY_FENCE");
    fake_await(fake, is_idle);
    assert_int_equal(fake->max_asked, CONCURRENCY);
    assert_int_equal(fake->max_leased, CONCURRENCY);
    for (int i = 0; i < RUNS; i++) {
        assert_string_equal(fake->runs[i].how, "complete");
        assert_int_equal(fake->runs[i].grants, 1);
    }
    assert_int_equal(fake->stale, 0);
}

static void a_refused_batch_is_sent_one_by_one(void **state)
{
    enum { RUNS = 8 };
    struct fake *fake = *state;

    fake->refuses_batches = true;
    for (int i = 0; i < RUNS; i++)
        fake_add(fake);
    WORKER(fake, "-c", "8", "--", "true");
    fake_await(fake, is_idle);
    assert_true(was_refused(fake));
    for (int i = 0; i < RUNS; i++)
        assert_string_equal(fake->runs[i].how, "complete");
}

static void two_workers_share_the_runs(void **state)
{
    enum { RUNS = 30 };
    struct fake *fake = *state;

    WORKER(fake, "-c", "2", "--", "true");
    WORKER(fake, "-c", "2", "--", "true");
    for (int i = 0; i < RUNS; i++)
        fake_add(fake);
    fake_await(fake, all_runs_ended);
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(fake->runs[i].grants, 1);
    assert_int_equal(fake->stale, 0);
}

static int count_files(pid_t pid)
{
    char path[64];
    int count = 0;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void a_worker_leaks_no_descriptors_and_no_children(void **state)
{
    enum { ROUNDS = 5, RUNS = 20, CONNECTIONS = 4 };
    struct fake *fake = *state;
    struct fake_worker *worker = WORKER(fake, "-c", "4", "--", "sh", "-c", "echo x; exit 1");
    char path[64], children[64];
    int before, fd;

    fake_await(fake, has_one_poll);
    before = count_files(worker->pid);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < RUNS; i++)
            fake_add(fake);
        fake_await(fake, is_idle);
    }
    assert_true(count_files(worker->pid) <= before + CONNECTIONS);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)worker->pid,
             (int)worker->pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, children, sizeof children), 0);
    close(fd);
}

/* ---- the end ---- */

static void sigterm_waits_for_programs_and_claims_nothing(void **state)
{
    struct fake *fake = *state;
    struct fake_worker *worker;
    char script[256];

    snprintf(script, sizeof script, "echo up; read x < %s; echo \"$x\"", fake->gate);
    fake_add(fake);
    worker = WORKER(fake, "-c", "2", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    fake_await(fake, has_one_poll);
    kill(worker->pid, SIGTERM);
    fake_await(fake, has_no_poll);
    fake_add(fake);
    fake_open_gate(fake);
    assert_int_equal(fake_await_exit(fake), 0);
    assert_string_equal(fake->runs[0].how, "complete");
    assert_int_equal(fake->runs[1].grants, 0);
}

static void a_second_sigterm_returns_the_runs(void **state)
{
    struct fake *fake = *state;
    struct fake_worker *worker;
    char script[256];

    snprintf(script, sizeof script, "echo up; read x < %s", fake->gate);
    fake_add(fake);
    worker = WORKER(fake, "-c", "2", "--drain", "1h", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    fake_await(fake, has_one_poll);
    kill(worker->pid, SIGTERM);
    fake_await(fake, has_no_poll);
    kill(worker->pid, SIGTERM);
    assert_int_equal(fake_await_exit(fake), 0);
    assert_string_equal(fake->runs[0].how, "release");
    assert_true(json_is_true(json_object_get(fake->runs[0].item, "begun")));
}

static void a_refused_release_becomes_a_failure(void **state)
{
    struct fake *fake = *state;
    struct fake_worker *worker;
    char script[256];

    fake->refuses = "release";
    snprintf(script, sizeof script, "echo up; read x < %s", fake->gate);
    fake_add(fake);
    worker = WORKER(fake, "--drain", "1ms", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    kill(worker->pid, SIGTERM);
    assert_int_equal(fake_await_exit(fake), 0);
    /* A server that refuses a release gets a failure instead. */
    assert_string_equal(fake->runs[0].how, "fail");
    assert_string_equal(error_code(&fake->runs[0]), "worker_stopped");
    assert_true(is_retryable(&fake->runs[0]));
}

static bool is_unanswered(const struct fake *fake)
{
    return fake->unanswered > 0;
}

static bool run_0_is_told(const struct fake *fake)
{
    return strstr(fake->runs[0].log, "told\n") != NULL;
}

/*
 * The third signal kills the programs, the fourth ends the worker.  When both arrive at once,
 * it exits before it has seen its programs end; here with a heartbeat in progress for one.
 */
static void signals_at_once_end_a_worker_that_waits_for_an_answer(void **state)
{
    struct fake *fake = *state;
    struct fake_worker *worker;
    char script[256];

    fake->lease = 300 * SPAN_MS;
    snprintf(script, sizeof script,
             "trap 'echo told' TERM; echo up; while :; do read x < %s & wait; done",
             fake->gate);
    fake_add(fake);
    worker = WORKER(fake, "--drain", "1ms", "--kill-after", "1h", "--", "sh", "-c", script);
    fake_await(fake, run_0_is_up);
    kill(worker->pid, SIGTERM);
    fake_await(fake, run_0_is_told);
    fake->is_mute = true;
    fake_await(fake, is_unanswered);
    /* While it is stopped, SIGINT and SIGTERM both stay pending. */
    kill(worker->pid, SIGSTOP);
    assert_int_equal(waitpid(worker->pid, NULL, WUNTRACED), worker->pid);
    kill(worker->pid, SIGINT);
    kill(worker->pid, SIGTERM);
    kill(worker->pid, SIGCONT);
    assert_int_equal(fake_await_exit(fake), 1);
    assert_non_null(strstr(fake_errors(worker), "worker ends with unreported runs"));
}

static void an_idle_worker_ends_at_once(void **state)
{
    struct fake *fake = *state;
    struct fake_worker *worker = WORKER(fake, "-q", "--", "true");

    fake_await(fake, has_one_poll);
    kill(worker->pid, SIGINT);
    assert_int_equal(fake_await_exit(fake), 0);
    assert_string_equal(fake_errors(worker), "");
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, fake_setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(heartbeats_are_sent_for_a_silent_program),
        WITH_SERVER(a_cancelled_program_that_ignores_sigterm_is_killed),
        WITH_SERVER(a_cancelled_program_may_end_by_itself),
        WITH_SERVER(a_lost_run_is_killed_and_not_reported),
        WITH_SERVER(a_report_waits_until_the_server_is_available),
        WITH_SERVER(a_worker_waits_for_a_server_that_starts_later),
        WITH_SERVER(a_worker_ends_if_access_is_denied),
        WITH_SERVER(a_worker_finishes_its_runs_if_access_is_revoked),
        WITH_SERVER(a_denied_report_is_not_an_unavailable_server),
        WITH_SERVER(a_report_is_sent_again_unchanged),
        WITH_SERVER(a_lost_answer_does_not_repeat_the_run),
        WITH_SERVER(a_refused_result_becomes_a_failure),
        WITH_SERVER(a_refused_failure_is_logged_and_dropped),
        WITH_SERVER(a_worker_claims_up_to_its_concurrency),
        WITH_SERVER(a_refused_batch_is_sent_one_by_one),
        WITH_SERVER(two_workers_share_the_runs),
        WITH_SERVER(a_worker_leaks_no_descriptors_and_no_children),
        WITH_SERVER(sigterm_waits_for_programs_and_claims_nothing),
        WITH_SERVER(a_second_sigterm_returns_the_runs),
        WITH_SERVER(a_refused_release_becomes_a_failure),
        WITH_SERVER(signals_at_once_end_a_worker_that_waits_for_an_answer),
        WITH_SERVER(an_idle_worker_ends_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
