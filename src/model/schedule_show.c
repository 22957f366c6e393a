/* SPDX-License-Identifier: Apache-2.0 */
#include "model/schedule_show.h"

#include "model/policies_json.h"
#include "model/schedule_json.h"
#include "wire/json_text.h"

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

static json_t *value_of(struct str kept)
{
    return kept.len > 0 ? json_of_kept(kept) : json_new_object();
}

static enum rc corrupt(struct err *reterr)
{
    return err_set(reterr, RC_CORRUPT, -1, 0, "a part of the schedule is not JSON");
}

enum rc schedule_part_show(enum schedule_part part, struct str kept, struct arena *scratch,
                           json_t **ret, struct err *reterr)
{
    json_auto_t *value = value_of(kept);

    if (!value)
        return corrupt(reterr);
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
        return corrupt(reterr);
    if (governor_from_json(value, scratch, true, &governor, reterr) != RC_OK)
        return reterr->rc = RC_CORRUPT;
    governor.hint_interval = cursor->hint_interval;
    governor.hint_at = cursor->hint_at;
    governor.hint_expires = cursor->hint_expires;
    governor.hint_reason = state->hint_reason;
    *ret = governor_to_json(&governor, SPEC_FULL);
    return RC_OK;
}

static void show_text(const char *name, struct str text, struct buf *out)
{
    buf_text(out, name);
    json_write_str(out, text);
}

static void show_json(const char *name, struct str json, struct buf *out)
{
    buf_text(out, name);
    buf_str(out, json);
}

void schedule_show(const struct schedule_face *face, struct buf *out)
{
    bool is_enabled = !(face->state->cursor->flags & CURSOR_DISABLED);

    show_text("{\"id\":", face->id, out);
    show_text(",\"namespace\":", face->namespace, out);
    show_text(",\"description\":", face->description, out);
    show_json(",\"labels\":", face->parts[PART_LABELS], out);
    show_json(",\"enabled\":", is_enabled ? STR("true") : STR("false"), out);
    show_json(",\"spec\":", face->parts[PART_SPEC], out);
    show_json(",\"action\":", face->parts[PART_ACTION], out);
    show_json(",\"policies\":", face->parts[PART_POLICIES], out);
    show_json(",\"governor\":", face->governor, out);
    buf_text(out, ",\"state\":");
    schedule_state_show(face->state, out);
    show_json(",\"extra\":", face->parts[PART_EXTRA], out);
    buf_char(out, '}');
}
