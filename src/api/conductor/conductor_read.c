/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Conductor's JSON of a schedule: see conductor_doc.h.
 */
#include <inttypes.h>
#include <string.h>

#include "api/conductor/conductor_doc.h"
#include "model/schedule_json.h"

enum {
    CRONS_MAX = 100, /* entries of one schedule; the core accepts more             */
    TAGS_MAX = 100,
    TAG_TEXT_MAX = 255, /* bytes, as in Conductor's own column                        */
    PRIORITY_LIMIT = 99,
};

static struct str string_of(const json_t *json)
{
    return (struct str){json_string_value(json), json_string_length(json)};
}

/* Does not limit the length. */
static enum rc read_limited(const json_t *json, const char *name, int64_t max,
                            struct arena *arena, struct str *ret, struct err *reterr)
{
    const struct member m = {name, MEMBER_TEXT, .high = max};

    return member_read_text(&m, json, arena, ret, reterr);
}

static enum rc read_text(const json_t *json, const char *name, struct arena *arena,
                         struct str *ret, struct err *reterr)
{
    return read_limited(json, name, JSON_BYTES_MAX, arena, ret, reterr);
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
    return err_in(reterr, "%s", name);
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

static enum rc read_bounds(const json_t *json, struct spec_def *spec, struct err *reterr)
{
    instant start = INSTANT_NONE, end = INSTANT_NEVER;

    if (conductor_read_time(json_object_get(json, "scheduleStartTime"), &start, reterr) !=
        RC_OK)
        return err_in(reterr, "scheduleStartTime");
    if (conductor_read_time(json_object_get(json, "scheduleEndTime"), &end, reterr) != RC_OK)
        return err_in(reterr, "scheduleEndTime");
    if (start != INSTANT_NONE && end <= start)
        return err_field(reterr, "scheduleEndTime", "must be later than scheduleStartTime");
    spec->start = start;
    spec->end = end;
    return RC_OK;
}

/* ---- expressions ---- */

struct entries {
    struct spec_def *spec;
    struct arena *arena;
};

static void add_cron(struct entries *entries, struct str expr, struct str zone)
{
    struct cron_def *cron = &entries->spec->cron[entries->spec->cron_count++];
    struct buf out = {.cap = expr.len + sizeof "0 "};

    out.ptr = arena_take(entries->arena, out.cap);
    *cron = (struct cron_def){.expr = cron_seconds_first(expr, &out),
                              .dialect = DIALECT_SPRING,
                              .zone = zone.len > 0 ? zone : STR("UTC")};
}

static enum rc read_entry(const json_t *item, int i, void *arg, struct err *reterr)
{
    struct entries *entries = arg;
    struct str expr, zone;

    (void)i;
    if (!json_is_object(item))
        return json_wrong_type(item, "an object with cronExpression and zoneId", reterr);
    if (read_text(item, "cronExpression", entries->arena, &expr, reterr) != RC_OK ||
        read_text(item, "zoneId", entries->arena, &zone, reterr) != RC_OK)
        return reterr->rc;
    if (expr.len == 0)
        return err_field(reterr, "cronExpression", "a cron expression is required");
    add_cron(entries, expr, zone);
    return RC_OK;
}

/* A list overrides the single expression, which is then only stored and shown again. */
static enum rc read_crons(const json_t *json, struct entries *entries, json_t *extra,
                          struct err *reterr)
{
    const json_t *list = json_object_get(json, "cronSchedules");
    struct str expr, zone;
    int count = 0;

    if (read_text(json, "cronExpression", entries->arena, &expr, reterr) != RC_OK ||
        read_text(json, "zoneId", entries->arena, &zone, reterr) != RC_OK)
        return reterr->rc;
    entries->spec->cron = arena_array(entries->arena, CRONS_MAX, sizeof *entries->spec->cron);
    if (list && !json_is_null(list) &&
        (json_take_count(list, CRONS_MAX, &count, reterr) != RC_OK ||
         json_take_items(list, read_entry, entries, reterr) != RC_OK))
        return err_in(reterr, "cronSchedules");
    if (count == 0 && expr.len == 0)
        return err_field(reterr, "cronExpression",
                         "a cron expression is required, here or in cronSchedules");
    if (count == 0) {
        add_cron(entries, expr, zone);
        return RC_OK;
    }
    if (read_limited(json, "cronExpression", CRON_TEXT_MAX, entries->arena, &expr, reterr) !=
            RC_OK ||
        read_limited(json, "zoneId", ZONE_NAME_MAX, entries->arena, &zone, reterr) != RC_OK)
        return reterr->rc; /* no other check limits what is only stored */
    json_put(extra, "multiCron", json_true());
    if (expr.len > 0)
        json_put(extra, "cronExpression", json_new_str(expr));
    if (zone.len > 0)
        json_put(extra, "zoneId", json_new_str(zone));
    return RC_OK;
}

/* Repeats checks of spec_compile(), to report errors in Conductor's words. */
static enum rc check_cron(const struct cron_def *cron, const struct zone_source *zones,
                          struct err *reterr)
{
    struct cron_text text;
    bool uses_zone_id = false;
    struct err why;

    if (cron_parse(cron->expr, cron->dialect, STR(""), &text, &why) == RC_OK) {
        uses_zone_id = text.zone.len == 0;
        if (zones->find(zones->user, uses_zone_id ? cron->zone : text.zone, &why))
            return RC_OK;
    }
    return err_set(reterr, RC_INVALID, -1, 0, "Invalid %s '%.*s': %s",
                   uses_zone_id ? "zoneId" : "cron expression",
                   STR_ARG(uses_zone_id ? cron->zone : cron->expr), why.text);
}

/* ---- the workflow ---- */

/* A whole number, also as text, as in a query string; -1: absent, null or blank. */
static enum rc read_number(const json_t *json, const char *name, int64_t high, int64_t *ret,
                           struct err *reterr)
{
    const json_t *value = json_object_get(json, name);
    struct str text = str_trim(string_of(value));
    bool is_number = json_is_integer(value);
    int64_t n = json_integer_value(value);

    *ret = -1;
    if (!value || json_is_null(value) || (json_is_string(value) && text.len == 0))
        return RC_OK;
    if (json_is_string(value))
        is_number = str_take_number(&text, high, &n) > 0 && text.len == 0;
    if (!is_number || n < 0 || n > high) {
        err_set(reterr, RC_INVALID, -1, 0, "must be a whole number from 0 to %" PRId64, high);
        return err_in(reterr, "%s", name);
    }
    *ret = n;
    return RC_OK;
}

static enum rc read_input(const json_t *json, struct arena *arena, struct str *ret,
                          struct err *reterr)
{
    const json_t *input = json_object_get(json, "input");

    if (!input || json_is_null(input) ||
        json_keep_map(input, WORKFLOW_INPUT_MAX, arena, ret, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "input");
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

static enum rc keep_rest(const json_t *rest, struct arena *arena, struct str *ret,
                         struct err *reterr)
{
    struct err why;

    if (json_keep_map(rest, WORKFLOW_INPUT_MAX, arena, ret, &why) == RC_OK)
        return RC_OK;
    return err_set(reterr, why.rc, -1, 0, "without input, the request %s", why.text);
}

enum rc conductor_read_request(const json_t *json, struct arena *arena, struct action *ret,
                               struct err *reterr)
{
    static const struct member name = {"name", MEMBER_TEXT, .high = ACTION_NAME_MAX,
                                       .check = path_name_check},
                               correlation = {"correlationId", MEMBER_TEXT,
                                              .high = ACTION_ID_MAX, .check = name_check};
    struct action action = action_default(ACTION_WORKFLOW);
    struct workflow_action *workflow = &action.workflow;
    json_auto_t *rest = NULL;
    int64_t version, priority;

    if (!json_is_object(json))
        return json_wrong_type(json, "an object with the name of a workflow", reterr);
    if (member_read_text(&name, json, arena, &workflow->name, reterr) != RC_OK ||
        member_read_text(&correlation, json, arena, &workflow->correlation_id, reterr) != RC_OK)
        return reterr->rc;
    if (workflow->name.len == 0)
        return err_field(reterr, "name", "the name of a workflow is required");
    if (read_number(json, "version", INT32_MAX, &version, reterr) != RC_OK ||
        read_number(json, "priority", PRIORITY_LIMIT, &priority, reterr) != RC_OK)
        return reterr->rc;
    workflow->version = version > 0 ? (int32_t)version : 0;
    rest = other_members(json);
    if (priority >= 0)
        json_put(rest, "priority", json_new_int(priority));
    else
        json_object_del(rest, "priority");
    if (keep_rest(rest, arena, &workflow->conductor, reterr) != RC_OK ||
        read_input(json, arena, &action.input, reterr) != RC_OK)
        return reterr->rc;
    *ret = action;
    return RC_OK;
}

/* ---- tags ---- */

static enum rc read_tag(const json_t *item, int i, void *arg, struct err *reterr)
{
    struct str key, value;

    (void)i;
    if (!json_is_object(item))
        return json_wrong_type(item, "an object with key and value", reterr);
    if (read_text(item, "key", arg, &key, reterr) != RC_OK ||
        read_text(item, "value", arg, &value, reterr) != RC_OK)
        return reterr->rc;
    if (key.len == 0)
        return err_field(reterr, "key", "a key is required");
    if (key.len > TAG_TEXT_MAX || value.len > TAG_TEXT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "key and value are limited to %d bytes",
                       TAG_TEXT_MAX);
    return RC_OK;
}

enum rc conductor_read_tags(const json_t *json, struct arena *scratch, struct err *reterr)
{
    int count;

    if (json_take_count(json, TAGS_MAX, &count, reterr) != RC_OK)
        return reterr->rc;
    return json_take_items(json, read_tag, scratch, reterr);
}

/* ---- the document ---- */

void conductor_policies(bool is_catching_up, struct policies *policies)
{
    policies->overlap = OVERLAP_ALLOW_ALL;
    policies->catchup = is_catching_up ? CATCHUP_ALL : CATCHUP_OLDEST;
    policies->catchup_paused = is_catching_up;
    policies->drop_when_full = false;
    policies->retry.attempts = 1;
    policies->max_run_time = 0; /* a workflow ends when its owner wants it to end */
    policies->retention_count = CONDUCTOR_KEEP;
}

/* Paths of the API have these words in the place of a name. */
static bool is_reserved(struct str name)
{
    return str_eq(name, STR("search")) || str_eq(name, STR("tags"));
}

static enum rc read_name(const json_t *json, struct arena *arena, struct str *ret,
                         struct err *reterr)
{
    static const struct member name = {"name", MEMBER_TEXT, .high = SCHEDULE_ID_MAX,
                                       .check = path_name_check};

    if (!json_is_object(json))
        return json_wrong_type(json, "an object, a schedule", reterr);
    if (member_read_text(&name, json, arena, ret, reterr) != RC_OK)
        return reterr->rc;
    if (ret->len == 0)
        return err_field(reterr, "name", "the name of a schedule is required");
    if (is_reserved(*ret))
        return err_field(reterr, "name",
                         "\"search\" and \"tags\" are reserved; choose another name");
    return RC_OK;
}

static enum rc read_start_request(const json_t *json, struct arena *arena, struct action *ret,
                                  struct err *reterr)
{
    const json_t *request = json_object_get(json, "startWorkflowRequest");

    if (!request || json_is_null(request))
        return err_field(reterr, "startWorkflowRequest",
                         "is required; it names the workflow to start");
    if (conductor_read_request(request, arena, ret, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "startWorkflowRequest");
}

/* Adds the tags to `extra` and converts it to text. */
static enum rc keep_extra(const json_t *json, json_t *extra, struct arena *arena,
                          struct str *ret, struct err *reterr)
{
    const json_t *tags = json_object_get(json, "tags");
    enum rc rc = RC_OK;

    if (tags && !json_is_null(tags)) {
        rc = conductor_read_tags(tags, arena, reterr);
        json_put(extra, "tags", json_deep_copy(tags));
    }
    if (rc == RC_OK)
        rc = json_keep_map(extra, EXTRA_MAX, arena, ret, reterr);
    return rc == RC_OK ? RC_OK : err_in(reterr, "tags");
}

static enum rc read_rest(const json_t *json, struct arena *arena, struct schedule_doc *doc,
                         struct conductor_wanted *pause, struct err *reterr)
{
    static const struct member description = {"description", MEMBER_TEXT,
                                              .high = DESCRIPTION_MAX};
    bool is_catching_up;

    if (read_flag(json, "paused", &pause->is_paused, reterr) != RC_OK ||
        read_flag(json, "runCatchupScheduleInstances", &is_catching_up, reterr) != RC_OK ||
        read_limited(json, "pausedReason", REASON_TEXT_MAX, arena, &pause->reason, reterr) !=
            RC_OK ||
        member_read_text(&description, json, arena, &doc->description, reterr) != RC_OK)
        return reterr->rc;
    conductor_policies(is_catching_up, &doc->policies);
    return RC_OK;
}

enum rc conductor_read(const json_t *json, const struct zone_source *zones, struct arena *arena,
                       struct schedule_doc *doc, struct conductor_wanted *ret,
                       struct err *reterr)
{
    struct entries entries = {&doc->spec, arena};
    json_auto_t *extra = json_new_object();
    struct conductor_wanted pause = {0};

    if (read_name(json, arena, &doc->id, reterr) != RC_OK ||
        read_crons(json, &entries, extra, reterr) != RC_OK ||
        read_bounds(json, &doc->spec, reterr) != RC_OK ||
        read_start_request(json, arena, &doc->action, reterr) != RC_OK ||
        keep_extra(json, extra, arena, &doc->extra, reterr) != RC_OK ||
        read_rest(json, arena, doc, &pause, reterr) != RC_OK)
        return reterr->rc;
    for (int i = 0; i < doc->spec.cron_count; i++)
        if (check_cron(&doc->spec.cron[i], zones, reterr) != RC_OK)
            return reterr->rc;
    *ret = pause;
    return RC_OK;
}
