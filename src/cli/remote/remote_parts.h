/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the remote*.c files and view.c; not for others.
 */
#pragma once

#include "cli/frame/when.h"
#include "cli/remote/remote.h"

enum {
    REMOTE_SERVER_MAX = 1024, /* bytes of the server's URL          */
    REMOTE_NAME_MAX = 1000,   /* bytes of a namespace: the server's limit */
    EVENT_ID_MAX = 2048,      /* a cursor: a number per node        */
};

struct remote {
    struct fetch *fetch;
    enum output output;
    bool has_colours, is_utc;
    bool is_streaming; /* the request is a stream                         */
    bool has_begun;    /* the stream has sent an id that it can resume at */
    struct when when;  /* opened by the first remote_when()               */
    char server[REMOTE_SERVER_MAX + 1];
    char namespace[REMOTE_NAME_MAX + 1];
    char authorization[TOKEN_MAX + 32];
    char stream_from[EVENT_ID_MAX + 32]; /* Last-Event-ID */
};

int remote_send(struct remote *remote, const struct remote_request *request, fetch_part *part,
                void *arg, struct fetch_answer *ret);

/* Reports why `request` has no answer; returns the exit status. */
int remote_report_error(const struct remote *remote, const struct remote_request *request,
                        const struct err *err);
