/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that both proxies forward to: it answers everything at once, by HTTP/1.1 with a
 * small document and by gRPC with a small message.  Prints its port and runs until it is
 * killed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "io/loop.h"
#include "io/net/listener.h"

enum { BODY_MAX = 1 << 20 };

static int64_t body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    (void)request;
    return BODY_MAX;
}

static void on_request(void *arg, struct exchange *x)
{
    static const struct http1_field json = {{"content-type", 12}, {"application/json", 16}};
    static const struct http1_field grpc = {{"content-type", 12}, {"application/grpc", 16}};
    static const struct http1_field status = {{"grpc-status", 11}, {"0", 1}};
    static const char message[] = "\0\0\0\0\2\x0a";

    (void)arg;
    if (!exchange_is_h2(x)) {
        exchange_answer(x, 200, &json, 1,
                        STR("{\"workflowId\":\"3a5b8c2d-1234-5678-9abc-def012345678\","
                            "\"status\":\"RUNNING\",\"input\":{\"order\":\"17\"}}"));
        return;
    }
    exchange_set_trailers(x, &status, 1);
    exchange_answer(x, 200, &grpc, 1, (struct str){message, sizeof message});
}

int main(void)
{
    struct loop *loop = loop_new(NULL, NULL);
    const struct listener_handler handler = {.body_max = body_max, .on_request = on_request};
    struct listener *listener = listener_new(loop_uv(loop), &listener_limits_default, &handler);
    uint16_t port = 0;
    struct err err;

    if (listener_bind(listener, "127.0.0.1", 0, &port, &err) != RC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    must(printf("%u\n", port) > 0 && fflush(stdout) == 0);
    loop_run(loop);
    return EXIT_SUCCESS;
}
