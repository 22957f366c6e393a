/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client that makes calls of gRPC as fast as they are answered: one thread, any number of
 * connections, any number of calls under way on each.
 *
 * h2load could ask the same again and again, but not create things under names of their own.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

enum { RPC_MESSAGE_MAX = 2048, RPC_ANSWER_MAX = 64 * 1024 };

struct rpc_load {
    uint16_t port; /* of 127.0.0.1 */
    const char *method;
    int connections, streams; /* of each connection */
    int seconds;
    int64_t most; /* calls; 0: until the time is over */
    /* Appends the message of the next call, without its frame. */
    void (*write)(void *arg, struct buf *out);
    void *arg;
};

struct rpc_result {
    double per_s, p50_us, p99_us;
    int64_t done, bad; /* bad: of those that are done, without status 0 */
    size_t bytes;      /* of the message that came last                 */
    char why[256];     /* grpc-status and -message of the last bad one  */
};

/* Dies when the server does not speak with it. */
struct rpc_result rpc_run(const struct rpc_load *load);
