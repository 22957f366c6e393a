/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of SQLite's driver, the only ones in src/ that include sqlite3.h. */
#pragma once

#include <sqlite3.h>

#include "db/deadline.h"
#include "db/disk.h"
#include "db/driver.h"

struct sqlite {
    struct db db; /* first: a struct db is cast to this */
    sqlite3 *handle;
    struct sqlite_wal *log;   /* of a writer */
    int lock;                 /* -1: none */
    struct deadline deadline; /* of readers */
    int log_pages;            /* in the write-ahead log */
    int log_done;             /* of them, copied back */
    int log_waited;           /* their number when the writer last waited for readers */
    int log_swept;            /* no page after these is copied: see wal_writeback.c */
    int sweeps;               /* since the last checkpoint */
    bool is_lent;             /* the log is lent to a connection that sweeps */
};

/* Reports the connection's last error; the connection may be dead then. */
enum rc sqlite_refuse(struct sqlite *sq, struct err *reterr);

/* sqlite.c */
bool sqlite_wal_is_long(const struct db *db);

/* wal_writeback.c, see db/disk.h */
bool sqlite_lend_wal(struct db *db);
void sqlite_take_wal(struct db *db, int pages);
enum rc wal_writeback(struct db *db, int *ret_pages, struct err *reterr);
