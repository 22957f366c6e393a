/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock changes, docs/semantics.md [T-20] to [T-27]: times in gaps and folds of zones with
 * unusual changes.  Expected instants are computed by hand from the offsets in tzdata.
 * test_dialect.c tests [T-26].
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/spec/local.h"
#include "zones.h"

static const struct dst_choice skip_first = {GAP_SKIP, FOLD_FIRST};
static const struct dst_choice skip_last = {GAP_SKIP, FOLD_LAST};
static const struct dst_choice skip_both = {GAP_SKIP, FOLD_BOTH};
static const struct dst_choice next_first = {GAP_NEXT, FOLD_FIRST};
static const struct dst_choice shift_first = {GAP_SHIFT, FOLD_FIRST};

/* UTC second of a date and a time hhmm. */
static int64_t utc(int year, int month, int day, int hhmm)
{
    struct civil civil = {{year, month, day}, hhmm / 100, hhmm % 100, 0};

    return local_of_civil(&civil);
}

static struct cron cron_of(const char *expr, enum dialect dialect)
{
    struct cron_text text;
    struct err err;

    if (cron_parse(str_of(expr), dialect, STR(""), &text, &err) != RC_OK)
        fail_msg("%s: %s", expr, err.text);
    return text.cron;
}

/* The slots in [from, to] are exactly `expected`, ended by 0: forwards and backwards. */
static void assert_slots(const char *zone, const char *expr, struct dst_choice dst,
                         int64_t from, int64_t to, const int64_t *expected)
{
    struct cron cron = cron_of(expr, DIALECT_BELFRY);
    struct err err;
    struct pattern p = {.cron = &cron, .tz = zone_find(NULL, str_of(zone), &err), .dst = dst};
    int64_t s = from;
    int n = 0;

    assert_non_null(p.tz);
    for (; expected[n] != 0; n++) {
        s = pattern_next(&p, s);
        if (s != expected[n])
            fail_msg("%s in %s: slot %d is %lld, not %lld", expr, zone, n, (long long)s,
                     (long long)expected[n]);
        s++;
    }
    assert_true(pattern_next(&p, s) > to);
    for (s = to; n-- > 0; s--) {
        s = pattern_prev(&p, s);
        if (s != expected[n])
            fail_msg("%s in %s: backwards slot %d is %lld, not %lld", expr, zone, n,
                     (long long)s, (long long)expected[n]);
    }
    assert_true(pattern_prev(&p, s) < from);
}

#define NO_SLOTS ((const int64_t[]){0})

static void t20_a_time_without_a_clock_change_has_one_instant(void **state)
{
    (void)state;
    assert_slots("America/New_York", "30 2 * * *", skip_both, utc(2024, 7, 1, 0),
                 utc(2024, 7, 2, 2359),
                 (int64_t[]){utc(2024, 7, 1, 630), utc(2024, 7, 2, 630), 0});
    assert_slots("Asia/Kathmandu", "0 6 * * *", skip_both, utc(2024, 1, 1, 0),
                 utc(2024, 1, 1, 2359), (int64_t[]){utc(2024, 1, 1, 15), 0});
}

static void t21_a_time_in_a_gap_is_skipped_or_next_or_shifted(void **state)
{
    int64_t from = utc(2024, 3, 10, 500), to = utc(2024, 3, 10, 2359);

    (void)state;
    assert_slots("America/New_York", "30 2 * * *", skip_both, from, to, NO_SLOTS);
    assert_slots("America/New_York", "30 2 * * *", next_first, from, to,
                 (int64_t[]){utc(2024, 3, 10, 700), 0});
    assert_slots("America/New_York", "30 2 * * *", shift_first, from, to,
                 (int64_t[]){utc(2024, 3, 10, 730), 0});
}

static void t21_next_gives_one_slot_for_all_times_in_the_gap(void **state)
{
    (void)state;
    assert_slots("America/New_York", "0,15,30 2 * * *", next_first, utc(2024, 3, 10, 500),
                 utc(2024, 3, 10, 2359), (int64_t[]){utc(2024, 3, 10, 700), 0});
    assert_slots(
        "America/New_York", "0,15,30 2 * * *", shift_first, utc(2024, 3, 10, 500),
        utc(2024, 3, 10, 2359),
        (int64_t[]){utc(2024, 3, 10, 700), utc(2024, 3, 10, 715), utc(2024, 3, 10, 730), 0});
}

static void t22_a_time_in_a_fold_is_the_first_the_last_or_both(void **state)
{
    int64_t from = utc(2024, 11, 3, 400), to = utc(2024, 11, 3, 2359);

    (void)state;
    assert_slots("America/New_York", "30 1 * * *", skip_first, from, to,
                 (int64_t[]){utc(2024, 11, 3, 530), 0});
    assert_slots("America/New_York", "30 1 * * *", skip_last, from, to,
                 (int64_t[]){utc(2024, 11, 3, 630), 0});
    assert_slots("America/New_York", "30 1 * * *", skip_both, from, to,
                 (int64_t[]){utc(2024, 11, 3, 530), utc(2024, 11, 3, 630), 0});
}

/* Samoa went from UTC-10 to UTC+14: 30 December 2011 did not exist there. */
static void t23_a_skipped_date_has_no_slots_under_any_rule(void **state)
{
    const struct dst_choice rules[] = {skip_both, next_first, shift_first};

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_slots("Pacific/Apia", "0 12 * * *", rules[i], utc(2011, 12, 29, 0),
                     utc(2011, 12, 31, 0),
                     (int64_t[]){utc(2011, 12, 29, 2200), utc(2011, 12, 30, 2200), 0});
}

/* One row of the table in docs/semantics.md. */
struct row {
    enum dst_name rule;
    int64_t gap[2];    /* `30 2` on 10 March, ended by 0        */
    int64_t fold[3];   /* `30 1` on 3 November */
    int64_t passes[7]; /* every half hour on 3 November, 00:30 to 02:00 */
};

static void t24_named_rules_answer_as_the_table_says(void **state)
{
#define AT(hhmm) utc(2024, 11, 3, hhmm)
    const struct row rows[] = {
        {DST_VIXIE,
         {utc(2024, 3, 10, 700), 0},
         {AT(530), 0},
         {AT(430), AT(500), AT(530), AT(600), AT(630), AT(700), 0}},
        {DST_LITERAL,
         {0},
         {AT(530), AT(630), 0},
         {AT(430), AT(500), AT(530), AT(600), AT(630), AT(700), 0}},
        {DST_ONCE, {0}, {AT(530), 0}, {AT(430), AT(500), AT(530), AT(700), 0}},
        {DST_LAST, {0}, {AT(630), 0}, {AT(430), AT(600), AT(630), AT(700), 0}},
        {DST_SHIFT,
         {utc(2024, 3, 10, 730), 0},
         {AT(530), 0},
         {AT(430), AT(500), AT(530), AT(700), 0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dst_choice fixed = dst_resolve((struct dst_rule){.name = rows[i].rule}, false);
        struct dst_choice interval = dst_resolve((struct dst_rule){.name = rows[i].rule}, true);

        assert_slots("America/New_York", "30 2 * * *", fixed, utc(2024, 3, 10, 500),
                     utc(2024, 3, 10, 2359), rows[i].gap);
        assert_slots("America/New_York", "30 1 * * *", fixed, AT(400), AT(2359), rows[i].fold);
        assert_slots("America/New_York", "*/30 * * * *", interval, AT(430), AT(700),
                     rows[i].passes);
    }
#undef AT
}

static void t25_wildcards_in_the_time_make_an_interval_entry(void **state)
{
    static const struct {
        const char *expr;
        enum dialect dialect;
        bool is_interval;
    } cases[] = {
        {"30 2 * * *", DIALECT_BELFRY, false},  {"0,30 2,3 * * *", DIALECT_BELFRY, false},
        {"*/30 2 * * *", DIALECT_BELFRY, true}, {"30 1-3 * * *", DIALECT_BELFRY, true},
        {"30 * * * *", DIALECT_BELFRY, true},   {"0/30 2 * * *", DIALECT_BELFRY, true},
        {"* 30 2 * * *", DIALECT_BELFRY, true}, {"30 2 * * 1-5", DIALECT_BELFRY, false},
        {"30 1-3 * * *", DIALECT_VIXIE, false}, {"*/30 2 * * *", DIALECT_VIXIE, true},
        {"30 */2 * * *", DIALECT_CRONIE, true}, {"0-30/10 2 * * *", DIALECT_CRONIE, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cron cron = cron_of(cases[i].expr, cases[i].dialect);

        if (!!(cron.flags & CRON_INTERVAL) != cases[i].is_interval)
            fail_msg("case %zu: %s", i, cases[i].expr);
    }
}

static void t27_two_local_times_on_one_instant_are_one_slot(void **state)
{
    (void)state;
    /* 02:00 is moved to 03:00, which is a slot already. */
    assert_slots("America/New_York", "0 2,3 * * *", next_first, utc(2024, 3, 10, 500),
                 utc(2024, 3, 10, 2359), (int64_t[]){utc(2024, 3, 10, 700), 0});
    assert_slots("America/New_York", "0 2,3 * * *", shift_first, utc(2024, 3, 10, 500),
                 utc(2024, 3, 10, 2359), (int64_t[]){utc(2024, 3, 10, 700), 0});
}

static void lord_howe_changes_by_half_an_hour(void **state)
{
    int64_t fold = utc(2024, 4, 6, 1200), gap = utc(2024, 10, 5, 1200);

    (void)state;
    assert_slots("Australia/Lord_Howe", "45 1 * * *", skip_both, fold, utc(2024, 4, 7, 0),
                 (int64_t[]){utc(2024, 4, 6, 1445), utc(2024, 4, 6, 1515), 0});
    assert_slots("Australia/Lord_Howe", "15 1 * * *", skip_both, fold, utc(2024, 4, 7, 0),
                 (int64_t[]){utc(2024, 4, 6, 1415), 0});
    assert_slots("Australia/Lord_Howe", "15 2 * * *", next_first, gap, utc(2024, 10, 6, 0),
                 (int64_t[]){utc(2024, 10, 5, 1530), 0});
    assert_slots("Australia/Lord_Howe", "15 2 * * *", shift_first, gap, utc(2024, 10, 6, 0),
                 (int64_t[]){utc(2024, 10, 5, 1545), 0});
}

static void havana_changes_at_midnight_and_keeps_its_date(void **state)
{
    (void)state;
    /* Sunday, 10 March 2024 began at 01:00. */
    assert_slots("America/Havana", "0 0 * * SUN", next_first, utc(2024, 3, 9, 1200),
                 utc(2024, 3, 10, 2359), (int64_t[]){utc(2024, 3, 10, 500), 0});
    assert_slots("America/Havana", "0 0 * * SAT", next_first, utc(2024, 3, 9, 1200),
                 utc(2024, 3, 10, 2359), NO_SLOTS);
    assert_slots("America/Havana", "30 0 * * *", shift_first, utc(2024, 3, 9, 1200),
                 utc(2024, 3, 10, 2359), (int64_t[]){utc(2024, 3, 10, 530), 0});
    assert_slots("America/Havana", "30 0 * * *", skip_both, utc(2024, 11, 2, 1200),
                 utc(2024, 11, 3, 2359),
                 (int64_t[]){utc(2024, 11, 3, 430), utc(2024, 11, 3, 530), 0});
}

static void sao_paulo_repeats_the_last_hour_of_a_saturday(void **state)
{
    int64_t from = utc(2018, 2, 17, 1200), to = utc(2018, 2, 18, 1200);

    (void)state;
    assert_slots("America/Sao_Paulo", "30 23 * * SAT", skip_first, from, to,
                 (int64_t[]){utc(2018, 2, 18, 130), 0});
    assert_slots("America/Sao_Paulo", "30 23 * * SAT", skip_last, from, to,
                 (int64_t[]){utc(2018, 2, 18, 230), 0});
    assert_slots("America/Sao_Paulo", "0 0 * * *", skip_both, from, to,
                 (int64_t[]){utc(2018, 2, 18, 300), 0});
    assert_slots("America/Sao_Paulo", "0 0 * * *", next_first, utc(2018, 11, 3, 1200),
                 utc(2018, 11, 4, 1200), (int64_t[]){utc(2018, 11, 4, 300), 0});
}

/* Until 2011 Newfoundland changed at 00:01, so that midnight occurred twice. */
static void st_johns_has_two_midnights(void **state)
{
    int64_t from = utc(2010, 11, 6, 1200), to = utc(2010, 11, 7, 1200);

    (void)state;
    assert_slots("America/St_Johns", "0 0 * * *", skip_both, from, to,
                 (int64_t[]){utc(2010, 11, 7, 230), utc(2010, 11, 7, 330), 0});
    assert_slots("America/St_Johns", "30 23 * * SAT", skip_first, from, to,
                 (int64_t[]){utc(2010, 11, 7, 200), 0});
    assert_slots("America/St_Johns", "30 23 * * SAT", skip_last, from, to,
                 (int64_t[]){utc(2010, 11, 7, 300), 0});
}

static void troll_changes_by_two_hours(void **state)
{
    (void)state;
    assert_slots("Antarctica/Troll", "30 1 * * *", next_first, utc(2024, 3, 31, 0),
                 utc(2024, 3, 31, 1200), (int64_t[]){utc(2024, 3, 31, 100), 0});
    assert_slots("Antarctica/Troll", "30 1 * * *", shift_first, utc(2024, 3, 31, 0),
                 utc(2024, 3, 31, 1200), (int64_t[]){utc(2024, 3, 31, 130), 0});
    assert_slots("Antarctica/Troll", "30 2 * * *", skip_both, utc(2024, 10, 27, 0),
                 utc(2024, 10, 27, 1200),
                 (int64_t[]){utc(2024, 10, 27, 30), utc(2024, 10, 27, 230), 0});
}

/* Morocco sets clocks back for Ramadan and forward after it. */
static void casablanca_changes_with_ramadan(void **state)
{
    (void)state;
    assert_slots("Africa/Casablanca", "30 2 * * *", skip_both, utc(2024, 3, 10, 0),
                 utc(2024, 3, 10, 1200),
                 (int64_t[]){utc(2024, 3, 10, 130), utc(2024, 3, 10, 230), 0});
    assert_slots("Africa/Casablanca", "30 2 * * *", next_first, utc(2024, 4, 14, 0),
                 utc(2024, 4, 14, 1200), (int64_t[]){utc(2024, 4, 14, 200), 0});
}

static void slots_repeat_after_four_hundred_years(void **state)
{
    static const char *const exprs[] = {"30 2 * * *", "30 1 * * *", "0 0 * * SUN"};
    static const char *const zones[] = {"America/New_York", "Australia/Lord_Howe",
                                        "America/Havana", "Antarctica/Troll"};
    const struct dst_choice rules[] = {skip_last, next_first, shift_first};

    (void)state;
    for (int i = 0; i < 3 * 4 * 3; i++) {
        struct cron cron = cron_of(exprs[i % 3], DIALECT_BELFRY);
        struct err err;
        struct pattern p = {.cron = &cron,
                            .tz = zone_find(NULL, str_of(zones[i / 9]), &err),
                            .dst = rules[i / 3 % 3]};
        int64_t s = utc(2040, 1, 1, 0);

        for (int n = 0; n < 800; n++) {
            int64_t found = pattern_next(&p, s);

            assert_true(pattern_next(&p, s + TZ_CYCLE_SECONDS) == found + TZ_CYCLE_SECONDS);
            assert_true(pattern_prev(&p, s + 10 * TZ_CYCLE_SECONDS) ==
                        pattern_prev(&p, s) + 10 * TZ_CYCLE_SECONDS);
            s = found + 1;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t20_a_time_without_a_clock_change_has_one_instant),
        cmocka_unit_test(t21_a_time_in_a_gap_is_skipped_or_next_or_shifted),
        cmocka_unit_test(t21_next_gives_one_slot_for_all_times_in_the_gap),
        cmocka_unit_test(t22_a_time_in_a_fold_is_the_first_the_last_or_both),
        cmocka_unit_test(t23_a_skipped_date_has_no_slots_under_any_rule),
        cmocka_unit_test(t24_named_rules_answer_as_the_table_says),
        cmocka_unit_test(t25_wildcards_in_the_time_make_an_interval_entry),
        cmocka_unit_test(t27_two_local_times_on_one_instant_are_one_slot),
        cmocka_unit_test(lord_howe_changes_by_half_an_hour),
        cmocka_unit_test(havana_changes_at_midnight_and_keeps_its_date),
        cmocka_unit_test(sao_paulo_repeats_the_last_hour_of_a_saturday),
        cmocka_unit_test(st_johns_has_two_midnights),
        cmocka_unit_test(troll_changes_by_two_hours),
        cmocka_unit_test(casablanca_changes_with_ramadan),
        cmocka_unit_test(slots_repeat_after_four_hundred_years),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
