/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads, checks and prints the agents' JSON and fills the document: see agents_doc.h.
 */
#include "api/agents/agents_doc.h"

#include "base/must.h"
#include "model/json_time.h"
#include "model/policies_json.h"

enum {
    MINUTES_DAY = 24 * 60, /* intervals start at each midnight    */
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
    {"windowMinutes", MEMBER_INT32, AT(window_minutes), .high = INT32_MAX, .has_none = true},
    {"threadFilter", MEMBER_TEXT, AT(thread_filter), .high = AGENT_TEXT_MAX, .has_none = true},
};

static const struct member executor_list[] = {
    {"maxConcurrent", MEMBER_INT32, AT(max_concurrent), .low = 1, .high = GATE_LIMIT_MAX},
    {"priority", MEMBER_INT32, AT(priority), .low = PRIORITY_MIN, .high = PRIORITY_MAX},
    {"maxAttempts", MEMBER_INT32, AT(attempts), .low = 1, .high = RETRY_ATTEMPTS_MAX},
    {"retryBackoffMs", MEMBER_INT64, AT(backoff_ms), .high = RETRY_WAIT_MAX / SPAN_MS},
    {"riskGate", MEMBER_BOOL, AT(needs_approval)},
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
    {"intervalMinutes", MEMBER_INT32, AT(interval_minutes), .low = 1, .high = MINUTES_DAY,
     .has_none = true},
    {"projectScope", MEMBER_WORD, AT(scope), .parse = parse_scope, .text = scope_text},
    {"projectId", MEMBER_TEXT, AT(project), .high = AGENT_PROJECT_MAX, .has_none = true},
    {"inputsPolicy", MEMBER_OBJECT, .members = &inputs_members},
    {"executorPolicy", MEMBER_OBJECT, .members = &executor_members},
};

static const struct member version_list[] = {
    {"version", MEMBER_INT64, AT(version), .high = INT64_MAX},
};

/* Only stored: a client neither sends nor sees it. */
static const struct member stored_list[] = {
    {"replaced", MEMBER_JSON, AT(replaced), .high = AGENT_REPLACED_MAX, .has_none = true},
};

static const struct members stored_members = MEMBERS(stored_list);
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

enum rc agents_check(const struct agents_schedule *s, struct err *reterr)
{
    if (s->agent.len == 0)
        return err_field(reterr, "agentId", "is required; it names the agent to run");
    if (s->type == AGENTS_NO_TYPE)
        return err_field(reterr, "scheduleType",
                         "is required; use CRON, FIXED_TIMES, INTERVAL or IMMEDIATE");
    if (s->type == AGENTS_CRON && str_trim(s->cron).len == 0)
        return err_field(reterr, "cronExpr",
                         "is required for CRON, such as \"0 0 9 * * MON-FRI\", seconds first");
    if (s->type == AGENTS_TIMES && s->times.len <= 2)
        return err_field(reterr, "timesOfDay",
                         "is required for FIXED_TIMES, such as [\"09:00\",\"17:00\"]");
    if (s->type == AGENTS_INTERVAL && s->interval_minutes == 0)
        return err_field(reterr, "intervalMinutes", "is required for INTERVAL, from 1 to 1440");
    if (s->scope == AGENTS_PROJECT && s->project.len == 0)
        return err_field(reterr, "projectId", "is required if projectScope is PROJECT");
    return RC_OK;
}

enum rc agents_stored_read(struct str extra, struct arena *arena, struct agents_schedule *ret,
                           struct err *reterr)
{
    json_auto_t *json = extra.len > 0 ? json_of_kept(extra) : NULL;
    const struct reading reading = {arena, true, ret};

    *ret = agents_initial((struct str){NULL, 0});
    if (!json)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "extra is empty");
    if (agents_read(json, arena, ret, reterr) != RC_OK ||
        members_read(&stored_members, json, &reading, reterr) != RC_OK)
        return reterr->rc;
    return agents_check(ret, reterr);
}

/* ---- the document ---- */

/* Spring's six fields; an expression of five fields gets seconds of 0. */
static enum rc fill_cron(struct str expr, struct arena *arena, struct spec_def *spec,
                         struct err *reterr)
{
    struct buf out = {.ptr = arena_take(arena, CRON_ROOM), .cap = CRON_ROOM};

    expr = cron_seconds_first(str_trim(expr), &out);
    if (expr.len > CRON_TEXT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes with seconds; the limit is %d",
                       expr.len, CRON_TEXT_MAX);
    spec->cron = arena_take(arena, sizeof *spec->cron);
    *spec->cron = (struct cron_def){.expr = expr, .dialect = DIALECT_SPRING};
    spec->cron_count = 1;
    return RC_OK;
}

static enum rc read_time(const json_t *item, int i, void *to, struct err *reterr)
{
    int32_t *times = to;

    return json_take_time_of_day(item, &times[i], reterr);
}

static enum rc fill_times(struct str list, struct arena *arena, struct spec_def *spec,
                          struct err *reterr)
{
    json_auto_t *json = json_of_kept(list);

    if (json_take_count(json, SPEC_ENTRIES_MAX, &spec->time_count, reterr) != RC_OK)
        return reterr->rc;
    spec->times = arena_array(arena, (size_t)spec->time_count, sizeof *spec->times);
    return json_take_items(json, read_time, spec->times, reterr);
}

/* Counted from each midnight of the zone. */
static void fill_interval(int32_t minutes, struct arena *arena, struct spec_def *spec)
{
    spec->intervals = arena_take(arena, sizeof *spec->intervals);
    *spec->intervals = (struct interval_def){.every = minutes * SPAN_MIN,
                                             .anchor = ANCHOR_MIDNIGHT};
    spec->interval_count = 1;
}

static enum rc fill_spec(const struct agents_schedule *s, struct arena *arena,
                         struct spec_def *spec, struct err *reterr)
{
    enum rc rc = RC_OK;

    spec->dst = (struct dst_rule){DST_CUSTOM, {GAP_SKIP, FOLD_BOTH}};
    if (!str_eq(s->zone, STR("UTC")))
        spec->zone = s->zone;
    if (s->type == AGENTS_CRON)
        rc = fill_cron(s->cron, arena, spec, reterr);
    else if (s->type == AGENTS_TIMES)
        rc = fill_times(s->times, arena, spec, reterr);
    else if (s->type == AGENTS_INTERVAL)
        fill_interval(s->interval_minutes, arena, spec);
    return rc == RC_OK ? RC_OK : err_in(reterr, "%s", agents_spec_member(s->type));
}

/* Agents claim from the queue of their name; the input tells them what to read. */
static enum rc fill_action(const struct agents_schedule *s, struct arena *arena,
                           struct action *action, struct err *reterr)
{
    const struct agents_schedule initial = agents_initial((struct str){NULL, 0});
    json_auto_t *input = json_new_object();

    *action = action_default(ACTION_QUEUE);
    if (path_name_check(s->agent, reterr) != RC_OK)
        return err_in(reterr, "agentId");
    action->queue.queue = s->agent;
    json_put(input, "agentId", json_new_str(s->agent));
    json_put(input, "projectId", json_of_text(s->project));
    json_put(input, "inputsPolicy", members_print(&inputs_members, s, &initial, SPEC_FULL));
    return json_keep(input, ACTION_INPUT_MAX, arena, &action->input, reterr);
}

static struct str gate_of(struct str agent, struct arena *arena)
{
    struct buf out = {.cap = sizeof "agent:" + AGENT_ID_MAX};

    out.ptr = arena_take(arena, out.cap);
    buf_text(&out, "agent:");
    buf_str(&out, agent);
    must(!out.cut);
    return buf_as_str(&out);
}

static void fill_policies(const struct agents_schedule *s, struct arena *arena,
                          struct policies *policies)
{
    policies->overlap = OVERLAP_ALLOW_ALL;
    policies->catchup = CATCHUP_NONE;
    policies->retry.attempts = s->attempts;
    policies->retry.backoff = BACKOFF_FIXED;
    policies->retry.delay = policies->retry.max = s->backoff_ms * SPAN_MS;
    policies->priority = s->priority;
    policies->gate = gate_of(s->agent, arena);
    policies->gate_limit = s->max_concurrent;
    policies->approval = s->needs_approval;
    policies->start_within = 24 * SPAN_H; /* a plan covers one day */
}

json_t *agents_print(const struct agents_schedule *s)
{
    const struct agents_schedule initial = agents_initial((struct str){NULL, 0});

    return members_print(&schedule_members, s, &initial, SPEC_FULL);
}

const char *agents_spec_member(enum agents_type type)
{
    return type == AGENTS_CRON       ? "cronExpr"
           : type == AGENTS_TIMES    ? "timesOfDay"
           : type == AGENTS_INTERVAL ? "intervalMinutes"
                                     : "timezone";
}

enum rc agents_fill(const struct agents_schedule *s, struct arena *arena,
                    struct schedule_doc *doc, struct err *reterr)
{
    json_auto_t *extra = agents_print(s);

    if (s->replaced.len > 0)
        json_put(extra, "replaced", json_of_kept(s->replaced));
    doc->is_enabled = s->is_enabled;
    fill_policies(s, arena, &doc->policies);
    if (fill_spec(s, arena, &doc->spec, reterr) != RC_OK ||
        fill_action(s, arena, &doc->action, reterr) != RC_OK)
        return reterr->rc;
    return json_keep(extra, EXTRA_MAX, arena, &doc->extra, reterr);
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
