/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of whole specs: a spec that is composed by hand, and the check of its slots:
 * forwards, backwards, as a walk and as a count.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/time/civil.h"
#include "zones.h"

enum { LIST_MAX = 4 };

/* A spec that a test composes; `def` points into the lists. */
struct draft {
    struct spec_def def;
    struct cron_def cron[LIST_MAX];
    struct calendar_def calendars[LIST_MAX], not_calendars[LIST_MAX];
    struct interval_def intervals[LIST_MAX];
    int32_t times[LIST_MAX], not_dates[LIST_MAX];
    struct str not_named[LIST_MAX];
    instant at[LIST_MAX];
    struct spec spec;
    struct spec_ctx ctx;
};

static struct arena *arena;

static inline instant utc(int year, int month, int day, int hhmm)
{
    struct civil civil = {{year, month, day}, hhmm / 100, hhmm % 100, 0};

    return instant_of_seconds(local_of_civil(&civil));
}

static inline int32_t date(int year, int month, int day)
{
    return (int32_t)day_of_date(year, month, day);
}

static inline void begin_draft(struct draft *d, const char *zone)
{
    *d = (struct draft){.def = spec_def_empty(), .ctx = spec_ctx(utc(2024, 1, 1, 0))};
    d->def.cron = d->cron;
    d->def.calendars = d->calendars;
    d->def.not_calendars = d->not_calendars;
    d->def.intervals = d->intervals;
    d->def.times = d->times;
    d->def.not_dates = d->not_dates;
    d->def.not_named = d->not_named;
    d->def.at = d->at;
    d->def.zone = str_of(zone);
}

static inline void add_cron(struct draft *d, const char *expr, enum dialect dialect)
{
    d->cron[d->def.cron_count++] = (struct cron_def){str_of(expr), dialect, {NULL, 0}};
}

static inline void add_every(struct draft *d, span every, span phase, enum anchor anchor)
{
    d->intervals[d->def.interval_count++] = (struct interval_def){every, phase, anchor};
}

static inline struct calendar_text whole_days(void)
{
    return (struct calendar_text){.second = STR("*"), .minute = STR("*"), .hour = STR("*")};
}

static inline void exclude(struct draft *d, struct calendar_text text)
{
    d->not_calendars[d->def.not_calendar_count++].text = text;
}

static inline void compile(struct draft *d)
{
    struct zone_source zones = {.find = zone_find};
    struct err err;

    arena_reset(arena);
    if (spec_compile(&d->def, STR("seed"), &zones, arena, &d->spec, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
    d->ctx.seed = STR("seed");
}

/*
 * The slots in (after, until] are exactly `expected`, ended by 0: forwards, backwards, as a
 * walk and as a count.
 */
static inline void assert_slots(const struct draft *d, instant after, instant until,
                                const instant *expected)
{
    struct spec_walk walk;
    struct slot slot;
    instant t = after;
    int n = 0;

    spec_walk_begin(&walk, &d->spec, &d->ctx, after);
    for (; expected[n] != 0; n++) {
        assert_true(spec_next(&d->spec, &d->ctx, t, &slot));
        t = slot.at;
        if (t != expected[n])
            fail_msg("slot %d is %lld ms, not %lld ms", n, (long long)(t / SPAN_MS),
                     (long long)(expected[n] / SPAN_MS));
        assert_true(spec_walk_next(&walk, &slot));
        assert_true(slot.at == t);
    }
    if (spec_next(&d->spec, &d->ctx, t, &slot) && slot.at <= until)
        fail_msg("one more slot at %lld ms", (long long)(slot.at / SPAN_MS));
    assert_int_equal(spec_count(&d->spec, &d->ctx, after, until), n);
    for (t = until + 1; n-- > 0; t = slot.at) {
        assert_true(spec_prev(&d->spec, &d->ctx, t, &slot));
        assert_true(slot.at == expected[n]);
    }
    assert_true(!spec_prev(&d->spec, &d->ctx, t, &slot) || slot.at <= after);
}

static inline void assert_never(const struct draft *d, instant after)
{
    struct slot slot;

    assert_false(spec_next(&d->spec, &d->ctx, after, &slot));
}

static inline int start_arena(void **state)
{
    (void)state;
    arena = arena_new(1 << 20);
    return 0;
}

static inline int end_arena(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}
