/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server on its own thread, for clients (client.h) on the thread of the test.  The path of a
 * request says what the server does with it.
 *
 * The two threads communicate through mailboxes; the test waits for the server's notes.  Every
 * wait ends after PATIENCE.
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

#define PATIENCE (60 * SPAN_S) /* far more than anything here takes; then the test fails */

enum {
    APP_HELD_MAX = 64,
    APP_BODY_MAX = 1 << 20,
    APP_BIG = 8 << 20, /* more than all buffers between two sockets */
    APP_PIECE = 10007, /* bytes of one write to a stream; not a power of two */
    APP_STREAM = 1 << 22,
};

/* Kinds of answers to "/text?n": the kind is n % APP_KINDS, the length n / APP_KINDS. */
enum app_kind {
    APP_JSON,
    APP_PROBLEM, /* with a weak ETag */
    APP_STRONG,  /* text, strong ETag */
    APP_IMAGE,
    APP_CODED,  /* already encoded in another way */
    APP_BROKEN, /* has a field that is rejected */
    APP_KINDS = 10,
};

enum app_word {
    APP_ANSWER, /* to the server: answer the oldest exchange that is held */
    APP_EVENT,  /* send an event to the newest */
    APP_CUT,    /* cut the oldest */
    APP_TLS,    /* read the TLS files again */
    APP_CLOSE,  /* close the listener within `number` microseconds */
    APP_STOP,
    APP_RELOADED, /* from the server: the files were read; `number`: enum rc */
    APP_HELD,     /* from the server: an exchange is held */
    APP_GONE,     /* the client of an exchange has gone */
    APP_OVER,     /* `number`: whether the answer was sent */
    APP_FULL,     /* a stream has to wait; `number`: bytes accepted so far */
    APP_CLOSED,   /* the listener is closed */
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

/* The same with an additional port for TLS. */
struct app *app_start_tls(const struct listener_limits *limits, const struct tls_files *files);

/* Drops connected clients; exchanges that are held must have been ended. */
void app_stop(struct app *app);

/* Sends an order to the server; does not wait. */
void app_order(struct app *app, enum app_word word, int64_t number);

/* The next note of the server must be this; returns its number. */
int64_t app_await(struct app *app, enum app_word word);

/* The byte at `at` of a stream, and of the big answer. */
char app_byte(size_t at);

/* The server's handling of any request, for a listener without a thread. */
void app_request(void *arg, struct exchange *x);
int64_t app_body_max(void *arg, const struct http1_request *request);
