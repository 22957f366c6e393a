/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes with a valid layout but values that no spec can have.  The limits are those of
 * core/limits.h and of the enums; test_spec_pack.c tests damaged bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "packed_samples.h"
#include "packing.h"

/* Values that no parser produces; the entry is an interval and there are two one-offs. */
enum {
    SPOIL_ZONE,
    SPOIL_LIST,
    SPOIL_GAP,
    SPOIL_FOLD,
    SPOIL_INDEX,
    SPOIL_EVERY_SHORT,
    SPOIL_EVERY_LONG,
    SPOIL_EVERY_FINE,
    SPOIL_PHASE_LONG,
    SPOIL_PHASE_NEGATIVE,
    SPOIL_PHASE_AFTER_START,
    SPOIL_AT_ORDER,
    SPOIL_AT_FINE,
    SPOIL_AT_LATE,
    SPOIL_DATE_TWICE,
    SPOIL_DATE_EARLY,
    SPOIL_NAME,
    SPOIL_START,
    SPOIL_END,
    SPOIL_JITTER_LONG,
    SPOIL_JITTER_NEGATIVE,
    SPOIL_SHIFT,
    SPOIL_WINDOW,
    SPOIL_WINDOW_RULE,
    SPOIL_ZONES,
    SPOILS
};

struct spoiled {
    struct spec spec;
    struct entry entry;
    struct spec_at at[2];
    int32_t dates[2];
    struct str name;
    struct spec_zone zone;
};

static void make_valid(struct spoiled *s)
{
    *s = (struct spoiled){
        .entry = {.kind = ENTRY_INTERVAL,
                  .list = LIST_INTERVALS,
                  .interval = {.every = SPAN_S}},
        .at = {{0, 0}, {SPAN_MS, 1}},
        .dates = {5, 6},
        .name = STR("bank"),
        .zone = {.name = STR("UTC")},
    };
    s->spec = (struct spec){.start = INSTANT_NONE,
                            .end = INSTANT_NEVER,
                            .entries = &s->entry,
                            .entry_count = 1,
                            .at = s->at,
                            .at_count = 2,
                            .not_dates = s->dates,
                            .not_date_count = 2,
                            .not_named = &s->name,
                            .not_named_count = 1,
                            .zones = &s->zone,
                            .zone_count = 1,
                            .window = {.is_set = true}};
}

static void spoil_entry(struct entry *entry, int how)
{
    struct interval_def *interval = &entry->interval;

    entry->zone = how == SPOIL_ZONE;
    entry->list = how == SPOIL_LIST ? LIST_AT : LIST_INTERVALS;
    entry->dst.gap = how == SPOIL_GAP ? GAP_SHIFT + 1 : GAP_SHIFT;
    entry->dst.fold = how == SPOIL_FOLD ? FOLD_BOTH + 1 : FOLD_BOTH;
    entry->index = how == SPOIL_INDEX ? SPEC_ENTRIES_MAX : SPEC_ENTRIES_MAX - 1;
    if (how == SPOIL_EVERY_SHORT)
        interval->every = 999 * SPAN_MS;
    if (how == SPOIL_EVERY_LONG)
        interval->every = DURATION_DAYS_MAX * SPAN_DAY + SPAN_MS;
    if (how == SPOIL_EVERY_FINE)
        interval->every = SPAN_S + 1;
    if (how == SPOIL_PHASE_LONG)
        interval->phase = SPAN_S;
    if (how == SPOIL_PHASE_NEGATIVE)
        interval->phase = -SPAN_MS;
    if (how == SPOIL_PHASE_AFTER_START)
        *interval = (struct interval_def){SPAN_S, SPAN_MS, ANCHOR_START};
}

static void spoil(struct spoiled *s, int how)
{
    static const char long_name[SPEC_NAME_MAX + 1] = "";
    struct spec *spec = &s->spec;

    spoil_entry(&s->entry, how);
    s->at[0].at = how == SPOIL_AT_ORDER ? 2 * SPAN_MS : how == SPOIL_AT_FINE ? 1 : 0;
    s->at[1].at = how == SPOIL_AT_LATE ? INSTANT_MAX + 1 : SPAN_MS;
    s->dates[0] = how == SPOIL_DATE_TWICE ? 6 : how == SPOIL_DATE_EARLY ? -719163 : 5;
    if (how == SPOIL_NAME)
        s->name = (struct str){long_name, sizeof long_name};
    if (how == SPOIL_START)
        spec->start = INSTANT_MIN - 1;
    if (how == SPOIL_END)
        spec->end = INSTANT_MAX + 1;
    if (how == SPOIL_JITTER_LONG)
        spec->jitter = SPEC_JITTER_DAYS_MAX * SPAN_DAY + 1;
    if (how == SPOIL_JITTER_NEGATIVE)
        spec->jitter = -1;
    spec->shift = how == SPOIL_SHIFT ? (enum shift)(SHIFT_PREVIOUS + 1) : SHIFT_PREVIOUS;
    spec->window.to = how == SPOIL_WINDOW ? DAY_SECONDS : DAY_SECONDS - 1;
    spec->window.rule = how == SPOIL_WINDOW_RULE ? (enum window_rule)(WINDOW_FILTER + 1)
                                                 : WINDOW_FILTER;
    spec->zone_count = how == SPOIL_ZONES ? 0 : 1;
}

static void values_that_no_parser_makes_are_refused(void **state)
{
    for (int how = 0; how <= SPOILS; how++) {
        struct spoiled s;
        struct spec again;
        struct bytes packed;
        enum rc rc;

        make_valid(&s);
        spoil(&s, how);
        packed = pack(&s.spec);
        rc = unpack(packed.ptr, packed.len, *state, &again);
        if (rc != (how < SPOILS ? RC_CORRUPT : RC_OK))
            fail_msg("value %d of the enum: %s", how, rc_name(rc));
        free(packed.ptr);
    }
}

/* The bounds of a rule are instants of the calendar, or none. */
static void a_rule_that_ends_outside_of_the_calendar_is_refused(void **state)
{
    const instant ends[] = {INSTANT_NONE, INSTANT_MIN - 1, INSTANT_MAX + 1, INSTANT_NEVER - 1};

    for (size_t i = 0; i < 2 * sizeof ends / sizeof *ends; i++) {
        struct spoiled s;
        struct rrule rule = sample_counted();
        struct spec again;
        struct bytes packed;

        make_valid(&s);
        s.entry = (struct entry){.kind = ENTRY_RRULE, .rrule = &rule, .rrule_end = 0};
        if (i % 2 == 0)
            s.entry.rrule_end = ends[i / 2];
        else
            rule.until = ends[i / 2];
        packed = pack(&s.spec);
        if (unpack(packed.ptr, packed.len, *state, &again) == RC_OK)
            fail_msg("end %zu is accepted", i);
        free(packed.ptr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_that_no_parser_makes_are_refused),
        TEST(a_rule_that_ends_outside_of_the_calendar_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
