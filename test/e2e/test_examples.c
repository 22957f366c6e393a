/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that each document of examples/ does what its README says, on a clock that the test
 * sets.
 *
 * The clock is set to one second past a minute, so that the test has the rest of the minute.
 */
#include <glob.h>
#include <sys/wait.h>

#include "fake_clock.h"
#include "peers/receiver.h"
#include "request.h"

enum {
    TEXT_MAX = 512,
    DOCUMENT_MAX = 8192,
    COUNTDOWN_SLOTS = 6,
    ATTEMPTS = 3,
    EXAMPLES = 9,
    ARGS_MAX = 16
};

#define FRIDAY "2027-03-12T"

/* ---- helpers ---- */

/* The text of a file, valid until the next call. */
static const char *document(const char *path)
{
    static char text[DOCUMENT_MAX];
    FILE *file = fopen(path, "r");
    size_t n;

    if (!file)
        fail_msg("%s is not there", path);
    n = fread(text, 1, sizeof text - 1, file);
    assert_true(feof(file));
    fclose(file);
    text[n] = '\0';
    assert_null(strchr(text, '\'')); /* request.h would replace it by a double quote */
    return text;
}

static void put(struct server *d, const char *path)
{
    const json_t *result = at(
        api(d, 200, "POST", "/api/v1/bulk/schedules/put", "{'items':[%s]}", document(path)),
        "results[0]");

    if (strcmp(text_at(result, "status"), "ok") != 0)
        fail_msg("%s: %s", path, text_at(result, "error.detail"));
}

static struct server *start_at(struct world *w, const char *when)
{
    fake_clock_set_time(w, when);
    return fake_clock_start(w, WORDS("--max-jump", "30d", "--http-allow-private"));
}

/* Claims the next run of the queue, which must have this slot. */
static const json_t *claim_run(struct server *d, const char *queue, const char *slot)
{
    const json_t *run = at(claim(d, queue, 1, "30s"), "[0]");

    assert_string_equal(text_at(run, "slot"), slot);
    return run;
}

static void complete_run(struct server *d, const char *queue, const char *slot)
{
    assert_int_equal(tell_run(d, "complete", claim_run(d, queue, slot), "").status, 200);
}

static int64_t counter(struct server *d, const char *id, const char *name)
{
    char path[TEXT_MAX];

    snprintf(path, sizeof path, "counters.%s", name);
    return number_at(schedule_state(d, id), path);
}

/* The schedule's only run, as the API returns it. */
static const json_t *only_run(struct server *d, const char *id)
{
    char path[TEXT_MAX];
    const json_t *runs;

    snprintf(path, sizeof path, "/api/v1/runs?schedule=%s", id);
    runs = at(api(d, 200, "GET", path, NULL), "runs");
    assert_int_equal(json_array_size(runs), 1);
    return json_array_get(runs, 0);
}

/* Runs `belfry WORDS` with this server; it must succeed. */
static void belfry(struct server *d, const char *const *words)
{
    const char *argv[ARGS_MAX] = {"belfry"};
    char url[TEXT_MAX];
    int status;
    pid_t pid;

    for (int i = 0; words[i]; i++) {
        assert_true(i + 2 < ARGS_MAX);
        argv[i + 1] = words[i];
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%u", d->port);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("BELFRY_SERVER", url, 1);
        execv(d->world->program, (char *const *)argv);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* Executes one run with `belfry worker` and a program of examples/work. */
static void work_with(struct server *d, const char *queue, const char *program)
{
    char path[TEXT_MAX];

    snprintf(path, sizeof path, "examples/work/%s", program);
    belfry(d, WORDS("worker", "--queue", queue, "--once", "--quiet", "--", path));
}

/* ---- the examples ---- */

static void every_minute_has_one_run(void **state)
{
    struct world *w = *state;
    struct server *d = start_at(w, FRIDAY "08:00:01Z");

    put(d, "examples/1-every-minute.json");
    fake_clock_set_time(w, FRIDAY "08:01:01Z");
    complete_run(d, "every-minute", FRIDAY "08:01:00.000Z");
    fake_clock_set_time(w, FRIDAY "08:02:01Z");
    complete_run(d, "every-minute", FRIDAY "08:02:00.000Z");
    assert_int_equal(counter(d, "every-minute", "started"), 2);
    assert_int_equal(counter(d, "every-minute", "succeeded"), 2);
    assert_int_equal(counter(d, "every-minute", "missed"), 0);
    assert_int_equal(server_stop(d), 0);
}

/* New York changes from UTC-5 to UTC-4 on Sunday, 2027-03-14. */
static void the_weekday_report_keeps_its_local_time(void **state)
{
    struct world *w = *state;
    struct server *d = start_at(w, FRIDAY "13:59:01Z");

    put(d, "examples/2-weekday-report.json");
    fake_clock_set_time(w, FRIDAY "14:00:01Z");
    complete_run(d, "weekday-report", FRIDAY "14:00:00.000Z");
    assert_string_equal(text_at(schedule_state(d, "weekday-report"), "nextAt"),
                        "2027-03-15T13:00:00.000Z");
    fake_clock_set_time(w, "2027-03-15T13:00:01Z");
    complete_run(d, "weekday-report", "2027-03-15T13:00:00.000Z");
    assert_int_equal(counter(d, "weekday-report", "started"), 2);
    assert_int_equal(counter(d, "weekday-report", "missed"), 0);
    assert_int_equal(server_stop(d), 0);
}

/* Compared with a schedule that starts only the latest missed slot, the default. */
static void catch_up_makes_up_for_each_minute_in_order(void **state)
{
    struct world *w = *state;
    struct server *d = start_at(w, FRIDAY "08:00:01Z");

    put(d, "examples/1-every-minute.json");
    put(d, "examples/3-catch-up.json");
    assert_int_equal(server_stop(d), 0);
    d = start_at(w, FRIDAY "08:04:01Z");
    complete_run(d, "catch-up", FRIDAY "08:01:00.000Z");
    complete_run(d, "catch-up", FRIDAY "08:02:00.000Z");
    complete_run(d, "catch-up", FRIDAY "08:03:00.000Z");
    complete_run(d, "catch-up", FRIDAY "08:04:00.000Z");
    assert_int_equal(counter(d, "catch-up", "missed"), 0);
    complete_run(d, "every-minute", FRIDAY "08:04:00.000Z");
    assert_int_equal(counter(d, "every-minute", "missed"), 3);
    assert_int_equal(server_stop(d), 0);
}

static void the_countdown_ends_with_the_year(void **state)
{
    static const char *const slots[COUNTDOWN_SLOTS] = {
        "2030-12-31T23:55:00.000Z", "2030-12-31T23:56:00.000Z", "2030-12-31T23:57:00.000Z",
        "2030-12-31T23:58:00.000Z", "2030-12-31T23:59:00.000Z", "2031-01-01T00:00:00.000Z",
    };
    struct world *w = *state;
    struct server *d = start_at(w, "2030-12-31T23:50:01Z");
    const json_t *times;

    put(d, "examples/4-countdown.json");
    times = at(api(d, 200, "GET", "/api/v1/schedules/countdown/next?count=10", NULL), "times");
    assert_int_equal(json_array_size(times), COUNTDOWN_SLOTS);
    for (int i = 0; i < COUNTDOWN_SLOTS; i++)
        assert_string_equal(text_at(json_array_get(times, (size_t)i), "slot"), slots[i]);
    fake_clock_set_time(w, "2031-01-01T00:05:01Z");
    for (int i = 0; i < COUNTDOWN_SLOTS; i++)
        complete_run(d, "countdown", slots[i]);
    assert_true(json_is_null(at(schedule_state(d, "countdown"), "nextAt")));
    assert_int_equal(counter(d, "countdown", "started"), COUNTDOWN_SLOTS);
    assert_int_equal(server_stop(d), 0);
}

static void two_branches_are_joined_in_one_run(void **state)
{
    struct world *w = *state;
    struct server *d = start_at(w, FRIDAY "08:00:01Z");
    const json_t *run;

    put(d, "examples/5-two-branches.json");
    fake_clock_set_time(w, FRIDAY "08:01:01Z");
    work_with(d, "two-branches", "two-branches");
    run = only_run(d, "two-branches");
    assert_string_equal(text_at(run, "outcome"), "succeeded");
    assert_string_equal(text_at(run, "result.joined[0]"), "apples");
    assert_string_equal(text_at(run, "result.joined[1]"), "pears");
    assert_int_equal(server_stop(d), 0);
}

static void refuse(struct receiver *r, const char *attempt, char ret_run[TEXT_MAX])
{
    struct received_request request;

    receiver_take(r, &request);
    assert_string_equal(received_field(&request, "belfry-attempt"), attempt);
    snprintf(ret_run, TEXT_MAX, "%s", received_field(&request, "belfry-run"));
    receiver_answer(&request, "404 Not Found", "{}");
}

/* The URL is replaced, since tests call no other machine. */
static void a_failing_run_is_tried_three_times_in_each_minute(void **state)
{
    static const char *const attempts[ATTEMPTS] = {"1", "2", "3"};
    struct world *w = *state;
    struct server *d = start_at(w, FRIDAY "08:00:01Z");
    char first[TEXT_MAX], run[TEXT_MAX];
    struct receiver r;

    receiver_open(&r);
    put(d, "examples/6-retry.json");
    api(d, 200, "PATCH", "/api/v1/schedules/retry",
        "{'action':{'url':'http://127.0.0.1:%u/not-there'}}", r.port);
    fake_clock_set_time(w, FRIDAY "08:01:01Z");
    refuse(&r, attempts[0], first);
    for (int i = 1; i < ATTEMPTS; i++) {
        refuse(&r, attempts[i], run);
        assert_string_equal(run, first);
    }
    UNTIL(counter(d, "retry", "failed") == 1);
    assert_string_equal(text_at(only_run(d, "retry"), "error.code"), "http_status");
    assert_string_equal(text_at(schedule_state(d, "retry"), "status"), "active");
    fake_clock_set_time(w, FRIDAY "08:02:01Z");
    refuse(&r, attempts[0], run);
    assert_string_not_equal(run, first);
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

static void runs_that_take_longer_than_a_minute_overlap(void **state)
{
    struct world *w = *state;
    struct server *d = start_at(w, FRIDAY "08:00:01Z");
    const json_t *first, *second;

    put(d, "examples/7-overlap.json");
    fake_clock_set_time(w, FRIDAY "08:01:01Z");
    first = claim_run(d, "overlap", FRIDAY "08:01:00.000Z");
    fake_clock_set_time(w, FRIDAY "08:02:01Z");
    second = claim_run(d, "overlap", FRIDAY "08:02:00.000Z");
    assert_int_equal(number_at(schedule_state(d, "overlap"), "open"), 2);
    assert_int_equal(tell_run(d, "complete", first, "").status, 200);
    assert_int_equal(tell_run(d, "complete", second, "").status, 200);
    assert_int_equal(counter(d, "overlap", "skipped"), 0);
    assert_int_equal(server_stop(d), 0);
}

/* 08:01 of that day and of the day before, in milliseconds: `date -d … +%s`. */
static void the_input_has_the_given_values_and_the_times_of_the_slot(void **state)
{
    struct world *w = *state;
    struct server *d = start_at(w, FRIDAY "08:00:01Z");
    const json_t *run;

    put(d, "examples/8-input.json");
    fake_clock_set_time(w, FRIDAY "08:01:01Z");
    run = claim_run(d, "day-window", FRIDAY "08:01:00.000Z");
    assert_string_equal(text_at(run, "input.owner"), "ops@example.com");
    assert_int_equal(number_at(run, "input.threshold"), 42);
    assert_int_equal(number_at(run, "input.scheduledTime"), INT64_C(1804838460000));
    assert_in_range(number_at(run, "input.executionTime"), INT64_C(1804838461000),
                    INT64_C(1804838520000));
    assert_string_equal(text_at(run, "input._startedByScheduler"), "input");
    assert_int_equal(tell_run(d, "release", run, "").status, 200);
    work_with(d, "day-window", "day-window");
    run = only_run(d, "input");
    assert_int_equal(number_at(run, "result.from"), INT64_C(1804752060000));
    assert_int_equal(number_at(run, "result.to"), INT64_C(1804838460000));
    assert_int_equal(server_stop(d), 0);
}

static void a_loop_of_three_rounds_is_one_run(void **state)
{
    struct world *w = *state;
    struct server *d = start_at(w, FRIDAY "08:00:01Z");
    const json_t *run, *lines;
    char path[TEXT_MAX];

    put(d, "examples/9-loop.json");
    fake_clock_set_time(w, FRIDAY "08:01:01Z");
    work_with(d, "loop", "loop");
    run = only_run(d, "loop");
    assert_int_equal(number_at(run, "result.rounds"), 3);
    snprintf(path, sizeof path, "/api/v1/runs/%s/logs", text_at(run, "id"));
    lines = api(d, 200, "GET", path, NULL);
    assert_string_equal(text_at(lines, "lines[0].text"), "round 1 of 3");
    assert_string_equal(text_at(lines, "lines[2].text"), "round 3 of 3");
    assert_int_equal(server_stop(d), 0);
}

/* Checks that no example is missing above. */
static void all_examples_are_accepted(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *list;
    glob_t found;

    assert_int_equal(glob("examples/*.json", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, EXAMPLES);
    for (size_t i = 0; i < found.gl_pathc; i++)
        put(d, found.gl_pathv[i]);
    globfree(&found);
    list = api(d, 200, "GET", "/api/v1/schedules?label=example:yes", NULL);
    assert_int_equal(json_array_size(at(list, "schedules")), EXAMPLES);
    assert_int_equal(server_stop(d), 0);
}

/* Applies the whole directory; what exists is not changed, and `diff` finds no difference. */
static void apply_accepts_the_whole_folder(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *list;

    belfry(d, WORDS("apply", "-f", "examples", "-o", "name"));
    belfry(d, WORDS("apply", "-f", "examples", "-o", "name"));
    belfry(d, WORDS("diff", "-f", "examples", "-o", "name"));
    list = at(api(d, 200, "GET", "/api/v1/schedules?label=example:yes", NULL), "schedules");
    assert_int_equal(json_array_size(list), EXAMPLES);
    for (size_t i = 0; i < EXAMPLES; i++)
        assert_int_equal(number_at(json_array_get(list, i), "state.version"), 1);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(every_minute_has_one_run),
        E2E_TEST(the_weekday_report_keeps_its_local_time),
        E2E_TEST(catch_up_makes_up_for_each_minute_in_order),
        E2E_TEST(the_countdown_ends_with_the_year),
        E2E_TEST(two_branches_are_joined_in_one_run),
        E2E_TEST(a_failing_run_is_tried_three_times_in_each_minute),
        E2E_TEST(runs_that_take_longer_than_a_minute_overlap),
        E2E_TEST(the_input_has_the_given_values_and_the_times_of_the_slot),
        E2E_TEST(a_loop_of_three_rounds_is_one_run),
        E2E_TEST(all_examples_are_accepted),
        E2E_TEST(apply_accepts_the_whole_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
