/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client that makes gRPC calls as fast as they are answered: one thread, any number of
 * connections, any number of calls under way on each.
 *
 * h2load could repeat the same request, but not create objects with different names.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

enum { RPC_MESSAGE_MAX = 2048 };

struct rpc_load {
    uint16_t port; /* of 127.0.0.1 */
    const char *method;
    int connections, streams; /* of each connection */
    double seconds;
    int64_t most; /* calls; 0: until the time is over */
    /* Appends the message of the next call, without its frame. */
    void (*write)(void *arg, struct buf *out);
    void *arg;
};

struct rpc_result {
    double per_s, p50_us, p99_us;
    int64_t done, bad; /* bad: those of `done` without status 0 */
    size_t bytes;      /* of the last message */
    char why[256];     /* grpc-status and -message of bad ones, cut off */
};

/* Ends the process if the server cannot be used. */
struct rpc_result rpc_run(const struct rpc_load *load);
