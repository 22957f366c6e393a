/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packed form: unpacking gives back what was packed and rejects damaged bytes.  The bytes
 * are written out below, because stored ones must stay readable.
 */
#include "core/spec/spec_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "packed_samples.h"
#include "packing.h"
#include "zones.h"

/* 2024-03-09T12:00:00Z: a day before the clock change of New York. */
#define CREATED INT64_C(1709985600000000)

static const struct zone_source zones = {.find = zone_find};

static void sample_intervals(struct spec *spec, struct arena *arena)
{
    struct entry *entries = sample_entries(spec, 4, arena);

    for (int i = 0; i < 4; i++) {
        entries[i].kind = ENTRY_INTERVAL;
        entries[i].list = LIST_INTERVALS;
        entries[i].interval = (struct interval_def){
            .every = (i + 1) * 5400 * SPAN_S + i * SPAN_MS,
            .phase = i <= ANCHOR_MIDNIGHT ? (i + 1) * SPAN_S : 0,
            .anchor = (enum anchor)i,
        };
    }
}

static void sample_rule(struct spec *spec, const struct rrule *rule, instant end,
                        struct arena *arena)
{
    struct entry *entry = sample_entries(spec, 1, arena);
    struct rrule *copy = arena_take(arena, sizeof *copy);

    *copy = *rule;
    entry->kind = ENTRY_RRULE;
    entry->rrule = copy;
    entry->rrule_end = end;
    entry->dst = (struct dst_choice){GAP_SHIFT, FOLD_LAST};
}

static void sample_exclusions(struct spec *spec, struct arena *arena)
{
    static const int32_t days[] = {-719162, 19791, 19792, 2932896};
    static const struct str names[] = {{"bank", 4}, {"\xc3\xa9t\xc3\xa9", 5}};
    static struct cron nights[2];

    nights[0] = cron_every_second();
    nights[0].hour = 0x3f;
    nights[1] = sample_fraction();
    cron_seal(&nights[0]);
    cron_seal(&nights[1]);
    sample_entries(spec, 1, arena)->cron.hour = 0x41041;
    spec->entries[0].cron.minute = spec->entries[0].cron.second = 1;
    spec->not_crons = nights;
    spec->not_cron_count = 2;
    spec->not_dates = days;
    spec->not_date_count = 4;
    spec->not_named = names;
    spec->not_named_count = 2;
    spec->shift = SHIFT_PREVIOUS;
}

static void sample_shape(struct spec *spec, struct arena *arena)
{
    static const char *const names[] = {"Europe/London", "UTC", "Australia/Lord_Howe"};
    struct entry *entries = sample_entries(spec, 3, arena);

    sample_zones(spec, 3, names, arena);
    for (int i = 0; i < 3; i++) {
        entries[i].list = LIST_CALENDARS;
        entries[i].zone = (uint8_t)i;
        entries[i].dst = (struct dst_choice){(unsigned char)i, (unsigned char)(2 - i)};
        entries[i].cron = sample_office();
        entries[i].cron.minute = UINT64_C(0x42) << i;
    }
    spec->start = CREATED + 123 * SPAN_MS;
    spec->end = INSTANT_MAX;
    spec->jitter = 90 * SPAN_S;
    spec->window = (struct window_def){
        .is_set = true, .from = 22 * 3600, .to = 9 * 3600 + 599, .rule = WINDOW_FILTER};
}

static void sample_at(struct spec *spec, struct arena *arena)
{
    const instant times[] = {INSTANT_NONE,     INSTANT_MIN,
                             -SPAN_MS,         CREATED + SPAN_H,
                             CREATED + SPAN_H, INSTANT_MAX / SPAN_MS * SPAN_MS};
    struct spec_at *at = arena_array(arena, 6, sizeof *at);

    for (int i = 0; i < 6; i++)
        at[i] = (struct spec_at){times[i], (uint16_t)(i == 0 ? SPEC_AT_MAX - 1 : i)};
    spec->at = at;
    spec->at_count = 6;
}

static struct spec sample(enum packed_sample which, struct arena *arena)
{
    static const char *const new_york[] = {"America/New_York"};
    struct spec spec = {.start = INSTANT_NONE, .end = INSTANT_NEVER};
    struct rrule rule = which == SAMPLE_RRULE ? sample_rrule() : sample_counted();
    struct entry *entry;

    sample_zones(&spec, 1, new_york, arena);
    if (which == SAMPLE_CRON || which == SAMPLE_SPECIAL || which == SAMPLE_FRACTION) {
        entry = sample_entries(&spec, 1, arena);
        entry->list = LIST_TIMES;
        entry->index = SPEC_ENTRIES_MAX - 1;
        entry->dst = (struct dst_choice){GAP_NEXT, FOLD_BOTH};
        entry->cron = which == SAMPLE_CRON      ? sample_office()
                      : which == SAMPLE_SPECIAL ? sample_special()
                                                : sample_fraction();
    }
    if (which == SAMPLE_RRULE || which == SAMPLE_COUNTED)
        sample_rule(&spec, &rule, CREATED + 2 * SPAN_DAY, arena);
    if (which == SAMPLE_INTERVALS)
        sample_intervals(&spec, arena);
    if (which == SAMPLE_AT)
        sample_at(&spec, arena);
    if (which == SAMPLE_EXCLUDED)
        sample_exclusions(&spec, arena);
    if (which == SAMPLE_SHAPED)
        sample_shape(&spec, arena);
    for (int i = 0; i < spec.entry_count; i++)
        cron_seal(&spec.entries[i].cron);
    return spec;
}

static void assert_same_cron(const struct cron *a, const struct cron *b)
{
    assert_int_equal(a->second, b->second);
    assert_int_equal(a->minute, b->minute);
    assert_int_equal(a->hour, b->hour);
    assert_int_equal(a->day, b->day);
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->last_near, b->last_near);
    assert_int_equal(a->near, b->near);
    assert_int_equal(a->month, b->month);
    assert_int_equal(a->weekday, b->weekday);
    assert_memory_equal(a->nth, b->nth, sizeof a->nth);
    assert_int_equal(a->flags, b->flags);
    assert_memory_equal(a->year, b->year, sizeof a->year);
    assert_int_equal(a->first_tod, b->first_tod);
    assert_int_equal(a->last_tod, b->last_tod);
    assert_int_equal(a->parts, b->parts);
    assert_memory_equal(a->part, b->part, sizeof a->part);
}

static void assert_same_rrule(const struct rrule *a, const struct rrule *b)
{
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->until_local, b->until_local);
    assert_int_equal(a->until, b->until);
    assert_int_equal(a->by_second, b->by_second);
    assert_int_equal(a->by_minute, b->by_minute);
    assert_int_equal(a->by_hour, b->by_hour);
    assert_int_equal(a->by_month_day, b->by_month_day);
    assert_int_equal(a->by_month_day_end, b->by_month_day_end);
    assert_memory_equal(a->by_year_day, b->by_year_day, sizeof a->by_year_day);
    assert_memory_equal(a->by_year_day_end, b->by_year_day_end, sizeof a->by_year_day_end);
    assert_int_equal(a->by_week, b->by_week);
    assert_int_equal(a->by_week_end, b->by_week_end);
    assert_int_equal(a->by_month, b->by_month);
    assert_int_equal(a->days, b->days);
    assert_int_equal(a->positions, b->positions);
    assert_int_equal(a->interval, b->interval);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->freq, b->freq);
    assert_int_equal(a->week_start, b->week_start);
    assert_memory_equal(a->day, b->day, sizeof a->day);
    assert_memory_equal(a->position, b->position, sizeof a->position);
}

static void assert_same_entry(const struct entry *a, const struct entry *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->list, b->list);
    assert_int_equal(a->zone, b->zone);
    assert_int_equal(a->dst.gap, b->dst.gap);
    assert_int_equal(a->dst.fold, b->dst.fold);
    assert_int_equal(a->index, b->index);
    if (a->kind == ENTRY_CRON)
        assert_same_cron(&a->cron, &b->cron);
    if (a->kind == ENTRY_RRULE) {
        assert_int_equal(a->rrule_end, b->rrule_end);
        assert_same_rrule(a->rrule, b->rrule);
    }
    if (a->kind == ENTRY_INTERVAL) {
        assert_int_equal(a->interval.every, b->interval.every);
        assert_int_equal(a->interval.phase, b->interval.phase);
        assert_int_equal(a->interval.anchor, b->interval.anchor);
    }
}

static void assert_same_lists(const struct spec *a, const struct spec *b)
{
    assert_int_equal(a->entry_count, b->entry_count);
    for (int i = 0; i < a->entry_count; i++)
        assert_same_entry(&a->entries[i], &b->entries[i]);
    assert_int_equal(a->at_count, b->at_count);
    for (int i = 0; i < a->at_count; i++) {
        assert_int_equal(a->at[i].at, b->at[i].at);
        assert_int_equal(a->at[i].index, b->at[i].index);
    }
    assert_int_equal(a->not_cron_count, b->not_cron_count);
    for (int i = 0; i < a->not_cron_count; i++)
        assert_same_cron(&a->not_crons[i], &b->not_crons[i]);
    assert_int_equal(a->not_date_count, b->not_date_count);
    for (int i = 0; i < a->not_date_count; i++)
        assert_int_equal(a->not_dates[i], b->not_dates[i]);
    assert_int_equal(a->not_named_count, b->not_named_count);
    for (int i = 0; i < a->not_named_count; i++)
        assert_true(str_eq(a->not_named[i], b->not_named[i]));
}

static void assert_same_spec(const struct spec *a, const struct spec *b)
{
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->jitter, b->jitter);
    assert_int_equal(a->shift, b->shift);
    assert_int_equal(a->window.is_set, b->window.is_set);
    assert_int_equal(a->window.rule, b->window.rule);
    assert_int_equal(a->window.from, b->window.from);
    assert_int_equal(a->window.to, b->window.to);
    assert_int_equal(a->zone_count, b->zone_count);
    for (int i = 0; i < a->zone_count; i++)
        assert_true(str_eq(a->zones[i].name, b->zones[i].name));
    assert_same_lists(a, b);
}

/* Searches forwards and backwards and counts; the results must be in order. */
static void use_spec(struct spec *spec)
{
    struct spec_ctx ctx = spec_ctx(CREATED);
    struct slot slot = {.at = CREATED};
    struct err err;

    if (spec_bind(spec, &zones, &err) != RC_OK)
        return;
    for (int i = 0; i < 3; i++) {
        instant after = slot.at;

        if (!spec_next(spec, &ctx, after, &slot))
            break;
        assert_true(slot.at > after && slot.due >= slot.at && slot.at <= INSTANT_MAX);
        assert_in_range(slot.entry, 0, spec->entry_count + spec->at_count - 1);
    }
    slot.at = CREATED;
    for (int i = 0; i < 3; i++) {
        instant before = slot.at;

        if (!spec_prev(spec, &ctx, before, &slot))
            break;
        assert_true(slot.at < before && slot.at >= INSTANT_MIN);
    }
    assert_true(spec_count(spec, &ctx, CREATED, CREATED + SPAN_DAY) >= 0);
}

static void every_kind_comes_back_as_it_was(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct spec spec = sample(i, *state), again;
        struct bytes packed = pack(&spec);

        if (unpack(packed.ptr, packed.len, *state, &again) != RC_OK)
            fail_msg("sample %d is refused", i);
        assert_same_spec(&spec, &again);
        use_spec(&again);
        free(packed.ptr);
    }
}

static void unpacked_zones_are_names_until_they_are_bound(void **state)
{
    struct spec spec = sample(SAMPLE_SHAPED, *state), again = {0};
    struct bytes packed = pack(&spec);
    struct err err;

    assert_int_equal(unpack(packed.ptr, packed.len, *state, &again), RC_OK);
    free(packed.ptr); /* the unpacked spec uses only the arena */
    for (int i = 0; i < again.zone_count; i++)
        assert_null(again.zones[i].tz);
    assert_int_equal(spec_bind(&again, &zones, &err), RC_OK);
    for (int i = 0; i < again.zone_count; i++)
        assert_true(str_eq(str_of(again.zones[i].tz->name), spec.zones[i].name));
    again.zones[2].name = STR("Nowhere/At_All");
    assert_int_equal(spec_bind(&again, &zones, &err), RC_NOT_FOUND);
    assert_non_null(strstr(err.text, "Nowhere/At_All"));
}

static void bytes_that_end_early_or_late_are_refused(void **state)
{
    struct arena *arena = *state;

    for (int i = 0; i < SAMPLES; i++) {
        struct spec spec = sample(i, arena), again;
        struct bytes packed = pack(&spec);

        for (size_t len = 0; len < packed.len; len++) {
            unsigned char *cut = malloc(len > 0 ? len : 1);

            memcpy(cut, packed.ptr, len);
            if (unpack(cut, len, arena, &again) == RC_OK)
                fail_msg("sample %d cut to %zu bytes is accepted", i, len);
            free(cut);
        }
        packed.ptr = realloc(packed.ptr, packed.len + 1);
        packed.ptr[packed.len] = 0;
        assert_int_equal(unpack(packed.ptr, packed.len + 1, arena, &again), RC_CORRUPT);
        free(packed.ptr);
        arena_reset(arena);
    }
    assert_int_equal(unpack(NULL, 0, arena, &(struct spec){0}), RC_CORRUPT);
}

/* Each spec has exactly one packed form: accepted bytes pack to the same bytes. */
static void a_flipped_bit_is_refused_or_gives_another_valid_spec(void **state)
{
    struct arena *arena = *state;
    int refused = 0;

    for (int i = 0; i < SAMPLES; i++) {
        struct spec spec = sample(i, arena), again;
        struct bytes packed = pack(&spec);

        for (size_t bit = 0; bit < packed.len * 8; bit++) {
            packed.ptr[bit / 8] ^= (unsigned char)(1 << bit % 8);
            arena_reset(arena);
            if (unpack(packed.ptr, packed.len, arena, &again) == RC_OK) {
                struct bytes other = pack(&again);

                assert_int_equal(other.len, packed.len);
                assert_memory_equal(other.ptr, packed.ptr, packed.len);
                free(other.ptr);
                use_spec(&again);
            } else {
                refused++;
            }
            packed.ptr[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        free(packed.ptr);
        arena_reset(arena);
    }
    assert_true(refused > 0);
}

static void any_other_version_is_refused(void **state)
{
    struct spec spec = sample(SAMPLE_CRON, *state), again;
    struct bytes packed = pack(&spec);

    assert_int_equal(packed.ptr[0], SPEC_PACK_VERSION);
    for (int version = 0; version < 256; version++) {
        packed.ptr[0] = (unsigned char)version;
        assert_int_equal(unpack(packed.ptr, packed.len, *state, &again),
                         version == SPEC_PACK_VERSION ? RC_OK : RC_CORRUPT);
    }
    free(packed.ptr);
}

static void a_buffer_that_is_too_small_says_so(void **state)
{
    struct spec spec = sample(SAMPLE_SHAPED, *state);
    struct bytes packed = pack(&spec);
    char small[PACKED_ROOM];
    struct buf out = {small, 0, packed.len, false}; /* the terminating zero takes one */

    spec_pack(&spec, &out);
    assert_true(out.cut);
    out = (struct buf){small, 0, packed.len + 1, false};
    spec_pack(&spec, &out);
    assert_false(out.cut);
    free(packed.ptr);
}

#define ZERO_2 "\0\0"
#define ZERO_4 ZERO_2 ZERO_2
#define ZERO_8 ZERO_4 ZERO_4

static void assert_golden(const struct spec *spec, struct str golden, struct arena *arena)
{
    struct bytes packed = pack(spec);
    struct spec again;

    for (size_t i = 0; i < golden.len && i < packed.len; i++)
        if (packed.ptr[i] != (unsigned char)golden.ptr[i])
            fail_msg("byte %zu is %02x", i, packed.ptr[i]);
    assert_int_equal(packed.len, golden.len);
    assert_int_equal(unpack(golden.ptr, golden.len, arena, &again), RC_OK);
    assert_same_spec(spec, &again);
    free(packed.ptr);
}

/* Written by hand from the order of the members.  A change breaks stored specs. */
static void the_bytes_of_a_small_spec_are_these(void **state)
{
    static const char golden[] =
        "\x01"                             /* version                            */
        "\0\0\0\0\0\0\0\x80"               /* start: none                        */
        "\xff\xff\xff\xff\xff\xff\xff\x7f" /* end: never                         */
        "\x80\xc3\xc9\x01" ZERO_4          /* jitter: 30 s in microseconds       */
        "\x01"                             /* shift: next                        */
        "\x01\x01"                         /* window: set, filter                */
        "\x80\x70\0\0\x1f\xfd\0\0"         /* from 08:00:00 to 17:59:59          */
        "\x01\x03UTC"                      /* zones                              */
        "\x02\0"                           /* entries                            */
        "\0\0\0\x01\0\0\0"                 /* cron: list, zone, gap, fold, index */
        "\x05"                             /* both days must match; any year     */
        "\x01\0\0\0" ZERO_4                /* second 0                           */
        "\x01\0\0\0" ZERO_4                /* minute 0                           */
        "\0\x02\0\0"                       /* hour 9                             */
        "\xfe\xff\xff\xff"                 /* days 1 to 31                       */
        ZERO_4 ZERO_4 ZERO_4               /* last, last_near, near              */
        "\xfe\x1f\x3e"                     /* months 1 to 12, Monday to Friday   */
        ZERO_4 ZERO_2                      /* nth                                */
        "\x02\x02\0\0\0\x01\0"             /* interval: the second of its list   */
        "\x01"                             /* from midnight                      */
        "\0\x76\xdd\x41\x01\0\0\0"         /* every 90 min                       */
        "\x40\x42\x0f\0" ZERO_4            /* phase 1 s                          */
        "\x01\0"                           /* one-offs                           */
        "\0\x20\x21\x10\xd7\x0d\x06\0"     /* 2024-01-01T00:00:00Z               */
        "\x03\0"                           /* written as the fourth              */
        "\0\0"                             /* excluded calendars                 */
        "\x01\0\x0b\x4d\0\0"               /* excluded dates: 2024-01-01         */
        "\x01\x04"
        "bank"; /* named calendars */
    struct entry entries[2] = {
        {.dst = {GAP_NEXT, FOLD_FIRST}, .cron = sample_office()},
        {.kind = ENTRY_INTERVAL,
         .list = LIST_INTERVALS,
         .index = 1,
         .interval = {90 * SPAN_MIN, SPAN_S, ANCHOR_MIDNIGHT}},
    };

    const struct spec_at at = {19723 * SPAN_DAY, 3};
    const int32_t date = 19723;
    const struct str name = STR("bank");
    struct spec_zone zone = {.name = STR("UTC")};
    const struct spec spec = {
        .entries = entries,
        .entry_count = 2,
        .at = &at,
        .at_count = 1,
        .not_dates = &date,
        .not_date_count = 1,
        .not_named = &name,
        .not_named_count = 1,
        .zones = &zone,
        .zone_count = 1,
        .start = INSTANT_NONE,
        .end = INSTANT_NEVER,
        .jitter = 30 * SPAN_S,
        .shift = SHIFT_NEXT,
        .window = {true, 8 * 3600, 18 * 3600 - 1, WINDOW_FILTER},
    };

    cron_seal(&entries[0].cron);
    assert_golden(&spec, (struct str){golden, sizeof golden - 1}, *state);
}

static void the_bytes_of_a_rule_are_these(void **state)
{
    static const char golden[] =
        "\x01\0\0\0\0\0\0\0\x80\xff\xff\xff\xff\xff\xff\xff\x7f" ZERO_8
        "\0\0" /* no shift, no window */
        "\x01\x10"
        "America/New_York"
        "\x01\0"
        "\x01\0\0\x02\x01\0\0"             /* rule: list, zone, gap, fold, index */
        "\0\x10\xf1\x47\x61\x13\x06\0"     /* last: 2024-03-11T12:00:00Z         */
        "\x03\0"                           /* daily, weeks begin on Sunday       */
        "\x02\0\0\0\x05\0\0\0"             /* interval 2, count 5                */
        "\x10\x25\xec\x65\0\0\0\0"         /* DTSTART 2024-03-09T09:00:00        */
        "\xff\xff\xff\xff\xff\xff\xff\x7f" /* no local UNTIL                     */
        "\0\x74\x33\x5a\x8a\x13\x06\0"     /* UNTIL 2024-03-13T13:00:00Z         */
        ZERO_8 ZERO_8                      /* BYSECOND, BYMINUTE                 */
        "\0\x02\0\0"                       /* BYHOUR 9                           */
        ZERO_4 ZERO_4 ZERO_8 ZERO_8 ZERO_2 /* BYMONTHDAY, BYWEEKNO, BYMONTH      */
            ZERO_8 ZERO_8 ZERO_8 ZERO_8 ZERO_8 ZERO_8 ZERO_8 ZERO_8 ZERO_8 ZERO_8 ZERO_8 ZERO_8
        "\0\0"            /* BYDAY, BYSETPOS            */
        "\0\0\0\0\0\0\0"; /* no one-offs, no exclusions */
    struct spec spec = sample(SAMPLE_COUNTED, *state);

    assert_golden(&spec, (struct str){golden, sizeof golden - 1}, *state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_comes_back_as_it_was),
        TEST(unpacked_zones_are_names_until_they_are_bound),
        TEST(bytes_that_end_early_or_late_are_refused),
        TEST(a_flipped_bit_is_refused_or_gives_another_valid_spec),
        TEST(any_other_version_is_refused),
        TEST(a_buffer_that_is_too_small_says_so),
        TEST(the_bytes_of_a_small_spec_are_these),
        TEST(the_bytes_of_a_rule_are_these),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
