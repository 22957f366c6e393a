/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever is called by http and workflow actions: a listening socket, and requests that are
 * taken and answered one by one, when the test says.
 */
#pragma once

#include "world.h"

enum { LETTER_MAX = 64 * 1024 };

struct receiver {
    int fd;
    uint16_t port;
};

struct http_draft {
    int fd;                /* to answer on */
    char text[LETTER_MAX]; /* the head, terminated */
    char *body;            /* behind it, terminated */
};

void receiver_open(struct receiver *receiver);
void receiver_close(struct receiver *receiver);

/* The next request; the test fails when none comes. */
void receiver_take(struct receiver *receiver, struct http_draft *ret);
/* Whether somebody has connected. */
bool receiver_has(const struct receiver *receiver);

/* `status` as "200 OK", a body of JSON; closes. */
void receiver_answer(struct http_draft *draft, const char *status, const char *body);

/* The value of a header field, until the next call; the test fails when it is not there. */
const char *draft_field(const struct http_draft *draft, const char *name);
