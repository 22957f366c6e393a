/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server-Sent Events (WHATWG HTML, section 9.2) as bytes of a stream of text/event-stream.
 *
 * Writes into the caller's buffer and sends nothing.
 */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Text without control bytes, but for `data`; what is empty is left out. */
struct sse_event {
    struct str id;   /* comes back as Last-Event-ID when the client connects again */
    struct str name; /* empty: "message"                                           */
    struct str data; /* of any number of lines                                     */
};

/* False, with nothing appended, when it does not fit.  The data are always there. */
MUST_USE bool sse_print(const struct sse_event *event, struct buf *out);

/* A line that no client sees: it tells both that the other is still there. */
#define SSE_COMMENT STR(":\n\n")
