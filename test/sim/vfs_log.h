/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log of numbered transactions, in two tables, that shows afterwards which of them the
 * database has.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "db/db.h"

enum { BLOB_MAX = 3000, DAMAGED = -1 };

static const struct db_stmt add_entry = {"INSERT INTO log (tx, i, b) VALUES ($1, $2, $3)",
                                         "iib"};
static const struct db_stmt set_last = {"UPDATE last SET tx = $1", "i"};
static const struct db_stmt get_log = {"SELECT tx, i, b FROM log ORDER BY tx, i", NULL};
static const struct db_stmt get_last = {"SELECT tx FROM last", NULL};
static const struct db_stmt check = {"SELECT integrity_check FROM pragma_integrity_check",
                                     NULL};

/* All NOT NULL, because SQLite's integrity check tests that. */
static inline enum rc make_tables(struct db *db, struct err *err)
{
    static const char *const sql[] = {
        "CREATE TABLE IF NOT EXISTS last (tx {int} NOT NULL, opened {int} NOT NULL){strict}",
        "INSERT INTO last SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM last)",
    };
    enum rc rc;

    db_begin(db);
    rc = db_exec(db,
                 STR("CREATE TABLE IF NOT EXISTS log (tx {int} NOT NULL, i {int} NOT NULL,"
                     " b {blob} NOT NULL, PRIMARY KEY (tx, i)){strict}"),
                 err);
    for (int i = 0; i < 2 && rc == RC_OK; i++)
        rc = db_exec(db, str_of(sql[i]), err);
    if (rc == RC_OK)
        return db_commit(db, NULL, err);
    db_rollback(db);
    return rc;
}

static inline int rows_of(int64_t tx)
{
    return 1 + (int)(tx % 5);
}

/* The content of row `i` of a transaction; `room` has BLOB_MAX bytes. */
static inline struct str bytes_of(int64_t tx, int i, char *room)
{
    memset(room, (int)(tx * 5 + i), BLOB_MAX);
    return (struct str){room, (size_t)((tx * 997 + i * 101) % BLOB_MAX)};
}

/* Sends all of a transaction except its commit. */
static inline void send_transaction(struct db *db, int64_t tx)
{
    char room[BLOB_MAX];

    for (int i = 0; i < rows_of(tx); i++)
        db_send(db, &add_entry,
                (struct db_value[]){db_int(tx), db_int(i), db_blob(bytes_of(tx, i, room))},
                NULL);
    db_send(db, &set_last, (struct db_value[]){db_int(tx)}, NULL);
}

static inline enum rc commit_transaction(struct db *db, int64_t tx, struct err *err)
{
    db_begin(db);
    send_transaction(db, tx);
    return db_commit(db, NULL, err);
}

/* Whether these are the first `last` transactions and nothing else. */
static inline bool is_whole(const struct db_result *log, int64_t last)
{
    char room[BLOB_MAX];
    int row = 0;

    for (int64_t tx = 1; tx <= last; tx++)
        for (int i = 0; i < rows_of(tx); i++, row++)
            if (row >= log->rows || db_int_at(log, row, 0) != tx ||
                db_int_at(log, row, 1) != i ||
                !str_eq(db_at(log, row, 2)->bytes, bytes_of(tx, i, room)))
                return false;
    return row == log->rows;
}

/*
 * The number of transactions if they are the first n, each complete, in a database that SQLite
 * finds intact; otherwise DAMAGED.
 */
static inline int64_t count_transactions(struct db *db, struct arena *arena)
{
    struct db_result log, last, verdict;
    struct err err;

    arena_reset(arena);
    db_send(db, &check, NULL, &verdict);
    if (db_flush(db, arena, &err) != RC_OK || !str_eq(db_text_at(&verdict, 0, 0), STR("ok")))
        return DAMAGED;
    db_send(db, &get_log, NULL, &log);
    db_send(db, &get_last, NULL, &last);
    if (db_flush(db, arena, &err) != RC_OK || last.rows != 1 ||
        !is_whole(&log, db_int_at(&last, 0, 0)))
        return DAMAGED;
    return db_int_at(&last, 0, 0);
}
