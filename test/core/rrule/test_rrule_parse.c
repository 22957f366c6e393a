/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing of recurrence rules: values, defaults, and errors with their positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/cron/cron.h"
#include "core/limits.h"
#include "core/rrule/rrule.h"
#include "core/time/civil.h"

#define START "DTSTART:20240101T090000Z\n"

/* 2024-01-01T09:00:00 as a local second. */
#define NEW_YEAR INT64_C(1704099600)

static struct rrule parse(const char *text, struct str *ret_zone)
{
    struct rrule rule;
    struct err err;

    if (rrule_parse(str_of(text), &rule, ret_zone, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    assert_true(rrule_is_valid(&rule));
    return rule;
}

static struct rrule rule_of(const char *text)
{
    struct str zone;

    return parse(text, &zone);
}

static void expect_zone(const char *text, const char *zone, int64_t start)
{
    struct str found;
    struct rrule rule = parse(text, &found);

    assert_true(str_eq(found, str_of(zone)));
    assert_int_equal(rule.start, start);
}

static void dtstart_has_the_time_and_the_zone(void **state)
{
    int64_t midnight = NEW_YEAR - 9 * HOUR_SECONDS;

    (void)state;
    expect_zone("DTSTART:20240101T090000Z\nRRULE:FREQ=DAILY", "UTC", NEW_YEAR);
    expect_zone("DTSTART:20240101T090000\nRRULE:FREQ=DAILY", "", NEW_YEAR);
    expect_zone("DTSTART;TZID=Europe/Berlin:20240101T090000\nRRULE:FREQ=DAILY", "Europe/Berlin",
                NEW_YEAR);
    expect_zone("DTSTART;TZID=\"Europe/Berlin\":20240101T090000\nRRULE:FREQ=DAILY",
                "Europe/Berlin", NEW_YEAR);
    expect_zone("DTSTART;VALUE=DATE-TIME;TZID=Asia/Tokyo:20240101T090000\nFREQ=DAILY",
                "Asia/Tokyo", NEW_YEAR);
    expect_zone("DTSTART;VALUE=DATE:20240101\nRRULE:FREQ=DAILY", "", midnight);
    expect_zone("DTSTART:20240101\nRRULE:FREQ=DAILY", "", midnight);
    expect_zone("dtstart;tzid=Asia/Tokyo;value=date:20240101\nrrule:freq=daily", "Asia/Tokyo",
                midnight);
    /* RFC 5545, 3.3.12: without leap seconds, second 60 is read as 59. */
    expect_zone("DTSTART:20240101T085960Z\nRRULE:FREQ=DAILY", "UTC", NEW_YEAR - 1);
}

static void lines_come_in_any_order_and_with_any_break(void **state)
{
    static const char *const texts[] = {
        "DTSTART:20240101T090000Z\nRRULE:FREQ=DAILY;COUNT=3",
        "DTSTART:20240101T090000Z\r\nRRULE:FREQ=DAILY;COUNT=3\r\n",
        "DTSTART:20240101T090000Z\\nRRULE:FREQ=DAILY;COUNT=3\\n",
        "RRULE:FREQ=DAILY;COUNT=3\nDTSTART:20240101T090000Z",
        "FREQ=DAILY;COUNT=3\nDTSTART:20240101T090000Z\n",
        "\n\nDTSTART:20240101T090000Z\n\nFREQ=DAILY;COUNT=3",
        "DTST\n ART:20240101\r\n\tT0900\n 00Z\nRRU\n LE:FR\n EQ=DA\r\n ILY;COUN\\n T=\n 3",
        "COUNT=3;FREQ=DAILY\nDTSTART:20240101T090000Z",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct rrule rule = rule_of(texts[i]);

        assert_int_equal(rule.start, NEW_YEAR);
        assert_int_equal(rule.freq, RRULE_DAILY);
        assert_int_equal(rule.count, 3);
    }
}

static void missing_parts_have_their_defaults(void **state)
{
    struct rrule rule = rule_of(START "RRULE:FREQ=SECONDLY");

    (void)state;
    assert_int_equal(rule.freq, RRULE_SECONDLY);
    assert_int_equal(rule.interval, 1);
    assert_int_equal(rule.count, 0);
    assert_int_equal(rule.week_start, 1);
    assert_int_equal(rule.until, INSTANT_NEVER);
    assert_int_equal(rule.until_local, LOCAL_NEVER);
    assert_int_equal(rule.by_second | rule.by_minute | rule.by_hour | rule.by_month, 0);
    assert_int_equal(rule.days + rule.positions, 0);
}

static void every_part_is_read(void **state)
{
    struct rrule rule = rule_of(
        START "RRULE:FREQ=YEARLY;INTERVAL=1000000000;COUNT=10000;BYSECOND=0,60;"
              "BYMINUTE=0,59;BYHOUR=0,23;BYMONTHDAY=1,+31,-31;BYYEARDAY=1,366,-64,-366;"
              "BYWEEKNO=1,53,-53;BYMONTH=1,12;BYDAY=SU,MO,SU;BYSETPOS=1,-366,1;WKST=SA");

    (void)state;
    assert_int_equal(rule.interval, 1000000000);
    assert_int_equal(rule.count, 10000);
    assert_int_equal(rule.by_second, UINT64_C(1) | UINT64_C(1) << 60);
    assert_int_equal(rule.by_minute, UINT64_C(1) | UINT64_C(1) << 59);
    assert_int_equal(rule.by_hour, 1 | 1 << 23);
    assert_int_equal(rule.by_month_day, 2 | UINT32_C(1) << 31);
    assert_int_equal(rule.by_month_day_end, UINT32_C(1) << 31);
    assert_int_equal(rule.by_year_day[0], 2);
    assert_int_equal(rule.by_year_day[5], UINT64_C(1) << (366 - 320));
    assert_int_equal(rule.by_year_day_end[1], 1);
    assert_int_equal(rule.by_year_day_end[5], UINT64_C(1) << (366 - 320));
    assert_int_equal(rule.by_week, 2 | UINT64_C(1) << 53);
    assert_int_equal(rule.by_week_end, UINT64_C(1) << 53);
    assert_int_equal(rule.by_month, 2 | 1 << 12);
    assert_int_equal(rule.days, 2);
    assert_int_equal(rule.day[0].weekday, 0);
    assert_int_equal(rule.day[1].weekday, 1);
    assert_int_equal(rule.positions, 2);
    assert_int_equal(rule.position[0], 1);
    assert_int_equal(rule.position[1], -366);
    assert_int_equal(rule.week_start, 6);
}

static void weekdays_may_have_numbers(void **state)
{
    struct rrule rule = rule_of(START "RRULE:FREQ=MONTHLY;BYDAY=1FR,+2SA,-1SU,-53MO,TU");
    static const struct rrule_day want[] = {{1, 5}, {2, 6}, {-1, 0}, {-53, 1}, {0, 2}};

    (void)state;
    assert_int_equal(rule.days, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(rule.day[i].nth, want[i].nth);
        assert_int_equal(rule.day[i].weekday, want[i].weekday);
    }
}

static void until_is_an_instant_a_local_time_or_a_whole_day(void **state)
{
    struct rrule utc = rule_of(START "RRULE:FREQ=DAILY;UNTIL=20240101T090000Z");
    struct rrule local = rule_of(START "RRULE:FREQ=DAILY;UNTIL=20240101T090000");
    struct rrule date = rule_of(START "RRULE:FREQ=DAILY;UNTIL=20240101");

    (void)state;
    assert_int_equal(utc.until, instant_of_seconds(NEW_YEAR));
    assert_int_equal(utc.until_local, LOCAL_NEVER);
    assert_int_equal(local.until, INSTANT_NEVER);
    assert_int_equal(local.until_local, NEW_YEAR);
    assert_int_equal(date.until_local, NEW_YEAR + 15 * HOUR_SECONDS - 1);
}

/* RFC 5545, 3.3.10: "These rule parts MUST be ignored". */
static void a_date_has_no_times_of_day(void **state)
{
    struct rrule rule = rule_of("DTSTART;VALUE=DATE:20240101\n"
                                "RRULE:FREQ=DAILY;BYHOUR=3;BYMINUTE=4;BYSECOND=5");

    (void)state;
    assert_int_equal(rule.by_hour | rule.by_minute | rule.by_second, 0);
    assert_int_equal(rrule_next_local(&rule, NEW_YEAR), NEW_YEAR + 15 * HOUR_SECONDS);
}

/* ---- refusals ---- */

static const struct {
    const char *text; /* the place of the error is marked with ^ */
    const char *field, *says;
} wrong[] = {
    {"^", "", "a rule is missing"},
    {"DTSTART:20240101T090000Z^", "", "a rule is missing"},
    {"^RRULE:FREQ=DAILY", "", "DTSTART is missing"},
    {START "RRULE:^", "", "FREQ=DAILY"},
    {START "RRULE:FREQ^ DAILY", "FREQ", "expected \"=\""},
    {START "RRULE:FREQ=^FOO", "FREQ", "SECONDLY, MINUTELY, HOURLY"},
    {START "RRULE:^INTERVAL=2", "FREQ", "needs FREQ"},
    {START "RRULE:FREQ=DAILY;^", "", "ends too early"},
    {START "RRULE:FREQ=DAILY;^ COUNT=3", "", "unexpected blank"},
    {START "RRULE:FREQ=DAILY^ ", "FREQ", "expected \";\""},
    {START "RRULE:FREQ=DAILY;^FREQ=DAILY", "FREQ", "twice"},
    {START "RRULE:FREQ=DAILY;^BYDAYS=MO", "", "did you mean BYDAY?"},
    {START "RRULE:FREQ=DAILY;^X-NAME=1", "", "not a part of a rule"},
    {START "RRULE:FREQ=DAILY;^RSCALE=GREGORIAN", "", "not a part of a rule"},
    {START "RRULE:FREQ=DAILY;INTERVAL=^0", "INTERVAL", "from 1 to 1000000000"},
    {START "RRULE:FREQ=DAILY;INTERVAL=^1000000001", "INTERVAL", "from 1 to 1000000000"},
    {START "RRULE:FREQ=DAILY;INTERVAL=^99999999999999999999999", "INTERVAL", "from 1 to"},
    {START "RRULE:FREQ=DAILY;INTERVAL=^-1", "INTERVAL", "unexpected \"-\""},
    {START "RRULE:FREQ=DAILY;COUNT=^0", "COUNT", "from 1 to 10000"},
    {START "RRULE:FREQ=DAILY;COUNT=^10001", "COUNT", "from 1 to 10000"},
    {START "RRULE:FREQ=DAILY;COUNT=^", "COUNT", "a whole number"},
    {START "RRULE:FREQ=DAILY;UNTIL=20240105;^COUNT=3", "COUNT", "exclude each other"},
    {START "RRULE:FREQ=DAILY;UNTIL=^20240230", "UNTIL", "2024-02-30 is not a date"},
    {START "RRULE:FREQ=DAILY;UNTIL=20240105T^240000", "UNTIL", "24:00:00 is not a time"},
    {START "RRULE:FREQ=DAILY;UNTIL=2024^-01-05", "UNTIL", "20270131T090000"},
    {START "RRULE:FREQ=DAILY;BYSECOND=^61", "BYSECOND", "0 to 60"},
    {START "RRULE:FREQ=DAILY;BYMINUTE=^60", "BYMINUTE", "0 to 59"},
    {START "RRULE:FREQ=DAILY;BYMINUTE=0,^60", "BYMINUTE", "0 to 59"},
    {START "RRULE:FREQ=DAILY;BYHOUR=^24", "BYHOUR", "0 to 23"},
    {START "RRULE:FREQ=DAILY;BYHOUR=^-1", "BYHOUR", "expected a number"},
    {START "RRULE:FREQ=DAILY;BYHOUR=1,^", "BYHOUR", "expected a number"},
    {START "RRULE:FREQ=DAILY;BYHOUR=1,^,2", "BYHOUR", "expected a number"},
    {START "RRULE:FREQ=DAILY;BYMONTH=^0", "BYMONTH", "1 to 12"},
    {START "RRULE:FREQ=DAILY;BYMONTH=^13", "BYMONTH", "1 to 12"},
    {START "RRULE:FREQ=DAILY;BYMONTHDAY=^32", "BYMONTHDAY", "1 to 31, or -31 to -1"},
    {START "RRULE:FREQ=DAILY;BYMONTHDAY=^0", "BYMONTHDAY", "1 to 31, or -31 to -1"},
    {START "RRULE:FREQ=DAILY;BYMONTHDAY=^-32", "BYMONTHDAY", "1 to 31, or -31 to -1"},
    {START "RRULE:FREQ=YEARLY;BYYEARDAY=^367", "BYYEARDAY", "1 to 366"},
    {START "RRULE:FREQ=YEARLY;BYWEEKNO=^54", "BYWEEKNO", "1 to 53"},
    {START "RRULE:FREQ=YEARLY;BYMONTH=1;BYSETPOS=^0", "BYSETPOS", "1 to 366"},
    {START "RRULE:FREQ=DAILY;BYDAY=^", "BYDAY", "MO, TU, WE"},
    {START "RRULE:FREQ=DAILY;BYDAY=^XX", "BYDAY", "MO, TU, WE"},
    {START "RRULE:FREQ=DAILY;BYDAY=^MON", "BYDAY", "MO, TU, WE"},
    {START "RRULE:FREQ=MONTHLY;BYDAY=^0MO", "BYDAY", "1 to 53"},
    {START "RRULE:FREQ=YEARLY;BYDAY=^54MO", "BYDAY", "1 to 53"},
    {START "RRULE:FREQ=YEARLY;BYDAY=-^FR", "BYDAY", "-1FR"},
    {START "RRULE:FREQ=DAILY;^BYDAY=1MO", "BYDAY", "FREQ=MONTHLY"},
    {START "RRULE:FREQ=WEEKLY;^BYDAY=MO,-1FR", "BYDAY", "FREQ=MONTHLY"},
    {START "RRULE:FREQ=YEARLY;BYWEEKNO=1;^BYDAY=1MO", "BYDAY", "BYWEEKNO"},
    {START "RRULE:FREQ=MONTHLY;^BYWEEKNO=10", "BYWEEKNO", "FREQ=YEARLY"},
    {START "RRULE:FREQ=MONTHLY;^BYYEARDAY=10", "BYYEARDAY", "FREQ=YEARLY"},
    {START "RRULE:FREQ=DAILY;^BYYEARDAY=10", "BYYEARDAY", "FREQ=YEARLY"},
    {START "RRULE:FREQ=WEEKLY;^BYMONTHDAY=10", "BYMONTHDAY", "FREQ=MONTHLY"},
    {START "RRULE:FREQ=DAILY;^BYSETPOS=1", "BYSETPOS", "another BY part"},
    {START "RRULE:FREQ=DAILY;WKST=^1", "WKST", "MO, TU, WE"},
    {START "RRULE:FREQ=DAILY;WKST=^XX", "WKST", "MO, TU, WE"},
    {START "RRULE:FREQ=DAILY\nRRULE:^FREQ=DAILY", "", "one rule"},
    {START "DTSTART^:20240101\nRRULE:FREQ=DAILY", "DTSTART", "one DTSTART"},
    {START "RRULE:FREQ=DAILY\n^EXDATE:20240102T090000Z", "", "exclude.dates"},
    {START "RRULE:FREQ=DAILY\n^EXRULE:FREQ=WEEKLY", "", "exclude.dates"},
    {START "RRULE:FREQ=DAILY\n^RDATE:20240102T090000Z", "", "\"at\""},
    {"^BEGIN:VEVENT\n" START "RRULE:FREQ=DAILY", "", "DTSTART or RRULE"},
    {START "RRULE^;X=1:FREQ=DAILY", "", "DTSTART: or RRULE:"},
    {START "^1", "", "DTSTART: or RRULE:"},
    {"DTSTART:20240101T090000Z^;RRULE:FREQ=DAILY", "DTSTART", "a line of its own"},
    {"DTSTART:20240101T090000Z^ RRULE:FREQ=DAILY", "DTSTART", "a line of its own"},
    {"DTSTART^\nRRULE:FREQ=DAILY", "DTSTART", "expected \":\""},
    {"DTSTART:^\nRRULE:FREQ=DAILY", "DTSTART", "20270131T090000"},
    {"DTSTART:^00000101\nRRULE:FREQ=DAILY", "DTSTART", "0000-01-01 is not a date"},
    {"DTSTART:20240101T0900^\nRRULE:FREQ=DAILY", "DTSTART", "20270131T090000"},
    {"DTSTART;TZID=Europe/Berlin:20240101T090000^Z\nRRULE:FREQ=DAILY", "DTSTART", "leave one"},
    {"DTSTART;VALUE=DATE:^20240101T090000\nRRULE:FREQ=DAILY", "DTSTART", "VALUE=DATE goes"},
    {"DTSTART;VALUE=DATE-TIME:^20240101\nRRULE:FREQ=DAILY", "DTSTART", "VALUE=DATE goes"},
    {"DTSTART;^VALUE=PERIOD:20240101\nRRULE:FREQ=DAILY", "DTSTART", "VALUE=DATE"},
    {"DTSTART;^LANGUAGE=en:20240101\nRRULE:FREQ=DAILY", "DTSTART", "TZID"},
    {"DTSTART;TZID=^:20240101\nRRULE:FREQ=DAILY", "DTSTART", "a value is missing"},
    {"DTSTART;TZID=Europe^\n /Berlin:20240101\nRRULE:FREQ=DAILY", "DTSTART", "line breaks"},
    {"DTSTART;TZID=\"Europe/Berlin:20240101^\nRRULE:FREQ=DAILY", "DTSTART", "closing"},
};

static void errors_name_the_part_the_column_and_the_remedy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *mark = strchr(wrong[i].text, '^');
        size_t at = (size_t)(mark - wrong[i].text);
        struct rrule rule = {.count = 77};
        struct str zone = STR("kept");
        struct err err;
        char text[512];

        assert_non_null(mark);
        snprintf(text, sizeof text, "%.*s%s", (int)at, wrong[i].text, mark + 1);
        if (rrule_parse(str_of(text), &rule, &zone, &err) != RC_INVALID)
            fail_msg("%s: is accepted", text);
        if (err.at != (int)at || strcmp(err.field, wrong[i].field) != 0 ||
            !strstr(err.text, wrong[i].says) || err.at + err.len > (int)strlen(text))
            fail_msg("%s: at %d+%d [%s] %s; expected at %zu [%s] …%s…", text, err.at, err.len,
                     err.field, err.text, at, wrong[i].field, wrong[i].says);
        assert_int_equal(rule.count, 77);
        assert_true(str_eq(zone, STR("kept")));
    }
}

static void bytes_that_are_not_text_are_named(void **state)
{
    static const char nul[] = START "RRULE:FREQ=DAILY\0;COUNT=3";
    struct rrule rule;
    struct str zone;
    struct err err;

    (void)state;
    assert_int_equal(rrule_parse((struct str){nul, sizeof nul - 1}, &rule, &zone, &err),
                     RC_INVALID);
    assert_non_null(strstr(err.text, "byte 0x00"));
    assert_int_equal(rrule_parse(STR(START "RRULE:FREQ=DAILY;BYHOUR=\xff"), &rule, &zone, &err),
                     RC_INVALID);
    assert_non_null(strstr(err.text, "byte 0xFF"));
}

static void long_texts_are_refused(void **state)
{
    size_t len = 10 << 20;
    char *text = malloc(len);
    struct rrule rule;
    struct str zone;
    struct err err;

    (void)state;
    memset(text, 'A', len);
    assert_int_equal(rrule_parse((struct str){text, len}, &rule, &zone, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "10485760 bytes; the limit is 4096"));
    free(text);
}

/* `head` and `count` numbered weekdays: 53 of `weekday`, then Sundays. */
static enum rc parse_items(const char *head, const char *weekday, int count, struct err *ret)
{
    char text[RRULE_TEXT_MAX];
    size_t n = (size_t)snprintf(text, sizeof text, START "RRULE:%s", head);
    struct rrule rule;
    struct str zone;

    for (int i = 0; i < count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, i > 0 ? ",%d%s" : "%d%s", i % 53 + 1,
                              i < 53 ? weekday : "SU");
    return rrule_parse(str_of(text), &rule, &zone, ret);
}

static void lists_are_bounded(void **state)
{
    char all[RRULE_TEXT_MAX];
    size_t n = (size_t)snprintf(all, sizeof all, START "RRULE:FREQ=YEARLY;BYYEARDAY=1");
    struct rrule rule;
    struct err err;

    (void)state;
    assert_int_equal(parse_items("FREQ=YEARLY;BYDAY=", "MO", 64, &err), RC_OK);
    assert_int_equal(parse_items("FREQ=YEARLY;BYDAY=", "MO", 65, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "64 items"));
    /* Every day of the year fits. */
    for (int day = 2; day <= 366; day++)
        n += (size_t)snprintf(all + n, sizeof all - n, ",%d", day);
    rule = rule_of(all);
    assert_int_equal(rule.by_year_day[0], UINT64_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dtstart_has_the_time_and_the_zone),
        cmocka_unit_test(lines_come_in_any_order_and_with_any_break),
        cmocka_unit_test(missing_parts_have_their_defaults),
        cmocka_unit_test(every_part_is_read),
        cmocka_unit_test(weekdays_may_have_numbers),
        cmocka_unit_test(until_is_an_instant_a_local_time_or_a_whole_day),
        cmocka_unit_test(a_date_has_no_times_of_day),
        cmocka_unit_test(errors_name_the_part_the_column_and_the_remedy),
        cmocka_unit_test(bytes_that_are_not_text_are_named),
        cmocka_unit_test(long_texts_are_refused),
        cmocka_unit_test(lists_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
