/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of HTTP requests, on top of cli/remote/client.h.
 */
#include "cli/import/rest_batch.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "io/loop.h"

enum { HTTP_OK = 200, HTTP_REDIRECT = 300, HTTP_TOO_MANY = 429, HTTP_UNAVAILABLE = 503 };

struct rest_batch {
    struct loop *loop;
    struct client *client;
    struct rest_call *calls;
    int count, next, open;
};

/* A request that is in progress. */
struct flight {
    struct rest_batch *batch;
    struct rest_call *call;
};

static void start_calls(struct rest_batch *batch);

bool rest_is_ok(const struct rest_call *call)
{
    return call->status >= HTTP_OK && call->status < HTTP_REDIRECT;
}

/* The message of an error answer: Belfry's problem document or Conductor's. */
static void read_problem(struct rest_call *call)
{
    const char *detail = json_string_value(json_object_get(call->json, "detail"));
    const char *message = json_string_value(json_object_get(call->json, "message"));

    if (detail || message)
        snprintf(call->text, sizeof call->text, "%s", detail ? detail : message);
    else
        snprintf(call->text, sizeof call->text, "HTTP status %d", call->status);
}

static void on_done(void *arg, const struct client_answer *answer)
{
    struct flight *f = arg;
    struct rest_call *call = f->call;
    struct rest_batch *batch = f->batch;

    free(f);
    call->status = answer->status;
    call->server_now = answer->server_now;
    if (answer->status == 0)
        snprintf(call->text, sizeof call->text, "%s", answer->err.text);
    else if (answer->body.len > 0)
        call->json = json_loadb(answer->body.ptr, answer->body.len, JSON_DECODE_ANY, NULL);
    if (answer->status != 0 && !rest_is_ok(call))
        read_problem(call);
    batch->open--;
    start_calls(batch);
    if (batch->open == 0)
        loop_stop(batch->loop);
}

static void start_call(struct rest_batch *batch, struct rest_call *call)
{
    struct flight *f = malloc(sizeof *f);
    char *body = call->body ? json_dumps(call->body, JSON_COMPACT) : NULL;
    struct client_request request = {
        .method = call->method, .path = call->path, .body = str_of(body)};

    must(f && (body || !call->body));
    *f = (struct flight){batch, call};
    batch->open++;
    client_send(batch->client, &request, on_done, f);
    free(body);
}

static void start_calls(struct rest_batch *batch)
{
    while (batch->open < REST_CALLS_MAX && batch->next < batch->count) {
        struct rest_call *call = &batch->calls[batch->next++];

        if (call->is_pending)
            start_call(batch, call);
    }
}

static bool is_busy(const struct rest_call *call)
{
    return call->status == HTTP_TOO_MANY || call->status == HTTP_UNAVAILABLE;
}

void rest_batch_run(struct rest_batch *batch, struct rest_call *calls, int count)
{
    span wait = REST_WAIT;
    bool any = false;

    for (int i = 0; i < count; i++) {
        calls[i].is_pending = calls[i].path != NULL;
        any = any || calls[i].is_pending;
    }
    for (int tries = 1; any; tries++) {
        batch->calls = calls;
        batch->count = count;
        batch->next = 0;
        start_calls(batch);
        loop_run(batch->loop);
        any = false;
        for (int i = 0; i < count; i++) {
            calls[i].is_pending = calls[i].is_pending && tries < REST_TRIES_MAX &&
                                  is_busy(&calls[i]);
            if (calls[i].is_pending)
                rest_calls_clear(&calls[i], 1);
            any = any || calls[i].is_pending;
        }
        if (any)
            poll(NULL, 0, (int)(wait / SPAN_MS));
        wait *= 2;
    }
}

void rest_calls_clear(struct rest_call *calls, int count)
{
    for (int i = 0; i < count; i++) {
        json_decref(calls[i].json);
        calls[i].json = NULL;
    }
}

void rest_escape(struct buf *path, struct str part)
{
    bool is_dots = str_eq(part, STR(".")) || str_eq(part, STR(".."));

    for (size_t i = 0; i < part.len; i++) {
        char c = part.ptr[i];

        if (char_is_alpha(c) || char_is_digit(c) || c == '-' || c == '_' || c == '~' ||
            (c == '.' && !is_dots))
            buf_char(path, c);
        else
            buf_printf(path, "%%%02X", (unsigned)(unsigned char)c);
    }
}

enum rc rest_batch_new(const struct client_options *options, struct rest_batch **ret,
                       struct err *reterr)
{
    struct client_options all = *options;
    struct rest_batch *batch = calloc(1, sizeof *batch);
    enum rc rc;

    must(batch);
    all.calls = REST_CALLS_MAX;
    batch->loop = loop_new(NULL, NULL);
    rc = client_open(batch->loop, &all, &batch->client, reterr);
    if (rc != RC_OK) {
        loop_free(batch->loop);
        free(batch);
        return rc;
    }
    *ret = batch;
    return RC_OK;
}

static void on_closed(void *arg)
{
    struct rest_batch *batch = arg;

    loop_stop(batch->loop);
}

struct rest_batch *rest_batch_free(struct rest_batch *batch)
{
    if (!batch)
        return NULL;
    client_close(batch->client, on_closed, batch);
    loop_run(batch->loop);
    loop_free(batch->loop);
    free(batch);
    return NULL;
}
