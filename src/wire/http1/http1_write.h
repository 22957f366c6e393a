/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes answers of HTTP/1.1: the head, and the frames of a streamed body.
 *
 * Writes into the caller's buffer and sends nothing.  Only this file writes the fields that
 * frame a message (length, coding, connection), so that no caller can contradict them.
 */
#pragma once

#include "base/buf.h"
#include "base/instant.h"
#include "wire/http1/http1.h"

enum http1_framing {
    HTTP1_NO_BODY,  /* only for 204 and 304 */
    HTTP1_SIZED,    /* Content-Length; for HEAD the length without bytes */
    HTTP1_CHUNKED,  /* not for HTTP/1.0 */
    HTTP1_TO_CLOSE, /* the end of the connection ends the body */
};

struct http1_answer {
    const struct http1_request *to; /* NULL after a parse error: the connection is closed */
    int status;                     /* 200 to 599 */
    instant now;                    /* for the Date field */
    enum http1_framing framing;
    int64_t length; /* with HTTP1_SIZED */
    bool closes;    /* even if the client would keep the connection */
    const struct http1_field *fields;
    int field_count;
};

/*
 * Appends the head with its empty line.  RC_INVALID: a field's name is not a token or is one of
 * those written here, or a value contains a control byte (CR, LF); RC_LIMIT: it does not fit.
 * On failure nothing is appended.
 */
MUST_USE enum rc http1_write_head(const struct http1_answer *answer, struct buf *out,
                                  struct err *reterr);

/* The check of the fields alone, for HTTP/2, where other code frames the answer. */
MUST_USE enum rc http1_write_check(const struct http1_answer *answer, bool may_have_date,
                                   struct err *reterr);

/* Whether the connection stays open after this answer, as its head says. */
bool http1_write_keeps_open(const struct http1_answer *answer);

/* The framing of a body of unknown length, for the HTTP version of that client. */
enum http1_framing http1_write_stream_framing(const struct http1_request *to);

/* Appends one chunk, none for empty data; false, with nothing appended, if it does not fit. */
MUST_USE bool http1_write_chunk(struct str data, struct buf *out);

/* The end of a chunked body, and the permission for a waiting client to send its body. */
#define HTTP1_LAST_CHUNK STR("0\r\n\r\n")
#define HTTP1_CONTINUE   STR("HTTP/1.1 100 Continue\r\n\r\n")

/* "Not Found"; "" for a status without a name. */
const char *http1_write_reason(int status);
