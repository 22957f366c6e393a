/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server on a thread of its own, for clients (client.h) on the test's.
 *
 * What it does with a request is in its path.  The two threads speak through mailboxes; what
 * the server has to tell, the test waits for.  Every wait ends after PATIENCE.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "io/loop.h"
#include "io/mailbox.h"
#include "io/net/listener.h"

#define PATIENCE (20 * SPAN_S) /* far more than anything here takes; then the test fails */

enum {
    APP_HELD_MAX = 64,
    APP_BODY_MAX = 1 << 20,
    APP_BIG = 8 << 20, /* more than all buffers between two sockets */
    APP_PIECE = 10007, /* of a stream: no round number              */
    APP_STREAM = 1 << 22,
};

/* Of the answers to "/text?n": the kind is n % APP_KINDS, its length n / APP_KINDS. */
enum app_kind {
    APP_JSON,
    APP_PROBLEM, /* with a weak ETag   */
    APP_STRONG,  /* text, strong ETag  */
    APP_IMAGE,
    APP_CODED,  /* in another way already      */
    APP_BROKEN, /* has a field that is refused */
    APP_KINDS = 10,
};

enum app_word {
    APP_ANSWER, /* to the server: answer the oldest exchange that is held    */
    APP_EVENT,  /* say an event to the youngest                              */
    APP_CUT,    /* ... or cut it                                             */
    APP_TLS,    /* read the files of TLS anew                                */
    APP_CLOSE,  /* close the listener within `number` microseconds           */
    APP_STOP,
    APP_RELOADED, /* from the server: they were read; `number`: enum rc      */
    APP_HELD,     /* from the server: an exchange is held                      */
    APP_GONE,
    APP_OVER,   /* `number`: whether the answer was sent                     */
    APP_FULL,   /* a stream was told to wait; `number`: bytes taken so far   */
    APP_CLOSED, /* the listener is                                           */
};

struct app_note {
    enum app_word word;
    int64_t number;
};

struct app {
    struct loop *loop;
    struct listener *listener;
    struct mailbox *orders, *news;
    pthread_t thread;
    uint16_t port, tls_port;
    struct tls_files tls;
    struct exchange *held[APP_HELD_MAX];
    int held_count;
    size_t streamed;
    bool was_full, is_closed;
    char *big;
};

struct app *app_start(const struct listener_limits *limits);

/* Likewise, with a port for TLS beside the other. */
struct app *app_start_tls(const struct listener_limits *limits, const struct tls_files *files);

/* Whoever is connected is dropped; exchanges that are held must have been ended. */
void app_stop(struct app *app);

/* The server does so soon. */
void app_order(struct app *app, enum app_word word, int64_t number);

/* The next that the server tells must be this; returns its number. */
int64_t app_await(struct app *app, enum app_word word);

/* The byte at `at` of what is streamed, and of the big answer. */
char app_byte(size_t at);

/* What the server does with any request, for a listener without a thread. */
void app_request(void *arg, struct exchange *x);
int64_t app_body_max(void *arg, const struct http1_request *request);
