/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every limit of core/limits.h that a definition can reach: at the limit it compiles, packs and
 * unpacks; one more is rejected, and the message names the limit.
 */
#include "core/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/spec/spec_pack.h"
#include "core/time/tz.h"

static struct arena *arena;
static struct str seed = {"", 0};
static char packed[SPEC_PACKED_MAX + 1];

/* Finds every name as UTC, so that only the limits decide. */
static const struct tz *any_zone(void *user, struct str name, struct err *reterr)
{
    static _Alignas(struct tz) char room[TZ_FIXED_BYTES];
    struct tz *tz = (struct tz *)room;

    (void)user;
    (void)name;
    return tz_fixed(STR("UTC"), tz, sizeof room, reterr) == RC_OK ? tz : NULL;
}

static const struct zone_source zones = {.find = any_zone};

static void accepts(const struct spec_def *def)
{
    struct buf out = BUF(packed);
    struct spec spec, again;
    struct err err;

    if (spec_compile(def, seed, &zones, arena, &spec, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
    spec_pack(&spec, &out);
    assert_false(out.cut);
    assert_int_equal(spec_unpack(out.ptr, out.len, arena, &again, &err), RC_OK);
    arena_reset(arena);
}

static void refuses(const struct spec_def *def, enum rc rc, const char *bound)
{
    struct spec spec;
    struct err err;

    assert_int_equal(spec_compile(def, seed, &zones, arena, &spec, &err), rc);
    if (!strstr(err.text, bound))
        fail_msg("\"%s\" does not name %s", err.text, bound);
    arena_reset(arena);
}

static struct cron_def crons[SPEC_ENTRIES_MAX + 1];
static struct calendar_def calendars[SPEC_ENTRIES_MAX + 1];
static struct interval_def intervals[SPEC_ENTRIES_MAX + 1];
static int32_t times[SPEC_ENTRIES_MAX + 1];

/* A spec with room in every list and no entries. */
static struct spec_def empty(void)
{
    struct spec_def def = spec_def_empty();

    for (int i = 0; i <= SPEC_ENTRIES_MAX; i++) {
        crons[i] = (struct cron_def){.expr = STR("0 0 * * *")};
        calendars[i] = (struct calendar_def){0};
        intervals[i] = (struct interval_def){.every = SPAN_H};
        times[i] = 0;
    }
    def.cron = crons;
    def.calendars = def.not_calendars = calendars;
    def.intervals = intervals;
    def.times = times;
    return def;
}

static void entries_of_all_lists_are_counted_together(void **state)
{
    struct spec_def def = empty();
    int *const counts[] = {&def.cron_count, &def.calendar_count, &def.interval_count,
                           &def.time_count};

    (void)state;
    for (int i = 0; i < 4; i++) {
        *counts[i] = SPEC_ENTRIES_MAX;
        accepts(&def);
        *counts[i] = SPEC_ENTRIES_MAX + 1;
        refuses(&def, RC_LIMIT, "256");
        *counts[i] = 0;
    }
    for (int i = 0; i < 4; i++)
        *counts[i] = SPEC_ENTRIES_MAX / 4;
    accepts(&def);
    def.time_count++;
    refuses(&def, RC_LIMIT, "256");
}

static void one_offs_have_a_bound(void **state)
{
    static instant at[SPEC_AT_MAX + 1];
    struct spec_def def = empty();

    (void)state;
    for (int i = 0; i <= SPEC_AT_MAX; i++)
        at[i] = i * SPAN_MS;
    def.at = at;
    def.at_count = SPEC_AT_MAX;
    accepts(&def);
    def.at_count++;
    refuses(&def, RC_LIMIT, "4096");
}

static void excluded_calendars_and_dates_have_a_bound(void **state)
{
    static int32_t dates[SPEC_DATES_MAX + 1];
    struct spec_def def = empty();

    (void)state;
    def.not_calendar_count = SPEC_ENTRIES_MAX;
    accepts(&def);
    def.not_calendar_count++;
    refuses(&def, RC_LIMIT, "256");
    def.not_calendar_count = 0;
    for (int i = 0; i <= SPEC_DATES_MAX; i++)
        dates[i] = SPEC_DATES_MAX - i;
    def.not_dates = dates;
    def.not_date_count = SPEC_DATES_MAX;
    accepts(&def);
    def.not_date_count++;
    refuses(&def, RC_LIMIT, "4096");
}

static void named_calendars_have_a_bound_in_number_and_length(void **state)
{
    static char name[SPEC_NAME_MAX + 1];
    struct str names[SPEC_NAMED_MAX + 1];
    struct spec_def def = empty();

    (void)state;
    memset(name, 'n', sizeof name);
    for (int i = 0; i <= SPEC_NAMED_MAX; i++)
        names[i] = (struct str){name, SPEC_NAME_MAX};
    def.not_named = names;
    def.not_named_count = SPEC_NAMED_MAX;
    accepts(&def);
    def.not_named_count++;
    refuses(&def, RC_LIMIT, "16");
    def.not_named_count = 1;
    names[0].len++;
    refuses(&def, RC_LIMIT, "128");
    names[0].len = 0;
    refuses(&def, RC_LIMIT, "128");
}

/* The zone of the spec itself is one of them. */
static void different_zones_have_a_bound(void **state)
{
    static char names[SPEC_ZONES_MAX][8];
    struct spec_def def = empty();

    (void)state;
    for (int i = 0; i < SPEC_ZONES_MAX; i++) {
        snprintf(names[i], sizeof names[i], "Zone%d", i);
        crons[i].zone = str_of(names[i]);
    }
    def.cron_count = SPEC_ENTRIES_MAX;
    def.zone = str_of(names[0]);
    accepts(&def);
    def.zone = STR("Another");
    refuses(&def, RC_LIMIT, "32");
}

static void a_seed_has_a_bound(void **state)
{
    static char text[SEED_MAX + 1];
    struct spec_def def = empty();

    (void)state;
    seed = (struct str){text, SEED_MAX};
    accepts(&def);
    seed.len++;
    refuses(&def, RC_LIMIT, "2048");
    seed.len = 0;
}

static void an_interval_is_neither_too_short_nor_too_long(void **state)
{
    struct spec_def def = empty();

    (void)state;
    def.interval_count = 1;
    intervals[0].every = SPEC_EVERY_MIN_MS * SPAN_MS;
    accepts(&def);
    intervals[0].every -= SPAN_MS;
    refuses(&def, RC_INVALID, "1s");
    intervals[0].every = DURATION_DAYS_MAX * SPAN_DAY;
    accepts(&def);
    intervals[0].every += SPAN_MS;
    refuses(&def, RC_LIMIT, "365250d");
    intervals[0] = (struct interval_def){.every = SPAN_H, .phase = SPAN_H - SPAN_MS};
    accepts(&def);
    intervals[0].phase = SPAN_H;
    refuses(&def, RC_INVALID, "less than the interval");
}

static void jitter_has_a_bound(void **state)
{
    struct spec_def def = empty();

    (void)state;
    def.jitter = SPEC_JITTER_DAYS_MAX * SPAN_DAY;
    accepts(&def);
    def.jitter += SPAN_MS;
    refuses(&def, RC_LIMIT, "366d");
    def.jitter = -SPAN_MS;
    refuses(&def, RC_INVALID, "0s");
}

static void instants_are_of_the_years_1_to_9999(void **state)
{
    instant at[] = {INSTANT_MIN, INSTANT_MAX / SPAN_MS * SPAN_MS, INSTANT_NONE};
    struct spec_def def = empty();

    (void)state;
    def.at = at;
    def.at_count = 3;
    accepts(&def);
    at[0] -= SPAN_MS;
    refuses(&def, RC_INVALID, "1 to 9999");
    at[0] = INSTANT_MAX / SPAN_MS * SPAN_MS + SPAN_MS;
    refuses(&def, RC_INVALID, "1 to 9999");
    at[0] = 1;
    refuses(&def, RC_INVALID, "whole milliseconds");
    def.at_count = 0;
    def.start = INSTANT_MIN;
    def.end = INSTANT_MAX;
    accepts(&def);
    def.start--;
    refuses(&def, RC_INVALID, "1 to 9999");
    def.start = INSTANT_NONE;
    def.end = INSTANT_MAX + 1;
    refuses(&def, RC_INVALID, "1 to 9999");
}

static void dates_are_of_the_years_1_to_9999(void **state)
{
    int32_t date = DAY_MIN;
    struct spec_def def = empty();

    (void)state;
    def.not_dates = &date;
    def.not_date_count = 1;
    accepts(&def);
    date--;
    refuses(&def, RC_INVALID, "0001-01-01");
    date = DAY_MAX;
    accepts(&def);
    date++;
    refuses(&def, RC_INVALID, "9999-12-31");
}

static void times_of_day_end_at_midnight(void **state)
{
    struct spec_def def = empty();

    (void)state;
    def.time_count = 1;
    times[0] = DAY_SECONDS - 1;
    accepts(&def);
    times[0]++;
    refuses(&def, RC_INVALID, "23:59:59");
    times[0] = -1;
    refuses(&def, RC_INVALID, "00:00");
    def.time_count = 0;
    def.window = (struct window_def){.is_set = true, .from = 0, .to = DAY_SECONDS - 1};
    accepts(&def);
    def.window.to++;
    refuses(&def, RC_INVALID, "23:59:59");
    def.window = (struct window_def){.is_set = true, .from = -1, .to = 0};
    refuses(&def, RC_INVALID, "00:00");
}

/* `head`, then repeated `fill`, then `tail`: `len` bytes in total. */
static struct str filled(const char *head, char fill, const char *tail, size_t len)
{
    static char text[2 * RRULE_TEXT_MAX];
    size_t after = len - strlen(tail);

    assert_true(len < sizeof text && len >= strlen(head) + strlen(tail));
    memset(text, fill, len);
    memcpy(text, head, strlen(head));
    memcpy(text + after, tail, strlen(tail));
    return (struct str){text, len};
}

static void a_text_has_a_bound_in_every_dialect(void **state)
{
    const char *rule = "DTSTART:20240101T000000\nRRULE:FREQ=DAILY;BYHOUR=";
    struct spec_def def = empty();

    (void)state;
    def.cron_count = 1;
    crons[0].expr = filled("0 0", ' ', "* * *", CRON_TEXT_MAX);
    accepts(&def);
    crons[0].expr = filled("0 0", ' ', "* * *", CRON_TEXT_MAX + 1);
    refuses(&def, RC_INVALID, "1024");
    crons[0].dialect = DIALECT_SYSTEMD;
    crons[0].expr = filled("*-*-*", ' ', "00:00", CRON_TEXT_MAX);
    accepts(&def);
    crons[0].expr = filled("*-*-*", ' ', "00:00", CRON_TEXT_MAX + 1);
    refuses(&def, RC_INVALID, "1024");
    crons[0].dialect = DIALECT_RRULE;
    crons[0].expr = filled(rule, '0', "9", RRULE_TEXT_MAX);
    accepts(&def);
    crons[0].expr = filled(rule, '0', "9", RRULE_TEXT_MAX + 1);
    refuses(&def, RC_INVALID, "4096");
    def = empty();
    def.calendar_count = 1;
    calendars[0].text.minute = filled("0", '0', "9", CRON_TEXT_MAX);
    accepts(&def);
    calendars[0].text.minute = filled("0", '0', "9", CRON_TEXT_MAX + 1);
    refuses(&def, RC_INVALID, "1024");
}

static void a_zone_in_a_text_has_a_bound(void **state)
{
    struct spec_def def = empty();

    (void)state;
    def.cron_count = 1;
    crons[0].expr = filled("TZ=", 'z', " 0 0 * * *", 3 + ZONE_NAME_MAX + 10);
    accepts(&def);
    crons[0].expr = filled("TZ=", 'z', " 0 0 * * *", 3 + ZONE_NAME_MAX + 11);
    refuses(&def, RC_INVALID, "64");
    crons[0].dialect = DIALECT_RRULE;
    crons[0].expr = filled("DTSTART;TZID=", 'z', ":20240101T000000\nRRULE:FREQ=DAILY",
                           13 + ZONE_NAME_MAX + 33);
    accepts(&def);
    crons[0].expr = filled("DTSTART;TZID=", 'z', ":20240101T000000\nRRULE:FREQ=DAILY",
                           13 + ZONE_NAME_MAX + 34);
    refuses(&def, RC_INVALID, "64");
}

static void a_comment_has_a_bound(void **state)
{
    struct spec_def def = empty();

    (void)state;
    def.cron_count = 1;
    crons[0].dialect = DIALECT_TEMPORAL;
    crons[0].expr = filled("0 0 * * * #", 'c', "", 11 + SPEC_COMMENT_MAX);
    accepts(&def);
    crons[0].expr = filled("0 0 * * * #", 'c', "", 12 + SPEC_COMMENT_MAX);
    refuses(&def, RC_INVALID, "200");
}

static void the_years_of_a_cron_have_bounds(void **state)
{
    struct spec_def def = empty();

    (void)state;
    def.cron_count = 1;
    crons[0].expr = STR("0 0 0 1 1 ? 1970-2199");
    accepts(&def);
    crons[0].expr = STR("0 0 0 1 1 ? 1969");
    refuses(&def, RC_INVALID, "1970");
    crons[0].expr = STR("0 0 0 1 1 ? 2200");
    refuses(&def, RC_INVALID, "2199");
}

struct rule_case {
    const char *part;
    const char *bound; /* NULL: accepted */
};

static void numbers_of_a_rule_have_bounds(void **state)
{
    static const struct rule_case cases[] = {
        {"COUNT=10000", NULL},         {"COUNT=10001", "10000"},
        {"INTERVAL=1000000000", NULL}, {"INTERVAL=1000000001", "1000000000"},
        {"COUNT=0", "1 to 10000"},     {"INTERVAL=0", "1 to 1000000000"},
    };
    struct spec_def def = empty();

    (void)state;
    def.cron_count = 1;
    crons[0].dialect = DIALECT_RRULE;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];

        snprintf(text, sizeof text, "DTSTART:20240101T000000Z\nRRULE:FREQ=SECONDLY;%s",
                 cases[i].part);
        crons[0].expr = str_of(text);
        if (cases[i].bound)
            refuses(&def, RC_INVALID, cases[i].bound);
        else
            accepts(&def);
    }
}

static void counts_of_all_rules_together_are_bounded(void **state)
{
    struct spec_def def = empty();

    (void)state;
    def.cron_count = 2;
    crons[0].dialect = crons[1].dialect = DIALECT_RRULE;
    crons[0].expr = STR("DTSTART:20240101T000000Z\nRRULE:FREQ=SECONDLY;COUNT=9999");
    crons[1].expr = STR("DTSTART:20240101T000000Z\nRRULE:FREQ=SECONDLY;COUNT=1");
    accepts(&def);
    crons[1].expr = STR("DTSTART:20240101T000000Z\nRRULE:FREQ=SECONDLY;COUNT=2");
    refuses(&def, RC_LIMIT, "10000");
}

/* Items that are all different: 1MO … 53MO, then 1TU …, or positions 1, 2 … */
static struct str rule_of_items(int items, bool is_days)
{
    static char text[2048];
    struct buf out = BUF(text);

    buf_text(&out, "DTSTART:20240101T000000\nRRULE:FREQ=YEARLY;");
    buf_text(&out, is_days ? "BYDAY=" : "BYDAY=MO,TU;BYSETPOS=");
    for (int i = 0; i < items; i++) {
        buf_printf(&out, "%s%d", i > 0 ? "," : "", (is_days ? i % 53 : i) + 1);
        if (is_days)
            buf_text(&out, i < 53 ? "MO" : "TU");
    }
    assert_false(out.cut);
    return buf_as_str(&out);
}

static void lists_of_a_rule_have_bounds(void **state)
{
    struct spec_def def = empty();

    (void)state;
    def.cron_count = 1;
    crons[0].dialect = DIALECT_RRULE;
    crons[0].expr = rule_of_items(RRULE_DAYS_MAX, true);
    accepts(&def);
    crons[0].expr = rule_of_items(RRULE_DAYS_MAX + 1, true);
    refuses(&def, RC_INVALID, "64");
    crons[0].expr = rule_of_items(RRULE_SETPOS_MAX, false);
    accepts(&def);
    crons[0].expr = rule_of_items(RRULE_SETPOS_MAX + 1, false);
    refuses(&def, RC_INVALID, "64");
}

/* All lists full, with the longest rule in each entry, still fit into SPEC_PACKED_MAX. */
static void a_spec_with_every_list_full_can_be_packed(void **state)
{
    static instant at[SPEC_AT_MAX];
    static int32_t dates[SPEC_DATES_MAX];
    static char name[SPEC_NAME_MAX];
    struct str names[SPEC_NAMED_MAX], rule = rule_of_items(RRULE_DAYS_MAX, true);
    struct spec_def def = empty();

    (void)state;
    memset(name, 'n', sizeof name);
    for (int i = 0; i < SPEC_NAMED_MAX; i++)
        names[i] = (struct str){name, sizeof name};
    for (int i = 0; i < SPEC_DATES_MAX; i++)
        dates[i] = i;
    for (int i = 0; i < SPEC_ENTRIES_MAX; i++) {
        crons[i] = (struct cron_def){.expr = rule, .dialect = DIALECT_RRULE};
        calendars[i].text.year = STR("1970-2199");
    }
    def.cron_count = def.not_calendar_count = SPEC_ENTRIES_MAX;
    def.at = at;
    def.at_count = SPEC_AT_MAX;
    def.not_dates = dates;
    def.not_date_count = SPEC_DATES_MAX;
    def.not_named = names;
    def.not_named_count = SPEC_NAMED_MAX;
    accepts(&def);
}

static int start_arena(void **state)
{
    (void)state;
    arena = arena_new(64 << 20);
    return 0;
}

static int end_arena(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_all_lists_are_counted_together),
        cmocka_unit_test(one_offs_have_a_bound),
        cmocka_unit_test(excluded_calendars_and_dates_have_a_bound),
        cmocka_unit_test(named_calendars_have_a_bound_in_number_and_length),
        cmocka_unit_test(different_zones_have_a_bound),
        cmocka_unit_test(a_seed_has_a_bound),
        cmocka_unit_test(an_interval_is_neither_too_short_nor_too_long),
        cmocka_unit_test(jitter_has_a_bound),
        cmocka_unit_test(instants_are_of_the_years_1_to_9999),
        cmocka_unit_test(dates_are_of_the_years_1_to_9999),
        cmocka_unit_test(times_of_day_end_at_midnight),
        cmocka_unit_test(a_text_has_a_bound_in_every_dialect),
        cmocka_unit_test(a_zone_in_a_text_has_a_bound),
        cmocka_unit_test(a_comment_has_a_bound),
        cmocka_unit_test(the_years_of_a_cron_have_bounds),
        cmocka_unit_test(numbers_of_a_rule_have_bounds),
        cmocka_unit_test(counts_of_all_rules_together_are_bounded),
        cmocka_unit_test(lists_of_a_rule_have_bounds),
        cmocka_unit_test(a_spec_with_every_list_full_can_be_packed),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
