/* SPDX-License-Identifier: Apache-2.0 */
/* What HTTP/2 and HTTP/1.1 do with a connection of the HTTP client; only its files use it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "io/io_bytes.h"

struct http_call;
struct http_conn;

struct http_protocol {
    int conns_max;                      /* of one target */
    void (*start)(struct http_conn *c); /* the connection is ready */
    bool (*has_room)(const struct http_conn *c);
    void (*submit)(struct http_conn *c, struct http_call *call);
    bool (*receive)(struct http_conn *c, struct str bytes);    /* false: broken */
    bool (*end_input)(struct http_conn *c);                    /* false: too early */
    bool (*gather)(struct http_conn *c, struct io_bytes *out); /* to be sent; false: broken */
    bool (*is_over)(const struct http_conn *c);
    void (*consume)(struct http_call *call, size_t n);
    void (*cancel)(struct http_conn *c, struct http_call *call); /* it has left its ring */
    void (*check_silence)(struct http_conn *c, uint64_t silent_ms);
    void (*release)(struct http_conn *c); /* frees its state */
};

extern const struct http_protocol http_protocol_h2; /* http_client_h2.c */
extern const struct http_protocol http_protocol_h1; /* http_client_h1.c */
