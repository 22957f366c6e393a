/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints schedules for display.
 */
#include "model/schedule_show.h"

#include "model/policies_json.h"
#include "model/schedule_json.h"
#include "wire/json/json_text.h"

static enum rc show_policies(const json_t *value, struct arena *scratch, json_t **ret,
                             struct err *reterr)
{
    struct policies policies = policies_default();
    enum rc rc = policies_from_json(value, &policies, scratch, true, &policies, reterr);

    if (rc == RC_OK)
        *ret = policies_to_json(&policies, SPEC_FULL);
    return rc;
}

static enum rc show_spec(const json_t *value, struct arena *scratch, json_t **ret,
                         struct err *reterr)
{
    struct spec_def spec;
    enum rc rc = spec_from_json(value, scratch, &spec, reterr);

    if (rc == RC_OK)
        *ret = spec_to_json(&spec, SPEC_FULL);
    return rc;
}

static enum rc show_action(const json_t *value, struct arena *scratch, json_t **ret,
                           struct err *reterr)
{
    struct action action;
    enum rc rc = action_from_json(value, scratch, true, &action, reterr);

    if (rc == RC_OK)
        *ret = action_to_json(&action, SPEC_FULL);
    return rc;
}

static enum rc show_map(const json_t *value, json_t **ret, struct err *reterr)
{
    if (!json_is_object(value))
        return json_wrong_type(value, "an object", reterr);
    *ret = json_incref((json_t *)(uintptr_t)value); /* shown as it is */
    return RC_OK;
}

static enum rc show_part(enum schedule_part part, const json_t *value, struct arena *scratch,
                         json_t **ret, struct err *reterr)
{
    switch (part) {
    case PART_SPEC:
        return show_spec(value, scratch, ret, reterr);
    case PART_ACTION:
        return show_action(value, scratch, ret, reterr);
    case PART_POLICIES:
        return show_policies(value, scratch, ret, reterr);
    case PART_LABELS:
    case PART_EXTRA:
    case PART_COUNT:
        break;
    }
    return show_map(value, ret, reterr);
}

static json_t *parse_stored(struct str kept)
{
    return kept.len > 0 ? json_of_kept(kept) : json_new_object();
}

static enum rc set_corrupt(struct err *reterr)
{
    return err_set(reterr, RC_CORRUPT, -1, 0, "a stored part of the schedule is not JSON");
}

enum rc schedule_part_show(enum schedule_part part, struct str kept, struct arena *scratch,
                           json_t **ret, struct err *reterr)
{
    json_auto_t *value = parse_stored(kept);

    if (!value)
        return set_corrupt(reterr);
    if (show_part(part, value, scratch, ret, reterr) != RC_OK)
        return reterr->rc = RC_CORRUPT;
    return RC_OK;
}

enum rc schedule_governor_show(struct str kept, const struct schedule_state *state,
                               struct arena *scratch, json_t **ret, struct err *reterr)
{
    json_auto_t *value = kept.len > 0 ? json_of_kept(kept) : json_null();
    const struct cursor *cursor = state->cursor;
    struct governor_def governor;

    if (!value)
        return set_corrupt(reterr);
    if (governor_from_json(value, scratch, true, &governor, reterr) != RC_OK)
        return reterr->rc = RC_CORRUPT;
    governor.hint_interval = cursor->hint_interval;
    governor.hint_at = cursor->hint_at;
    governor.hint_expires = cursor->hint_expires;
    governor.hint_reason = state->hint_reason;
    *ret = governor_to_json(&governor, SPEC_FULL);
    return RC_OK;
}

static const char *const names[SCHEDULE_FIELDS] = {
    [SCHEDULE_FIELD_ID] = "id",
    [SCHEDULE_FIELD_NAMESPACE] = "namespace",
    [SCHEDULE_FIELD_DESCRIPTION] = "description",
    [SCHEDULE_FIELD_LABELS] = "labels",
    [SCHEDULE_FIELD_ENABLED] = "enabled",
    [SCHEDULE_FIELD_SPEC] = "spec",
    [SCHEDULE_FIELD_ACTION] = "action",
    [SCHEDULE_FIELD_POLICIES] = "policies",
    [SCHEDULE_FIELD_GOVERNOR] = "governor",
    [SCHEDULE_FIELD_STATE] = "state",
    [SCHEDULE_FIELD_EXTRA] = "extra",
};

const struct field_names schedule_fields = {names, SCHEDULE_FIELDS, FIELD(SCHEDULE_FIELD_ID)};

static void show_field(const struct schedule_face *face, enum schedule_field field,
                       struct buf *out)
{
    bool is_enabled = !(face->state->cursor->flags & CURSOR_DISABLED);

    switch (field) {
    case SCHEDULE_FIELD_ID:
        json_write_str(out, face->id);
        break;
    case SCHEDULE_FIELD_NAMESPACE:
        json_write_str(out, face->namespace);
        break;
    case SCHEDULE_FIELD_DESCRIPTION:
        json_write_str(out, face->description);
        break;
    case SCHEDULE_FIELD_LABELS:
        buf_str(out, face->parts[PART_LABELS]);
        break;
    case SCHEDULE_FIELD_ENABLED:
        buf_str(out, is_enabled ? STR("true") : STR("false"));
        break;
    case SCHEDULE_FIELD_SPEC:
        buf_str(out, face->parts[PART_SPEC]);
        break;
    case SCHEDULE_FIELD_ACTION:
        buf_str(out, face->parts[PART_ACTION]);
        break;
    case SCHEDULE_FIELD_POLICIES:
        buf_str(out, face->parts[PART_POLICIES]);
        break;
    case SCHEDULE_FIELD_GOVERNOR:
        buf_str(out, face->governor);
        break;
    case SCHEDULE_FIELD_STATE:
        schedule_state_show(face->state, out);
        break;
    case SCHEDULE_FIELD_EXTRA:
        buf_str(out, face->parts[PART_EXTRA]);
        break;
    case SCHEDULE_FIELDS:
        break;
    }
}

void schedule_show(const struct schedule_face *face, struct buf *out)
{
    for (int i = 0; i < SCHEDULE_FIELDS; i++) {
        if (!fields_have(face->fields, i))
            continue;
        buf_text(out, i == SCHEDULE_FIELD_ID ? "{\"" : ",\"");
        buf_text(out, names[i]);
        buf_text(out, "\":");
        show_field(face, (enum schedule_field)i, out);
    }
    buf_char(out, '}');
}
