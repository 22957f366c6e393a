/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of gRPC calls with one message each way: sends them together, waits for all answers.
 *
 * Calls that the server rejects because it is busy are repeated, so every call must be
 * idempotent.  Errors stay with their call: one bad answer does not end the batch.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "cli/frame/progress.h"
#include "io/client/http_client.h"
#include "wire/grpc/grpc.h"
#include "wire/grpc/proto.h"

enum {
    RPC_CALLS_MAX = 32,        /* at a time: one connection, below every server's limit */
    RPC_ANSWER_MAX = 64 << 20, /* bytes of an answer; Temporal's servers send at most 4 MiB */
    RPC_TRIES_MAX = 6,         /* of a call that the server is too busy for */
    RPC_TEXT_MAX = 400,
};

#define RPC_TIMEOUT (20 * SPAN_S)   /* of one call */
#define RPC_WAIT    (250 * SPAN_MS) /* before the second try; doubled before each further one */

struct rpc_peer {
    struct http_target target;
    struct str bearer; /* the authorization field; empty: none */
};

struct rpc_call {
    const char *method; /* "DescribeSchedule", of WorkflowService */
    const ProtobufCMessage *request;
    const ProtobufCMessageDescriptor *type; /* of the answer; NULL: it is ignored */
    /* Set by rpc_batch_run(): */
    enum grpc_status status;
    bool is_pending;         /* false after rpc_batch_run() */
    bool is_unreachable;     /* there was no answer */
    void *answer;            /* with GRPC_OK and a type, in the batch's arena */
    char text[RPC_TEXT_MAX]; /* the reason if the status is not GRPC_OK */
};

struct rpc_batch; /* opaque */

struct rpc_batch *rpc_batch_new(const char *ca_file);

/* Accepts NULL, returns NULL. */
struct rpc_batch *rpc_batch_free(struct rpc_batch *batch);

/* Returns when every call has ended. */
void rpc_batch_run(struct rpc_batch *batch, const struct rpc_peer *peer, struct rpc_call *calls,
                   int count, struct arena *arena);
