/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns are those of the tables' readers, in their order, followed by the joined columns; so
 * the tables' readers can read the rows.
 *
 * A page is a range of keys that is fixed before its rows are read: regardless of the estimates
 * of the query planner, it reads at most `scan` rows.
 */
#include "store/views.h"

#include "core/plan.h"
#include "store/cursors.h"
#include "store/key.h"
#include "store/runs.h"
#include "store/sql_numbers.h"
#include "store/view_columns.h"

enum { OWNER_COLUMNS = 3 };

/*
 * The owner of a row, in subqueries per row, so that no database builds a table of all
 * schedules.
 */
#define NAMESPACE(of) "(SELECT namespace FROM schedules WHERE id = " of ".schedule)"
#define OWNER(of)                                                \
    NAMESPACE(of)                                                \
    ", (SELECT name FROM schedules WHERE id = " of ".schedule)," \
    " (SELECT name FROM queues WHERE id = " of ".queue)"

#define NAME_R(n, column, ...)      "r." #column
#define NEXT_NAME_R(n, column, ...) ", r." #column
#define NAME_H(n, column, ...)      "h." #column
#define NEXT_NAME_H(n, column, ...) ", h." #column

#define RUN_WITH(texts)           \
    RUN_HEAD(NAME_R, NEXT_NAME_R) \
    ", " texts RUN_TAIL(NEXT_NAME_R, NEXT_NAME_R) ", " OWNER("r")
#define ATTEMPT_WITH(texts)           \
    HISTORY_HEAD(NAME_H, NEXT_NAME_H) \
    ", " texts ", " OWNER("h")

#define RUN     RUN_WITH("r.input, r.progress")
#define ATTEMPT ATTEMPT_WITH("h.error, h.result")
#define MARK    SQL_NAMES(HISTORY_MARK)

/* A dispatch has no queue; its column holds the key of its namespace. */
#define NO_QUEUE(of) "(SELECT id FROM queues WHERE id = " of ".queue) IS NULL"

/* Brief: large texts are read only for dispatches, where they may name a started workflow. */
#define RUN_BRIEF      RUN_WITH("NULL, CASE WHEN " NO_QUEUE("r") " THEN r.progress END")
#define ATTEMPT_BRIEF  ATTEMPT_WITH("h.error, CASE WHEN " NO_QUEUE("h") " THEN h.result END")
#define ATTEMPT_OF_RUN ATTEMPT_WITH("h.error, CASE WHEN h.last = 1 THEN h.result END")
#define RUN_BARE       RUN_WITH("NULL, NULL")
#define ATTEMPT_BARE   ATTEMPT_WITH("NULL, NULL")
/* The ids of a workflow are the first members of a result. */
#define ATTEMPT_IDS \
    ATTEMPT_WITH("NULL, CASE WHEN " NO_QUEUE("h") " THEN substr(h.result, 1, 2500) END")

/* The last key of a page: $1 is `before`, $2 is `scan`. */
#define END(table)                                                                         \
    "SELECT id FROM (SELECT id FROM " table " WHERE id < $1 ORDER BY id DESC LIMIT $2) AS" \
    " batch ORDER BY id LIMIT 1"

/* The same for the attempts of a schedule. */
#define END_OF(schedule)                                                               \
    "SELECT id FROM (SELECT id FROM history WHERE schedule = " schedule " AND id < $1" \
    " ORDER BY id DESC LIMIT $2) AS batch ORDER BY id LIMIT 1"

static const struct db_stmt schedule_find = {
    "SELECT " SCHEDULE SCHEDULE_FROM "s.namespace = $1 AND s.name = $2 AND s.deleted_at = 0",
    "it"};
/*
 * Not `= 0`: the planner must not choose the partial indexes of schedules that are not deleted,
 * but find the row by its key.
 */
static const struct db_stmt schedule_get = {
    "SELECT " SCHEDULE SCHEDULE_FROM "s.id = $1 AND s.deleted_at < 1", "i"};

static const struct db_stmt run_get = {
    "SELECT " RUN " FROM runs AS r WHERE r.schedule = $1 AND r.slot = $2 AND r.pass = $3",
    "iii"};
static const struct db_stmt run_of_schedule = {
    "SELECT " RUN_BARE " FROM runs AS r WHERE r.schedule = $1 AND (r.slot, r.pass) < ($2, $3)"
    " ORDER BY r.slot DESC, r.pass DESC LIMIT $4",
    "iiii"};
static const struct db_stmt run_begun = {
    "SELECT " RUN_BRIEF " FROM runs AS r WHERE r.schedule = $1 AND r.state <> " SQL_RUN_HELD
    " AND " SQL_RUN_KIND("r.bits") " <> " SQL_RUN_TEST
                                   " ORDER BY r.slot DESC, r.pass DESC LIMIT $2",
    "ii"};
static const struct db_stmt run_ends = {
    "SELECT " ATTEMPT_IDS " FROM history AS h WHERE h.schedule = $1 AND h.last = 1"
    " AND h.reason <> " SQL_REASON_NOT_STARTED
    " AND " SQL_RUN_KIND("h.bits") " <> " SQL_RUN_TEST " ORDER BY h.id DESC LIMIT $2",
    "ii"};
/* Filters of a page: $3 namespace, $4 queue, $5 kind, $6 states or outcome. */
#define OF_PAGE(of)                           \
    NAMESPACE(of)                             \
    " = $3 AND ($4 = 0 OR " of ".queue = $4)" \
    " AND ($5 < 0 OR " SQL_RUN_KIND(of ".bits") " = $5) AND "
#define OF_STATES "($6 = 0 OR ((CAST(1 AS BIGINT) << CAST(r.state AS INTEGER)) & $6) > 0)"

#define RUN_LIST                                                                      \
    " FROM runs AS r WHERE r.id < $1 AND r.id >= (" END("runs") ") AND " OF_PAGE("r") \
        OF_STATES " ORDER BY r.id DESC LIMIT $7"
/* Scans all open runs of the schedule. */
#define RUN_LIST_OF                                                                   \
    " FROM runs AS r WHERE r.schedule = $2 AND r.id < $1 AND " OF_PAGE("r") OF_STATES \
        " ORDER BY r.id DESC LIMIT $7"

static const struct db_stmt run_list = {"SELECT " RUN RUN_LIST, "iiiiiii"};
static const struct db_stmt run_list_of = {"SELECT " RUN RUN_LIST_OF, "iiiiiii"};
static const struct db_stmt run_brief = {"SELECT " RUN_BRIEF RUN_LIST, "iiiiiii"};
static const struct db_stmt run_brief_of = {"SELECT " RUN_BRIEF RUN_LIST_OF, "iiiiiii"};
static const struct db_stmt run_end = {END("runs"), "ii"};

static const struct db_stmt attempt_of_run = {
    "SELECT " ATTEMPT_OF_RUN " FROM history AS h WHERE h.schedule = $1 AND h.id >= $2"
    " AND h.id <= (SELECT id FROM (SELECT id FROM history WHERE schedule = $1 AND id >= $2"
    " ORDER BY id LIMIT $3) AS batch ORDER BY id DESC LIMIT 1)"
    " AND h.slot = $4 AND h.pass = $5 ORDER BY h.id",
    "iiiii"};
/* Not ORDER BY id: PostgreSQL would read all attempts of the schedule in that order. */
static const struct db_stmt attempt_of_extra = {
    "SELECT " ATTEMPT_OF_RUN " FROM history AS h WHERE h.schedule = $1 AND h.slot = $2"
    " AND h.pass = $3 AND h.pass > 0 ORDER BY h.attempt, h.id LIMIT $4",
    "iiii"};
static const struct db_stmt attempt_of_schedule = {
    "SELECT " ATTEMPT_BARE " FROM history AS h WHERE h.schedule = $1 AND h.id < $2"
    " ORDER BY h.id DESC LIMIT $3",
    "iii"};
/* pass + 0: PostgreSQL would use the index of slots, and sort. */
static const struct db_stmt attempt_failed = {
    "SELECT " ATTEMPT_BARE " FROM history AS h WHERE h.schedule = $1 AND h.id >= $2"
    " AND h.id < $3 AND h.pass + 0 > 0 AND h.last = 1 AND h.outcome <> " SQL_OUTCOME_SUCCEEDED
    " AND h.slot >= $4 AND h.slot < $5 ORDER BY h.id DESC LIMIT $6",
    "iiiiii"};
static const struct db_stmt attempt_get = {
    "SELECT " ATTEMPT " FROM history AS h WHERE h.id = $1", "i"};
static const struct db_stmt mark_list = {
    "SELECT " MARK " FROM history WHERE id < $1 AND id >= $2 ORDER BY id DESC LIMIT $3", "iii"};
#define ATTEMPT_LIST(of, end)                                    \
    " FROM history AS h WHERE " of "h.id < $1 AND h.id >= (" end \
    ") AND " OF_PAGE("h") "($6 = 0 OR h.outcome = $6) ORDER BY h.id DESC LIMIT $7"
#define ATTEMPT_LIST_ANY ATTEMPT_LIST("", END("history"))
#define ATTEMPT_LIST_OF  ATTEMPT_LIST("h.schedule = $8 AND ", END_OF("$8"))

static const struct db_stmt attempt_list = {"SELECT " ATTEMPT ATTEMPT_LIST_ANY, "iiiiiii"};
static const struct db_stmt attempt_list_of = {"SELECT " ATTEMPT ATTEMPT_LIST_OF, "iiiiiiii"};
static const struct db_stmt attempt_brief = {"SELECT " ATTEMPT_BRIEF ATTEMPT_LIST_ANY,
                                             "iiiiiii"};
static const struct db_stmt attempt_brief_of = {"SELECT " ATTEMPT_BRIEF ATTEMPT_LIST_OF,
                                                "iiiiiiii"};
static const struct db_stmt attempt_end = {END("history"), "ii"};
static const struct db_stmt attempt_end_of = {END_OF("$3"), "iii"};

/* The key that the run had: see store/history.c and store/key.h. */
#define RUN_KEY "((h.created_at / 1000 - 1577836800000) * 4194304 + (h.bits >> 16))"
#define ENDED_SINCE(of)                                                                \
    "SELECT " ATTEMPT ", " RUN_KEY " AS made FROM history AS h WHERE " of "h.id >= $6" \
    " AND h.id <= (SELECT id FROM (SELECT id FROM history AS h WHERE " of "h.id >= $6" \
    " ORDER BY id LIMIT $2) AS batch ORDER BY id DESC LIMIT 1) AND h.last = 1"         \
    " AND " RUN_KEY " < $1 AND " NAMESPACE(                                            \
        "h") " = $3 AND ($4 = 0 OR h.queue = $4)"                                      \
             " AND ($5 < 0 OR " SQL_RUN_KIND("h.bits") " = $5) ORDER BY made DESC LIMIT $7"
static const struct db_stmt attempt_ended_since = {ENDED_SINCE(""), "iiiiiii"};
static const struct db_stmt attempt_ended_since_of = {ENDED_SINCE("h.schedule = $8 AND "),
                                                      "iiiiiiii"};

/* $1 `before`, $2 scan, $3 schedule, $4 newer failures. */
static const struct db_stmt failing_since = {
    "SELECT ended_at FROM history WHERE schedule = $3 AND id >= (" END_OF(
        "$3") ")"
              " AND last = 1 AND outcome IN (" SQL_OUTCOME_FAILED ", " SQL_OUTCOME_TIMED_OUT
              ", " SQL_OUTCOME_UNKNOWN
              ") AND " SQL_RUN_KIND("bits") " <> " SQL_RUN_TEST
                                            " ORDER BY id DESC LIMIT 1 OFFSET $4",
    "iiii"};

static const struct db_stmt depth = {
    "SELECT count(*), min(due) FROM (SELECT due FROM runs WHERE state = " SQL_RUN_READY
    " AND lane = $1 AND queue = $2 ORDER BY rank, id LIMIT $3) AS batch",
    "iii"};

/* The same rows without their first columns, for the reader of the table joined to it. */
static struct db_result skip_columns(const struct db_result *result, int columns)
{
    struct db_result rest = *result;

    if (result->rows > 0)
        rest.values += columns;
    return rest;
}

static void read_owner(const struct db_result *result, int row, int column,
                       struct run_owner *ret)
{
    const struct db_value *namespace = db_at(result, row, column);

    ret->namespace = namespace->type == DB_NULL ? 0 : namespace->num;
    ret->schedule = text_or_empty(result, row, column + 1);
    ret->queue = text_or_empty(result, row, column + 2);
}

void schedule_views_find(struct db *db, int64_t namespace, struct str name,
                         struct db_result *ret)
{
    db_send(db, &schedule_find, (struct db_value[]){db_int(namespace), db_text(name)}, ret);
}

void schedule_views_get(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &schedule_get, (struct db_value[]){db_int(id)}, ret);
}

void schedule_views_read(const struct db_result *result, int row, struct schedule_view *ret)
{
    struct db_result cursors = skip_columns(result, ROW_COUNT(SCHEDULE_COLUMNS));

    schedules_read(result, row, &ret->row);
    cursors_read(&cursors, row, &ret->cursor);
}

void run_views_get(struct db *db, const struct run_id *id, struct db_result *ret)
{
    struct db_value params[] = {db_int(id->schedule), db_int(id->slot_ms * SPAN_MS),
                                db_int(id->pass)};

    db_send(db, &run_get, params, ret);
}

void run_views_of_schedule(struct db *db, const struct run_id *before, int limit,
                           struct db_result *ret)
{
    struct db_value params[] = {db_int(before->schedule), db_int(before->slot_ms * SPAN_MS),
                                db_int(before->pass), db_int(limit)};

    db_send(db, &run_of_schedule, params, ret);
}

void run_views_recent(struct db *db, int64_t schedule, int open_max, int ended_max,
                      struct db_result *ret_open, struct db_result *ret_ended)
{
    db_send(db, &run_begun, (struct db_value[]){db_int(schedule), db_int(open_max)}, ret_open);
    db_send(db, &run_ends, (struct db_value[]){db_int(schedule), db_int(ended_max)}, ret_ended);
}

void run_views_list(struct db *db, const struct view_page *page, struct db_result *ret)
{
    bool has_schedule = page->schedule != 0;
    struct db_value params[] = {
        db_int(page->before),    db_int(has_schedule ? page->schedule : page->scan),
        db_int(page->namespace), db_int(page->queue),
        db_int(page->kind - 1),  db_int(page->states),
        db_int(page->limit),
    };

    if (page->is_brief)
        db_send(db, has_schedule ? &run_brief_of : &run_brief, params, ret);
    else
        db_send(db, has_schedule ? &run_list_of : &run_list, params, ret);
}

void run_views_end(struct db *db, const struct view_page *page, struct db_result *ret)
{
    db_send(db, &run_end, (struct db_value[]){db_int(page->before), db_int(page->scan)}, ret);
}

void run_views_read(const struct db_result *result, int row, struct run_view *ret)
{
    runs_read(result, row, &ret->run);
    read_owner(result, row, ROW_COUNT(RUN_COLUMNS), &ret->owner);
}

void attempt_views_of_run(struct db *db, const struct run_id *id, instant from, int scan,
                          struct db_result *ret)
{
    instant slot = id->slot_ms * SPAN_MS;

    if (id->pass > 0)
        db_send(db, &attempt_of_extra,
                (struct db_value[]){db_int(id->schedule), db_int(slot), db_int(id->pass),
                                    db_int(scan)},
                ret);
    else
        db_send(db, &attempt_of_run,
                (struct db_value[]){db_int(id->schedule), db_int(key_of(from)), db_int(scan),
                                    db_int(slot), db_int(id->pass)},
                ret);
}

void attempt_views_of_schedule(struct db *db, int64_t schedule, int64_t before, int limit,
                               struct db_result *ret)
{
    db_send(db, &attempt_of_schedule,
            (struct db_value[]){db_int(schedule), db_int(before), db_int(limit)}, ret);
}

void attempt_views_failing_since(struct db *db, int64_t schedule, int64_t failures,
                                 struct db_result *ret)
{
    struct db_value params[] = {db_int(INT64_MAX), db_int(VIEW_ATTEMPTS_SCAN), db_int(schedule),
                                db_int(failures - 1)};

    db_send(db, &failing_since, params, ret);
}

void attempt_views_failed(struct db *db, const struct failed_page *page, struct db_result *ret)
{
    struct db_value params[] = {
        db_int(page->schedule), db_int(page->least), db_int(page->before),
        db_int(page->from),     db_int(page->until), db_int(page->limit),
    };

    db_send(db, &attempt_failed, params, ret);
}

void attempt_views_list(struct db *db, const struct view_page *page, struct db_result *ret)
{
    bool has_schedule = page->schedule != 0;
    struct db_value params[] = {
        db_int(page->before), db_int(page->scan),     db_int(page->namespace),
        db_int(page->queue),  db_int(page->kind - 1), db_int(page->outcome),
        db_int(page->limit),  db_int(page->schedule),
    };

    if (page->is_brief)
        db_send(db, has_schedule ? &attempt_brief_of : &attempt_brief, params, ret);
    else
        db_send(db, has_schedule ? &attempt_list_of : &attempt_list, params, ret);
}

void attempt_views_end(struct db *db, const struct view_page *page, struct db_result *ret)
{
    struct db_value params[] = {db_int(page->before), db_int(page->scan),
                                db_int(page->schedule)};

    db_send(db, page->schedule != 0 ? &attempt_end_of : &attempt_end, params, ret);
}

void attempt_views_ended_since(struct db *db, const struct view_page *page,
                               struct db_result *ret)
{
    struct db_value params[] = {
        db_int(page->before), db_int(VIEW_ENDED_SCAN), db_int(page->namespace),
        db_int(page->queue),  db_int(page->kind - 1),  db_int(page->since),
        db_int(page->limit),  db_int(page->schedule),
    };

    db_send(db, page->schedule != 0 ? &attempt_ended_since_of : &attempt_ended_since, params,
            ret);
}

int64_t attempt_views_run_key(const struct db_result *result, int row)
{
    return db_int_at(result, row, ROW_COUNT(HISTORY_COLUMNS) + OWNER_COLUMNS);
}

void attempt_views_get(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &attempt_get, (struct db_value[]){db_int(id)}, ret);
}

void attempt_marks_list(struct db *db, int64_t before, int64_t least, int limit,
                        struct db_result *ret)
{
    db_send(db, &mark_list, (struct db_value[]){db_int(before), db_int(least), db_int(limit)},
            ret);
}

void attempt_marks_read(const struct db_result *result, int row, struct attempt_mark *ret)
{
    *ret = (struct attempt_mark){ROW_MEMBERS(HISTORY_MARK)};
}

void attempt_views_read(const struct db_result *result, int row, struct attempt_view *ret)
{
    history_read(result, row, &ret->row);
    read_owner(result, row, ROW_COUNT(HISTORY_COLUMNS), &ret->owner);
}

void queue_depths_get(struct db *db, int64_t queue, int most, struct db_result *ret)
{
    struct db_value params[] = {db_int(LANE_PULL), db_int(queue), db_int(most)};

    db_send(db, &depth, params, ret);
}

void queue_depths_read(const struct db_result *result, struct queue_depth *ret)
{
    const struct db_value *oldest = db_at(result, 0, 1);

    ret->ready = db_int_at(result, 0, 0);
    ret->oldest = oldest->type == DB_NULL ? INSTANT_NONE : oldest->num;
}
