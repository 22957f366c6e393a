/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests that each counter changes in exactly the case that it counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/call/operation.h"
#include "prometheus_text.h"
#include "server/counters.h"

#define NOW INT64_C(1767607200000000)

static struct counters counters;
static struct arena *arena;
static char before[1 << 20], after[1 << 20];

static int set_up(void **state)
{
    (void)state;
    memset(&counters, 0, sizeof counters);
    arena = arena_new(16 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

static void print(char *to, size_t size)
{
    struct answer out = answer_new(arena);

    counters_print(&counters, &out);
    snprintf(to, size, "%.*s", (int)out.buf.len, out.buf.ptr);
    if (prometheus_wrong(to))
        fail_msg("%s", prometheus_wrong(to));
}

/* The number of changed series, except those about turns. */
static int changes(void)
{
    char *a = before, *b = after;
    int count = 0;

    while (*a != '\0') {
        char *a_end = strchr(a, '\n'), *b_end = strchr(b, '\n');
        bool is_turn = strncmp(a, "belfry_turn", 11) == 0 ||
                       strncmp(a, "belfry_commit", 13) == 0;

        count += !is_turn && (a_end - a != b_end - b || memcmp(a, b, (size_t)(a_end - a)) != 0);
        a = a_end + 1;
        b = b_end + 1;
    }
    return count;
}

static void turn(const struct turn_out *out)
{
    print(before, sizeof before);
    counters_turn(&counters,
                  &(struct counter_turn){.out = out, .now = NOW, .took = 100, .commit = 50});
    print(after, sizeof after);
}

/* Checks that only this series changed, from 0 to `value`. */
static void assert_only(const char *series, double value)
{
    assert_true(prometheus_value(before, series) == 0);
    assert_true(prometheus_value(after, series) == value);
    assert_int_equal(changes(), 1);
}

static void event_counts(struct event event, const char *series, double value)
{
    struct turn_out out = {.events = &event, .event_count = 1};

    memset(&counters, 0, sizeof counters);
    turn(&out);
    assert_only(series, value);
}

static void each_event_increments_its_counter(void **state)
{
    (void)state;
    event_counts((struct event){.type = EVENT_SLOT_SKIPPED, .detail = 2 * 256 + 1, .count = 3},
                 "belfry_slots_total{outcome=\"skipped\",reason=\"overlap\"}", 3);
    event_counts((struct event){.type = EVENT_SLOT_MISSED, .detail = 3 * 256 + 4, .count = 1},
                 "belfry_slots_total{outcome=\"missed\",reason=\"paused\"}", 1);
    event_counts((struct event){.type = EVENT_SLOT_DROPPED, .detail = 4 * 256 + 7, .count = 1},
                 "belfry_slots_total{outcome=\"dropped\",reason=\"buffer\"}", 1);
    event_counts((struct event){.type = EVENT_RUN_RETRYING, .count = 1}, "belfry_retries_total",
                 1);
    event_counts((struct event){.type = EVENT_RUN_LATE, .count = 1}, "belfry_runs_late_total",
                 1);
    event_counts((struct event){.type = EVENT_SCHEDULE_QUARANTINED, .count = 7},
                 "belfry_schedules_quarantined_total", 1); /* its count is a version */
    event_counts((struct event){.type = EVENT_LEASE_EXPIRED, .count = 1},
                 "belfry_lease_expiries_total", 1);
    event_counts((struct event){.type = EVENT_LEASE_EXPIRED, .detail = 3, .count = 1},
                 "belfry_zombies_cleaned_total", 1);
    event_counts((struct event){.type = EVENT_LEASE_STALE, .count = 1},
                 "belfry_stale_reports_refused_total", 1);
}

static void ended_attempts_and_runs_are_counted_by_type_and_outcome(void **state)
{
    struct ended ended = {OUTCOME_FAILED, LANE_HTTP, false, 3 * SPAN_MS};
    struct turn_out out = {.ended = &ended, .ended_count = 1};

    (void)state;
    turn(&out);
    assert_true(prometheus_value(
                    after, "belfry_attempts_total{type=\"http\",outcome=\"failed\"}") == 1);
    assert_true(prometheus_value(
                    after, "belfry_runs_ended_total{type=\"http\",outcome=\"failed\"}") == 0);
    assert_true(prometheus_value(after, "belfry_run_duration_seconds_sum{type=\"http\"}") ==
                0.003);
    ended = (struct ended){OUTCOME_CANCELLED, LANE_PULL, true, -1};
    turn(&out);
    assert_only("belfry_runs_ended_total{type=\"queue\",outcome=\"cancelled\"}", 1);
}

static void the_first_attempt_records_lateness_and_wait(void **state)
{
    struct assignment assignment = {
        .name = STR("a"),
        .run = {
            .schedule = 5, .attempt = 1, .due = NOW - 3 * SPAN_S, .created_at = NOW - SPAN_S}};
    struct turn_out out = {
        .grants = &assignment, .grant_count = 1, .started = {[RUN_SLOT] = 1}};
    struct context_latest latest[CONTEXT_LATEST_MAX];

    (void)state;
    turn(&out);
    assert_true(prometheus_value(after, "belfry_lateness_seconds_sum") == 3);
    assert_true(prometheus_value(after, "belfry_queue_wait_seconds_sum") == 1);
    assert_true(prometheus_value(after, "belfry_runs_started_total{kind=\"slot\"}") == 1);
    assert_true(
        prometheus_value(after, "belfry_slots_total{outcome=\"started\",reason=\"\"}") == 1);
    counters_latest(&counters, NOW, latest);
    assert_int_equal(latest[0].schedule, 5);
    assert_int_equal(latest[0].late, 3 * SPAN_S);
    assert_int_equal(latest[1].schedule, 0);
    counters_latest(&counters, NOW + COUNTER_LATE_AGE + 1, latest);
    assert_int_equal(latest[0].schedule, 0);
    /* A second attempt does not count as late again. */
    assignment.run.attempt = 2;
    out.started[RUN_SLOT] = 0;
    turn(&out);
    assert_int_equal(changes(), 0);
}

static void the_ten_latest_schedules_are_listed(void **state)
{
    struct context_latest latest[CONTEXT_LATEST_MAX];
    int64_t sum = 0;

    (void)state;
    for (int i = 1; i <= 30; i++) {
        struct assignment assignment = {.name = STR("a"),
                                        .run = {.schedule = i % 3 == 0 ? 100 + i : i,
                                                .attempt = 1,
                                                .due = NOW - (i * 7 % 31 + 1) * SPAN_S,
                                                .created_at = NOW}};

        turn(&(struct turn_out){.dispatches = &assignment, .dispatch_count = 1});
    }
    counters_latest(&counters, NOW, latest);
    for (int i = 0; i < CONTEXT_LATEST_MAX; i++)
        sum += latest[i].late / SPAN_S;
    assert_int_equal(sum, 22 + 23 + 24 + 25 + 26 + 27 + 28 + 29 + 30 + 31);
}

static void requests_are_counted_by_operation_and_class(void **state)
{
    struct call call = {.operation = &operations[0]};
    char series[128];

    (void)state;
    counters_request(&counters, &call, 204);
    call.denied = AUDIT_FORBIDDEN;
    counters_request(&counters, &call, 403);
    call = (struct call){0};
    counters_request(&counters, &call, 404);
    counters_request(&counters, &call, 429);
    print(after, sizeof after);
    snprintf(series, sizeof series, "belfry_http_requests_total{operation=\"%s\",code=\"2xx\"}",
             operations[0].id);
    assert_true(prometheus_value(after, series) == 1);
    assert_true(prometheus_value(
                    after, "belfry_http_requests_total{operation=\"none\",code=\"4xx\"}") == 2);
    assert_true(prometheus_value(after, "belfry_http_denied_total{reason=\"forbidden\"}") == 1);
    assert_true(prometheus_value(after, "belfry_http_denied_total{reason=\"unauthorized\"}") ==
                0);
    assert_true(prometheus_value(after, "belfry_http_rate_limited_total") == 1);
}

#define WITH_COUNTERS(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_COUNTERS(each_event_increments_its_counter),
        WITH_COUNTERS(ended_attempts_and_runs_are_counted_by_type_and_outcome),
        WITH_COUNTERS(the_first_attempt_records_lateness_and_wait),
        WITH_COUNTERS(the_ten_latest_schedules_are_listed),
        WITH_COUNTERS(requests_are_counted_by_operation_and_class),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
