/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to a database, SQLite or PostgreSQL, with one small interface.
 *
 * Statements are queued by db_send() and run together, in order, by db_flush() or db_commit():
 * on PostgreSQL in one round trip, on SQLite in a loop.  Both fill in results only then.  The
 * first failure stops the rest; inside a transaction every later statement fails with the same
 * error until the transaction ends.
 *
 * Only the thread that opened a connection may use it.  Nothing here reads a clock or logs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "db/value.h"

enum {
    DB_PARAMS_MAX = 32,            /* no table is wider */
    DB_STATEMENTS_MAX = 384,       /* the store has some 150; each costs the server a plan */
    DB_SQL_MAX = 8192,             /* one statement with its tokens replaced */
    DB_ROWS_MAX = 16384,           /* of one result: four times the largest turn */
    DB_BYTES_MAX = 16 << 20,       /* of all results of one flush, in the caller's arena */
    DB_QUEUE_BYTES_MAX = 64 << 20, /* queued parameters: a turn of large specs */
    DB_DEADLINE_MS = 5000,         /* one round trip: half of a node's lease */
    DB_LOCK_MS = 250,              /* wait for a lock, then RC_BUSY */
    /* 16 MB of write-ahead log (WAL): quick to recover, rarely written back */
    DB_CHECKPOINT_PAGES = 4000,
    DB_NOTE_MAX = 128, /* a hint is at most the name of a queue */
};

enum db_kind { DB_SQLITE, DB_POSTGRES };

struct db; /* opaque */
struct db_hosts;

/*
 * For the simulator.  At each point, `ask` returns RC_OK, or RC_LOST or RC_UNKNOWN to break the
 * connection: uncommitted work is undone and the connection is dead.  The caller then gets
 * RC_LOST before a flush and on a read-only connection, RC_UNKNOWN after a commit, and before a
 * commit the code that `ask` returned.  A flush outside a transaction is a commit.  Opening and
 * rolling back have no point.
 */
enum db_point { DB_BEFORE_FLUSH, DB_BEFORE_COMMIT, DB_AFTER_COMMIT };
struct db_fault {
    enum rc (*ask)(void *arg, enum db_point point);
    void *arg;
};

struct db_options {
    bool readonly;       /* reads only, each transaction on one snapshot */
    bool any_filesystem; /* allow SQLite on a network file system, at the user's own risk */
    int deadline_ms;     /* 0: DB_DEADLINE_MS.  A longer read is RC_LIMIT */
    int lock_ms;         /* 0: DB_LOCK_MS */
    size_t bytes_max;    /* 0: DB_BYTES_MAX */
    int wal_pages;       /* a longer WAL is checkpointed; 0: DB_CHECKPOINT_PAGES */
    bool writes_back;    /* SQLite: only for db_write_back_wal() */
    const struct db_fault *fault; /* NULL: none; must outlive the connection */
    struct db_hosts *hosts;       /* NULL: the first host first; must outlive the connection */
};

/*
 * A statement is a constant: it is prepared once per connection and found again by its
 * address.  `params` has one letter for each of $1, $2 and so on: i, t or b for a 64-bit
 * integer, text or bytes; each may be NULL.  $n may be repeated and out of order.  Tokens:
 * {skip}, {clock}, {bytes}, and in DDL {int}, {text}, {blob}, {strict}, {keyed}: see db/sql.h.
 */
struct db_stmt {
    const char *sql;
    const char *params; /* NULL: none */
};

/*
 * "sqlite:FILE" (or "sqlite:FILE?vfs=NAME"), or "postgres://…" as libpq reads it.  At most one
 * connection that is not readonly may be open on a SQLite file (a named VFS guards its files
 * itself): the second gets RC_BUSY.  Connections with `writes_back` do not count.
 *
 * If a PostgreSQL URL has several hosts, each gets the same time (db/postgres_connect.h); a
 * writer accepts only one that is not read-only.
 */
enum rc db_open(const char *url, const struct db_options *options, struct db **ret,
                struct err *reterr);
struct db *db_close(struct db *db); /* accepts NULL, returns NULL */

enum db_kind db_kind(const struct db *db);
/* The version of the client library; valid until the next call. */
const char *db_library(enum db_kind kind);
/* True after RC_LOST, RC_UNKNOWN and RC_CORRUPT: the connection can only be closed. */
bool db_is_dead(const struct db *db);
/* Whether the transaction can continue: nothing in it has failed and nothing is queued. */
bool db_is_clean(const struct db *db);

/* Counts of a connection so far, for budgets in tests. */
struct db_counts {
    int64_t statements, flushes, commits; /* BEGIN and the like are not counted */
};
struct db_counts db_counts(const struct db *db);

/*
 * Queues a statement and copies the parameters.  `ret` must live until the next flush, commit
 * or rollback; NULL if neither rows nor count are needed.  Errors are reported by that flush.
 */
void db_send(struct db *db, const struct db_stmt *stmt, const struct db_value *params,
             struct db_result *ret);

/*
 * Runs the queue.  On failure no result is filled in.  Outside a transaction the queue is one
 * transaction.  Results live in `arena` (NULL if there are none).
 *
 * RC_CONFLICT (a unique key), RC_BUSY (a lock, a deadlock: it may succeed later), RC_LIMIT (a
 * full disk, or a limit of this file), RC_INVALID (the database rejects a statement or value),
 * RC_LOST (the connection), RC_UNKNOWN (the same while a commit was under way), RC_CORRUPT (the
 * file cannot be trusted: end the process and recover).
 */
enum rc db_flush(struct db *db, struct arena *arena, struct err *reterr);

void db_begin(struct db *db);
/* Begins a transaction that excludes all others begun this way, on all nodes. */
void db_begin_alone(struct db *db);
/* Flushes and commits.  The transaction has ended, also on failure. */
enum rc db_commit(struct db *db, struct arena *arena, struct err *reterr);
/* Drops the queue and ends the transaction, if any. */
void db_rollback(struct db *db);

/* Runs one text (tokens, no parameters) immediately; its rows are dropped. */
enum rc db_exec(struct db *db, struct str sql, struct err *reterr);

/* The server's clock, or INSTANT_NONE without a server. */
enum rc db_clock(struct db *db, instant *ret, struct err *reterr);

/*
 * Hints between nodes; a database without a server has none and returns RC_OK.  Channels are
 * lower-case letters and '_', payloads shorter than DB_NOTE_MAX.  Not in a transaction.
 */
struct db_note {
    char channel[DB_NOTE_MAX], payload[DB_NOTE_MAX]; /* longer ones are cut */
};
enum rc db_notify(struct db *db, const char *channel, struct str payload, struct err *reterr);
enum rc db_listen(struct db *db, const char *channel, struct err *reterr);
/* Returns the oldest hint; never waits. */
enum rc db_poll_note(struct db *db, struct db_note *ret, bool *ret_any, struct err *reterr);
/* Readable when a hint may have arrived; -1 without a socket. */
int db_socket(const struct db *db);
