/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of tables history, ledger and results.
 */
#include "store/history.h"

#include "store/key.h"
#include "store/sql_numbers.h"
#include "store/text.h"

enum { KIND_AT = 0, SOURCE_AT = 8, MADE_AT = 16, BYTE_MASK = 255 };

#define COLUMNS                                                                   \
    "id, schedule, slot, pass, attempt, fence, bits, outcome, reason, last, due," \
    " created_at, started_at, ended_at, expire_at, queue, node, worker, error, result"
#define SPENT ", namespace, tokens, cost"
/* The node that made a row: a part of its key, see store/key.h. */
#define MAKER  SQL_KEY_NODE("history.id")
#define LEDGER "id, schedule, pass, first, last, count, outcome, reason, written_at, expire_at"

#define VALUES                                                                              \
    "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19," \
    " $20, $21, $22, $23, "

static const struct db_stmt insert = {"INSERT INTO history (" COLUMNS SPENT
                                      ", input) VALUES (" VALUES "$24)",
                                      "iiiiiiiiiiiiiiiiitttiiit"};
/* Copies the input from the run's row, which still exists. */
static const struct db_stmt insert_moving = {"INSERT INTO history (" COLUMNS SPENT
                                             ", input) SELECT " VALUES
                                             "(SELECT input FROM runs WHERE id = $24)",
                                             "iiiiiiiiiiiiiiiiitttiiii"};
static const struct db_stmt marks = {
    "SELECT max(id), count(*) FROM (SELECT id FROM history WHERE id >= $1 ORDER BY id LIMIT $2)"
    " AS batch GROUP BY " SQL_KEY_NODE("id"),
    "ii"};
static const struct db_stmt input = {"SELECT input FROM history WHERE id = $1", "i"};
static const struct db_stmt of_schedule = {
    "SELECT " COLUMNS " FROM history WHERE schedule = $1 AND id < $2 ORDER BY id DESC"
    " LIMIT $3",
    "iii"};
static const struct db_stmt keep = {
    "DELETE FROM history WHERE schedule = $1 AND id <= (SELECT id FROM history"
    " WHERE schedule = $1 ORDER BY id DESC LIMIT 1 OFFSET $2) AND (" MAKER " = $3"
    " OR id <= coalesce((SELECT stats FROM nodes WHERE nodes.id = " MAKER "),"
    " " SQL_INSTANT_NEVER "))",
    "iii"};
static const struct db_stmt ledger_add = {"INSERT INTO ledger (" LEDGER
                                          ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
                                          " ON CONFLICT DO NOTHING",
                                          "iiiiiiiiii"};
static const struct db_stmt ledger_more = {
    "UPDATE ledger SET last = $2, count = count + $3, written_at = $4, expire_at = $5"
    " WHERE schedule = $1 AND pass = 0 AND outcome = $6 AND reason = $7 AND first ="
    " (SELECT max(first) FROM ledger WHERE schedule = $1 AND pass = 0)",
    "iiiiiii"};
/* Inserts unless the statement before updated its row; pruning may have deleted it. */
static const struct db_stmt ledger_else = {
    "INSERT INTO ledger (" LEDGER ") SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10"
    " WHERE NOT EXISTS (SELECT 1 FROM ledger WHERE schedule = $2 AND pass = $3 AND first ="
    " (SELECT max(first) FROM ledger WHERE schedule = $2 AND pass = $3) AND last = $5)",
    "iiiiiiiiii"};
static const struct db_stmt ledger_of = {
    "SELECT " LEDGER " FROM ledger WHERE schedule = $1 AND last >= $2 ORDER BY first, pass"
    " LIMIT $3",
    "iii"};
static const struct db_stmt put_result = {
    "INSERT INTO results (schedule, result, failure) VALUES ($1, $2, NULL)"
    " ON CONFLICT (schedule) DO UPDATE SET result = excluded.result, failure = NULL",
    "it"};
static const struct db_stmt put_failure = {
    "INSERT INTO results (schedule, result, failure) VALUES ($1, NULL, $2)"
    " ON CONFLICT (schedule) DO UPDATE SET failure = excluded.failure",
    "it"};
static const struct db_stmt get_result = {
    "SELECT result, failure FROM results WHERE schedule = $1", "i"};
static const struct db_stmt delete_result = {"DELETE FROM results WHERE schedule = $1", "i"};

/*
 * The key of the run minus the first key of the millisecond in which it was made.  Together
 * with created_at it gives the key, by which lists know the position that the run had while
 * open.
 */
static int64_t key_offset(const struct run *r)
{
    int64_t after = r->id - key_of(r->created_at);

    return after >= 0 && after < INT64_C(1) << (63 - MADE_AT) ? after : 0;
}

/* The input is stored with the last attempt only. */
void history_insert(struct db *db, const struct attempt_end *end)
{
    const struct run *r = end->run;
    bool is_moved = end->last && r->lacks_input;
    struct str given = end->last ? r->input : (struct str){NULL, 0};
    struct db_value params[] = {
        db_int(end->id),
        db_int(r->schedule),
        db_int(r->slot),
        db_int(r->pass),
        db_int(r->attempt),
        db_int(r->fence),
        db_int((int64_t)r->kind << KIND_AT | r->source << SOURCE_AT | key_offset(r) << MADE_AT),
        db_int((int64_t)end->outcome),
        db_int((int64_t)end->reason),
        db_int(end->last),
        db_int(r->due),
        db_int(r->created_at),
        db_int(r->attempt_at),
        db_int(end->ended_at),
        db_int(end->expire_at),
        db_int(r->queue),
        db_int(r->node),
        text_or_null(r->worker),
        text_or_null(end->error),
        text_or_null(end->result),
        db_int(end->namespace),
        db_int(end->tokens),
        db_int(end->cost),
        is_moved ? db_int(r->id) : text_or_null(given),
    };

    db_send(db, is_moved ? &insert_moving : &insert, params, NULL);
}

void history_input(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &input, (struct db_value[]){db_int(id)}, ret);
}

void history_marks(struct db *db, int64_t from, struct db_result *ret)
{
    db_send(db, &marks, (struct db_value[]){db_int(from), db_int(HISTORY_MARKS_SCAN)}, ret);
}

void history_of_schedule(struct db *db, int64_t schedule, int64_t before, int limit,
                         struct db_result *ret)
{
    db_send(db, &of_schedule,
            (struct db_value[]){db_int(schedule), db_int(before), db_int(limit)}, ret);
}

void history_read(const struct db_result *result, int row, struct history_row *ret)
{
    int64_t bits = db_int_at(result, row, 6);

    *ret = (struct history_row){
        .id = db_int_at(result, row, 0),
        .schedule = db_int_at(result, row, 1),
        .slot = db_int_at(result, row, 2),
        .pass = db_int_at(result, row, 3),
        .attempt = db_int_at(result, row, 4),
        .fence = db_int_at(result, row, 5),
        .kind = bits >> KIND_AT & BYTE_MASK,
        .source = bits >> SOURCE_AT & BYTE_MASK,
        .outcome = (enum outcome)db_int_at(result, row, 7),
        .reason = (enum reason)db_int_at(result, row, 8),
        .last = db_int_at(result, row, 9) != 0,
        .due = db_int_at(result, row, 10),
        .created_at = db_int_at(result, row, 11),
        .started_at = db_int_at(result, row, 12),
        .ended_at = db_int_at(result, row, 13),
        .expire_at = db_int_at(result, row, 14),
        .queue = db_int_at(result, row, 15),
        .node = db_int_at(result, row, 16),
        .worker = text_or_empty(result, row, 17),
        .error = text_or_empty(result, row, 18),
        .result = text_or_empty(result, row, 19),
    };
}

void history_keep(struct db *db, int64_t schedule, int count, int64_t node)
{
    db_send(db, &keep, (struct db_value[]){db_int(schedule), db_int(count), db_int(node)},
            NULL);
}

static void send_entry(struct db *db, const struct db_stmt *stmt,
                       const struct ledger_entry *entry)
{
    const struct account *a = &entry->account;
    struct db_value params[] = {
        db_int(entry->id),
        db_int(entry->schedule),
        db_int(entry->pass),
        db_int(a->first),
        db_int(a->last),
        db_int(a->count),
        db_int((int64_t)a->outcome),
        db_int((int64_t)a->reason),
        db_int(entry->written_at),
        db_int(entry->expire_at),
    };

    db_send(db, stmt, params, NULL);
}

void ledger_insert(struct db *db, const struct ledger_entry *entry)
{
    send_entry(db, &ledger_add, entry);
}

void ledger_extend(struct db *db, const struct ledger_entry *entry)
{
    struct db_value params[] = {
        db_int(entry->schedule),
        db_int(entry->account.last),
        db_int(entry->account.count),
        db_int(entry->written_at),
        db_int(entry->expire_at),
        db_int((int64_t)entry->account.outcome),
        db_int((int64_t)entry->account.reason),
    };

    db_send(db, &ledger_more, params, NULL);
    send_entry(db, &ledger_else, entry);
}

void ledger_of_schedule(struct db *db, int64_t schedule, instant from, int limit,
                        struct db_result *ret)
{
    db_send(db, &ledger_of, (struct db_value[]){db_int(schedule), db_int(from), db_int(limit)},
            ret);
}

void ledger_read(const struct db_result *result, int row, struct ledger_entry *ret)
{
    *ret = (struct ledger_entry){
        .id = db_int_at(result, row, 0),
        .schedule = db_int_at(result, row, 1),
        .pass = db_int_at(result, row, 2),
        .account = {.first = db_int_at(result, row, 3),
                    .last = db_int_at(result, row, 4),
                    .count = db_int_at(result, row, 5),
                    .outcome = (enum outcome)db_int_at(result, row, 6),
                    .reason = (enum reason)db_int_at(result, row, 7)},
        .written_at = db_int_at(result, row, 8),
        .expire_at = db_int_at(result, row, 9),
    };
}

void results_put(struct db *db, int64_t schedule, struct str result)
{
    db_send(db, &put_result, (struct db_value[]){db_int(schedule), text_or_null(result)}, NULL);
}

void results_fail(struct db *db, int64_t schedule, struct str failure)
{
    db_send(db, &put_failure, (struct db_value[]){db_int(schedule), text_or_null(failure)},
            NULL);
}

void results_get(struct db *db, int64_t schedule, struct db_result *ret)
{
    db_send(db, &get_result, (struct db_value[]){db_int(schedule)}, ret);
}

void results_delete(struct db *db, int64_t schedule)
{
    db_send(db, &delete_result, (struct db_value[]){db_int(schedule)}, NULL);
}
