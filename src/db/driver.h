/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by db.c and the two drivers only.
 *
 * db.c owns the queue, the state of the transaction and the table of statements.  A driver
 * opens, runs the queue in order, and closes.  All differences between the two databases are in
 * struct db_driver, except db_backup().
 */
#pragma once

#include "base/arena.h"
#include "db/db.h"
#include "db/sql.h"

enum { DB_SLOTS = 512 }; /* of the table of statements: a quarter stays free */

/* A statement that this connection has used. */
struct db_cached {
    const struct db_stmt *stmt;   /* NULL: a free slot */
    void *handle;                 /* SQLite: the prepared statement, or NULL */
    bool prepared;                /* PostgreSQL: the server has it, or it is being sent */
    int count;                    /* of parameters */
    uint8_t types[DB_PARAMS_MAX]; /* enum db_type of each, which may be NULL instead */
    int index[DB_PARAMS_MAX];     /* SQLite: positions of $1, $2 … among its parameters */
};

/* A queued statement. */
struct db_entry {
    struct db_entry *next;
    struct db_cached *cached; /* NULL: `text` is run once */
    const char *text;
    bool commits;          /* if its reply is lost, the transaction may have been committed */
    bool prepares;         /* PostgreSQL: it was sent with its text */
    struct db_result *ret; /* NULL: rows are not kept */
    struct db_result got;  /* filled by the driver, copied to `ret` if all succeeded */
    struct db_value params[];
};

struct db {
    const struct db_driver *driver;
    struct arena *arena; /* contains this struct */
    struct arena *queue; /* entries and copies of their parameters */
    struct db_entry *first, *last;
    struct db_options options;    /* with defaults filled in */
    int host;                     /* of the URL, to connect to */
    const struct db_fault *fault; /* NULL while the connection is being opened */
    bool in_transaction;          /* begun by the caller; BEGIN may still be queued */
    bool failed;                  /* nothing runs until the transaction ends; see `why` */
    bool dead;                    /* `failed` is then permanent */
    struct err why;
    size_t arena_before; /* arena_used() of the caller's arena when the flush began */
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
    const struct db_stmt
        *alone; /* for db_begin_alone(), sent after begin; NULL: begin suffices */
    const struct db_stmt *notify; /* NULL: there are no other nodes */
    /* `url` without the scheme for SQLite, complete for PostgreSQL. */
    enum rc (*hosts)(const char *url, int *ret_count, struct err *reterr); /* NULL: no hosts */
    void (*host_name)(const char *url, int host, char *ret);
    enum rc (*open)(struct db *db, const char *url, struct err *reterr);
    void (*close)(struct db *db); /* also after a failed open */
    enum rc (*run)(struct db *db, struct arena *arena, struct err *reterr);
    bool (*in_transaction)(const struct db *db); /* as the database sees it */
    enum rc (*checkpoint)(struct db *db, struct err *reterr);
    bool (*lend_wal)(struct db *db); /* NULL: no local WAL; likewise for the next two */
    void (*take_wal)(struct db *db, int pages);
    enum rc (*write_back_wal)(struct db *db, int *ret_pages, struct err *reterr);
    enum rc (*ballast)(struct db *db, bool keep, struct err *reterr); /* NULL: no local disk */
    enum rc (*check_file)(struct db *db, struct err *reterr);         /* NULL: no file       */
    enum rc (*poll_note)(struct db *db, struct db_note *ret, bool *ret_any, struct err *reterr);
    int (*socket)(const struct db *db);
};

extern const struct db_driver db_sqlite;
extern const struct db_driver db_postgres;

/* The statement's text with its tokens replaced; `sql` has room for DB_SQL_MAX bytes. */
const char *db_expand(const struct db *db, struct str text, char *sql);

/* RC_LIMIT if `size` more bytes would exceed the limit of a flush. */
enum rc db_check_room(const struct db *db, const struct arena *arena, size_t size,
                      struct err *reterr);
enum rc db_check_rows(int rows, struct err *reterr);
