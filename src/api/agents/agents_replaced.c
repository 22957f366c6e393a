/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the replaced times as a list of JSON objects: see agents_replaced.h.
 */
#include "api/agents/agents_replaced.h"

static bool has_same_times(const struct agents_schedule *a, const struct agents_schedule *b)
{
    return a->type == b->type && str_eq(a->zone, b->zone) && str_eq(a->cron, b->cron) &&
           str_eq(a->times, b->times) && a->interval_minutes == b->interval_minutes;
}

/* The members of agents_read() that say when it runs. */
static json_t *times_json(const struct agents_schedule *old, instant at)
{
    static const char *const names[] = {"timezone", "scheduleType", "cronExpr", "timesOfDay",
                                        "intervalMinutes"};
    json_auto_t *all = agents_print(old);
    json_t *json = json_new_object();

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        json_t *value = json_object_get(all, names[i]);

        if (value && !json_is_null(value))
            json_put(json, names[i], json_incref(value));
    }
    json_put(json, "at", json_new_int(at / SPAN_MS));
    return json;
}

static instant time_of(const json_t *entry)
{
    return json_integer_value(json_object_get(entry, "at")) * SPAN_MS;
}

void agents_replaced_add(const struct agents_schedule *old, instant now, instant since,
                         struct arena *arena, struct agents_schedule *schedule)
{
    json_auto_t *list = old->replaced.len > 0 ? json_of_kept(old->replaced) : NULL;
    struct err unused;

    if (!json_is_array(list)) {
        json_decref(list);
        list = json_array();
    }
    if (!has_same_times(old, schedule))
        (void)json_array_append_new(list, times_json(old, now));
    while (json_array_size(list) > REPLACED_MAX ||
           (json_array_size(list) > 0 && time_of(json_array_get(list, 0)) < since))
        (void)json_array_remove(list, 0);
    schedule->replaced = (struct str){NULL, 0};
    while (json_array_size(list) > 0 &&
           json_keep(list, AGENT_REPLACED_MAX, arena, &schedule->replaced, &unused) != RC_OK)
        (void)json_array_remove(list, 0);
}

int agents_replaced_read(const struct agents_schedule *schedule, struct arena *arena,
                         struct agents_replaced ret[static REPLACED_MAX])
{
    json_auto_t *list = schedule->replaced.len > 0 ? json_of_kept(schedule->replaced) : NULL;
    int count = 0;

    for (size_t i = 0; i < json_array_size(list) && count < REPLACED_MAX; i++) {
        const json_t *entry = json_array_get(list, i);
        struct agents_replaced *replaced = &ret[count];
        struct err unused;

        *replaced = (struct agents_replaced){time_of(entry), *schedule};
        replaced->schedule.cron = replaced->schedule.times = (struct str){NULL, 0};
        replaced->schedule.interval_minutes = 0;
        if (agents_read(entry, arena, &replaced->schedule, &unused) == RC_OK)
            count++;
    }
    return count;
}
