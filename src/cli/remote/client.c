/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The asynchronous API client of the worker, on top of io/client/webhook.h.
 */
#include "cli/remote/client.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "io/client/webhook.h"
#include "io/clock.h"
#include "wire/http1/http1_date.h"

#define BEARER "Bearer "

enum { QUERY_MAX = sizeof "namespace=" + 3 * CLIENT_NAMESPACE_MAX };

/* The user chose the server, so every address is allowed. */
static const struct address_net everywhere = {.bits = 0};
static const struct address_policy policy = {.allow = &everywhere, .allow_count = 1};

struct client {
    struct webhook_pool *pool;
    struct str server; /* without a trailing slash */
    char server_text[WEBHOOK_URL_MAX];
    char query[QUERY_MAX];                         /* of every request; empty: none */
    char bearer[sizeof BEARER + CLIENT_TOKEN_MAX]; /* empty: no token */
    bool is_conductor;
    int64_t last_call;
    void (*closed)(void *arg);
    void *closed_arg;
};

/* A call whose answer is outstanding. */
struct waiting {
    client_done *done;
    void *arg;
};

static void write_query(struct buf *out, struct str namespace)
{
    if (namespace.len == 0)
        return;
    buf_text(out, "namespace=");
    for (size_t i = 0; i < namespace.len; i++) {
        char c = namespace.ptr[i];

        if (char_is_alpha(c) || char_is_digit(c) || (c != '\0' && strchr("-._~", c)))
            buf_char(out, c);
        else
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

static enum rc check_server(struct str server, struct err *reterr)
{
    int64_t origin;
    bool is_tls;

    if (server.len > WEBHOOK_URL_MAX - CLIENT_PATH_MAX - QUERY_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "server URL is %zu bytes; the limit is %d",
                       server.len, WEBHOOK_URL_MAX - CLIENT_PATH_MAX - (int)QUERY_MAX);
    if (memchr(server.ptr, '?', server.len) || memchr(server.ptr, '#', server.len))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "server URL must not have a query or fragment; use http://HOST:PORT");
    return webhook_check_url(server, &is_tls, &origin, reterr);
}

/* Errors do not quote the token, since they may be logged. */
static enum rc write_bearer(struct client *client, const char *token, struct err *reterr)
{
    struct str text = str_of(token ? token : "");
    struct buf out = BUF(client->bearer);

    if (text.len > CLIENT_TOKEN_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "token is %zu bytes; the limit is %d",
                       text.len, CLIENT_TOKEN_MAX);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~')
            return err_set(reterr, RC_INVALID, -1, 0,
                           "token must be visible ASCII, such as bf_worker_...");
    if (text.len > 0 && !client->is_conductor)
        buf_text(&out, BEARER);
    buf_str(&out, text);
    must(!out.cut);
    return RC_OK;
}

enum rc client_open(struct loop *loop, const struct client_options *options,
                    struct client **ret, struct err *reterr)
{
    struct str server = str_of(options->server), namespace = str_of(options->namespace);
    struct webhook_limits limits = {
        .all = options->calls,
        .per_host = options->calls,
        .answer_max = CLIENT_ANSWER_MAX,
        .agent = options->agent,
        .ca_file = options->ca_file,
    };
    struct client *client;
    struct buf text, query;
    enum rc rc;

    while (server.len > 0 && server.ptr[server.len - 1] == '/')
        server.len--;
    rc = check_server(server, reterr);
    if (rc)
        return rc;
    if (namespace.len > CLIENT_NAMESPACE_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "namespace is %zu bytes; the limit is %d",
                       namespace.len, CLIENT_NAMESPACE_MAX);
    client = calloc(1, sizeof *client);
    must(client);
    client->is_conductor = options->is_conductor;
    rc = write_bearer(client, options->token, reterr);
    if (rc) {
        free(client);
        return rc;
    }
    text = BUF(client->server_text);
    buf_str(&text, server);
    client->server = buf_as_str(&text);
    query = BUF(client->query);
    write_query(&query, namespace);
    must(!text.cut && !query.cut);
    client->pool = webhook_pool_new(loop_uv(loop), &limits);
    *ret = client;
    return RC_OK;
}

static instant answer_date(const struct webhook_result *result)
{
    instant date = INSTANT_NONE;
    struct err err;

    if (result->header_count == 0 ||
        http1_date_parse(result->headers[0].value, clock_now(), &date, &err) != RC_OK)
        return INSTANT_NONE;
    return date;
}

static void on_done(void *arg, const struct webhook_result *result)
{
    struct waiting *waiting = arg;
    struct client_answer answer = {.server_now = INSTANT_NONE, .err = result->err};

    if (result->kind == WEBHOOK_ANSWERED && result->is_cut) {
        err_set(&answer.err, RC_LIMIT, -1, 0, "response exceeds %d bytes", CLIENT_ANSWER_MAX);
    } else if (result->kind == WEBHOOK_ANSWERED) {
        answer.status = result->status;
        answer.body = result->body;
        answer.server_now = answer_date(result);
    }
    waiting->done(waiting->arg, &answer);
    free(waiting);
}

int64_t client_send(struct client *client, const struct client_request *what, client_done *done,
                    void *arg)
{
    struct webhook_header headers[] = {
        {STR("Content-Type"), STR("application/json")},
        {client->is_conductor ? STR("X-Authorization") : STR("Authorization"),
         str_of(client->bearer)},
    };
    bool has_type = what->body.len > 0, has_token = client->bearer[0] != '\0';
    static const struct str date = {"Date", 4};
    char url[WEBHOOK_URL_MAX];
    struct buf out = BUF(url);
    struct waiting *waiting = malloc(sizeof *waiting);
    struct webhook_request request = {
        .id = ++client->last_call,
        .method = str_of(what->method ? what->method : "POST"),
        .extra = has_type ? headers : headers + 1,
        .extra_count = has_type + has_token,
        .has_body = what->body.len > 0,
        .body = what->body,
        .connect_us = CLIENT_CONNECT,
        .first_byte_us = what->wait + CLIENT_TIMEOUT,
        .total_us = what->wait + 2 * CLIENT_TIMEOUT,
        .send_by_us = INT64_MAX,
        .keep_bytes = CLIENT_ANSWER_MAX,
        .keep_headers = &date,
        .keep_header_count = 1,
        .policy = &policy,
    };
    struct err err;

    must(waiting);
    *waiting = (struct waiting){done, arg};
    buf_str(&out, client->server);
    buf_text(&out, what->path);
    if (client->query[0] != '\0') {
        buf_char(&out, strchr(what->path, '?') ? '&' : '?');
        buf_text(&out, client->query);
    }
    must(!out.cut);
    request.url = buf_as_str(&out);
    must(webhook_start(client->pool, &request, on_done, waiting, &err) == RC_OK);
    return request.id;
}

void client_cancel(struct client *client, int64_t call)
{
    webhook_cancel(client->pool, call);
}

static void on_closed(void *arg)
{
    struct client *client = arg;

    client->closed(client->closed_arg);
    free(client);
}

void client_close(struct client *client, void (*closed)(void *arg), void *arg)
{
    client->closed = closed;
    client->closed_arg = arg;
    webhook_pool_close(client->pool, on_closed, client);
}
