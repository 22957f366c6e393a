/* SPDX-License-Identifier: Apache-2.0 */
/* Whole expressions in every dialect, and the errors with their columns. */
#include "core/cron/cron_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct cron_text parsed(enum dialect dialect, const char *expr)
{
    struct cron_text text;
    struct err err = {.text = "untouched"};

    if (cron_parse(str_of(expr), dialect, STR(""), &text, &err) != RC_OK)
        fail_msg("%s \"%s\": %s", dialect_text(dialect), expr, err.text);
    assert_string_equal(err.text, "untouched");
    return text;
}

/* `column` is 1-based, as in the messages for users. */
static void refused(enum dialect dialect, const char *expr, int column, const char *words)
{
    struct cron_text text, before;
    struct err err;

    memset(&text, 0x5a, sizeof text);
    memcpy(&before, &text, sizeof text);
    if (cron_parse(str_of(expr), dialect, STR(""), &text, &err) != RC_INVALID)
        fail_msg("%s \"%s\" is accepted", dialect_text(dialect), expr);
    assert_memory_equal(&text, &before, sizeof text);
    if (err.at != column - 1 || !strstr(err.text, words))
        fail_msg("%s \"%s\": column %d: %s", dialect_text(dialect), expr, err.at + 1, err.text);
    assert_true((size_t)(err.at + err.len) <= strlen(expr));
}

/* One row for each kind of error: expression, column, length, field and message. */
static void errors_name_the_column_and_what_would_be_right(void **state)
{
    static const struct {
        const char *expr;
        int column, len;
        const char *field, *text;
    } rows[] = {
        {"61 * * * *", 1, 2, "minute", "minute 61 is out of range 0–59"},
        {"*/0 * * * *", 3, 1, "minute", "step must be at least 1"},
        {"*/90 * * * *", 3, 2, "minute",
         "step 90 exceeds the minute field (60 values); for every 90 minutes use "
         "\"@every 90m\""},
        {"1,,2 * * * *", 3, 0, "minute", "empty item in the minute list"},
        {"5-10/ * * * *", 6, 0, "minute", "a number is missing after \"/\""},
        {"0 0 28-3 * *", 5, 4, "day-of-month",
         "day-of-month ranges cannot wrap; write \"28-31,1-3\""},
        {"0 0 * FOO *", 7, 3, "month", "\"FOO\" is not a month; use 1–12 or JAN–DEC"},
        {"0 0 * * MONDAY", 9, 6, "day-of-week", "\"MONDAY\" is not a weekday; use \"MON\""},
        {"0 0 * * 8", 9, 1, "day-of-week",
         "day-of-week 8 is out of range 0–7 (in quartz and aws 1=Sunday)"},
        {"0 0 * * L", 9, 1, "day-of-week",
         "which day? \"5L\" is the last Friday; for the last day of the month put \"L\" in "
         "day-of-month"},
        {"0 0 1-5W * *", 5, 4, "day-of-month", "\"W\" takes a single day"},
        {"0 0 * * 5#6", 11, 1, "day-of-week", "a month has at most five of any weekday"},
        {"0 0 */2 * 1", 5, 3, "day-of-month",
         "ambiguous: write \"+1\" for both conditions or \"1-31/2\" for either"},
        {"0 0 1 1 * 2025", 11, 4, "",
         "six fields start with seconds; \"2025\" looks like a year: use seven fields or "
         "dialect aws"},
        {"* * * *", 8, 0, "", "expected 5, 6 or 7 fields, found 4"},
        {"1–5 * * * *", 2, 3, "", "character U+2013 is not allowed; use \"-\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cron_text text;
        struct err err;
        enum rc rc = cron_parse(str_of(rows[i].expr), DIALECT_BELFRY, STR(""), &text, &err);

        assert_int_equal(rc, RC_INVALID);
        assert_int_equal(err.rc, RC_INVALID);
        assert_string_equal(err.text, rows[i].text);
        assert_string_equal(err.field, rows[i].field);
        assert_int_equal(err.at + 1, rows[i].column);
        assert_int_equal(err.len, rows[i].len);
    }
}

static void the_number_of_fields_decides_what_they_mean(void **state)
{
    struct cron cron;

    (void)state;
    cron = parsed(DIALECT_BELFRY, "1 2 3 4 5").cron;
    assert_true(cron.second == 1 && cron.minute == 1 << 1 && cron.hour == 1 << 2);
    assert_true(cron.day == 1 << 3 && cron.month == 1 << 4 && cron.weekday == 1 << 5);
    assert_true(cron.flags & CRON_ANY_YEAR);
    cron = parsed(DIALECT_BELFRY, "0 1 2 3 4 5").cron;
    assert_true(cron.second == 1 && cron.minute == 1 << 1 && cron.weekday == 1 << 5);
    cron = parsed(DIALECT_BELFRY, "9 1 2 3 4 5 1971").cron;
    assert_true(cron.second == 1 << 9 && cron.weekday == 1 << 5 && cron.year[0] == 1 << 1);
    assert_false(cron.flags & CRON_ANY_YEAR);
    cron = parsed(DIALECT_BELFRY, "9 1 2 3 4 5 *").cron;
    assert_true(cron.flags & CRON_ANY_YEAR);
    cron = parsed(DIALECT_TEMPORAL, "1 2 3 4 5 2001").cron;
    assert_true(cron.second == 1 && cron.minute == 1 << 1 && cron.weekday == 1 << 5);
    assert_true(cron.year[0] == UINT64_C(1) << 31 && !(cron.flags & CRON_ANY_YEAR));
    cron = parsed(DIALECT_AWS, "cron(1 2 3 4 ? 1971)").cron;
    assert_true(cron.second == 1 && cron.minute == 1 << 1 && cron.year[0] == 1 << 1);
    cron = parsed(DIALECT_QUARTZ, "9 1 2 3 4 ?").cron;
    assert_true(cron.second == 1 << 9 && cron.minute == 1 << 1 && cron.month == 1 << 4);
}

static void a_wrong_number_of_fields_is_refused_with_the_right_ones(void **state)
{
    struct cron_text text;
    struct err err;

    (void)state;
    refused(DIALECT_BELFRY, "1 2 3 4 5 6 7 8 9", 15, "expected 5, 6 or 7 fields, found 9");
    refused(DIALECT_BELFRY, "*", 2, "found 1");
    refused(DIALECT_VIXIE, "0 0 0 1 1 *", 11, "expected 5 fields, found 6; for seconds use");
    refused(DIALECT_SPRING, "0 0 1 1 *", 10, "expected 6 fields, found 5; seconds come first");
    refused(DIALECT_SPRING, "0 0 0 1 1 ? 2027", 13, "expected 6 fields, found 7");
    refused(DIALECT_SPRING, "0 0 1 1 ? 2027", 11, "use dialect aws");
    refused(DIALECT_ROBFIG_SECONDS, "0 0 * * *", 10, "expected 6 fields, found 5");
    refused(DIALECT_QUARTZ, "0 0 1 1 *", 10, "expected 6 or 7 fields, found 5");
    refused(DIALECT_AWS, "cron(* * * * ?)", 15, "expected 6 fields, found 5; the year");
    refused(DIALECT_TEMPORAL, "0 0 0 1 1 * 2022 x", 18, "expected 5, 6 or 7 fields, found 8");
    refused(DIALECT_BELFRY, "", 1, "the expression is empty");
    assert_int_equal(cron_parse((struct str){0}, DIALECT_BELFRY, STR(""), &text, &err),
                     RC_INVALID);
    refused(DIALECT_BELFRY, " \t ", 1, "the expression is empty");
}

static void check_needs_both_days(enum dialect dialect, const char *expr, bool both)
{
    struct cron_text text = parsed(dialect, expr);

    if (both != !!(text.cron.flags & CRON_DAY_AND))
        fail_msg("%s \"%s\"", dialect_text(dialect), expr);
}

/* docs/semantics.md [T-32]. */
static void day_fields_are_combined_as_in_the_dialect(void **state)
{
    (void)state;
    check_needs_both_days(DIALECT_BELFRY, "0 0 13 * 5", false);
    check_needs_both_days(DIALECT_BELFRY, "0 0 13 * +5", true);
    check_needs_both_days(DIALECT_BELFRY, "0 0 * * 5", true);
    check_needs_both_days(DIALECT_BELFRY, "0 0 13 * ?", true);
    check_needs_both_days(DIALECT_BELFRY, "0 0 */2 * *", true);
    check_needs_both_days(DIALECT_BELFRY, "0 0 */1 * 5", true);
    check_needs_both_days(DIALECT_BELFRY, "0 0 */2 * +5", true);
    check_needs_both_days(DIALECT_BELFRY, "0 0 1-31/2 * 5", false);
    check_needs_both_days(DIALECT_BELFRY, "0 0 29,*/8 * 5",
                          false); /* OR for daemons and libraries */
    check_needs_both_days(DIALECT_BELFRY, "0 0 L * 5#2", false);
    check_needs_both_days(DIALECT_VIXIE, "0 0 13 * 5", false);
    check_needs_both_days(DIALECT_VIXIE, "0 0 */2 * 1", true);
    check_needs_both_days(DIALECT_VIXIE, "0 0 1 * */2", true);
    check_needs_both_days(DIALECT_VIXIE, "0 0 1,* * 1", false);
    check_needs_both_days(DIALECT_CRONIE, "0 0 */2 * 1", true);
    check_needs_both_days(DIALECT_ROBFIG, "0 0 */2 * 1", false);
    check_needs_both_days(DIALECT_ROBFIG, "0 0 * * 1", true);
    check_needs_both_days(DIALECT_ROBFIG, "0 0 1 * ?", true);
    check_needs_both_days(DIALECT_ROBFIG, "0 0 1,* * 1", true);
    check_needs_both_days(DIALECT_K8S, "0 0 1 * 1", false);
    check_needs_both_days(DIALECT_POSIX, "0 0 1 * 1", false);
    check_needs_both_days(DIALECT_POSIX, "0 0 * * 1", true);
    check_needs_both_days(DIALECT_GITHUB, "0 0 1 * 1", false);
    check_needs_both_days(DIALECT_CLOUDSCHEDULER, "0 0 1 * 1", false);
    check_needs_both_days(DIALECT_SPRING, "0 0 0 13 * FRI", true);
    check_needs_both_days(DIALECT_JENKINS, "0 0 13 * 5", true);
    check_needs_both_days(DIALECT_TEMPORAL, "0 0 13 * 5", true);
    check_needs_both_days(DIALECT_QUARTZ, "0 0 0 13 * ?", true);
}

static void ambiguous_day_fields_are_refused(void **state)
{
    (void)state;
    refused(DIALECT_BELFRY, "0 0 1 * */2", 9,
            "write \"+*/2\" for both conditions or \"0-6/2\"");
    refused(DIALECT_BELFRY, "0 0 */2,15 * 1", 5, "leave out \"*\" for either");
    refused(DIALECT_BELFRY, "0 0 1,* * 1", 5, "write \"+1\" for both");
    refused(DIALECT_BELFRY, "0 0 */2 * */3", 5, "ambiguous");
    refused(DIALECT_QUARTZ, "0 0 0 1 * MON", 11, "write \"?\" for the other");
    refused(DIALECT_QUARTZ, "0 0 0 ? * ?", 11, "write \"?\" for the other");
    refused(DIALECT_QUARTZ, "0 0 0 * * *", 11, "write \"?\" for the other");
    refused(DIALECT_AWS, "cron(0 10 * * * *)", 15, "write \"?\" for the other");
}

static void check_is_interval(enum dialect dialect, const char *expr, bool is_interval)
{
    struct cron_text text = parsed(dialect, expr);

    if (is_interval != !!(text.cron.flags & CRON_INTERVAL))
        fail_msg("%s \"%s\"", dialect_text(dialect), expr);
}

/* docs/semantics.md [T-25]. */
static void wildcards_ranges_and_steps_of_the_time_make_an_interval(void **state)
{
    (void)state;
    check_is_interval(DIALECT_BELFRY, "30 2 * * *", false);
    check_is_interval(DIALECT_BELFRY, "0,30 1,2 */2 * *", false);
    check_is_interval(DIALECT_BELFRY, "30 * * * *", true);
    check_is_interval(DIALECT_BELFRY, "0-30 1 * * *", true);
    check_is_interval(DIALECT_BELFRY, "0 5/2 * * *", true);
    check_is_interval(DIALECT_BELFRY, "*/10 30 1 * * *", true);
    check_is_interval(DIALECT_BELFRY, "30 15 0 * * *", false);
    check_is_interval(DIALECT_BELFRY, "H H(0-7) * * *", false);
    check_is_interval(DIALECT_BELFRY, "H/15 3 * * *", true);
    check_is_interval(DIALECT_BELFRY, "@daily", false);
    check_is_interval(DIALECT_BELFRY, "@hourly", true);
    check_is_interval(DIALECT_VIXIE, "*/20 2 * * *", true);
    check_is_interval(DIALECT_VIXIE, "0-30 1 * * *", false);
    check_is_interval(DIALECT_VIXIE, "30 1-4/2 * * *", false);
    check_is_interval(DIALECT_CRONIE, "30 * * * *", true);
    check_is_interval(DIALECT_VIXIE, "@hourly", true);
    check_is_interval(DIALECT_VIXIE, "@daily", false);
}

static bool crons_are_equal(const struct cron *a, const struct cron *b)
{
    return a->second == b->second && a->minute == b->minute && a->hour == b->hour &&
           a->day == b->day && a->month == b->month && a->weekday == b->weekday &&
           a->flags == b->flags;
}

static void check_same(enum dialect dialect, const char *macro, const char *fields)
{
    struct cron_text a = parsed(dialect, macro), b = parsed(dialect, fields);

    if (!crons_are_equal(&a.cron, &b.cron))
        fail_msg("%s: \"%s\" is not \"%s\"", dialect_text(dialect), macro, fields);
}

static void macros_are_the_fields_they_stand_for(void **state)
{
    static const enum dialect five[] = {DIALECT_BELFRY, DIALECT_VIXIE, DIALECT_CRONIE,
                                        DIALECT_ROBFIG, DIALECT_K8S,   DIALECT_TEMPORAL};

    (void)state;
    for (size_t i = 0; i < sizeof five / sizeof five[0]; i++) {
        check_same(five[i], "@yearly", "0 0 1 1 *");
        check_same(five[i], "@annually", "0 0 1 1 *");
        check_same(five[i], "@monthly", "0 0 1 * *");
        check_same(five[i], "@weekly", "0 0 * * 0");
        check_same(five[i], "@daily", "0 0 * * *");
        check_same(five[i], "@midnight", "0 0 * * *");
        check_same(five[i], "@hourly", "0 * * * *");
    }
    check_same(DIALECT_SPRING, "@Weekly", "0 0 0 * * 0");
    check_same(DIALECT_BELFRY, " @DAILY\t", "0 0 * * *");
    check_same(DIALECT_JENKINS, "@yearly", "H H H H *");
    check_same(DIALECT_JENKINS, "@monthly", "H H H * *");
    check_same(DIALECT_JENKINS, "@weekly", "H H * * H");
    check_same(DIALECT_JENKINS, "@midnight", "H H(0-2) * * *");
    check_same(DIALECT_JENKINS, "@hourly", "H * * * *");
}

static void macros_that_a_dialect_lacks_are_refused(void **state)
{
    (void)state;
    refused(DIALECT_POSIX, "@daily", 1, "has no \"@daily\"; write the fields \"0 0 * * *\"");
    refused(DIALECT_GITHUB, "@weekly", 1, "has no \"@weekly\"");
    refused(DIALECT_QUARTZ, "@daily", 1, "has no \"@daily\"");
    refused(DIALECT_VIXIE, "@Daily", 1, "\"@Daily\" is not known; use \"@daily\"");
    refused(DIALECT_TEMPORAL, "@Daily", 1, "use \"@daily\"");
    refused(DIALECT_VIXIE, "@reboot", 1, "\"@reboot\" is not a time");
    refused(DIALECT_BELFRY, "@dayly", 1, "use \"@daily\"");
    refused(DIALECT_BELFRY, "@fortnight", 1, "use @yearly, @monthly");
    refused(DIALECT_BELFRY, "@ * * * *", 1, "is not known");
    refused(DIALECT_BELFRY, "@yearly *", 9, "\"@yearly\" is a whole expression");
    refused(DIALECT_ROBFIG, " @daily", 1, "no blank around");
    refused(DIALECT_SPRING, "@every 5m", 1, "is not known");
    refused(DIALECT_VIXIE, "@every 5m", 1, "is not known");
}

static void check_every(enum dialect dialect, const char *expr, span every, span phase)
{
    struct cron_text text = parsed(dialect, expr);

    assert_true(text.is_every);
    assert_int_equal(text.every, every);
    assert_int_equal(text.phase, phase);
    assert_int_equal(text.epoch, dialect == DIALECT_TEMPORAL);
}

static void intervals_are_read_in_the_dialects_that_have_them(void **state)
{
    (void)state;
    check_every(DIALECT_BELFRY, "@every 90m", 90 * SPAN_MIN, 0);
    check_every(DIALECT_BELFRY, "@EVERY \t 1h30m ", 90 * SPAN_MIN, 0);
    check_every(DIALECT_ROBFIG, "@every 1.5h", 90 * SPAN_MIN, 0);
    check_every(DIALECT_ROBFIG_SECONDS, "TZ=UTC @every 1s", SPAN_S, 0);
    check_every(DIALECT_K8S, "@every 1500ms", SPAN_S, 0);
    check_every(DIALECT_TEMPORAL, "@every 5h/45m", 5 * SPAN_H, 45 * SPAN_MIN);
    check_every(DIALECT_TEMPORAL, "@every 5d", 5 * SPAN_DAY, 0);
    check_every(DIALECT_AWS, "rate(5 minutes)", 5 * SPAN_MIN, 0);
    assert_false(parsed(DIALECT_BELFRY, "0 0 * * *").is_every);
    refused(DIALECT_BELFRY, "@every", 7, "a duration is missing");
    refused(DIALECT_BELFRY, "@every h", 8, "\"h\" is not a duration");
    refused(DIALECT_BELFRY, "@every5m", 1, "is not known");
    refused(DIALECT_ROBFIG, "@every  5m", 8, "is not a duration");
    refused(DIALECT_ROBFIG, "@every -5m", 8, "is not a duration");
    refused(DIALECT_TEMPORAL, "@everything 5s", 1, "is not known");
    refused(DIALECT_TEMPORAL, "@every ", 7, "a duration is missing");
    refused(DIALECT_TEMPORAL, "@every 1h/2h", 11, "shorter than the interval");
}

static void check_zone(enum dialect dialect, const char *expr, const char *zone)
{
    struct cron_text text = parsed(dialect, expr);

    if (!str_eq(text.zone, str_of(zone)))
        fail_msg("\"%s\" has zone \"%.*s\"", expr, STR_ARG(text.zone));
}

static void zones_are_cut_off_where_the_dialect_has_them(void **state)
{
    (void)state;
    check_zone(DIALECT_BELFRY, "TZ=Asia/Tokyo 0 6 * * *", "Asia/Tokyo");
    check_zone(DIALECT_BELFRY, "\tCRON_TZ=UTC+05:30 \t @daily", "UTC+05:30");
    check_zone(DIALECT_ROBFIG, "CRON_TZ=Pacific/Chatham @hourly", "Pacific/Chatham");
    check_zone(DIALECT_TEMPORAL, "TZ=US/Pacific 0 0 * * * # why", "US/Pacific");
    check_zone(DIALECT_JENKINS, "TZ=Europe/London\nH 3 * * 1-5", "Europe/London");
    check_zone(DIALECT_JENKINS, "TZ=Europe/London \r\n\n  0 3 * * 1-5\n", "Europe/London");
    check_zone(DIALECT_CRONIE, "CRON_TZ=Asia/Tokyo\n0 0 * * *", "Asia/Tokyo");
    check_zone(DIALECT_BELFRY, "0 0 * * *", "");
    refused(DIALECT_BELFRY, "TZ= 0 0 * * *", 4, "a time zone is missing");
    refused(DIALECT_BELFRY, "TZ=UTC", 1, "the expression is missing");
    refused(DIALECT_BELFRY, "TZ=America/New_York * * * *", 28, "found 4");
    refused(DIALECT_BELFRY, "TZ=M\xc3\xbcnchen 0 0 * * *", 5, "U+00FC");
    refused(DIALECT_JENKINS, "TZ=UTC 0 0 * * *", 1, "a new line");
    refused(DIALECT_JENKINS, "CRON_TZ=UTC\n0 0 * * *", 1, "has no \"CRON_TZ=\"");
    refused(DIALECT_JENKINS, "0 0 * * *\n1 1 * * *", 10, "character U+000A");
    refused(DIALECT_K8S, "CRON_TZ=UTC 0 0 * * *", 1, "give the time zone separately");
    refused(DIALECT_VIXIE, "TZ=UTC 0 0 * * *", 1, "give the time zone separately");
    refused(DIALECT_SPRING, "TZ=UTC 0 0 0 * * *", 1, "give the time zone separately");
}

static void only_temporal_has_comments(void **state)
{
    struct cron_text text = parsed(DIALECT_TEMPORAL, "0 12 * * *#  caf\xc3\xa9 # 2 ");

    (void)state;
    assert_true(str_eq(text.comment, STR("caf\xc3\xa9 # 2")));
    text = parsed(DIALECT_TEMPORAL, "CRON_TZ=UTC @every 5m # why");
    assert_int_equal(text.comment.len, 0);
    assert_int_equal(text.zone.len, 0);
    refused(DIALECT_TEMPORAL, "# hi", 1, "the expression is empty");
    refused(DIALECT_BELFRY, "0 12 * * * #noon", 12, "is not a weekday");
}

static void the_dialect_decides_which_bytes_are_blanks(void **state)
{
    (void)state;
    check_same(DIALECT_BELFRY, " 0\t 0  * * * ", "0 0 * * *");
    check_same(DIALECT_SPRING, "  0  0 0 * *   * ", "0 0 0 * * *");
    check_same(DIALECT_SPRING, "\t0 0 0 * * *\n", "0 0 0 * * *");
    check_same(DIALECT_ROBFIG, "0\n0\v*\f*\r*", "0 0 * * *");
    refused(DIALECT_SPRING, "0\t0 12 * * ?", 2, "character U+0009 is not allowed; use a space");
    refused(DIALECT_BELFRY, "0 0 * * *\n", 10, "character U+000A is not allowed; use a space");
}

static void characters_beyond_ascii_are_named(void **state)
{
    struct cron_text text;
    struct err err;

    (void)state;
    refused(DIALECT_BELFRY,
            "0 0 * * 1\xe2\x88\x92"
            "5",
            10, "U+2212 is not allowed; use \"-\"");
    refused(DIALECT_BELFRY, "\xef\xbc\x90 0 * * *", 1, "U+FF10 is not allowed; use \"0\"");
    refused(DIALECT_BELFRY,
            "0\xc2\xa0"
            "0 * * *",
            2, "U+00A0 is not allowed; use a space");
    refused(DIALECT_BELFRY,
            "\xe2\x80\x9c"
            "0 0 * * *\xe2\x80\x9d",
            1, "U+201C is not allowed; leave out quotation marks");
    refused(DIALECT_QUARTZ, "0 \xef\xbb\xbf* * * * ?", 3, "U+FEFF is not allowed; remove it");
    refused(DIALECT_BELFRY, "* * * J\xc3\x84N *", 8, "U+00C4 is not allowed; use ASCII");
    refused(DIALECT_BELFRY, "\x01 * * * *", 1, "U+0001 is not allowed; remove it");
    refused(DIALECT_BELFRY, "\xff * * * *", 1, "byte 0xFF is not allowed; use ASCII");
    refused(DIALECT_BELFRY, "0 0 * * *\xe2\x80", 10, "byte 0xE2 is not allowed");
    assert_int_equal(
        cron_parse((struct str){"0\0000 * * *", 10}, DIALECT_BELFRY, STR(""), &text, &err),
        RC_INVALID);
    assert_int_equal(err.at, 1);
    assert_non_null(strstr(err.text, "U+0000"));
}

static void a_huge_expression_is_refused_with_its_length(void **state)
{
    enum { HUGE = 10 * 1024 * 1024 };
    char *text = malloc(HUGE);
    struct cron_text ret;
    struct err err;

    (void)state;
    assert_non_null(text);
    memset(text, '*', HUGE);
    assert_int_equal(cron_parse((struct str){text, HUGE}, DIALECT_BELFRY, STR(""), &ret, &err),
                     RC_INVALID);
    assert_string_equal(err.text, "the expression has 10485760 bytes; use at most 1024");
    assert_int_equal(err.at, 1024);
    memset(text, ' ', CRON_TEXT_MAX);
    memcpy(text + CRON_TEXT_MAX - 9, "0 0 * * *", 9);
    assert_int_equal(
        cron_parse((struct str){text, CRON_TEXT_MAX}, DIALECT_BELFRY, STR(""), &ret, &err),
        RC_OK);
    free(text);
}

static void english_is_refused_with_a_hint(void **state)
{
    const enum dialect d = DIALECT_CLOUDSCHEDULER;

    (void)state;
    refused(d, "every 2 hours", 1, "write five fields such as \"0 */2 * * *\"");
    refused(d, "1st,third mon of mar 09:15", 1, "English sentences are not supported");
    refused(d, "monday 9 am", 12, "expected 5 fields, found 3");
}

static void aws_has_its_expressions_in_parentheses(void **state)
{
    (void)state;
    assert_int_equal(parsed(DIALECT_AWS, " cron( 0  10 * * ? * ) ").cron.hour, 1 << 10);
    refused(DIALECT_AWS, "0 10 * * ? *", 1,
            "writes \"cron(0 9 * * ? *)\" or \"rate(5 minutes)\"");
    refused(DIALECT_AWS, "cron(0 10 * * ? *", 18, "\")\" is missing");
    refused(DIALECT_AWS, "cron()", 6, "found 0");
    refused(DIALECT_AWS, "cron(", 6, "\")\" is missing");
    refused(DIALECT_AWS, "rate(5 minute)", 8, "use minutes, hours or days");
    refused(DIALECT_AWS, "at(2025-01-01T00:00:00)", 1, "writes \"cron(");
}

static void seconds_are_put_before_five_fields_only(void **state)
{
    static const char *const list[][2] = {
        {"0 9 * * *", "0 0 9 * * *"},
        {" 0\t9  * * * ", "0 0\t9  * * *"},
        {"0 0 9 * * ?", "0 0 9 * * ?"},
        {"@daily", "@daily"},
        {"", ""},
        {"11 22 33 44 5555", "11 22 33 44 5555"}, /* with "0 " it has no room */
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char room[17];
        struct buf out = BUF(room);
        struct str text = cron_seconds_first(str_of(list[i][0]), &out);

        assert_int_equal(text.len, strlen(list[i][1]));
        assert_memory_equal(text.ptr, list[i][1], text.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_the_column_and_what_would_be_right),
        cmocka_unit_test(the_number_of_fields_decides_what_they_mean),
        cmocka_unit_test(a_wrong_number_of_fields_is_refused_with_the_right_ones),
        cmocka_unit_test(day_fields_are_combined_as_in_the_dialect),
        cmocka_unit_test(ambiguous_day_fields_are_refused),
        cmocka_unit_test(wildcards_ranges_and_steps_of_the_time_make_an_interval),
        cmocka_unit_test(macros_are_the_fields_they_stand_for),
        cmocka_unit_test(macros_that_a_dialect_lacks_are_refused),
        cmocka_unit_test(intervals_are_read_in_the_dialects_that_have_them),
        cmocka_unit_test(zones_are_cut_off_where_the_dialect_has_them),
        cmocka_unit_test(only_temporal_has_comments),
        cmocka_unit_test(the_dialect_decides_which_bytes_are_blanks),
        cmocka_unit_test(characters_beyond_ascii_are_named),
        cmocka_unit_test(a_huge_expression_is_refused_with_its_length),
        cmocka_unit_test(english_is_refused_with_a_hint),
        cmocka_unit_test(aws_has_its_expressions_in_parentheses),
        cmocka_unit_test(seconds_are_put_before_five_fields_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
