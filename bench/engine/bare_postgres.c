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

struct bare_server {
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

static void check(const struct bare_server *server, bool is_good)
{
    if (!is_good)
        DIE("PostgreSQL: %s", PQerrorMessage(server->conn));
}

static void run_now(struct bare_server *server, const char *sql)
{
    PGresult *answer = PQexec(server->conn, sql);

    check(server, PQresultStatus(answer) == PGRES_COMMAND_OK);
    PQclear(answer);
}

static struct bare_server *connect_to(const char *url)
{
    struct bare_server *server = calloc(1, sizeof *server);

    if (!server)
        DIE("out of memory");
    server->conn = PQconnectdb(url);
    check(server, PQstatus(server->conn) == CONNECTION_OK);
    run_now(server, "SET jit = off");
    return server;
}

static void server_close(void *db)
{
    struct bare_server *server = db;

    PQfinish(server->conn);
    free(server);
}

static void prepare(struct bare_server *server, enum bare_stmt which)
{
    Oid types[DB_PARAMS_MAX];
    char name[NAME_MAX_BYTES], sql[SQL_MAX];
    PGresult *answer;

    for (int i = 0; i < DB_PARAMS_MAX; i++)
        types[i] = INT8_OID;
    snprintf(name, sizeof name, "b%d", (int)which);
    snprintf(sql, sizeof sql, "%s%s", bare_sql[which].text,
             which == BARE_DUE ? " FOR UPDATE SKIP LOCKED" : "");
    answer = PQprepare(server->conn, name, sql, bare_sql[which].params, types);
    check(server, PQresultStatus(answer) == PGRES_COMMAND_OK);
    PQclear(answer);
}

static void copy_cursors(struct bare_server *server, const struct load *load)
{
    int64_t row[CURSOR_WIDTH];
    char line[LINE_MAX_BYTES + 1];
    PGresult *answer = PQexec(server->conn,
                              "COPY cursors (" SQL_NAMES(CURSOR_COLUMNS) ") FROM STDIN");

    check(server, PQresultStatus(answer) == PGRES_COPY_IN);
    PQclear(answer);
    for (int64_t i = 0; i < load->schedules; i++) {
        int used = 0;

        bare_cursor(load, i, row);
        for (int c = 0; c < CURSOR_WIDTH; c++)
            used += snprintf(line + used, sizeof line - (size_t)used, "%lld%c",
                             (long long)row[c], c + 1 < CURSOR_WIDTH ? '\t' : '\n');
        check(server, PQputCopyData(server->conn, line, used) == 1);
    }
    check(server, PQputCopyEnd(server->conn, NULL) == 1);
    answer = PQgetResult(server->conn);
    check(server, PQresultStatus(answer) == PGRES_COMMAND_OK);
    PQclear(answer);
    check(server, !PQgetResult(server->conn));
}

static void server_load(const struct load *load)
{
    struct bare_server *server = connect_to(load->url);

    copy_cursors(server, load);
    server_close(server);
}

static void *server_open(const char *url)
{
    struct bare_server *server = connect_to(url);

    for (int i = 0; i < BARE_COUNT; i++)
        prepare(server, (enum bare_stmt)i);
    check(server, PQsetnonblocking(server->conn, 1) == 0);
    check(server, PQenterPipelineMode(server->conn) == 1);
    return server;
}

static void send_text(struct bare_server *server, const char *sql)
{
    check(server, PQsendQueryParams(server->conn, sql, 0, NULL, NULL, NULL, NULL, 1) == 1);
    server->waiting++;
}

static void server_begin(void *db)
{
    send_text(db, "BEGIN");
}

static void server_send(void *db, enum bare_stmt which, const int64_t *params)
{
    struct bare_server *server = db;
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
    check(server, PQsendQueryPrepared(server->conn, name, count, values, lengths, formats, 1));
    server->waiting++;
}

static PGresult *next_answer(struct bare_server *server)
{
    while (PQisBusy(server->conn)) {
        int unsent = PQflush(server->conn);
        struct pollfd ready = {.fd = PQsocket(server->conn),
                               .events = (short)(unsent ? POLLIN | POLLOUT : POLLIN)};

        check(server, unsent >= 0);
        poll(&ready, 1, -1);
        check(server, !(ready.revents & POLLIN) || PQconsumeInput(server->conn) == 1);
    }
    return PQgetResult(server->conn);
}

/* Reads every result; returns the last one when keep_last is set, else NULL. */
static PGresult *sync_all(struct bare_server *server, bool keep_last)
{
    PGresult *kept = NULL, *answer;

    check(server, PQpipelineSync(server->conn) == 1);
    for (; server->waiting > 0; server->waiting--) {
        ExecStatusType status;

        answer = next_answer(server);
        status = PQresultStatus(answer);
        check(server, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
        if (strcmp(PQcmdTuples(answer), "0") == 0)
            DIE("the bare loop has missed a row");
        if (keep_last && server->waiting == 1)
            kept = answer;
        else
            PQclear(answer);
        check(server, !next_answer(server));
    }
    answer = next_answer(server);
    check(server, PQresultStatus(answer) == PGRES_PIPELINE_SYNC);
    PQclear(answer);
    return kept;
}

static int server_due(void *db, const int64_t *params, int64_t rows[][CURSOR_WIDTH])
{
    PGresult *answer;
    int count;

    server_send(db, BARE_DUE, params);
    answer = sync_all(db, true);
    count = PQntuples(answer);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < CURSOR_WIDTH; c++)
            rows[i][c] = get_int(PQgetvalue(answer, i, c));
    PQclear(answer);
    return count;
}

static void server_commit(void *db)
{
    send_text(db, "COMMIT");
    sync_all(db, false);
}

const struct bare_driver bare_postgres = {
    .load = server_load,
    .open = server_open,
    .begin = server_begin,
    .due = server_due,
    .send = server_send,
    .commit = server_commit,
    .close = server_close,
};
