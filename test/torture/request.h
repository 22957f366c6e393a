/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blocking HTTP/1.1 client: one connection, one request, one answer.
 *
 * It distinguishes what a lost answer means: whether the request may have been executed.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

enum {
    REQUEST_ANSWER_MAX = 4 << 20, /* bytes: a thousand runs with their actions */
    REQUEST_ETAG_MAX = 32,
};

struct request {
    uint16_t port; /* on 127.0.0.1 */
    const char *method, *path;
    const char *key;      /* of idempotency; NULL: none */
    const char *if_match; /* NULL: none */
    struct str body;      /* JSON */
    int patience_ms;      /* for the whole exchange, then REQUEST_LOST */
};

enum request_end {
    REQUEST_ANSWERED, /* status, etag and body are set */
    REQUEST_REFUSED,  /* nothing listens: it was certainly not executed */
    REQUEST_LOST,     /* it may have been executed */
};

struct request_answer {
    int status;
    char etag[REQUEST_ETAG_MAX]; /* without its quotes; empty: none */
    struct str body;             /* valid until the next request_do() */
};

enum request_end request_do(const struct request *ask, struct request_answer *ret);

/* Waits between two tries. */
void request_nap(int ms);
