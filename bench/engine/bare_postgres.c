/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bare loop on PostgreSQL: libpq in pipeline mode, statements prepared once, binary
 * parameters, one Sync for the ends and the due scan, one for the starts and the COMMIT.
 */
#include <libpq-fe.h>
#include <poll.h>
#include <string.h>

#include "bare.h"

enum {
    NAME_MAX_BYTES = 16,
    LINE_MAX_BYTES = CURSOR_WIDTH * 21, /* a line of COPY: 20 characters and a tab each */
    SQL_MAX = 2048,
    INT8_OID = 20, /* of pg_type: a 64-bit integer */
    INT_BYTES = 8,
};

struct bare_connection {
    PGconn *conn;
    int waiting; /* statements whose results were not read yet */
};

/* Integers are big-endian on the wire. */
static void put_int(unsigned char bytes[static INT_BYTES], int64_t value)
{
    for (int i = 0; i < INT_BYTES; i++)
        bytes[i] = (unsigned char)((uint64_t)value >> (8 * (INT_BYTES - 1 - i)));
}

static int64_t get_int(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint64_t value = 0;

    for (int i = 0; i < INT_BYTES; i++)
        value = value << 8 | bytes[i];
    return (int64_t)value;
}

static void check(const struct bare_connection *connection, bool is_good)
{
    if (!is_good)
        DIE("PostgreSQL: %s", PQerrorMessage(connection->conn));
}

static void run_now(struct bare_connection *connection, const char *sql)
{
    PGresult *answer = PQexec(connection->conn, sql);

    check(connection, PQresultStatus(answer) == PGRES_COMMAND_OK);
    PQclear(answer);
}

static struct bare_connection *connect_to(const char *url)
{
    struct bare_connection *connection = calloc(1, sizeof *connection);

    if (!connection)
        DIE("out of memory");
    connection->conn = PQconnectdb(url);
    check(connection, PQstatus(connection->conn) == CONNECTION_OK);
    run_now(connection, "SET jit = off");
    return connection;
}

static void postgres_close(void *db)
{
    struct bare_connection *connection = db;

    PQfinish(connection->conn);
    free(connection);
}

static void prepare(struct bare_connection *connection, enum bare_stmt which)
{
    Oid types[DB_PARAMS_MAX];
    char name[NAME_MAX_BYTES], sql[SQL_MAX];
    PGresult *answer;

    for (int i = 0; i < DB_PARAMS_MAX; i++)
        types[i] = INT8_OID;
    snprintf(name, sizeof name, "b%d", (int)which);
    snprintf(sql, sizeof sql, "%s%s", bare_sql[which].text,
             which == BARE_DUE ? " FOR UPDATE SKIP LOCKED" : "");
    answer = PQprepare(connection->conn, name, sql, bare_sql[which].params, types);
    check(connection, PQresultStatus(answer) == PGRES_COMMAND_OK);
    PQclear(answer);
}

static void copy_cursors(struct bare_connection *connection, const struct load *load)
{
    int64_t row[CURSOR_WIDTH];
    char line[LINE_MAX_BYTES + 1];
    PGresult *answer = PQexec(connection->conn,
                              "COPY cursors (" SQL_NAMES(CURSOR_COLUMNS) ") FROM STDIN");

    check(connection, PQresultStatus(answer) == PGRES_COPY_IN);
    PQclear(answer);
    for (int64_t i = 0; i < load->schedules; i++) {
        int used = 0;

        bare_cursor(load, i, row);
        for (int c = 0; c < CURSOR_WIDTH; c++)
            used += snprintf(line + used, sizeof line - (size_t)used, "%lld%c",
                             (long long)row[c], c + 1 < CURSOR_WIDTH ? '\t' : '\n');
        check(connection, PQputCopyData(connection->conn, line, used) == 1);
    }
    check(connection, PQputCopyEnd(connection->conn, NULL) == 1);
    answer = PQgetResult(connection->conn);
    check(connection, PQresultStatus(answer) == PGRES_COMMAND_OK);
    PQclear(answer);
    check(connection, !PQgetResult(connection->conn));
}

static void postgres_load(const struct load *load)
{
    struct bare_connection *connection = connect_to(load->url);

    copy_cursors(connection, load);
    postgres_close(connection);
}

static void *postgres_open(const char *url)
{
    struct bare_connection *connection = connect_to(url);

    for (int i = 0; i < BARE_COUNT; i++)
        prepare(connection, (enum bare_stmt)i);
    check(connection, PQsetnonblocking(connection->conn, 1) == 0);
    check(connection, PQenterPipelineMode(connection->conn) == 1);
    return connection;
}

static void send_text(struct bare_connection *connection, const char *sql)
{
    check(connection,
          PQsendQueryParams(connection->conn, sql, 0, NULL, NULL, NULL, NULL, 1) == 1);
    connection->waiting++;
}

static void postgres_begin(void *db)
{
    send_text(db, "BEGIN");
}

static void postgres_send(void *db, enum bare_stmt which, const int64_t *params)
{
    struct bare_connection *connection = db;
    int count = bare_sql[which].params;
    unsigned char bytes[DB_PARAMS_MAX][INT_BYTES];
    const char *values[DB_PARAMS_MAX];
    int lengths[DB_PARAMS_MAX], formats[DB_PARAMS_MAX];
    char name[NAME_MAX_BYTES];

    for (int i = 0; i < count; i++) {
        put_int(bytes[i], params[i]);
        values[i] = (const char *)bytes[i];
        lengths[i] = INT_BYTES;
        formats[i] = 1;
    }
    snprintf(name, sizeof name, "b%d", (int)which);
    check(connection,
          PQsendQueryPrepared(connection->conn, name, count, values, lengths, formats, 1));
    connection->waiting++;
}

static PGresult *next_answer(struct bare_connection *connection)
{
    while (PQisBusy(connection->conn)) {
        int unsent = PQflush(connection->conn);
        struct pollfd ready = {.fd = PQsocket(connection->conn),
                               .events = (short)(unsent ? POLLIN | POLLOUT : POLLIN)};

        check(connection, unsent >= 0);
        poll(&ready, 1, -1);
        check(connection, !(ready.revents & POLLIN) || PQconsumeInput(connection->conn) == 1);
    }
    return PQgetResult(connection->conn);
}

/* Reads every result; returns the last one when keep_last is set, else NULL. */
static PGresult *sync_all(struct bare_connection *connection, bool keep_last)
{
    PGresult *kept = NULL, *answer;

    check(connection, PQpipelineSync(connection->conn) == 1);
    for (; connection->waiting > 0; connection->waiting--) {
        ExecStatusType status;

        answer = next_answer(connection);
        status = PQresultStatus(answer);
        check(connection, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
        if (strcmp(PQcmdTuples(answer), "0") == 0)
            DIE("the bare loop has missed a row");
        if (keep_last && connection->waiting == 1)
            kept = answer;
        else
            PQclear(answer);
        check(connection, !next_answer(connection));
    }
    answer = next_answer(connection);
    check(connection, PQresultStatus(answer) == PGRES_PIPELINE_SYNC);
    PQclear(answer);
    return kept;
}

static int postgres_due(void *db, const int64_t *params, int64_t rows[][CURSOR_WIDTH])
{
    PGresult *answer;
    int count;

    postgres_send(db, BARE_DUE, params);
    answer = sync_all(db, true);
    count = PQntuples(answer);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < CURSOR_WIDTH; c++)
            rows[i][c] = get_int(PQgetvalue(answer, i, c));
    PQclear(answer);
    return count;
}

static void postgres_commit(void *db)
{
    send_text(db, "COMMIT");
    sync_all(db, false);
}

const struct bare_driver bare_postgres = {
    .load = postgres_load,
    .open = postgres_open,
    .begin = postgres_begin,
    .due = postgres_due,
    .send = postgres_send,
    .commit = postgres_commit,
    .close = postgres_close,
};
