/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a packed spec and binds its zones.  An invalid value sets `is_bad`, as a read past the
 * end does; spec_unpack() checks it.
 */
#include "base/must.h"
#include "base/unpack.h"
#include "core/spec/spec_pack.h"
#include "core/spec/spec_search.h"

struct reader {
    struct unpack in;
    struct arena *arena;
};

static uint64_t read_bytes(struct reader *r, size_t bytes)
{
    return unpack_le(&r->in, bytes);
}

static int64_t read_signed(struct reader *r)
{
    return (int64_t)read_bytes(r, 8);
}

/* A number; one above `max` is invalid. */
static int read_upto(struct reader *r, size_t bytes, int max)
{
    uint64_t value = read_bytes(r, bytes);

    if (value > (uint64_t)max) {
        r->in.is_bad = true;
        return 0;
    }
    return (int)value;
}

static struct str read_str(struct reader *r, size_t max)
{
    struct str s = unpack_bytes(&r->in, (size_t)read_bytes(r, 1));

    if (s.len == 0 || s.len > max) {
        r->in.is_bad = true;
        return (struct str){"", 0};
    }
    return arena_str(r->arena, s);
}

static void read_cron(struct reader *r, struct cron *ret)
{
    ret->flags = (uint8_t)read_bytes(r, 1);
    ret->second = read_bytes(r, 8);
    ret->minute = read_bytes(r, 8);
    ret->hour = (uint32_t)read_bytes(r, 4);
    ret->day = (uint32_t)read_bytes(r, 4);
    ret->last = (uint32_t)read_bytes(r, 4);
    ret->last_near = (uint32_t)read_bytes(r, 4);
    ret->near = (uint32_t)read_bytes(r, 4);
    ret->month = (uint16_t)read_bytes(r, 2);
    ret->weekday = (uint8_t)read_bytes(r, 1);
    for (int i = 0; i < 6; i++)
        ret->nth[i] = (uint8_t)read_bytes(r, 1);
    if (!(ret->flags & CRON_ANY_YEAR))
        for (int i = 0; i < 4; i++)
            ret->year[i] = read_bytes(r, 8);
    if (ret->flags & CRON_FRACTION)
        ret->parts = read_upto(r, 1, CRON_PARTS_MAX);
    for (int i = 0; i < ret->parts; i++) {
        ret->part[i].from = read_upto(r, 4, INT32_MAX);
        ret->part[i].to = read_upto(r, 4, INT32_MAX);
        ret->part[i].step = read_upto(r, 4, INT32_MAX);
    }
    if (r->in.is_bad || !cron_is_valid(ret)) {
        r->in.is_bad = true;
        *ret = cron_every_second();
    }
    cron_seal(ret);
}

static void read_rrule(struct reader *r, struct rrule *ret)
{
    ret->freq = (uint8_t)read_bytes(r, 1);
    ret->week_start = (uint8_t)read_bytes(r, 1);
    ret->interval = (uint32_t)read_bytes(r, 4);
    ret->count = (uint32_t)read_bytes(r, 4);
    ret->start = read_signed(r);
    ret->until_local = read_signed(r);
    ret->until = read_signed(r);
    ret->by_second = read_bytes(r, 8);
    ret->by_minute = read_bytes(r, 8);
    ret->by_hour = (uint32_t)read_bytes(r, 4);
    ret->by_month_day = (uint32_t)read_bytes(r, 4);
    ret->by_month_day_end = (uint32_t)read_bytes(r, 4);
    ret->by_week = read_bytes(r, 8);
    ret->by_week_end = read_bytes(r, 8);
    ret->by_month = (uint16_t)read_bytes(r, 2);
    for (int i = 0; i < 6; i++) {
        ret->by_year_day[i] = read_bytes(r, 8);
        ret->by_year_day_end[i] = read_bytes(r, 8);
    }
    ret->days = (uint16_t)read_upto(r, 1, RRULE_DAYS_MAX);
    for (int i = 0; i < ret->days; i++) {
        ret->day[i].nth = (int8_t)read_bytes(r, 1);
        ret->day[i].weekday = (uint8_t)read_bytes(r, 1);
    }
    ret->positions = (uint16_t)read_upto(r, 1, RRULE_SETPOS_MAX);
    for (int i = 0; i < ret->positions; i++)
        ret->position[i] = (int16_t)read_bytes(r, 2);
    if (!r->in.is_bad && !rrule_is_valid(ret))
        r->in.is_bad = true;
}

static void read_interval(struct reader *r, struct interval_def *ret)
{
    ret->anchor = (enum anchor)read_upto(r, 1, ANCHOR_COMPLETION);
    ret->every = read_signed(r);
    ret->phase = read_signed(r);
    if (ret->every < SPEC_EVERY_MIN_MS * SPAN_MS || ret->every > DURATION_DAYS_MAX * SPAN_DAY ||
        ret->every % SPAN_MS != 0 || ret->phase < 0 || ret->phase >= ret->every ||
        ret->phase % SPAN_MS != 0)
        r->in.is_bad = true;
    if (ret->phase != 0 && ret->anchor != ANCHOR_EPOCH && ret->anchor != ANCHOR_MIDNIGHT)
        r->in.is_bad = true;
}

static void read_entry(struct reader *r, int zones, struct entry *ret)
{
    ret->kind = (uint8_t)read_upto(r, 1, ENTRY_INTERVAL);
    ret->list = (uint8_t)read_upto(r, 1, LIST_TIMES);
    ret->zone = (uint8_t)read_upto(r, 1, zones - 1);
    ret->dst.gap = (unsigned char)read_upto(r, 1, GAP_SHIFT);
    ret->dst.fold = (unsigned char)read_upto(r, 1, FOLD_BOTH);
    ret->index = (uint16_t)read_upto(r, 2, SPEC_ENTRIES_MAX - 1);
    if (ret->kind == ENTRY_CRON) {
        read_cron(r, &ret->cron);
    } else if (ret->kind == ENTRY_RRULE) {
        struct rrule *rule = arena_take(r->arena, sizeof *rule);

        ret->rrule_end = read_signed(r);
        if (ret->rrule_end != INSTANT_NEVER &&
            (ret->rrule_end < INSTANT_MIN || ret->rrule_end > INSTANT_MAX))
            r->in.is_bad = true;
        read_rrule(r, rule);
        ret->rrule = rule;
    } else {
        read_interval(r, &ret->interval);
    }
}

static void read_entries(struct reader *r, struct spec *spec)
{
    int count = read_upto(r, 2, SPEC_ENTRIES_MAX);
    struct entry *entries;

    /* Allocates nothing for more entries than the bytes can contain. */
    if (r->in.is_bad || (size_t)count > r->in.left.len) {
        r->in.is_bad = true;
        return;
    }
    entries = arena_array(r->arena, (size_t)count, sizeof *entries);
    for (int i = 0; i < count && !r->in.is_bad; i++)
        read_entry(r, spec->zone_count, &entries[i]);
    spec->entries = entries;
    spec->entry_count = count;
}

static void read_at(struct reader *r, struct spec *spec)
{
    int count = read_upto(r, 2, SPEC_AT_MAX);
    struct spec_at *at = arena_array(r->arena, (size_t)count, sizeof *at);

    for (int i = 0; i < count && !r->in.is_bad; i++) {
        instant t = at[i].at = read_signed(r);

        at[i].index = (uint16_t)read_upto(r, 2, SPEC_AT_MAX - 1);
        if (t != INSTANT_NONE && (t < INSTANT_MIN || t > INSTANT_MAX || t % SPAN_MS != 0))
            r->in.is_bad = true;
        if (i > 0 && t < at[i - 1].at)
            r->in.is_bad = true;
    }
    spec->at = at;
    spec->at_count = count;
}

static void read_exclusions(struct reader *r, struct spec *spec)
{
    int crons = read_upto(r, 2, SPEC_ENTRIES_MAX), dates, names;
    struct cron *cron = arena_array(r->arena, (size_t)crons, sizeof *cron);
    int32_t *day;
    struct str *name;

    for (int i = 0; i < crons && !r->in.is_bad; i++)
        read_cron(r, &cron[i]);
    dates = read_upto(r, 2, SPEC_DATES_MAX);
    day = arena_array(r->arena, (size_t)dates, sizeof *day);
    for (int i = 0; i < dates && !r->in.is_bad; i++) {
        day[i] = (int32_t)(uint32_t)read_bytes(r, 4);
        if (day[i] < DAY_MIN || day[i] > DAY_MAX || (i > 0 && day[i] <= day[i - 1]))
            r->in.is_bad = true;
    }
    names = read_upto(r, 1, SPEC_NAMED_MAX);
    name = arena_array(r->arena, (size_t)names, sizeof *name);
    for (int i = 0; i < names && !r->in.is_bad; i++)
        name[i] = read_str(r, SPEC_NAME_MAX);
    spec->not_crons = cron;
    spec->not_dates = day;
    spec->not_named = name;
    spec->not_cron_count = crons;
    spec->not_date_count = dates;
    spec->not_named_count = names;
}

static void read_scalars(struct reader *r, struct spec *spec)
{
    spec->start = read_signed(r);
    spec->end = read_signed(r);
    spec->jitter = read_signed(r);
    spec->shift = (enum shift)read_upto(r, 1, SHIFT_PREVIOUS);
    spec->window.is_set = read_upto(r, 1, 1);
    if (spec->window.is_set) {
        spec->window.rule = (enum window_rule)read_upto(r, 1, WINDOW_FILTER);
        spec->window.from = read_upto(r, 4, DAY_SECONDS - 1);
        spec->window.to = read_upto(r, 4, DAY_SECONDS - 1);
    }
    if ((spec->start != INSTANT_NONE &&
         (spec->start < INSTANT_MIN || spec->start > INSTANT_MAX)) ||
        (spec->end != INSTANT_NEVER && (spec->end < INSTANT_MIN || spec->end > INSTANT_MAX)))
        r->in.is_bad = true;
    if (spec->jitter < 0 || spec->jitter > SPEC_JITTER_DAYS_MAX * SPAN_DAY)
        r->in.is_bad = true;
    spec->zone_count = read_upto(r, 1, SPEC_ZONES_MAX);
    if (spec->zone_count == 0)
        r->in.is_bad = true;
    spec->zones = arena_array(r->arena, (size_t)spec->zone_count, sizeof(struct spec_zone));
    for (int i = 0; i < spec->zone_count && !r->in.is_bad; i++)
        spec->zones[i].name = read_str(r, ZONE_NAME_MAX);
}

enum rc spec_unpack(const void *bytes, size_t len, struct arena *arena, struct spec *ret,
                    struct err *reterr)
{
    struct reader r = {.in.left = {bytes, len}, .arena = arena};
    struct spec spec = {0};

    if (read_bytes(&r, 1) != SPEC_PACK_VERSION || len > SPEC_PACKED_MAX)
        r.in.is_bad = true;
    if (!r.in.is_bad)
        read_scalars(&r, &spec);
    if (!r.in.is_bad)
        read_entries(&r, &spec);
    if (!r.in.is_bad)
        read_at(&r, &spec);
    if (!r.in.is_bad)
        read_exclusions(&r, &spec);
    if (r.in.is_bad || r.in.left.len != 0)
        return err_set(reterr, RC_CORRUPT, (int)(len - r.in.left.len), 0,
                       "not a packed spec of version %d", SPEC_PACK_VERSION);
    *ret = spec;
    return RC_OK;
}

enum rc spec_bind(struct spec *spec, const struct zone_source *zones, struct err *reterr)
{
    for (int i = 0; i < spec->zone_count; i++) {
        spec->zones[i].tz = zones->find(zones->user, spec->zones[i].name, reterr);
        if (!spec->zones[i].tz)
            return reterr->rc;
    }
    spec_seal(spec);
    return RC_OK;
}
