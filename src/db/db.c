/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a connection that both databases share: the queue of statements, the state of the
 * transaction, and the faults of the simulator.
 */
#include "db/db.h"

#include <string.h>

#include "base/buf.h"
#include "base/must.h"
#include "db/disk.h"
#include "db/driver.h"

enum {
    CLOCK_BYTES_MAX = 4096, /* one row of one number */
};

static const struct db_stmt commit = {"COMMIT", NULL};
static const struct db_stmt rollback = {"ROLLBACK", NULL};
static const struct db_stmt read_clock = {"SELECT {clock}", NULL};

const char *db_expand(const struct db *db, struct str text, char *sql)
{
    struct buf out = {.ptr = sql, .cap = DB_SQL_MAX};

    sql_expand(text, db->driver->words, &out);
    return sql;
}

enum rc db_check_room(const struct db *db, const struct arena *arena, size_t size,
                      struct err *reterr)
{
    size_t used = arena_used(arena) - db->arena_before;

    if (used <= db->options.bytes_max && size <= db->options.bytes_max - used)
        return RC_OK;
    return err_set(reterr, RC_LIMIT, -1, 0,
                   "the answer of the database is larger than %zu bytes; ask for less at once",
                   db->options.bytes_max);
}

enum rc db_check_rows(int rows, struct err *reterr)
{
    if (rows <= DB_ROWS_MAX)
        return RC_OK;
    return err_set(reterr, RC_LIMIT, -1, 0,
                   "the answer of the database has more than %d rows; ask for less at once",
                   DB_ROWS_MAX);
}

/* Closing. */

struct db *db_close(struct db *db)
{
    if (db) {
        db->driver->close(db);
        arena_free(db->queue);
        arena_free(db->arena);
    }
    return NULL;
}

const char *db_library(enum db_kind kind)
{
    return (kind == DB_SQLITE ? &db_sqlite : &db_postgres)->library();
}

enum db_kind db_kind(const struct db *db)
{
    return db->driver->kind;
}

bool db_is_dead(const struct db *db)
{
    return db->dead;
}

bool db_is_clean(const struct db *db)
{
    return !db->failed && !db->first;
}

struct db_counts db_counts(const struct db *db)
{
    return db->counts;
}

/* The queue. */

static void forget_queue(struct db *db)
{
    db->first = db->last = NULL;
    arena_reset(db->queue);
}

/* The caller fills in `params`. */
static struct db_entry *add_entry(struct db *db, size_t params)
{
    struct db_entry *entry = arena_take_raw(db->queue,
                                            sizeof *entry + params * sizeof entry->params[0]);

    *entry = (struct db_entry){.next = NULL};
    if (db->last)
        db->last->next = entry;
    else
        db->first = entry;
    db->last = entry;
    return entry;
}

static enum db_type type_of(char letter)
{
    must(letter == 'i' || letter == 't' || letter == 'b');
    return letter == 'i' ? DB_INT : letter == 't' ? DB_TEXT : DB_BLOB;
}

static struct db_cached *get_cached(struct db *db, const struct db_stmt *stmt)
{
    /* Fibonacci hashing spreads adjacent addresses. */
    uint64_t hash = (uint64_t)(uintptr_t)stmt * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = hash >> 32;
    struct db_cached *cached = &db->cache[at % DB_SLOTS];

    while (cached->stmt && cached->stmt != stmt)
        cached = &db->cache[++at % DB_SLOTS];
    if (!cached->stmt) {
        size_t count = stmt->params ? strlen(stmt->params) : 0;

        must(db->statements++ < DB_STATEMENTS_MAX && count <= DB_PARAMS_MAX);
        cached->stmt = stmt;
        cached->count = (int)count;
        for (size_t i = 0; i < count; i++)
            cached->types[i] = (uint8_t)type_of(stmt->params[i]);
    }
    return cached;
}

static struct db_entry *add_plain(struct db *db, const struct db_stmt *stmt)
{
    struct db_entry *entry = add_entry(db, 0);

    entry->cached = get_cached(db, stmt);
    must(entry->cached->count == 0);
    return entry;
}

static bool has_bytes(const struct db_value *value)
{
    return value->type == DB_TEXT || value->type == DB_BLOB;
}

/* PostgreSQL rejects other texts, so SQLite must not accept them either. */
static bool is_clean_text(struct str s)
{
    return (s.len == 0 || !memchr(s.ptr, '\0', s.len)) && str_is_utf8(s);
}

/* An upper bound: the queue's arena rounds sizes up to a multiple of 16. */
static size_t size_at_most(size_t bytes)
{
    return bytes + 16;
}

static enum rc check_params(const struct db *db, const struct db_cached *cached,
                            const struct db_value *params, struct err *reterr)
{
    size_t size = size_at_most(sizeof(struct db_entry) +
                               (size_t)cached->count * sizeof params[0]);

    for (int i = 0; i < cached->count; i++) {
        const struct db_value *value = &params[i];

        must(value->type == DB_NULL || value->type == cached->types[i]);
        if (!has_bytes(value))
            continue;
        if (value->type == DB_TEXT && !is_clean_text(value->bytes))
            return err_set(reterr, RC_INVALID, -1, 0,
                           "a text for the database is not UTF-8 or contains a zero byte");
        size += size_at_most(value->bytes.len + 1);
    }
    if (arena_used(db->queue) + size <= DB_QUEUE_BYTES_MAX)
        return RC_OK;
    return err_set(reterr, RC_LIMIT, -1, 0,
                   "more than %d MiB at once for the database; write in smaller batches",
                   DB_QUEUE_BYTES_MAX >> 20);
}

static void set_failed(struct db *db, const struct err *why)
{
    db->failed = true;
    db->why = *why;
    forget_queue(db);
}

void db_send(struct db *db, const struct db_stmt *stmt, const struct db_value *params,
             struct db_result *ret)
{
    struct db_cached *cached;
    struct db_entry *entry;

    if (db->failed)
        return;
    cached = get_cached(db, stmt);
    if (check_params(db, cached, params, &db->why) != RC_OK) {
        db->failed = true;
        forget_queue(db);
        return;
    }
    entry = add_entry(db, (size_t)cached->count);
    entry->cached = cached;
    entry->ret = ret;
    db->counts.statements++;
    if (cached->count > 0)
        memcpy(entry->params, params, (size_t)cached->count * sizeof params[0]);
    for (int i = 0; i < cached->count; i++)
        if (has_bytes(&params[i]))
            entry->params[i].bytes = arena_str(db->queue, params[i].bytes);
}

/* Running it. */

static void run_queue(struct db *db, struct arena *arena)
{
    struct err why;

    db->arena_before = arena ? arena_used(arena) : 0;
    if (db->driver->run(db, arena, &why) != RC_OK)
        set_failed(db, &why);
}

static enum rc last_error(const struct db *db, struct err *reterr)
{
    if (!db->failed)
        return RC_OK;
    *reterr = db->why;
    return db->why.rc;
}

static void roll_back(struct db *db)
{
    if (db->dead || !db->driver->in_transaction(db))
        return;
    db->failed = false;
    add_plain(db, &rollback);
    run_queue(db, NULL);
    forget_queue(db);
    /* If it cannot be undone, the connection cannot be used: closing it undoes everything. */
    if (!db->dead && (db->failed || db->driver->in_transaction(db))) {
        err_set(&db->why, RC_LOST, -1, 0, "a transaction could not be rolled back");
        db->dead = true;
    }
}

/* Breaks the connection here if the simulator requests it. */
static void break_at(struct db *db, enum db_point point)
{
    enum rc rc = db->fault ? db->fault->ask(db->fault->arg, point) : RC_OK;
    struct err why;

    if (rc == RC_OK)
        return;
    must(rc == RC_LOST || rc == RC_UNKNOWN);
    if (point == DB_BEFORE_FLUSH || db->options.readonly)
        rc = RC_LOST; /* no commit is under way */
    else if (point == DB_AFTER_COMMIT)
        rc = RC_UNKNOWN;
    forget_queue(db);
    roll_back(db);
    db->dead = true;
    err_set(&why, rc, -1, 0, "the database connection is lost, as requested by the simulator%s",
            rc == RC_UNKNOWN ? "; whether the transaction was committed is not known" : "");
    set_failed(db, &why);
}

static void run_checked(struct db *db, struct arena *arena)
{
    bool commits;

    if (db->failed || !db->first)
        return;
    commits = db->last->commits;
    db->counts.flushes++;
    db->counts.commits += commits;
    break_at(db, commits ? DB_BEFORE_COMMIT : DB_BEFORE_FLUSH);
    if (!db->failed)
        run_queue(db, arena);
    if (!db->failed && commits)
        break_at(db, DB_AFTER_COMMIT);
    for (struct db_entry *entry = db->first; entry; entry = entry->next)
        if (entry->ret)
            *entry->ret = entry->got;
    forget_queue(db);
}

void db_rollback(struct db *db)
{
    forget_queue(db);
    roll_back(db);
    db->in_transaction = false;
    db->failed = db->dead;
    /* Later statements were not sent, so nothing about them is in doubt. */
    if (db->dead && db->why.rc != RC_CORRUPT)
        db->why.rc = RC_LOST;
}

static const struct db_stmt *begin_of(const struct db *db)
{
    return db->options.readonly ? db->driver->begin_read : db->driver->begin;
}

void db_begin(struct db *db)
{
    must(!db->in_transaction && !db->first);
    db->in_transaction = true;
    if (!db->failed)
        add_plain(db, begin_of(db));
}

void db_begin_alone(struct db *db)
{
    must(!db->options.readonly);
    db_begin(db);
    if (!db->failed && db->driver->alone)
        add_plain(db, db->driver->alone);
}

/* Runs the queue; the transaction ends in any case. */
static enum rc finish_transaction(struct db *db, struct arena *arena, struct err *reterr)
{
    enum rc rc;

    run_checked(db, arena);
    rc = last_error(db, reterr);
    db_rollback(db);
    return rc;
}

enum rc db_commit(struct db *db, struct arena *arena, struct err *reterr)
{
    must(db->in_transaction);
    if (!db->failed)
        add_plain(db, &commit)->commits = true;
    return finish_transaction(db, arena, reterr);
}

/* Makes the queue one transaction; a single statement is one anyway. */
static void wrap_in_transaction(struct db *db)
{
    struct db_entry *first = db->first, *last = db->last;

    if (first != last) {
        db->first = db->last = NULL;
        add_plain(db, begin_of(db))->next = first;
        db->last = last;
        add_plain(db, &commit);
    }
    db->last->commits = true;
}

enum rc db_flush(struct db *db, struct arena *arena, struct err *reterr)
{
    if (!db->in_transaction) {
        if (db->first)
            wrap_in_transaction(db);
        return finish_transaction(db, arena, reterr);
    }
    run_checked(db, arena);
    return last_error(db, reterr);
}

enum rc db_exec(struct db *db, struct str sql, struct err *reterr)
{
    char text[DB_SQL_MAX];

    if (!db->failed)
        add_entry(db, 0)->text = arena_str(db->queue, str_of(db_expand(db, sql, text))).ptr;
    return db_flush(db, NULL, reterr);
}

/* The clock, local files, and hints between nodes. */

enum rc db_clock(struct db *db, instant *ret, struct err *reterr)
{
    struct arena *arena = arena_new(CLOCK_BYTES_MAX);
    struct db_result result;
    enum rc rc;

    must(!db->in_transaction);
    db_send(db, &read_clock, NULL, &result);
    rc = db_flush(db, arena, reterr);
    if (rc == RC_OK)
        *ret = db_at(&result, 0, 0)->type == DB_NULL ? INSTANT_NONE : db_int_at(&result, 0, 0);
    arena_free(arena);
    return rc;
}

enum rc db_ballast(struct db *db, bool keep, struct err *reterr)
{
    return db->driver->ballast ? db->driver->ballast(db, keep, reterr) : RC_OK;
}

enum rc db_checkpoint(struct db *db, struct err *reterr)
{
    enum rc rc;

    must(!db->in_transaction && !db->options.readonly && !db->options.writes_back);
    if (db->dead || !db->driver->checkpoint)
        return last_error(db, reterr);
    rc = db->driver->checkpoint(db, reterr);
    if (db->dead)
        set_failed(db, reterr);
    return rc;
}

bool db_lend_wal(struct db *db)
{
    must(!db->in_transaction && !db->options.readonly && !db->options.writes_back);
    return !db->dead && db->driver->lend_wal && db->driver->lend_wal(db);
}

void db_take_wal(struct db *db, int pages)
{
    db->driver->take_wal(db, pages);
}

enum rc db_write_back_wal(struct db *db, int *ret_pages, struct err *reterr)
{
    enum rc rc;

    must(db->options.writes_back && db->driver->write_back_wal);
    if (db->dead)
        return last_error(db, reterr);
    rc = db->driver->write_back_wal(db, ret_pages, reterr);
    if (db->dead)
        set_failed(db, reterr);
    return rc;
}

enum rc db_check_file(struct db *db, struct err *reterr)
{
    struct err why;

    if (!db->driver->check_file || db->driver->check_file(db, &why) == RC_OK)
        return RC_OK;
    return db_distrust(db, &why, reterr);
}

enum rc db_distrust(struct db *db, const struct err *why, struct err *reterr)
{
    *reterr = *why;
    reterr->rc = RC_CORRUPT;
    db->dead = true;
    set_failed(db, reterr);
    return RC_CORRUPT;
}

static bool is_channel(const char *channel)
{
    size_t len = strspn(channel, "abcdefghijklmnopqrstuvwxyz_");

    return len > 0 && len < DB_NOTE_MAX && channel[len] == '\0';
}

enum rc db_notify(struct db *db, const char *channel, struct str payload, struct err *reterr)
{
    const struct db_value params[] = {db_text(str_of(channel)), db_text(payload)};

    must(!db->in_transaction && is_channel(channel) && payload.len < DB_NOTE_MAX);
    if (!db->driver->notify)
        return last_error(db, reterr);
    db_send(db, db->driver->notify, params, NULL);
    return db_flush(db, NULL, reterr);
}

enum rc db_listen(struct db *db, const char *channel, struct err *reterr)
{
    char text[DB_NOTE_MAX + sizeof "LISTEN "];
    struct buf sql = BUF(text);

    must(!db->in_transaction && is_channel(channel));
    if (!db->driver->notify)
        return last_error(db, reterr);
    buf_printf(&sql, "LISTEN %s", channel);
    return db_exec(db, buf_as_str(&sql), reterr);
}

enum rc db_poll_note(struct db *db, struct db_note *ret, bool *ret_any, struct err *reterr)
{
    enum rc rc;

    if (db->dead)
        return last_error(db, reterr);
    if (!db->driver->poll_note) {
        *ret_any = false;
        return RC_OK;
    }
    rc = db->driver->poll_note(db, ret, ret_any, reterr);
    if (db->dead)
        set_failed(db, reterr);
    return rc;
}

int db_socket(const struct db *db)
{
    return db->driver->socket ? db->driver->socket(db) : -1;
}
