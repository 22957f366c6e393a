/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connecting to PostgreSQL without blocking, with a deadline for each host.
 */
#include "db/postgres_connect.h"

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <string.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/str.h"
#include "db/deadline.h"
#include "db/postgres_error.h"

enum {
    LINE_MAX_BYTES = 200, /* of libpq's message */
    TIMEOUT_MIN_S = 2,    /* connect_timeout, as in libpq: less fails on busy machines */
    TIMEOUT_MAX_S = 3600, /* also for 0 and less, with which libpq waits without a limit */
};

static struct str first_line(const char *message)
{
    size_t len = strcspn(message, "\n");

    return (struct str){message, len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES};
}

/* ---- the hosts of a URL ---- */

/* The value of a connection option, or NULL; an empty one is none. */
static const char *option(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword; options++)
        if (strcmp(options->keyword, name) == 0)
            return options->val && options->val[0] ? options->val : NULL;
    return NULL;
}

static int count_items(const char *list)
{
    int count = 1;

    for (; list && *list; list++)
        count += *list == ',';
    return count;
}

/* The item of a list with commas.  A list of one item is the same for all hosts. */
static struct str item(const char *list, int index)
{
    struct str rest = str_of(list ? list : "");

    if (count_items(list) == 1)
        return rest;
    for (; index > 0; index--)
        rest = str_from(rest, strcspn(rest.ptr, ",") + 1);
    return (struct str){rest.ptr, strcspn(rest.ptr, ",")};
}

static enum rc check_lists(const PQconninfoOption *options, int count, struct err *reterr)
{
    const char *host = option(options, "host"), *addr = option(options, "hostaddr");
    int ports = count_items(option(options, "port"));

    if (host && addr && count_items(host) != count_items(addr))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the database URL has %d hosts and %d addresses; give one for each",
                       count_items(host), count_items(addr));
    if (count > POSTGRES_HOSTS_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the database URL has %d hosts; the limit is %d", count,
                       POSTGRES_HOSTS_MAX);
    if (ports != 1 && ports != count)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the database URL has %d hosts and %d ports; give one port for all, or "
                       "one for each",
                       count, ports);
    for (int i = 0; count > 1 && i < count; i++)
        if (item(host, i).len == 0 && item(addr, i).len == 0)
            return err_set(reterr, RC_INVALID, -1, 0,
                           "host %d of the database URL is empty; name each host", i + 1);
    return RC_OK;
}

static int count_hosts(const PQconninfoOption *options)
{
    const char *addr = option(options, "hostaddr");

    return count_items(addr ? addr : option(options, "host"));
}

enum rc postgres_hosts(const char *url, int *ret_count, struct err *reterr)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    enum rc rc;

    if (!options)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid database URL; write postgres://USER@HOST:PORT/NAME, with "
                       "special characters as %%XX");
    rc = check_lists(options, count_hosts(options), reterr);
    if (rc == RC_OK)
        *ret_count = count_hosts(options);
    PQconninfoFree(options);
    return rc;
}

void postgres_host_name(const char *url, int host, char ret[static POSTGRES_NAME_MAX])
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    struct buf out = {.ptr = ret, .cap = POSTGRES_NAME_MAX};
    struct str name, port;

    must(options);
    name = item(option(options, "host"), host);
    if (name.len == 0)
        name = item(option(options, "hostaddr"), host);
    port = item(option(options, "port"), host);
    buf_str(&out, name.len > 0 ? name : STR("the default host"));
    if (port.len > 0)
        buf_printf(&out, ":%.*s", STR_ARG(port));
    PQconninfoFree(options);
}

/* ---- connecting ---- */

static void ignore_notice(void *arg, const PGresult *notice)
{
    (void)arg;
    (void)notice; /* libpq's default receiver would write it to standard error */
}

/* Reports libpq's error; never the URL, which may contain a password. */
static enum rc set_connect_error(PGconn *conn, bool readonly, struct err *reterr)
{
    struct str text = str_of(PQerrorMessage(conn));
    char state[6] = "";
    enum rc rc = RC_BUSY;

    if (postgres_state_in(text, state))
        rc = postgres_rc(state, readonly);
    if (rc == RC_LOST)
        rc = RC_BUSY;
    return err_set(reterr, rc, -1, 0, "cannot connect to PostgreSQL: %.*s",
                   STR_ARG(first_line(text.ptr)));
}

/* Waits for the socket or the deadline; returns the socket's ready events. */
static short wait_for(PGconn *conn, const struct deadline *deadline, short events)
{
    struct pollfd fds[] = {
        {.fd = PQsocket(conn), .events = events},
        {.fd = deadline->fd, .events = POLLIN},
    };

    while (poll(fds, 2, -1) < 0)
        must(errno == EINTR);
    return fds[0].revents;
}

static enum rc wait_until_connected(PGconn *conn, struct deadline *deadline, bool readonly,
                                    struct err *reterr)
{
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;

    deadline_start(deadline);
    while (next != PGRES_POLLING_OK) {
        if (!wait_for(conn, deadline, next == PGRES_POLLING_READING ? POLLIN : POLLOUT))
            return err_set(reterr, RC_BUSY, -1, 0,
                           "no answer from PostgreSQL within %d ms; check that it runs and is "
                           "reachable",
                           deadline->ms);
        next = PQconnectPoll(conn);
        if (next == PGRES_POLLING_FAILED)
            return set_connect_error(conn, readonly, reterr);
    }
    return RC_OK;
}

/* `connect_timeout` of the URL; libpq reports one that is not a number. */
static int read_timeout_s(const char *text)
{
    struct str rest = str_of(text);
    int64_t seconds = 0;

    (void)str_take_number(&rest, TIMEOUT_MAX_S, &seconds);
    if (seconds == 0 || seconds > TIMEOUT_MAX_S)
        return TIMEOUT_MAX_S;
    return seconds < TIMEOUT_MIN_S ? (int)TIMEOUT_MIN_S : (int)seconds;
}

static int timeout_ms(const PQconninfoOption *parsed, const struct db_options *options)
{
    const char *text = option(parsed, "connect_timeout");

    if (text)
        return read_timeout_s(text) * 1000;
    if (count_hosts(parsed) > 1)
        return POSTGRES_HOST_MS;
    return options->deadline_ms + (options->readonly ? POSTGRES_MARGIN_MS : 0);
}

static const char *zero_ended(struct str text, char room[static POSTGRES_NAME_MAX])
{
    struct buf out = {.ptr = room, .cap = POSTGRES_NAME_MAX};

    room[0] = '\0';
    buf_str(&out, text);
    return room;
}

static PGconn *start(const char *url, const PQconninfoOption *options, int host, bool readonly)
{
    bool has_choice = count_hosts(options) > 1;
    char name[POSTGRES_NAME_MAX], addr[POSTGRES_NAME_MAX], port[POSTGRES_NAME_MAX];
    /*
     * The URL overrides the options before dbname, but not those after it.  With one host, the
     * list ends before "host".  The kernel notices a peer that has vanished after some 10 s.
     */
    const char *const names[] = {"application_name",
                                 "target_session_attrs",
                                 "tcp_user_timeout",
                                 "keepalives_idle",
                                 "keepalives_interval",
                                 "keepalives_count",
                                 "dbname",
                                 "client_encoding",
                                 has_choice ? "host" : NULL,
                                 "hostaddr",
                                 "port",
                                 NULL};
    const char *const values[] = {"belfry",
                                  readonly ? "any" : "read-write",
                                  "10000",
                                  "4",
                                  "2",
                                  "3",
                                  url,
                                  "UTF8",
                                  zero_ended(item(option(options, "host"), host), name),
                                  zero_ended(item(option(options, "hostaddr"), host), addr),
                                  zero_ended(item(option(options, "port"), host), port),
                                  NULL};

    return PQconnectStartParams(names, values, 1);
}

enum rc postgres_connect(const char *url, int host, const struct db_options *options,
                         PGconn **ret, struct err *reterr)
{
    PQconninfoOption *parsed = PQconninfoParse(url, NULL);
    struct deadline deadline;
    PGconn *conn;
    enum rc rc;

    must(parsed && host >= 0 && host < count_hosts(parsed));
    rc = deadline_open(timeout_ms(parsed, options), &deadline, reterr);
    if (rc != RC_OK) {
        PQconninfoFree(parsed);
        return rc;
    }
    conn = start(url, parsed, host, options->readonly);
    PQconninfoFree(parsed);
    must(conn);                                  /* NULL: out of memory */
    PQsetErrorVerbosity(conn, PQERRORS_VERBOSE); /* for the SQLSTATE of an error */
    PQsetNoticeReceiver(conn, ignore_notice, NULL);
    rc = PQstatus(conn) == CONNECTION_BAD
             ? set_connect_error(conn, options->readonly, reterr)
             : wait_until_connected(conn, &deadline, options->readonly, reterr);
    deadline_close(&deadline);
    if (rc == RC_OK)
        *ret = conn;
    else
        PQfinish(conn);
    return rc;
}
