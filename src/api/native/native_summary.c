/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of the runs of some days: in total, or by agent, queue or schedule.
 *
 * Days are UTC days.  The statistics are stored per day and kept longer than the runs.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"
#include "core/time/civil.h"
#include "store/stats.h"

enum {
    DAYS_DEFAULT = 30,
    DAYS_MAX = 400,        /* statistics are not kept longer          */
    SCHEDULES_MAX = 50000, /* to group by agent; takes about a second */
    AGENTS_MAX = 1000,     /* groups of one answer                    */
};

#define MILLION 1000000

enum by { BY_NONE, BY_AGENT, BY_QUEUE, BY_SCHEDULE };
static const char *const by_names[] = {"none", "agent", "queue", "schedule"};

struct summary {
    enum by by;
    struct page page;
    struct digest context; /* the namespace and grouping for which a cursor is valid */
    int64_t after;         /* the key in the cursor                                  */
    int64_t from_day, until_day;
    struct answer out;
    struct daily_stats total;
};

static enum rc read_by(const struct call *call, enum by *ret, struct err *reterr)
{
    const int count = sizeof by_names / sizeof *by_names;
    struct str word = request_query(call, "by");

    for (int i = 0; i < count; i++)
        if (str_eq(word, str_of(by_names[i])) || word.len == 0) {
            *ret = (enum by)i;
            return RC_OK;
        }
    err_set(reterr, RC_INVALID, -1, 0, "must be none, agent, queue or schedule");
    return err_in(reterr, "by");
}

/* `to` is exclusive; both are rounded to whole days. */
static enum rc read_days(const struct call *call, struct summary *s, struct err *reterr)
{
    instant from = INSTANT_NONE, to = call->now + 1;
    enum rc rc = request_query_instant(call, "to", &to, reterr);

    if (rc == RC_OK)
        rc = request_query_instant(call, "from", &from, reterr);
    if (rc != RC_OK)
        return rc;
    s->until_day = floor_div(to - 1, SPAN_DAY);
    s->from_day = from == INSTANT_NONE ? s->until_day - DAYS_DEFAULT + 1
                                       : floor_div(from, SPAN_DAY);
    if (from != INSTANT_NONE && from >= to) {
        err_set(reterr, RC_INVALID, -1, 0, "must be before to");
        return err_in(reterr, "from");
    }
    if (s->until_day - s->from_day >= DAYS_MAX) {
        err_set(reterr, RC_LIMIT, -1, 0, "the range is too long; the limit is %d days",
                DAYS_MAX);
        return err_in(reterr, "from");
    }
    return RC_OK;
}

/* The cursor of one grouping is not valid for another. */
static enum rc read_cursor(const struct call *call, struct summary *s, struct err *reterr)
{
    struct str text = s->page.after;

    s->after = INT64_MIN;
    s->context = (struct digest){0};
    digest_add(&s->context, call->namespace_name.ptr, call->namespace_name.len);
    digest_int(&s->context, s->by);
    if (text.len == 0)
        return RC_OK;
    if (page_unseal(&s->context, text, &text, reterr) != RC_OK)
        return reterr->rc;
    if (str_take_number(&text, INT64_MAX - 1, &s->after) > 0 && text.len == 0)
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0, "invalid cursor; start without it");
    return err_in(reterr, "cursor");
}

enum call_step summary_begin(struct call *call)
{
    static const char *const names[] = {"by", "from", "to"};
    struct summary *s = arena_take(call->arena, sizeof *s);
    struct err err;

    if (page_begin(call, names, 3, &s->page, &err) != RC_OK ||
        read_by(call, &s->by, &err) != RC_OK || read_days(call, s, &err) != RC_OK ||
        read_cursor(call, s, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = s;
    return CALL_READ;
}

/* ---- printing ---- */

static void print_average(struct answer *out, const char *name, span sum, int64_t count)
{
    answer_name(out, name);
    if (count == 0)
        answer_text(out, "null");
    else
        answer_int(out, (sum / count + SPAN_MS / 2) / SPAN_MS);
}

static void print_figures(struct answer *out, const struct daily_stats *f)
{
    answer_put_int(out, "totalRuns", f->runs);
    answer_put_int(out, "successCount", f->succeeded);
    answer_put_int(out, "failCount", f->failed);
    answer_put_int(out, "attempts", f->attempts);
    print_average(out, "avgDurationMs", f->duration, f->timed);
    print_average(out, "avgLatenessMs", f->late, f->begun);
    print_average(out, "maxLatenessMs", f->late_most, f->begun > 0);
    answer_put_int(out, "totalTokens", f->tokens);
    answer_name(out, "estimatedCostUsd");
    answer_reserve(out, 64);
    buf_printf(&out->buf, "%" PRId64 ".%06" PRId64, f->cost / MILLION, f->cost % MILLION);
}

static void print_group(struct summary *s, struct str name, const struct daily_stats *figures)
{
    answer_open(&s->out);
    answer_put_some(&s->out, by_names[s->by], name);
    print_figures(&s->out, figures);
    answer_text(&s->out, "}");
}

/* ---- reading ---- */

struct stats_batch {
    enum stats_by by;
    int64_t after;
    int limit;
};

static enum rc read_stats(const struct call *call, struct db *db, struct stats_batch batch,
                          struct db_result *ret, struct err *reterr)
{
    const struct summary *s = call->arg;
    struct stats_query query = {
        .by = batch.by,
        .namespace = call->namespace,
        .from_day = s->from_day,
        .until_day = s->until_day,
        .after = batch.after,
        .limit = batch.limit,
    };

    *ret = (struct db_result){0};
    stats_get(db, &query, ret);
    return db_flush(db, call->arena, reterr);
}

/* By queue or schedule: reads one page and sets the cursor of the next. */
static enum rc read_page(struct call *call, struct db *db, struct str *ret_cursor,
                         struct err *reterr)
{
    struct summary *s = call->arg;
    struct buf cursor = {.cap = 24};
    struct stats_group group = {0};
    struct db_result rows;
    struct stats_batch batch = {s->by == BY_QUEUE ? STATS_BY_QUEUE : STATS_BY_SCHEDULE,
                                s->after, s->page.limit + 1};

    if (read_stats(call, db, batch, &rows, reterr) != RC_OK)
        return reterr->rc;
    for (int i = 0; i < rows.rows && i < s->page.limit; i++) {
        stats_read(&rows, i, &group);
        print_group(s, group.name, &group.figures);
    }
    if (rows.rows <= s->page.limit)
        return RC_OK;
    cursor.ptr = arena_take(call->arena, cursor.cap);
    buf_printf(&cursor, "%" PRId64, group.key);
    *ret_cursor = page_seal(&s->context, buf_as_str(&cursor), call->arena);
    return RC_OK;
}

struct agent {
    struct str name;
    struct daily_stats figures;
};

struct agents {
    struct agent list[AGENTS_MAX];
    int count;
};

static struct str read_agent(struct str extra, struct arena *arena)
{
    json_auto_t *json = extra.len > 0 ? json_of_kept(extra) : NULL;
    const char *text = json_string_value(json_object_get(json, "agentId"));

    return text ? arena_str(arena, str_of(text)) : (struct str){NULL, 0};
}

static enum rc add_agent(struct agents *agents, struct str name,
                         const struct daily_stats *figures, struct err *reterr)
{
    int i = 0;

    while (i < agents->count && !str_eq(agents->list[i].name, name))
        i++;
    if (i == AGENTS_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "too many agents; the limit is %d; use by=schedule", AGENTS_MAX);
    if (i == agents->count)
        agents->list[agents->count++] = (struct agent){.name = name};
    daily_stats_add(&agents->list[i].figures, figures);
    return RC_OK;
}

static int compare_names(const void *a, const void *b)
{
    struct str x = ((const struct agent *)a)->name, y = ((const struct agent *)b)->name;
    size_t len = x.len < y.len ? x.len : y.len;
    int order = len > 0 ? memcmp(x.ptr, y.ptr, len) : 0;

    return order != 0 ? order : (x.len > y.len) - (x.len < y.len);
}

/* The agent of a schedule is its extra.agentId. */
static enum rc read_agents(struct call *call, struct db *db, struct err *reterr)
{
    struct summary *s = call->arg;
    struct agents *agents = arena_take(call->arena, sizeof *agents);
    struct stats_group group = {.key = INT64_MIN};
    struct db_result rows = {.rows = STATS_ROWS_MAX};

    for (int seen = 0; rows.rows == STATS_ROWS_MAX; seen += rows.rows) {
        enum rc rc = read_stats(
            call, db, (struct stats_batch){STATS_BY_SCHEDULE, group.key, STATS_ROWS_MAX}, &rows,
            reterr);

        if (rc == RC_OK && seen + rows.rows > SCHEDULES_MAX)
            rc = err_set(
                reterr, RC_LIMIT, -1, 0,
                "more than %d schedules ran in that time; use fewer days or by=schedule",
                SCHEDULES_MAX);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            stats_read(&rows, i, &group);
            rc = add_agent(agents, read_agent(group.extra, call->arena), &group.figures,
                           reterr);
        }
        if (rc != RC_OK)
            return rc;
    }
    qsort(agents->list, (size_t)agents->count, sizeof *agents->list, compare_names);
    for (int i = 0; i < agents->count; i++)
        print_group(s, agents->list[i].name, &agents->list[i].figures);
    return RC_OK;
}

static enum rc read_total(struct call *call, struct db *db, struct err *reterr)
{
    struct summary *s = call->arg;
    struct stats_group group;
    struct db_result rows;

    if (read_stats(call, db, (struct stats_batch){.by = STATS_ALL}, &rows, reterr) != RC_OK)
        return reterr->rc;
    stats_read(&rows, 0, &group);
    s->total = group.figures;
    return RC_OK;
}

enum call_step summary_read(struct call *call, struct db *db)
{
    struct summary *s = call->arg;
    struct str cursor = {NULL, 0};
    struct err err;
    enum rc rc = read_total(call, db, &err);

    s->out = answer_new(call->arena);
    answer_open(&s->out);
    answer_put_word(&s->out, "by", by_names[s->by]);
    answer_put_instant(&s->out, "from", instant_clamp(s->from_day * SPAN_DAY));
    answer_put_instant(&s->out, "to", instant_clamp((s->until_day + 1) * SPAN_DAY));
    answer_text(&s->out, ",\"total\":{");
    print_figures(&s->out, &s->total);
    answer_text(&s->out, "},\"groups\":[");
    if (rc == RC_OK && s->by == BY_AGENT)
        rc = read_agents(call, db, &err);
    else if (rc == RC_OK && s->by != BY_NONE)
        rc = read_page(call, db, &cursor, &err);
    if (rc == RC_LIMIT)
        return call_refuse(call, "limit", &err);
    if (rc != RC_OK)
        return view_failed(call, &err);
    page_close(&s->out, cursor);
    return call_answer(call, 200, answer_done(&s->out));
}
