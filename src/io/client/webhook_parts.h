/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of webhook only. */
#pragma once

#include <curl/curl.h>

#include "base/arena.h"
#include "io/client/fair_queue.h"
#include "io/client/webhook.h"

struct webhook_call {
    struct fair_item item;
    struct webhook_pool *pool;
    struct webhook_call *next; /* among ended or spare calls */
    int32_t place;             /* in the pool's list of current calls */
    webhook_done *done;
    void *arg;

    struct arena *arena; /* the request, and what is kept of the answer's head */
    struct webhook_request request;
    struct address_policy policy;
    int64_t origin; /* hash of the URL's scheme, host and port */

    CURL *easy;
    struct curl_slist *fields, *connect_to;
    uv_timer_t timer; /* while waiting: send_by_us; once sent: first_byte_us */
    char curl_text[CURL_ERROR_SIZE];
    int64_t queued_us, begun_us; /* clock_boot_us() */

    /* State of the current hop. */
    struct str method, url;
    bool has_body;
    bool is_other_origin; /* another origin than that of the first URL */
    bool is_opened;       /* a connection was permitted and begun */
    bool is_refused;      /* the policy denied one */
    bool is_late;
    bool is_sent_now;  /* in this hop, unlike result.is_sent */
    bool has_byte;     /* of the answer */
    bool is_past_head; /* only trailers can follow */
    bool is_too_long;  /* the head exceeded WEBHOOK_HEAD_MAX */
    size_t head_bytes;
    int64_t body_bytes, body_max;
    struct address refused;

    struct webhook_header kept[WEBHOOK_KEPT_MAX];
    struct str retry_after;
    char *body;
    size_t body_room;
    struct webhook_result result;
};

/* webhook_check.c: checks a request; returns the URL's origin. */
MUST_USE enum rc webhook_check(const struct webhook_request *request, int32_t answer_max,
                               int64_t *ret_origin, struct err *reterr);

/* webhook_call.c: one call.  Its memory is reused for later calls. */
struct webhook_call *webhook_call_new(struct webhook_pool *pool);
void webhook_call_free(struct webhook_call *call);

/* Copies a checked request. */
void webhook_call_init(struct webhook_call *call, const struct webhook_request *request,
                       int64_t origin);

/* Prepares the handle for the hop; false if the call's time is over. */
bool webhook_call_prepare(struct webhook_call *call, const struct webhook_limits *limits);

/* webhook_tls.c: applies the request's TLS rules to the hop.  `ca_file` may be NULL. */
void webhook_tls_set(struct webhook_call *call, const char *ca_file);

/* The last status, also of an interim answer; 0 for none. */
int webhook_call_status(const struct webhook_call *call);

/* Milliseconds, rounded up, for timers and libcurl. */
uint64_t webhook_call_ms(span us);

/* webhook_end.c: whether another hop follows an answer; if so, prepares it. */
bool webhook_call_follow(struct webhook_call *call);

/* Decides from the end of a hop how the call ended. */
void webhook_call_conclude(struct webhook_call *call, CURLcode code);

/* Sets the kind and the error of the result. */
void webhook_call_set_end(struct webhook_call *call, enum webhook_kind kind, const char *text);
void webhook_call_time_out(struct webhook_call *call);

/* Fills in times, kept headers and body of the result. */
void webhook_call_fill_result(struct webhook_call *call);

/* webhook.c: the call's timer expired. */
void webhook_on_time(uv_timer_t *timer);
