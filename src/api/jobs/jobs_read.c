/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the jobs API's JSON of a schedule into the native document: see jobs_doc.h.
 */
#include <inttypes.h>
#include <string.h>

#include "api/jobs/jobs_doc.h"
#include "core/time/text.h"
#include "model/policies_json.h"

enum {
    LABEL_MAX = 255,     /* bytes of a name or of a server's id                       */
    CRON_FIELDS = 5,     /* of an expression; words such as @daily are not accepted   */
    RETRIES_DEFAULT = 2, /* after the first attempt                                   */
    BACKOFF_MS_DEFAULT = 2000,
};

static enum rc refuse_field(struct err *reterr, const char *field, const char *why)
{
    err_set(reterr, RC_INVALID, -1, 0, "%s", why);
    err_in(reterr, "%s", field);
    return RC_INVALID;
}

/* A string member; an absent, null or blank one is empty. */
static enum rc read_text(const json_t *json, const char *name, int max, struct str *ret,
                         struct err *reterr)
{
    const json_t *value = json_object_get(json, name);

    *ret = (struct str){NULL, 0};
    if (!value || json_is_null(value))
        return RC_OK;
    if (json_take_str(value, max, ret, reterr) != RC_OK) {
        err_in(reterr, "%s", name);
        return reterr->rc;
    }
    if (str_trim(*ret).len == 0)
        ret->len = 0;
    return RC_OK;
}

static enum rc read_required_text(const json_t *json, const char *name, struct str *ret,
                                  struct err *reterr)
{
    if (read_text(json, name, LABEL_MAX, ret, reterr) != RC_OK)
        return reterr->rc;
    return ret->len > 0 ? RC_OK : refuse_field(reterr, name, "is required");
}

/* ---- spec ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int count_fields(struct str expr)
{
    int count = 0;

    for (size_t i = 0; i < expr.len; i++)
        count += !is_blank(expr.ptr[i]) && (i == 0 || is_blank(expr.ptr[i - 1]));
    return count;
}

static enum rc read_cron(const json_t *json, json_t *spec, struct err *reterr)
{
    json_t *list = json_new_list(), *entry = json_new_object();
    struct str expr;

    json_put(spec, "cron", list);
    json_add(list, entry);
    if (read_required_text(json, "cronExpression", &expr, reterr) != RC_OK)
        return reterr->rc;
    expr = str_trim(expr);
    if (count_fields(expr) != CRON_FIELDS)
        return refuse_field(reterr, "cronExpression",
                            "must have 5 fields, such as \"0 2 * * *\": minute, hour, day of "
                            "month, month, day of week");
    json_put(entry, "expr", json_new_str(expr));
    json_put(entry, "dialect", json_new_str(STR("vixie")));
    return RC_OK;
}

/* "HH:mm" */
static bool is_time_of_day(struct str text)
{
    int hour, minute;

    if (text.len != 5 || text.ptr[2] != ':')
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (i != 2 && !char_is_digit(text.ptr[i]))
            return false;
    hour = (text.ptr[0] - '0') * 10 + text.ptr[1] - '0';
    minute = (text.ptr[3] - '0') * 10 + text.ptr[4] - '0';
    return hour < 24 && minute < 60;
}

static enum rc read_window(const json_t *json, json_t *spec, struct err *reterr)
{
    static const char *const names[] = {"executionWindowStart", "executionWindowEnd"};
    struct str texts[2];
    json_t *window;

    for (int i = 0; i < 2; i++) {
        if (read_text(json, names[i], LABEL_MAX, &texts[i], reterr) != RC_OK)
            return reterr->rc;
        if (texts[i].len > 0 && !is_time_of_day(texts[i]))
            return refuse_field(reterr, names[i],
                                "must be a time of day, HH:mm, such as 02:00");
    }
    if (texts[0].len == 0 && texts[1].len == 0)
        return RC_OK;
    for (int i = 0; i < 2; i++)
        if (texts[i].len == 0)
            return refuse_field(reterr, names[i],
                                "is required; a window has both a start and an end");
    window = json_new_object();
    json_put(window, "from", json_new_str(texts[0]));
    json_put(window, "to", json_new_str(texts[1]));
    json_put(window, "rule", json_new_str(STR("clamp")));
    json_put(spec, "window", window);
    return RC_OK;
}

/* ---- action ---- */

/*
 * The input for a worker of the organisation's queue.  The engine fills in the two ids for each
 * run, see model/payload.h.  Belfry knows only the id of the server.
 */
static enum rc read_action(const json_t *json, struct str org, json_t *action,
                           struct err *reterr)
{
    const json_t *payload = json_object_get(json, "payload");
    json_t *input = json_new_object();
    char name[LABEL_MAX + 8];
    struct buf queue = BUF(name);
    struct str server, type;

    json_put(action, "input", input);
    if (read_required_text(json, "serverInstanceId", &server, reterr) != RC_OK ||
        read_required_text(json, "jobType", &type, reterr) != RC_OK)
        return reterr->rc;
    buf_text(&queue, "jobs:");
    buf_str(&queue, org);
    json_put(action, "type", json_new_str(STR("queue")));
    json_put(action, "queue", json_new_str(buf_as_str(&queue)));
    json_put(action, "kind", json_new_str(type));
    json_put(input, "jobId", json_null());
    json_put(input, "jobRunId", json_null());
    json_put(input, "hostId", json_new_str(server));
    json_put(input, "type", json_new_str(type));
    json_put(input, "payload",
             payload && !json_is_null(payload) ? json_deep_copy(payload) : json_new_object());
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
    err_in(reterr, "%s", name);
    return RC_INVALID;
}

static json_t *duration_json(span d)
{
    char text[DURATION_TEXT_MAX];
    struct buf out = BUF(text);

    duration_format(d, &out);
    return json_new_str(buf_as_str(&out));
}

/* The policy has no maximum wait of its own; the server's limit applies. */
static enum rc read_retry(const json_t *policy, json_t *retry, struct err *reterr)
{
    int64_t retries = RETRIES_DEFAULT, wait_ms = BACKOFF_MS_DEFAULT;
    struct str type;

    if (policy && !json_is_null(policy) && !json_is_object(policy))
        return json_wrong_type(policy, "an object with maxRetries, backoffMs, backoffType",
                               reterr);
    if (read_number(policy, "maxRetries", RETRY_ATTEMPTS_MAX - 1, &retries, reterr) != RC_OK ||
        read_number(policy, "backoffMs", RETRY_WAIT_MAX / SPAN_MS, &wait_ms, reterr) != RC_OK ||
        read_text(policy, "backoffType", LABEL_MAX, &type, reterr) != RC_OK)
        return reterr->rc;
    if (type.len == 0)
        type = STR("fixed");
    if (!str_eq(type, STR("fixed")) && !str_eq(type, STR("exponential")))
        return refuse_field(reterr, "backoffType", "must be fixed or exponential");
    json_put(retry, "attempts", json_new_int(retries + 1));
    json_put(retry, "backoff", json_new_str(type));
    json_put(retry, "delay", duration_json(wait_ms * SPAN_MS));
    json_put(retry, "max", duration_json(RETRY_WAIT_MAX));
    return RC_OK;
}

static enum rc read_policies(const json_t *json, json_t *policies, json_t *extra,
                             struct err *reterr)
{
    json_t *retry = json_new_object(), *catchup = json_new_object();
    const json_t *policy = json_object_get(json, "retryPolicy");

    json_put(policies, "retry", retry);
    json_put(policies, "catchup", catchup);
    json_put(catchup, "mode", json_new_str(STR("none")));
    json_put(policies, "overlap", json_new_str(STR("allowAll")));
    if (read_retry(policy, retry, reterr) != RC_OK) {
        err_in(reterr, "retryPolicy");
        return reterr->rc;
    }
    if (policy && !json_is_null(policy))
        json_put(extra, "retryPolicy", json_deep_copy(policy));
    return RC_OK;
}

/* ---- the document ---- */

static json_t *add_object(json_t *document, const char *name)
{
    json_t *object = json_new_object();

    json_put(document, name, object);
    return object;
}

static enum rc read_labels(const json_t *json, json_t *document, json_t *extra,
                           struct err *reterr)
{
    const json_t *enabled = json_object_get(json, "enabled");
    const json_t *description = json_object_get(json, "description");
    struct str name;

    if (read_required_text(json, "name", &name, reterr) != RC_OK)
        return reterr->rc;
    json_put(extra, "name", json_new_str(name));
    if (description && !json_is_null(description))
        json_put(document, "description", json_deep_copy(description));
    if (!enabled || json_is_null(enabled))
        return RC_OK;
    if (!json_is_boolean(enabled)) {
        json_wrong_type(enabled, "true or false", reterr);
        err_in(reterr, "enabled");
        return reterr->rc;
    }
    json_put(document, "enabled", json_boolean(json_is_true(enabled)));
    return RC_OK;
}

enum rc jobs_read(const json_t *json, struct str org, json_t **ret, struct err *reterr)
{
    json_auto_t *document = json_new_object();
    json_t *spec = add_object(document, "spec"), *extra = add_object(document, "extra");

    if (!json_is_object(json))
        return json_wrong_type(json, "an object, a schedule", reterr);
    json_put(spec, "timezone", json_new_str(STR("UTC")));
    if (read_labels(json, document, extra, reterr) != RC_OK ||
        read_action(json, org, add_object(document, "action"), reterr) != RC_OK ||
        read_cron(json, spec, reterr) != RC_OK || read_window(json, spec, reterr) != RC_OK ||
        read_policies(json, add_object(document, "policies"), extra, reterr) != RC_OK)
        return reterr->rc;
    *ret = json_incref(document);
    return RC_OK;
}

void jobs_explain(struct err *err)
{
    static const struct {
        const char *native, *jobs_name;
    } names[] = {
        {"spec.cron[", "cronExpression"},  {"spec.window", "executionWindowStart"},
        {"spec", "cronExpression"},        {"action.kind", "jobType"},
        {"action.queue", "orgId"},         {"action.input", "payload"},
        {"policies.retry", "retryPolicy"},
    };
    struct err why = *err;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_starts(str_of(why.field), str_of(names[i].native))) {
            err_set(err, why.rc, why.at, 0, "%s", why.text);
            err_in(err, "%s", names[i].jobs_name);
            return;
        }
}
