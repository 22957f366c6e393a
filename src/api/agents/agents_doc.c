/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads, checks and prints the agents' JSON and builds the native document: see agents_doc.h.
 */
#include "api/agents/agents_doc.h"

#include <inttypes.h>

#include "base/must.h"
#include "model/policies_json.h"

enum {
    MINUTES_DAY = 24 * 60, /* intervals start at each midnight    */
    DURATION_ROOM = 32,    /* bytes of a number of milliseconds   */
    CRON_ROOM = CRON_TEXT_MAX + 3,
};

/* ---- the members ---- */

static const char *const types[] = {NULL, "CRON", "FIXED_TIMES", "INTERVAL", "IMMEDIATE"};
static const char *const scopes[] = {"GLOBAL", "PROJECT"};

static enum rc parse_type(struct str word, void *to, struct err *reterr)
{
    for (int i = AGENTS_CRON; i <= AGENTS_NOW; i++)
        if (str_eq(word, str_of(types[i]))) {
            *(enum agents_type *)to = (enum agents_type)i;
            return RC_OK;
        }
    return err_set(reterr, RC_INVALID, -1, 0,
                   "must be CRON, FIXED_TIMES, INTERVAL or IMMEDIATE");
}

static const char *type_text(const void *from)
{
    return types[*(const enum agents_type *)from];
}

static enum rc parse_scope(struct str word, void *to, struct err *reterr)
{
    for (int i = AGENTS_GLOBAL; i <= AGENTS_PROJECT; i++)
        if (str_eq(word, str_of(scopes[i]))) {
            *(enum agents_scope *)to = (enum agents_scope)i;
            return RC_OK;
        }
    return err_set(reterr, RC_INVALID, -1, 0, "must be GLOBAL or PROJECT");
}

static const char *scope_text(const void *from)
{
    return scopes[*(const enum agents_scope *)from];
}

#define AT(member) .offset = offsetof(struct agents_schedule, member)

static const struct member inputs_list[] = {
    {"inputType", MEMBER_TEXT, AT(input_type), .high = AGENT_TEXT_MAX, .check = name_check},
    {"windowMinutes", MEMBER_INT32, AT(window), .high = INT32_MAX, .has_none = true},
    {"threadFilter", MEMBER_TEXT, AT(thread_filter), .high = AGENT_TEXT_MAX, .has_none = true},
};

static const struct member executor_list[] = {
    {"maxConcurrent", MEMBER_INT32, AT(max_concurrent), .low = 1, .high = GATE_LIMIT_MAX},
    {"priority", MEMBER_INT32, AT(priority), .low = PRIORITY_MIN, .high = PRIORITY_MAX},
    {"maxAttempts", MEMBER_INT32, AT(attempts), .low = 1, .high = RETRY_ATTEMPTS_MAX},
    {"retryBackoffMs", MEMBER_INT64, AT(backoff_ms), .high = RETRY_WAIT_MAX / SPAN_MS},
    {"riskGate", MEMBER_BOOL, AT(is_gated)},
};

static const struct members inputs_members = MEMBERS(inputs_list);
static const struct members executor_members = MEMBERS(executor_list);

static const struct member schedule_list[] = {
    {"agentId", MEMBER_TEXT, AT(agent), .high = AGENT_ID_MAX, .check = name_check},
    {"enabled", MEMBER_BOOL, AT(is_enabled)},
    {"timezone", MEMBER_TEXT, AT(zone), .high = ZONE_NAME_MAX, .check = name_check},
    {"scheduleType", MEMBER_WORD, AT(type), .parse = parse_type, .text = type_text},
    {"cronExpr", MEMBER_TEXT, AT(cron), .high = CRON_TEXT_MAX, .has_none = true},
    {"timesOfDay", MEMBER_JSON, AT(times), .high = AGENT_TIMES_MAX, .has_none = true},
    {"intervalMinutes", MEMBER_INT32, AT(interval), .low = 1, .high = MINUTES_DAY,
     .has_none = true},
    {"projectScope", MEMBER_WORD, AT(scope), .parse = parse_scope, .text = scope_text},
    {"projectId", MEMBER_TEXT, AT(project), .high = AGENT_PROJECT_MAX, .has_none = true},
    {"inputsPolicy", MEMBER_OBJECT, .members = &inputs_members},
    {"executorPolicy", MEMBER_OBJECT, .members = &executor_members},
};

static const struct member version_list[] = {
    {"version", MEMBER_INT64, AT(version), .high = INT64_MAX},
};

static const struct members schedule_members = MEMBERS(schedule_list);
static const struct members version_members = MEMBERS(version_list);

/* ---- reading ---- */

struct agents_schedule agents_initial(struct str default_zone)
{
    return (struct agents_schedule){
        .is_enabled = true,
        .zone = default_zone.len > 0 ? default_zone : STR("UTC"),
        .input_type = STR("none"),
        .max_concurrent = 1,
        .priority = 5,
        .attempts = 3,
        .backoff_ms = 60000,
    };
}

enum rc agents_read(const json_t *json, struct arena *arena, struct agents_schedule *to,
                    struct err *reterr)
{
    const struct reading reading = {arena, true, to};
    enum rc rc = members_read(&schedule_members, json, &reading, reterr);

    return rc == RC_OK ? members_read(&version_members, json, &reading, reterr) : rc;
}

static enum rc refuse_field(struct err *reterr, const char *field, const char *why)
{
    err_set(reterr, RC_INVALID, -1, 0, "%s", why);
    err_in(reterr, "%s", field);
    return RC_INVALID;
}

enum rc agents_check(const struct agents_schedule *s, struct err *reterr)
{
    if (s->agent.len == 0)
        return refuse_field(reterr, "agentId", "is required; it names the agent to run");
    if (s->type == AGENTS_NO_TYPE)
        return refuse_field(reterr, "scheduleType",
                            "is required; use CRON, FIXED_TIMES, INTERVAL or IMMEDIATE");
    if (s->type == AGENTS_CRON && str_trim(s->cron).len == 0)
        return refuse_field(
            reterr, "cronExpr",
            "is required for CRON, such as \"0 0 9 * * MON-FRI\", seconds first");
    if (s->type == AGENTS_TIMES && s->times.len <= 2)
        return refuse_field(reterr, "timesOfDay",
                            "is required for FIXED_TIMES, such as [\"09:00\",\"17:00\"]");
    if (s->type == AGENTS_INTERVAL && s->interval == 0)
        return refuse_field(reterr, "intervalMinutes",
                            "is required for INTERVAL, from 1 to 1440");
    if (s->scope == AGENTS_PROJECT && s->project.len == 0)
        return refuse_field(reterr, "projectId", "is required if projectScope is PROJECT");
    return RC_OK;
}

enum rc agents_stored_read(struct str extra, struct arena *arena, struct agents_schedule *ret,
                           struct err *reterr)
{
    json_auto_t *json = extra.len > 0 ? json_of_kept(extra) : NULL;

    *ret = agents_initial((struct str){NULL, 0});
    if (!json)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "extra is empty");
    if (agents_read(json, arena, ret, reterr) != RC_OK)
        return reterr->rc;
    return agents_check(ret, reterr);
}

/* ---- the native document ---- */

static json_t *string_json(const char *text)
{
    return json_new_str(str_of(text));
}

static json_t *duration_json(int64_t n, const char *unit)
{
    char text[DURATION_ROOM];
    struct buf out = BUF(text);

    buf_printf(&out, "%" PRId64 "%s", n, unit);
    return json_new_str(buf_as_str(&out));
}

static int count_fields(struct str expr)
{
    int count = 0;

    for (size_t i = 0; i < expr.len; i++)
        count += expr.ptr[i] != ' ' && (i == 0 || expr.ptr[i - 1] == ' ');
    return count;
}

/* Spring's six fields; an expression of five fields gets seconds of 0. */
static json_t *cron_json(struct str expr)
{
    json_t *list = json_new_list(), *entry = json_new_object();
    char text[CRON_ROOM];
    struct buf out = BUF(text);

    buf_text(&out, count_fields(expr) == 5 ? "0 " : "");
    buf_str(&out, str_trim(expr));
    json_put(entry, "expr", json_new_str(buf_as_str(&out)));
    json_put(entry, "dialect", string_json("spring"));
    json_add(list, entry);
    return list;
}

/* Counted from each midnight of the zone. */
static json_t *interval_json(int32_t minutes)
{
    json_t *list = json_new_list(), *entry = json_new_object();

    json_put(entry, "every", duration_json(minutes, "m"));
    json_put(entry, "anchor", string_json("midnight"));
    json_add(list, entry);
    return list;
}

static json_t *spec_json(const struct agents_schedule *s)
{
    json_t *spec = json_new_object(), *dst = json_new_object();

    if (s->type == AGENTS_CRON)
        json_put(spec, "cron", cron_json(s->cron));
    else if (s->type == AGENTS_TIMES)
        json_put(spec, "timesOfDay", json_of_kept(s->times));
    else if (s->type == AGENTS_INTERVAL)
        json_put(spec, "intervals", interval_json(s->interval));
    json_put(dst, "gap", string_json("skip"));
    json_put(dst, "fold", string_json("both"));
    json_put(spec, "dst", dst);
    json_put(spec, "timezone", json_new_str(s->zone));
    return spec;
}

/* Agents claim from the queue of their name; the input tells them what to read. */
static json_t *action_json(const struct agents_schedule *s)
{
    const struct agents_schedule initial = agents_initial((struct str){NULL, 0});
    json_t *action = json_new_object(), *input = json_new_object();

    json_put(input, "agentId", json_new_str(s->agent));
    json_put(input, "projectId", json_of_text(s->project));
    json_put(input, "inputsPolicy", members_print(&inputs_members, s, &initial, SPEC_FULL));
    json_put(action, "type", string_json("queue"));
    json_put(action, "queue", json_new_str(s->agent));
    json_put(action, "input", input);
    return action;
}

static json_t *gate_json(const struct agents_schedule *s)
{
    json_t *gate = json_new_object();
    char text[sizeof "agent:" + AGENT_ID_MAX];
    struct buf out = BUF(text);

    buf_text(&out, "agent:");
    buf_str(&out, s->agent);
    json_put(gate, "key", json_new_str(buf_as_str(&out)));
    json_put(gate, "limit", json_new_int(s->max_concurrent));
    return gate;
}

static json_t *policies_json(const struct agents_schedule *s)
{
    json_t *policies = json_new_object(), *catchup = json_new_object();
    json_t *retry = json_new_object();

    json_put(catchup, "mode", string_json("none"));
    json_put(retry, "attempts", json_new_int(s->attempts));
    json_put(retry, "backoff", string_json("fixed"));
    json_put(retry, "delay", duration_json(s->backoff_ms, "ms"));
    json_put(retry, "max", duration_json(s->backoff_ms, "ms"));
    json_put(policies, "overlap", string_json("allowAll"));
    json_put(policies, "catchup", catchup);
    json_put(policies, "retry", retry);
    json_put(policies, "priority", json_new_int(s->priority));
    json_put(policies, "concurrency", gate_json(s));
    json_put(policies, "approval", json_boolean(s->is_gated));
    json_put(policies, "startWithin", string_json("24h")); /* a plan covers one day */
    return policies;
}

json_t *agents_print(const struct agents_schedule *s)
{
    const struct agents_schedule initial = agents_initial((struct str){NULL, 0});

    return members_print(&schedule_members, s, &initial, SPEC_FULL);
}

json_t *agents_document(const struct agents_schedule *s)
{
    json_t *document = json_new_object();

    json_put(document, "enabled", json_boolean(s->is_enabled));
    json_put(document, "spec", spec_json(s));
    json_put(document, "action", action_json(s));
    json_put(document, "policies", policies_json(s));
    json_put(document, "extra", agents_print(s));
    return document;
}

/* ---- names ---- */

static void put_escaped(struct buf *out, struct str text)
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (char_is_alpha(c) || char_is_digit(c) || c == '-' || c == '_' || c == '.')
            buf_char(out, c);
        else
            buf_add(out, (char[]){'~', hex[(unsigned char)c >> 4], hex[c & 15]}, 3);
    }
}

struct str agents_name(struct str agent, struct str project, struct arena *arena)
{
    struct buf out = {.cap = AGENT_NAME_MAX};

    out.ptr = arena_take(arena, out.cap);
    buf_text(&out, "agent:");
    put_escaped(&out, agent);
    if (project.len > 0)
        buf_char(&out, '@');
    put_escaped(&out, project);
    must(!out.cut);
    return buf_as_str(&out);
}

/* ---- errors ---- */

void agents_explain(struct err *err)
{
    static const struct {
        const char *native, *agents_name;
    } list[] = {
        {"spec.cron", "cronExpr"},
        {"spec.timesOfDay", "timesOfDay"},
        {"spec.intervals", "intervalMinutes"},
        {"spec.timezone", "timezone"},
        {"policies", "executorPolicy"},
        {"action.queue", "agentId"},
    };
    struct err why = *err;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (str_starts(str_of(why.field), str_of(list[i].native))) {
            err_set(err, why.rc, why.at, 0, "%s", why.text);
            err_in(err, "%s", list[i].agents_name);
            return;
        }
}
