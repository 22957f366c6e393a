/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Totals of the past executions of agents, for all and by agent.
 *
 * Computed from daily statistics in UTC days, which are kept longer than the runs themselves.
 */
#include <inttypes.h>

#include "api/agents/agents.h"
#include "api/call/request.h"
#include "api/schedules/view.h"
#include "core/time/civil.h"
#include "store/stats.h"

enum {
    DAYS_MAX = 400,        /* daily statistics are kept no longer */
    SCHEDULES_MAX = 50000, /* that are read, in about a second    */
};

#define MILLION 1000000

/* ---- the query ---- */

struct query {
    struct str agent; /* empty: any */
    struct agents_range range;
};

enum call_step agents_metrics_begin(struct call *call)
{
    struct query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    call->arg = query;
    query->agent = request_query(call, "agentId");
    if (agents_range_read(call, &query->range, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

/* ---- the totals ---- */

/*
 * A past execution is an attempt.  Attempts before the last one of their run have all failed.
 */
static int64_t retried_attempts(const struct daily_stats *figures)
{
    return figures->attempts - figures->timed;
}

static int64_t past_executions(const struct daily_stats *figures)
{
    return figures->runs + retried_attempts(figures);
}

struct sums {
    struct daily_stats total;
    json_t *agents; /* past executions of each */
};

static void add_stats(const struct query *query, const char *agent,
                      const struct daily_stats *figures, struct sums *sums)
{
    int64_t runs;

    if (!agent || (query->agent.len > 0 && !str_eq(query->agent, str_of(agent))))
        return;
    daily_stats_add(&sums->total, figures);
    runs = json_integer_value(json_object_get(sums->agents, agent));
    json_put(sums->agents, agent, json_new_int(runs + past_executions(figures)));
}

/* A group is a schedule, or the runs without one in the queue of their agent. */
static void add_group(const struct call *call, enum stats_by by,
                      const struct stats_group *group, struct sums *sums)
{
    json_auto_t *extra = group->extra.len > 0 ? json_of_kept(group->extra) : NULL;

    if (by == STATS_AGENTS_DIRECT && group->name.len > 0)
        add_stats(call->arg, arena_str(call->arena, group->name).ptr, &group->figures, sums);
    /* A schedule of another API may name an agent too, but has no scheduleType. */
    else if (json_object_get(extra, "scheduleType"))
        add_stats(call->arg, json_string_value(json_object_get(extra, "agentId")),
                  &group->figures, sums);
}

static enum rc add_all(struct call *call, struct db *db, enum stats_by by, struct sums *sums,
                       struct err *reterr)
{
    const struct query *query = call->arg;
    instant until = query->range.until == INSTANT_NEVER ? call->now + 1 : query->range.until;
    struct stats_query stats = {.by = by,
                                .namespace = call->namespace,
                                .until_day = floor_div(until - 1, SPAN_DAY),
                                .after = INT64_MIN,
                                .limit = STATS_ROWS_MAX};
    struct db_result rows = {.rows = STATS_ROWS_MAX};
    enum rc rc = RC_OK;

    stats.from_day = query->range.from == INSTANT_NONE ? stats.until_day - DAYS_MAX + 1
                                                       : floor_div(query->range.from, SPAN_DAY);
    for (int seen = 0; rc == RC_OK && rows.rows == STATS_ROWS_MAX; seen += rows.rows) {
        if (seen > SCHEDULES_MAX)
            return err_set(reterr, RC_LIMIT, -1, 0,
                           "too many schedules ran in that time; request fewer days");
        rows = (struct db_result){0};
        stats_get(db, &stats, &rows);
        rc = db_flush(db, call->arena, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            struct stats_group group;

            stats_read(&rows, i, &group);
            stats.after = group.key;
            add_group(call, by, &group, sums);
        }
    }
    return rc;
}

enum call_step agents_metrics_read(struct call *call, struct db *db)
{
    json_auto_t *agents = json_new_object();
    struct sums sums = {.agents = agents};
    const struct daily_stats *f = &sums.total;
    struct answer out = answer_new(call->arena);
    struct err err;

    if (add_all(call, db, STATS_BY_SCHEDULE, &sums, &err) != RC_OK ||
        add_all(call, db, STATS_AGENTS_DIRECT, &sums, &err) != RC_OK)
        return agents_failed(call, &err);
    answer_open(&out);
    answer_put_int(&out, "totalRuns", past_executions(f));
    answer_put_int(&out, "successCount", f->succeeded);
    answer_put_int(&out, "failCount", f->failed + retried_attempts(f));
    answer_put_int(&out, "avgDurationMs",
                   f->timed > 0 ? (f->duration / f->timed + SPAN_MS / 2) / SPAN_MS : 0);
    answer_put_int(&out, "totalTokens", f->tokens);
    answer_text(&out, ",\"estimatedCostUsd\":");
    answer_reserve(&out, 64);
    buf_printf(&out.buf, "%" PRId64 ".%06" PRId64, f->cost / MILLION, f->cost % MILLION);
    answer_text(&out, ",\"runsByAgent\":");
    answer_json(&out, json_incref(agents));
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}
