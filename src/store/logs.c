/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements of table logs.  A packed line is its time (eight bytes), its stream (one), the
 * length of its text (four) and the text; numbers are little-endian.
 *
 * The body is the last column, so that pruning does not read bodies.
 */
#include "store/logs.h"

#include "base/unpack.h"
#include "store/columns.h"
#include "store/sql_numbers.h"
#include "store/tables.h"

enum { AT_BYTES = 8, LENGTH_BYTES = 4 };

#define COLUMNS SQL_NAMES(LOG_COLUMNS)
#define VALUES  SQL_PARAMS(LOG_HEAD) ", stored.total + $7, " SQL_PARAMS(LOG_TAIL)

static const struct db_stmt insert = {
    "INSERT INTO logs (" COLUMNS ") SELECT " VALUES
    " FROM (SELECT coalesce((SELECT total FROM logs WHERE schedule = $2 AND slot = $3"
    " AND pass = $4 ORDER BY total DESC LIMIT 1), 0) AS total) AS stored"
    " WHERE stored.total < " SQL_LOG_RUN_MAX,
    SQL_TYPES(LOG_COLUMNS)};
static const struct db_stmt of_run = {
    "SELECT " COLUMNS " FROM logs WHERE schedule = $1 AND slot = $2 AND pass = $3"
    " AND total > $4 ORDER BY total LIMIT $5",
    "iiiii"};
static const struct db_stmt batch_end = {
    "SELECT id FROM (SELECT id FROM logs WHERE id > $1 ORDER BY id LIMIT $2) AS batch"
    " ORDER BY id DESC LIMIT 1",
    "ii"};
static const struct db_stmt prune = {
    "DELETE FROM logs WHERE id > $1 AND id <= $2 AND expire_at <= $3", "iii"};

void log_line_pack(const struct log_line *line, struct buf *out)
{
    struct str text = str_head(line->text, LOGS_LINE_MAX);

    buf_le(out, (uint64_t)line->at, AT_BYTES);
    buf_char(out, (char)line->stream);
    buf_le(out, text.len, LENGTH_BYTES);
    buf_str(out, text);
}

enum rc log_line_unpack(struct str *bytes, struct log_line *ret, bool *ret_any,
                        struct err *reterr)
{
    struct unpack in = {.left = *bytes};
    struct log_line line;
    size_t len;

    if (bytes->len == 0) {
        *ret_any = false;
        return RC_OK;
    }
    if (bytes->len < LOG_LINE_HEAD)
        return err_set(reterr, RC_CORRUPT, -1, 0, "truncated log line");
    line.at = (instant)unpack_le(&in, AT_BYTES);
    line.stream = (enum log_stream)unpack_le(&in, 1);
    len = (size_t)unpack_le(&in, LENGTH_BYTES);
    line.text = unpack_bytes(&in, len);
    if (line.stream >= LOG_STREAM_COUNT || len > LOGS_LINE_MAX || in.is_bad)
        return err_set(reterr, RC_CORRUPT, -1, 0, "damaged log line");
    *bytes = in.left;
    *ret = line;
    *ret_any = true;
    return RC_OK;
}

void logs_insert(struct db *db, const struct log_part *from, struct db_result *ret)
{
    struct db_value params[] = {ROW_VALUES(LOG_HEAD), db_int((int64_t)from->body.len),
                                ROW_VALUES(LOG_TAIL)};

    db_send(db, &insert, params, ret);
}

void logs_of_run(struct db *db, const struct log_part *run, int64_t after, int limit,
                 struct db_result *ret)
{
    struct db_value params[] = {
        db_int(run->schedule), db_int(run->slot), db_int(run->pass),
        db_int(after),         db_int(limit),
    };

    db_send(db, &of_run, params, ret);
}

void logs_read(const struct db_result *result, int row, struct log_part *ret)
{
    *ret = (struct log_part){ROW_MEMBERS(LOG_COLUMNS)};
}

void prune_logs(struct db *db, int64_t after, int64_t until, instant now, struct db_result *ret)
{
    db_send(db, &prune, (struct db_value[]){db_int(after), db_int(until), db_int(now)}, ret);
}

void prune_logs_batch_end(struct db *db, int64_t after, int limit, struct db_result *ret)
{
    db_send(db, &batch_end, (struct db_value[]){db_int(after), db_int(limit)}, ret);
}
