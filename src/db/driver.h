/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What db.c and the two drivers share; nobody else includes it.
 *
 * db.c owns the queue, the state of the transaction and the table of statements.  A driver
 * opens, runs the queue in order, and closes.  Where the two databases differ is in struct
 * db_driver and nowhere else.
 */
#pragma once

#include "base/arena.h"
#include "db/db.h"
#include "db/sql.h"

enum { DB_SLOTS = 512 }; /* of the table of statements: a quarter stays free */

/* A statement that this connection has seen. */
struct db_cached {
    const struct db_stmt *stmt;   /* NULL: a free slot */
    void *handle;                 /* SQLite: the prepared statement, or NULL            */
    bool prepared;                /* PostgreSQL: the server has it, or is being told so */
    int count;                    /* of parameters                                      */
    uint8_t types[DB_PARAMS_MAX]; /* enum db_type of each, which may be NULL instead  */
    int index[DB_PARAMS_MAX];     /* SQLite: where $1, $2 … stand among its parameters  */
};

/* A statement that waits in the queue. */
struct db_entry {
    struct db_entry *next;
    struct db_cached *cached; /* NULL: `text` is run once */
    const char *text;
    bool commits;          /* when its reply is lost, the transaction may have happened */
    bool prepares;         /* PostgreSQL: it was sent with its text                     */
    struct db_result *ret; /* NULL: the rows need not be kept                         */
    struct db_result got;  /* filled by the driver, handed over when all went well    */
    struct db_value params[];
};

struct db {
    const struct db_driver *driver;
    struct arena *arena; /* holds this, and lives as long */
    struct arena *queue; /* entries and copies of their parameters */
    struct db_entry *first, *last;
    struct db_options options;    /* without zeros */
    const struct db_fault *fault; /* NULL while it is being opened */
    bool in_transaction;          /* begun by the caller; perhaps still in the queue       */
    bool failed;                  /* nothing runs until the transaction is over; see `why` */
    bool dead;                    /* set by a driver; failed for good                      */
    struct err why;
    size_t arena_before; /* what the caller's arena held when the flush began */
    struct db_counts counts;
    int statements;
    struct db_cached cache[DB_SLOTS];
};

struct db_driver {
    enum db_kind kind;
    size_t size; /* of the driver's struct, which begins with struct db */
    const char *words[SQL_TOKEN_COUNT];
    const char *(*library)(void); /* its version */
    const struct db_stmt *begin, *begin_read;
    const struct db_stmt *alone;  /* after begin, to be alone; NULL: begin is enough */
    const struct db_stmt *notify; /* NULL: there is nobody to notify                 */
    /* `url` without its scheme's name for SQLite, whole for PostgreSQL. */
    enum rc (*open)(struct db *db, const char *url, struct err *reterr);
    void (*close)(struct db *db); /* also after a failed open */
    enum rc (*run)(struct db *db, struct arena *arena, struct err *reterr);
    bool (*in_transaction)(const struct db *db); /* as the database sees it */
    enum rc (*checkpoint)(struct db *db, struct err *reterr);
    bool (*lend_wal)(struct db *db); /* NULL: there is no log of ours, in the next two, too */
    void (*take_log)(struct db *db, int pages);
    enum rc (*sweep)(struct db *db, int *ret_pages, struct err *reterr);
    enum rc (*ballast)(struct db *db, bool keep,
                       struct err *reterr); /* NULL: no disk of ours */
    enum rc (*poll_note)(struct db *db, struct db_note *ret, bool *ret_any, struct err *reterr);
    int (*socket)(const struct db *db);
};

extern const struct db_driver db_sqlite;
extern const struct db_driver db_postgres;

/* The statement's text with its tokens replaced; `sql` has room for DB_SQL_MAX bytes. */
const char *db_expand(const struct db *db, struct str text, char *sql);

/* RC_LIMIT when `size` more bytes would be more than a flush may bring. */
enum rc db_check_room(const struct db *db, const struct arena *arena, size_t size,
                      struct err *reterr);
enum rc db_check_rows(int rows, struct err *reterr);
