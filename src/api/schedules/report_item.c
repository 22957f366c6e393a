/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses one item of a worker's report: heartbeat, complete, fail or release.
 */
#include "api/schedules/report_item.h"

#include "api/call/answer.h"
#include "api/schedules/log_lines.h"
#include "model/json_time.h"
#include "model/policies_json.h"
#include "model/run_json.h"

enum {
    ERROR_CODE_MAX = 128,        /* bytes: a word                        */
    ERROR_MESSAGE_MAX = 4096,    /* bytes: what went wrong, for people   */
    PROGRESS_MAX = 1000,         /* bytes: a line for people             */
    RUN_TOKENS_MAX = 1000000000, /* of one run, so that sums fit         */
    RUN_COST_MAX = 1000000,      /* dollars of one run, so that sums fit */
    MILLION = 1000000,
};

struct verb {
    enum report_kind kind;
    const char *const *names; /* all members, including id and fence */
    int name_count;
    enum rc (*read)(struct call *call, const json_t *item, struct report *report,
                    struct err *reterr);
};

static const json_t *member_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_null(value) ? NULL : value;
}

static enum rc in_field(enum rc rc, const char *name, struct err *reterr)
{
    return rc == RC_OK ? RC_OK : err_in(reterr, "%s", name);
}

static enum rc read_span(const json_t *item, const char *name, span low, span high, span *ret,
                         struct err *reterr)
{
    const json_t *value = member_of(item, name);
    span d;
    enum rc rc;

    if (!value)
        return RC_OK;
    rc = json_take_duration(value, &d, reterr);
    if (rc == RC_OK && (d < low || d > high))
        rc = err_set(reterr, RC_INVALID, -1, 0, "must be from %lld to %lld seconds",
                     (long long)(low / SPAN_S), (long long)(high / SPAN_S));
    if (rc == RC_OK)
        *ret = d;
    return in_field(rc, name, reterr);
}

static enum rc read_log(struct call *call, const json_t *item, struct report *report,
                        struct err *reterr)
{
    const json_t *value = member_of(item, "log");

    if (!value)
        return RC_OK;
    return in_field(log_lines_read(value, call->now, call->arena, &report->log, reterr), "log",
                    reterr);
}

/* Heartbeats. */

static enum rc check_percent(const json_t *percent, struct err *reterr)
{
    double n = json_number_value(percent);

    if (!percent)
        return RC_OK;
    if (!json_is_number(percent))
        return in_field(json_wrong_type(percent, "a number from 0 to 100", reterr), "percent",
                        reterr);
    if (n < 0 || n > 100)
        return in_field(err_set(reterr, RC_INVALID, -1, 0, "must be from 0 to 100"), "percent",
                        reterr);
    return RC_OK;
}

static enum rc read_progress_object(const json_t *value, struct arena *arena, struct str *ret,
                                    struct err *reterr)
{
    static const char *const names[] = {"text", "percent"};
    const json_t *text = member_of(value, "text");
    struct str line;
    enum rc rc = json_check_names(value, names, 2, reterr);

    if (rc == RC_OK && text)
        rc = in_field(json_take_str(text, PROGRESS_MAX, &line, reterr), "text", reterr);
    if (rc == RC_OK)
        rc = check_percent(member_of(value, "percent"), reterr);
    return rc == RC_OK ? json_keep(value, SIZE_MAX, arena, ret, reterr) : rc;
}

static enum rc read_progress(struct call *call, const json_t *item, struct str *ret,
                             struct err *reterr)
{
    const json_t *value = member_of(item, "progress");
    enum rc rc;

    if (!value)
        return RC_OK;
    if (json_is_string(value))
        rc = json_take_kept(value, PROGRESS_MAX, call->arena, ret, reterr);
    else if (json_is_object(value))
        rc = read_progress_object(value, call->arena, ret, reterr);
    else
        rc = json_wrong_type(value, "a text, or an object of text and percent", reterr);
    return in_field(rc, "progress", reterr);
}

static enum rc read_heartbeat(struct call *call, const json_t *item, struct report *report,
                              struct err *reterr)
{
    enum rc rc = read_progress(call, item, &report->progress, reterr);

    if (rc == RC_OK)
        rc = read_span(item, "extend", LEASE_MIN, LEASE_MAX, &report->extend, reterr);
    return rc == RC_OK ? read_log(call, item, report, reterr) : rc;
}

/* Ends. */

/* Between 0 and RUN_TOKENS_MAX, so that a sum of two does not overflow. */
static int64_t token_count(const json_t *llm, const char *name)
{
    json_int_t n = json_integer_value(json_object_get(llm, name));

    return n < 0 ? 0 : n > RUN_TOKENS_MAX ? RUN_TOKENS_MAX : n;
}

/* Only the totals are interpreted; the other members of llm are stored unchanged. */
static int64_t total_tokens(const json_t *llm)
{
    int64_t sum = token_count(llm, "promptTokens") + token_count(llm, "completionTokens");

    if (json_is_integer(json_object_get(llm, "totalTokens")))
        return token_count(llm, "totalTokens");
    return sum > RUN_TOKENS_MAX ? RUN_TOKENS_MAX : sum;
}

static int64_t cost_millionths(const json_t *llm)
{
    double dollars = json_number_value(json_object_get(llm, "estimatedCostUsd"));

    if (!(dollars > 0))
        return 0;
    return dollars > RUN_COST_MAX ? (int64_t)RUN_COST_MAX * MILLION
                                  : (int64_t)(dollars * MILLION + 0.5);
}

/* What the attempt returns and used; a failed attempt has used tokens, too. */
static enum rc read_result(struct call *call, const json_t *item, struct report *report,
                           struct err *reterr)
{
    struct run_result result;
    enum rc rc = run_result_from_json(item, call->arena, &result, reterr);

    if (rc != RC_OK)
        return rc;
    report->result = run_result_keep(&result, call->arena);
    report->tokens = total_tokens(member_of(item, "llm"));
    report->cost = cost_millionths(member_of(item, "llm"));
    return read_log(call, item, report, reterr);
}

static enum rc read_complete(struct call *call, const json_t *item, struct report *report,
                             struct err *reterr)
{
    report->outcome = OUTCOME_SUCCEEDED;
    if (json_object_size(item) == (json_object_get(item, "id") ? 2 : 1))
        return RC_OK; /* only the fence: the most common case */
    return read_result(call, item, report, reterr);
}

/* {code, message, retryable} as it is stored, always with all three. */
static struct str error_json(struct call *call, struct str code, struct str message,
                             bool is_retryable)
{
    struct answer out = answer_new(call->arena);

    answer_text(&out, "{\"code\":");
    answer_quoted(&out, code);
    answer_text(&out, ",\"message\":");
    answer_quoted(&out, message);
    answer_text(&out, is_retryable ? ",\"retryable\":true}" : ",\"retryable\":false}");
    return answer_done(&out);
}

static enum rc read_error_object(const json_t *value, struct str *code, struct str *message,
                                 bool *is_retryable, struct err *reterr)
{
    static const char *const names[] = {"code", "message", "retryable"};
    const json_t *word = member_of(value, "code"), *text = member_of(value, "message"),
                 *again = member_of(value, "retryable");
    enum rc rc = json_check_names(value, names, 3, reterr);

    if (rc == RC_OK && word)
        rc = in_field(json_take_str(word, ERROR_CODE_MAX, code, reterr), "code", reterr);
    if (rc == RC_OK && text)
        rc = in_field(json_take_str(text, ERROR_MESSAGE_MAX, message, reterr), "message",
                      reterr);
    if (rc == RC_OK && again && !json_is_boolean(again))
        rc = in_field(json_wrong_type(again, "true or false", reterr), "retryable", reterr);
    if (rc == RC_OK && again)
        *is_retryable = json_is_true(again);
    return rc;
}

static enum rc read_fail(struct call *call, const json_t *item, struct report *report,
                         struct err *reterr)
{
    const json_t *value = member_of(item, "error");
    struct str code = STR("failed"), message = STR("");
    bool is_retryable = true;
    enum rc rc = RC_OK;

    if (json_is_string(value))
        rc = in_field(json_take_str(value, ERROR_MESSAGE_MAX, &message, reterr), "error",
                      reterr);
    else if (value)
        rc = in_field(read_error_object(value, &code, &message, &is_retryable, reterr), "error",
                      reterr);
    if (rc == RC_OK)
        rc = read_span(item, "retryAfter", 0, RETRY_WAIT_MAX, &report->retry_after, reterr);
    if (rc != RC_OK)
        return rc;
    /* A worker that stopped because it was asked to has not failed. */
    report->outcome = str_eq(code, STR("cancelled")) ? OUTCOME_CANCELLED : OUTCOME_FAILED;
    report->is_retryable = is_retryable && report->outcome == OUTCOME_FAILED;
    report->error = error_json(call, code, message, report->is_retryable);
    return read_result(call, item, report, reterr);
}

static enum rc read_release(struct call *call, const json_t *item, struct report *report,
                            struct err *reterr)
{
    const json_t *begun = member_of(item, "begun");

    if (begun && !json_is_boolean(begun))
        return in_field(json_wrong_type(begun, "true or false", reterr), "begun", reterr);
    if (json_is_true(begun))
        report->kind = REPORT_LOST;
    return read_log(call, item, report, reterr);
}

static const char *const heartbeat_names[] = {"id", "fence", "progress", "extend", "log"};
static const char *const complete_names[] = {"id",  "fence", "result",    "summary",  "refs",
                                             "llm", "tools", "sessionId", "threadId", "log"};
static const char *const fail_names[] = {"id",        "fence",    "error", "retryAfter",
                                         "summary",   "refs",     "llm",   "tools",
                                         "sessionId", "threadId", "log"};
static const char *const release_names[] = {"id", "fence", "begun", "log"};

#define NAMES(array) (array), sizeof(array) / sizeof(array)[0]

const struct verb verb_heartbeat = {REPORT_ALIVE, NAMES(heartbeat_names), read_heartbeat};
const struct verb verb_complete = {REPORT_DONE, NAMES(complete_names), read_complete};
const struct verb verb_fail = {REPORT_DONE, NAMES(fail_names), read_fail};
const struct verb verb_release = {REPORT_RELEASE, NAMES(release_names), read_release};

/* Items. */

static enum rc read_id(const json_t *item, struct run_id *ret, struct err *reterr)
{
    struct str text;
    enum rc rc = json_require(item, "id", reterr);

    if (rc != RC_OK)
        return rc;
    rc = json_take_str(member_of(item, "id"), REPORT_ID_MAX, &text, reterr);
    if (rc == RC_OK)
        rc = run_id_parse(text, ret, reterr);
    return in_field(rc, "id", reterr);
}

static enum rc read_fence(const json_t *item, int64_t *ret, struct err *reterr)
{
    const json_t *fence = member_of(item, "fence");

    if (json_require(item, "fence", reterr) != RC_OK)
        return reterr->rc;
    if (!json_is_integer(fence) || json_integer_value(fence) < 0)
        return in_field(
            err_set(reterr, RC_INVALID, -1, 0, "must be the fence that came with the run"),
            "fence", reterr);
    *ret = json_integer_value(fence);
    return RC_OK;
}

/* The item may repeat the id of the path, but not have another one. */
static enum rc check_id(const struct call *call, const json_t *item, struct err *reterr)
{
    const json_t *id = member_of(item, "id");

    if (!id || (json_is_string(id) && str_eq(str_of(json_string_value(id)), call->params[0])))
        return RC_OK;
    return in_field(err_set(reterr, RC_INVALID, -1, 0, "differs from the run in the path"),
                    "id", reterr);
}

enum rc report_item_read(struct call *call, const json_t *item, const struct run_id *id,
                         struct report *ret, struct err *reterr)
{
    const struct verb *verb = call->operation->verb;
    struct report report = {.kind = verb->kind};
    enum rc rc = json_check_names(item, verb->names, verb->name_count, reterr);

    if (rc == RC_OK && id) {
        report.run = *id;
        rc = check_id(call, item, reterr);
    } else if (rc == RC_OK) {
        rc = read_id(item, &report.run, reterr);
    }
    if (rc == RC_OK)
        rc = read_fence(item, &report.fence, reterr);
    if (rc == RC_OK)
        rc = verb->read(call, item, &report, reterr);
    if (rc == RC_OK)
        *ret = report;
    return rc;
}
