/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a failed attempt is retried.  Pure.  docs/semantics.md [P-20].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum backoff { BACKOFF_FIXED, BACKOFF_EXPONENTIAL };

struct retry_policy {
    int32_t attempts; /* in total, including the first; at least 1 */
    enum backoff backoff;
    span delay;  /* after the first attempt                           */
    span max;    /* of any wait, even if the other side asks for more */
    span jitter; /* up to this is added, by a stable hash of the run  */
};

/* How an attempt ended, as far as a retry is concerned. */
struct retry_failure {
    int32_t attempt;   /* its number, from 1                                    */
    bool is_retryable; /* the worker or the protocol says that a retry may help */
    span retry_after;  /* wait that the other side asked for; 0: none           */
    struct str run;    /* id of the run: the seed of the jitter                 */
};

/* The time of the next attempt; INSTANT_NEVER: no more attempts. */
instant retry_at(const struct retry_policy *policy, const struct retry_failure *failure,
                 instant ended);

const char *backoff_text(enum backoff backoff);
MUST_USE enum rc backoff_parse(struct str text, enum backoff *ret, struct err *reterr);
