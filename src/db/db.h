/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to a database, SQLite or PostgreSQL, behind one small interface.
 *
 * Statements are queued by db_send() and run together, in order, by db_flush() or
 * db_commit(): on PostgreSQL one round trip, on SQLite a loop.  Results are filled then and
 * not before, on both.  The first failure stops the rest; inside a transaction everything
 * that follows fails alike until the transaction is over.
 *
 * A connection belongs to the thread that opened it.  Nothing here reads a clock or logs.
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
    DB_PARAMS_MAX = 32,            /* no table is wider                                    */
    DB_STATEMENTS_MAX = 384,       /* the store has some 150; each costs the server a plan */
    DB_SQL_MAX = 8192,             /* one statement with its tokens replaced               */
    DB_ROWS_MAX = 16384,           /* of one result: four times the largest turn           */
    DB_BYTES_MAX = 16 << 20,       /* of all results of one flush, in the caller's arena   */
    DB_QUEUE_BYTES_MAX = 64 << 20, /* parameters that wait: a turn of large specs          */
    DB_DEADLINE_MS = 5000,         /* one round trip: half of a node's lease               */
    DB_LOCK_MS = 250,              /* waiting for a lock, then RC_BUSY                     */
    DB_CHECKPOINT_PAGES = 4000,    /* 16 MB of log: quick to recover, seldom to write back */
    DB_NOTE_MAX = 128,             /* a hint is a queue's name at most                     */
};

enum db_kind { DB_SQLITE, DB_POSTGRES };

struct db; /* opaque */

/*
 * For the simulator, which is asked whether the connection breaks at a point: RC_OK, RC_LOST
 * or RC_UNKNOWN.  When it does, what is not committed is undone and the connection is dead;
 * the caller gets RC_UNKNOWN after a commit, RC_LOST where none is on its way, or else what
 * was answered.  To open and to roll back are no points; a flush may be a commit.
 */
enum db_point { DB_BEFORE_FLUSH, DB_BEFORE_COMMIT, DB_AFTER_COMMIT };
struct db_fault {
    enum rc (*ask)(void *arg, enum db_point point);
    void *arg;
};

struct db_options {
    bool readonly;       /* reads only, each transaction on one snapshot              */
    bool any_filesystem; /* SQLite on a network file system: the owner vouches for it */
    int deadline_ms;     /* 0: DB_DEADLINE_MS.  A read beyond it is RC_LIMIT          */
    int lock_ms;         /* 0: DB_LOCK_MS                                             */
    size_t bytes_max;    /* 0: DB_BYTES_MAX                                           */
    int log_pages;       /* 0: DB_CHECKPOINT_PAGES                                    */
    bool sweeps;         /* SQLite, for db_sweep() and nothing else                   */
    const struct db_fault *fault; /* NULL: none; must outlive the connection          */
};

/*
 * A statement is a constant: it is prepared once per connection and found again by its
 * address.  `params` has one letter for each of $1, $2 and so on: i, t or b for a 64-bit
 * integer, text or bytes; each may be NULL.  $n may be repeated and out of order.  Tokens:
 * {skip} after a SELECT, {clock} for the server's time in microseconds (NULL when there is
 * no server), {bytes} for the database's size; in DDL {int} {text} {blob} {strict} {keyed}.
 */
struct db_stmt {
    const char *sql;
    const char *params; /* NULL: none */
};

/*
 * "sqlite:FILE" (or "sqlite:FILE?vfs=NAME"), or "postgres://…" as libpq reads it.  One
 * connection at most may be open on a SQLite file that is not readonly (a named VFS guards
 * its files itself): the second gets RC_BUSY.  One that sweeps does not count.
 */
enum rc db_open(const char *url, const struct db_options *options, struct db **ret,
                struct err *reterr);
struct db *db_close(struct db *db); /* accepts NULL, returns NULL */

enum db_kind db_kind(const struct db *db);
const char *db_library(enum db_kind kind); /* its version; good until it is asked again */
/* True after RC_LOST, RC_UNKNOWN and RC_CORRUPT: it can only be closed. */
bool db_is_dead(const struct db *db);
/* Whether its transaction can go on: nothing has failed in it, nothing is queued. */
bool db_is_clean(const struct db *db);

/* What a connection has done so far, for budgets in tests. */
struct db_counts {
    int64_t statements, flushes, commits; /* BEGIN and its like are no statements */
};
struct db_counts db_counts(const struct db *db);

/*
 * Queues a statement; the parameters are copied.  `ret` must live until the next flush,
 * commit or rollback; NULL when neither rows nor count are wanted.  What is wrong with it
 * is said by that flush.
 */
void db_send(struct db *db, const struct db_stmt *stmt, const struct db_value *params,
             struct db_result *ret);

/*
 * Runs what is queued.  On failure no result is filled.  Outside a transaction the queue is
 * a transaction of its own.  Results live in `arena` (NULL when none is wanted).
 *
 * RC_CONFLICT (a unique key), RC_BUSY (a lock, a deadlock: the same may succeed later),
 * RC_LIMIT (a full disk, or a bound of this file), RC_INVALID (a statement or value that
 * the database refuses), RC_LOST, RC_UNKNOWN (as RC_LOST, but the commit was on its way),
 * RC_CORRUPT (the file cannot be trusted: end the process and recover).
 */
enum rc db_flush(struct db *db, struct arena *arena, struct err *reterr);

void db_begin(struct db *db);
/* A transaction that waits for every other of its kind, on all nodes. */
void db_begin_alone(struct db *db);
/* Flushes and commits.  The transaction is over whatever is returned. */
enum rc db_commit(struct db *db, struct arena *arena, struct err *reterr);
/* Forgets the queue and ends the transaction, if there is one. */
void db_rollback(struct db *db);

/* Runs one text (tokens, no parameters) at once and forgets it, with its rows. */
enum rc db_exec(struct db *db, struct str sql, struct err *reterr);

/* The server's clock, or INSTANT_NONE when there is no server. */
enum rc db_clock(struct db *db, instant *ret, struct err *reterr);

/*
 * Hints between nodes; a database without a server has none and says OK.  Channels are
 * lower-case letters and '_', payloads shorter than DB_NOTE_MAX.  Not in a transaction.
 */
struct db_note {
    char channel[DB_NOTE_MAX], payload[DB_NOTE_MAX]; /* longer ones are cut */
};
enum rc db_notify(struct db *db, const char *channel, struct str payload, struct err *reterr);
enum rc db_listen(struct db *db, const char *channel, struct err *reterr);
/* Takes the oldest hint; never waits. */
enum rc db_poll_note(struct db *db, struct db_note *ret, bool *ret_any, struct err *reterr);
/* Readable when a hint may have come; -1 when there is no socket. */
int db_socket(const struct db *db);
