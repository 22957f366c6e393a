/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of gRPC calls, on top of io/client/http_client.h.
 */
#include "cli/import/rpc_batch.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "io/loop.h"

#define SERVICE "/temporal.api.workflowservice.v1.WorkflowService/"

enum { PATH_MAX_BYTES = 128, FIELDS_MAX = 4 };

struct rpc_batch {
    struct loop *loop;
    struct http_client *client;
    struct arena *arena; /* of the current run */
    const struct rpc_peer *peer;
    struct rpc_call *calls;
    int count, next, open;
};

/* A call that is in progress. */
struct flight {
    struct rpc_batch *batch;
    struct rpc_call *call;
    struct http_call *h2;
    struct http1_field fields[FIELDS_MAX];
    char path[PATH_MAX_BYTES];
    char *bytes; /* of the answer */
    size_t len, room;
    int http_status;
    bool has_status, is_too_large;
};

static void start_calls(struct rpc_batch *batch);

/* The user chose the server, so every address is allowed. */
static bool permits(void *arg, const struct address *address)
{
    (void)arg;
    (void)address;
    return true;
}

static void read_fields(struct flight *f, const struct http1_field *fields, int count)
{
    for (int i = 0; i < count; i++) {
        if (str_eq(fields[i].name, STR("grpc-status"))) {
            f->has_status = true;
            f->call->status = grpc_status_read(fields[i].value);
        } else if (str_eq(fields[i].name, STR("grpc-message"))) {
            struct buf out = BUF(f->call->text);

            grpc_unescape_message(fields[i].value, &out);
        }
    }
}

static void on_head(void *arg, int status, const struct http1_field *fields, int count)
{
    struct flight *f = arg;

    f->http_status = status;
    read_fields(f, fields, count);
}

static void on_data(void *arg, struct str data)
{
    struct flight *f = arg;

    http_call_consume(f->h2, data.len);
    if (f->is_too_large || data.len > RPC_ANSWER_MAX - f->len) {
        f->is_too_large = true;
        return;
    }
    if (f->len + data.len > f->room) {
        f->room = 2 * (f->len + data.len);
        f->bytes = realloc(f->bytes, f->room);
        must(f->bytes);
    }
    memcpy(f->bytes + f->len, data.ptr, data.len);
    f->len += data.len;
}

static void fail(struct rpc_call *call, enum grpc_status status, const char *text)
{
    call->status = status;
    snprintf(call->text, sizeof call->text, "%s", text);
}

/* Unpacks the message of a successful answer. */
static void read_answer(struct flight *f)
{
    struct rpc_call *call = f->call;
    struct str message;
    ProtobufCMessage *answer;
    bool is_compressed;
    struct err err;

    if (f->is_too_large) {
        fail(call, GRPC_INTERNAL, "the answer is too large");
    } else if (grpc_unframe((struct str){f->bytes, f->len}, &is_compressed, &message, &err) !=
                   RC_OK ||
               is_compressed) {
        fail(call, GRPC_INTERNAL, "the answer is not a gRPC message");
    } else if (call->type) {
        message = arena_str(f->batch->arena, message);
        if (proto_unpack(call->type, message, f->batch->arena, &answer, &err) != RC_OK)
            fail(call, GRPC_INTERNAL, err.text);
        else
            call->answer = answer;
    }
}

static void on_end(void *arg, const struct http_end *end)
{
    struct flight *f = arg;
    struct rpc_batch *batch = f->batch;
    struct rpc_call *call = f->call;

    if (end->kind == HTTP_END_DONE)
        read_fields(f, end->trailers, end->trailer_count);
    if (end->kind != HTTP_END_DONE) {
        fail(call, GRPC_UNAVAILABLE, end->text);
        call->is_unreachable = true;
    } else if (!f->has_status) {
        call->status = grpc_status_of_http(f->http_status);
        snprintf(call->text, sizeof call->text,
                 "HTTP status %d without a gRPC status; is this a gRPC address?",
                 f->http_status);
        call->is_unreachable = true;
    } else if (call->status == GRPC_OK) {
        read_answer(f);
    }
    free(f->bytes);
    free(f);
    batch->open--;
    start_calls(batch);
    if (batch->open == 0)
        loop_stop(batch->loop);
}

static const struct http_watch watch = {
    .permits = permits, .on_head = on_head, .on_data = on_data, .on_end = on_end};

static void start_call(struct rpc_batch *batch, struct rpc_call *call)
{
    struct flight *f = calloc(1, sizeof *f);
    struct buf path;
    int n = 0;

    must(f);
    *f = (struct flight){.batch = batch, .call = call};
    call->is_unreachable = false;
    path = BUF(f->path);
    buf_text(&path, SERVICE);
    buf_text(&path, call->method);
    must(!path.cut);
    f->fields[n++] = (struct http1_field){STR("content-type"), STR("application/grpc")};
    f->fields[n++] = (struct http1_field){STR("te"), STR("trailers")};
    if (batch->peer->bearer.len > 0)
        f->fields[n++] = (struct http1_field){STR("authorization"), batch->peer->bearer};
    batch->open++;
    f->h2 = http_client_call(batch->client,
                             &(struct http_request){
                                 .target = &batch->peer->target,
                                 .method = STR("POST"),
                                 .path = buf_as_str(&path),
                                 .fields = f->fields,
                                 .field_count = n,
                                 .body = proto_frame(call->request, batch->arena),
                                 .within = RPC_TIMEOUT,
                             },
                             &watch, f);
}

/* A server that is too busy says so before it has done anything. */
static bool is_busy(const struct rpc_call *call)
{
    return !call->is_unreachable &&
           (call->status == GRPC_RESOURCE_EXHAUSTED || call->status == GRPC_UNAVAILABLE);
}

static void start_calls(struct rpc_batch *batch)
{
    while (batch->open < RPC_CALLS_MAX && batch->next < batch->count) {
        struct rpc_call *call = &batch->calls[batch->next++];

        if (call->is_pending)
            start_call(batch, call);
    }
}

void rpc_batch_run(struct rpc_batch *batch, const struct rpc_peer *peer, struct rpc_call *calls,
                   int count, struct arena *arena)
{
    span wait = RPC_WAIT;
    bool any = count > 0;

    for (int i = 0; i < count; i++)
        calls[i].is_pending = true;
    for (int tries = 1; any; tries++) {
        *batch = (struct rpc_batch){.loop = batch->loop,
                                    .client = batch->client,
                                    .arena = arena,
                                    .peer = peer,
                                    .calls = calls,
                                    .count = count};
        start_calls(batch);
        if (batch->open > 0)
            loop_run(batch->loop);
        any = false;
        for (int i = 0; i < count; i++) {
            calls[i].is_pending = calls[i].is_pending && tries < RPC_TRIES_MAX &&
                                  is_busy(&calls[i]);
            any = any || calls[i].is_pending;
        }
        if (any)
            poll(NULL, 0, (int)(wait / SPAN_MS));
        wait *= 2;
    }
}

struct rpc_batch *rpc_batch_new(const char *ca_file)
{
    struct rpc_batch *batch = calloc(1, sizeof *batch);

    must(batch);
    batch->loop = loop_new(NULL, NULL);
    batch->client = http_client_new(loop_uv(batch->loop), ca_file);
    return batch;
}

static void on_closed(void *arg)
{
    struct rpc_batch *batch = arg;

    loop_stop(batch->loop);
}

struct rpc_batch *rpc_batch_free(struct rpc_batch *batch)
{
    if (!batch)
        return NULL;
    http_client_close(batch->client, on_closed, batch);
    loop_run(batch->loop);
    loop_free(batch->loop);
    free(batch);
    return NULL;
}
