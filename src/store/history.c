/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of tables history, ledger and results.
 */
#include "store/history.h"

#include "store/columns.h"
#include "store/key.h"
#include "store/sql_numbers.h"
#include "store/tables.h"

enum { KIND_AT = 0, SOURCE_AT = 8, KEY_OFFSET_AT = 16, BYTE_MASK = 255 };

/* A list of history names the members of struct attempt_end; a reader's are the columns. */
#define MEMBER(n, column, ...)           MEMBER_OF(n - 1, column, __VA_ARGS__, )
#define MEMBER_OF(at, column, kind, ...) READ_##kind(at, column)

enum { ROW_POSITIONS(HISTORY_COLUMNS) };

#define COLUMNS SQL_NAMES(HISTORY_COLUMNS)
#define WRITTEN SQL_NAMES(HISTORY_WRITTEN)
#define VALUES  SQL_PARAMS(HISTORY_WRITTEN)
#define LEDGER  SQL_NAMES(LEDGER_COLUMNS)
#define ENTRY   SQL_PARAMS(LEDGER_COLUMNS)
/* The node that made a row: a part of its key, see store/key.h. */
#define MAKER SQL_KEY_NODE("history.id")

static const struct db_stmt insert = {"INSERT INTO history (" WRITTEN ", input) VALUES (" VALUES
                                      ", $25)",
                                      SQL_TYPES(HISTORY_WRITTEN) "t"};
/* Copies the input from the run's row, which still exists. */
static const struct db_stmt insert_copying_input = {"INSERT INTO history (" WRITTEN
                                                    ", input) SELECT " VALUES
                                                    ", (SELECT input FROM runs WHERE id = $25)",
                                                    SQL_TYPES(HISTORY_WRITTEN) "i"};
static const struct db_stmt last_keys = {
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
    " OR id <= coalesce((SELECT CASE WHEN stats < days THEN stats"
    " ELSE days END FROM nodes WHERE nodes.id = " MAKER "), " SQL_INSTANT_NEVER "))",
    "iii"};
static const struct db_stmt ledger_add = {
    SQL_INSERT("ledger", LEDGER_COLUMNS) " ON CONFLICT DO NOTHING", SQL_TYPES(LEDGER_COLUMNS)};
static const struct db_stmt ledger_more = {
    "UPDATE ledger SET last = $2, count = count + $3, written_at = $4, expire_at = $5"
    " WHERE schedule = $1 AND pass = 0 AND outcome = $6 AND reason = $7 AND day = $8"
    " AND days = 1 AND id > $9 AND " SQL_KEY_NODE(
        "id") " = $10 AND first ="
              " (SELECT max(first) FROM ledger WHERE schedule = $1 AND pass = 0)",
    "iiiiiiiiii"};
/* Inserts unless the statement before updated its row; pruning may have deleted it. */
static const struct db_stmt ledger_else = {
    "INSERT INTO ledger (" LEDGER ") SELECT " ENTRY
    " WHERE NOT EXISTS (SELECT 1 FROM ledger WHERE schedule = $2 AND pass = $3 AND first ="
    " (SELECT max(first) FROM ledger WHERE schedule = $2 AND pass = $3) AND last = $5)",
    SQL_TYPES(LEDGER_COLUMNS)};
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
 * The key of the run minus the first key of the millisecond of created_at.  From both, lists
 * compute the key again, and with it the position that the run had while it was open.
 */
static int64_t key_offset(const struct run *r)
{
    int64_t after = r->id - key_of(r->created_at);

    return after >= 0 && after < INT64_C(1) << (63 - KEY_OFFSET_AT) ? after : 0;
}

static int64_t pack_bits(const struct attempt_end *end)
{
    const struct run *r = end->run;

    return (int64_t)r->kind << KIND_AT | r->source << SOURCE_AT |
           key_offset(r) << KEY_OFFSET_AT;
}

/* The input is stored with the last attempt only. */
void history_insert(struct db *db, const struct attempt_end *from)
{
    const struct run *r = from->run;
    bool copies_input = from->last && r->lacks_input;
    struct str given = from->last ? r->input : (struct str){NULL, 0};
    struct db_value params[] = {ROW_VALUES(HISTORY_WRITTEN),
                                copies_input ? db_int(r->id) : text_or_null(given)};

    db_send(db, copies_input ? &insert_copying_input : &insert, params, NULL);
}

void history_input(struct db *db, int64_t id, struct db_result *ret)
{
    db_send(db, &input, (struct db_value[]){db_int(id)}, ret);
}

void history_last_keys(struct db *db, int64_t from, struct db_result *ret)
{
    db_send(db, &last_keys, (struct db_value[]){db_int(from), db_int(HISTORY_LAST_KEYS_SCAN)},
            ret);
}

void history_of_schedule(struct db *db, int64_t schedule, int64_t before, int limit,
                         struct db_result *ret)
{
    db_send(db, &of_schedule,
            (struct db_value[]){db_int(schedule), db_int(before), db_int(limit)}, ret);
}

void history_read(const struct db_result *result, int row, struct history_row *ret)
{
    int64_t bits = db_int_at(result, row, AT_bits);

    *ret = (struct history_row){.kind = bits >> KIND_AT & BYTE_MASK,
                                .source = bits >> SOURCE_AT & BYTE_MASK,
                                HISTORY_COLUMNS(MEMBER, MEMBER)};
}

void history_keep(struct db *db, int64_t schedule, int count, int64_t node)
{
    db_send(db, &keep, (struct db_value[]){db_int(schedule), db_int(count), db_int(node)},
            NULL);
}

static void send_entry(struct db *db, const struct db_stmt *stmt,
                       const struct ledger_entry *from)
{
    struct db_value params[] = {ROW_VALUES(LEDGER_COLUMNS)};

    db_send(db, stmt, params, NULL);
}

void ledger_insert(struct db *db, const struct ledger_entry *entry)
{
    send_entry(db, &ledger_add, entry);
}

void ledger_extend(struct db *db, const struct ledger_entry *entry, int64_t after)
{
    struct db_value params[] = {
        db_int(entry->schedule),
        db_int(entry->account.last),
        db_int(entry->account.count),
        db_int(entry->written_at),
        db_int(entry->expire_at),
        db_int((int64_t)entry->account.outcome),
        db_int((int64_t)entry->account.reason),
        db_int(entry->day),
        db_int(after),
        db_int(key_node(entry->id)),
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
    *ret = (struct ledger_entry){ROW_MEMBERS(LEDGER_COLUMNS)};
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
