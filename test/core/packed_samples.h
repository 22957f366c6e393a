/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Specs made by hand, one of each kind, for the tests of the packed form.
 *
 * They do not pass through a parser, so that each member of the structs has a value that a
 * mistake in the packed form would lose.
 */
#pragma once

#include "core/spec/spec.h"

enum packed_sample {
    SAMPLE_EMPTY,
    SAMPLE_CRON,      /* the most common schedule                     */
    SAMPLE_SPECIAL,   /* L, W, # and years                            */
    SAMPLE_FRACTION,  /* parts of seconds                             */
    SAMPLE_RRULE,     /* every part of a rule                         */
    SAMPLE_COUNTED,   /* a rule with COUNT and UNTIL                  */
    SAMPLE_INTERVALS, /* every anchor                                 */
    SAMPLE_AT,        /* one-offs and "now"                           */
    SAMPLE_EXCLUDED,  /* every kind of exclusion, moved to a free day */
    SAMPLE_SHAPED,    /* start, end, window, jitter and several zones */
    SAMPLES
};

static inline struct entry *sample_entries(struct spec *spec, int count, struct arena *arena)
{
    spec->entries = arena_array(arena, (size_t)count, sizeof *spec->entries);
    spec->entry_count = count;
    for (int i = 0; i < count; i++) {
        spec->entries[i].index = (uint16_t)i;
        spec->entries[i].cron = cron_every_second();
    }
    return spec->entries;
}

static inline void sample_zones(struct spec *spec, int count, const char *const *names,
                                struct arena *arena)
{
    spec->zones = arena_array(arena, (size_t)count, sizeof *spec->zones);
    spec->zone_count = count;
    for (int i = 0; i < count; i++)
        spec->zones[i].name = str_of(names[i]);
}

/* Monday to Friday at 09:00. */
static inline struct cron sample_office(void)
{
    struct cron cron = cron_every_second();

    cron.second = cron.minute = 1;
    cron.hour = 1 << 9;
    cron.weekday = 0x3e;
    cron.flags = CRON_DAY_AND | CRON_ANY_YEAR;
    return cron;
}

static inline struct cron sample_special(void)
{
    return (struct cron){.second = UINT64_C(1) << 59 | 1,
                         .minute = UINT64_C(1) << 58 | 2,
                         .hour = 0x800001,
                         .day = 0x80000002,
                         .last = 0x40000001,
                         .last_near = 0x10,
                         .near = 0x8000,
                         .month = 0x1552,
                         .weekday = 0x41,
                         .nth = {1, 2, 4, 8, 16, 32},
                         .flags = CRON_INTERVAL,
                         .year = {~UINT64_C(0), 1, 1, 0xff}};
}

static inline struct cron sample_fraction(void)
{
    struct cron cron = sample_office();

    cron.second = UINT64_C(1) << 59 | 7;
    cron.flags |= CRON_FRACTION;
    cron.parts = 3;
    cron.part[0] = (struct cron_part){.from = 250, .to = 2750, .step = 500};
    cron.part[1] = (struct cron_part){.from = 59999, .to = 59999, .step = 0};
    cron.part[2] = (struct cron_part){.from = 125, .to = 125, .step = 0};
    return cron;
}

static inline struct rrule sample_rrule(void)
{
    struct rrule rule = {.start = INT64_C(1704103200),
                         .until_local = INT64_C(1893455999),
                         .until = INT64_C(1893456000000000),
                         .by_second = 1 | 1 << 30,
                         .by_minute = 1 | 1 << 15,
                         .by_hour = 1 << 9 | 1 << 17,
                         .by_month_day = 0xfffe,
                         .by_month_day_end = 0xe,
                         .by_week = 0x3ffffffffffffe,
                         .by_week_end = 6,
                         .by_month = 0x1ffe,
                         .days = 3,
                         .positions = 3,
                         .interval = 1,
                         .freq = RRULE_YEARLY,
                         .week_start = 1,
                         .day = {{0, 1}, {2, 2}, {-1, 5}},
                         .position = {1, -1, 366}};

    for (int i = 0; i < 6; i++)
        rule.by_year_day[i] = rule.by_year_day_end[i] = i == 5 ? 0x7fff : ~UINT64_C(1);
    return rule;
}

/* Every second day, limited to five instances by COUNT and by UNTIL. */
static inline struct rrule sample_counted(void)
{
    return (struct rrule){.start = INT64_C(1709974800),
                          .until_local = INT64_MAX,
                          .until = INT64_C(1710334800000000),
                          .interval = 2,
                          .count = 5,
                          .freq = RRULE_DAILY,
                          .by_hour = 1 << 9};
}
