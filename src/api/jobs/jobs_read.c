/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the jobs API's JSON of a schedule: see jobs_doc.h.
 */
#include <inttypes.h>

#include "api/jobs/jobs_doc.h"
#include "core/time/text.h"
#include "model/policies_json.h"

enum {
    JOB_TEXT_MAX = 255,  /* bytes of a name or of a server's id                       */
    CRON_FIELDS = 5,     /* of an expression; words such as @daily are not accepted   */
    RETRIES_DEFAULT = 2, /* after the first attempt                                   */
    BACKOFF_MS_DEFAULT = 2000,
};

static enum rc read_text(const json_t *json, const char *name, struct arena *arena,
                         struct str *ret, struct err *reterr)
{
    const struct member m = {name, MEMBER_TEXT, .high = JOB_TEXT_MAX};

    return member_read_text(&m, json, arena, ret, reterr);
}

static enum rc read_required_text(const json_t *json, const char *name, struct arena *arena,
                                  struct str *ret, struct err *reterr)
{
    if (read_text(json, name, arena, ret, reterr) != RC_OK)
        return reterr->rc;
    return ret->len > 0 ? RC_OK : err_field(reterr, name, "is required");
}

/* ---- spec ---- */

static enum rc read_cron(const json_t *json, struct arena *arena, struct spec_def *spec,
                         struct err *reterr)
{
    struct str expr;

    if (read_required_text(json, "cronExpression", arena, &expr, reterr) != RC_OK)
        return reterr->rc;
    expr = str_trim(expr);
    if (cron_count_fields(expr) != CRON_FIELDS)
        return err_field(reterr, "cronExpression",
                         "must have 5 fields, such as \"0 2 * * *\": minute, hour, day of "
                         "month, month, day of week");
    spec->cron = arena_take(arena, sizeof *spec->cron);
    *spec->cron = (struct cron_def){.expr = expr, .dialect = DIALECT_VIXIE};
    spec->cron_count = 1;
    return RC_OK;
}

static enum rc read_window(const json_t *json, struct arena *arena, struct window_def *ret,
                           struct err *reterr)
{
    static const char *const names[] = {"executionWindowStart", "executionWindowEnd"};
    struct str texts[2];
    int32_t times[2] = {0};

    for (int i = 0; i < 2; i++) {
        if (read_text(json, names[i], arena, &texts[i], reterr) != RC_OK)
            return reterr->rc;
        if (texts[i].len > 0 && (texts[i].len != sizeof "HH:mm" - 1 ||
                                 time_of_day_parse(texts[i], &times[i], reterr) != RC_OK))
            return err_field(reterr, names[i], "must be a time of day, HH:mm, such as 02:00");
    }
    if (texts[0].len == 0 && texts[1].len == 0)
        return RC_OK;
    for (int i = 0; i < 2; i++)
        if (texts[i].len == 0)
            return err_field(reterr, names[i],
                             "is required; a window has both a start and an end");
    *ret = (struct window_def){true, times[0], times[1], WINDOW_CLAMP};
    return RC_OK;
}

/* ---- action ---- */

/* The queue of the organisation; the caller has checked the characters of its name. */
static enum rc set_queue(struct str org, struct arena *arena, struct str *ret,
                         struct err *reterr)
{
    static const struct str prefix = {"jobs:", 5};
    struct buf queue = {.cap = prefix.len + org.len + 1};

    if (prefix.len + org.len > ACTION_NAME_MAX) {
        err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes; the limit for schedules is %zu",
                org.len, ACTION_NAME_MAX - prefix.len);
        return err_in(reterr, "orgId");
    }
    queue.ptr = arena_take(arena, queue.cap);
    buf_str(&queue, prefix);
    buf_str(&queue, org);
    *ret = buf_as_str(&queue);
    return RC_OK;
}

/*
 * The input for a worker of the organisation's queue.  The two null ids become the id of each
 * run, see grant_print() in model/payload.h.
 */
static enum rc keep_input(const json_t *json, struct str server, struct str type,
                          struct arena *arena, struct str *ret, struct err *reterr)
{
    const json_t *payload = json_object_get(json, "payload");
    json_auto_t *input = json_new_object();

    json_put(input, "jobId", json_null());
    json_put(input, "jobRunId", json_null());
    json_put(input, "hostId", json_new_str(server));
    json_put(input, "type", json_new_str(type));
    json_put(input, "payload",
             payload && !json_is_null(payload) ? json_deep_copy(payload) : json_new_object());
    if (json_keep(input, ACTION_INPUT_MAX, arena, ret, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "payload");
}

static enum rc read_action(const json_t *json, struct str org, struct arena *arena,
                           struct action *ret, struct err *reterr)
{
    static const struct member job_type = {"jobType", MEMBER_TEXT, .high = ACTION_NAME_MAX,
                                           .check = name_check};
    struct action action = action_default(ACTION_QUEUE);
    struct str server;

    if (read_required_text(json, "serverInstanceId", arena, &server, reterr) != RC_OK ||
        member_read_text(&job_type, json, arena, &action.queue.kind, reterr) != RC_OK)
        return reterr->rc;
    if (action.queue.kind.len == 0)
        return err_field(reterr, "jobType", "is required");
    if (set_queue(org, arena, &action.queue.queue, reterr) != RC_OK ||
        keep_input(json, server, action.queue.kind, arena, &action.input, reterr) != RC_OK)
        return reterr->rc;
    *ret = action;
    return RC_OK;
}

/* ---- policies ---- */

static enum rc read_number(const json_t *json, const char *name, int64_t high, int64_t *ret,
                           struct err *reterr)
{
    const json_t *value = json_object_get(json, name);

    if (!value || json_is_null(value))
        return RC_OK;
    *ret = json_integer_value(value);
    if (json_is_integer(value) && *ret >= 0 && *ret <= high)
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0, "must be a whole number from 0 to %" PRId64, high);
    return err_in(reterr, "%s", name);
}

/* The policy has no maximum wait of its own; the server's limit applies. */
static enum rc read_retry(const json_t *policy, struct arena *arena, struct retry_policy *retry,
                          struct err *reterr)
{
    int64_t retries = RETRIES_DEFAULT, wait_ms = BACKOFF_MS_DEFAULT;
    struct str type;

    if (policy && !json_is_null(policy) && !json_is_object(policy))
        return json_wrong_type(policy, "an object with maxRetries, backoffMs, backoffType",
                               reterr);
    if (read_number(policy, "maxRetries", RETRY_ATTEMPTS_MAX - 1, &retries, reterr) != RC_OK ||
        read_number(policy, "backoffMs", RETRY_WAIT_MAX / SPAN_MS, &wait_ms, reterr) != RC_OK ||
        read_text(policy, "backoffType", arena, &type, reterr) != RC_OK)
        return reterr->rc;
    retry->backoff = BACKOFF_FIXED;
    if (str_eq(type, STR("exponential")))
        retry->backoff = BACKOFF_EXPONENTIAL;
    else if (type.len > 0 && !str_eq(type, STR("fixed")))
        return err_field(reterr, "backoffType", "must be fixed or exponential");
    retry->attempts = (int32_t)retries + 1;
    retry->delay = wait_ms * SPAN_MS;
    retry->max = RETRY_WAIT_MAX;
    return RC_OK;
}

/* ---- the document ---- */

/* The name, and the retry policy as it was sent. */
static enum rc keep_extra(const json_t *json, struct str name, struct arena *arena,
                          struct str *ret, struct err *reterr)
{
    const json_t *policy = json_object_get(json, "retryPolicy");
    json_auto_t *extra = json_new_object();

    json_put(extra, "name", json_new_str(name));
    if (policy && !json_is_null(policy))
        json_put(extra, "retryPolicy", json_deep_copy(policy));
    if (json_keep(extra, EXTRA_MAX, arena, ret, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "retryPolicy");
}

static const struct member plain_list[] = {
    {"description", MEMBER_TEXT, .offset = offsetof(struct schedule_doc, description),
     .high = DESCRIPTION_MAX},
    {"enabled", MEMBER_BOOL, .offset = offsetof(struct schedule_doc, is_enabled)},
};

static const struct members plain_members = MEMBERS(plain_list);

enum rc jobs_read(const json_t *json, struct str org, struct arena *arena,
                  struct schedule_doc *doc, struct err *reterr)
{
    const struct reading reading = {arena, true, doc};
    struct policies *policies = &doc->policies;
    struct str name;

    if (!json_is_object(json))
        return json_wrong_type(json, "an object, a schedule", reterr);
    policies->overlap = OVERLAP_ALLOW_ALL;
    policies->catchup = CATCHUP_NONE;
    if (read_required_text(json, "name", arena, &name, reterr) != RC_OK ||
        members_read(&plain_members, json, &reading, reterr) != RC_OK ||
        read_action(json, org, arena, &doc->action, reterr) != RC_OK ||
        read_cron(json, arena, &doc->spec, reterr) != RC_OK ||
        read_window(json, arena, &doc->spec.window, reterr) != RC_OK)
        return reterr->rc;
    if (read_retry(json_object_get(json, "retryPolicy"), arena, &policies->retry, reterr) !=
        RC_OK)
        return err_in(reterr, "retryPolicy");
    return keep_extra(json, name, arena, &doc->extra, reterr);
}
