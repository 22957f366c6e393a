/* SPDX-License-Identifier: Apache-2.0 */
/* Every field of a schedule with valid values, for random_schedule.h. */
#pragma once

struct random_field {
    const char *path; /* "policies.retry.attempts" */
    /* JSON values separated by blanks, one of which is chosen; none contains a blank */
    const char *values;
};

static const struct random_field random_common[] = {
    {"id", "\"a\" \"n\xc3\xa4"
           "cht\" \"x/y\" null"},
    {"namespace", "\"default\" \"org-1\""},
    {"description", "\"\" \"two\\nlines\" \"\xe2\x82\xac\""},
    {"labels", "{} {\"team\":\"a\"} {\"b\":\"\",\"a\":\"x\"}"},
    {"enabled", "true false null"},
    {"spec.intervals", "[] [{\"every\":\"15m\",\"phase\":\"0s\",\"anchor\":\"start\"}]"},
    {"spec.timesOfDay", "[] [\"09:00\",\"17:00:30\"]"},
    {"spec.jitter", "\"0s\" \"5m\""},
    {"spec.timezone", "\"UTC\" \"Europe/Berlin\""},
    {"policies.overlap", "\"skip\" \"bufferOne\" \"bufferAll\" \"cancelOther\" "
                         "\"terminateOther\" \"allowAll\""},
    {"policies.bufferLimit", "0 1 1000 10000"},
    {"policies.catchup.mode", "\"all\" \"latest\" \"oldest\" \"none\""},
    {"policies.catchup.window", "\"0s\" \"1m\" \"365d\" null"},
    {"policies.catchup.whilePaused", "true false"},
    {"policies.catchup.whenFull", "\"wait\" \"drop\""},
    {"policies.pauseOnFailure", "true false"},
    {"policies.remainingRuns", "0 1 1000000000 null"},
    {"policies.startWithin", "\"1ms\" \"1h30m\" null"},
    {"policies.retry.attempts", "1 3 1000"},
    {"policies.retry.backoff", "\"fixed\" \"exponential\""},
    {"policies.retry.delay", "\"0s\" \"2s\" \"1m\""},
    {"policies.retry.max", "\"1m\" \"1h\" \"366d\""},
    {"policies.retry.jitter", "\"0s\" \"250ms\""},
    {"policies.timeout", "\"100ms\" \"1d\" null"},
    {"policies.maxRunTime", "\"0s\" \"1m\" \"1d\""},
    {"policies.lease.for", "\"30s\" \"1m30s\" \"1d\""},
    {"policies.lease.heartbeat", "\"100ms\" \"30s\""},
    {"policies.lease.grace", "\"0s\" \"1h\""},
    {"policies.priority", "1 5 10"},
    {"policies.concurrency", "null {\"key\":\"db\",\"limit\":4}"},
    {"policies.approval", "true false"},
    {"policies.delivery", "\"atLeastOnce\" \"atMostOnce\""},
    {"policies.latenessBudget", "\"5s\" null"},
    {"policies.retention.age", "\"0s\" \"90d\" \"1d\""},
    {"policies.retention.count", "1 1000000 null"},
    {"policies.lastResult", "true"},
    {"policies.idleClose", "\"7d\""},
    {"governor.minInterval", "\"1s\" null"},
    {"governor.maxInterval", "\"1h\" null"},
    {"governor.backoff", "true false"},
    {"governor.hint", "{} {\"interval\":\"1m\",\"expires\":\"2027-01-01T00:00:00.001Z\"} "
                      "{\"at\":\"2027-01-01T00:00:00.000Z\","
                      "\"expires\":\"2027-01-02T00:00:00.000Z\"}"},
    {"governor.hint.reason", "\"why\" null"},
    {"extra", "{} {\"memo\":[1,2.5,\"x\"],\"a\":{\"b\":null}} {\"n\":1e300}"},
};

static const struct random_field random_http[] = {
    {"action.method", "\"GET\" \"POST\" \"DELETE\""},
    {"action.headers", "{} {\"X-A\":\"1\",\"Accept\":\"*/*\"}"},
    {"action.body", "null \"\" \"text\" {\"a\":[]} 5"},
    {"action.timeout", "\"1s\" \"30s\" \"1d\""},
    {"action.connectTimeout", "\"100ms\" \"5m\""},
    {"action.success", "\"200-299\" \"200\" \"200-204,304,404\""},
    {"action.redirects", "0 3"},
    {"action.sign", "null \"main\""},
    {"action.keepBytes", "0 102400 1048576"},
    {"action.keepHeaders", "[] [\"ETag\",\"Age\"]"},
    {"action.input", "{} {\"k\":\"v\"}"},
};

static const struct random_field random_exec[] = {
    {"action.cwd", "null \"/\""},
    {"action.env", "{} {\"A\":\"\",\"B\":\"x=y\"}"},
    {"action.user", "null \"nobody\""},
    {"action.limits", "{} {\"cpu\":\"1m\",\"memory\":1}"},
    {"action.limits.openFiles", "1 1048576"},
    {"action.killAfter", "\"0s\" \"10s\" \"1h\""},
    {"action.input", "{} {\"k\":[{}]}"},
};

static const struct random_field random_queue[] = {
    {"action.kind", "null \"daily\""},
    {"action.input", "{} {\"k\":-1}"},
};

static const struct random_field random_workflow[] = {
    {"action.version", "null 1 2147483647"},
    {"action.workflowId", "null \"w\""},
    {"action.queue", "null \"q\""},
    {"action.correlationId", "null \"c\""},
    {"action.upstream", "null \"u\""},
    {"action.input", "{} {\"k\":true}"},
    {"action.header", "{} {\"h\":{}}"},
    {"action.memo", "{} {\"m\":{}}"},
    {"action.searchAttributes", "{} {\"s\":{}}"},
    {"action.temporal", "null \"GgA=\""},
};
