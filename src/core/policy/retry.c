/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wait before a retry, and the names of the back-off modes.
 */
#include "core/policy/retry.h"

#include "base/must.h"
#include "core/time/jitter.h"

/* delay × 2^(attempt − 1), but at most max. */
static span exponential(const struct retry_policy *policy, int32_t attempt)
{
    span wait = policy->delay;

    for (int32_t i = 1; i < attempt && wait < policy->max; i++)
        wait = wait > policy->max / 2 ? policy->max : wait * 2;
    return wait;
}

instant retry_at(const struct retry_policy *policy, const struct retry_failure *failure,
                 instant ended)
{
    span wait = policy->delay, jitter;

    must(policy->attempts >= 1 && failure->attempt >= 1);
    must(policy->delay >= 0 && policy->max >= 0 && policy->jitter >= 0);
    if (!failure->is_retryable || failure->attempt >= policy->attempts)
        return INSTANT_NEVER;
    if (policy->backoff == BACKOFF_EXPONENTIAL)
        wait = exponential(policy, failure->attempt);
    if (failure->retry_after > wait)
        wait = failure->retry_after;
    if (wait > policy->max)
        wait = policy->max;
    jitter = jitter_delay(failure->run, ended, policy->jitter);
    must(wait >= 0 && wait <= policy->max);
    must(jitter >= 0 && jitter <= policy->jitter);
    return ended + wait + jitter;
}

const char *backoff_text(enum backoff backoff)
{
    return backoff == BACKOFF_FIXED ? "fixed" : "exponential";
}

enum rc backoff_parse(struct str text, enum backoff *ret, struct err *reterr)
{
    if (str_eq(text, STR("fixed")))
        *ret = BACKOFF_FIXED;
    else if (str_eq(text, STR("exponential")))
        *ret = BACKOFF_EXPONENTIAL;
    else
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "\"%.*s\" is not a back-off; use \"fixed\" or \"exponential\"",
                       STR_ARG(text));
    return RC_OK;
}
