/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints whole schedules, and converts them to and from stored texts.
 */
#include "model/schedule_json.h"

#include "base/must.h"
#include "core/limits.h"
#include "model/policies_json.h"
#include "wire/json/json_text.h"

enum { SPEC_ROOM = 256 }; /* bytes: a typical spec */

#define AT(member) .offset = offsetof(struct schedule_doc, member)

static enum rc read_labels(const json_t *value, const struct reading *r, struct err *reterr)
{
    static const struct pairs_rule rule = {LABELS_MAX, LABEL_NAME_MAX, LABEL_VALUE_MAX,
                                           name_check, NULL};
    struct schedule_doc *doc = r->to;

    return pairs_read(value, &rule, r->arena, &doc->labels, reterr);
}

static json_t *print_labels(const void *from, enum spec_form form)
{
    (void)form;
    return pairs_print(&((const struct schedule_doc *)from)->labels);
}

static enum rc read_spec(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct schedule_doc *doc = r->to;

    return spec_from_json(value, r->arena, &doc->spec, reterr);
}

static json_t *print_spec(const void *from, enum spec_form form)
{
    return spec_to_json(&((const struct schedule_doc *)from)->spec, form);
}

static enum rc read_action(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct schedule_doc *doc = r->to;

    return action_from_json(value, r->arena, r->is_lenient, &doc->action, reterr);
}

static json_t *print_action(const void *from, enum spec_form form)
{
    return action_to_json(&((const struct schedule_doc *)from)->action, form);
}

static enum rc read_policies(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct schedule_doc *doc = r->to;
    struct policies initial = policies_default();

    return policies_from_json(value, &initial, r->arena, r->is_lenient, &doc->policies, reterr);
}

struct policies schedule_policies(const struct policies *all, const struct action *action)
{
    struct policies initial = *all;

    if (action->type == ACTION_WORKFLOW)
        initial.max_run_time = 0;
    return initial;
}

static json_t *print_policies(const void *from, enum spec_form form)
{
    return policies_to_json(&((const struct schedule_doc *)from)->policies, form);
}

static enum rc read_governor(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct schedule_doc *doc = r->to;

    return governor_from_json(value, r->arena, r->is_lenient, &doc->governor, reterr);
}

static json_t *print_governor(const void *from, enum spec_form form)
{
    return governor_to_json(&((const struct schedule_doc *)from)->governor, form);
}

static const struct member pause_list[] = {
    {"reason", MEMBER_TEXT, .offset = offsetof(struct pause_def, reason),
     .high = REASON_TEXT_MAX, .has_none = true},
    {"until", MEMBER_INSTANT, .offset = offsetof(struct pause_def, until), .has_none = true,
     .none = INSTANT_NEVER},
};

static const struct members pause_members = MEMBERS(pause_list);

/* true, false, or an object: paused, with reason and end. */
static enum rc read_pause(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct pause_def pause = {true, !json_is_false(value), INSTANT_NEVER, {NULL, 0}};
    const struct reading reading = {r->arena, r->is_lenient, &pause};
    enum rc rc = RC_OK;

    if (json_is_object(value))
        rc = members_read(&pause_members, value, &reading, reterr);
    else if (!json_is_boolean(value))
        rc = json_wrong_type(value, "true, false, or an object with reason and until", reterr);
    if (rc == RC_OK)
        ((struct schedule_doc *)r->to)->pause = pause;
    return rc;
}

static json_t *print_pause(const void *from, enum spec_form form)
{
    const struct pause_def *pause = &((const struct schedule_doc *)from)->pause;
    const struct pause_def initial = {.until = INSTANT_NEVER};

    if (!pause->is_said)
        return NULL;
    if (!pause->is_paused)
        return json_false();
    if (form == SPEC_BRIEF && pause->reason.len == 0 && pause->until == INSTANT_NEVER)
        return json_true();
    return members_print(&pause_members, pause, &initial, form);
}

static enum rc ignore_state(const json_t *value, const struct reading *r, struct err *reterr)
{
    (void)value;
    (void)r;
    (void)reterr;
    return RC_OK;
}

static const struct member schedule_list[] = {
    {"id", MEMBER_TEXT, AT(id), .high = SCHEDULE_ID_MAX, .check = path_name_check,
     .has_none = true},
    {"namespace", MEMBER_TEXT, AT(namespace), .high = NAMESPACE_NAME_MAX,
     .check = path_name_check},
    {"description", MEMBER_TEXT, AT(description), .high = DESCRIPTION_MAX},
    {"labels", MEMBER_OTHER, .read = read_labels, .print = print_labels},
    {"enabled", MEMBER_BOOL, AT(is_enabled)},
    {"paused", MEMBER_OTHER, .read = read_pause, .print = print_pause},
    {"spec", MEMBER_OTHER, .read = read_spec, .print = print_spec},
    {"action", MEMBER_OTHER, .read = read_action, .print = print_action, .is_required = true,
     .show = SHOW_ALWAYS},
    {"policies", MEMBER_OTHER, .read = read_policies, .print = print_policies},
    {"governor", MEMBER_OTHER, .read = read_governor, .print = print_governor},
    {"state", MEMBER_OTHER, .read = ignore_state},
    {"extra", MEMBER_MAP, AT(extra), .high = EXTRA_MAX},
};

static const struct members schedule_members = MEMBERS(schedule_list);

struct schedule_doc schedule_doc_default(void)
{
    return (struct schedule_doc){
        .namespace = STR("default"),
        .is_enabled = true,
        .pause = {.until = INSTANT_NEVER},
        .spec = spec_def_empty(),
        .action = action_default(ACTION_HTTP),
        .policies = policies_default(),
        .governor = governor_def_empty(),
    };
}

enum rc schedule_from_json(const json_t *json, struct arena *arena, bool is_lenient,
                           struct schedule_doc *ret, struct err *reterr)
{
    struct schedule_doc doc = schedule_doc_default();
    const struct reading reading = {arena, is_lenient, &doc};
    enum rc rc = members_read(&schedule_members, json, &reading, reterr);

    if (rc == RC_OK)
        *ret = doc;
    return rc;
}

enum rc schedule_from_text(struct str text, struct arena *arena, bool is_lenient,
                           struct schedule_doc *ret, struct err *reterr)
{
    json_auto_t *json = NULL;
    enum rc rc = json_read(text, &json, reterr);

    return rc == RC_OK ? schedule_from_json(json, arena, is_lenient, ret, reterr) : rc;
}

json_t *schedule_to_json(const struct schedule_doc *doc, enum spec_form form)
{
    struct schedule_doc initial = schedule_doc_default();

    return members_print(&schedule_members, doc, &initial, form);
}

enum rc schedule_check(const struct schedule_doc *doc, struct arena *arena, struct err *reterr)
{
    json_auto_t *json = schedule_to_json(doc, SPEC_FULL);
    struct schedule_doc again;

    return schedule_from_json(json, arena, false, &again, reterr);
}

/* Stored columns. */

/* Checks the length of a text for the store. */
static enum rc check_kept(struct str text, const char *field, size_t max, struct err *reterr)
{
    if (text.len <= max)
        return RC_OK;
    err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes as JSON; the limit is %zu", text.len, max);
    return err_in(reterr, "%s", field);
}

static struct str zone_of(const struct schedule_doc *doc, const struct cron_def *cron)
{
    return cron->zone.len > 0       ? cron->zone
           : doc->spec.zone.len > 0 ? doc->spec.zone
                                    : STR("UTC");
}

static void write_cron(const struct schedule_doc *doc, const struct cron_def *cron,
                       struct arena *arena, struct buf *out)
{
    struct str zone = zone_of(doc, cron);
    struct buf text = {.cap = cron->expr.len + 1 + zone.len + 1};

    text.ptr = arena_take(arena, text.cap);
    buf_str(&text, cron->expr);
    buf_char(&text, ' ');
    buf_str(&text, zone);
    json_write_str(out, buf_as_str(&text));
}

/*
 * A workflow receives the cron expression of its slot, "0 0 9 * * ? UTC": the expressions are
 * stored with the action, so that a start reads no spec.  They are never shown.
 */
static struct str kept_action(const struct schedule_doc *doc, struct arena *arena)
{
    struct str action = action_keep(&doc->action, arena);
    struct buf out = {.cap = action.len + sizeof ",\"crons\":[]}"};

    if (doc->action.type != ACTION_WORKFLOW || doc->spec.cron_count == 0)
        return action;
    for (int i = 0; i < doc->spec.cron_count; i++)
        out.cap += json_str_room(doc->spec.cron[i].expr) + 1 +
                   json_str_room(zone_of(doc, &doc->spec.cron[i])) + 1;
    out.ptr = arena_take(arena, out.cap);
    buf_add(&out, action.ptr, action.len - 1);
    buf_text(&out, ",\"crons\":[");
    for (int i = 0; i < doc->spec.cron_count; i++) {
        if (i > 0)
            buf_char(&out, ',');
        write_cron(doc, &doc->spec.cron[i], arena, &out);
    }
    buf_text(&out, "]}");
    must(!out.cut);
    return buf_as_str(&out);
}

static struct str kept_governor(const struct governor_def *def, struct arena *arena)
{
    struct governor_def governor = governor_def_empty();

    if (!def->is_set)
        return (struct str){0};
    governor.has_backoff = def->has_backoff;
    governor.min = def->min;
    governor.max = def->max;
    return governor_keep(&governor, arena);
}

static enum rc keep_field(json_t *value, const char *field, size_t max, struct arena *arena,
                          struct str *ret, struct err *reterr)
{
    enum rc rc = json_keep(value, max, arena, ret, reterr);

    if (rc != RC_OK)
        err_in(reterr, "%s", field);
    json_decref(value);
    return rc;
}

enum rc schedule_keep_spec(const struct spec_def *def, struct arena *arena, struct str *ret,
                           struct err *reterr)
{
    struct buf out = {.ptr = arena_take_raw(arena, SPEC_ROOM), .cap = SPEC_ROOM};

    if (!spec_write(def, &out))
        return keep_field(spec_to_json(def, SPEC_BRIEF), "spec", SPEC_DEF_BYTES_MAX, arena, ret,
                          reterr);
    *ret = buf_as_str(&out);
    return RC_OK;
}

static size_t action_bytes_max(const struct action *action)
{
    return action->type == ACTION_WORKFLOW ? WORKFLOW_BYTES_MAX : ACTION_BYTES_MAX;
}

enum rc schedule_keep(const struct schedule_doc *doc, struct arena *arena,
                      struct schedule_texts *ret, struct err *reterr)
{
    struct schedule_texts texts = {.action = kept_action(doc, arena),
                                   .policies = policies_keep(&doc->policies, arena),
                                   .governor = kept_governor(&doc->governor, arena),
                                   .extra = doc->extra};
    enum rc rc = schedule_keep_spec(&doc->spec, arena, &texts.spec, reterr);

    if (rc == RC_OK)
        rc = check_kept(texts.action, "action", action_bytes_max(&doc->action), reterr);
    if (rc == RC_OK)
        rc = check_kept(texts.policies, "policies", JSON_BYTES_MAX, reterr);
    if (rc == RC_OK && doc->labels.count > 0)
        rc = keep_field(pairs_print(&doc->labels), "labels", JSON_BYTES_MAX, arena,
                        &texts.labels, reterr);
    if (rc == RC_OK)
        *ret = texts;
    return rc;
}

/* False when a text is not JSON. */
static bool put_kept(json_t *object, const char *name, struct str text)
{
    json_t *value = text.len > 0 ? json_of_kept(text) : json_null();

    if (value)
        json_put(object, name, value);
    return value != NULL;
}

enum rc schedule_recall(const struct schedule_texts *texts, struct arena *arena,
                        struct schedule_doc *doc, struct err *reterr)
{
    json_auto_t *json = json_new_object();
    struct schedule_doc kept;
    enum rc rc;

    if (!put_kept(json, "spec", texts->spec) || !put_kept(json, "action", texts->action) ||
        !put_kept(json, "policies", texts->policies) ||
        !put_kept(json, "governor", texts->governor) ||
        !put_kept(json, "labels", texts->labels) || !put_kept(json, "extra", texts->extra))
        return err_set(reterr, RC_CORRUPT, -1, 0, "a stored part of the schedule is not JSON");
    rc = schedule_from_json(json, arena, true, &kept, reterr);
    if (rc != RC_OK)
        return reterr->rc = RC_CORRUPT;
    doc->spec = kept.spec;
    doc->action = kept.action;
    doc->policies = kept.policies;
    doc->governor = kept.governor;
    doc->labels = kept.labels;
    doc->extra = kept.extra;
    return RC_OK;
}
