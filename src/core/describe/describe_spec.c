/* SPDX-License-Identifier: Apache-2.0 */
#include "core/describe/describe.h"

#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"
#include "core/time/text.h"

#define ALL_SIXTY ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS ((UINT32_C(1) << 24) - 1)

struct telling {
    const struct spec *spec;
    struct buf *out;
    int groups;        /* what the union consists of, with times of day as one thing */
    bool zone_is_said; /* every entry was told with the spec's own zone             */
    bool shaped;       /* a phrase that shapes the whole has been told              */
};

static void zone_after(const char *before, struct str zone, struct buf *out)
{
    buf_text(out, before);
    words_zone(out, zone);
}

static bool is_utc(struct str zone)
{
    return zone.len == 0 || str_eq(zone, STR("UTC")) || str_eq(zone, STR("Etc/UTC"));
}

/* "every 15 minutes" means the same on every clock when nobody asks which day it is. */
static bool needs_zone(const struct entry *entry, struct str zone)
{
    if (entry->kind == ENTRY_INTERVAL)
        return entry->interval.anchor == ANCHOR_MIDNIGHT;
    return entry->kind != ENTRY_CRON || !is_utc(zone) || entry->cron.hour != ALL_HOURS ||
           !(entry->cron.flags & CRON_EVERY_DAY);
}

static void tell_instant(instant at, struct buf *out)
{
    if (at % SPAN_S == 0) {
        words_moment(out, at / SPAN_S);
        buf_text(out, " UTC");
    } else {
        instant_format(at, out);
    }
}

static void tell_interval(const struct interval_def *interval, struct buf *out)
{
    words_every_span(out, interval->every);
    switch (interval->anchor) {
    case ANCHOR_EPOCH:
        buf_text(out, ", counted from ");
        /* What divides a day comes round to the same times every day (phase < every). */
        if (SPAN_DAY % interval->every == 0 && interval->phase % SPAN_S == 0) {
            time_of_day_format((int32_t)(interval->phase / SPAN_S), out);
            buf_text(out, " UTC");
        } else {
            tell_instant(interval->phase, out);
        }
        break;
    case ANCHOR_MIDNIGHT:
        buf_text(out, " of each day, from ");
        if (interval->phase > 0) {
            words_duration(out, interval->phase);
            buf_text(out, " after ");
        }
        buf_text(out, "midnight on");
        break;
    case ANCHOR_START:
        buf_text(out, " from the last start");
        break;
    case ANCHOR_COMPLETION:
        buf_text(out, " from the end of the last run");
        break;
    }
}

/* The times of day that stand together from entry `i` on; returns how many there are. */
static int tell_times(const struct spec *spec, int i, struct buf *out)
{
    struct words_list list = {.out = out, .last = "and"};

    while (i + list.total < spec->entry_count &&
           spec->entries[i + list.total].list == LIST_TIMES)
        list.total++;
    buf_text(out, "at ");
    for (int k = i; k < i + list.total && words_next(&list); k++)
        time_of_day_format(spec->entries[k].cron.first_tod, out);
    buf_text(out, " every day");
    return list.total;
}

/* One entry, or the times of day together; returns how many entries were told. */
static int tell_entry(struct telling *t, int i)
{
    const struct entry *entry = &t->spec->entries[i];
    struct str zone = t->spec->zones[entry->zone].name;
    int told = 1;

    if (entry->list == LIST_TIMES)
        told = tell_times(t->spec, i, t->out);
    else if (entry->kind == ENTRY_CRON)
        describe_pattern(&entry->cron, t->out);
    else if (entry->kind == ENTRY_RRULE)
        describe_rule(entry->rrule, t->out);
    else
        tell_interval(&entry->interval, t->out);
    if (needs_zone(entry, zone))
        zone_after(", ", zone, t->out);
    t->zone_is_said = t->zone_is_said && needs_zone(entry, zone) && entry->zone == 0;
    return told;
}

static void tell_once(struct telling *t)
{
    struct words_list list = {.out = t->out, .last = "and", .total = t->spec->at_count};

    buf_text(t->out, "once ");
    for (int i = 0; i < t->spec->at_count && words_next(&list); i++) {
        instant at = t->spec->at[i].at;

        if (at == INSTANT_NONE) {
            buf_text(t->out, "as soon as it is created");
        } else {
            buf_text(t->out, "at ");
            tell_instant(at, t->out);
        }
    }
}

/* Entries that begin a group: all but times of day after the first. */
static bool begins_group(const struct spec *spec, int i)
{
    return spec->entries[i].list != LIST_TIMES || i == 0 ||
           spec->entries[i - 1].list != LIST_TIMES;
}

static int count_groups(const struct spec *spec)
{
    int n = spec->at_count > 0;

    for (int i = 0; i < spec->entry_count; i++)
        n += begins_group(spec, i);
    return n;
}

static void tell_union(struct telling *t)
{
    int told = 0, i = 0;

    while (i < t->spec->entry_count && told < DESCRIBE_ENTRIES_MAX) {
        buf_text(t->out, told > 0 ? "; and " : "");
        i += tell_entry(t, i);
        told++;
    }
    if (t->spec->at_count > 0) {
        buf_text(t->out, told > 0 ? "; and " : "");
        tell_once(t);
        told++;
    }
    if (told < t->groups)
        buf_printf(t->out, "; and %d more", t->groups - told);
    t->zone_is_said = t->zone_is_said && t->spec->entry_count > 0 && told == t->groups &&
                      t->spec->at_count == 0;
}

/* What shapes the whole comes after it; with several parts it must be said that it does. */
static void begin_shape(struct telling *t)
{
    buf_text(t->out, t->shaped || t->groups < 2 ? ", " : "; all of this ");
    t->shaped = true;
}

static void own_zone(struct telling *t)
{
    if (!t->zone_is_said)
        zone_after(" ", t->spec->zones[0].name, t->out);
    t->zone_is_said = true;
}

/* Consecutive dates from the i-th on. */
static int date_run(const struct spec *spec, int i)
{
    int n = 1;

    while (i + n < spec->not_date_count && spec->not_dates[i + n] == spec->not_dates[i] + n)
        n++;
    return n < 3 ? 1 : n;
}

static void tell_dates(struct telling *t)
{
    const struct spec *spec = t->spec;
    struct words_list list = {.out = t->out, .last = "and"};

    for (int i = 0; i < spec->not_date_count; i += date_run(spec, i))
        list.total++;
    buf_text(t->out, "except on ");
    for (int i = 0; i < spec->not_date_count && words_next(&list); i += date_run(spec, i)) {
        words_date(t->out, spec->not_dates[i]);
        if (date_run(spec, i) > 1) {
            buf_text(t->out, " to ");
            words_date(t->out, spec->not_dates[i] + date_run(spec, i) - 1);
        }
    }
    own_zone(t);
}

static void tell_named(struct telling *t)
{
    struct words_list list = {.out = t->out, .last = "and", .total = t->spec->not_named_count};

    buf_text(t->out, "except on the days of ");
    for (int i = 0; i < t->spec->not_named_count && words_next(&list); i++)
        buf_str(t->out, t->spec->not_named[i]);
    own_zone(t);
}

/* An exclusion by pattern: mostly of whole days, and then only the days are told. */
static void tell_not_cron(struct telling *t, const struct cron *cron)
{
    buf_text(t->out, "except");
    if (!cron_is_whole_day(cron)) {
        buf_char(t->out, ' ');
        describe_pattern(cron, t->out);
    } else if (cron->flags & CRON_EVERY_DAY) {
        buf_text(t->out, " every day");
    } else {
        describe_days(cron, true, t->out);
    }
    own_zone(t);
}

static void tell_exclusions(struct telling *t)
{
    const struct spec *spec = t->spec;
    int crons = spec->not_cron_count < DESCRIBE_ENTRIES_MAX ? spec->not_cron_count
                                                            : DESCRIBE_ENTRIES_MAX;

    for (int i = 0; i < crons; i++) {
        begin_shape(t);
        tell_not_cron(t, &spec->not_crons[i]);
    }
    if (crons < spec->not_cron_count)
        buf_printf(t->out, " and %d more", spec->not_cron_count - crons);
    if (spec->not_date_count > 0) {
        begin_shape(t);
        tell_dates(t);
    }
    if (spec->not_named_count > 0) {
        begin_shape(t);
        tell_named(t);
    }
    if (t->shaped && spec->shift != SHIFT_NONE)
        buf_printf(t->out, " (then on the %s free day)",
                   spec->shift == SHIFT_NEXT ? "next" : "previous");
}

static void tell_window(struct telling *t)
{
    const struct window_def *window = &t->spec->window;
    bool clamps = window->rule == WINDOW_CLAMP;

    begin_shape(t);
    if (clamps) {
        buf_text(t->out, "moved to ");
        time_of_day_format(window->from, t->out);
        buf_text(t->out, " when outside ");
    } else {
        buf_text(t->out, "only between ");
    }
    time_of_day_format(window->from, t->out);
    buf_text(t->out, clamps ? "–" : " and ");
    time_of_day_format(window->to, t->out);
    own_zone(t);
}

static void tell_bounds(struct telling *t)
{
    if (t->spec->start != INSTANT_NONE) {
        begin_shape(t);
        buf_text(t->out, "not before ");
        tell_instant(t->spec->start, t->out);
    }
    if (t->spec->end != INSTANT_NEVER) {
        begin_shape(t);
        buf_text(t->out, "not after ");
        tell_instant(t->spec->end, t->out);
    }
}

void describe_spec(const struct spec *spec, struct buf *out)
{
    struct telling t = {.spec = spec, .out = out, .groups = count_groups(spec)};
    size_t at = out->len;

    if (t.groups == 0) {
        buf_text(out, "Never by itself");
        return;
    }
    t.zone_is_said = true;
    tell_union(&t);
    tell_exclusions(&t);
    if (spec->window.is_set)
        tell_window(&t);
    tell_bounds(&t);
    if (spec->jitter > 0) {
        begin_shape(&t);
        buf_text(out, "up to ");
        duration_format(spec->jitter, out);
        buf_text(out, " later, spread by name");
    }
    describe_capital(out, at);
}
