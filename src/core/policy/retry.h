/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When an attempt that failed is made again.  Pure.  docs/semantics.md [P-20].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum backoff { BACKOFF_FIXED, BACKOFF_EXPONENTIAL };

struct retry_policy {
    int32_t attempts; /* in all, the first included; at least 1            */
    enum backoff backoff;
    span delay;  /* after the first attempt                             */
    span max;    /* no wait is longer, a server's own wish included     */
    span jitter; /* up to so much is added, by stable hash of the run   */
};

/* How an attempt ended, as far as a retry is concerned. */
struct retry_failure {
    int32_t attempt;   /* which one it was, from 1                             */
    bool is_retryable; /* the worker or the protocol says that trying may help */
    span retry_after;  /* the other side's wish; 0: none                       */
    struct str run;    /* the run's id: the seed of the jitter                 */
};

/* The instant of the next attempt, INSTANT_NEVER: give up. */
instant retry_at(const struct retry_policy *policy, const struct retry_failure *failure,
                 instant ended);

const char *backoff_text(enum backoff backoff);
MUST_USE enum rc backoff_parse(struct str text, enum backoff *ret, struct err *reterr);
