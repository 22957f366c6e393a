/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The future executions of a day: for each schedule the open runs and the planned slots of the
 * day in its own zone, with those that were cancelled or skipped; and the open runs of agents
 * that have no schedule.
 *
 * This is a view: no planned item is stored, so an edit leaves no stale item.
 */
#include "api/agents/agents.h"
#include "api/agents/agents_item.h"
#include "api/call/request.h"
#include "api/schedules/slot_entries.h"
#include "api/schedules/view.h"
#include "core/time/civil.h"
#include "core/time/text.h"

enum {
    READ_ROWS = 500,           /* runs or slots of one read          */
    READ_BYTES = 1 << 30,      /* of arena: runs of the maximum size */
    DIRECT_BATCHES_MAX = 50,   /* reads of runs without a schedule   */
    LIST_BYTES_MAX = 12 << 20, /* of one answer                      */
};

struct query {
    struct agents_filter filter;
    bool has_day, has_status;
    int64_t day;
    enum agents_status status;
};

struct listing {
    struct call call; /* a copy of the request's, with an arena that each read resets */
    struct db *db;
    const struct query *query;
    struct answer out;
    int count;
    /* The schedule that is being listed. */
    const struct agents_schedule *schedule;
    struct str name;
    const struct tz *zone;
    instant from, until; /* of the day; until is exclusive */
};

/* ---- the query ---- */

enum call_step agents_future_begin(struct call *call)
{
    struct query *query = arena_take(call->arena, sizeof *query);
    struct str day = request_query(call, "dateKey");
    struct str status = request_query(call, "execStatus");
    struct err err;

    call->arg = query;
    query->has_day = day.len > 0;
    query->has_status = status.len > 0;
    if (agents_filter_read(call, &query->filter, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (query->has_day && date_parse(day, &query->day, &err) != RC_OK) {
        err_in(&err, "dateKey");
        return call_refuse(call, NULL, &err);
    }
    if (query->has_status && agents_status_parse(status, &query->status, &err) != RC_OK) {
        err_in(&err, "execStatus");
        return call_refuse(call, NULL, &err);
    }
    return CALL_READ;
}

/* ---- items ---- */

static enum rc add_item(struct listing *l, struct agents_item *item, struct err *reterr)
{
    if (l->query->has_status && item->status != l->query->status)
        return RC_OK;
    if (l->out.buf.len > LIST_BYTES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "too many executions on this day for one list; filter by agentId");
    item->schedule = l->schedule;
    item->name = l->name;
    item->zone = l->zone;
    if (l->count++ > 0)
        answer_text(&l->out, ",");
    answer_json(&l->out, agents_item_json(item));
    return RC_OK;
}

static enum rc set_day(struct listing *l, struct err *reterr)
{
    const struct zone_source *zones = &l->call.context->zones;
    int64_t day;

    l->zone = zones->find(zones->user, l->schedule->zone, reterr);
    if (!l->zone)
        return reterr->rc = RC_CONFLICT;
    day = l->query->has_day ? l->query->day : agents_day(l->zone, l->call.now);
    l->from = instant_of_seconds(tz_utc_of_local(l->zone, day * DAY_SECONDS));
    l->until = instant_of_seconds(tz_utc_of_local(l->zone, (day + 1) * DAY_SECONDS));
    return RC_OK;
}

/* ---- open runs ---- */

/* Newest first. */
static enum rc add_open_runs(struct listing *l, int64_t schedule, struct err *reterr)
{
    struct run_id before = {schedule, l->until / SPAN_MS, 0};
    struct db_result rows = {.rows = READ_ROWS};
    enum rc rc = RC_OK;

    while (rc == RC_OK && rows.rows == READ_ROWS) {
        rows = (struct db_result){0};
        arena_reset(l->call.arena);
        run_views_of_schedule(l->db, &before, READ_ROWS, &rows);
        rc = db_flush(l->db, l->call.arena, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            struct agents_item item;
            struct run_view view;

            run_views_read(&rows, i, &view);
            if (view.run.slot < l->from)
                return RC_OK;
            item = agents_item_of(&view.run);
            before = item.run;
            if (view.run.kind != RUN_TEST)
                rc = add_item(l, &item, reterr);
        }
    }
    return rc;
}

/* ---- slots ---- */

/* False: the slot is not a future execution. */
static bool read_status(const struct listing *l, const struct slot_entry *entry,
                        enum agents_status *ret)
{
    bool is_old = entry->slot < l->call.now - l->call.context->future_ttl;

    *ret = AGENTS_CANCELLED;
    if (entry->count > 1)
        return false; /* of a former spec */
    if (entry->outcome == OUTCOME_NONE) {
        *ret = entry->reason == REASON_NONE ? AGENTS_READY : AGENTS_SKIPPED;
        return true;
    }
    if (is_old)
        return false;
    if (entry->outcome == OUTCOME_STARTED) /* open runs come from their own rows */
        return entry->has_run && entry->run.outcome != OUTCOME_NONE &&
               entry->run.outcome != OUTCOME_SUCCEEDED;
    if (entry->outcome != OUTCOME_SLOT_CANCELLED)
        *ret = AGENTS_SKIPPED;
    return true;
}

static enum rc add_slot(struct listing *l, int64_t schedule, const struct slot_entry *entry,
                        struct err *reterr)
{
    struct agents_item item = {.run = {schedule, entry->slot / SPAN_MS, 0}, .at = entry->slot};

    if (!read_status(l, entry, &item.status))
        return RC_OK;
    if (entry->has_run)
        item.attempt = (int32_t)entry->run.attempt;
    return add_item(l, &item, reterr);
}

static enum rc add_slots(struct listing *l, const struct schedule_view *view,
                         struct err *reterr)
{
    struct slot_range stretch = {.schedule = view->row.id,
                                 .after = l->from - 1,
                                 .until = l->until - 1,
                                 .limit = READ_ROWS};
    struct slot_entries found = {.has_more = true};
    enum rc rc = RC_OK;

    while (rc == RC_OK && found.has_more) {
        struct schedule_times p = {.view = *view};

        arena_reset(l->call.arena);
        rc = schedule_times_fill(&l->call, l->db, &p, reterr);
        if (rc == RC_OK)
            rc = slot_entries_read(&l->call, l->db, &p, &stretch, &found, reterr);
        for (int i = 0; rc == RC_OK && i < found.count; i++) {
            rc = add_slot(l, view->row.id, &found.list[i], reterr);
            stretch.after = found.list[i].last;
        }
    }
    return rc;
}

static enum rc add_schedule(const struct schedule_view *view,
                            const struct agents_schedule *schedule, void *arg,
                            struct err *reterr)
{
    struct listing *l = arg;
    enum rc rc;

    l->schedule = schedule;
    l->name = view->row.name;
    rc = set_day(l, reterr);
    if (rc == RC_OK)
        rc = add_open_runs(l, view->row.id, reterr);
    return rc == RC_OK ? add_slots(l, view, reterr) : rc;
}

/* ---- runs without a schedule ---- */

static enum rc add_direct_run(struct listing *l, const struct run *run, struct arena *scratch,
                              struct err *reterr)
{
    struct agents_item item = agents_item_of(run);
    struct agents_schedule schedule;
    struct db_result rows = {0};
    struct schedule_row row;
    struct err unused;
    enum rc rc;

    arena_reset(scratch);
    schedules_get(l->db, run->schedule, &rows);
    rc = db_flush(l->db, scratch, reterr);
    if (rc != RC_OK || rows.rows == 0)
        return rc;
    schedules_read(&rows, 0, &row);
    if (row.dialect != DIALECTS_AGENTS)
        return RC_OK;
    if (agents_stored_read(row.extra, scratch, &schedule, &unused) != RC_OK ||
        !agents_filter_matches(&l->query->filter, &schedule))
        return RC_OK;
    l->schedule = &schedule;
    l->name = (struct str){NULL, 0};
    rc = set_day(l, reterr);
    if (rc != RC_OK || run->slot < l->from || run->slot >= l->until)
        return rc;
    return add_item(l, &item, reterr);
}

static enum rc add_direct_runs(struct listing *l, struct arena *scratch, struct err *reterr)
{
    struct view_page page = {.namespace = l->call.namespace,
                             .kind = RUN_DIRECT + 1,
                             .before = INT64_MAX,
                             .scan = VIEW_SCAN_MAX,
                             .limit = READ_ROWS,
                             .is_brief = true};

    for (int n = 0; n < DIRECT_BATCHES_MAX; n++) {
        struct db_result rows = {0}, last = {0};
        enum rc rc;

        arena_reset(l->call.arena);
        run_views_list(l->db, &page, &rows);
        run_views_end(l->db, &page, &last);
        rc = db_flush(l->db, l->call.arena, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            struct run_view view;

            run_views_read(&rows, i, &view);
            rc = add_direct_run(l, &view.run, scratch, reterr);
        }
        if (rc != RC_OK)
            return rc;
        if (rows.rows == READ_ROWS)
            page.before = db_int_at(&rows, rows.rows - 1, 0);
        else if (last.rows == 1 && db_int_at(&last, 0, 0) < page.before)
            page.before = db_int_at(&last, 0, 0);
        else
            return RC_OK;
    }
    return RC_OK;
}

enum call_step agents_future_read(struct call *call, struct db *db)
{
    struct arena *scratch = arena_new(SCHEDULE_BYTES_MAX);
    struct listing l = {
        .call = *call, .db = db, .query = call->arg, .out = answer_new(call->arena)};
    struct err err;
    enum rc rc;

    l.call.arena = arena_new(READ_BYTES);
    answer_text(&l.out, "[");
    rc = agents_each(call, db, &l.query->filter, add_schedule, &l, &err);
    if (rc == RC_OK)
        rc = add_direct_runs(&l, scratch, &err);
    answer_text(&l.out, "]");
    arena_free(l.call.arena);
    arena_free(scratch);
    if (rc != RC_OK)
        return agents_failed(call, &err);
    return call_answer(call, 200, answer_done(&l.out));
}
