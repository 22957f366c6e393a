/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions in English: sentences that a careful writer would choose, and the guarantee that
 * two different patterns never have the same description.
 */
#include "core/describe/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/cron/cron_parse.h"
#include "core/oncalendar/oncalendar.h"

struct sentence {
    const char *expr, *english;
};

static void assert_descriptions(enum dialect dialect, const struct sentence *table,
                                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[DESCRIBE_CRON_MAX];
        struct buf out = BUF(text);
        struct cron_text parsed;
        struct err err;

        if (cron_parse(str_of(table[i].expr), dialect, STR(""), &parsed, &err) != RC_OK)
            fail_msg("%s: %s", table[i].expr, err.text);
        describe_cron(&parsed.cron, &out);
        if (strcmp(text, table[i].english) != 0)
            fail_msg("%s\n  says   %s\n  wanted %s", table[i].expr, text, table[i].english);
    }
}

#define ASSERT_DESCRIPTIONS(dialect, table) \
    assert_descriptions(dialect, table, sizeof(table) / sizeof(table)[0])

static void times_of_day_are_written_as_clocks_show_them(void **state)
{
    static const struct sentence table[] = {
        {"30 2 * * *", "At 02:30 every day"},
        {"0 9,17 * * *", "At 09:00 and 17:00 every day"},
        {"0 */6 * * *", "At 00:00, 06:00, 12:00 and 18:00 every day"},
        {"0 1,3,4,9,12 * * *", "At 01:00, 03:00, 04:00, 09:00 and 12:00 every day"},
        {"10 30 9 * * *", "At 09:30:10 every day"},
        {"0 9 * 5 *", "At 09:00 every day, in May"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_BELFRY, table);
}

static void even_steps_have_their_first_and_last_time(void **state)
{
    static const struct sentence table[] = {
        {"* * * * *", "Every minute"},
        {"* * * * * *", "Every second"},
        {"*/10 * * * * *", "Every 10 seconds"},
        {"*/15 * * * *", "Every 15 minutes"},
        {"*/15 9-17 * * 1-5", "Every 15 minutes from 09:00 to 17:45 on weekdays"},
        {"0,30 9-17 * * *", "Every 30 minutes from 09:00 to 17:30"},
        {"* 9 * * *", "Every minute from 09:00 to 09:59"},
        {"0-10 9 * * *", "Every minute from 09:00 to 09:10"},
        {"*/7 9 * * *", "Every 7 minutes from 09:00 to 09:56"},
        {"*/15 9-11,14-16 * * *",
         "Every 15 minutes from 09:00 to 11:45 and from 14:00 to 16:45"},
        {"*/10 30 9 * * *", "Every 10 seconds from 09:30:00 to 09:30:50"},
        {"0 * * * *", "Every hour, on the hour"},
        {"5 * * * *", "Every hour at minute 5"},
        {"0 9-17 * * 1-5", "Every hour from 09:00 to 17:00 on weekdays"},
        {"0 */2 * * *", "Every 2 hours from 00:00 to 22:00"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_BELFRY, table);
}

static void a_period_over_midnight_is_joined_only_if_every_day_has_it(void **state)
{
    static const struct sentence table[] = {
        {"*/5 22-4 * * *", "Every 5 minutes from 22:00 to 04:55"},
        {"0 22-4 * * *", "Every hour from 22:00 to 04:00"},
        {"* 22-4 * * 1-5",
         "Every minute from 00:00 to 04:59 and from 22:00 to 23:59 on weekdays"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_BELFRY, table);
}

static void uneven_sets_are_written_as_lists(void **state)
{
    static const struct sentence table[] = {
        {"*/35 * * * *", "At minutes 0 and 35 of every hour"},
        {"*/7 * * * *", "At every 7th minute from 0 to 56 of every hour"},
        {"5/7 9-17 * * *", "At every 7th minute from 5 to 54 of hours 9 to 17"},
        {"5-59/15 * * * *", "At minutes 5, 20, 35 and 50 of every hour"},
        {"1-3,5,8,13,21,34,55 9,11,14-16 * * *",
         "At minutes 1 to 3, 5, 8, 13, 21, 34 and 55 of hours 9, 11 and 14 to 16"},
        {"30 * * * * *", "At second 30 of every minute"},
        {"5/10 * * * * *", "At every 10th second from 5 to 55 of every minute"},
        {"*/10 9-10 * * * *", "Every 10 seconds of minutes 9 and 10 of every hour"},
        {"10 30 * * * *", "At second 10 of minute 30 of every hour"},
        {"*/15 */2 * * *", "Every 15 minutes of every 2nd hour from 0 to 22"},
        {"1,3,6,8,11,13,16,18,21,23,26,28,31,33,36 * * * *",
         "At minutes 1, 3, 6, 8, 11, 13, 16, 18, 21, 23, 26 and 4 more of every hour"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_BELFRY, table);
}

static void days_of_the_month_are_ordinals(void **state)
{
    static const struct sentence table[] = {
        {"0 0 1 * *", "At 00:00 on the 1st of the month"},
        {"0 0 1,15 * *", "At 00:00 on the 1st and the 15th of the month"},
        {"0 0 2-4,22,23 * *",
         "At 00:00 on the 2nd to the 4th, the 22nd and the 23rd of the month"},
        {"0 0 1-31/2 * *", "At 00:00 on every 2nd day from the 1st to the 31st of the month"},
        {"0 0 L * *", "At 00:00 on the last day of the month"},
        {"0 0 L-3 * *", "At 00:00 on the 3rd day before the last day of the month"},
        {"0 0 LW * *", "At 00:00 on the last weekday of the month"},
        {"0 12 15W * *", "At 12:00 on the weekday nearest the 15th of the month"},
        {"0 0 1,L * *", "At 00:00 on the 1st and the last day of the month"},
        {"0 0 11-13 * *", "At 00:00 on the 11th to the 13th of the month"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_BELFRY, table);
}

static void days_of_the_week_begin_with_monday(void **state)
{
    static const struct sentence table[] = {
        {"0 0 * * 1-5", "At 00:00 on weekdays"},
        {"0 0 * * FRI", "At 00:00 on Fridays"},
        {"0 0 * * SUN,SAT", "At 00:00 on Saturdays and Sundays"},
        {"0 0 * * 5,1,3", "At 00:00 on Mondays, Wednesdays and Fridays"},
        {"0 0 * * 1-6", "At 00:00 every day except Sunday"},
        {"0 0 * * 5L", "At 00:00 on the last Friday of the month"},
        {"0 9 * 1,7 TUE#2", "At 09:00 on the second Tuesday of the month, in January and July"},
        {"0 0 * * MON#1,MON#3", "At 00:00 on the first and third Monday of the month"},
        {"0 0 * * MON,TUE#2", "At 00:00 on Mondays and the second Tuesday of the month"},
        {"* * * * MON", "Every minute on Mondays"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_BELFRY, table);
}

static void either_day_and_both_days_are_worded_differently(void **state)
{
    static const struct sentence table[] = {
        {"0 0 1 * FRI", "At 00:00 on the 1st and on every Friday"},
        {"0 0 13 * +FRI", "At 00:00 on the 13th if it is a Friday"},
        {"0 0 13 * 1-5", "At 00:00 on the 13th and on every weekday"},
        {"0 0 13,14 * +1-6", "At 00:00 on the 13th and the 14th if it is not a Sunday"},
        {"0 0 L * +SAT,SUN",
         "At 00:00 on the last day of the month if it is a Saturday or a Sunday"},
        {"0 0 1 1 FRI", "At 00:00 on the 1st and on every Friday, in January"},
        {"0 0 13 1 +FRI", "At 00:00 on 13 January if it is a Friday"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_BELFRY, table);
}

static void months_and_years_come_last(void **state)
{
    static const struct sentence table[] = {
        {"0 0 1 1 *", "At 00:00 on 1 January"},
        {"0 0 1,15 1 *", "At 00:00 on the 1st and the 15th of January"},
        {"0 0 L 2 *", "At 00:00 on the last day of February"},
        {"0 0 * 3-10 *", "At 00:00 every day, from March to October"},
        {"0 0 * 11-2 *", "At 00:00 every day, from November to February"},
        {"0 0 * */3 *", "At 00:00 every day, in January, April, July and October"},
        {"0 0 12 25 12 * 2027", "At 12:00 on 25 December 2027"},
        {"0 0 12 * 5 * 2027", "At 12:00 every day, in May 2027"},
        {"0 0 12 * * * 2027-2030", "At 12:00 every day, from 2027 to 2030"},
        {"0 0 12 1 * * 2027,2028", "At 12:00 on the 1st of the month, in 2027 and 2028"},
        {"0 0 12 * * * 2026/2", "At 12:00 every day, every 2nd year from 2026 to 2198"},
        {"0 0 30 2 *", "At 00:00 on 30 February (no such day exists)"},
        {"0 0 29 2 *", "At 00:00 on 29 February"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_BELFRY, table);
}

static void other_dialects_keep_their_own_meaning(void **state)
{
    static const struct sentence quartz[] = {
        {"0 0 12 ? * 6L", "At 12:00 on the last Friday of the month"},
        {"0 15 10 ? * MON-FRI", "At 10:15 on weekdays"},
        {"0 15 10 15 * ?", "At 10:15 on the 15th of the month"},
        {"0 0/5 14,18 * * ?", "Every 5 minutes from 14:00 to 14:55 and from 18:00 to 18:55"},
    };
    static const struct sentence spring[] = {
        {"0 0 0 13 * FRI", "At 00:00 on the 13th if it is a Friday"},
    };
    static const struct sentence vixie[] = {
        {"0 0 13 * FRI", "At 00:00 on the 13th and on every Friday"},
        {"@weekly", "At 00:00 on Sundays"},
    };

    (void)state;
    ASSERT_DESCRIPTIONS(DIALECT_QUARTZ, quartz);
    ASSERT_DESCRIPTIONS(DIALECT_SPRING, spring);
    ASSERT_DESCRIPTIONS(DIALECT_VIXIE, vixie);
}

static void fractions_of_a_second_are_described(void **state)
{
    static const struct sentence table[] = {
        {"*:0/15:10.5", "At second 10.5 of minutes 0, 15, 30 and 45 of every hour"},
        {"Mon..Fri *-*~01 18:00", "At 18:00 on the last day of the month if it is a weekday"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[DESCRIBE_CRON_MAX];
        struct buf out = BUF(text);
        struct cron cron;
        struct str zone;
        struct err err;

        assert_int_equal(oncalendar_parse(str_of(table[i].expr), &cron, &zone, &err), RC_OK);
        describe_cron(&cron, &out);
        assert_string_equal(text, table[i].english);
    }
}

static void recurrence_rules_are_described(void **state)
{
    static const struct sentence table[] = {
        {"DTSTART:20260105T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR",
         "Every 2 weeks on Mondays and Fridays at 09:00, beginning at 09:00 on 5 January 2026"},
        {"DTSTART:20260105T090000\nRRULE:FREQ=WEEKLY",
         "Every week on Mondays at 09:00, beginning at 09:00 on 5 January 2026"},
        {"DTSTART:20260131T120000\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1,-1;COUNT=10",
         "Every month on the 1st and the last day of the month at 12:00, beginning at 12:00 on "
         "31 January 2026, 10 times in total"},
        {"DTSTART:20260101T000000\nRRULE:FREQ=YEARLY;UNTIL=20300101T000000",
         "Every year on 1 January at 00:00, beginning at 00:00 on 1 January 2026, until 00:00 "
         "on 1 January 2030"},
        {"DTSTART:20260101T000000\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
         "Every month on weekdays at 00:00, of these only the last of each month, beginning at "
         "00:00 on 1 January 2026"},
        {"DTSTART:20260101T001500\nRRULE:FREQ=HOURLY;INTERVAL=3;BYHOUR=9,12,15",
         "Every 3 hours at minute 15 in hours 9, 12 and 15, beginning at 00:15 on 1 January "
         "2026"},
        {"DTSTART:20260101T000000\nRRULE:FREQ=YEARLY;BYDAY=20MO",
         "Every year on the 20th Monday of the year at 00:00, beginning at 00:00 on 1 January "
         "2026"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[DESCRIBE_CRON_MAX];
        struct buf out = BUF(text);
        struct rrule rule;
        struct str zone;
        struct err err;

        if (rrule_parse(str_of(table[i].expr), &rule, &zone, &err) != RC_OK)
            fail_msg("%s: %s", table[i].expr, err.text);
        describe_rrule(&rule, &out);
        assert_string_equal(text, table[i].english);
    }
}

static uint64_t random_state = 2463534242u;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Few bits, many bits or nearly all, but at least one. */
static uint64_t random_set(int first, int last)
{
    uint64_t all = (~UINT64_C(0) >> (63 - last)) & (~UINT64_C(0) << first);
    uint64_t bits = random_bits() & all;

    if (random_bits() % 3 == 0)
        bits &= random_bits() & random_bits() & random_bits();
    else if (random_bits() % 3 == 0)
        bits |= (random_bits() | random_bits() | random_bits()) & all;
    if (random_bits() % 4 == 0)
        bits = all;
    return bits ? bits : UINT64_C(1) << first;
}

static struct cron random_cron(void)
{
    struct cron cron = cron_every_second();

    cron.second = random_bits() % 2 ? 1 : random_set(0, 59);
    cron.minute = random_set(0, 59);
    cron.hour = (uint32_t)random_set(0, 23);
    cron.day = (uint32_t)random_set(1, 31);
    cron.month = (uint16_t)random_set(1, 12);
    cron.weekday = (uint8_t)random_set(0, 6);
    if (random_bits() % 4 == 0 && cron.day != UINT32_C(0xfffffffe)) {
        cron.last = (uint32_t)(random_bits() & random_bits() & random_bits() & 0xff);
        cron.near = (uint32_t)(random_bits() & random_bits() & random_bits() & 0xfe);
        cron.last_near = (uint32_t)(random_bits() & random_bits() & random_bits() & 0xff);
    }
    if (random_bits() % 4 == 0 && cron.weekday != 0x7f)
        for (int i = 0; i < 6; i++)
            cron.nth[i] = (uint8_t)(random_bits() & random_bits() & random_bits() & 0x7f);
    if (random_bits() % 4 == 0) {
        cron.flags &= (uint8_t)~CRON_ANY_YEAR;
        for (int i = 0; i < 3; i++)
            cron.year[i] = random_bits() & random_bits() & random_bits() & random_bits();
        cron.year[0] |= 1;
    }
    if (cron.day != UINT32_C(0xfffffffe) && cron.weekday != 0x7f && random_bits() % 2)
        cron.flags &= (uint8_t)~CRON_DAY_AND;
    cron_seal(&cron);
    return cron;
}

/* Changes the pattern by one bit of one field. */
static void change_one_bit(struct cron *cron)
{
    switch (random_bits() % 5) {
    case 0:
        cron->second ^= UINT64_C(1) << random_bits() % 60;
        break;
    case 1:
        cron->minute ^= UINT64_C(1) << random_bits() % 60;
        break;
    case 2:
        cron->hour ^= UINT32_C(1) << random_bits() % 24;
        break;
    case 3:
        cron->day ^= UINT32_C(2) << random_bits() % 31;
        break;
    default:
        cron->month ^= (uint16_t)(2u << random_bits() % 12);
        break;
    }
}

static bool has_no_empty_field(const struct cron *cron)
{
    return cron->second && cron->minute && cron->hour && cron->month && cron->day;
}

static void different_patterns_have_different_descriptions(void **state)
{
    int compared = 0;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        char text[DESCRIBE_CRON_MAX], other[DESCRIBE_CRON_MAX];
        struct buf out = BUF(text), other_out = BUF(other);
        struct cron cron = random_cron(), changed = cron;

        describe_cron(&cron, &out);
        assert_false(out.cut);
        assert_true(out.len > 10);
        change_one_bit(&changed);
        if (!has_no_empty_field(&changed))
            continue;
        cron_seal(&changed);
        describe_cron(&changed, &other_out);
        assert_false(other_out.cut);
        /* A shortened list omits items and says so. */
        if (strstr(text, " more") || strstr(other, " more"))
            continue;
        if (strcmp(text, other) == 0)
            fail_msg("two patterns have this description: %s", text);
        compared++;
    }
    assert_true(compared > 25000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_day_are_written_as_clocks_show_them),
        cmocka_unit_test(even_steps_have_their_first_and_last_time),
        cmocka_unit_test(a_period_over_midnight_is_joined_only_if_every_day_has_it),
        cmocka_unit_test(uneven_sets_are_written_as_lists),
        cmocka_unit_test(days_of_the_month_are_ordinals),
        cmocka_unit_test(days_of_the_week_begin_with_monday),
        cmocka_unit_test(either_day_and_both_days_are_worded_differently),
        cmocka_unit_test(months_and_years_come_last),
        cmocka_unit_test(other_dialects_keep_their_own_meaning),
        cmocka_unit_test(fractions_of_a_second_are_described),
        cmocka_unit_test(recurrence_rules_are_described),
        cmocka_unit_test(different_patterns_have_different_descriptions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
