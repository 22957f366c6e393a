/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the counters in the Prometheus text format.  Label names and values come only from
 * tables of the program, never from users, which bounds the number of lines.
 */
#include "api/call/operation.h"
#include "server/counters.h"

enum { LABELS_MAX = 256 };

static const char *const action_types[LANE_COUNT] = {[LANE_PULL] = "queue",
                                                     [LANE_HTTP] = "http",
                                                     [LANE_EXEC] = "exec",
                                                     [LANE_FLOW] = "workflow"};

static void print_histogram(struct answer *out, const char *name, const char *labels,
                            const struct counter_histogram *h)
{
    struct prometheus_histogram copy = {.sum = counter_read(&h->sum)};

    for (int i = 0; i <= PROMETHEUS_BOUNDS; i++)
        copy.counts[i] = counter_read(&h->counts[i]);
    prometheus_print(out, name, labels, &copy);
}

static void print_durations(const struct counters *m, struct answer *out)
{
    char labels[LABELS_MAX];

    prometheus_family(out, "belfry_lateness_seconds", "histogram",
                      "Time from when a run was due until it started.");
    print_histogram(out, "belfry_lateness_seconds", "", &m->lateness);
    prometheus_family(out, "belfry_queue_wait_seconds", "histogram",
                      "Time from when a run could start until it was claimed.");
    print_histogram(out, "belfry_queue_wait_seconds", "", &m->wait);
    prometheus_family(out, "belfry_run_duration_seconds", "histogram",
                      "Duration of attempts, by type of action.");
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        struct buf text = BUF(labels);

        buf_printf(&text, "type=\"%s\"", action_types[lane]);
        print_histogram(out, "belfry_run_duration_seconds", labels, &m->duration[lane]);
    }
    prometheus_family(out, "belfry_turn_seconds", "histogram",
                      "Duration of turns of the engine, including their commits.");
    print_histogram(out, "belfry_turn_seconds", "", &m->turn);
    prometheus_family(out, "belfry_commit_seconds", "histogram",
                      "Duration of the commits of turns.");
    print_histogram(out, "belfry_commit_seconds", "", &m->commit);
}

/*
 * Prints every possible combination, also with 0, so that the first increment shows in a rate.
 */
static void print_slots(const struct counters *m, struct answer *out)
{
    static const struct {
        enum outcome outcome;
        enum reason reason;
    } all[] = {
        {OUTCOME_SKIPPED, REASON_OVERLAP},     {OUTCOME_MISSED, REASON_WINDOW},
        {OUTCOME_MISSED, REASON_COALESCED},    {OUTCOME_MISSED, REASON_PAUSED},
        {OUTCOME_MISSED, REASON_EDITED},       {OUTCOME_MISSED, REASON_CLOCK},
        {OUTCOME_DROPPED, REASON_BUFFER},      {OUTCOME_DROPPED, REASON_DELETED},
        {OUTCOME_DROPPED, REASON_QUARANTINED}, {OUTCOME_SLOT_CANCELLED, REASON_USER},
        {OUTCOME_SKIPPED, REASON_GOVERNOR},
    };
    char labels[LABELS_MAX];

    prometheus_family(out, "belfry_slots_total", "counter", "Slots, by outcome and reason.");
    prometheus_int(out, "belfry_slots_total", "outcome=\"started\",reason=\"\"",
                   counter_read(&m->started[RUN_SLOT]));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct buf text = BUF(labels);

        buf_printf(&text, "outcome=\"%s\",reason=\"%s\"", outcome_text(all[i].outcome),
                   reason_text(all[i].reason));
        prometheus_int(out, "belfry_slots_total", labels,
                       counter_read(&m->slots[all[i].outcome][all[i].reason]));
    }
}

static void print_outcomes(struct answer *out, const char *name,
                           const counter counts[LANE_COUNT][COUNTER_OUTCOMES])
{
    char labels[LABELS_MAX];

    for (int lane = 0; lane < LANE_COUNT; lane++)
        for (int outcome = OUTCOME_SUCCEEDED; outcome < COUNTER_OUTCOMES; outcome++) {
            struct buf text = BUF(labels);

            buf_printf(&text, "type=\"%s\",outcome=\"%s\"", action_types[lane],
                       outcome_text((enum outcome)outcome));
            prometheus_int(out, name, labels, counter_read(&counts[lane][outcome]));
        }
}

static void print_runs(const struct counters *m, struct answer *out)
{
    char labels[LABELS_MAX];

    prometheus_family(out, "belfry_runs_started_total", "counter",
                      "Runs that became ready, by kind.");
    for (int kind = 0; kind < RUN_KINDS; kind++) {
        struct buf text = BUF(labels);

        buf_printf(&text, "kind=\"%s\"", run_kind_text((enum run_kind)kind));
        prometheus_int(out, "belfry_runs_started_total", labels,
                       counter_read(&m->started[kind]));
    }
    prometheus_family(out, "belfry_runs_ended_total", "counter",
                      "Runs that ended, by type of action and outcome.");
    print_outcomes(out, "belfry_runs_ended_total", m->runs);
    prometheus_family(out, "belfry_attempts_total", "counter",
                      "Attempts that ended, by type of action and outcome.");
    print_outcomes(out, "belfry_attempts_total", m->attempts);
}

static void print_counts(const struct counters *m, struct answer *out)
{
    prometheus_one(out, "belfry_retries_total", "counter",
                   "Attempts that are followed by a retry.", counter_read(&m->retries));
    prometheus_one(out, "belfry_runs_late_total", "counter",
                   "Runs that started later than the budget of their schedule.",
                   counter_read(&m->late));
    prometheus_one(out, "belfry_schedules_quarantined_total", "counter",
                   "Schedules that were stopped because their program ran when nodes died.",
                   counter_read(&m->quarantines));
    prometheus_one(out, "belfry_lease_expiries_total", "counter",
                   "Runs whose worker sent no heartbeat in time.", counter_read(&m->expiries));
    prometheus_one(out, "belfry_zombies_cleaned_total", "counter",
                   "Runs that were taken back from a dead node.", counter_read(&m->taken_back));
    prometheus_one(out, "belfry_stale_reports_refused_total", "counter",
                   "Reports rejected because the sender no longer holds the run.",
                   counter_read(&m->stale_reports));
    prometheus_one(out, "belfry_database_reconnects_total", "counter",
                   "Database connections that were lost.", counter_read(&m->reconnects));
    prometheus_one(out, "belfry_polls_waiting", "gauge", "Workers that wait for runs.",
                   counter_read(&m->polls));
}

/* Omits counters that are 0, because there are many operations. */
static void print_requests(const struct counters *m, struct answer *out)
{
    static const char *const after_table[] = {"none", "temporal.forward", "conductor.forward"};
    char labels[LABELS_MAX];

    prometheus_family(out, "belfry_http_requests_total", "counter",
                      "Requests that were answered, by operation and status class.");
    for (int i = 0; i <= operation_count + COUNTER_CONDUCTOR; i++)
        for (int digit = 1; digit < COUNTER_CLASSES; digit++) {
            int64_t count = counter_read(&m->requests[i][digit]);
            struct buf text = BUF(labels);

            if (count == 0)
                continue;
            buf_printf(&text, "operation=\"%s\",code=\"%dxx\"",
                       i < operation_count ? operations[i].id
                                           : after_table[i - operation_count],
                       digit);
            prometheus_int(out, "belfry_http_requests_total", labels, count);
        }
    prometheus_family(out, "belfry_http_denied_total", "counter",
                      "Requests that were denied, by reason.");
    prometheus_int(out, "belfry_http_denied_total", "reason=\"unauthorized\"",
                   counter_read(&m->denied[AUDIT_UNAUTHORIZED]));
    prometheus_int(out, "belfry_http_denied_total", "reason=\"forbidden\"",
                   counter_read(&m->denied[AUDIT_FORBIDDEN]));
    prometheus_one(out, "belfry_http_rate_limited_total", "counter",
                   "Requests that were rejected by a rate limit.", counter_read(&m->limited));
}

void counters_print(const struct counters *m, struct answer *out)
{
    print_durations(m, out);
    print_slots(m, out);
    print_runs(m, out);
    print_counts(m, out);
    print_requests(m, out);
}

void counters_latest(const struct counters *m, instant now,
                     struct context_latest ret[static CONTEXT_LATEST_MAX])
{
    int count = 0;

    for (int i = 0; i < CONTEXT_LATEST_MAX; i++) {
        const struct counter_late *at = &m->latest[i];
        int64_t schedule = atomic_load_explicit(&at->schedule, memory_order_acquire);
        span late = atomic_load_explicit(&at->late, memory_order_acquire);
        instant when = atomic_load_explicit(&at->noted_at, memory_order_acquire);

        ret[i] = (struct context_latest){0};
        if (schedule == 0 || late < 0 || now - when > COUNTER_LATE_AGE ||
            atomic_load_explicit(&at->schedule, memory_order_relaxed) != schedule)
            continue;
        ret[count++] = (struct context_latest){schedule, late};
    }
}
