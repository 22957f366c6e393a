/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of URLs: HTTP/1.1 or HTTP/2 requests to strangers, many at a time, on one loop.
 *
 * Everything that a stranger sends is bounded in bytes and in time; every address is judged
 * by io/client/address_policy.h before a byte goes to it.  It decides nothing about success or
 * retries: it says what happened, and above all whether the request may have arrived.  One
 * thread, that of the loop; no callback is called from within one of these functions.
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

enum {
    WEBHOOK_URL_MAX = 8 * 1024,     /* what servers take as a request line                   */
    WEBHOOK_HEADERS_MAX = 128,      /* the caller's and Belfry's own                         */
    WEBHOOK_HEADER_MAX = 16 * 1024, /* of one: name and value                                */
    WEBHOOK_ID_MAX = 255,           /* bytes of a signed message's id */
    WEBHOOK_BODY_MAX = 8 << 20,     /* of a request; far above what actions may hold          */
    WEBHOOK_ANSWER_MAX = 1 << 20,   /* of a body that is read at all, unless the pool says   */
                                    /* otherwise; more is cut off                            */
    WEBHOOK_HEAD_MAX = 64 * 1024,   /* of an answer's head, interim answers and trailers too  */
    WEBHOOK_KEPT_MAX = 64,          /* header fields of an answer                            */
    WEBHOOK_REDIRECTS_MAX = 3,      /* each hop is checked anew; more is a loop               */
    WEBHOOK_POLICY_MAX = 64,        /* networks in each of a policy's lists                   */
};

#define WEBHOOK_TIME_MAX SPAN_DAY /* a call that lasts longer is work for a queue */

struct webhook_header {
    struct str name, value;
};

struct webhook_request {
    int64_t id; /* the caller's; no other call that has not ended has it */
    struct str method, url;

    /* The user's: a redirect takes only those to another origin that describe the content. */
    const struct webhook_header *headers;
    int header_count;
    const struct webhook_header *extra; /* ours: they go with every hop */
    int extra_count;
    bool has_body;
    struct str body;

    span connect_us;    /* name, connection and TLS of each hop           */
    span first_byte_us; /* from the moment of sending, each hop           */
    span total_us;      /* all hops, from when the call leaves the queue  */
    int64_t send_by_us; /* clock_boot_us() after which nothing is sent    */

    int32_t keep_bytes;             /* of the answer, at most the pool's answer_max */
    const struct str *keep_headers; /* names */
    int keep_header_count;
    int redirects; /* hops that are followed */
    bool is_once;  /* sent once at the most: a connection of its own, see decision 0014 */
    bool is_h2; /* HTTP/2, without TLS from the first byte on; trailers are kept as headers */

    const struct address_policy *policy;
    const struct signature_key *keys; /* none: not signed */
    int key_count;
    struct str message_id; /* with keys: visible ASCII without `.` */
};

enum webhook_kind {
    WEBHOOK_ANSWERED,    /* status, headers and body are there                              */
    WEBHOOK_UNCONNECTED, /* name, connection or TLS failed                                  */
    WEBHOOK_TIMED_OUT,   /* in `phase`                                                      */
    WEBHOOK_UNKNOWN,     /* the connection broke, or the answer is no HTTP: look at is_sent */
    WEBHOOK_REFUSED,     /* by the guard                                                    */
    WEBHOOK_TOO_LATE,    /* send_by_us passed first                                         */
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
    enum webhook_phase phase;             /* how far it came            */
    bool is_sent;                         /* some hop may have received the request */
    int hops;                             /* redirects that were followed           */
    int status;                           /* 0 while there was none; not only when answered */
    const struct webhook_header *headers; /* in the answer's order; bytes as they came */
    int header_count;
    struct str body;  /* its beginning; coded as it came, never unpacked */
    bool is_cut;      /* there was more                                  */
    instant retry_at; /* of Retry-After; INSTANT_NONE without a good one */
    span waited_us;   /* in the queue                                    */
    span connect_us,
        first_byte_us; /* of the last hop, from its begin; 0: it did not come to it */
    span total_us;     /* without the queue                               */
    struct err err;    /* RC_OK when answered; a sentence for people      */
};

/* Called once for each call that was started; what the result points to ends with it. */
typedef void webhook_done(void *arg, const struct webhook_result *result);

struct webhook_limits {
    int all;             /* calls at the same time                                     */
    int per_host;        /* of one scheme, host and port, by the first URL             */
    int waiting;         /* behind them, in the queue; more are refused with RC_BUSY   */
    int32_t answer_max;  /* of a body that is read at all; 0: WEBHOOK_ANSWER_MAX       */
    const char *agent;   /* the User-Agent unless the caller has one            */
    const char *ca_file; /* NULL: what the system trusts                        */
};

/* What can be called at all: http or https, no user information; the origin as a hash. */
MUST_USE enum rc webhook_check_url(struct str url, bool *ret_is_tls, int64_t *ret_origin,
                                   struct err *reterr);

struct webhook_pool; /* opaque */

/* Ignores SIGPIPE for the process, since TLS may write into a broken connection. */
struct webhook_pool *webhook_pool_new(uv_loop_t *loop, const struct webhook_limits *limits);

/*
 * Copies the request and queues it.  RC_INVALID: it breaks a rule of HTTP or a bound above;
 * RC_CONFLICT: the id is in use; RC_BUSY: too many wait, or the pool is closing.
 */
MUST_USE enum rc webhook_start(struct webhook_pool *pool, const struct webhook_request *request,
                               webhook_done *done, void *arg, struct err *reterr);

/* The call ends as WEBHOOK_CANCELLED; false when no such call is under way any more. */
bool webhook_cancel(struct webhook_pool *pool, int64_t id);

/* Calls under way and waiting. */
int webhook_pool_count(const struct webhook_pool *pool);

/* Cancels every call, then frees the pool and calls `closed`. */
void webhook_pool_close(struct webhook_pool *pool, void (*closed)(void *arg), void *arg);
