/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a compiled spec as bytes.  spec_unpack.c must read the same fields in the same order.
 */
#include "core/spec/spec_pack.h"

#include "base/must.h"

static void put_signed(struct buf *out, int64_t value)
{
    buf_le(out, (uint64_t)value, 8);
}

static void put_str(struct buf *out, struct str s)
{
    must(s.len <= UINT8_MAX);
    buf_le(out, s.len, 1);
    buf_str(out, s);
}

static void put_cron(struct buf *out, const struct cron *cron)
{
    uint8_t kept = CRON_DAY_AND | CRON_INTERVAL | CRON_ANY_YEAR | CRON_FRACTION;

    buf_le(out, cron->flags & kept, 1);
    buf_le(out, cron->second, 8);
    buf_le(out, cron->minute, 8);
    buf_le(out, cron->hour, 4);
    buf_le(out, cron->day, 4);
    buf_le(out, cron->last, 4);
    buf_le(out, cron->last_near, 4);
    buf_le(out, cron->near, 4);
    buf_le(out, cron->month, 2);
    buf_le(out, cron->weekday, 1);
    for (int i = 0; i < 6; i++)
        buf_le(out, cron->nth[i], 1);
    if (!(cron->flags & CRON_ANY_YEAR))
        for (int i = 0; i < 4; i++)
            buf_le(out, cron->year[i], 8);
    if (!(cron->flags & CRON_FRACTION))
        return;
    buf_le(out, (uint64_t)cron->parts, 1);
    for (int i = 0; i < cron->parts; i++) {
        buf_le(out, (uint64_t)cron->part[i].from, 4);
        buf_le(out, (uint64_t)cron->part[i].to, 4);
        buf_le(out, (uint64_t)cron->part[i].step, 4);
    }
}

static void put_rrule(struct buf *out, const struct rrule *rule)
{
    buf_le(out, rule->freq, 1);
    buf_le(out, rule->week_start, 1);
    buf_le(out, rule->interval, 4);
    buf_le(out, rule->count, 4);
    put_signed(out, rule->start);
    put_signed(out, rule->until_local);
    put_signed(out, rule->until);
    buf_le(out, rule->by_second, 8);
    buf_le(out, rule->by_minute, 8);
    buf_le(out, rule->by_hour, 4);
    buf_le(out, rule->by_month_day, 4);
    buf_le(out, rule->by_month_day_end, 4);
    buf_le(out, rule->by_week, 8);
    buf_le(out, rule->by_week_end, 8);
    buf_le(out, rule->by_month, 2);
    for (int i = 0; i < 6; i++) {
        buf_le(out, rule->by_year_day[i], 8);
        buf_le(out, rule->by_year_day_end[i], 8);
    }
    buf_le(out, rule->days, 1);
    for (int i = 0; i < rule->days; i++) {
        buf_le(out, (uint8_t)rule->day[i].nth, 1);
        buf_le(out, rule->day[i].weekday, 1);
    }
    buf_le(out, rule->positions, 1);
    for (int i = 0; i < rule->positions; i++)
        buf_le(out, (uint16_t)rule->position[i], 2);
}

static void put_entry(struct buf *out, const struct entry *entry)
{
    buf_le(out, entry->kind, 1);
    buf_le(out, entry->list, 1);
    buf_le(out, entry->zone, 1);
    buf_le(out, entry->dst.gap, 1);
    buf_le(out, entry->dst.fold, 1);
    buf_le(out, entry->index, 2);
    if (entry->kind == ENTRY_CRON) {
        put_cron(out, &entry->cron);
    } else if (entry->kind == ENTRY_RRULE) {
        put_signed(out, entry->rrule_end);
        put_rrule(out, entry->rrule);
    } else {
        buf_le(out, (uint64_t)entry->interval.anchor, 1);
        put_signed(out, entry->interval.every);
        put_signed(out, entry->interval.phase);
    }
}

static void put_lists(const struct spec *spec, struct buf *out)
{
    buf_le(out, (uint64_t)spec->entry_count, 2);
    for (int i = 0; i < spec->entry_count; i++)
        put_entry(out, &spec->entries[i]);
    buf_le(out, (uint64_t)spec->at_count, 2);
    for (int i = 0; i < spec->at_count; i++) {
        put_signed(out, spec->at[i].at);
        buf_le(out, spec->at[i].index, 2);
    }
    buf_le(out, (uint64_t)spec->not_cron_count, 2);
    for (int i = 0; i < spec->not_cron_count; i++)
        put_cron(out, &spec->not_crons[i]);
    buf_le(out, (uint64_t)spec->not_date_count, 2);
    for (int i = 0; i < spec->not_date_count; i++)
        buf_le(out, (uint32_t)spec->not_dates[i], 4);
    buf_le(out, (uint64_t)spec->not_named_count, 1);
    for (int i = 0; i < spec->not_named_count; i++)
        put_str(out, spec->not_named[i]);
}

void spec_pack(const struct spec *spec, struct buf *out)
{
    buf_le(out, SPEC_PACK_VERSION, 1);
    put_signed(out, spec->start);
    put_signed(out, spec->end);
    put_signed(out, spec->jitter);
    buf_le(out, (uint64_t)spec->shift, 1);
    buf_le(out, spec->window.is_set, 1);
    if (spec->window.is_set) {
        buf_le(out, (uint64_t)spec->window.rule, 1);
        buf_le(out, (uint64_t)spec->window.from, 4);
        buf_le(out, (uint64_t)spec->window.to, 4);
    }
    buf_le(out, (uint64_t)spec->zone_count, 1);
    for (int i = 0; i < spec->zone_count; i++)
        put_str(out, spec->zones[i].name);
    put_lists(spec, out);
}
