/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the future executions of a day: for each schedule, the open runs and the planned,
 * cancelled and skipped slots of the day in its own zone, and the requested runs that failed;
 * then the runs without a schedule.
 *
 * This is a view: no planned item is stored.  The items that an edit voided are computed from
 * the times that it replaced.
 */
#include "api/agents/agents.h"
#include "api/agents/agents_item.h"
#include "api/agents/agents_replaced.h"
#include "api/call/request.h"
#include "api/schedules/slot_entries.h"
#include "api/schedules/view.h"
#include "base/map.h"
#include "core/spec/local.h"
#include "core/time/civil.h"
#include "core/time/text.h"
#include "store/key.h"

enum {
    READ_ROWS = 500,           /* runs or slots of one read          */
    READ_BYTES = 1 << 30,      /* of arena: runs of the maximum size */
    DIRECT_BATCHES_MAX = 50,   /* reads of open runs without a schedule: half a second        */
    FAILED_BATCHES_MAX = 100,  /* reads of ended ones: the newest 500,000 attempts, a second  */
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
    struct arena *scratch; /* for replaced times, and the schedule of a run without one */
    struct answer out;
    int count;
    /* The schedule that is being listed. */
    const struct agents_schedule *schedule;
    struct str name;
    const struct tz *zone;
    instant from, until; /* of the day; until is exclusive */
    struct map *listed;  /* its slots of the day; used if it has replaced times */
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

/* RC_CONFLICT: the time zone is missing, so it is not known when the day begins. */
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

/* ---- runs that failed ---- */

/* Items that ended before this are not shown any more. */
static instant shown_since(const struct listing *l)
{
    instant kept = l->call.now - l->call.context->future_ttl;

    return l->from > kept ? l->from : kept;
}

/* Without the runs of slots, which add_slots() adds. */
static enum rc add_failed_runs(struct listing *l, int64_t schedule, struct err *reterr)
{
    struct failed_page page = {.schedule = schedule,
                               .least = key_of(shown_since(l)),
                               .before = INT64_MAX,
                               .from = l->from,
                               .until = l->until,
                               .limit = READ_ROWS};
    struct db_result rows = {.rows = READ_ROWS};
    enum rc rc = RC_OK;

    while (rc == RC_OK && rows.rows == READ_ROWS) {
        rows = (struct db_result){0};
        arena_reset(l->call.arena);
        attempt_views_failed(l->db, &page, &rows);
        rc = db_flush(l->db, l->call.arena, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            struct attempt_view view;
            struct agents_item item;

            attempt_views_read(&rows, i, &view);
            page.before = view.row.id;
            item = agents_item_failed(&view.row);
            if (view.row.kind != RUN_TEST)
                rc = add_item(l, &item, reterr);
        }
    }
    return rc;
}

/* ---- slots ---- */

/* False: the slot is not a future execution. */
static bool read_slot_status(const struct listing *l, const struct slot_entry *entry,
                             enum agents_status *ret)
{
    bool is_old = entry->slot < l->call.now - l->call.context->future_ttl;

    *ret = AGENTS_CANCELLED;
    if (entry->count > 1)
        return false; /* slots of a spec that was replaced */
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

    if (!read_slot_status(l, entry, &item.status))
        return RC_OK;
    if (entry->has_run)
        item.attempt = (int32_t)entry->run.attempt;
    return add_item(l, &item, reterr);
}

static enum rc add_slots(struct listing *l, const struct schedule_view *view,
                         struct err *reterr)
{
    struct slot_range range = {.schedule = view->row.id,
                               .after = l->from - 1,
                               .until = l->until - 1,
                               .limit = READ_ROWS};
    struct slot_entries found = {.has_more = true};
    enum rc rc = RC_OK;

    while (rc == RC_OK && found.has_more) {
        struct schedule_times times = {.view = *view};

        arena_reset(l->call.arena);
        rc = schedule_times_fill(&l->call, l->db, &times, reterr);
        if (rc == RC_OK)
            rc = slot_entries_read(&l->call, l->db, &times, &range, &found, reterr);
        for (int i = 0; rc == RC_OK && i < found.count; i++) {
            rc = add_slot(l, view->row.id, &found.list[i], reterr);
            range.after = found.list[i].last;
            if (l->schedule->replaced.len > 0)
                map_put(l->listed, found.list[i].slot, 0);
        }
    }
    return rc;
}

/* ---- voided items ---- */

/* The slots that the replaced times had on the day of the next slot after the edit. */
static enum rc add_voided_of(struct listing *l, int64_t schedule,
                             const struct agents_replaced *replaced, struct err *reterr)
{
    struct agents_item item = {.status = AGENTS_CANCELLED};
    struct draft *draft;
    struct spec_walk walk;
    struct spec_ctx ctx;
    struct slot slot;
    struct err unused;
    const struct tz *tz;
    instant end;
    enum rc rc = RC_OK;

    if (agents_draft(&l->call, &replaced->schedule, l->name, &draft, &unused) != RC_OK)
        return RC_OK; /* its time zone is gone */
    ctx = spec_ctx(replaced->at);
    tz = draft->plan.spec.zones[0].tz;
    spec_walk_begin(&walk, &draft->plan.spec, &ctx, replaced->at);
    if (!spec_walk_next(&walk, &slot))
        return RC_OK;
    end = local_day_start(tz, local_day(tz, slot.at) + 1);
    do {
        if (slot.at < shown_since(l) || slot.at >= l->until ||
            map_find(l->listed, slot.at) != MAP_NONE)
            continue;
        map_put(l->listed, slot.at, 0);
        item.run = (struct run_id){schedule, slot.at / SPAN_MS, 0};
        item.at = slot.at;
        rc = add_item(l, &item, reterr);
    } while (rc == RC_OK && spec_walk_next(&walk, &slot) && slot.at < end);
    return rc;
}

static enum rc add_voided(struct listing *l, int64_t schedule, struct err *reterr)
{
    struct agents_replaced list[REPLACED_MAX];
    int count = agents_replaced_read(l->schedule, l->scratch, list);
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < count; i++) {
        arena_reset(l->call.arena);
        rc = add_voided_of(l, schedule, &list[i], reterr);
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
    map_clear(l->listed);
    arena_reset(l->scratch);
    rc = set_day(l, reterr);
    if (rc == RC_CONFLICT)
        return RC_OK; /* one schedule must not make the list fail */
    if (rc == RC_OK)
        rc = add_open_runs(l, view->row.id, reterr);
    if (rc == RC_OK)
        rc = add_slots(l, view, reterr);
    if (rc == RC_OK && schedule->replaced.len > 0)
        rc = add_voided(l, view->row.id, reterr);
    return rc == RC_OK ? add_failed_runs(l, view->row.id, reterr) : rc;
}

/* ---- runs without a schedule ---- */

static enum rc add_direct_run(struct listing *l, struct agents_item *item, struct err *reterr)
{
    instant slot = item->run.slot_ms * SPAN_MS;
    struct agents_schedule schedule;
    struct db_result rows = {0};
    struct schedule_row row;
    struct err unused;
    enum rc rc;

    arena_reset(l->scratch);
    schedules_get(l->db, item->run.schedule, &rows);
    rc = db_flush(l->db, l->scratch, reterr);
    if (rc != RC_OK || rows.rows == 0)
        return rc;
    schedules_read(&rows, 0, &row);
    if (row.dialect != DIALECTS_AGENTS)
        return RC_OK;
    if (agents_stored_read(row.extra, l->scratch, &schedule, &unused) != RC_OK ||
        !agents_filter_matches(&l->query->filter, &schedule))
        return RC_OK;
    l->schedule = &schedule;
    l->name = (struct str){NULL, 0};
    rc = set_day(l, reterr);
    if (rc == RC_CONFLICT)
        return RC_OK;
    if (rc != RC_OK || slot < l->from || slot >= l->until)
        return rc;
    return add_item(l, item, reterr);
}

static enum rc add_open_row(struct listing *l, const struct db_result *rows, int i,
                            struct err *reterr)
{
    struct agents_item item;
    struct run_view view;

    run_views_read(rows, i, &view);
    item = agents_item_of(&view.run);
    return add_direct_run(l, &item, reterr);
}

static enum rc add_failed_row(struct listing *l, const struct db_result *rows, int i,
                              struct err *reterr)
{
    struct agents_item item;
    struct attempt_view view;

    attempt_views_read(rows, i, &view);
    if (!view.row.last || view.row.outcome == OUTCOME_SUCCEEDED)
        return RC_OK;
    item = agents_item_failed(&view.row);
    return add_direct_run(l, &item, reterr);
}

/* The two tables with runs without a schedule. */
struct direct_source {
    void (*list)(struct db *db, const struct view_page *page, struct db_result *ret);
    void (*end)(struct db *db, const struct view_page *page, struct db_result *ret);
    enum rc (*add)(struct listing *l, const struct db_result *rows, int i, struct err *reterr);
    int batches; /* maximum */
};

/* Reads newest first until the keys are below `least`.  *ret_all is false if it ends before. */
static enum rc add_direct_runs(struct listing *l, const struct direct_source *source,
                               int64_t least, bool *ret_all, struct err *reterr)
{
    struct view_page page = {.namespace = l->call.namespace,
                             .kind = RUN_DIRECT + 1,
                             .before = INT64_MAX,
                             .scan = VIEW_SCAN_MAX,
                             .limit = READ_ROWS,
                             .is_brief = true};

    *ret_all = true;
    for (int n = 0; n < source->batches; n++) {
        struct db_result rows = {0}, last = {0};
        enum rc rc;

        arena_reset(l->call.arena);
        source->list(l->db, &page, &rows);
        source->end(l->db, &page, &last);
        rc = db_flush(l->db, l->call.arena, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++)
            rc = source->add(l, &rows, i, reterr);
        if (rc != RC_OK)
            return rc;
        if (rows.rows == READ_ROWS)
            page.before = db_int_at(&rows, rows.rows - 1, 0);
        else if (last.rows == 1 && db_int_at(&last, 0, 0) < page.before)
            page.before = db_int_at(&last, 0, 0);
        else
            return RC_OK;
        if (page.before <= least)
            return RC_OK;
    }
    *ret_all = false;
    return RC_OK;
}

static enum rc add_direct(struct listing *l, struct err *reterr)
{
    static const struct direct_source open = {run_views_list, run_views_end, add_open_row,
                                              DIRECT_BATCHES_MAX};
    static const struct direct_source ended = {attempt_views_list, attempt_views_end,
                                               add_failed_row, FAILED_BATCHES_MAX};
    instant since = l->call.now - l->call.context->future_ttl;
    bool is_complete;
    enum rc rc = add_direct_runs(l, &open, 0, &is_complete, reterr);

    if (rc == RC_OK && !is_complete)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "more than %d runs are open on this server; executions without a "
                       "schedule cannot be listed",
                       DIRECT_BATCHES_MAX * VIEW_SCAN_MAX);
    return rc == RC_OK ? add_direct_runs(l, &ended, key_of(since), &is_complete, reterr) : rc;
}

enum call_step agents_future_read(struct call *call, struct db *db)
{
    struct listing l = {.call = *call,
                        .db = db,
                        .query = call->arg,
                        .scratch = arena_new(SCHEDULE_BYTES_MAX),
                        .listed = map_new(0),
                        .out = answer_new(call->arena)};
    struct err err;
    enum rc rc;

    l.call.arena = arena_new(READ_BYTES);
    answer_text(&l.out, "[");
    rc = agents_each(call, db, &l.query->filter, add_schedule, &l, &err);
    if (rc == RC_OK)
        rc = add_direct(&l, &err);
    answer_text(&l.out, "]");
    arena_free(l.call.arena);
    arena_free(l.scratch);
    map_free(l.listed);
    if (rc != RC_OK)
        return agents_failed(call, &err);
    return call_answer(call, 200, answer_done(&l.out));
}
