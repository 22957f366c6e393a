/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec_pack.h"

#include "base/must.h"

static void put(struct buf *out, uint64_t value, int bytes)
{
    char raw[8];

    for (int i = 0; i < bytes; i++)
        raw[i] = (char)(unsigned char)(value >> 8 * i);
    buf_add(out, raw, (size_t)bytes);
}

static void put_signed(struct buf *out, int64_t value)
{
    put(out, (uint64_t)value, 8);
}

static void put_str(struct buf *out, struct str s)
{
    must(s.len <= UINT8_MAX);
    put(out, s.len, 1);
    buf_str(out, s);
}

static void put_cron(struct buf *out, const struct cron *cron)
{
    uint8_t kept = CRON_DAY_AND | CRON_INTERVAL | CRON_ANY_YEAR | CRON_FRACTION;

    put(out, cron->flags & kept, 1);
    put(out, cron->second, 8);
    put(out, cron->minute, 8);
    put(out, cron->hour, 4);
    put(out, cron->day, 4);
    put(out, cron->last, 4);
    put(out, cron->last_near, 4);
    put(out, cron->near, 4);
    put(out, cron->month, 2);
    put(out, cron->weekday, 1);
    for (int i = 0; i < 6; i++)
        put(out, cron->nth[i], 1);
    if (!(cron->flags & CRON_ANY_YEAR))
        for (int i = 0; i < 4; i++)
            put(out, cron->year[i], 8);
    if (!(cron->flags & CRON_FRACTION))
        return;
    put(out, (uint64_t)cron->parts, 1);
    for (int i = 0; i < cron->parts; i++) {
        put(out, (uint64_t)cron->part[i].from, 4);
        put(out, (uint64_t)cron->part[i].to, 4);
        put(out, (uint64_t)cron->part[i].step, 4);
    }
}

static void put_rrule(struct buf *out, const struct rrule *rule)
{
    put(out, rule->freq, 1);
    put(out, rule->week_start, 1);
    put(out, rule->interval, 4);
    put(out, rule->count, 4);
    put_signed(out, rule->start);
    put_signed(out, rule->until_local);
    put_signed(out, rule->until);
    put(out, rule->by_second, 8);
    put(out, rule->by_minute, 8);
    put(out, rule->by_hour, 4);
    put(out, rule->by_month_day, 4);
    put(out, rule->by_month_day_end, 4);
    put(out, rule->by_week, 8);
    put(out, rule->by_week_end, 8);
    put(out, rule->by_month, 2);
    for (int i = 0; i < 6; i++) {
        put(out, rule->by_year_day[i], 8);
        put(out, rule->by_year_day_end[i], 8);
    }
    put(out, rule->days, 1);
    for (int i = 0; i < rule->days; i++) {
        put(out, (uint8_t)rule->day[i].nth, 1);
        put(out, rule->day[i].weekday, 1);
    }
    put(out, rule->positions, 1);
    for (int i = 0; i < rule->positions; i++)
        put(out, (uint16_t)rule->position[i], 2);
}

static void put_entry(struct buf *out, const struct entry *entry)
{
    put(out, entry->kind, 1);
    put(out, entry->list, 1);
    put(out, entry->zone, 1);
    put(out, entry->dst.gap, 1);
    put(out, entry->dst.fold, 1);
    put(out, entry->index, 2);
    if (entry->kind == ENTRY_CRON) {
        put_cron(out, &entry->cron);
    } else if (entry->kind == ENTRY_RRULE) {
        put_signed(out, entry->rrule_end);
        put_rrule(out, entry->rrule);
    } else {
        put(out, (uint64_t)entry->interval.anchor, 1);
        put_signed(out, entry->interval.every);
        put_signed(out, entry->interval.phase);
    }
}

static void put_lists(const struct spec *spec, struct buf *out)
{
    put(out, (uint64_t)spec->entry_count, 2);
    for (int i = 0; i < spec->entry_count; i++)
        put_entry(out, &spec->entries[i]);
    put(out, (uint64_t)spec->at_count, 2);
    for (int i = 0; i < spec->at_count; i++) {
        put_signed(out, spec->at[i].at);
        put(out, spec->at[i].index, 2);
    }
    put(out, (uint64_t)spec->not_cron_count, 2);
    for (int i = 0; i < spec->not_cron_count; i++)
        put_cron(out, &spec->not_crons[i]);
    put(out, (uint64_t)spec->not_date_count, 2);
    for (int i = 0; i < spec->not_date_count; i++)
        put(out, (uint32_t)spec->not_dates[i], 4);
    put(out, (uint64_t)spec->not_named_count, 1);
    for (int i = 0; i < spec->not_named_count; i++)
        put_str(out, spec->not_named[i]);
}

void spec_pack(const struct spec *spec, struct buf *out)
{
    put(out, SPEC_PACK_VERSION, 1);
    put_signed(out, spec->start);
    put_signed(out, spec->end);
    put_signed(out, spec->jitter);
    put(out, (uint64_t)spec->shift, 1);
    put(out, spec->window.is_set, 1);
    if (spec->window.is_set) {
        put(out, (uint64_t)spec->window.rule, 1);
        put(out, (uint64_t)spec->window.from, 4);
        put(out, (uint64_t)spec->window.to, 4);
    }
    put(out, (uint64_t)spec->zone_count, 1);
    for (int i = 0; i < spec->zone_count; i++)
        put_str(out, spec->zones[i].name);
    put_lists(spec, out);
}
