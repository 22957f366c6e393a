/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table days.
 */
#include "store/days.h"

#include "store/key.h"
#include "store/sql_numbers.h"
#include "store/text.h"

/* Positions in the answers about history and ledger. */
enum {
    AT_id,
    AT_schedule,
    AT_kind,
    AT_outcome,
    AT_day,
    HISTORY_last,
    HISTORY_attempt,
    HISTORY_due,
    HISTORY_started_at,
    HISTORY_ended_at,
    HISTORY_slot,
    HISTORY_queue,
    LEDGER_days = AT_day + 1,
    LEDGER_count,
    LEDGER_first,
    LEDGER_last,
    LEDGER_pass
};

#define ROW                                                                      \
    " id, schedule, " SQL_RUN_KIND("bits") ", outcome, day, last, attempt, due," \
                                           " started_at, ended_at, slot, queue"
#define FROM_BOTH(where)                                                  \
    "SELECT" ROW " FROM history" where("history") " UNION ALL SELECT" ROW \
                                                  " FROM days_left" where("days_left")
#define LEFT                                                                      \
    "id, schedule, bits, outcome, day, last, attempt, due, started_at, ended_at," \
    " slot, queue"
#define LEDGER                                                                \
    "SELECT id, schedule, kind, outcome, day, days, count, first, last, pass" \
    " FROM ledger"
#define RANGE(table) " WHERE id > $1 AND id <= $2"
#define BY_ID        " ORDER BY id LIMIT "

/* Rows of schedule $1 that are not counted for it. */
#define NOT_DOWN "nodes WHERE state <> " SQL_NODE_DOWN
#define NOT_YET(table)                                                                  \
    " WHERE schedule = $1 AND id > coalesce((SELECT min(days) FROM " NOT_DOWN "), 0)"   \
    " AND id > coalesce((SELECT CASE WHEN nodes.days_after >= $1 THEN nodes.days_until" \
    " ELSE nodes.days END FROM nodes WHERE nodes.id = " SQL_KEY_NODE(table ".id") "), 0)"

#define DAYS " AND day >= $2 AND day <= $3 ORDER BY subject, day LIMIT $4"

static const struct db_stmt history = {FROM_BOTH(RANGE) BY_ID "$3", "iii"};
static const struct db_stmt ledger = {LEDGER RANGE("ledger") BY_ID "$3", "iii"};
static const struct db_stmt history_of = {FROM_BOTH(NOT_YET) BY_ID "$2", "ii"};
static const struct db_stmt ledger_of = {LEDGER NOT_YET("ledger") BY_ID "$2", "ii"};
static const struct db_stmt leave = {
    "INSERT INTO days_left (" LEFT ") SELECT " LEFT " FROM history WHERE schedule = $1"
    " AND id > $4 AND " SQL_KEY_NODE(
        "id") " = $3 AND id <= (SELECT id FROM history"
              " WHERE schedule = $1 ORDER BY id DESC LIMIT 1 OFFSET $2) ON CONFLICT DO NOTHING",
    "iiii"};
static const struct db_stmt forget = {
    "DELETE FROM days_left WHERE id > $2 AND id <= $3 AND " SQL_KEY_NODE("id") " = $1", "iii"};
static const struct db_stmt find = {
    "SELECT body FROM days WHERE subject = $1 AND day = $2 AND node = $3", "iii"};
static const struct db_stmt put = {
    "INSERT INTO days (subject, day, node, body) SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT 1"
    " FROM nodes WHERE nodes.id = $5 AND nodes.days = $6 AND nodes.days_until = $7"
    " AND nodes.days_after = $8) ON CONFLICT (subject, day, node) DO UPDATE"
    " SET body = excluded.body",
    "iiibiiii"};
static const struct db_stmt prune = {"DELETE FROM days WHERE subject = $1 AND day < $2", "ii"};
static const struct db_stmt of_subject = {
    "SELECT subject, day, body, NULL FROM days WHERE subject = $1" DAYS, "iiii"};
static const struct db_stmt of_queues = {
    "SELECT subject, day, body, (SELECT name FROM queues WHERE queues.id = subject) FROM days"
    " WHERE subject IN (SELECT id FROM queues WHERE namespace = $1 UNION ALL"
    " SELECT id FROM namespaces WHERE id = $1)" DAYS,
    "iiii"};
static const struct db_stmt of_schedules = {
    "SELECT subject, day, body, (SELECT name FROM schedules WHERE schedules.id = subject)"
    " FROM days WHERE subject IN (SELECT id FROM schedules WHERE namespace = $1"
    " AND deleted_at = 0 AND ($5 = '' OR replace(labels, $5, '') <> labels))" DAYS,
    "iiiit"};
static const struct db_stmt counted = {"SELECT coalesce(min(days), 0) FROM " NOT_DOWN, NULL};

static void send_range(struct db *db, const struct db_stmt *stmt,
                       const struct days_range *range, int limit, struct db_result *ret)
{
    db_send(db, stmt,
            (struct db_value[]){db_int(range->after), db_int(range->until), db_int(limit)},
            ret);
}

void days_history(struct db *db, const struct days_range *range, int limit,
                  struct db_result *ret)
{
    send_range(db, &history, range, limit, ret);
}

void days_ledger(struct db *db, const struct days_range *range, int limit,
                 struct db_result *ret)
{
    send_range(db, &ledger, range, limit, ret);
}

int64_t days_key(const struct db_result *result, int row)
{
    return db_int_at(result, row, AT_id);
}

/* The day of a row that has none: in UTC, which is all that is known. */
static int64_t day_of(int64_t day, instant slot)
{
    return day == DAY_NONE ? day_in_utc(slot) : day;
}

int days_history_read(const struct db_result *result, int row,
                      struct day_sample ret[static DAYS_SUBJECTS])
{
    enum run_kind kind = (enum run_kind)db_int_at(result, row, AT_kind);
    instant due = db_int_at(result, row, HISTORY_due);
    instant started_at = db_int_at(result, row, HISTORY_started_at);
    bool is_last = db_int_at(result, row, HISTORY_last) == 1;
    bool has_started = started_at != INSTANT_NONE;
    bool is_first = db_int_at(result, row, HISTORY_attempt) == 1;
    enum outcome outcome = (enum outcome)db_int_at(result, row, AT_outcome);
    int count = 0;

    if (kind == RUN_TEST)
        return 0;
    ret[count++] = (struct day_sample){
        .subject = db_int_at(result, row, HISTORY_queue),
        .day = day_of(db_int_at(result, row, AT_day), db_int_at(result, row, HISTORY_slot)),
        .kind = day_kind_of(kind),
        .what = is_last ? (int)day_count_of(outcome) : -1,
        .count = is_last,
        .late = has_started && is_first ? started_at - due : DAY_NO_TIME,
        .took = has_started && is_last ? db_int_at(result, row, HISTORY_ended_at) - started_at
                                       : DAY_NO_TIME,
    };
    if (kind != RUN_DIRECT) {
        ret[count] = ret[0];
        ret[count++].subject = db_int_at(result, row, AT_schedule);
    }
    return count;
}

/* The days from the first to the last slot; in UTC if the day of the row is not known. */
static int64_t spread_of(const struct db_result *result, int row)
{
    int64_t days = db_int_at(result, row, LEDGER_days);

    if (db_int_at(result, row, AT_day) == DAY_NONE)
        days = day_in_utc(db_int_at(result, row, LEDGER_last)) -
               day_in_utc(db_int_at(result, row, LEDGER_first)) + 1;
    return days < 1 ? 1 : days;
}

int64_t days_ledger_count(const struct db_result *result, int row)
{
    int64_t days = spread_of(result, row);

    return days < DAYS_SPREAD_MAX ? days : DAYS_SPREAD_MAX;
}

bool days_ledger_read(const struct db_result *result, int row, int64_t i,
                      struct day_sample *ret)
{
    instant first = db_int_at(result, row, LEDGER_first);
    int64_t day = db_int_at(result, row, AT_day), days = spread_of(result, row);
    enum run_kind kind = (enum run_kind)db_int_at(result, row, AT_kind);

    if (days > DAYS_SPREAD_MAX)
        i += days - DAYS_SPREAD_MAX;
    if (i >= days)
        return false;
    if (db_int_at(result, row, LEDGER_pass) > 0 && kind == RUN_SLOT)
        kind = RUN_TRIGGER; /* written before rows had a kind */
    *ret = (struct day_sample){
        .subject = db_int_at(result, row, AT_schedule),
        .day = day_of(day, first) + i,
        .kind = day_kind_of(kind),
        .what = (int)day_count_of((enum outcome)db_int_at(result, row, AT_outcome)),
        .count = day_share(db_int_at(result, row, LEDGER_count), days, i),
        .late = DAY_NO_TIME,
        .took = DAY_NO_TIME,
    };
    return true;
}

void days_find(struct db *db, const struct day_key *key, struct db_result *ret)
{
    db_send(db, &find,
            (struct db_value[]){db_int(key->subject), db_int(key->day), db_int(key->node)},
            ret);
}

void days_put(struct db *db, const struct day_key *key, struct str body, int64_t maker,
              const struct days_mark *mark)
{
    struct db_value params[] = {db_int(key->subject), db_int(key->day),   db_int(key->node),
                                db_blob(body),        db_int(maker),      db_int(mark->counted),
                                db_int(mark->until),  db_int(mark->after)};

    db_send(db, &put, params, NULL);
}

void days_leave(struct db *db, int64_t schedule, int count, const struct counted_rows *done)
{
    db_send(db, &leave,
            (struct db_value[]){db_int(schedule), db_int(count), db_int(done->node),
                                db_int(done->until)},
            NULL);
}

void days_forget(struct db *db, int64_t maker, const struct days_range *range)
{
    db_send(db, &forget,
            (struct db_value[]){db_int(maker), db_int(range->after), db_int(range->until)},
            NULL);
}

void days_prune(struct db *db, int64_t subject, int64_t day)
{
    db_send(db, &prune, (struct db_value[]){db_int(subject), db_int(day)}, NULL);
}

static void send_query(struct db *db, const struct db_stmt *stmt, int64_t key,
                       const struct days_query *q, struct db_result *ret)
{
    db_send(db, stmt,
            (struct db_value[]){db_int(key), db_int(q->from), db_int(q->until),
                                db_int(q->limit), db_text(q->label)},
            ret);
}

void days_of(struct db *db, const struct days_query *query, struct db_result *ret)
{
    send_query(db, &of_subject, query->subject, query, ret);
}

void days_of_queues(struct db *db, const struct days_query *query, struct db_result *ret)
{
    send_query(db, &of_queues, query->namespace, query, ret);
}

void days_of_schedules(struct db *db, const struct days_query *query, struct db_result *ret)
{
    send_query(db, &of_schedules, query->namespace, query, ret);
}

void days_read(const struct db_result *result, int row, struct day_row *ret)
{
    *ret = (struct day_row){.subject = db_int_at(result, row, 0),
                            .day = db_int_at(result, row, 1),
                            .body = db_blob_at(result, row, 2),
                            .name = text_or_empty(result, row, 3)};
}

void days_uncounted(struct db *db, int64_t schedule, struct db_result *ret_history,
                    struct db_result *ret_ledger)
{
    struct db_value params[] = {db_int(schedule), db_int(DAYS_SCAN)};

    db_send(db, &history_of, params, ret_history);
    db_send(db, &ledger_of, params, ret_ledger);
}

void days_counted(struct db *db, struct db_result *ret)
{
    db_send(db, &counted, NULL, ret);
}
