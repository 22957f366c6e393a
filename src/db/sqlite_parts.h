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
    struct sqlite_wal *wal;   /* of a writer */
    int lock;                 /* -1: none */
    int inode_lock;           /* of sqlite_lock.h; -1: none */
    struct deadline deadline; /* of readers */
    int wal_pages;            /* in the write-ahead log */
    int wal_copied;           /* of them, copied to the database */
    int wal_waited;           /* their number when the writer last waited for readers */
    int wal_copied_max;       /* pages that may be copied, by any connection */
    int writebacks;           /* since the last checkpoint */
    bool is_lent;             /* to the connection that writes it back */
};

/* Reports the connection's last error; the connection may be dead then. */
enum rc sqlite_set_error(struct sqlite *sq, struct err *reterr);

/* sqlite.c */
bool sqlite_wal_is_long(const struct db *db);

/* wal_writeback.c, see db/disk.h */
bool sqlite_lend_wal(struct db *db);
void sqlite_take_wal(struct db *db, int pages);
enum rc sqlite_write_back_wal(struct db *db, int *ret_pages, struct err *reterr);
