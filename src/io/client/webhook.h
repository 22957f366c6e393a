/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of URLs: HTTP/1.1 or HTTP/2 requests to external servers, many at a time, on one loop.
 *
 * Everything that the other side sends is limited in bytes and time; io/client/address_policy.h
 * checks every address before a byte is sent to it.  This module makes no decisions about
 * success or retries: it reports what happened, above all whether the request may have
 * arrived.  Single-threaded, on the loop's thread; no callback is called from within these
 * functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "io/client/address_policy.h"
#include "io/client/signature.h"
#include "io/client/webhook_tls.h"

enum {
    WEBHOOK_URL_MAX = 8 * 1024,     /* what servers accept as a request line */
    WEBHOOK_HEADERS_MAX = 128,      /* the caller's and Belfry's own */
    WEBHOOK_HEADER_MAX = 16 * 1024, /* of one: name and value */
    WEBHOOK_ID_MAX = 255,           /* bytes of a signed message's id */
    WEBHOOK_BODY_MAX = 8 << 20,     /* of a request; far above the limit of actions */
    WEBHOOK_ANSWER_MAX = 1 << 20,   /* of a body that is read; the rest is cut off */
    WEBHOOK_HEAD_MAX = 64 * 1024,   /* of an answer's head, with interim ones and trailers */
    WEBHOOK_KEPT_MAX = 64,          /* header fields of an answer */
    WEBHOOK_REDIRECTS_MAX = 3,      /* each hop is checked again; more is a loop */
    WEBHOOK_POLICY_MAX = 64,        /* networks in each list of a policy */
};

#define WEBHOOK_TIME_MAX SPAN_DAY /* use a queue for work that takes longer */

struct webhook_header {
    struct str name, value;
};

struct webhook_request {
    int64_t id; /* chosen by the caller; unique among calls that have not ended */
    struct str method, url;

    /* The user's.  A redirect to another origin gets only Accept, Content-Type, User-Agent. */
    const struct webhook_header *headers;
    int header_count;
    const struct webhook_header *extra; /* Belfry's headers: sent with every hop */
    int extra_count;
    bool has_body;
    struct str body;

    span connect_us;    /* name, connection and TLS of each hop */
    span first_byte_us; /* after sending, each hop */
    span total_us;      /* all hops, from when the call leaves the queue */
    int64_t send_by_us; /* clock_boot_us() after which nothing is sent */

    int32_t keep_bytes;             /* of the answer, at most the pool's answer_max */
    const struct str *keep_headers; /* names */
    int keep_header_count;
    int redirects; /* maximum hops to follow */
    bool is_once;  /* sent at most once: on a new connection, see decision 0014 */
    bool is_h2;    /* HTTP/2, over http:// without an upgrade; trailers are kept as headers */

    struct webhook_tls tls; /* not for hops to another origin */
    const struct address_policy *policy;
    const struct signature_key *keys; /* none: not signed */
    int key_count;
    struct str message_id; /* with keys: visible ASCII without `.` */
};

enum webhook_kind {
    WEBHOOK_ANSWERED,    /* status, headers and body are valid */
    WEBHOOK_UNCONNECTED, /* name, connection or TLS failed */
    WEBHOOK_TIMED_OUT,   /* in `phase` */
    WEBHOOK_UNKNOWN,     /* the connection broke, or the answer is not HTTP: see is_sent */
    WEBHOOK_REFUSED,     /* by the address policy */
    WEBHOOK_TOO_LATE,    /* send_by_us passed first */
    WEBHOOK_CANCELLED,
    WEBHOOK_KIND_COUNT
};

enum webhook_phase {
    WEBHOOK_IN_QUEUE,
    WEBHOOK_IN_RESOLVE,
    WEBHOOK_IN_CONNECT,
    WEBHOOK_IN_TLS,
    WEBHOOK_IN_WAIT, /* for the first byte of an answer */
    WEBHOOK_IN_ANSWER,
    WEBHOOK_PHASE_COUNT
};

struct webhook_result {
    int64_t id;
    enum webhook_kind kind;
    enum webhook_phase phase; /* the last phase that was reached */
    bool is_sent;             /* some hop may have received the request */
    int hops;                 /* redirects that were followed */
    int status;               /* 0 if there was none; also set if not WEBHOOK_ANSWERED */
    const struct webhook_header *headers; /* in the answer's order; bytes as received */
    int header_count;
    struct str body;                /* its beginning; never decompressed */
    bool is_cut;                    /* there was more */
    instant retry_at;               /* from Retry-After; INSTANT_NONE without a valid one */
    span waited_us;                 /* in the queue */
    span connect_us, first_byte_us; /* of the last hop, from its beginning; 0: not reached */
    span total_us;                  /* without the queue */
    struct err err;                 /* RC_OK if answered; otherwise a message for users */
};

/*
 * Called once for each started call; what the result points to is valid during this call only.
 */
typedef void webhook_done(void *arg, const struct webhook_result *result);

struct webhook_limits {
    int all;             /* simultaneous calls */
    int per_host;        /* of one scheme, host and port, by the first URL */
    int waiting;         /* further calls in the queue; more are rejected with RC_BUSY */
    int32_t answer_max;  /* of a body that is read; 0: WEBHOOK_ANSWER_MAX */
    const char *agent;   /* the User-Agent unless the caller sets one */
    const char *ca_file; /* NULL: the system's certificate authorities */
};

/* Checks that a URL can be called: http or https, no user information; the origin as a hash. */
MUST_USE enum rc webhook_check_url(struct str url, bool *ret_is_tls, int64_t *ret_origin,
                                   struct err *reterr);

struct webhook_pool; /* opaque */

/* Ignores SIGPIPE for the process, since TLS may write to a broken connection. */
struct webhook_pool *webhook_pool_new(uv_loop_t *loop, const struct webhook_limits *limits);

/*
 * Copies the request and queues it.  RC_INVALID: it violates HTTP or a limit above;
 * RC_CONFLICT: the id is in use; RC_BUSY: too many wait, or the pool is closing.
 */
MUST_USE enum rc webhook_start(struct webhook_pool *pool, const struct webhook_request *request,
                               webhook_done *done, void *arg, struct err *reterr);

/* Ends the call as WEBHOOK_CANCELLED; false if it has already ended. */
bool webhook_cancel(struct webhook_pool *pool, int64_t id);

/* Running and waiting calls. */
int webhook_pool_count(const struct webhook_pool *pool);

/* Cancels every call, then frees the pool and calls `closed`. */
void webhook_pool_close(struct webhook_pool *pool, void (*closed)(void *arg), void *arg);
