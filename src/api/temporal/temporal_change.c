/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids, request ids, patches and conflict tokens: see temporal_change.h.
 */
#include "api/temporal/temporal_change.h"

#include "api/call/dialects.h"
#include "api/call/operation.h"
#include "base/hash.h"
#include "base/unpack.h"
#include "model/member.h"

enum { KEY_MAX = 64, TOKEN_BYTES = 8 };

_Static_assert(SCHEDULE_ID_MAX + TEMPORAL_ID_PREFIX == TEMPORAL_ID_MAX, "Temporal's limit");

bool temporal_read_id(struct call *call, const char *id, enum call_step *ret_step)
{
    struct err err;

    call->params[0] = str_of(id);
    if (call->params[0].len > SCHEDULE_ID_MAX)
        temporal_id_too_long(call->params[0].len + TEMPORAL_ID_PREFIX, &err);
    else if (name_check(call->params[0], &err) == RC_OK)
        return true;
    else
        err_in(&err, "schedule_id");
    *ret_step = call_refuse(call, "invalid_field", &err);
    return false;
}

bool temporal_check_request(struct call *call, const char *id, bool is_required,
                            enum call_step *ret_step)
{
    size_t len = strlen(id);

    if (is_required && len == 0)
        *ret_step = call_problem(call, 400, "invalid_field",
                                 "RequestId is not set on request.");
    else if (len > TEMPORAL_REQUEST_MAX)
        *ret_step = call_problem(call, 400, "invalid_field", "RequestId length exceeds limit.");
    else
        return true;
    return false;
}

void temporal_key_commands(struct call *call, const char *id, int first)
{
    struct digest digest = {0}, other = {1};
    struct str parts[] = {str_of(call->operation->id), call->params[0], str_of(id)};

    if (id[0] == '\0')
        return;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        digest_add(&digest, parts[i].ptr, parts[i].len);
        digest_add(&other, parts[i].ptr, parts[i].len);
    }
    for (int i = 0; i < call->command_count; i++) {
        struct buf key = {.ptr = arena_take(call->arena, KEY_MAX), .cap = KEY_MAX};

        buf_text(&key, "temporal:");
        buf_hex(&key, digest.sum);
        buf_hex(&key, other.sum);
        buf_char(&key, '#');
        buf_int(&key, first + i);
        call->commands[i].request = buf_as_str(&key);
    }
}

/* ---- reading ---- */

bool temporal_is_visible(const struct schedule_view *view)
{
    return view->row.dialect == DIALECTS_TEMPORAL && !(view->cursor.flags & CURSOR_CLOSED);
}

enum rc temporal_find(const struct call *call, struct db *db, struct schedule_view *ret,
                      struct err *reterr)
{
    enum rc rc = view_find(call, db, ret, reterr);

    if (rc == RC_OK && !temporal_is_visible(ret))
        rc = err_set(reterr, RC_NOT_FOUND, -1, 0, "created with another API");
    return rc;
}

enum call_step temporal_failed(struct call *call, const struct err *err)
{
    return err->rc == RC_NOT_FOUND ? temporal_no_schedule(call) : view_failed(call, err);
}

enum call_step temporal_refused(struct call *call, int command)
{
    const struct reply *reply = &call->replies[command];

    if (reply->rc == RC_NOT_FOUND)
        return temporal_no_schedule(call);
    return call_refused(call, &call->commands[command], reply);
}

/* ---- patches ---- */

static enum rc check_note(const char *note, struct err *reterr)
{
    if (strlen(note) <= TEMPORAL_NOTE_MAX)
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0, "Schedule notes exceeds limit.");
}

enum rc temporal_check_notes(const Temporal__SchedulePatch *patch, struct err *reterr)
{
    enum rc rc = check_note(patch->pause, reterr);

    return rc == RC_OK ? check_note(patch->unpause, reterr) : rc;
}

/* Temporal answers a negative limit with an internal error. */
enum rc temporal_check_state(const Temporal__Schedule *schedule, struct err *reterr)
{
    const Temporal__ScheduleState *state = schedule ? schedule->state : NULL;

    if (state && state->limited_actions && state->remaining_actions < 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "RemainingActions is negative; use 0 or more with LimitedActions");
    return state ? check_note(state->notes, reterr) : RC_OK;
}

void temporal_read_trigger(const Temporal__SchedulePatch *patch, struct start_args *to)
{
    const Temporal__TriggerImmediatelyRequest *trigger = patch->trigger_immediately;

    to->overlap = temporal_overlap(trigger->overlap_policy);
    if (trigger->scheduled_time && temporal_instant(trigger->scheduled_time) > 0)
        to->slot = temporal_instant(trigger->scheduled_time);
}

enum rc temporal_read_ranges(struct call *call, const Temporal__SchedulePatch *patch,
                             struct backfill_args *to, struct err *reterr)
{
    struct range *ranges = arena_array(call->arena, patch->n_backfill_request, sizeof *ranges);
    int count = 0;

    for (size_t i = 0; i < patch->n_backfill_request; i++) {
        const Temporal__BackfillRequest *b = patch->backfill_request[i];
        struct range *range = &ranges[count];

        if (!b->end_time)
            return err_set(reterr, RC_INVALID, -1, 0, "backfill_request: end_time is required");
        range->overlap = temporal_overlap(b->overlap_policy);
        range->from = b->start_time ? temporal_instant(b->start_time) : 0;
        range->until = temporal_instant(b->end_time);
        if (range->from < 0)
            range->from = 0;
        if (range->until > TEMPORAL_HORIZON)
            range->until = TEMPORAL_HORIZON;
        count += range->from <= range->until;
    }
    *to = (struct backfill_args){ranges, count};
    return RC_OK;
}

/* ---- versions ---- */

ProtobufCBinaryData temporal_token(int64_t version, struct arena *arena)
{
    uint8_t *bytes = arena_take(arena, TOKEN_BYTES);

    for (int i = 0; i < TOKEN_BYTES; i++)
        bytes[i] = (uint8_t)((uint64_t)version >> 8 * i);
    return (ProtobufCBinaryData){TOKEN_BYTES, bytes};
}

int64_t temporal_token_version(ProtobufCBinaryData token)
{
    struct unpack in = {.left = {(const char *)token.data, token.len}};
    uint64_t version;

    if (token.len == 0)
        return 0;
    version = unpack_le(&in, TOKEN_BYTES);
    return token.len == TOKEN_BYTES && version > 0 && version < INT64_MAX ? (int64_t)version
                                                                          : -1;
}
