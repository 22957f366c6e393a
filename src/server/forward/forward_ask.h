/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of Belfry itself to an upstream, over the connections of the forwarder.  For the io
 * thread.
 */
#pragma once

#include "server/forward/forwarder.h"

enum { FORWARD_ASK_ANSWER_MAX = 1 << 20 }; /* bytes: a list of names */
#define FORWARD_ASK_TIME_MAX (2 * SPAN_S)  /* a client waits for it */

struct forward_ask; /* opaque */

struct forward_question {
    const char *path;
    struct str message;
    int64_t namespace; /* the one whose settings have the upstream */
    const struct upstream_settings *upstream;
    const struct http1_request *request; /* of the client that needs the answer */
    bool keeps_credentials;              /* of that client, see struct forward_order */
};

/*
 * `on_answer` gets the message, or NULL if there is none, and is not called from within this
 * function.  The ask is freed then.  What the question points to must be valid only during the
 * call.
 */
struct forward_ask *forward_ask_start(struct forwarder *forwarder,
                                      const struct forward_question *question,
                                      void (*on_answer)(void *arg, const struct str *message),
                                      void *arg);

/* Frees the ask; it is not answered. */
void forward_ask_cancel(struct forward_ask *ask);
