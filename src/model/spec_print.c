/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a spec as JSON: the writing half of model/spec_json.h, field by field in its order. */
#include "model/json_time.h"
#include "model/spec_fields.h"
#include "model/spec_json.h"

static json_t *word_json(const char *word)
{
    return json_new_str(str_of(word));
}

static json_t *cron_json(const struct cron_def *def, enum spec_form form)
{
    bool is_full = form == SPEC_FULL;
    bool has_zone = def->zone.len > 0;
    json_t *json;

    if (!is_full && def->dialect == DIALECT_BELFRY && !has_zone)
        return json_new_str(def->expr);
    json = json_new_object();
    json_put(json, "expr", json_new_str(def->expr));
    if (is_full || def->dialect != DIALECT_BELFRY)
        json_put(json, "dialect", word_json(dialect_text(def->dialect)));
    if (is_full || has_zone)
        json_put(json, "timezone", has_zone ? json_new_str(def->zone) : json_null());
    return json;
}

static json_t *calendar_json(const struct calendar_def *def, enum spec_form form)
{
    bool is_full = form == SPEC_FULL;
    json_t *json = json_new_object();

    for (int i = 0; i < CALENDAR_FIELDS; i++) {
        struct str initial = str_of(calendar_fields[i].initial);
        struct str s = calendar_field_of(&def->text, i);

        if (s.len == 0)
            s = initial;
        if (is_full || !str_eq(s, initial))
            json_put(json, calendar_fields[i].name, json_new_str(s));
    }
    if (is_full || def->comment.len > 0)
        json_put(json, "comment", json_new_str(def->comment));
    return json;
}

static json_t *interval_json(const struct interval_def *def, enum spec_form form)
{
    bool is_full = form == SPEC_FULL;
    json_t *json = json_new_object();

    json_put(json, "every", json_of_duration(def->every));
    if (is_full || def->phase != 0)
        json_put(json, "phase", json_of_duration(def->phase));
    if (is_full || def->anchor != ANCHOR_EPOCH)
        json_put(json, "anchor", word_json(anchor_text(def->anchor)));
    return json;
}

static json_t *window_json(const struct window_def *def, enum spec_form form)
{
    json_t *json;

    if (!def->is_set)
        return json_null();
    json = json_new_object();
    json_put(json, "from", json_of_time_of_day(def->from));
    json_put(json, "to", json_of_time_of_day(def->to));
    if (form == SPEC_FULL || def->rule != WINDOW_CLAMP)
        json_put(json, "rule", word_json(window_rule_text(def->rule)));
    return json;
}

static json_t *dst_json(struct dst_rule dst)
{
    json_t *json;

    if (dst.name == DST_DEFAULT)
        return json_null();
    if (dst.name != DST_CUSTOM)
        return word_json(dst_text(dst.name));
    json = json_new_object();
    json_put(json, "gap", word_json(gap_text((enum gap)dst.custom.gap)));
    json_put(json, "fold", word_json(fold_text((enum fold)dst.custom.fold)));
    return json;
}

/* Lists. */

static json_t *crons_json(const struct spec_def *def, enum spec_form form)
{
    json_t *list = json_new_list();

    for (int i = 0; i < def->cron_count; i++)
        json_add(list, cron_json(&def->cron[i], form));
    return list;
}

static json_t *calendars_json(const struct calendar_def *defs, int count, enum spec_form form)
{
    json_t *list = json_new_list();

    for (int i = 0; i < count; i++)
        json_add(list, calendar_json(&defs[i], form));
    return list;
}

static json_t *intervals_json(const struct spec_def *def, enum spec_form form)
{
    json_t *list = json_new_list();

    for (int i = 0; i < def->interval_count; i++)
        json_add(list, interval_json(&def->intervals[i], form));
    return list;
}

static json_t *times_json(const struct spec_def *def)
{
    json_t *list = json_new_list();

    for (int i = 0; i < def->time_count; i++)
        json_add(list, json_of_time_of_day(def->times[i]));
    return list;
}

static json_t *at_json(const struct spec_def *def)
{
    json_t *list = json_new_list();

    for (int i = 0; i < def->at_count; i++)
        json_add(list,
                 def->at[i] == INSTANT_NONE ? word_json("now") : json_of_instant(def->at[i]));
    return list;
}

static json_t *dates_json(const struct spec_def *def)
{
    json_t *list = json_new_list();

    for (int i = 0; i < def->not_date_count; i++)
        json_add(list, json_of_date(def->not_dates[i]));
    return list;
}

static json_t *named_json(const struct spec_def *def)
{
    json_t *list = json_new_list();

    for (int i = 0; i < def->not_named_count; i++)
        json_add(list, json_new_str(def->not_named[i]));
    return list;
}

static json_t *exclude_json(const struct spec_def *def, enum spec_form form)
{
    bool is_full = form == SPEC_FULL;
    json_t *json = json_new_object();

    if (is_full || def->not_calendar_count > 0)
        json_put(json, "calendars",
                 calendars_json(def->not_calendars, def->not_calendar_count, form));
    if (is_full || def->not_date_count > 0)
        json_put(json, "dates", dates_json(def));
    if (is_full || def->not_named_count > 0)
        json_put(json, "named", named_json(def));
    if (is_full || def->shift != SHIFT_NONE)
        json_put(json, "shift", word_json(shift_text(def->shift)));
    return json;
}

json_t *spec_to_json(const struct spec_def *def, enum spec_form form)
{
    bool is_full = form == SPEC_FULL;
    bool has_start = def->start != INSTANT_NONE;
    bool has_end = def->end != INSTANT_NEVER;
    bool has_exclude = is_full || def->not_calendar_count > 0 || def->not_date_count > 0 ||
                       def->not_named_count > 0 || def->shift != SHIFT_NONE;
    json_t *json = json_new_object();
    struct str zone = def->zone.len > 0 ? def->zone : STR("UTC");

    if (is_full || def->cron_count > 0)
        json_put(json, "cron", crons_json(def, form));
    if (is_full || def->calendar_count > 0)
        json_put(json, "calendars", calendars_json(def->calendars, def->calendar_count, form));
    if (is_full || def->interval_count > 0)
        json_put(json, "intervals", intervals_json(def, form));
    if (is_full || def->time_count > 0)
        json_put(json, "timesOfDay", times_json(def));
    if (is_full || def->at_count > 0)
        json_put(json, "at", at_json(def));
    if (has_exclude)
        json_put(json, "exclude", exclude_json(def, form));
    if (is_full || has_start)
        json_put(json, "start", has_start ? json_of_instant(def->start) : json_null());
    if (is_full || has_end)
        json_put(json, "end", has_end ? json_of_instant(def->end) : json_null());
    if (is_full || def->window.is_set)
        json_put(json, "window", window_json(&def->window, form));
    if (is_full || !str_eq(zone, STR("UTC")))
        json_put(json, "timezone", json_new_str(zone));
    if (is_full || def->dst.name != DST_DEFAULT)
        json_put(json, "dst", dst_json(def->dst));
    if (is_full || def->jitter != 0)
        json_put(json, "jitter", json_of_duration(def->jitter));
    return json;
}
