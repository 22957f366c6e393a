/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Conductor's JSON of a schedule into the native document: see conductor_doc.h.
 */
#include <inttypes.h>
#include <string.h>

#include "api/conductor/conductor_doc.h"
#include "base/must.h"
#include "core/time/text.h"
#include "model/schedule_json.h"

enum {
    CRONS_MAX = 100,  /* entries of one schedule; the core accepts more             */
    CRON_ROOM = 1024, /* bytes of an expression with "0 " before it                 */
    TAGS_MAX = 100,
    TAG_TEXT_MAX = 255, /* bytes, as in Conductor's own column                        */
    PRIORITY_LIMIT = 99,
};

static enum rc refuse_field(struct err *reterr, const char *field, const char *why)
{
    err_set(reterr, RC_INVALID, -1, 0, "%s", why);
    err_in(reterr, "%s", field);
    return RC_INVALID;
}

static bool is_blank(struct str text)
{
    return str_trim(text).len == 0;
}

static struct str string_of(const json_t *json)
{
    return json_is_string(json)
               ? (struct str){json_string_value(json), json_string_length(json)}
               : (struct str){NULL, 0};
}

/* A string member; an absent, null or blank one is empty. */
static enum rc read_text(const json_t *json, const char *name, struct str *ret,
                         struct err *reterr)
{
    const json_t *value = json_object_get(json, name);

    *ret = (struct str){NULL, 0};
    if (!value || json_is_null(value))
        return RC_OK;
    if (!json_is_string(value)) {
        json_wrong_type(value, "a string", reterr);
        err_in(reterr, "%s", name);
        return reterr->rc;
    }
    if (!is_blank(string_of(value)))
        *ret = string_of(value);
    return RC_OK;
}

static enum rc read_flag(const json_t *json, const char *name, bool *ret, struct err *reterr)
{
    const json_t *value = json_object_get(json, name);
    struct str text = string_of(value);

    *ret = json_is_true(value) || str_eq_nocase(text, STR("true"));
    if (*ret || !value || json_is_null(value) || json_is_false(value) ||
        (json_is_string(value) && (text.len == 0 || str_eq_nocase(text, STR("false")))))
        return RC_OK;
    json_wrong_type(value, "true or false", reterr);
    err_in(reterr, "%s", name);
    return reterr->rc;
}

/* ---- times ---- */

enum rc conductor_parse_time(struct str text, instant *ret, struct err *reterr)
{
    struct str rest = str_trim(text);
    int64_t ms = 0;

    if (rest.len == 0)
        return RC_OK;
    if (str_take_number(&rest, INSTANT_MAX / SPAN_MS, &ms) == 0 || rest.len > 0 ||
        ms > INSTANT_MAX / SPAN_MS)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "must be milliseconds since 1970, such as 1771552800000, not \"%.*s\"",
                       STR_ARG(text));
    if (ms > 0)
        *ret = ms * SPAN_MS;
    return RC_OK;
}

enum rc conductor_read_time(const json_t *json, instant *ret, struct err *reterr)
{
    json_int_t ms = json_integer_value(json);

    if (!json || json_is_null(json))
        return RC_OK;
    if (json_is_string(json))
        return conductor_parse_time(string_of(json), ret, reterr);
    if (!json_is_integer(json))
        return json_wrong_type(json, "milliseconds since 1970", reterr);
    if (ms < 0 || ms > INSTANT_MAX / SPAN_MS)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "must be milliseconds since 1970, from 0 to %" PRId64,
                       INSTANT_MAX / SPAN_MS);
    if (ms > 0)
        *ret = ms * SPAN_MS;
    return RC_OK;
}

static json_t *instant_json(instant t)
{
    char text[INSTANT_TEXT_MAX];
    struct buf out = BUF(text);

    instant_format_ms(t, &out);
    return json_new_str(buf_as_str(&out));
}

static enum rc read_bounds(const json_t *json, json_t *spec, struct err *reterr)
{
    instant start = INSTANT_NONE, end = INSTANT_NEVER;

    if (conductor_read_time(json_object_get(json, "scheduleStartTime"), &start, reterr) !=
        RC_OK) {
        err_in(reterr, "scheduleStartTime");
        return reterr->rc;
    }
    if (conductor_read_time(json_object_get(json, "scheduleEndTime"), &end, reterr) != RC_OK) {
        err_in(reterr, "scheduleEndTime");
        return reterr->rc;
    }
    if (start != INSTANT_NONE && end <= start)
        return refuse_field(reterr, "scheduleEndTime", "must be later than scheduleStartTime");
    if (start != INSTANT_NONE)
        json_put(spec, "start", instant_json(start));
    if (end != INSTANT_NEVER)
        json_put(spec, "end", instant_json(end));
    return RC_OK;
}

/* ---- expressions ---- */

static int count_fields(struct str expr)
{
    int count = 0;

    for (size_t i = 0; i < expr.len; i++)
        count += expr.ptr[i] != ' ' && (i == 0 || expr.ptr[i - 1] == ' ');
    return count;
}

struct str conductor_cron(struct str expr, struct buf *out)
{
    if (count_fields(expr) != 5 || expr.len + 3 > out->cap)
        return expr;
    buf_str(out, STR("0 "));
    buf_str(out, str_trim(expr));
    return buf_as_str(out);
}

static void add_cron(json_t *list, struct str expr, struct str zone)
{
    json_t *entry = json_new_object();
    char text[CRON_ROOM];
    struct buf out = BUF(text);

    json_put(entry, "expr", json_new_str(conductor_cron(expr, &out)));
    json_put(entry, "dialect", json_new_str(STR("spring")));
    json_put(entry, "timezone", json_new_str(zone.len > 0 ? zone : STR("UTC")));
    json_add(list, entry);
}

static enum rc read_entry(const json_t *item, int i, void *arg, struct err *reterr)
{
    struct str expr, zone;

    (void)i;
    if (!json_is_object(item))
        return json_wrong_type(item, "an object with cronExpression and zoneId", reterr);
    if (read_text(item, "cronExpression", &expr, reterr) != RC_OK ||
        read_text(item, "zoneId", &zone, reterr) != RC_OK)
        return reterr->rc;
    if (expr.len == 0)
        return refuse_field(reterr, "cronExpression", "a cron expression is required");
    add_cron(arg, expr, zone);
    return RC_OK;
}

/* A list overrides the single expression, which is then only stored and shown again. */
static enum rc read_crons(const json_t *json, json_t *spec, json_t *extra, struct err *reterr)
{
    const json_t *list = json_object_get(json, "cronSchedules");
    json_t *crons = json_new_list();
    struct str expr, zone;
    int count = 0;

    json_put(spec, "cron", crons);
    if (read_text(json, "cronExpression", &expr, reterr) != RC_OK ||
        read_text(json, "zoneId", &zone, reterr) != RC_OK)
        return reterr->rc;
    if (list && !json_is_null(list) &&
        (json_take_count(list, CRONS_MAX, &count, reterr) != RC_OK ||
         json_take_items(list, read_entry, crons, reterr) != RC_OK)) {
        err_in(reterr, "cronSchedules");
        return reterr->rc;
    }
    if (count == 0 && expr.len == 0)
        return refuse_field(reterr, "cronExpression",
                            "a cron expression is required, here or in cronSchedules");
    if (count == 0) {
        add_cron(crons, expr, zone);
        return RC_OK;
    }
    json_put(extra, "multiCron", json_true());
    if (expr.len > 0)
        json_put(extra, "cronExpression", json_new_str(expr));
    if (zone.len > 0)
        json_put(extra, "zoneId", json_new_str(zone));
    return RC_OK;
}

/* ---- the workflow ---- */

static enum rc read_version(const json_t *json, json_t *action, struct err *reterr)
{
    const json_t *value = json_object_get(json, "version");
    struct str text = str_trim(string_of(value));
    int64_t version = json_integer_value(value);

    if (!value || json_is_null(value) || (json_is_string(value) && text.len == 0))
        return RC_OK;
    if (json_is_string(value) &&
        (str_take_number(&text, INT32_MAX, &version) == 0 || text.len > 0))
        return refuse_field(reterr, "version", "must be a whole number");
    if (!json_is_string(value) && !json_is_integer(value))
        return refuse_field(reterr, "version", "must be a whole number");
    if (version < 0 || version > INT32_MAX)
        return refuse_field(reterr, "version", "must be a whole number from 0 to 2147483647");
    if (version > 0)
        json_put(action, "version", json_new_int(version));
    return RC_OK;
}

static enum rc read_input(const json_t *json, json_t *action, struct err *reterr)
{
    const json_t *input = json_object_get(json, "input");

    if (!input || json_is_null(input))
        return RC_OK;
    if (!json_is_object(input)) {
        json_wrong_type(input, "an object", reterr);
        err_in(reterr, "input");
        return reterr->rc;
    }
    json_put(action, "input", json_deep_copy(input));
    return RC_OK;
}

static bool is_action_member(const char *name)
{
    static const char *const names[] = {"name", "version", "correlationId", "input"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* What only Conductor understands: domains, priority, inline definition, idempotency key. */
static json_t *other_members(const json_t *json)
{
    json_t *rest = json_new_object(), *value;
    const char *name;

    json_object_foreach((json_t *)json, name,
                        value) if (!is_action_member(name) && !json_is_null(value))
        json_put(rest, name, json_deep_copy(value));
    return rest;
}

/* From 0 to 99, as a number or, as in a query string, as text. */
static enum rc read_priority(const json_t *json, json_t *rest, struct err *reterr)
{
    const json_t *value = json_object_get(json, "priority");
    struct str text = str_trim(string_of(value));
    int64_t priority = json_integer_value(value);
    bool is_number = json_is_integer(value);

    if (!value || json_is_null(value) || (json_is_string(value) && text.len == 0)) {
        json_object_del(rest, "priority");
        return RC_OK;
    }
    if (json_is_string(value))
        is_number = str_take_number(&text, PRIORITY_LIMIT, &priority) > 0 && text.len == 0;
    if (!is_number || priority < 0 || priority > PRIORITY_LIMIT)
        return refuse_field(reterr, "priority", "must be a whole number from 0 to 99");
    json_put(rest, "priority", json_new_int(priority));
    return RC_OK;
}

enum rc conductor_read_request(const json_t *json, json_t **ret, struct err *reterr)
{
    json_auto_t *action = json_new_object();
    struct str name, correlation;
    json_t *rest;

    if (!json_is_object(json))
        return json_wrong_type(json, "an object with the name of a workflow", reterr);
    if (read_text(json, "name", &name, reterr) != RC_OK ||
        read_text(json, "correlationId", &correlation, reterr) != RC_OK)
        return reterr->rc;
    if (name.len == 0)
        return refuse_field(reterr, "name", "the name of a workflow is required");
    json_put(action, "type", json_new_str(STR("workflow")));
    json_put(action, "name", json_new_str(name));
    if (correlation.len > 0)
        json_put(action, "correlationId", json_new_str(correlation));
    rest = other_members(json);
    json_put(action, "conductor", rest);
    if (read_version(json, action, reterr) != RC_OK ||
        read_priority(json, rest, reterr) != RC_OK || read_input(json, action, reterr) != RC_OK)
        return reterr->rc;
    *ret = json_incref(action);
    return RC_OK;
}

/* ---- tags ---- */

static enum rc read_tag(const json_t *item, int i, void *arg, struct err *reterr)
{
    struct str key, value;

    (void)i;
    (void)arg;
    if (!json_is_object(item))
        return json_wrong_type(item, "an object with key and value", reterr);
    if (read_text(item, "key", &key, reterr) != RC_OK ||
        read_text(item, "value", &value, reterr) != RC_OK)
        return reterr->rc;
    if (key.len == 0)
        return refuse_field(reterr, "key", "a key is required");
    if (key.len > TAG_TEXT_MAX || value.len > TAG_TEXT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "key and value are limited to %d bytes",
                       TAG_TEXT_MAX);
    return RC_OK;
}

enum rc conductor_read_tags(const json_t *json, struct err *reterr)
{
    int count;

    if (json_take_count(json, TAGS_MAX, &count, reterr) != RC_OK)
        return reterr->rc;
    return json_take_items(json, read_tag, NULL, reterr);
}

/* ---- the document ---- */

json_t *conductor_policies(bool is_catching_up)
{
    json_t *policies = json_new_object(), *catchup = json_new_object();
    json_t *retry = json_new_object(), *retention = json_new_object();

    json_put(catchup, "mode", json_new_str(is_catching_up ? STR("all") : STR("oldest")));
    json_put(catchup, "whilePaused", json_boolean(is_catching_up));
    json_put(catchup, "whenFull", json_new_str(STR("wait")));
    json_put(retry, "attempts", json_new_int(1));
    json_put(retention, "count", json_new_int(CONDUCTOR_KEEP));
    json_put(policies, "overlap", json_new_str(STR("allowAll")));
    json_put(policies, "catchup", catchup);
    json_put(policies, "retry", retry);
    json_put(policies, "retention", retention);
    return policies;
}

void conductor_set_keep(json_t *document, int64_t keep)
{
    json_t *policies = json_object_get(document, "policies");

    json_put(json_object_get(policies, "retention"), "count", json_new_int(keep));
}

/* Paths of the API have these words in the place of a name. */
static bool is_reserved(struct str name)
{
    return str_eq(name, STR("search")) || str_eq(name, STR("tags"));
}

static enum rc read_name(const json_t *json, struct str *ret, struct err *reterr)
{
    if (!json_is_object(json))
        return json_wrong_type(json, "an object, a schedule", reterr);
    if (read_text(json, "name", ret, reterr) != RC_OK)
        return reterr->rc;
    if (ret->len == 0)
        return refuse_field(reterr, "name", "the name of a schedule is required");
    if (is_reserved(*ret))
        return refuse_field(reterr, "name",
                            "\"search\" and \"tags\" are reserved; choose another name");
    return RC_OK;
}

static enum rc read_start_request(const json_t *json, json_t *document, struct err *reterr)
{
    const json_t *request = json_object_get(json, "startWorkflowRequest");
    json_t *action = NULL;

    if (!request || json_is_null(request))
        return refuse_field(reterr, "startWorkflowRequest",
                            "is required; it names the workflow to start");
    if (conductor_read_request(request, &action, reterr) != RC_OK) {
        err_in(reterr, "startWorkflowRequest");
        return reterr->rc;
    }
    json_put(document, "action", action);
    return RC_OK;
}

static enum rc read_schedule_tags(const json_t *json, json_t *extra, struct err *reterr)
{
    const json_t *tags = json_object_get(json, "tags");

    if (!tags || json_is_null(tags))
        return RC_OK;
    if (conductor_read_tags(tags, reterr) != RC_OK) {
        err_in(reterr, "tags");
        return reterr->rc;
    }
    json_put(extra, "tags", json_deep_copy(tags));
    return RC_OK;
}

enum rc conductor_read(const json_t *json, struct conductor_wanted *ret, struct err *reterr)
{
    json_auto_t *document = json_new_object();
    json_t *spec = json_new_object(), *extra = json_new_object();
    struct conductor_wanted wanted = {0};
    struct str description;
    bool is_catching_up;

    json_put(document, "spec", spec);
    json_put(document, "extra", extra);
    if (read_name(json, &wanted.name, reterr) != RC_OK ||
        read_crons(json, spec, extra, reterr) != RC_OK ||
        read_bounds(json, spec, reterr) != RC_OK ||
        read_start_request(json, document, reterr) != RC_OK ||
        read_schedule_tags(json, extra, reterr) != RC_OK ||
        read_flag(json, "paused", &wanted.is_paused, reterr) != RC_OK ||
        read_flag(json, "runCatchupScheduleInstances", &is_catching_up, reterr) != RC_OK ||
        read_text(json, "pausedReason", &wanted.reason, reterr) != RC_OK ||
        read_text(json, "description", &description, reterr) != RC_OK)
        return reterr->rc;
    json_put(document, "id", json_new_str(wanted.name));
    if (description.len > 0)
        json_put(document, "description", json_new_str(description));
    json_put(document, "policies", conductor_policies(is_catching_up));
    wanted.document = json_incref(document);
    *ret = wanted;
    return RC_OK;
}

/* ---- errors ---- */

/* The index in "spec.cron[2].expr"; -1: the field is not of a cron entry. */
static int64_t cron_index(struct str field, struct str *ret_member)
{
    static const struct str head = {"spec.cron[", 10};
    int64_t i;

    if (!str_starts(field, head))
        return -1;
    *ret_member = str_from(field, head.len);
    return str_take_number(ret_member, CRONS_MAX, &i) > 0 ? i : -1;
}

static void explain_cron(const json_t *document, int64_t i, struct str member, struct err *err)
{
    const json_t *list = json_object_get(json_object_get(document, "spec"), "cron");
    const json_t *entry = json_array_get(list, (size_t)i);
    bool is_zone = str_starts(member, STR("].timezone"));
    struct str text = string_of(json_object_get(entry, is_zone ? "timezone" : "expr"));
    struct err why = *err;

    err_set(err, RC_INVALID, -1, 0, "Invalid %s '%.*s': %s",
            is_zone ? "zoneId" : "cron expression", STR_ARG(text), why.text);
}

void conductor_explain(const json_t *document, struct err *err)
{
    struct err why = *err;
    struct str field = str_of(why.field), member;
    int64_t i = cron_index(field, &member);

    if (i >= 0) {
        explain_cron(document, i, member, err);
        return;
    }
    if (!str_starts(field, STR("action.")) && !str_eq(field, STR("id")))
        return;
    err_set(err, why.rc, -1, 0, "%s", why.text);
    if (str_eq(field, STR("id")))
        err_in(err, "name");
    else if (str_eq(field, STR("action.conductor")))
        err_in(err, "startWorkflowRequest"); /* the error concerns all other members together */
    else
        err_in(err, "startWorkflowRequest.%.*s", STR_ARG(str_from(field, 7)));
}
