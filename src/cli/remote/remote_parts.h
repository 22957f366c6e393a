/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of remote share.
 */
#pragma once

#include "cli/frame/when.h"
#include "cli/remote/credentials.h"
#include "cli/remote/remote.h"

enum {
    REMOTE_SERVER_MAX = 1024, /* bytes of the server's URL    */
    HELD_FIRST = 16 * 1024,   /* bytes of an answer at first  */
    EVENT_ID_MAX = 2048,      /* a cursor: a number per node  */
};

struct remote {
    struct fetch *fetch;
    enum output output;
    bool has_colours, is_utc;
    bool is_streaming, has_begun; /* a stream; it has said where it is */
    struct when when;             /* opened when it is first asked for */
    char server[REMOTE_SERVER_MAX + 1];
    char namespace[256];
    char authorization[TOKEN_MAX + 32];
    char stream_from[EVENT_ID_MAX + 32]; /* Last-Event-ID */
};

/* An answer as it comes. */
struct held {
    char *text;
    size_t len, room;
    bool is_too_much;
};

int remote_send(struct remote *remote, const struct remote_request *request, fetch_part *part,
                void *arg, struct fetch_answer *ret);

/* Tells what went wrong, and returns the status to exit with. */
int remote_report_error(const struct remote *remote, const struct err *err);
