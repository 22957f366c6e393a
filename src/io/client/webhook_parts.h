/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of webhook share; nobody else includes it.
 */
#pragma once

#include <curl/curl.h>

#include "base/arena.h"
#include "io/client/fair_queue.h"
#include "io/client/webhook.h"

struct webhook_call {
    struct lane_item item;
    struct webhook_pool *pool;
    struct webhook_call *next; /* among those that ended, or that are to spare */
    int32_t place;             /* in the pool's list of calls under way        */
    webhook_done *done;
    void *arg;

    struct arena *arena; /* the request, and what is kept of the answer's head */
    struct webhook_request request;
    struct address_policy policy;
    int64_t origin; /* hash of the URL's scheme, host and port */

    CURL *easy;
    struct curl_slist *fields;
    uv_timer_t timer; /* while it waits: send_by_us; once sent: first_byte_us */
    char curl_text[CURL_ERROR_SIZE];
    int64_t queued_us, begun_us; /* clock_boot_us() */

    /* This hop. */
    struct str method, url;
    bool has_body;
    bool is_elsewhere; /* another origin than the one that was asked for */
    bool is_opened;    /* the guard let a connection be made             */
    bool is_refused;   /* the guard refused one                          */
    bool is_late;
    bool is_sent_now;  /* this hop, unlike result.is_sent       */
    bool has_byte;     /* of the answer                         */
    bool is_past_head; /* only trailers can come               */
    bool is_too_long;  /* the head was beyond WEBHOOK_HEAD_MAX  */
    size_t head_bytes;
    int64_t body_bytes, body_max;
    struct address refused;

    struct webhook_header kept[WEBHOOK_KEPT_MAX];
    struct str retry_after;
    char *body;
    size_t body_room;
    struct webhook_result result;
};

/* webhook_check.c: whether a request may be made at all; the URL's origin. */
MUST_USE enum rc webhook_check(const struct webhook_request *request, int32_t answer_max,
                               int64_t *ret_origin, struct err *reterr);

/* webhook_call.c: one call.  What was allocated for it serves the next. */
struct webhook_call *webhook_call_new(struct webhook_pool *pool);
void webhook_call_free(struct webhook_call *call);

/* Takes a copy of the request, which was checked. */
void webhook_call_take(struct webhook_call *call, const struct webhook_request *request,
                       int64_t origin);

/* Makes the handle ready for the hop; false when the call's time is over. */
bool webhook_call_prepare(struct webhook_call *call, const struct webhook_limits *limits);

/* The status that came last, of an interim answer too; 0 for none. */
int webhook_call_status(const struct webhook_call *call);

/* Milliseconds, rounded up: what timers and libcurl count in. */
uint64_t webhook_call_ms(span us);

/* webhook_end.c.  A hop has an answer: whether another one follows, and makes it the call's. */
bool webhook_call_follow(struct webhook_call *call);

/* What the end of a hop means, in the result. */
void webhook_call_conclude(struct webhook_call *call, CURLcode code);

/* The call ends for a reason of ours. */
void webhook_call_end(struct webhook_call *call, enum webhook_kind kind, const char *text);
void webhook_call_time_out(struct webhook_call *call);

/* Times, kept headers, body: what the result points to. */
void webhook_call_seal(struct webhook_call *call);

/* webhook.c: the call's timer has run out. */
void webhook_on_time(uv_timer_t *timer);
