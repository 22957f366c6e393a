/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call with one small answer, which is kept until it is complete.
 */
#include "server/forward/forward_ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "server/forward/forward_fields.h"
#include "server/forward/forwarder_parts.h"
#include "wire/grpc/grpc.h"

enum {
    FETCH_ARENA_MAX = 4 << 20
}; /* the fields, and an answer that was copied while it grew */

struct forward_ask {
    struct forwarder *forwarder;
    struct http_call *call;
    struct arena *arena;
    int64_t namespace;
    bool has_status, is_ok; /* gRPC's status, in the head or in the trailers */
    struct buf answer;
    void (*on_answer)(void *arg, const struct str *message);
    void *arg;
};

static void fetch_free(struct forward_ask *ask)
{
    must(ask->forwarder->asks > 0);
    ask->forwarder->asks--;
    arena_free(ask->arena);
    free(ask);
}

static bool permits(void *arg, const struct address *address)
{
    const struct forward_ask *ask = arg;

    return forwarder_permits(ask->forwarder, ask->namespace, address);
}

static void read_status(struct forward_ask *ask, const struct http1_field *fields, int count)
{
    for (int i = 0; i < count; i++)
        if (str_eq(fields[i].name, STR("grpc-status"))) {
            ask->has_status = true;
            ask->is_ok = grpc_status_read(fields[i].value) == GRPC_OK;
        }
}

static void on_head(void *arg, int status, const struct http1_field *fields, int count)
{
    (void)status;
    read_status(arg, fields, count);
}

/* An answer that is too long stays incomplete and is then not read. */
static void on_data(void *arg, struct str data)
{
    struct forward_ask *ask = arg;

    buf_str(&ask->answer, data);
    http_call_consume(ask->call, data.len);
}

static void on_end(void *arg, const struct http_end *end)
{
    struct forward_ask *ask = arg;
    void (*on_answer)(void *arg, const struct str *message) = ask->on_answer;
    void *answer_arg = ask->arg;
    bool is_compressed, is_good;
    struct str message;
    struct err unused;

    read_status(ask, end->trailers, end->trailer_count);
    is_good = end->kind == HTTP_END_DONE && ask->has_status && ask->is_ok && !ask->answer.cut &&
              grpc_unframe(buf_as_str(&ask->answer), &is_compressed, &message, &unused) ==
                  RC_OK &&
              !is_compressed;
    on_answer(answer_arg, is_good ? &message : NULL);
    fetch_free(ask);
}

static const struct http_watch watch = {
    .permits = permits, .on_head = on_head, .on_data = on_data, .on_end = on_end};

static struct str frame_of(struct str message, struct arena *arena)
{
    struct buf out = {.cap = GRPC_PREFIX + message.len + 1};

    out.ptr = arena_take(arena, out.cap);
    grpc_prefix(message.len, &out);
    buf_str(&out, message);
    return buf_as_str(&out);
}

struct forward_ask *forward_ask_start(struct forwarder *forwarder,
                                      const struct forward_question *question,
                                      void (*on_answer)(void *arg, const struct str *message),
                                      void *arg)
{
    struct forward_ask *ask = calloc(1, sizeof *ask);
    const struct http_target target = forwarder_target(question->upstream, LANE_SHORT);
    struct http1_field *fields;
    int count;

    must(ask != NULL);
    *ask = (struct forward_ask){.forwarder = forwarder,
                                .arena = arena_new(FETCH_ARENA_MAX),
                                .namespace = question->namespace,
                                .on_answer = on_answer,
                                .arg = arg};
    forwarder->asks++;
    fields = arena_array(ask->arena, HTTP_CLIENT_FIELDS_MAX, sizeof *fields);
    count = forward_fields_request(
        question->request,
        &(struct forward_rules){question->upstream, question->keeps_credentials, true},
        ask->arena, fields, HTTP_CLIENT_FIELDS_MAX);
    ask->answer = (struct buf){.cap = FORWARD_ASK_ANSWER_MAX};
    ask->answer.ptr = arena_take_raw(ask->arena, ask->answer.cap);
    ask->call = http_client_call(forwarder->client,
                                 &(struct http_request){
                                     .target = &target,
                                     .method = STR("POST"),
                                     .path = str_of(question->path),
                                     .fields = fields,
                                     .field_count = count > 0 ? count : 0,
                                     .body = frame_of(question->message, ask->arena),
                                     .within = FORWARD_ASK_TIME_MAX,
                                 },
                                 &watch, ask);
    return ask;
}

void forward_ask_cancel(struct forward_ask *ask)
{
    http_call_cancel(ask->call);
    fetch_free(ask);
}
