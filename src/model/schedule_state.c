/* SPDX-License-Identifier: Apache-2.0 */
#include "model/schedule_state.h"

#include "core/governor.h"
#include "core/outcome.h"
#include "model/member.h"

static bool starts_by_itself(const struct cursor *c)
{
    return !(c->flags & (CURSOR_BARRED | CURSOR_QUARANTINED | CURSOR_CLOSED | CURSOR_DELETED));
}

const char *schedule_status(const struct cursor *c)
{
    if (c->flags & (CURSOR_CLOSED | CURSOR_DELETED))
        return "closed";
    return starts_by_itself(c) ? "active" : "paused";
}

/* A quarantine has no text of its own: nobody wrote one. */
static json_t *reason_json(const struct schedule_state *state)
{
    if (state->paused_reason.len == 0 && (state->cursor->flags & CURSOR_QUARANTINED))
        return json_of_word(reason_text(REASON_QUARANTINED));
    return json_of_text(state->paused_reason);
}

static json_t *counters_json(const struct cursor *c)
{
    json_t *json = json_new_object();

    json_put(json, "started", json_new_int(c->started));
    json_put(json, "skipped", json_new_int(c->skipped));
    json_put(json, "missed", json_new_int(c->missed));
    json_put(json, "dropped", json_new_int(c->dropped));
    json_put(json, "cancelled", json_new_int(c->cancelled));
    json_put(json, "succeeded", json_new_int(c->succeeded));
    json_put(json, "failed", json_new_int(c->failed));
    return json;
}

json_t *schedule_state_json(const struct schedule_state *state)
{
    const struct cursor *c = state->cursor;
    bool has_next = starts_by_itself(c) && c->next_at != INSTANT_NEVER;
    enum outcome last = (enum outcome)c->last_outcome;
    json_t *json = json_new_object();

    json_put(json, "status", json_of_word(schedule_status(c)));
    json_put(json, "pausedReason", reason_json(state));
    json_put(json, "pausedUntil",
             c->flags & CURSOR_PAUSED ? json_of_moment(c->paused_until) : json_null());
    json_put(json, "nextAt", has_next ? json_of_moment(c->next_at) : json_null());
    json_put(json, "nextSource",
             has_next ? json_of_word(source_text((enum source)c->source)) : json_null());
    json_put(json, "mark", json_of_moment(c->mark));
    json_put(json, "open", json_new_int(c->open));
    json_put(json, "waiting", json_new_int(c->waiting));
    json_put(json, "failures", json_new_int(c->failures));
    json_put(json, "lastOutcome",
             last == OUTCOME_NONE ? json_null() : json_of_word(outcome_text(last)));
    json_put(json, "lastRunAt", json_of_moment(c->last_start));
    json_put(json, "lastRunId", json_of_text(state->last_run));
    json_put(json, "counters", counters_json(c));
    json_put(json, "version", json_new_int(c->version));
    json_put(json, "dialect", json_new_str(state->dialect));
    json_put(json, "createdAt", json_of_moment(state->created_at));
    json_put(json, "createdBy", json_new_str(state->created_by));
    json_put(json, "updatedAt", json_of_moment(state->updated_at));
    json_put(json, "updatedBy", json_new_str(state->updated_by));
    return json;
}
