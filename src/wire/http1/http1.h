/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses requests of HTTP/1.0 and 1.1 (RFC 9110, 9112) from bytes as they arrive, and answers:
 * see wire/http1/http1_answer.h.
 *
 * The caller pushes bytes; any split of them gives the same requests and the same errors.
 * Strict: anything that two readers could understand differently is rejected, and the
 * connection must be closed then.  Uses no socket, clock or heap; a request points into a
 * buffer of the caller.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum {
    HTTP1_LINE_MAX = 8192,      /* of any line; RFC 9112 requires at least 8000 */
    HTTP1_SECTION_MAX = 16384,  /* of all field lines, including trailers, without their ends */
    HTTP1_FIELDS_MAX = 64,      /* header fields and trailers; browsers send about 20 */
    HTTP1_SEGMENTS_MAX = 32,    /* of a path; the deepest of ours has 8 */
    HTTP1_PAIRS_MAX = 64,       /* of a query; the largest list uses about 20 */
    HTTP1_HOST_MAX = 255,       /* bytes of a DNS name */
    HTTP1_PORT_MAX = 65535,     /* the maximum of TCP */
    HTTP1_EXT_MAX = 256,        /* chunk extensions of one body; they have no known use */
    HTTP1_SIZE_DIGITS_MAX = 16, /* of a chunk's size: 64 bits */
    HTTP1_BLANKS_MAX = 1,       /* empty lines before a request, RFC 9112 section 2.2 */

    /* The request line, its decoded form, the fields, and the line before a chunk. */
    HTTP1_ROOM = 2 * HTTP1_LINE_MAX + HTTP1_SECTION_MAX + HTTP1_EXT_MAX + HTTP1_SIZE_DIGITS_MAX,
};

struct http1_field {
    struct str name; /* as sent: compare without case */
    struct str value;
};

struct http1_pair {
    struct str key, value; /* decoded; "a" alone has an empty value */
};

struct http1_request {
    struct str method; /* any token except CONNECT; case-sensitive */
    struct str target; /* as sent */
    int minor;         /* 0 or 1: HTTP/1.0 or HTTP/1.1 */

    bool is_server_wide; /* OPTIONS for the whole server, `*`: there are no segments */
    bool is_absolute;    /* the target named the host, so the Host field is ignored */
    struct str host;     /* with brackets, without the port; may be empty in HTTP/1.0 */
    struct str port;     /* digits, empty if none was sent */

    bool is_chunked;
    int64_t length;        /* of the body; 0 if chunked; INT64_MAX for any larger value */
    bool is_persistent;    /* another request may follow on the connection */
    bool expects_continue; /* the client sends the body after HTTP1_CONTINUE */

    int segment_count, pair_count, field_count;
    /* "/" has none, "/a/" has "a" and ""; split before decoding, so %2F does not split. */
    struct str segments[HTTP1_SEGMENTS_MAX];
    struct http1_pair pairs[HTTP1_PAIRS_MAX];
    struct http1_field fields[HTTP1_FIELDS_MAX];
};

enum http1_event {
    HTTP1_MORE, /* all bytes are consumed, and more are needed */
    HTTP1_HEAD, /* http1.request is complete; body_max may still be changed */
    HTTP1_BODY, /* http1.piece is a part of the body, not empty, in the caller's bytes */
    HTTP1_DONE, /* the request is complete; the remaining bytes belong to the next one */
};

enum http1_state {
    HTTP1_AT_LINE,
    HTTP1_AT_FIELDS,
    HTTP1_AT_BODY, /* before its first byte */
    HTTP1_AT_LENGTH,
    HTTP1_AT_CHUNK_LINE,
    HTTP1_AT_CHUNK,
    HTTP1_AT_CHUNK_END,
    HTTP1_AT_TRAILERS,
    HTTP1_AT_END, /* HTTP1_DONE is the next event */
    HTTP1_IS_DONE,
    HTTP1_IS_REFUSED,
};

struct http1 {
    struct str piece; /* after HTTP1_BODY, valid as long as the bytes that were fed */
    int64_t body_max; /* the caller's limit; counts the content of chunks */
    int status;       /* the status to answer after an error: 400, 413, ... */
    bool is_answer;   /* see wire/http1/http1_answer.h, and the next two */
    bool is_bodiless; /* its fields may still announce a length */
    int code;         /* its status */

    /* Private to the parser. */
    enum http1_state state;
    char *room;
    size_t used;    /* bytes of the buffer in use */
    size_t line;    /* offset in the buffer of the current line */
    bool has_cr;    /* only the LF of the line's end is missing */
    int blanks;     /* empty lines before the request */
    int lines;      /* fields and trailers so far */
    size_t section; /* their bytes */
    size_t ext;     /* bytes of chunk extensions so far */
    uint64_t left;  /* remaining bytes of the body or of the chunk */
    uint64_t body;  /* bytes announced by the chunks so far */

    struct http1_request request; /* from HTTP1_HEAD until the next http1_begin() */
};

/* Prepares for the first or next request; `room` has HTTP1_ROOM bytes. */
void http1_begin(struct http1 *p, char *room, int64_t body_max);

/*
 * Consumes bytes up to the next event and moves *bytes past them; call it again until it
 * returns HTTP1_MORE or HTTP1_DONE.  After HTTP1_HEAD, a call without bytes checks the
 * announced length of the body against body_max.  RC_INVALID or RC_LIMIT: answer p->status
 * with the message and close.  Do not call it after an error, nor after HTTP1_DONE without
 * http1_begin().
 */
MUST_USE enum rc http1_feed(struct http1 *p, struct str *bytes, enum http1_event *ret,
                            struct err *reterr);

/* No byte of a request has arrived: the peer may close without an error. */
bool http1_is_idle(const struct http1 *p);

/* The method is HEAD, also of a request that is refused: its answer has no body. */
bool http1_is_head(const struct http1 *p);

/* The first field of that name, ignoring case; false, with *ret unchanged, if there is none. */
bool http1_find(const struct http1_request *request, struct str name, struct str *ret);

/* Whether a field of that name is a list that contains the token. */
bool http1_list_has(const struct http1_request *request, struct str name, struct str token);

/* Whether the body has a Content-Encoding other than identity. */
bool http1_is_coded(const struct http1_request *request);

/* Whether the client accepts gzip; no if it does not say. */
bool http1_accepts_gzip(const struct http1_request *request);

/* Whether a connection uses HTTP/2 from its first byte, judging by the bytes so far. */
enum http1_preface {
    HTTP1_PREFACE_NO,    /* pass the bytes to http1_feed() */
    HTTP1_PREFACE_MAYBE, /* fewer than its 24 bytes, and all of them match */
    HTTP1_PREFACE_YES,   /* complete; the preface is part of the HTTP/2 data */
};

enum http1_preface http1_preface(struct str bytes);
