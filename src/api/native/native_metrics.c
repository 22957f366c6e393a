/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics for Prometheus: the counters of this server since its start, and gauges read from the
 * database.  If the database does not answer, only the counters are returned.
 */
#include "api/call/prometheus.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "core/plan.h"
#include "core/run.h"
#include "store/gauges.h"

enum { LABELS_MAX = 4096 }; /* bytes: two names of up to 1,000, escaped, and their keys */

struct metrics {
    struct answer out;
    struct context_latest latest[CONTEXT_LATEST_MAX];
};

static enum call_step answer_metrics(struct call *call, struct metrics *m, bool has_database)
{
    prometheus_one(&m->out, "belfry_database_up", "gauge",
                   "1 if the database answers, otherwise 0.", has_database);
    call_answer(call, 200, answer_done(&m->out));
    call->content_type = PROMETHEUS_TYPE;
    return CALL_ANSWER;
}

enum call_step metrics_begin(struct call *call)
{
    struct metrics *m = arena_take(call->arena, sizeof *m);
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    m->out = answer_new(call->arena);
    call->arg = m;
    if (!call->context->print_metrics(call->context->arg, &m->out, m->latest))
        return answer_metrics(call, m, false);
    return CALL_READ;
}

/* The action type of a lane. */
static const char *lane_text(int64_t lane)
{
    static const char *const texts[LANE_COUNT] = {[LANE_PULL] = "queue",
                                                  [LANE_HTTP] = "http",
                                                  [LANE_EXEC] = "exec",
                                                  [LANE_FLOW] = "workflow"};

    return lane >= 0 && lane < LANE_COUNT ? texts[lane] : "other";
}

static void print_runs(struct answer *out, const struct db_result *rows)
{
    char labels[LABELS_MAX];

    prometheus_family(out, "belfry_open_runs", "gauge",
                      "Runs that have not ended, by state and by type of action.");
    for (int i = 0; i < rows->rows; i++) {
        struct buf text = BUF(labels);
        int64_t state = db_int_at(rows, i, 0);

        buf_printf(&text, "state=\"%s\",type=\"%s\"",
                   state == RUN_GATED ? "gated" : run_state_text((enum run_state)state),
                   lane_text(db_int_at(rows, i, 1)));
        prometheus_int(out, "belfry_open_runs", labels, db_int_at(rows, i, 2));
    }
}

static void print_waits(struct answer *out, const struct db_result *rows, instant now)
{
    char labels[LABELS_MAX];

    prometheus_family(out, "belfry_oldest_ready_run_seconds", "gauge",
                      "Age of the oldest run that is ready but not claimed.");
    for (int i = 0; i < rows->rows; i++) {
        struct buf text = BUF(labels);
        span age = now - db_int_at(rows, i, 3);

        if (db_int_at(rows, i, 0) != RUN_READY)
            continue;
        buf_printf(&text, "type=\"%s\"", lane_text(db_int_at(rows, i, 1)));
        prometheus_seconds(out, "belfry_oldest_ready_run_seconds", labels, age > 0 ? age : 0);
    }
}

static void print_due(struct answer *out, const struct db_result *row, instant now)
{
    const struct db_value *first = db_at(row, 0, 1);
    span lag = first->type == DB_NULL ? 0 : now - first->num;

    prometheus_one(out, "belfry_due_schedules", "gauge",
                   "Schedules that are due and not processed yet.", db_int_at(row, 0, 0));
    prometheus_family(out, "belfry_lag_seconds", "gauge",
                      "How long the first due schedule has been waiting.");
    prometheus_seconds(out, "belfry_lag_seconds", "", lag > 0 ? lag : 0);
}

static void print_latest(struct metrics *m, const struct db_result *names)
{
    char labels[LABELS_MAX];

    prometheus_family(&m->out, "belfry_latest_schedule_seconds", "gauge",
                      "Lateness of the ten most delayed schedules of the last ten minutes.");
    for (int i = 0; i < CONTEXT_LATEST_MAX; i++) {
        struct buf text = BUF(labels);

        if (names[i].rows == 0)
            continue;
        prometheus_label(&text, "namespace", db_text_at(&names[i], 0, 0));
        buf_char(&text, ',');
        prometheus_label(&text, "schedule", db_text_at(&names[i], 0, 1));
        prometheus_seconds(&m->out, "belfry_latest_schedule_seconds", labels,
                           m->latest[i].late);
    }
}

enum call_step metrics_read(struct call *call, struct db *db)
{
    struct metrics m = *(const struct metrics *)call->arg; /* a copy: it may be read again */
    struct db_result runs = {0}, due = {0}, bytes = {0}, schedules = {0};
    struct db_result names[CONTEXT_LATEST_MAX] = {0};
    struct err err;

    gauges_runs(db, &runs);
    gauges_due(db, call->now, &due);
    gauges_bytes(db, &bytes);
    gauges_schedules(db, &schedules);
    for (int i = 0; i < CONTEXT_LATEST_MAX; i++)
        if (m.latest[i].schedule != 0)
            gauges_name(db, m.latest[i].schedule, &names[i]);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return answer_metrics(call, &m, false);
    prometheus_one(&m.out, "belfry_schedules", "gauge", "Number of schedules.",
                   db_int_at(&schedules, 0, 0));
    print_runs(&m.out, &runs);
    print_waits(&m.out, &runs, call->now);
    print_due(&m.out, &due, call->now);
    print_latest(&m, names);
    prometheus_one(&m.out, "belfry_database_size_bytes", "gauge",
                   "Size of the database on disk.", db_int_at(&bytes, 0, 0));
    return answer_metrics(call, &m, true);
}
