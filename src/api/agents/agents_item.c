/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A future execution from a run, and its JSON: see agents_item.h.
 */
#include "api/agents/agents_item.h"

#include "core/time/civil.h"
#include "core/time/text.h"

enum { KEY_ROOM = 96 + AGENT_ID_MAX + AGENT_PROJECT_MAX, DATE_ROOM = 16 };

static const char *const words[AGENTS_STATUS_COUNT] = {
    "READY", "PENDING", "RUNNING", "SKIPPED", "CANCELLED", "FAILED_RETRYABLE"};

enum rc agents_status_parse(struct str word, enum agents_status *ret, struct err *reterr)
{
    for (int i = 0; i < AGENTS_STATUS_COUNT; i++)
        if (str_eq(word, str_of(words[i]))) {
            *ret = (enum agents_status)i;
            return RC_OK;
        }
    return err_set(reterr, RC_INVALID, -1, 0,
                   "must be READY, PENDING, RUNNING, SKIPPED, CANCELLED or FAILED_RETRYABLE");
}

static enum agents_status status_of(enum run_state state)
{
    switch (state) {
    case RUN_LEASED:
        return AGENTS_PENDING;
    case RUN_RUNNING:
        return AGENTS_RUNNING;
    case RUN_BACKOFF:
        return AGENTS_RETRYABLE;
    default:
        return AGENTS_READY; /* held, or waiting for approval or its gate: not started */
    }
}

struct agents_item agents_item_of(const struct run *run)
{
    struct agents_item item = {
        .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
        .is_immediate = run->kind == RUN_TRIGGER || run->kind == RUN_DIRECT,
        .at = run->slot,
        .status = status_of(run->state),
        .attempt = run->attempt - run_is_claimed(run->state),
        .priority = run->priority,
    };

    if (run->state == RUN_BACKOFF && run->wake_at != INSTANT_NEVER)
        item.at = run->wake_at;
    if (run_is_claimed(run->state))
        item.owner = run->worker;
    if (run->state == RUN_APPROVAL)
        item.waiting_for = "approval";
    return item;
}

struct agents_item agents_item_failed(const struct history_row *row)
{
    return (struct agents_item){
        .run = {row->schedule, row->slot / SPAN_MS, (uint32_t)row->pass},
        .is_immediate = row->kind == RUN_TRIGGER || row->kind == RUN_DIRECT,
        .at = row->slot,
        .status = AGENTS_CANCELLED,
        .attempt = (int32_t)row->attempt,
    };
}

static int64_t local_of(const struct tz *zone, instant t)
{
    int64_t s = instant_seconds(t);

    return s + tz_offset(zone, s);
}

int64_t agents_day(const struct tz *zone, instant t)
{
    return floor_div(local_of(zone, t), DAY_SECONDS);
}

/* Has the time of the slot, not that of a retry, so that the key stays the same. */
static json_t *key_json(const struct agents_item *item)
{
    const struct agents_schedule *s = item->schedule;
    instant slot = item->run.slot_ms * SPAN_MS;
    char text[KEY_ROOM];
    struct buf out = BUF(text);

    date_format(agents_day(item->zone, slot), &out);
    buf_char(&out, '|');
    buf_str(&out, s->agent);
    buf_char(&out, '|');
    buf_str(&out, s->project.len > 0 ? s->project : STR("GLOBAL"));
    buf_text(&out, item->is_immediate ? "|IMMEDIATE|" : "|");
    instant_format_ms(slot, &out);
    return json_new_str(buf_as_str(&out));
}

json_t *agents_item_json(const struct agents_item *item)
{
    const struct agents_schedule *s = item->schedule;
    struct civil civil = civil_of_local(local_of(item->zone, item->at));
    char id[RUN_ID_TEXT_MAX], text[DATE_ROOM];
    struct buf date = BUF(text);
    json_t *json = json_new_object();

    run_id_format(&item->run, id);
    date_format(agents_day(item->zone, item->run.slot_ms * SPAN_MS), &date);
    json_put(json, "executionId", json_of_word(id));
    json_put(json, "idempotencyKey", key_json(item));
    json_put(json, "dateKey", json_new_str(buf_as_str(&date)));
    json_put(json, "agentId", json_new_str(s->agent));
    json_put(json, "projectId", json_of_text(s->project));
    json_put(json, "scheduleId", json_of_text(item->name));
    json_put(json, "timezone", json_new_str(s->zone));
    json_put(json, "scheduledAt", json_of_moment(item->at));
    json_put(json, "plannedHour", json_new_int(item->is_immediate ? -1 : civil.hour));
    json_put(json, "plannedMinute", json_new_int(item->is_immediate ? 0 : civil.minute));
    json_put(json, "immediate", json_boolean(item->is_immediate));
    json_put(json, "execStatus", json_of_word(words[item->status]));
    json_put(json, "waitingFor",
             item->waiting_for ? json_of_word(item->waiting_for) : json_null());
    json_put(json, "priority",
             json_new_int(item->priority != 0  ? item->priority
                          : item->is_immediate ? agents_now_priority(s)
                                               : s->priority));
    json_put(json, "attempt", json_new_int(item->attempt));
    json_put(json, "maxAttempts", json_new_int(s->attempts));
    json_put(json, "lockOwner", json_of_text(item->owner));
    return json;
}
