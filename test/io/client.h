/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP client that sends given bytes and compares the answer.  Its sockets block, but not
 * longer than PATIENCE.
 */
#pragma once

#include "app.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"

#define OK_TEXT   "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Type: text/plain\r\n"
#define VARY      "Vary: Accept-Encoding\r\n" /* of an answer that could have been gzip */
#define GET(path) "GET " path " HTTP/1.1\r\nHost: h\r\n\r\n"

#define EVENTS_HEAD                                                     \
    "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Type: text/event-stream\r\n" \
    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"    \
    "X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n"
#define EVENT_CHUNK "27\r\nid: 7\nevent: test\ndata: one\ndata: two\n\n\r\n"

int client_socket(void);
int client_connect_fd(int fd, uint16_t port); /* to 127.0.0.1; as connect() */
int client_connect(const struct app *app);

/* A client whose kernel buffers little of what it has not read. */
int client_connect_narrow(const struct app *app);

void client_send(int fd, struct str bytes);
void client_say(int fd, const char *text);

/* The next bytes must be these; "%" stands for a date. */
void client_expect(int fd, const char *text);

/* Everything is read, and the server has closed in an orderly way. */
void client_expect_end(int fd);

/* Closes with a reset: the server learns that the client is gone. */
void client_vanish(int fd);
