/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP/2 client: nghttp2 for valid requests, and frames by hand for invalid ones.  Its
 * socket blocks, but not longer than PATIENCE.
 */
#pragma once

#include "client.h"

#include <nghttp2/nghttp2.h>

#include "base/buf.h"

enum { H2C_STREAMS = 128, H2C_TEXT = 2048, H2C_BODY = 16 << 20, H2C_SEND = 64 << 10 };

/* The part of one stream's answer that has arrived. */
struct h2c_answer {
    int32_t id;
    /* "name: value\n"; `tail` has the fields after the body */
    char head[H2C_TEXT], tail[H2C_TEXT];
    char *body;
    size_t body_len;
    bool is_closed;
    uint32_t error; /* of the close */
};

struct h2c {
    int fd;
    nghttp2_session *session;
    struct h2c_answer answers[H2C_STREAMS];
    int count;
    bool has_goaway, has_eof;
    uint32_t goaway; /* its error */
    int pongs;
};

struct h2c *h2c_open(int fd);
void h2c_close(struct h2c *h);

struct h2c_request {
    const char *method, *path, *authority;
    const char *name, *value;   /* an additional field; NULL: none */
    const char *name2, *value2; /* and another */
    const char *name3, *value3; /* and a third */
    struct str body;
    bool is_half; /* the end is not sent */
};

/* Sends it; returns where the answer will be. */
struct h2c_answer *h2c_ask(struct h2c *h, const struct h2c_request *request);
struct h2c_answer *h2c_get(struct h2c *h, const char *path);

/* Sends what nghttp2 has to send. */
void h2c_flush(struct h2c *h);

/* Reads until the stream is closed; the test fails if the connection ends before. */
void h2c_await(struct h2c *h, const struct h2c_answer *answer);
void h2c_await_body(struct h2c *h, const struct h2c_answer *answer, size_t len); /* at least */
void h2c_await_pong(struct h2c *h);                                              /* one more */
void h2c_await_goaway(struct h2c *h);
void h2c_await_end(struct h2c *h);

/* Sends one frame as it is; false once the server does not accept it. */
bool h2c_frame(int fd, uint8_t type, uint8_t flags, uint32_t id, struct str payload);

/* The preface and empty settings. */
void h2c_hello(int fd);
