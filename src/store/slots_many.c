/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each statement searches an index once per schedule.
 */
#include "store/slots_many.h"

#include "store/key.h"
#include "store/key_list.h"
#include "store/sql_numbers.h"

enum { AT_RUN = 3 }; /* columns before those of the run */

#define OPEN                                                                  \
    "SELECT schedule, pass, " SQL_RUN_KIND("bits") ", slot, due, started_at," \
                                                   " attempt, state, attempt_at FROM runs"
#define ENDED                                                                                  \
    "SELECT schedule, pass, " SQL_RUN_KIND("bits") ", slot, due, started_at,"                  \
                                                   " ended_at, attempt, outcome, reason, last" \
                                                   " FROM history"

static const struct db_stmt open_runs = {OPEN " WHERE schedule IN " SQL_KEYS_24
                                              " AND slot >= $25 AND slot < $26 AND pass >= 0"
                                              " LIMIT $27",
                                         SQL_KEYS_24_TYPES "iii"};
static const struct db_stmt ended = {ENDED " WHERE schedule IN " SQL_KEYS_24
                                           " AND id >= $25 AND id < $26 LIMIT $27",
                                     SQL_KEYS_24_TYPES "iii"};
static const struct db_stmt ended_first = {
    ENDED " WHERE schedule = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4", "iiii"};
static const struct db_stmt ended_last = {
    ENDED " WHERE schedule = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT $4", "iiii"};
/* From the range on that contains $25, which began before. */
static const struct db_stmt ranges = {
    "SELECT l.schedule, l.first, l.last, l.count, l.outcome, l.reason FROM cursors AS c"
    " JOIN ledger AS l ON l.schedule = c.id AND l.pass = 0 AND l.first >= coalesce((SELECT"
    " max(first) FROM ledger WHERE schedule = c.id AND pass = 0 AND first <= $25), $25)"
    " AND l.first < $26 WHERE c.id IN " SQL_KEYS_24 " LIMIT $27",
    SQL_KEYS_24_TYPES "iii"};

/* `from` and `until` are nominal times or keys. */
static void send_many(struct db *db, const struct db_stmt *stmt, const struct slots_many *query,
                      const int64_t range[2], struct db_result *ret)
{
    struct db_value params[SLOTS_MANY_KEYS + 3];

    key_list_set(params, SLOTS_MANY_KEYS, query->schedules, query->count);
    params[SLOTS_MANY_KEYS] = db_int(range[0]);
    params[SLOTS_MANY_KEYS + 1] = db_int(range[1]);
    params[SLOTS_MANY_KEYS + 2] = db_int(query->limit);
    db_send(db, stmt, params, ret);
}

void slots_many_open(struct db *db, const struct slots_many *query, struct db_result *ret)
{
    send_many(db, &open_runs, query, (int64_t[]){query->from, query->until}, ret);
}

void slots_many_ended(struct db *db, const struct slots_many *query, struct db_result *ret)
{
    send_many(db, &ended, query, (int64_t[]){key_of(query->from), key_of(query->until)}, ret);
}

void slots_many_ended_of(struct db *db, const struct slots_many *query, enum slots_end end,
                         struct db_result *ret)
{
    db_send(db, end == SLOTS_FIRST ? &ended_first : &ended_last,
            (struct db_value[]){db_int(query->schedules[0]), db_int(key_of(query->from)),
                                db_int(key_of(query->until)), db_int(query->limit)},
            ret);
}

void slots_many_ranges(struct db *db, const struct slots_many *query, struct db_result *ret)
{
    send_many(db, &ranges, query, (int64_t[]){query->from, query->until}, ret);
}

static struct slot_attempt read_head(const struct db_result *result, int row)
{
    return (struct slot_attempt){
        .schedule = db_int_at(result, row, 0),
        .pass = db_int_at(result, row, 1),
        .kind = (enum run_kind)db_int_at(result, row, 2),
        .run = {.slot = db_int_at(result, row, AT_RUN),
                .due = db_int_at(result, row, AT_RUN + 1),
                .started_at = db_int_at(result, row, AT_RUN + 2)},
    };
}

void slots_many_open_read(const struct db_result *result, int row, struct slot_attempt *ret)
{
    *ret = read_head(result, row);
    ret->is_open = true;
    ret->run.ended_at = INSTANT_NONE;
    ret->run.attempt = db_int_at(result, row, AT_RUN + 3);
    ret->run.state = (enum run_state)db_int_at(result, row, AT_RUN + 4);
    ret->attempt_at = db_int_at(result, row, AT_RUN + 5);
}

void slots_many_ended_read(const struct db_result *result, int row, struct slot_attempt *ret)
{
    *ret = read_head(result, row);
    ret->run.ended_at = db_int_at(result, row, AT_RUN + 3);
    ret->run.attempt = db_int_at(result, row, AT_RUN + 4);
    ret->run.state = RUN_ENDED;
    ret->run.outcome = (enum outcome)db_int_at(result, row, AT_RUN + 5);
    ret->run.reason = (enum reason)db_int_at(result, row, AT_RUN + 6);
    ret->is_last = db_int_at(result, row, AT_RUN + 7) == 1;
    ret->attempt_at = ret->run.started_at;
}

int64_t slots_many_ranges_read(const struct db_result *result, int row, struct account *ret)
{
    *ret = (struct account){
        .first = db_int_at(result, row, 1),
        .last = db_int_at(result, row, 2),
        .count = db_int_at(result, row, 3),
        .outcome = (enum outcome)db_int_at(result, row, 4),
        .reason = (enum reason)db_int_at(result, row, 5),
    };
    return db_int_at(result, row, 0);
}
