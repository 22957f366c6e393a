/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of PostgreSQL: libpq without blocking, always in pipeline mode.
 *
 * A run is one round trip: all statements are sent, followed by one Sync, then the answers are
 * read in order.  It ends within the deadline in any case; if the server does not answer, the
 * connection is closed, since a later answer could not be assigned to its statement.
 */
#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/must.h"
#include "db/deadline.h"
#include "db/driver.h"
#include "db/postgres_connect.h"
#include "db/postgres_error.h"
#include "db/postgres_rows.h"

enum {
    VERSION_MIN = 130000, /* the oldest maintained version */
    NAME_MAX_BYTES = 16,  /* of a prepared statement */
    TEXT_MAX = 200,       /* of the server's message */
    IDLE_MS = 1500, /* in a writer's transaction: a turn computes for some 10 ms at a time */
    PEER_MS = 3000, /* after which the server gives up a peer that confirms nothing */
};

struct postgres {
    struct db db; /* first: a struct db is cast to this */
    PGconn *conn; /* NULL: none, or lost */
    struct deadline deadline;
    bool late;      /* the deadline has passed */
    bool in_doubt;  /* a commit was sent, and its result is not known yet */
    struct err why; /* the first error of this run; rc may be 0 */
};

static struct postgres *postgres_of(struct db *db)
{
    return (struct postgres *)db;
}

/* Only the first line of libpq's text: the rest is detail for the server's log. */
static struct str first_line(const char *message)
{
    size_t len = strcspn(message, "\n");

    return (struct str){message, len < TEXT_MAX ? len : TEXT_MAX};
}

static enum rc set_lost(struct postgres *pg, const char *what, struct err *reterr)
{
    enum rc rc = pg->in_doubt ? RC_UNKNOWN : RC_LOST;

    err_set(reterr, rc, -1, 0, "the connection to PostgreSQL is lost: %.*s%s",
            STR_ARG(first_line(what)),
            pg->in_doubt ? "; whether the transaction was committed is not known" : "");
    PQfinish(pg->conn);
    pg->conn = NULL;
    pg->db.dead = true;
    return rc;
}

/* Waits for the socket or the deadline; returns the socket's ready events. */
static short wait_for(struct postgres *pg, short events)
{
    struct pollfd fds[] = {
        {.fd = PQsocket(pg->conn), .events = events},
        {.fd = pg->deadline.fd, .events = POLLIN},
    };

    while (poll(fds, 2, -1) < 0)
        must(errno == EINTR);
    pg->late = fds[1].revents != 0;
    return fds[0].revents;
}

/* Moves bytes in both directions once; waits if there is nothing to move. */
static enum rc exchange(struct postgres *pg, struct err *reterr)
{
    int unsent = PQflush(pg->conn);
    short ready;

    if (unsent < 0)
        return set_lost(pg, PQerrorMessage(pg->conn), reterr);
    /*
     * Checked after reading what had arrived, so that a delay of this process is not blamed on
     * the server.
     */
    if (pg->late)
        return set_lost(pg, "no answer within the deadline", reterr);
    ready = wait_for(pg, unsent ? POLLIN | POLLOUT : POLLIN);
    if ((ready & ~POLLOUT) && PQconsumeInput(pg->conn) == 0)
        return set_lost(pg, PQerrorMessage(pg->conn), reterr);
    return RC_OK;
}

/* NULL marks the end of the answer to one statement. */
static enum rc next_answer(struct postgres *pg, PGresult **ret, struct err *reterr)
{
    while (PQisBusy(pg->conn)) {
        enum rc rc = exchange(pg, reterr);

        if (rc != RC_OK)
            return rc;
    }
    *ret = PQgetResult(pg->conn);
    return RC_OK;
}

/* Sending. */

/* Separate from send_entry(), so that only the first use of a statement pays for `sql`. */
static __attribute__((noinline)) bool send_prepare(struct postgres *pg, struct db_entry *entry,
                                                   const char *name,
                                                   const struct postgres_params *params)
{
    struct db_cached *cached = entry->cached;
    char sql[DB_SQL_MAX];

    cached->prepared = entry->prepares = true;
    return PQsendPrepare(pg->conn, name, db_expand(&pg->db, str_of(cached->stmt->sql), sql),
                         cached->count, params->types) == 1;
}

static bool send_entry(struct postgres *pg, struct db_entry *entry)
{
    struct db_cached *cached = entry->cached;
    struct postgres_params params;
    char name[NAME_MAX_BYTES];

    if (!cached)
        return PQsendQueryParams(pg->conn, entry->text, 0, NULL, NULL, NULL, NULL, 1) == 1;
    snprintf(name, sizeof name, "s%d", (int)(cached - pg->db.cache));
    postgres_params(entry, &params);
    if (!cached->prepared && !send_prepare(pg, entry, name, &params))
        return false;
    return PQsendQueryPrepared(pg->conn, name, cached->count, params.values, params.lengths,
                               params.formats, 1) == 1;
}

static enum rc send_all(struct postgres *pg, struct err *reterr)
{
    for (struct db_entry *entry = pg->db.first; entry; entry = entry->next) {
        if (!send_entry(pg, entry))
            return set_lost(pg, PQerrorMessage(pg->conn), reterr);
        if (entry->commits && !pg->db.options.readonly)
            pg->in_doubt = true;
    }
    if (PQpipelineSync(pg->conn) != 1)
        return set_lost(pg, PQerrorMessage(pg->conn), reterr);
    return RC_OK;
}

/* Reading. */

static void set_first_error(struct postgres *pg, const struct err *why)
{
    if (pg->why.rc == RC_OK)
        pg->why = *why;
}

/*
 * The server rejected a statement: it runs nothing after it in the pipeline, no commit either.
 */
static enum rc set_refused(struct postgres *pg, const struct db_entry *entry, PGresult *answer,
                           struct err *reterr)
{
    const char *state = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
    const char *hint;
    struct err why;
    enum rc rc;

    if (!state || !text)
        return set_lost(pg, PQresultErrorMessage(answer), reterr);
    rc = postgres_rc(state, pg->db.options.readonly);
    hint = postgres_hint(state, rc);
    pg->in_doubt = pg->in_doubt && entry->commits && (rc == RC_LOST || rc == RC_UNKNOWN);
    if (rc == RC_LOST || rc == RC_UNKNOWN)
        return set_lost(pg, text, reterr);
    if (rc == RC_CORRUPT)
        pg->db.dead = true;
    err_set(&why, rc, -1, 0, "PostgreSQL: %.*s (%s)%s%s", STR_ARG(first_line(text)), state,
            hint[0] ? "; " : "", hint);
    set_first_error(pg, &why);
    return RC_OK;
}

/*
 * The answer cannot be stored, but the following statements are already sent.  A single SELECT
 * changes nothing, so nothing is in doubt.
 */
static void set_unreadable(struct postgres *pg, const struct db_entry *entry, PGresult *answer,
                           const struct err *why)
{
    if (entry->commits && str_starts(str_of(PQcmdStatus(answer)), STR("SELECT")))
        pg->in_doubt = false;
    set_first_error(pg, why);
}

static enum rc read_result(struct postgres *pg, struct db_entry *entry, PGresult *answer,
                           struct arena *arena, struct err *reterr)
{
    struct err why;

    switch (PQresultStatus(answer)) {
    case PGRES_TUPLES_OK:
        must(arena || !entry->ret);
        if (entry->ret && postgres_rows(&pg->db, answer, arena, &entry->got, &why) != RC_OK)
            set_unreadable(pg, entry, answer, &why);
        entry->got.changed = postgres_changed(answer);
        return RC_OK;
    case PGRES_COMMAND_OK:
        /*
         * PostgreSQL answers a COMMIT in a failed transaction with ROLLBACK; db.c never sends
         * one.
         */
        must(!entry->commits || strcmp(PQcmdStatus(answer), "ROLLBACK") != 0);
        entry->got.changed = postgres_changed(answer);
        return RC_OK;
    case PGRES_PIPELINE_ABORTED:
        return RC_OK;
    default:
        return set_refused(pg, entry, answer, reterr);
    }
}

/* One answer, and the NULL that ends it. */
static enum rc read_answer(struct postgres *pg, struct db_entry *entry, struct arena *arena,
                           struct err *reterr)
{
    PGresult *answer = NULL, *end = NULL;
    enum rc rc = next_answer(pg, &answer, reterr);

    if (rc != RC_OK)
        return rc;
    if (!answer)
        return set_lost(pg, "an answer is missing", reterr);
    if (entry->prepares && PQresultStatus(answer) != PGRES_COMMAND_OK)
        entry->cached->prepared = false;
    rc = read_result(pg, entry, answer, arena, reterr);
    PQclear(answer);
    if (rc == RC_OK)
        rc = next_answer(pg, &end, reterr);
    if (rc == RC_OK && end) {
        PQclear(end);
        rc = set_lost(pg, "an unexpected answer", reterr);
    }
    return rc;
}

static enum rc read_all(struct postgres *pg, struct arena *arena, struct err *reterr)
{
    PGresult *sync = NULL;
    enum rc rc = RC_OK;

    for (struct db_entry *entry = pg->db.first; entry && rc == RC_OK; entry = entry->next) {
        if (entry->prepares) {
            rc = read_answer(pg, entry, arena, reterr);
            entry->prepares = false;
        }
        if (rc == RC_OK)
            rc = read_answer(pg, entry, arena, reterr);
    }
    if (rc == RC_OK)
        rc = next_answer(pg, &sync, reterr);
    if (rc == RC_OK && PQresultStatus(sync) != PGRES_PIPELINE_SYNC)
        rc = set_lost(pg, "the end of the answers is missing", reterr);
    PQclear(sync);
    return rc;
}

static enum rc postgres_run(struct db *db, struct arena *arena, struct err *reterr)
{
    struct postgres *pg = postgres_of(db);
    enum rc rc;

    pg->late = pg->in_doubt = false;
    pg->why.rc = RC_OK;
    deadline_start(&pg->deadline);
    rc = send_all(pg, reterr);
    if (rc == RC_OK)
        rc = read_all(pg, arena, reterr);
    if (rc != RC_OK || pg->why.rc == RC_OK)
        return rc;
    /* It was committed, but its answer is lost: the caller has to check. */
    if (pg->in_doubt)
        return set_lost(pg, pg->why.text, reterr);
    *reterr = pg->why;
    return reterr->rc;
}

/* Opening. */

static enum rc check_server(const struct postgres *pg, struct err *reterr)
{
    const char *encoding = PQparameterStatus(pg->conn, "server_encoding");
    int version = PQserverVersion(pg->conn);

    if (version < VERSION_MIN)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "PostgreSQL %d is too old; Belfry needs %d or newer", version / 10000,
                       VERSION_MIN / 10000);
    if (!encoding || strcmp(encoding, "UTF8") != 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the database has the encoding %s; create it with ENCODING 'UTF8'",
                       encoding ? encoding : "(unknown)");
    return RC_OK;
}

static enum rc set_up(struct postgres *pg, struct err *reterr)
{
    const struct db_options *options = &pg->db.options;
    int server_ms = options->deadline_ms + (options->readonly ? 0 : POSTGRES_MARGIN_MS);
    char text[DB_SQL_MAX];
    struct buf sql = BUF(text);

    buf_printf(&sql,
               "SELECT set_config('client_min_messages', 'warning', false),"
               " set_config('TimeZone', 'UTC', false),"
               " set_config('jit', 'off', false),"
               " set_config('lock_timeout', '%d', false),"
               " set_config('statement_timeout', '%d', false),",
               options->lock_ms, server_ms);
    /*
     * A node that hangs or vanishes in a transaction must not lock its rows for long.  Readers
     * lock nothing, but compute between two reads.
     */
    buf_printf(&sql,
               " set_config('idle_in_transaction_session_timeout', '%d', false),"
               " set_config('tcp_user_timeout', '%d', false),"
               " set_config('tcp_keepalives_idle', '1', false),"
               " set_config('tcp_keepalives_interval', '1', false),"
               " set_config('tcp_keepalives_count', '3', false),",
               options->readonly ? 2 * options->deadline_ms : (int)IDLE_MS, (int)PEER_MS);
    /*
     * Every statement reads along an index.  Without this, a plan that was made while a table
     * was small or had no statistics would read all of the table when it has grown.
     */
    buf_text(&sql, " set_config('enable_seqscan', 'off', false),"
                   " set_config('enable_bitmapscan', 'off', false),");
    /* Commits are durable, regardless of the role's default. */
    buf_text(&sql,
             " set_config('synchronous_commit', CASE current_setting('synchronous_commit')"
             " WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)");
    if (options->readonly)
        buf_text(&sql, ", set_config('default_transaction_read_only', 'on', false)");
    must(!sql.cut);
    return db_exec(&pg->db, buf_as_str(&sql), reterr);
}

static enum rc postgres_open(struct db *db, const char *url, struct err *reterr)
{
    struct postgres *pg = postgres_of(db);
    enum rc rc;

    pg->deadline.fd = -1;
    rc = deadline_open(db->options.deadline_ms +
                           (db->options.readonly ? POSTGRES_MARGIN_MS : 0),
                       &pg->deadline, reterr);
    if (rc == RC_OK)
        rc = postgres_connect(url, db->host, &db->options, &pg->conn, reterr);
    if (rc == RC_OK)
        rc = check_server(pg, reterr);
    if (rc != RC_OK)
        return rc;
    must(PQsetnonblocking(pg->conn, 1) == 0 && PQenterPipelineMode(pg->conn) == 1);
    return set_up(pg, reterr);
}

static void postgres_close(struct db *db)
{
    struct postgres *pg = postgres_of(db);

    PQfinish(pg->conn);
    deadline_close(&pg->deadline);
}

/* The rest. */

static bool postgres_in_transaction(const struct db *db)
{
    const struct postgres *pg = (const struct postgres *)db;

    return PQtransactionStatus(pg->conn) != PQTRANS_IDLE;
}

static int postgres_socket(const struct db *db)
{
    const struct postgres *pg = (const struct postgres *)db;

    return pg->conn ? PQsocket(pg->conn) : -1;
}

static enum rc postgres_poll_note(struct db *db, struct db_note *ret, bool *ret_any,
                                  struct err *reterr)
{
    struct postgres *pg = postgres_of(db);
    PGnotify *notify;

    pg->in_doubt = false;
    if (PQconsumeInput(pg->conn) == 0)
        return set_lost(pg, PQerrorMessage(pg->conn), reterr);
    notify = PQnotifies(pg->conn);
    *ret_any = notify != NULL;
    if (notify) {
        snprintf(ret->channel, sizeof ret->channel, "%s", notify->relname);
        snprintf(ret->payload, sizeof ret->payload, "%s", notify->extra);
        PQfreemem(notify);
    }
    return RC_OK;
}

static const struct db_stmt begin = {"BEGIN ISOLATION LEVEL READ COMMITTED", NULL};
/* As on SQLite, a reader sees one snapshot until it ends the transaction. */
static const struct db_stmt begin_read = {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                                          NULL};
/* The key is the word Belfry in ASCII: no other program uses it by chance. */
static const struct db_stmt alone = {"SELECT pg_advisory_xact_lock(73003377783417)", NULL};
static const struct db_stmt notify_others = {"SELECT pg_notify($1, $2)", "tt"};

/* 150004 is 15.4. */
static const char *library(void)
{
    static _Thread_local char text[TEXT_MAX];

    snprintf(text, sizeof text, "%d.%d", PQlibVersion() / 10000, PQlibVersion() % 10000);
    return text;
}

const struct db_driver db_postgres = {
    .kind = DB_POSTGRES,
    .size = sizeof(struct postgres),
    .words =
        {
            [SQL_INT] = "BIGINT",
            [SQL_TEXT] = "TEXT COLLATE \"C\"",
            [SQL_BLOB] = "BYTEA",
            [SQL_STRICT] = "",
            [SQL_SKIP] = " FOR UPDATE SKIP LOCKED",
            [SQL_CLOCK] = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)",
            [SQL_KEYED] = "",
            [SQL_BYTES] = "pg_database_size(current_database())",
        },
    .library = library,
    .hosts = postgres_hosts,
    .host_name = postgres_host_name,
    .begin = &begin,
    .begin_read = &begin_read,
    .alone = &alone,
    .notify = &notify_others,
    .open = postgres_open,
    .close = postgres_close,
    .run = postgres_run,
    .in_transaction = postgres_in_transaction,
    .poll_note = postgres_poll_note,
    .socket = postgres_socket,
};
