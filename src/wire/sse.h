/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes Server-Sent Events (WHATWG HTML, section 9.2) for a stream of text/event-stream.
 *
 * Writes into the caller's buffer and sends nothing.
 */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Text without control bytes, except in `data`; empty members are omitted. */
struct sse_event {
    struct str id;   /* the client sends it as Last-Event-ID when it reconnects */
    struct str name; /* empty: "message" */
    struct str data; /* any number of lines */
};

/* False, with nothing appended, if it does not fit.  The data field is always written. */
MUST_USE bool sse_print(const struct sse_event *event, struct buf *out);

/* A line that clients ignore: it shows both sides that the other is still there. */
#define SSE_COMMENT STR(":\n\n")
