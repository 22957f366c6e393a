/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains why an instant is or is not a slot.
 */
#include "core/explain/explain.h"

#include "base/must.h"
#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"
#include "core/explain/explain_parts.h"
#include "core/time/text.h"

struct spec explain_alone(const struct spec *spec, int entry, struct entry *copy)
{
    struct spec alone = *spec;

    alone.not_cron_count = alone.not_date_count = alone.not_named_count = 0;
    alone.shift = SHIFT_NONE;
    alone.window.is_set = false;
    alone.start = INSTANT_NONE;
    alone.end = INSTANT_NEVER;
    alone.jitter = 0;
    alone.entry_count = alone.at_count = 0;
    if (entry < spec->entry_count) {
        *copy = spec->entries[entry];
        copy->covered = false;
        alone.entries = copy;
        alone.entry_count = 1;
    } else {
        alone.at = &spec->at[entry - spec->entry_count];
        alone.at_count = 1;
    }
    return alone;
}

bool explain_is_raw(const struct spec *spec, const struct spec_ctx *ctx, int entry, instant t)
{
    struct entry copy;
    struct spec alone = explain_alone(spec, entry, &copy);
    struct slot slot;

    return spec_next(&alone, ctx, t - 1, &slot) && slot.at == t;
}

int64_t explain_local_next(const struct entry *entry, int64_t local)
{
    return entry->kind == ENTRY_CRON ? cron_next_local(&entry->cron, local)
                                     : rrule_next_local(entry->rrule, local);
}

bool explain_is_pattern(const struct entry *entry)
{
    return entry->kind != ENTRY_INTERVAL;
}

void explain_entry(const struct spec *spec, int entry, struct buf *out)
{
    static const char *const lists[] = {[LIST_CRON] = "cron",
                                        [LIST_CALENDARS] = "calendars",
                                        [LIST_INTERVALS] = "intervals",
                                        [LIST_TIMES] = "timesOfDay",
                                        [LIST_AT] = "at"};
    bool is_at = entry >= spec->entry_count;

    must(entry >= 0 && entry < explain_count(spec));
    buf_printf(out, "%s[%d]", lists[is_at ? LIST_AT : spec->entries[entry].list],
               is_at ? spec->at[entry - spec->entry_count].index : spec->entries[entry].index);
}

static span distance_between(instant a, instant b)
{
    return a > b ? a - b : b - a;
}

/* The entry with the slot nearest to `t`; -1 if no entry has slots. */
static int nearest_entry(const struct spec *spec, const struct spec_ctx *ctx, instant t)
{
    span least = 0;
    int nearest = -1;

    for (int i = 0; i < explain_count(spec); i++) {
        struct entry copy;
        struct spec alone = explain_alone(spec, i, &copy);
        struct slot prev, next;
        bool has_prev = spec_prev(&alone, ctx, t, &prev);
        bool has_next = spec_next(&alone, ctx, t, &next);
        span distance;

        if (!has_prev && !has_next)
            continue;
        distance = has_prev ? distance_between(t, prev.at) : distance_between(t, next.at);
        if (has_next && distance_between(t, next.at) < distance)
            distance = distance_between(t, next.at);
        if (nearest < 0 || distance < least) {
            nearest = i;
            least = distance;
        }
    }
    return nearest;
}

/* "minute is 31, the expression requires 0 or 30" */
static void write_wrong_value(struct words_list *list, const char *field, int is,
                              uint64_t required)
{
    struct words_list values = {.out = list->out, .last = "or"};

    if (required >> is & 1)
        return;
    buf_text(list->out, list->given++ > 0 ? "; " : "");
    buf_printf(list->out, "%s is %d, the expression requires ", field, is);
    values.total = words_range_count(required);
    words_add_ranges(&values, required, words_number);
}

static void write_wrong_day(struct words_list *list, const struct cron *cron, int64_t day)
{
    if (cron_matches_day(cron, day))
        return;
    buf_text(list->out, list->given++ > 0 ? "; " : "");
    buf_printf(list->out, "it is %s ", words_weekday(day_weekday(day)));
    words_date(list->out, day);
    buf_text(list->out, ", the expression runs");
    describe_days(cron, true, list->out);
}

/* Writes the fields that do not match; false if all match. */
static bool write_wrong_fields(const struct cron *cron, int64_t local, struct buf *out)
{
    int64_t day = floor_div(local, DAY_SECONDS);
    struct words_list list = {.out = out};
    struct civil civil;

    /* In the first and last hours of the time line, in zones west or east of UTC. */
    if (day < DAY_MIN || day > DAY_MAX) {
        buf_text(out, "on that clock it is not in the years 1 to 9999");
        return true;
    }
    civil = civil_of_local(local);
    write_wrong_day(&list, cron, day);
    write_wrong_value(&list, "hour", civil.hour, cron->hour);
    write_wrong_value(&list, "minute", civil.minute, cron->minute);
    write_wrong_value(&list, "second", civil.second, cron->second);
    return list.given > 0;
}

/* The slots of the entry before and after `t`, for entries without fields. */
static void write_neighbours(const struct spec *spec, const struct spec_ctx *ctx, int entry,
                             instant t, struct buf *out)
{
    struct entry copy;
    struct spec alone = explain_alone(spec, entry, &copy);
    struct slot slot;
    bool has_prev = spec_prev(&alone, ctx, t, &slot);

    if (has_prev) {
        buf_text(out, "at ");
        instant_format(slot.at, out);
    }
    if (spec_next(&alone, ctx, t, &slot)) {
        buf_text(out, has_prev ? " and then at " : "at ");
        instant_format(slot.at, out);
    } else {
        buf_text(out, " for the last time");
    }
}

/* The fields match, but the entry has no slot: it is the other pass of a repeated hour. */
static void write_other_pass(const struct entry *entry, const struct spec_zone *zone, int64_t s,
                             struct buf *out)
{
    bool is_first = local_clock_effect(zone->tz, s) == EFFECT_FOLD_FIRST;

    words_moment(out, s + tz_offset(zone->tz, s));
    buf_text(out, " comes twice in ");
    buf_str(out, zone->name);
    buf_printf(out, ": this is the %s time, and only the %s runs",
               is_first ? "first" : "second",
               entry->dst.fold == FOLD_LAST ? "second" : "first");
}

/* If `s` is right after a gap: the times of this entry that the gap skipped. */
static void write_gap_before(const struct entry *entry, const struct tz *tz, int64_t s,
                             struct buf *out)
{
    char text[EXPLAIN_TEXT_MAX];
    struct buf touched = BUF(text);
    struct clock_change change;

    if (local_clock_effect(tz, s) != EFFECT_AFTER_GAP || !explain_change_near(tz, s, &change))
        return;
    if (explain_affected_times(entry, &change, &touched) > 0) {
        buf_text(out, " (");
        buf_str(out, buf_as_str(&touched));
        buf_char(out, ')');
    }
}

static void write_no_match(const struct spec *spec, const struct spec_ctx *ctx, instant t,
                           struct explain *ret, struct buf *out)
{
    const struct entry *entry;
    const struct spec_zone *zone;
    int64_t s = instant_seconds(t);

    if (explain_count(spec) > 1) {
        buf_text(out, "nearest is ");
        explain_entry(spec, ret->entry, out);
        buf_text(out, ": ");
    }
    if (ret->entry >= spec->entry_count || spec->entries[ret->entry].kind != ENTRY_CRON) {
        buf_text(out, "its slots are ");
        write_neighbours(spec, ctx, ret->entry, t, out);
        return;
    }
    entry = &spec->entries[ret->entry];
    zone = &spec->zones[entry->zone];
    if (write_wrong_fields(&entry->cron, s + tz_offset(zone->tz, s), out)) {
        write_gap_before(entry, zone->tz, s, out);
    } else if (t != instant_of_seconds(s)) {
        buf_text(out, "the second is right, its fraction is not: its slots are ");
        write_neighbours(spec, ctx, ret->entry, t, out);
    } else {
        ret->why = WHY_FOLD;
        write_other_pass(entry, zone, s, out);
    }
}

/* The first entry that has a slot at `t`, before exclusions and window; -1 if none has. */
static int raw_entry(const struct spec *spec, const struct spec_ctx *ctx, instant t)
{
    for (int i = 0; i < explain_count(spec); i++)
        if (explain_is_raw(spec, ctx, i, t))
            return i;
    return -1;
}

static void write_slot(const struct spec *spec, const struct spec_ctx *ctx,
                       const struct slot *slot, struct explain *ret, struct buf *out)
{
    char text[EXPLAIN_TEXT_MAX];
    struct buf note = BUF(text);

    ret->why = WHY_SLOT;
    ret->entry = slot->entry;
    buf_text(out, "it is a slot of ");
    explain_entry(spec, slot->entry, out);
    if (slot->due > slot->at) {
        buf_text(out, ", delayed to ");
        instant_format(slot->due, out);
    }
    if (explain_note(spec, ctx, slot, &note)) {
        buf_text(out, "; ");
        buf_str(out, buf_as_str(&note));
    }
}

void explain_instant(const struct spec *spec, const struct spec_ctx *ctx, instant t,
                     struct explain *ret)
{
    struct buf out = BUF(ret->text);
    struct slot slot;

    ret->text[0] = '\0';
    ret->has_prev = spec_prev(spec, ctx, t, &ret->prev);
    ret->has_next = spec_next(spec, ctx, t, &ret->next);
    if (spec_next(spec, ctx, t - 1, &slot) && slot.at == t) {
        write_slot(spec, ctx, &slot, ret, &out);
        return;
    }
    if (ret->has_prev && ret->prev.due == t) {
        ret->why = WHY_DUE;
        ret->entry = ret->prev.entry;
        buf_text(&out, "the slot of ");
        instant_format(ret->prev.at, &out);
        buf_text(&out, " is delayed by jitter and runs then");
        return;
    }
    ret->entry = raw_entry(spec, ctx, t);
    if (ret->entry >= 0 && explain_removal(spec, ctx, t, ret))
        return;
    ret->entry = nearest_entry(spec, ctx, t);
    ret->why = explain_count(spec) == 0 ? WHY_EMPTY : WHY_NO_MATCH;
    if (ret->why == WHY_EMPTY)
        buf_text(&out, "the spec has no entries, so there are no automatic runs");
    else if (ret->entry < 0)
        explain_never(spec, ctx, INSTANT_MIN, &out);
    else
        write_no_match(spec, ctx, t, ret, &out);
}
