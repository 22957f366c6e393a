/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the databases find rows: through an index, so that finding due rows costs the same for
 * any number of rows.
 *
 * The statements are taken from the queue of the connection and explained.  On PostgreSQL that
 * needs tables of some size, and is done for both plans that a prepared statement may get: a
 * custom plan for its values, and a generic plan.
 */
#include "store.h"

#include "store/cursors.h"
#include "store/days.h"
#include "store/events_requests.h"
#include "store/exceptions_backfills.h"
#include "store/history.h"
#include "store/logs.h"
#include "store/named_objects.h"
#include "store/nodes.h"
#include "store/runs.h"
#include "store/schedule_pages.h"
#include "store/schedules.h"
#include "store/slots_many.h"
#include "store/stats.h"
#include "store/views.h"

enum {
    PLAN_MAX = 8192,   /* bytes of one plan */
    PLANS_MAX = 160,   /* statements that a test explains */
    EXPLAIN_MAX = 2048 /* bytes of one of them */
};

#define ROWS "20000"

/* Numbers 1 to ROWS, for both databases. */
#define FILL(columns, values)                                                         \
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " ROWS \
    ") INSERT INTO " columns " SELECT " values " FROM n"

/* More rows of each kind than any statement below requests, and many more of others. */
static const char *const fill[] = {
    FILL("cursors",
         "i, 1000 * i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,"
         " 0, 0, 0, 0, 0, 0, 0, 0, 0"),
    FILL("runs (id, schedule, slot, pass, state, lane, queue, gate, bits, due, rank, attempt,"
         " fence, node, lease_until, wake_at, created_at, started_at, attempt_at)",
         "i, i % 5000, i, 0, 1 + i % 7, i % 3, i % 20, i % 20, 0, 0, i, 0, 0, i % 5, 0,"
         " CASE WHEN i % 10 = 0 THEN i ELSE 9223372036854775807 END, 0, 0, 0"),
    FILL("history (id, schedule, slot, pass, attempt, fence, bits, outcome, reason, last, due,"
         " created_at, started_at, ended_at, expire_at, queue, node)",
         "i, i % 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, i, 0, 0"),
    FILL("ledger", "i, i % 100, 0, i, i, 1, 0, 0, 0, i, i % 400, 1, 0"),
    FILL("logs", "i, i % 100, i % 10, 0, 1, 0, i, i, CAST('' AS {blob})"),
    FILL("results", "i, '', ''"),
    FILL("exceptions", "i % 100, i, 0, ''"),
    FILL("backfills",
         "i, i % 100, 0, 0, 0, 0, 0, 0, 0, '', i % 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, i % 100"),
    FILL("nodes", "i, CAST(i AS VARCHAR), 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, '', '', 0, 0, 0"),
    FILL("days", "i / 400, i % 400, i % 3, CAST('' AS {blob})"),
    FILL("days_left", "i, i % 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"),
    FILL("stats", "i / 10, i % 3, i, i % 2, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0"),
    FILL("events", "i % 5, i, 1, i, CAST('' AS {blob})"),
    FILL("requests", "1, CAST(i AS VARCHAR), 0, 0, '', i"),
    FILL("namespaces", "i, CAST(i AS VARCHAR), '', 0"),
    FILL("queues", "i, i % 2, CAST(i AS VARCHAR), 0, CASE WHEN i % 500 = 0 THEN 1 ELSE 0 END,"
                   " 0"),
    FILL("gates", "i, 1, CAST(i AS VARCHAR), 1, 0, 0"),
    FILL("calendars", "i, 1, CAST(i AS VARCHAR), 1, CAST('' AS {blob}), 0"),
    FILL("schedules (id, namespace, version, deleted_at, packed, action, name, spec, policies,"
         " description, dialect, created_at, created_by, updated_at, updated_by)",
         "i, 1, 0, CASE WHEN i % 10 = 0 THEN i ELSE 0 END, CAST('' AS {blob}), '',"
         " CAST(i AS VARCHAR), '', '', '', 0, 0, '', 0, ''"),
};

static int set_up_full(void **state)
{
    struct fixture *f;

    set_up_tables(state);
    f = *state;
    for (size_t i = 0; i < sizeof fill / sizeof fill[0]; i++)
        exec(f->db, fill[i]);
    if (f->postgres)
        exec(f->db, "VACUUM ANALYZE");
    return 0;
}

static struct db_stmt explained[PLANS_MAX];
static char explained_sql[PLANS_MAX][EXPLAIN_MAX];
static int explained_count;

/* A new database without statistics; the names of prepared plans are free again. */
static int set_up_unknown(void **state)
{
    explained_count = 0;
    return set_up_tables(state);
}

static void join(const struct db_result *result, int column, struct buf *out)
{
    for (int i = 0; i < result->rows; i++) {
        struct str line = db_text_at(result, i, column);

        buf_printf(out, "%.*s\n", STR_ARG(line));
    }
    assert_false(out->cut);
}

static void explain_on_sqlite(struct fixture *f, const struct db_stmt *stmt,
                              const struct db_value *params, struct buf *out)
{
    struct db_stmt *asks = &explained[explained_count];
    char *sql = explained_sql[explained_count++];
    struct db_result got;

    assert_true(explained_count < PLANS_MAX);
    snprintf(sql, EXPLAIN_MAX, "EXPLAIN QUERY PLAN %s", stmt->sql);
    *asks = (struct db_stmt){.sql = sql, .params = stmt->params};
    got = query(f, f->db, asks, params);
    join(&got, 3, out);
}

static void explain_on_postgres(struct fixture *f, const struct db_stmt *stmt,
                                const struct db_value *params, struct buf *out)
{
    char text[2 * EXPLAIN_MAX], question[ASK_MAX];
    struct buf prepare = BUF(text), execute = BUF(question);

    buf_printf(&prepare, "PREPARE plan_%d (", explained_count);
    buf_printf(&execute, "EXPLAIN (COSTS OFF) EXECUTE plan_%d (", explained_count++);
    for (int i = 0; stmt->params[i] != '\0'; i++) {
        buf_printf(&prepare, "%s%s", i > 0 ? ", " : "",
                   stmt->params[i] == 'i'   ? "INT8"
                   : stmt->params[i] == 't' ? "TEXT"
                                            : "BYTEA");
        if (stmt->params[i] == 'i')
            buf_printf(&execute, "%s%lld", i > 0 ? ", " : "", (long long)params[i].num);
        else
            buf_printf(&execute, "%s'%s'", i > 0 ? ", " : "", params[i].bytes.ptr);
    }
    buf_printf(&prepare, ") AS %s", stmt->sql);
    buf_char(&execute, ')');
    assert_false(prepare.cut || execute.cut);
    exec(f->db, text);
    for (int generic = 0; generic <= 1; generic++) {
        struct db_result got;

        exec(f->db, generic ? "SET plan_cache_mode = force_generic_plan"
                            : "SET plan_cache_mode = force_custom_plan");
        got = ask(f, f->db, question);
        join(&got, 0, out);
    }
}

static void explain(struct fixture *f, const struct db_stmt *stmt,
                    const struct db_value *params, struct buf *out)
{
    (f->postgres ? explain_on_postgres : explain_on_sqlite)(f, stmt, params, out);
}

/* A copy that outlives the queue. */
static struct db_value kept(struct fixture *f, const struct db_value *value)
{
    struct db_value copy = *value;

    if (value->type == DB_TEXT || value->type == DB_BLOB)
        copy.bytes = arena_str(f->arena, value->bytes);
    return copy;
}

/* Every statement of the queue, which is then dropped. */
static void explain_queue(struct fixture *f, struct buf *out)
{
    struct db_value params[2][DB_PARAMS_MAX];
    const struct db_stmt *stmts[2];
    int count = 0;

    for (const struct db_entry *entry = f->db->first; entry; entry = entry->next) {
        assert_true(count < 2);
        for (int i = 0; i < entry->cached->count; i++)
            params[count][i] = kept(f, &entry->params[i]);
        stmts[count++] = entry->cached->stmt;
    }
    assert_true(count > 0);
    db_rollback(f->db);
    for (int i = 0; i < count; i++)
        explain(f, stmts[i], params[i], out);
}

enum order { ANY_ORDER, INDEX_ORDER }; /* with a sort, or without */

static bool names_index(const struct fixture *f, const char *plan, const char *index)
{
    if (strstr(plan, index))
        return true;
    /* SQLite's own name for a primary key. */
    return !f->postgres && strstr(index, "_pkey") &&
           (strstr(plan, "PRIMARY KEY (") || strstr(plan, "INTEGER PRIMARY KEY") ||
            strstr(plan, "sqlite_autoindex_"));
}

static bool reads_a_whole_table(const struct fixture *f, const char *plan)
{
    if (f->postgres) /* a hash join reads all rows of one side */
        return strstr(plan, "Seq Scan") || strstr(plan, "Hash Join") ||
               strstr(plan, "Hash Semi");
    for (const char *line = plan; line; line = strchr(line, '\n')) {
        line += *line == '\n' ? 1 : 0;
        /* Except the row of constants that is inserted, and the rows of a subquery. */
        if (strncmp(line, "SCAN", 4) == 0 && strncmp(line, "SCAN CONSTANT ROW", 17) != 0 &&
            strncmp(line, "SCAN batch", 10) != 0 && strncmp(line, "SCAN stored", 11) != 0)
            return true;
    }
    return false;
}

static void assert_plan(struct fixture *f, const char *what, const char *index,
                        enum order order)
{
    char plan[PLAN_MAX];
    struct buf out = BUF(plan);

    explain_queue(f, &out);
    if (!names_index(f, plan, index))
        fail_msg("%s is not found by %s:\n%s", what, index, plan);
    if (reads_a_whole_table(f, plan))
        fail_msg("%s reads a whole table:\n%s", what, plan);
    if (order == INDEX_ORDER && (strstr(plan, "Sort") || strstr(plan, "TEMP B-TREE")))
        fail_msg("%s is sorted:\n%s", what, plan);
}

static struct db_result unused;

#define PLAN(call, index, order)             \
    do {                                     \
        call;                                \
        assert_plan(f, #call, index, order); \
    } while (0)

/* The control of this file: a missing index is detected on both databases. */
static void a_search_without_an_index_is_detected(void **state)
{
    static const struct db_stmt scan = {"SELECT id FROM runs WHERE attempt = $1", "i"};
    struct fixture *f = *state;
    char plan[PLAN_MAX];
    struct buf out = BUF(plan);

    db_send(f->db, &scan, (struct db_value[]){db_int(7)}, &unused);
    explain_queue(f, &out);
    assert_true(reads_a_whole_table(f, plan));
    assert_false(names_index(f, plan, "runs_pkey"));
}

static void cursors_are_found_by_key_or_in_order_of_waking(void **state)
{
    struct fixture *f = *state;

    PLAN(cursors_due(f->db, 0, 100000, 8, &unused), "cursors_wake", INDEX_ORDER);
    PLAN(cursors_due(f->db, INSTANT_NONE, 100000, 8, &unused), "cursors_wake", INDEX_ORDER);
    PLAN(cursors_next_wake(f->db, 5000, &unused), "cursors_wake", INDEX_ORDER);
    PLAN(cursors_lock(f->db, 7, &unused), "cursors_pkey", INDEX_ORDER);
    PLAN(cursors_peek(f->db, 7, &unused), "cursors_pkey", INDEX_ORDER);
    PLAN(cursors_list_keys(f->db, 7, 8, &unused), "cursors_pkey", INDEX_ORDER);
    PLAN(cursors_update(f->db, &(struct cursor){.id = 7}), "cursors_pkey", INDEX_ORDER);
}

static void runs_are_found_without_reading_others(void **state)
{
    struct fixture *f = *state;

    PLAN(runs_ready(f->db, 1, 7, 8, &unused), "runs_ready", INDEX_ORDER);
    PLAN(runs_ready_queue(f->db, 1, 7, &unused), "runs_ready", INDEX_ORDER);
    PLAN(runs_count_claimed(f->db, 7, &unused), "runs_out", INDEX_ORDER);
    PLAN(runs_waking(f->db, 1000, 8, &unused), "runs_wake", INDEX_ORDER);
    PLAN(runs_next_wake(f->db, 64, &unused), "runs_wake", INDEX_ORDER);
    PLAN(runs_gated(f->db, 7, 8, &unused), "runs_gated", INDEX_ORDER);
    PLAN(runs_of_schedule(f->db, 7, true, 8, &unused), "runs_slot", ANY_ORDER);
    PLAN(runs_of_schedule(f->db, 7, false, 8, &unused), "runs_slot", ANY_ORDER);
    PLAN(runs_lock_slot(f->db, 7, 7, 0, &unused), "runs_slot", INDEX_ORDER);
    PLAN(runs_peek_slot(f->db, 7, 7, 0, &unused), "runs_slot", INDEX_ORDER);
    PLAN(runs_lock(f->db, 7, &unused), "runs_pkey", INDEX_ORDER);
    PLAN(runs_update(f->db, &(struct run){.id = 7}), "runs_pkey", INDEX_ORDER);
}

static void history_ledger_and_logs_are_found_by_schedule(void **state)
{
    struct fixture *f = *state;
    struct ledger_entry entry = {.schedule = 7, .id = 70000};
    struct log_part part = {.id = 70000, .schedule = 7, .slot = 7, .body = STR("x")};

    PLAN(history_of_schedule(f->db, 7, 10000, 8, &unused), "history_schedule", INDEX_ORDER);
    PLAN(history_keep(f->db, 7, 10, 1), "history_schedule", INDEX_ORDER);
    PLAN(days_leave(f->db, 7, 10, &(struct counted_rows){1, 7}), "history_schedule", ANY_ORDER);
    PLAN(ledger_extend(f->db, &entry, 7), "ledger_slot", INDEX_ORDER);
    PLAN(ledger_of_schedule(f->db, 7, 10000, 8, &unused), "ledger_slot", ANY_ORDER);
    PLAN(results_get(f->db, 7, &unused), "results_pkey", INDEX_ORDER);
    PLAN(logs_insert(f->db, &part, &unused), "logs_run", INDEX_ORDER);
    PLAN(logs_of_run(f->db, &part, 100, 8, &unused), "logs_run", INDEX_ORDER);
}

static void exceptions_and_backfills_are_found_by_schedule(void **state)
{
    struct fixture *f = *state;

    PLAN(exceptions_of(f->db, 7, 0, 8, &unused), "exceptions_pkey", INDEX_ORDER);
    PLAN(exceptions_forget(f->db, 7, 64), "exceptions_pkey", INDEX_ORDER);
    PLAN(backfills_of(f->db, 7, 8, &unused), "backfills_schedule", INDEX_ORDER);
    PLAN(backfills_find(f->db, 7, 8, &unused), "backfills_schedule", INDEX_ORDER);
    PLAN(backfills_forget(f->db, 7, 8), "backfills_schedule", INDEX_ORDER);
    PLAN(backfills_delete_all(f->db, 7), "backfills_schedule", INDEX_ORDER);
    PLAN(schedules_find(f->db, 1, STR("7"), &unused), "schedules_name", INDEX_ORDER);
    PLAN(schedules_find_deleted(f->db, 1, STR("7"), &unused), "schedules_gone", ANY_ORDER);
    PLAN(schedules_find_dialect(f->db, 1, STR("7"), &unused), "schedules_name", INDEX_ORDER);
    PLAN(schedules_plan(f->db, 7, &unused), "schedules_pkey", INDEX_ORDER);
}

static void backfills_are_listed_in_the_order_of_an_index(void **state)
{
    struct fixture *f = *state;
    struct backfill_page page = {.namespace = 7, .before = 10000, .limit = 8};

    PLAN(backfills_list(f->db, &page, &unused), "backfills_running", INDEX_ORDER);
    page.is_ended = true;
    PLAN(backfills_list(f->db, &page, &unused), "backfills_ended", INDEX_ORDER);
}

static void names_and_requests_are_found_by_key(void **state)
{
    struct fixture *f = *state;

    PLAN(namespaces_get(f->db, 7, &unused), "namespaces_pkey", INDEX_ORDER);
    PLAN(namespaces_list(f->db, STR("7"), 8, &unused), "namespaces_name", INDEX_ORDER);
    PLAN(queues_find(f->db, 1, STR("7"), &unused), "queues_name", INDEX_ORDER);
    PLAN(queues_get(f->db, 7, &unused), "queues_pkey", INDEX_ORDER);
    PLAN(queues_lock(f->db, 7, &unused), "queues_pkey", INDEX_ORDER);
    PLAN(queues_lock_name(f->db, 1, STR("7"), &unused), "queues_name", INDEX_ORDER);
    PLAN(queues_note_poll(f->db, 7, DAY_ONE), "queues_pkey", ANY_ORDER);
    PLAN(queues_list_restricted(f->db, 8, &unused), "queues_watched", INDEX_ORDER);
    PLAN(queues_list(f->db, 1, STR("7"), 8, &unused), "queues_name", INDEX_ORDER);
    PLAN(gates_find(f->db, 1, STR("7"), &unused), "gates_name", INDEX_ORDER);
    PLAN(gates_lock(f->db, 7, &unused), "gates_pkey", INDEX_ORDER);
    PLAN(gates_get(f->db, 1, STR("7"), &unused), "gates_name", INDEX_ORDER);
    PLAN(gates_list(f->db, 1, STR("7"), 8, &unused), "gates_name", INDEX_ORDER);
    PLAN(gates_users(f->db, &(struct gate_use){1, 7, STR("x")}, 8, &unused),
         "schedules_changed", INDEX_ORDER);
    PLAN(calendars_find(f->db, 1, STR("7"), &unused), "calendars_name", INDEX_ORDER);
    PLAN(calendars_get(f->db, 1, STR("7"), &unused), "calendars_name", INDEX_ORDER);
    PLAN(calendars_list(f->db, 1, STR("7"), 8, &unused), "calendars_name", INDEX_ORDER);
    PLAN(calendars_delete(f->db, 1, STR("7"), 7, &unused), "calendars_name", INDEX_ORDER);
    PLAN(requests_find(f->db, 1, STR("7"), &unused), "requests_pkey", INDEX_ORDER);
    PLAN(events_of(f->db, 1, 7, 8, &unused), "events_pkey", INDEX_ORDER);
    PLAN(events_last(f->db, STR("7"), &unused), "events_pkey", INDEX_ORDER);
}

static void rows_for_display_are_found_by_key(void **state)
{
    struct fixture *f = *state;
    struct run_id run = {.schedule = 7, .slot_ms = 7}, extra = {.schedule = 7, .pass = 1};
    struct view_page page = {.namespace = 1, .before = 15000, .scan = 500, .limit = 10};
    struct failed_page failed = {7, 14000, 15000, 0, 15000, 8};

    PLAN(schedule_views_find(f->db, 1, STR("7"), &unused), "schedules_name", INDEX_ORDER);
    PLAN(schedule_views_get(f->db, 7, &unused), "schedules_pkey", INDEX_ORDER);
    PLAN(run_views_get(f->db, &run, &unused), "runs_slot", INDEX_ORDER);
    PLAN(run_views_of_schedule(f->db, &run, 8, &unused), "runs_slot", INDEX_ORDER);
    PLAN(run_views_list(f->db, &page, &unused), "runs_pkey", ANY_ORDER);
    PLAN(run_views_end(f->db, &page, &unused), "runs_pkey", ANY_ORDER);
    page.is_brief = true;
    PLAN(run_views_list(f->db, &page, &unused), "runs_pkey", ANY_ORDER);
    PLAN(attempt_views_list(f->db, &page, &unused), "history_pkey", ANY_ORDER);
    page.schedule = 7;
    PLAN(run_views_list(f->db, &page, &unused), "runs_slot", ANY_ORDER);
    PLAN(attempt_views_list(f->db, &page, &unused), "history_schedule", ANY_ORDER);
    page.is_brief = false;
    PLAN(run_views_list(f->db, &page, &unused), "runs_slot", ANY_ORDER);
    PLAN(attempt_views_list(f->db, &page, &unused), "history_schedule", ANY_ORDER);
    PLAN(attempt_views_end(f->db, &page, &unused), "history_schedule", ANY_ORDER);
    page.since = 14000;
    PLAN(attempt_views_ended_since(f->db, &page, &unused), "history_schedule", ANY_ORDER);
    page.schedule = 0;
    PLAN(attempt_views_ended_since(f->db, &page, &unused), "history_pkey", ANY_ORDER);
    PLAN(attempt_views_of_run(f->db, &run, 0, 9, &unused), "history_schedule", ANY_ORDER);
    PLAN(attempt_views_of_run(f->db, &extra, 0, 9, &unused), "history_extra", ANY_ORDER);
    PLAN(attempt_views_failing_since(f->db, 7, 1, &unused), "history_schedule", ANY_ORDER);
    PLAN(attempt_views_of_schedule(f->db, 7, 15000, 8, &unused), "history_schedule",
         INDEX_ORDER);
    PLAN(run_views_recent(f->db, 7, 1000, 8, &unused, &unused), "history_schedule",
         INDEX_ORDER);
    PLAN(attempt_views_failed(f->db, &failed, &unused), "history_schedule", INDEX_ORDER);
    PLAN(attempt_views_list(f->db, &page, &unused), "history_pkey", ANY_ORDER);
    PLAN(attempt_views_get(f->db, 15000, &unused), "history_pkey", ANY_ORDER);
    PLAN(attempt_marks_list(f->db, 15000, 14000, 8, &unused), "history_pkey", INDEX_ORDER);
    PLAN(attempt_views_end(f->db, &page, &unused), "history_pkey", ANY_ORDER);
    PLAN(history_last_keys(f->db, 15000, &unused), "history_pkey", ANY_ORDER);
    PLAN(queue_depths_get(f->db, 7, 9, &unused), "runs_ready", ANY_ORDER);
}

static void lists_of_schedules_are_read_in_their_order(void **state)
{
    static const char *const indexes[ORDER_COUNT] = {"schedules_name", "schedules_pkey",
                                                     "schedules_changed"};
    struct fixture *f = *state;
    struct schedule_batch p = {
        .namespace = 1, .after = {.name = STR("7"), .at = 7, .id = 15000}, .limit = 8};

    for (int i = 0; i < 2 * ORDER_COUNT; i++) {
        p.order = (enum schedule_order)(i % ORDER_COUNT);
        p.is_descending = i >= ORDER_COUNT;
        PLAN(schedule_pages_read(f->db, &p, &unused), indexes[p.order],
             p.order == ORDER_CREATED ? ANY_ORDER : INDEX_ORDER);
        PLAN(schedule_pages_end(f->db, &p, &unused), "schedules_pkey", ANY_ORDER);
    }
}

static void slots_of_a_time_range_are_found_by_key(void **state)
{
    struct fixture *f = *state;
    struct slot_range range = {.schedule = 7, .after = 100, .until = 200, .limit = 8};

    PLAN(slots_open(f->db, &range, &unused), "runs_slot", INDEX_ORDER);
    PLAN(slots_ended(f->db, &range, &unused), "history_schedule", ANY_ORDER);
    PLAN(slots_scanned(f->db, &range, &unused), "history_schedule", INDEX_ORDER);
    PLAN(slots_not_started(f->db, &range, &unused), "ledger_slot", INDEX_ORDER);
    PLAN(slots_extra_open(f->db, 7, 100, &unused), "runs_slot", INDEX_ORDER);
    PLAN(slots_extra_ended(f->db, 7, 100, &unused), "history_schedule", ANY_ORDER);
    PLAN(slots_extra_not_started(f->db, 7, 100, &unused), "ledger_slot", ANY_ORDER);
}

static void slots_of_many_schedules_are_found_by_key(void **state)
{
    static const int64_t keys[] = {7, 8, 9, 11, 70};
    struct fixture *f = *state;
    struct slots_many many = {
        .schedules = keys, .count = 5, .from = DAY_ONE, .until = DAY_ONE + 1, .limit = 8};

    PLAN(slots_many_open(f->db, &many, &unused), "runs_slot", ANY_ORDER);
    PLAN(slots_many_ended(f->db, &many, &unused), "history_", ANY_ORDER);
    PLAN(slots_many_ended_of(f->db, &many, SLOTS_FIRST, &unused), "history_schedule",
         INDEX_ORDER);
    PLAN(slots_many_ended_of(f->db, &many, SLOTS_LAST, &unused), "history_schedule",
         INDEX_ORDER);
    PLAN(slots_many_ranges(f->db, &many, &unused), "ledger_slot", ANY_ORDER);
    PLAN(schedule_pages_keys(f->db, keys, 5, &unused), "schedules_pkey", ANY_ORDER);
}

static void counting_statistics_reads_only_counted_rows(void **state)
{
    static const struct stats_range range = {1, 7, 71};
    struct fixture *f = *state;

    PLAN(stats_batch_end(f->db, &range, 8, &unused), "history_pkey", ANY_ORDER);
    PLAN(stats_add(f->db, &range, 1), "history_pkey", ANY_ORDER);
    PLAN(stats_add_old(f->db, &range, 7, 8), "history_", ANY_ORDER);
    PLAN(stats_prune(f->db, 7, 8), "stats_pkey", ANY_ORDER);
    PLAN(nodes_count(f->db, &(struct node){.id = 7}, 8), "nodes_pkey", INDEX_ORDER);
}

static void days_are_found_by_subject(void **state)
{
    static const struct days_range range = {1, 71};
    static const struct day_key key = {7, 8, 1};
    static const struct days_mark mark = {1, 1, 1};
    struct days_query query = {.subject = 7, .namespace = 1, .from = 7, .until = 9, .limit = 8};
    struct fixture *f = *state;

    PLAN(days_history(f->db, &range, 8, &unused), "history_pkey", ANY_ORDER);
    PLAN(days_forget(f->db, 1, &range), "days_left_pkey", ANY_ORDER);
    PLAN(days_ledger(f->db, &range, 8, &unused), "ledger_pkey", ANY_ORDER);
    PLAN(days_find(f->db, &key, &unused), "days_pkey", INDEX_ORDER);
    PLAN(days_put(f->db, &key, STR("x"), 7, &mark), "nodes_pkey", INDEX_ORDER);
    PLAN(days_prune(f->db, 7, 8), "days_pkey", INDEX_ORDER);
    PLAN(days_of(f->db, &query, &unused), "days_pkey", ANY_ORDER);
    PLAN(days_of_queues(f->db, &query, &unused), "days_pkey", ANY_ORDER);
    PLAN(nodes_count_days(f->db, &(struct node){.id = 7}, &mark), "nodes_pkey", INDEX_ORDER);
}

static void pruning_reads_one_batch(void **state)
{
    struct fixture *f = *state;

    PLAN(prune_history_batch_end(f->db, 7, 8, &unused), "history_pkey", ANY_ORDER);
    PLAN(prune_history(f->db, 7, 71, 7, &unused), "history_pkey", INDEX_ORDER);
    PLAN(prune_ledger_batch_end(f->db, 7, 8, &unused), "ledger_pkey", ANY_ORDER);
    PLAN(prune_ledger(f->db, 7, 71, 7, &unused), "ledger_pkey", INDEX_ORDER);
    PLAN(prune_logs_batch_end(f->db, 7, 8, &unused), "logs_pkey", ANY_ORDER);
    PLAN(prune_logs(f->db, 7, 71, 7, &unused), "logs_pkey", INDEX_ORDER);
    PLAN(prune_events(f->db, 1, 64, 8), "events_pkey", INDEX_ORDER);
    PLAN(prune_events_down_node(f->db, 64, &unused), "events_pkey", ANY_ORDER);
    PLAN(prune_requests(f->db, 64, 8), "requests_expire", INDEX_ORDER);
    PLAN(prune_schedules_batch_end(f->db, 64, 8, &unused), "schedules_deleted", ANY_ORDER);
    PLAN(prune_schedules(f->db, 64, 96, 99), "schedules_", INDEX_ORDER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_without_an_index_is_detected),
        cmocka_unit_test(cursors_are_found_by_key_or_in_order_of_waking),
        cmocka_unit_test(runs_are_found_without_reading_others),
        cmocka_unit_test(history_ledger_and_logs_are_found_by_schedule),
        cmocka_unit_test(exceptions_and_backfills_are_found_by_schedule),
        cmocka_unit_test(backfills_are_listed_in_the_order_of_an_index),
        cmocka_unit_test(names_and_requests_are_found_by_key),
        cmocka_unit_test(rows_for_display_are_found_by_key),
        cmocka_unit_test(lists_of_schedules_are_read_in_their_order),
        cmocka_unit_test(slots_of_a_time_range_are_found_by_key),
        cmocka_unit_test(slots_of_many_schedules_are_found_by_key),
        cmocka_unit_test(counting_statistics_reads_only_counted_rows),
        cmocka_unit_test(days_are_found_by_subject),
        cmocka_unit_test(pruning_reads_one_batch),
    };

    /* A plan is kept when its table grows: it must be right while the table is empty. */
    return cmocka_run_group_tests_name("full", tests, set_up_full, tear_down) +
           cmocka_run_group_tests_name("empty", tests, set_up_unknown, tear_down);
}
