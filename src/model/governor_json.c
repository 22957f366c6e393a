/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints a schedule's governor by a table of members.
 */
#include "model/governor_json.h"

#define AT(member) .offset = offsetof(struct governor_def, member)
#define INTERVAL   .low = GOVERNOR_INTERVAL_MIN, .high = GOVERNOR_INTERVAL_MAX, .or_zero = true

static const struct member hint_list[] = {
    {"interval", MEMBER_SPAN, AT(hint_interval), INTERVAL, .has_none = true},
    {"at", MEMBER_INSTANT, AT(hint_at), .has_none = true, .none = INSTANT_NEVER},
    {"expires", MEMBER_INSTANT, AT(hint_expires), .has_none = true, .none = INSTANT_NONE},
    {"reason", MEMBER_TEXT, AT(hint_reason), .high = HINT_REASON_MAX, .has_none = true},
};

const struct members hint_members = MEMBERS(hint_list);

static const struct member governor_list[] = {
    {"minInterval", MEMBER_SPAN, AT(min), INTERVAL, .has_none = true},
    {"maxInterval", MEMBER_SPAN, AT(max), INTERVAL, .has_none = true},
    {"backoff", MEMBER_BOOL, AT(has_backoff)},
    {"hint", MEMBER_OBJECT, .members = &hint_members},
};

static const struct members governor_members = MEMBERS(governor_list);

struct governor_def governor_def_empty(void)
{
    return (struct governor_def){
        .has_backoff = true, .hint_at = INSTANT_NEVER, .hint_expires = INSTANT_NONE};
}

static enum rc check_together(const struct governor_def *g, bool is_lenient, struct err *reterr)
{
    bool has_hint = g->hint_interval > 0 || g->hint_at != INSTANT_NEVER;

    if (g->max > 0 && g->min > g->max)
        return err_field(reterr, "minInterval", "is longer than maxInterval");
    if (has_hint && g->hint_expires == INSTANT_NONE) {
        err_set(reterr, RC_INVALID, -1, 0, "is missing; a hint must expire");
        return err_in(reterr, "hint.expires");
    }
    /* Stored documents may have such a hint; it never fires. */
    if (!is_lenient && g->hint_at != INSTANT_NEVER && g->hint_expires <= g->hint_at) {
        err_set(reterr, RC_INVALID, -1, 0, "must be later than at");
        return err_in(reterr, "hint.expires");
    }
    return RC_OK;
}

enum rc governor_from_json(const json_t *json, struct arena *arena, bool is_lenient,
                           struct governor_def *ret, struct err *reterr)
{
    struct governor_def governor = governor_def_empty();
    const struct reading reading = {arena, is_lenient, &governor};
    enum rc rc;

    if (json_is_null(json)) {
        *ret = governor;
        return RC_OK;
    }
    governor.is_set = true;
    rc = members_read(&governor_members, json, &reading, reterr);
    if (rc == RC_OK)
        rc = check_together(&governor, is_lenient, reterr);
    if (rc == RC_OK)
        *ret = governor;
    return rc;
}

json_t *governor_to_json(const struct governor_def *governor, enum spec_form form)
{
    struct governor_def initial = governor_def_empty();

    if (!governor->is_set)
        return json_null();
    return members_print(&governor_members, governor, &initial, form);
}

struct str governor_keep(const struct governor_def *governor, struct arena *arena)
{
    struct governor_def initial = governor_def_empty();

    return members_keep(&governor_members, governor, &initial, arena);
}
