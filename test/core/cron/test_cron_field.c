/* SPDX-License-Identifier: Apache-2.0 */
/* Single fields in every dialect.  Expected values: the documents of the dialects. */
#include "core/cron/cron_field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static enum rc parse(enum dialect dialect, enum cron_unit unit, const char *text,
                     struct cron *ret, unsigned *ret_marks, struct err *reterr)
{
    struct cron_hash hash = cron_hash(STR("build-all"));
    struct cron_context ctx = {cron_grammar(dialect), dialect, text, &hash};

    *ret = (struct cron){0};
    return cron_field_parse(&ctx, unit, str_of(text), ret, ret_marks, reterr);
}

/* Bits of a list of numbers such as "1 5 9-11"; the base is the value of bit 0. */
static void bits_of(const char *list, long base, uint64_t *ret)
{
    memset(ret, 0, 4 * sizeof *ret);
    while (*list != '\0') {
        char *end;
        long from = strtol(list, &end, 10), to = from;

        if (*end == '-')
            to = strtol(end + 1, &end, 10);
        for (long v = from - base; v <= to - base; v++)
            ret[v / 64] |= UINT64_C(1) << v % 64;
        list = end + (*end == ' ');
    }
}

static void mask_of(const struct cron *cron, enum cron_unit unit, uint64_t *ret)
{
    const uint64_t masks[UNIT_COUNT] = {
        [UNIT_SECOND] = cron->second, [UNIT_MINUTE] = cron->minute,
        [UNIT_HOUR] = cron->hour,     [UNIT_DAY] = cron->day,
        [UNIT_MONTH] = cron->month,   [UNIT_WEEKDAY] = cron->weekday,
    };

    memset(ret, 0, 4 * sizeof *ret);
    ret[0] = masks[unit];
    if (unit == UNIT_YEAR)
        memcpy(ret, cron->year, sizeof cron->year);
}

/* Weekdays in the list count from Sunday = 0 in every dialect. */
static void check(enum dialect dialect, enum cron_unit unit, const char *text, const char *list)
{
    uint64_t expected[4], found[4];
    unsigned marks;
    struct cron cron;
    struct err err;

    if (parse(dialect, unit, text, &cron, &marks, &err) != RC_OK)
        fail_msg("%s \"%s\": %s", dialect_text(dialect), text, err.text);
    bits_of(list, unit == UNIT_YEAR ? CRON_YEAR_MIN : 0, expected);
    mask_of(&cron, unit, found);
    if (memcmp(expected, found, sizeof expected) != 0)
        fail_msg("%s \"%s\" is not %s", dialect_text(dialect), text, list);
}

static void refused(enum dialect dialect, enum cron_unit unit, const char *text,
                    const char *words)
{
    unsigned marks;
    struct cron cron;
    struct err err;

    if (parse(dialect, unit, text, &cron, &marks, &err) != RC_INVALID)
        fail_msg("%s \"%s\" is accepted", dialect_text(dialect), text);
    if (!strstr(err.text, words))
        fail_msg("%s \"%s\": %s", dialect_text(dialect), text, err.text);
    assert_string_equal(err.field, cron_unit_text(unit));
    assert_true(err.at >= 0 && (size_t)(err.at + err.len) <= strlen(text));
}

static void lists_ranges_and_steps_count_as_written(void **state)
{
    const enum dialect b = DIALECT_BELFRY;

    (void)state;
    check(b, UNIT_MINUTE, "*", "0-59");
    check(b, UNIT_SECOND, "*/20", "0 20 40");
    check(b, UNIT_MINUTE, "*/35", "0 35");
    check(b, UNIT_MINUTE, "*/60", "0");
    check(b, UNIT_MINUTE, "5", "5");
    check(b, UNIT_MINUTE, "007", "7");
    check(b, UNIT_MINUTE, "1,2,59,2", "1 2 59");
    check(b, UNIT_MINUTE, "0-59", "0-59");
    check(b, UNIT_MINUTE, "50/4", "50 54 58");
    check(b, UNIT_MINUTE, "10-20/5,3", "3 10 15 20");
    check(b, UNIT_HOUR, "*/23", "0 23");
    check(b, UNIT_HOUR, "9-17", "9-17");
    check(b, UNIT_DAY, "*/16", "1 17");
    check(b, UNIT_DAY, "29-31", "29-31");
    check(b, UNIT_MONTH, "*/5", "1 6 11");
    check(b, UNIT_MONTH, "3/4", "3 7 11");
    check(b, UNIT_YEAR, "1970,2025-2027,2199", "1970 2025-2027 2199");
    check(b, UNIT_YEAR, "2190/4", "2190 2194 2198");
    check(b, UNIT_YEAR, "*", "1970-2199");
}

static void ranges_wrap_where_the_unit_has_one_length(void **state)
{
    const enum dialect b = DIALECT_BELFRY;

    (void)state;
    check(b, UNIT_HOUR, "22-4/3", "22 1 4");
    check(b, UNIT_HOUR, "23-0", "23 0");
    check(b, UNIT_MINUTE, "50-10", "50-59 0-10");
    check(b, UNIT_SECOND, "55-5/5", "55 0 5");
    check(b, UNIT_MONTH, "11-2", "11 12 1 2");
    check(b, UNIT_MONTH, "NOV-FEB/2", "11 1");
    check(b, UNIT_WEEKDAY, "FRI-MON", "5 6 0 1");
    check(b, UNIT_WEEKDAY, "6-1/2", "6 1");
    check(DIALECT_QUARTZ, UNIT_WEEKDAY, "7-1", "6 0");
    check(DIALECT_QUARTZ, UNIT_WEEKDAY, "FRI-MON", "5 6 0 1");
    check(DIALECT_QUARTZ, UNIT_MINUTE, "56-4/4", "56 0 4");
    check(DIALECT_QUARTZ, UNIT_DAY, "30-2", "30 31 1 2");
    check(DIALECT_AWS, UNIT_HOUR, "20-2", "20-23 0-2");
    refused(b, UNIT_DAY, "28-3", "write \"28-31,1-3\"");
    refused(b, UNIT_YEAR, "2030-2025", "write \"2025-2030\"");
    refused(DIALECT_QUARTZ, UNIT_YEAR, "2030-2025", "write \"2025-2030\"");
    refused(DIALECT_SPRING, UNIT_HOUR, "22-4", "write \"22-23,0-4\"");
    refused(DIALECT_VIXIE, UNIT_HOUR, "22-2", "write \"22-23,0-2\"");
    refused(DIALECT_VIXIE, UNIT_WEEKDAY, "FRI-SUN", "write \"5-7\"");
    refused(DIALECT_ROBFIG, UNIT_WEEKDAY, "FRI-SUN", "write \"5-6,0\"");
    refused(DIALECT_JENKINS, UNIT_MINUTE, "45-44", "write \"45-59,0-44\"");
    refused(DIALECT_TEMPORAL, UNIT_MONTH, "dec-jan", "write \"12,1\"");
    refused(DIALECT_POSIX, UNIT_HOUR, "22-2", "cannot wrap");
}

static void weekdays_have_the_numbers_of_their_dialect(void **state)
{
    (void)state;
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "0", "0");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "7", "0");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "5-7", "5 6 0");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "7-2", "0 1 2");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "0-7", "0-6");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "7-7", "0");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "*/2", "0 2 4 6");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "tue/2", "2 4 6");
    check(DIALECT_QUARTZ, UNIT_WEEKDAY, "1", "0");
    check(DIALECT_QUARTZ, UNIT_WEEKDAY, "7", "6");
    check(DIALECT_QUARTZ, UNIT_WEEKDAY, "SUN", "0");
    check(DIALECT_QUARTZ, UNIT_WEEKDAY, "2-6", "1-5");
    check(DIALECT_QUARTZ, UNIT_WEEKDAY, "*/2", "0 2 4 6");
    check(DIALECT_AWS, UNIT_WEEKDAY, "MON-FRI", "1-5");
    check(DIALECT_ROBFIG, UNIT_WEEKDAY, "Mon/2", "1 3 5");
    check(DIALECT_CRONIE, UNIT_WEEKDAY, "5-0", "5 6 0");
    check(DIALECT_CRONIE, UNIT_WEEKDAY, "sat-sun", "6 0");
    check(DIALECT_JENKINS, UNIT_WEEKDAY, "5-7", "5 6 0");
    refused(DIALECT_BELFRY, UNIT_WEEKDAY, "8", "out of range 0–7");
    refused(DIALECT_POSIX, UNIT_WEEKDAY, "7", "out of range 0–6");
    refused(DIALECT_ROBFIG, UNIT_WEEKDAY, "7", "out of range 0–6");
    refused(DIALECT_K8S, UNIT_WEEKDAY, "7", "out of range 0–6");
    refused(DIALECT_GITHUB, UNIT_WEEKDAY, "7", "out of range 0–6");
    refused(DIALECT_QUARTZ, UNIT_WEEKDAY, "0", "out of range 1–7");
    refused(DIALECT_AWS, UNIT_WEEKDAY, "8", "out of range 1–7");
    refused(DIALECT_CRONIE, UNIT_HOUR, "5-0", "cannot wrap");
}

/* As in Spring's CronExpression. */
static void the_week_of_spring_begins_with_monday(void **state)
{
    const enum dialect s = DIALECT_SPRING;

    (void)state;
    check(s, UNIT_WEEKDAY, "*/2", "1 3 5 0");
    check(s, UNIT_WEEKDAY, "*/3", "1 4 0");
    check(s, UNIT_WEEKDAY, "0/2", "0 2 4 6");
    check(s, UNIT_WEEKDAY, "1/2", "1 3 5 0");
    check(s, UNIT_WEEKDAY, "SAT-SUN", "6 0");
    check(s, UNIT_WEEKDAY, "SUN-TUE", "0 1 2");
    check(s, UNIT_WEEKDAY, "7-5", "0-5");
    check(s, UNIT_WEEKDAY, "7-7", "0-6");
    check(s, UNIT_WEEKDAY, "mon-fri/2", "1 3 5");
    refused(s, UNIT_WEEKDAY, "FRI-MON", "cannot wrap");
    refused(s, UNIT_WEEKDAY, "6-1", "cannot wrap");
}

/* As in the calendars of Temporal. */
static void temporal_accepts_prefixes_of_names(void **state)
{
    const enum dialect t = DIALECT_TEMPORAL;

    (void)state;
    check(t, UNIT_WEEKDAY, "MONDAY,we,Saturday", "1 3 6");
    check(t, UNIT_WEEKDAY, "wed-thurs", "3 4");
    check(t, UNIT_WEEKDAY, "su", "0");
    check(t, UNIT_MONTH, "February/5", "2 7 12");
    check(t, UNIT_MONTH, "jun-JULY", "6 7");
    check(t, UNIT_MONTH, "mar,sept", "3 9");
    refused(t, UNIT_MONTH, "ju", "is not a month");
}

static void temporal_weekday_seven_is_sunday(void **state)
{
    const enum dialect t = DIALECT_TEMPORAL;

    (void)state;
    check(t, UNIT_WEEKDAY, "7", "0");
    check(t, UNIT_WEEKDAY, "1-7", "0-6");
    check(t, UNIT_WEEKDAY, "1/1", "0-6");
    check(t, UNIT_WEEKDAY, "5-7/2", "5 0");
    check(t, UNIT_WEEKDAY, "3-7/3", "3 6");
    check(t, UNIT_WEEKDAY, "2-7/5", "2 0");
    check(t, UNIT_WEEKDAY, "2/4", "2 6");
    check(t, UNIT_MINUTE, "+5", "5");
    check(t, UNIT_YEAR, "2000,2100", "2000 2100");
    refused(t, UNIT_YEAR, "1999", "out of range 2000–2100");
    refused(t, UNIT_YEAR, "2101", "out of range 2000–2100");
    refused(t, UNIT_WEEKDAY, "6-0", "cannot wrap");
    refused(t, UNIT_WEEKDAY, "fri-sun", "write \"5-7\"");
    refused(t, UNIT_WEEKDAY, "s", "is not a weekday");
    refused(t, UNIT_WEEKDAY, "mondays", "is not a weekday");
    refused(t, UNIT_MONTH, "ja", "is not a month");
    refused(t, UNIT_MONTH, "mon", "is not a month");
    refused(t, UNIT_DAY, "L", "is not a day of the month");
    refused(t, UNIT_MINUTE, "-5", "is not a minute");
    refused(t, UNIT_MINUTE, "1-5-7", "unexpected \"-\"");
    refused(t, UNIT_MINUTE, "2/3/5", "unexpected \"/\"");
    refused(t, UNIT_WEEKDAY, "?", "has no \"?\"; use \"*\"");
}

static void names_have_three_letters_in_any_case(void **state)
{
    (void)state;
    check(DIALECT_BELFRY, UNIT_MONTH, "jan,FEB,Mar", "1 2 3");
    check(DIALECT_BELFRY, UNIT_MONTH, "FEB-NOV/3", "2 5 8 11");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "MON-5", "1-5");
    check(DIALECT_SPRING, UNIT_WEEKDAY, "1,WED,5", "1 3 5");
    check(DIALECT_VIXIE, UNIT_WEEKDAY, "mon-FRI", "1-5");
    refused(DIALECT_BELFRY, UNIT_WEEKDAY, "MO", "\"MO\" is not a weekday; use 0–7 or SUN–SAT");
    refused(DIALECT_BELFRY, UNIT_WEEKDAY, "monday", "\"monday\" is not a weekday; use \"MON\"");
    refused(DIALECT_BELFRY, UNIT_MONTH, "sept", "\"sept\" is not a month; use \"SEP\"");
    refused(DIALECT_BELFRY, UNIT_MONTH, "MON", "\"MON\" is not a month; use 1–12 or JAN–DEC");
    refused(DIALECT_BELFRY, UNIT_DAY, "TUE", "\"TUE\" is not a day of the month; use 1–31");
    refused(DIALECT_BELFRY, UNIT_HOUR, "noon", "\"noon\" is not an hour; use 0–23");
    refused(DIALECT_QUARTZ, UNIT_WEEKDAY, "MONDAYS", "use \"MON\"");
    refused(DIALECT_QUARTZ, UNIT_MONTH, "FEB-NOV/3", "ignores a step after a name");
    refused(DIALECT_QUARTZ, UNIT_WEEKDAY, "MON-5", "write \"2-5\"");
    refused(DIALECT_POSIX, UNIT_MONTH, "JAN", "use 1–12");
    refused(DIALECT_JENKINS, UNIT_WEEKDAY, "MON", "use 0–7");
}

static void steps_keep_to_the_limits_of_the_dialect(void **state)
{
    (void)state;
    check(DIALECT_SPRING, UNIT_MINUTE, "*/61", "0");
    check(DIALECT_ROBFIG, UNIT_HOUR, "*/24", "0");
    check(DIALECT_ROBFIG, UNIT_HOUR, "5/2147483646", "5");
    check(DIALECT_JENKINS, UNIT_DAY, "*/31", "1");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "6-6/4", "6");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "*/7", "0");
    check(DIALECT_QUARTZ, UNIT_MINUTE, "*/59", "0 59");
    check(DIALECT_QUARTZ, UNIT_MINUTE, "/20", "0 20 40");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "*/61", "use \"@every 61m\"");
    refused(DIALECT_BELFRY, UNIT_SECOND, "*/90", "for every 90 seconds use \"@every 90s\"");
    refused(DIALECT_BELFRY, UNIT_HOUR, "0/48", "for every 48 hours use \"@every 48h\"");
    refused(DIALECT_BELFRY, UNIT_WEEKDAY, "*/8", "use at most 7");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "*/99999999999", "use at most 60");
    refused(DIALECT_QUARTZ, UNIT_MINUTE, "*/60", "use at most 59");
    refused(DIALECT_QUARTZ, UNIT_HOUR, "*/24", "use at most 23");
    refused(DIALECT_QUARTZ, UNIT_MINUTE, "*/0", "step must be at least 1");
    refused(DIALECT_ROBFIG, UNIT_MINUTE, "*/99999999999", "exceeds the minute field");
    refused(DIALECT_VIXIE, UNIT_DAY, "4/9", "write \"4-31/9\"");
    refused(DIALECT_CRONIE, UNIT_MONTH, "1/13", "after a range or \"*\"");
    refused(DIALECT_JENKINS, UNIT_MINUTE, "5/10", "write \"5-59/10\"");
    refused(DIALECT_POSIX, UNIT_MINUTE, "*/5", "\"*\" is a whole field");
    refused(DIALECT_POSIX, UNIT_MINUTE, "1-9/2", "has no steps; list the values");
    refused(DIALECT_POSIX, UNIT_MINUTE, "1,*", "\"*\" is a whole field");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "/5", "is not a minute");
}

static void check_special(enum dialect dialect, enum cron_unit unit, const char *text,
                          struct cron expected)
{
    unsigned marks;
    struct cron cron;
    struct err err;

    if (parse(dialect, unit, text, &cron, &marks, &err) != RC_OK)
        fail_msg("%s \"%s\": %s", dialect_text(dialect), text, err.text);
    assert_int_equal(cron.day, expected.day);
    assert_int_equal(cron.last, expected.last);
    assert_int_equal(cron.last_near, expected.last_near);
    assert_int_equal(cron.near, expected.near);
    assert_int_equal(cron.weekday, expected.weekday);
    assert_memory_equal(cron.nth, expected.nth, sizeof cron.nth);
}

static void days_may_count_from_the_end_or_mean_the_nearest_weekday(void **state)
{
    const enum dialect b = DIALECT_BELFRY;

    (void)state;
    check_special(b, UNIT_DAY, "L", (struct cron){.last = 1 << 0});
    check_special(b, UNIT_DAY, "l", (struct cron){.last = 1 << 0});
    check_special(b, UNIT_DAY, "L-30", (struct cron){.last = 1 << 30});
    check_special(b, UNIT_DAY, "LW", (struct cron){.last_near = 1 << 0});
    check_special(b, UNIT_DAY, "L-3W", (struct cron){.last_near = 1 << 3});
    check_special(b, UNIT_DAY, "15W", (struct cron){.near = 1 << 15});
    check_special(b, UNIT_DAY, "1,L,15w,LW,L-2,20-21",
                  (struct cron){.day = 1 << 1 | 1 << 20 | 1 << 21,
                                .last = 1 << 0 | 1 << 2,
                                .near = 1 << 15,
                                .last_near = 1 << 0});
    check_special(DIALECT_SPRING, UNIT_DAY, "1W,15,LW",
                  (struct cron){.day = 1 << 15, .near = 1 << 1, .last_near = 1 << 0});
    check_special(DIALECT_SPRING, UNIT_DAY, "L-31", (struct cron){0});
    refused(b, UNIT_DAY, "L-0", "use 1–30");
    refused(b, UNIT_DAY, "L-31", "use 1–30");
    refused(b, UNIT_DAY, "L-a", "use 1–30");
    refused(b, UNIT_DAY, "L-", "use 1–30");
    refused(b, UNIT_DAY, "L/2", "takes no range or step");
    refused(b, UNIT_DAY, "LL", "is not a day of the month");
    refused(b, UNIT_DAY, "L3", "nothing after it");
    refused(b, UNIT_DAY, "5L", "unexpected \"L\" after \"5\"");
    refused(b, UNIT_DAY, "W", "is not a day of the month");
    refused(b, UNIT_DAY, "32W", "out of range 1–31");
    refused(b, UNIT_DAY, "1-5W", "\"W\" takes a single day");
    refused(b, UNIT_DAY, "1/2w", "\"W\" takes a single day");
    refused(b, UNIT_MONTH, "LW", "is not a month");
    refused(DIALECT_SPRING, UNIT_DAY, "l", "is not a day of the month");
    refused(DIALECT_SPRING, UNIT_DAY, "15w", "unexpected \"w\"");
    refused(DIALECT_SPRING, UNIT_DAY, "L-3W", "nothing after it");
    refused(DIALECT_VIXIE, UNIT_DAY, "L", "is not a day of the month");
}

static void weekdays_may_be_the_last_or_the_nth_of_the_month(void **state)
{
    const enum dialect b = DIALECT_BELFRY;

    (void)state;
    check_special(b, UNIT_WEEKDAY, "5L", (struct cron){.nth = {[0] = 1 << 5}});
    check_special(b, UNIT_WEEKDAY, "friL", (struct cron){.nth = {[0] = 1 << 5}});
    check_special(b, UNIT_WEEKDAY, "7L", (struct cron){.nth = {[0] = 1 << 0}});
    check_special(b, UNIT_WEEKDAY, "FRI#L", (struct cron){.nth = {[0] = 1 << 5}});
    check_special(b, UNIT_WEEKDAY, "MON#1,2#5,WED",
                  (struct cron){.weekday = 1 << 3, .nth = {[1] = 1 << 1, [5] = 1 << 2}});
    check_special(DIALECT_QUARTZ, UNIT_WEEKDAY, "6#3", (struct cron){.nth = {[3] = 1 << 5}});
    check_special(DIALECT_QUARTZ, UNIT_WEEKDAY, "SATL", (struct cron){.nth = {[0] = 1 << 6}});
    check_special(DIALECT_QUARTZ, UNIT_WEEKDAY, "L", (struct cron){.weekday = 1 << 6});
    check_special(DIALECT_SPRING, UNIT_WEEKDAY, "0#1", (struct cron){.nth = {[1] = 1 << 0}});
    check_special(DIALECT_SPRING, UNIT_WEEKDAY, "5#6", (struct cron){0});
    refused(b, UNIT_WEEKDAY, "L", "\"5L\" is the last Friday");
    refused(b, UNIT_WEEKDAY, "5#6", "at most five");
    refused(b, UNIT_WEEKDAY, "5#0", "write 1–5");
    refused(b, UNIT_WEEKDAY, "5#", "write 1–5");
    refused(b, UNIT_WEEKDAY, "5#1#2", "nothing after it");
    refused(b, UNIT_WEEKDAY, "5#1.5", "nothing after it");
    refused(b, UNIT_WEEKDAY, "#5", "is not a weekday");
    refused(b, UNIT_WEEKDAY, "1-5L", "unexpected \"L\"");
    refused(b, UNIT_WEEKDAY, "1W", "unexpected \"W\"");
    refused(DIALECT_SPRING, UNIT_WEEKDAY, "5#L", "write 1–5");
    refused(DIALECT_AWS, UNIT_WEEKDAY, "3#1,6#3", "is a whole field");
    refused(DIALECT_QUARTZ, UNIT_WEEKDAY, "2,3L", "is a whole field");
    refused(DIALECT_ROBFIG, UNIT_WEEKDAY, "5L", "unexpected \"L\"");
}

/* The first draw of Jenkins for the seed "build-all": 59 below 60, 14 below 15. */
static void hashed_values_are_drawn_within_their_range(void **state)
{
    (void)state;
    check(DIALECT_JENKINS, UNIT_MINUTE, "H", "59");
    check(DIALECT_BELFRY, UNIT_MINUTE, "h", "59");
    check(DIALECT_JENKINS, UNIT_MINUTE, "H/15", "14 29 44 59");
    check(DIALECT_BELFRY, UNIT_MINUTE, "0~59", "59");
    check(DIALECT_CRONIE, UNIT_MINUTE, "~", "59");
    check(DIALECT_CRONIE, UNIT_MINUTE, "~59", "59");
    check(DIALECT_CRONIE, UNIT_MINUTE, "0~", "59");
    refused(DIALECT_JENKINS, UNIT_MINUTE, "h", "is not a minute");
    refused(DIALECT_JENKINS, UNIT_MINUTE, "0~59", "unexpected \"~\"");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "~", "is not a minute");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "5~", "a minute is missing");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "9~5", "write 5 first, then 9");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "H(9-5)", "write 5 first, then 9");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "H(5)", "\"-\" is missing");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "H(5-9", "\")\" is missing");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "H(5-60)", "out of range 0–59");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "H(0-9)/11", "use at most 10");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "H/61", "exceeds the minute field");
    refused(DIALECT_BELFRY, UNIT_MINUTE, "H-5", "unexpected \"-\"");
    refused(DIALECT_BELFRY, UNIT_YEAR, "H", "cannot choose a year");
    refused(DIALECT_BELFRY, UNIT_YEAR, "2025~2030", "cannot choose a year");
    refused(DIALECT_SPRING, UNIT_MINUTE, "H", "is not a minute");
}

static void question_marks_are_accepted_where_the_dialect_has_them(void **state)
{
    (void)state;
    check(DIALECT_BELFRY, UNIT_DAY, "?", "1-31");
    check(DIALECT_BELFRY, UNIT_WEEKDAY, "?", "0-6");
    check(DIALECT_ROBFIG, UNIT_HOUR, "?", "0-23");
    check(DIALECT_ROBFIG, UNIT_HOUR, "?/12", "0 12");
    refused(DIALECT_BELFRY, UNIT_HOUR, "?", "day-of-month or day-of-week; use \"*\"");
    refused(DIALECT_BELFRY, UNIT_DAY, "?,15", "\"?\" is a whole field");
    refused(DIALECT_BELFRY, UNIT_WEEKDAY, "?/2", "\"?\" is a whole field");
    refused(DIALECT_VIXIE, UNIT_DAY, "?", "has no \"?\"; use \"*\"");
}

static void check_marks(enum dialect dialect, enum cron_unit unit, const char *text,
                        unsigned expected)
{
    unsigned marks = 0;
    struct cron cron;
    struct err err;

    assert_int_equal(parse(dialect, unit, text, &cron, &marks, &err), RC_OK);
    if (marks != expected)
        fail_msg("\"%s\" has marks %x, expected %x", text, marks, expected);
}

static void marks_describe_how_a_field_was_written(void **state)
{
    const enum dialect b = DIALECT_BELFRY;
    const unsigned star = FIELD_STAR | FIELD_INTERVAL, text = FIELD_STAR_FIRST;

    (void)state;
    check_marks(b, UNIT_DAY, "*", star | text);
    check_marks(b, UNIT_DAY, "*/1", star | text);
    check_marks(b, UNIT_DAY, "?", star | FIELD_QUERY);
    check_marks(b, UNIT_DAY, "*/2", FIELD_STAR_STEPS | FIELD_INTERVAL | text);
    check_marks(b, UNIT_DAY, "1,*/2", FIELD_LIST | FIELD_INTERVAL);
    check_marks(b, UNIT_DAY, "1,*", star | FIELD_LIST);
    check_marks(b, UNIT_DAY, "1,2", FIELD_LIST);
    check_marks(b, UNIT_DAY, "1-2", FIELD_INTERVAL);
    check_marks(b, UNIT_WEEKDAY, "+1", FIELD_AND);
    check_marks(b, UNIT_WEEKDAY, "+*/2", FIELD_AND | FIELD_STAR_STEPS | FIELD_INTERVAL);
    check_marks(b, UNIT_MINUTE, "H", 0);
    check_marks(b, UNIT_MINUTE, "H(0-7)", 0);
    check_marks(b, UNIT_MINUTE, "1~5", 0);
    check_marks(b, UNIT_MINUTE, "H/5", FIELD_INTERVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_ranges_and_steps_count_as_written),
        cmocka_unit_test(ranges_wrap_where_the_unit_has_one_length),
        cmocka_unit_test(weekdays_have_the_numbers_of_their_dialect),
        cmocka_unit_test(the_week_of_spring_begins_with_monday),
        cmocka_unit_test(temporal_accepts_prefixes_of_names),
        cmocka_unit_test(temporal_weekday_seven_is_sunday),
        cmocka_unit_test(names_have_three_letters_in_any_case),
        cmocka_unit_test(steps_keep_to_the_limits_of_the_dialect),
        cmocka_unit_test(days_may_count_from_the_end_or_mean_the_nearest_weekday),
        cmocka_unit_test(weekdays_may_be_the_last_or_the_nth_of_the_month),
        cmocka_unit_test(hashed_values_are_drawn_within_their_range),
        cmocka_unit_test(question_marks_are_accepted_where_the_dialect_has_them),
        cmocka_unit_test(marks_describe_how_a_field_was_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
