/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of HTTP/1.1 that waits: one connection, one request, one answer.
 *
 * What matters to its users is what a lost answer means: whether the request can have been
 * done.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

enum {
    ASK_ANSWER_MAX = 4 << 20, /* bytes: a thousand runs with their actions */
    ASK_ETAG_MAX = 32,
};

struct ask {
    uint16_t port; /* on 127.0.0.1 */
    const char *method, *path;
    const char *key;      /* of idempotency; NULL: none             */
    const char *if_match; /* NULL: none                             */
    struct str body;      /* JSON                                   */
    int patience_ms;      /* for the whole of it, then ASK_LOST     */
};

enum ask_end {
    ASK_ANSWERED, /* status, etag and body are set                 */
    ASK_REFUSED,  /* nobody listens: it was certainly not done     */
    ASK_LOST,     /* it may have been done                         */
};

struct ask_answer {
    int status;
    char etag[ASK_ETAG_MAX]; /* without its quotes; empty: none */
    struct str body;         /* until the next ask_do()         */
};

enum ask_end ask_do(const struct ask *ask, struct ask_answer *ret);

/* Lets some time pass, between two tries. */
void ask_nap(int ms);
