/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the question: an outage, an edit or a new schedule.
 */
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/what_if/what_if_parts.h"
#include "core/time/text.h"
#include "model/json_time.h"

#define RANGE_DEFAULT SPAN_DAY
#define DURATION_MAX  (31 * SPAN_DAY) /* of a run: far above what an outage of a week reaches */

#define AT(member) .offset = offsetof(struct what_if_body, member)

static const struct member down_list[] = {
    {"from", MEMBER_INSTANT, AT(down_from), .is_required = true},
    {"to", MEMBER_INSTANT, AT(down_to), .is_required = true},
};
static const struct members down_members = MEMBERS(down_list);

static const struct member patch_list[] = {
    {"schedule", MEMBER_TEXT, AT(schedule), .high = SCHEDULE_ID_MAX, .check = name_check,
     .is_required = true},
    {"patch", MEMBER_JSON, AT(patch), .high = JSON_BYTES_MAX, .is_required = true},
};
static const struct members patch_members = MEMBERS(patch_list);

static const struct member id_item = {
    .kind = MEMBER_TEXT, .high = SCHEDULE_ID_MAX, .check = name_check};
static const struct str no_id;

static const struct member filter_list[] = {
    {"label", MEMBER_TEXT, AT(label), .high = LABEL_NAME_MAX + LABEL_VALUE_MAX + 1},
    {"queue", MEMBER_TEXT, AT(queue), .high = CALL_NAME_MAX},
    {"schedule", MEMBER_LIST, AT(ids), .count = offsetof(struct what_if_body, id_count),
     .size = sizeof(struct str), .item = &id_item, .initial = &no_id, .high = WHAT_IF_IDS_MAX},
};
static const struct members filter_members = MEMBERS(filter_list);

static const struct member body_list[] = {
    {"down", MEMBER_OBJECT, .members = &down_members},
    {"patch", MEMBER_OBJECT, .members = &patch_members},
    {"schedule", MEMBER_JSON, AT(document), .high = JSON_BYTES_MAX},
    {"from", MEMBER_INSTANT, AT(from)},
    {"to", MEMBER_INSTANT, AT(to)},
    {"durations", MEMBER_MAP, AT(durations), .high = JSON_BYTES_MAX},
    {"filter", MEMBER_OBJECT, .members = &filter_members},
    {"limit", MEMBER_INT32, AT(limit), .low = 1, .high = WHAT_IF_LIMIT_MAX},
};
static const struct members body_members = MEMBERS(body_list);

static enum rc check_object(struct str text, const char *field, struct err *reterr)
{
    if (text.len > 0 && text.ptr[0] == '{')
        return RC_OK;
    return err_field(reterr, field, "must be an object");
}

/* Which of the three questions it is. */
static enum rc find_kind(struct what_if_body *body, struct err *reterr)
{
    bool is_down = body->down_from != INSTANT_NONE;
    bool is_patch = body->schedule.len > 0, is_new = body->document.len > 0;

    if (is_down + is_patch + is_new != 1)
        return err_field(reterr, "down",
                         "must be present, or patch or schedule instead, but only one of "
                         "them: an outage, an edit or a new schedule");
    body->kind = is_down ? WHAT_IF_DOWN : is_patch ? WHAT_IF_PATCH : WHAT_IF_NEW;
    if (is_patch)
        return check_object(body->patch, "patch.patch", reterr);
    return is_new ? check_object(body->document, "schedule", reterr) : RC_OK;
}

static enum rc check_range(const struct what_if_body *body, const char *to, struct err *reterr)
{
    if (body->from >= body->to)
        return err_field(reterr, to, "must be after from");
    if (body->to - body->from <= WHAT_IF_RANGE_MAX)
        return RC_OK;
    err_set(reterr, RC_LIMIT, -1, 0, "the range is too long; the limit is 7 days");
    return err_in(reterr, "%s", to);
}

static enum rc finish_range(const struct call *call, struct what_if_body *body,
                            struct err *reterr)
{
    if (body->kind == WHAT_IF_DOWN && (body->from != INSTANT_NONE || body->to != INSTANT_NONE))
        return err_field(reterr, body->from != INSTANT_NONE ? "from" : "to",
                         "cannot be combined with down, which has its own range");
    if (body->kind == WHAT_IF_DOWN) {
        body->from = body->down_from;
        body->to = body->down_to;
        return check_range(body, "down.to", reterr);
    }
    if (body->from == INSTANT_NONE)
        body->from = call->now;
    if (body->to == INSTANT_NONE)
        body->to = instant_after(body->from, RANGE_DEFAULT);
    return check_range(body, "to", reterr);
}

static enum rc check_durations(const json_t *durations, struct err *reterr)
{
    const char *id;
    json_t *value;

    if (json_object_size(durations) > WHAT_IF_SCHEDULES_MAX) {
        err_set(reterr, RC_LIMIT, -1, 0, "has %zu members; the limit is %d",
                json_object_size(durations), WHAT_IF_SCHEDULES_MAX);
        return err_in(reterr, "durations");
    }
    json_object_foreach((json_t *)durations, id, value)
    {
        span duration;

        if (json_take_duration(value, &duration, reterr) != RC_OK) {
            err_in(reterr, "%s", id);
            return err_in(reterr, "durations");
        }
        if (duration > DURATION_MAX) {
            err_set(reterr, RC_LIMIT, -1, 0, "is too long; the limit is 31 days");
            err_in(reterr, "%s", id);
            return err_in(reterr, "durations");
        }
    }
    return RC_OK;
}

bool what_if_request(struct call *call, struct what_if_body *body, enum call_step *ret_step)
{
    const struct reading reading = {call->arena, false, body};
    json_auto_t *json = NULL;
    struct err err;
    enum rc rc;

    *body = (struct what_if_body){.from = INSTANT_NONE,
                                  .to = INSTANT_NONE,
                                  .down_from = INSTANT_NONE,
                                  .down_to = INSTANT_NONE,
                                  .limit = WHAT_IF_LIMIT_DEFAULT};
    if (request_query_check(call, NULL, 0, &err) != RC_OK) {
        *ret_step = call_refuse(call, NULL, &err);
        return false;
    }
    if (!request_json(call, false, &json, ret_step))
        return false;
    rc = members_read(&body_members, json, &reading, &err);
    if (rc == RC_OK)
        rc = find_kind(body, &err);
    if (rc == RC_OK)
        rc = finish_range(call, body, &err);
    if (rc == RC_OK)
        rc = check_durations(json_object_get(json, "durations"), &err);
    if (rc == RC_OK)
        return true;
    *ret_step = call_refuse(call, rc == RC_INVALID ? "invalid_field" : NULL, &err);
    return false;
}
