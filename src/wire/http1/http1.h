/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of HTTP/1.0 and 1.1 (RFC 9110, 9112) out of bytes, as they arrive.
 *
 * Pushed, not pulled: any split of the bytes gives the same requests and the same refusals.
 * Strict: what two readers could understand differently is refused, and after a refusal the
 * connection must be closed.  It holds no socket, no clock and no heap; a request points into
 * the room that the caller lends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum {
    HTTP1_LINE_MAX = 8192,      /* of any line; RFC 9112 asks for 8000 at least             */
    HTTP1_SECTION_MAX = 16384,  /* of all field lines, trailers too, without their ends     */
    HTTP1_FIELDS_MAX = 64,      /* header fields and trailers; browsers send about 20       */
    HTTP1_SEGMENTS_MAX = 32,    /* of a path; the deepest of ours has 8                     */
    HTTP1_PAIRS_MAX = 64,       /* of a query; the richest list takes about 20              */
    HTTP1_HOST_MAX = 255,       /* bytes of a name in the DNS                               */
    HTTP1_PORT_MAX = 65535,     /* what TCP can carry                                       */
    HTTP1_EXT_MAX = 256,        /* chunk extensions of one body; nobody has a use for them  */
    HTTP1_SIZE_DIGITS_MAX = 16, /* of a chunk's size: 64 bits                              */
    HTTP1_BLANKS_MAX = 1,       /* empty lines before a request, RFC 9112 section 2.2      */

    /* The line, what it decodes to, the fields, and a line of the body's framing. */
    HTTP1_ROOM = 2 * HTTP1_LINE_MAX + HTTP1_SECTION_MAX + HTTP1_EXT_MAX + HTTP1_SIZE_DIGITS_MAX,
};

struct http1_field {
    struct str name; /* as it was sent: compare without case */
    struct str value;
};

struct http1_pair {
    struct str key, value; /* decoded; "a" alone has an empty value */
};

struct http1_request {
    struct str method; /* any token but CONNECT; case matters */
    struct str target; /* as it was sent                      */
    int minor;         /* 0 or 1: HTTP/1.0 or HTTP/1.1        */

    bool is_server_wide; /* OPTIONS for the whole server, `*`: there are no segments       */
    bool is_absolute;    /* the target named the host, so the Host field does not count    */
    struct str host;     /* with its brackets, without the port; empty in some of HTTP/1.0 */
    struct str port;     /* digits, empty when none was sent                               */

    bool is_chunked;
    int64_t length;        /* of the body; 0 when chunked; INT64_MAX for any beyond it   */
    bool is_persistent;    /* another request may follow on the connection                */
    bool expects_continue; /* the body comes after "100 Continue", HTTP1_CONTINUE         */

    int segment_count, pair_count, field_count;
    /* "/" has none, "/a/" has "a" and ""; decoded after the cut, so %2F is not a cut. */
    struct str segments[HTTP1_SEGMENTS_MAX];
    struct http1_pair pairs[HTTP1_PAIRS_MAX];
    struct http1_field fields[HTTP1_FIELDS_MAX];
};

enum http1_event {
    HTTP1_MORE, /* all bytes are taken, and more are needed                        */
    HTTP1_HEAD, /* http1.request is complete; body_max may still be changed        */
    HTTP1_BODY, /* http1.piece is a piece of the body, not empty, in caller's bytes */
    HTTP1_DONE, /* the request is over; what is left of the bytes is the next one  */
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
    HTTP1_AT_END, /* HTTP1_DONE is still to be told */
    HTTP1_IS_DONE,
    HTTP1_IS_REFUSED,
};

struct http1 {
    struct str piece; /* after HTTP1_BODY, as long as the bytes that were fed  */
    int64_t body_max; /* the caller's cap; counts what chunks carry            */
    int status;       /* what to answer after a refusal: 400, 413, ...         */

    /* The parser's own. */
    enum http1_state state;
    char *room;
    size_t used;    /* bytes of the room that are taken                                */
    size_t line;    /* where in the room the line begins that is being read            */
    bool has_cr;    /* of the line's end only the LF is missing                        */
    int blanks;     /* empty lines before the request                                  */
    int lines;      /* fields and trailers so far                                      */
    size_t section; /* their bytes                                                     */
    size_t ext;     /* bytes of chunk extensions so far                                */
    uint64_t left;  /* bytes to come of the body or of the chunk                       */
    uint64_t body;  /* bytes that the chunks so far have announced                     */

    struct http1_request request; /* from HTTP1_HEAD until the next http1_begin() */
};

/* Makes ready for a request, the first or the next; `room` has HTTP1_ROOM bytes. */
void http1_begin(struct http1 *p, char *room, int64_t body_max);

/*
 * Takes bytes up to the next event and moves *bytes past them; call it again until it says
 * HTTP1_MORE or HTTP1_DONE.  After HTTP1_HEAD a call without any bytes tells whether the
 * announced body may be sent.  RC_INVALID or RC_LIMIT: answer p->status with the sentence
 * and close.  Not to be called after a refusal, nor after HTTP1_DONE without http1_begin().
 */
MUST_USE enum rc http1_feed(struct http1 *p, struct str *bytes, enum http1_event *ret,
                            struct err *reterr);

/* No byte of a request has come: the peer may close, and nobody has to be told. */
bool http1_is_idle(const struct http1 *p);

/* The first field of that name, in any case; false, with *ret untouched, for none. */
bool http1_find(const struct http1_request *request, struct str name, struct str *ret);

/* True when one of the fields of that name is a list with that token in it. */
bool http1_list_has(const struct http1_request *request, struct str name, struct str token);

/* The body is not as it was written: it has a Content-Encoding beside identity. */
bool http1_is_coded(const struct http1_request *request);

/* The client says that it takes gzip; one that says nothing is not taken by its word. */
bool http1_accepts_gzip(const struct http1_request *request);

/* Whether a connection speaks HTTP/2 from its first byte, by all that has come so far. */
enum http1_preface {
    HTTP1_PREFACE_NO,    /* feed what has come to http1_feed()                  */
    HTTP1_PREFACE_MAYBE, /* fewer than its 24 bytes, and all of them fit        */
    HTTP1_PREFACE_YES,   /* all of it has come; the preface is part of the talk */
};

enum http1_preface http1_preface(struct str bytes);
