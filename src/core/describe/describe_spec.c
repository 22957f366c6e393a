/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes a whole spec: its entries, then exclusions, window, bounds and jitter.
 */
#include "core/describe/describe.h"

#include "core/describe/describe_parts.h"
#include "core/describe/describe_words.h"
#include "core/time/jitter.h"
#include "core/time/text.h"

#define ALL_SIXTY ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS ((UINT32_C(1) << 24) - 1)

/* The state of the description. */
struct sentence {
    const struct spec *spec;
    struct buf *out;
    int groups;         /* parts of the union; all times of day are one part   */
    bool has_zone;      /* every entry was written with the zone of the spec   */
    bool has_condition; /* a condition that applies to all entries was written */
};

static void write_zone(const char *before, struct str zone, struct buf *out)
{
    buf_text(out, before);
    words_zone(out, zone);
}

static bool is_utc(struct str zone)
{
    return zone.len == 0 || str_eq(zone, STR("UTC")) || str_eq(zone, STR("Etc/UTC"));
}

/* "every 15 minutes" on all days means the same in UTC with or without the zone. */
static bool needs_zone(const struct entry *entry, struct str zone)
{
    if (entry->kind == ENTRY_INTERVAL)
        return entry->interval.anchor == ANCHOR_MIDNIGHT;
    return entry->kind != ENTRY_CRON || !is_utc(zone) || entry->cron.hour != ALL_HOURS ||
           !(entry->cron.flags & CRON_EVERY_DAY);
}

static void write_instant(instant at, struct buf *out)
{
    if (at % SPAN_S == 0) {
        words_moment(out, at / SPAN_S);
        buf_text(out, " UTC");
    } else {
        instant_format(at, out);
    }
}

static void write_interval(const struct interval_def *interval, struct buf *out)
{
    words_every_span(out, interval->every);
    switch (interval->anchor) {
    case ANCHOR_EPOCH:
        buf_text(out, ", counted from ");
        /* An interval that divides a day has the same times every day (phase < every). */
        if (SPAN_DAY % interval->every == 0 && interval->phase % SPAN_S == 0) {
            time_of_day_format((int32_t)(interval->phase / SPAN_S), out);
            buf_text(out, " UTC");
        } else {
            write_instant(interval->phase, out);
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

/* Writes the consecutive times of day from entry `i` on; returns how many there are. */
static int write_times(const struct spec *spec, int i, struct buf *out)
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

/* Writes one entry, or all times of day; returns the number of entries. */
static int write_entry(struct sentence *t, int i)
{
    const struct entry *entry = &t->spec->entries[i];
    struct str zone = t->spec->zones[entry->zone].name;
    int entries = 1;

    if (entry->list == LIST_TIMES)
        entries = write_times(t->spec, i, t->out);
    else if (entry->kind == ENTRY_CRON)
        describe_cron_phrase(&entry->cron, t->out);
    else if (entry->kind == ENTRY_RRULE)
        describe_rrule_phrase(entry->rrule, t->out);
    else
        write_interval(&entry->interval, t->out);
    if (needs_zone(entry, zone))
        write_zone(", ", zone, t->out);
    t->has_zone = t->has_zone && needs_zone(entry, zone) && entry->zone == 0;
    return entries;
}

static void write_once(struct sentence *t)
{
    struct words_list list = {.out = t->out, .last = "and", .total = t->spec->at_count};

    buf_text(t->out, "once ");
    for (int i = 0; i < t->spec->at_count && words_next(&list); i++) {
        instant at = t->spec->at[i].at;

        if (at == INSTANT_NONE) {
            buf_text(t->out, "as soon as it is created");
        } else {
            buf_text(t->out, "at ");
            write_instant(at, t->out);
        }
    }
}

/* True for the first entry of a group: every entry, except times of day after the first. */
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

static void write_union(struct sentence *t)
{
    int written = 0, i = 0;

    while (i < t->spec->entry_count && written < DESCRIBE_ENTRIES_MAX) {
        buf_text(t->out, written > 0 ? "; and " : "");
        i += write_entry(t, i);
        written++;
    }
    if (t->spec->at_count > 0) {
        buf_text(t->out, written > 0 ? "; and " : "");
        write_once(t);
        written++;
    }
    if (written < t->groups)
        buf_printf(t->out, "; and %d more", t->groups - written);
    t->has_zone = t->has_zone && t->spec->entry_count > 0 && written == t->groups &&
                  t->spec->at_count == 0;
}

/* Begins a condition that applies to all entries; with several parts it says so. */
static void begin_condition(struct sentence *t)
{
    buf_text(t->out, t->has_condition || t->groups < 2 ? ", " : "; all of this ");
    t->has_condition = true;
}

static void write_main_zone(struct sentence *t)
{
    if (!t->has_zone)
        write_zone(" ", t->spec->zones[0].name, t->out);
    t->has_zone = true;
}

/* The number of consecutive dates from the i-th on. */
static int date_range(const struct spec *spec, int i)
{
    int n = 1;

    while (i + n < spec->not_date_count && spec->not_dates[i + n] == spec->not_dates[i] + n)
        n++;
    return n < 3 ? 1 : n;
}

static void write_dates(struct sentence *t)
{
    const struct spec *spec = t->spec;
    struct words_list list = {.out = t->out, .last = "and"};

    for (int i = 0; i < spec->not_date_count; i += date_range(spec, i))
        list.total++;
    buf_text(t->out, "except on ");
    for (int i = 0; i < spec->not_date_count && words_next(&list); i += date_range(spec, i)) {
        words_date(t->out, spec->not_dates[i]);
        if (date_range(spec, i) > 1) {
            buf_text(t->out, " to ");
            words_date(t->out, spec->not_dates[i] + date_range(spec, i) - 1);
        }
    }
    write_main_zone(t);
}

static void write_named(struct sentence *t)
{
    struct words_list list = {.out = t->out, .last = "and", .total = t->spec->not_named_count};

    buf_text(t->out, "except on the days of ");
    for (int i = 0; i < t->spec->not_named_count && words_next(&list); i++)
        buf_str(t->out, t->spec->not_named[i]);
    write_main_zone(t);
}

/* An exclusion by pattern; if it covers whole days, only the days are written. */
static void write_not_cron(struct sentence *t, const struct cron *cron)
{
    buf_text(t->out, "except");
    if (!cron_is_whole_day(cron)) {
        buf_char(t->out, ' ');
        describe_cron_phrase(cron, t->out);
    } else if (cron->flags & CRON_EVERY_DAY) {
        buf_text(t->out, " every day");
    } else {
        describe_days(cron, true, t->out);
    }
    write_main_zone(t);
}

static void write_exclusions(struct sentence *t)
{
    const struct spec *spec = t->spec;
    int crons = spec->not_cron_count < DESCRIBE_ENTRIES_MAX ? spec->not_cron_count
                                                            : DESCRIBE_ENTRIES_MAX;

    for (int i = 0; i < crons; i++) {
        begin_condition(t);
        write_not_cron(t, &spec->not_crons[i]);
    }
    if (crons < spec->not_cron_count)
        buf_printf(t->out, " and %d more", spec->not_cron_count - crons);
    if (spec->not_date_count > 0) {
        begin_condition(t);
        write_dates(t);
    }
    if (spec->not_named_count > 0) {
        begin_condition(t);
        write_named(t);
    }
    if (t->has_condition && spec->shift != SHIFT_NONE)
        buf_printf(t->out, " (then on the %s free day)",
                   spec->shift == SHIFT_NEXT ? "next" : "previous");
}

static void write_window(struct sentence *t)
{
    const struct window_def *window = &t->spec->window;
    bool clamps = window->rule == WINDOW_CLAMP;

    begin_condition(t);
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
    write_main_zone(t);
}

static void write_bounds(struct sentence *t)
{
    if (t->spec->start != INSTANT_NONE) {
        begin_condition(t);
        buf_text(t->out, "not before ");
        write_instant(t->spec->start, t->out);
    }
    if (t->spec->end != INSTANT_NEVER) {
        begin_condition(t);
        buf_text(t->out, "not after ");
        write_instant(t->spec->end, t->out);
    }
}

void describe_spec(const struct spec *spec, struct buf *out)
{
    struct sentence t = {.spec = spec, .out = out, .groups = count_groups(spec)};
    size_t at = out->len;

    if (t.groups == 0) {
        buf_text(out, "No automatic runs");
        return;
    }
    t.has_zone = true;
    write_union(&t);
    write_exclusions(&t);
    if (spec->window.is_set)
        write_window(&t);
    write_bounds(&t);
    if (spec->jitter > 0) {
        begin_condition(&t);
        buf_text(out, "delayed by up to ");
        duration_format(jitter_effective(spec->jitter), out);
        buf_text(out, " (jitter)");
    }
    describe_capitalise(out, at);
}
