/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that http and workflow actions call: a listening socket, whose requests the test
 * accepts and answers one at a time.
 */
#pragma once

#include "world.h"

enum { RECEIVED_MAX = 64 * 1024 };

struct receiver {
    int fd;
    uint16_t port;
};

struct received_request {
    int fd;                  /* for the answer */
    char text[RECEIVED_MAX]; /* the head, zero-terminated */
    char *body;              /* after the head, zero-terminated */
};

void receiver_open(struct receiver *receiver);
void receiver_close(struct receiver *receiver);

/* The next request; the test fails when none comes. */
void receiver_take(struct receiver *receiver, struct received_request *ret);
/* True if a client has connected. */
bool receiver_has(const struct receiver *receiver);

/* Answers with a status such as "200 OK" and a JSON body; closes the connection. */
void receiver_answer(struct received_request *request, const char *status, const char *body);

/* The value of a header field, valid until the next call; the test fails if it is absent. */
const char *received_field(const struct received_request *request, const char *name);
