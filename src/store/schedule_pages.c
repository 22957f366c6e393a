/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements for pages of schedules.
 */
#include "store/schedule_pages.h"

#include "store/key_list.h"
#include "store/view_columns.h"

/* Sorts after every name: 1 KiB of the last character, U+10FFFF; a name is shorter. */
#define LAST_4    "\xF4\x8F\xBF\xBF"
#define LAST_16   LAST_4 LAST_4 LAST_4 LAST_4
#define LAST_64   LAST_16 LAST_16 LAST_16 LAST_16
#define LAST_256  LAST_64 LAST_64 LAST_64 LAST_64
#define LAST_1024 LAST_256 LAST_256 LAST_256 LAST_256

#define LIVE "s.namespace = $1 AND s.deleted_at = 0"

/* The condition of the partial index schedules_changed. */
#define CHANGED " AND s.updated_at >= 0"

/* The last of `limit` keys after `after`; keys are in order of creation. */
#define END_UP(after, limit)                                                                 \
    "SELECT id FROM (SELECT id FROM schedules WHERE id > " after " ORDER BY id LIMIT " limit \
    ") AS batch ORDER BY id DESC LIMIT 1"
#define END_DOWN(before, limit)                                   \
    "SELECT id FROM (SELECT id FROM schedules WHERE id < " before \
    " ORDER BY id DESC LIMIT " limit ") AS batch ORDER BY id LIMIT 1"

static const struct db_stmt name_up = {
    "SELECT " SCHEDULE SCHEDULE_FROM LIVE " AND s.name > $2 ORDER BY s.name LIMIT $3", "iti"};
static const struct db_stmt name_down = {"SELECT " SCHEDULE SCHEDULE_FROM LIVE
                                         " AND s.name < $2 ORDER BY s.name DESC LIMIT $3",
                                         "iti"};
static const struct db_stmt created_up = {
    "SELECT " SCHEDULE SCHEDULE_FROM LIVE
    " AND s.id > $2 AND s.id <= (" END_UP("$2", "$3") ") ORDER BY s.id",
    "iii"};
static const struct db_stmt created_down = {
    "SELECT " SCHEDULE SCHEDULE_FROM LIVE
    " AND s.id < $2 AND s.id >= (" END_DOWN("$2", "$3") ") ORDER BY s.id DESC",
    "iii"};
static const struct db_stmt updated_up = {
    "SELECT " SCHEDULE SCHEDULE_FROM LIVE CHANGED
    " AND (s.updated_at, s.id) > ($2, $3) ORDER BY s.updated_at, s.id LIMIT $4",
    "iiii"};
static const struct db_stmt updated_down = {
    "SELECT " SCHEDULE SCHEDULE_FROM LIVE CHANGED
    " AND (s.updated_at, s.id) < ($2, $3) ORDER BY s.updated_at DESC, s.id DESC LIMIT $4",
    "iiii"};
/* Flags are the low bits. */
static const struct db_stmt counted = {
    "SELECT count(*)" SCHEDULE_FROM LIVE " AND s.dialect = $2 AND (c.bits & $3) = 0", "iii"};
/* Not `= 0`: see schedule_get in store/views.c. */
static const struct db_stmt by_keys = {"SELECT " SCHEDULE SCHEDULE_FROM "s.id IN " SQL_KEYS_32
                                       " AND s.deleted_at < 1",
                                       SQL_KEYS_32_TYPES};
static const struct db_stmt end_up = {END_UP("$1", "$2"), "ii"};
static const struct db_stmt end_down = {END_DOWN("$1", "$2"), "ii"};

struct schedule_position schedule_position_begin(bool is_descending)
{
    if (is_descending)
        return (struct schedule_position){STR(LAST_1024), INSTANT_NEVER, INT64_MAX};
    return (struct schedule_position){STR(""), INSTANT_NONE, 0};
}

void schedule_pages_read(struct db *db, const struct schedule_batch *p, struct db_result *ret)
{
    struct db_value owner = db_int(p->namespace), id = db_int(p->after.id);
    struct db_value most = db_int(p->limit);

    if (p->order == ORDER_NAME)
        db_send(db, p->is_descending ? &name_down : &name_up,
                (struct db_value[]){owner, db_text(p->after.name), most}, ret);
    else if (p->order == ORDER_CREATED)
        db_send(db, p->is_descending ? &created_down : &created_up,
                (struct db_value[]){owner, id, most}, ret);
    else
        db_send(db, p->is_descending ? &updated_down : &updated_up,
                (struct db_value[]){owner, db_int(p->after.at), id, most}, ret);
}

void schedule_pages_end(struct db *db, const struct schedule_batch *p, struct db_result *ret)
{
    db_send(db, p->is_descending ? &end_down : &end_up,
            (struct db_value[]){db_int(p->after.id), db_int(p->limit)}, ret);
}

void schedule_pages_count(struct db *db, int64_t namespace, int64_t dialect, int64_t flags,
                          struct db_result *ret)
{
    db_send(db, &counted,
            (struct db_value[]){db_int(namespace), db_int(dialect), db_int(flags)}, ret);
}

void schedule_pages_keys(struct db *db, const int64_t *keys, int count, struct db_result *ret)
{
    struct db_value params[SCHEDULE_KEYS_MAX];

    key_list_set(params, SCHEDULE_KEYS_MAX, keys, count);
    db_send(db, &by_keys, params, ret);
}
