/* SPDX-License-Identifier: Apache-2.0 */
/* OnCalendar texts.  Expected values: systemd.time(7) and the output of systemd-analyze. */
#include "core/oncalendar/oncalendar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/time/civil.h"

#define ALL_SIXTY ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS ((UINT32_C(1) << 24) - 1)
#define ALL_DAYS  UINT32_C(0xfffffffe)

/* The flags that the parser sets, not cron_seal(). */
#define PARSER_FLAGS (CRON_DAY_AND | CRON_INTERVAL | CRON_ANY_YEAR | CRON_FRACTION)

enum { LINE_BYTES_MAX = 2048 };

static struct cron parse(const char *text)
{
    struct cron cron;
    struct str zone;
    struct err err;

    if (oncalendar_parse(str_of(text), &cron, &zone, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return cron;
}

static void expect_equal(const char *a, const char *b)
{
    struct cron x = parse(a), y = parse(b);

    if (memcmp(&x, &y, sizeof x) != 0)
        fail_msg("\"%s\" is not the same as \"%s\"", a, b);
}

/* ---- output of systemd-analyze ---- */

static int64_t local_of(const char *text)
{
    struct civil c;

    assert_int_equal(sscanf(text, "%4d%2d%2dT%2d%2d%2d", &c.date.year, &c.date.month,
                            &c.date.day, &c.hour, &c.minute, &c.second),
                     6);
    return local_of_civil(&c);
}

/* The calendar of systemd ends with 2199. */
static int64_t next_in_range(const struct cron *cron, int64_t local)
{
    int64_t found = cron_next_local(cron, local);

    return found >= local_of("22000101T000000") ? LOCAL_NEVER : found;
}

static void expect_fact(const char *text, const char *after, char *times)
{
    struct cron cron;
    struct str zone;
    struct err err;
    enum rc rc = oncalendar_parse(str_of(text), &cron, &zone, &err);
    int64_t at = local_of(after);
    char *save = NULL, *word = strtok_r(times, " ", &save);

    if (word && strcmp(word, "refused") == 0) {
        if (rc != RC_INVALID)
            fail_msg("\"%s\" is accepted, but systemd refuses it", text);
        assert_in_range(err.at, 0, strlen(text));
        assert_in_range(err.at + err.len, 0, strlen(text));
        return;
    }
    if (rc != RC_OK)
        fail_msg("\"%s\": %s", text, err.text);
    for (int i = 0; i < 4; i++, word = strtok_r(NULL, " ", &save)) {
        int64_t want = word ? local_of(word) : LOCAL_NEVER;

        at = next_in_range(&cron, at + 1);
        if (at != want)
            fail_msg("\"%s\" after %s: time %d is %lld, expected %lld", text, after, i,
                     (long long)at, (long long)want);
        if (at == LOCAL_NEVER)
            return;
    }
}

static void random_texts_agree_with_systemd(void **state)
{
    static char line[LINE_BYTES_MAX];
    FILE *file = fopen("test/data/oncalendar_facts.tsv", "r");
    int rows = 0;

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *after = strchr(line, '\t'), *times = after ? strchr(after + 1, '\t') : NULL;

        if (line[0] == '#')
            continue;
        assert_non_null(times);
        line[strcspn(line, "\n")] = '\0';
        *after = *times = '\0';
        expect_fact(line, after + 1, times + 1);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 700);
}

/* ---- systemd.time(7) ---- */

/* The table of normalised forms in the manual. */
static void the_examples_of_the_manual_are_their_normal_forms(void **state)
{
    static const char *const pairs[][2] = {
        {"Sat,Thu,Mon..Wed,Sat..Sun", "Mon..Thu,Sat,Sun *-*-* 00:00:00"},
        {"Mon,Sun 12-*-* 2,1:23", "Mon,Sun 2012-*-* 01,02:23:00"},
        {"Wed *-1", "Wed *-*-01 00:00:00"},
        {"Wed..Wed,Wed *-1", "Wed *-*-01 00:00:00"},
        {"Wed, 17:48", "Wed *-*-* 17:48:00"},
        {"Wed..Sat,Tue 12-10-15 1:2:3", "Tue..Sat 2012-10-15 01:02:03"},
        {"*-*-7 0:0:0", "*-*-07 00:00:00"},
        {"10-15", "*-10-15 00:00:00"},
        {"monday *-12-* 17:00", "Mon *-12-* 17:00:00"},
        {"Mon,Fri *-*-3,1,2 *:30:45", "Mon,Fri *-*-01,02,03 *:30:45"},
        {"12,14,13,12:20,10,30", "*-*-* 12,13,14:10,20,30:00"},
        {"12..14:10,20,30", "*-*-* 12..14:10,20,30:00"},
        {"mon,fri *-1/2-1,3 *:30:45", "Mon,Fri *-01/2-01,03 *:30:45"},
        {"03-05 08:05:40", "*-03-05 08:05:40"},
        {"08:05:40", "*-*-* 08:05:40"},
        {"05:40", "*-*-* 05:40:00"},
        {"Sat,Sun 12-05 08:05:40", "Sat,Sun *-12-05 08:05:40"},
        {"Sat,Sun 08:05:40", "Sat,Sun *-*-* 08:05:40"},
        {"2003-03-05 05:40", "2003-03-05 05:40:00"},
        {"2003-02..04-05", "2003-02..04-05 00:00:00"},
        {"2003-03-05", "2003-03-05 00:00:00"},
        {"03-05", "*-03-05 00:00:00"},
        {"hourly", "*-*-* *:00:00"},
        {"daily", "*-*-* 00:00:00"},
        {"monthly", "*-*-01 00:00:00"},
        {"weekly", "Mon *-*-* 00:00:00"},
        {"yearly", "*-01-01 00:00:00"},
        {"annually", "*-01-01 00:00:00"},
        {"*:2/3", "*-*-* *:02/3:00"},
        {"minutely", "*-*-* *:*:00"},
        {"quarterly", "*-01,04,07,10-01 00:00:00"},
        {"semiannually", "*-01,07-01 00:00:00"},
        /* As in systemd-analyze 252. */
        {"anually", "yearly"},
        {"Bi-Annually", "semiannually"},
        {"biannually", "semi-annually"},
        {"Mon-Fri 5:0", "Mon..Fri *-*-* 05:00:00"},
        {"Monday..SUN", "*-*-*"},
        {"*-*-1..5/5", "*-*-01"},
        {"*:0..30/70", "*-*-* *:00..00:00"},
        {"*-* 5:00", "*-*-* 05:00:00"},
        {"Mon,  ", "Mon"},
        {"*-*-*   ", "*-*-*"},
        {"005-06-07", "2005-06-07"},
        {"69-1-1", "2069-1-1"},
        {"70-1-1", "1970-1-1"},
        {"93..00-*-*", "1993..2000-*-*"},
        {"*-*~*", "*-*-*"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        expect_equal(pairs[i][0], pairs[i][1]);
}

static void each_field_has_its_bits(void **state)
{
    struct cron cron = parse("Sat,Sun 2024..2026-2,6-1/10 8/8:0/30:15");

    (void)state;
    assert_int_equal(cron.weekday, 1 << 0 | 1 << 6);
    assert_int_equal(cron.year[0], UINT64_C(7) << (2024 - 1970));
    assert_int_equal(cron.month, 1 << 2 | 1 << 6);
    assert_int_equal(cron.day, 1 << 1 | 1 << 11 | 1 << 21 | UINT32_C(1) << 31);
    assert_int_equal(cron.hour, 1 << 8 | 1 << 16);
    assert_int_equal(cron.minute, UINT64_C(1) | UINT64_C(1) << 30);
    assert_int_equal(cron.second, UINT64_C(1) << 15);
    assert_int_equal(cron.flags & PARSER_FLAGS, CRON_DAY_AND | CRON_INTERVAL);

    cron = parse("*:*:*");
    assert_int_equal(cron.day, ALL_DAYS);
    assert_int_equal(cron.hour, ALL_HOURS);
    assert_int_equal(cron.minute, ALL_SIXTY);
    assert_int_equal(cron.second, ALL_SIXTY);
    assert_int_equal(cron.flags & PARSER_FLAGS, CRON_DAY_AND | CRON_INTERVAL | CRON_ANY_YEAR);
}

static void a_tilde_counts_from_the_end_of_the_month(void **state)
{
    static const struct {
        const char *text;
        uint32_t last; /* bit n: n days before the last */
    } table[] = {
        {"*-*~01", 1 << 0},          {"*-*~03", 1 << 2},
        {"*-*~07/1", 0x7f},          {"*-*~28/27", 1 << 0 | 1 << 27},
        {"*-*~3..7", 0x7c},          {"*-*~3..8/2", 1 << 2 | 1 << 4 | 1 << 6},
        {"02~2,1", 1 << 0 | 1 << 1}, {"2024-02~1,28", 1 << 0 | 1 << 27},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct cron cron = parse(table[i].text);

        if (cron.last != table[i].last || cron.day != 0 || !(cron.flags & CRON_DAY_SPECIAL))
            fail_msg("%s: last %x, expected %x", table[i].text, cron.last, table[i].last);
    }
}

static void times_without_wildcards_are_fixed(void **state)
{
    static const char *const fixed[] = {"05:40", "daily", "Mon..Fri *-*-1/2 5,6:0,30:0,15",
                                        "@5", "2024..2025-*-*"};
    static const char *const interval[] = {"hourly", "minutely", "*:00",   "9..17:00",
                                           "5:0/15", "5:0:*",    "5:0:0/5"};

    (void)state;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        assert_false(parse(fixed[i]).flags & CRON_INTERVAL);
    for (size_t i = 0; i < sizeof interval / sizeof interval[0]; i++)
        assert_true(parse(interval[i]).flags & CRON_INTERVAL);
}

static void fractions_are_kept_to_the_millisecond(void **state)
{
    struct cron cron = parse("10:00:00.25,5,10..12.5/0.5,58.5/0.75");
    static const struct cron_part want[] = {
        {250, 250, 0}, {5000, 5000, 0}, {10000, 12500, 500}, {58500, 59250, 750}};

    (void)state;
    assert_true(cron.flags & CRON_FRACTION);
    assert_int_equal(cron.parts, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(cron.part[i].from, want[i].from);
        assert_int_equal(cron.part[i].to, want[i].to);
        assert_int_equal(cron.part[i].step, want[i].step);
    }
    assert_int_equal(cron.second, UINT64_C(1) << 0 | UINT64_C(1) << 5 | UINT64_C(7) << 10 |
                                      UINT64_C(3) << 58);
    assert_int_equal(parse("*:*:0/0.001").second, ALL_SIXTY);
    assert_int_equal(parse("*:*:59.999").part[0].from, 59999);
    /* A range with only one value has no fraction, even if its step has one. */
    assert_false(parse("*:*:1..1.2/0.5").flags & CRON_FRACTION);
    assert_int_equal(parse("*:*:0.5,1..2/99999.5").part[1].step, 0);
    /* Trailing zeros change nothing. */
    expect_equal("5:0:7.000000000", "5:0:7");
    expect_equal("5:0:7.5", "5:0:7.5000");
    assert_int_equal(parse("5:0:0,1,2,3,4,5,6,7,8,9.000").second, 0x3ff);
    assert_false(parse("5:0:0,1,2,3,4,5,6,7,8,9.000").flags & CRON_FRACTION);
}

static void an_at_sign_and_a_number_is_an_instant(void **state)
{
    struct str zone = STR("kept");
    struct cron cron;
    struct err err;

    (void)state;
    expect_equal("@1395716396", "2014-03-25 02:59:56 UTC");
    expect_equal("@0", "1970-01-01 00:00:00");
    expect_equal("@7258118399", "2199-12-31 23:59:59");
    expect_equal("Thu @0", "Thu 1970-01-01");
    assert_int_equal(oncalendar_parse(STR("@5"), &cron, &zone, &err), RC_OK);
    assert_true(str_eq(zone, STR("UTC")));
    assert_int_equal(oncalendar_parse(STR("@5 Europe/Berlin"), &cron, &zone, &err), RC_OK);
    assert_true(str_eq(zone, STR("UTC")));
}

static void the_last_word_may_be_a_zone(void **state)
{
    static const char *const table[][2] = {
        {"05:40", ""},
        {"05:40 UTC", "UTC"},
        {"daily utc", "UTC"},
        {"Mon..Fri Europe/Berlin", "Europe/Berlin"},
        {"*-*-*  Etc/GMT+5", "Etc/GMT+5"},
        {"*-1-1 5:0 America/Argentina/ComodRivadavia", "America/Argentina/ComodRivadavia"},
        {"5:0 EST5EDT", "EST5EDT"},
        {"Mon", ""},
        {"Mon ", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct cron cron;
        struct str zone;
        struct err err;

        assert_int_equal(oncalendar_parse(str_of(table[i][0]), &cron, &zone, &err), RC_OK);
        if (!str_eq(zone, str_of(table[i][1])))
            fail_msg("\"%s\": zone \"%.*s\"", table[i][0], STR_ARG(zone));
    }
}

/* ---- refusals ---- */

static const struct {
    const char *text; /* the place of the error is marked with ^ */
    const char *field, *says;
} wrong[] = {
    {"^", "", "a time is missing"},
    {"^ UTC", "", "a time is missing"},
    {"^ 05:40", "", "hour:minute"},
    {"05:40^ ", "", "only a zone"},
    {"05:40^  UTC", "", "only a zone"},
    {"05:40^ +05:00", "", "only a zone"},
    {"05:40^ 12-31", "", "only a zone"},
    {"05:40^ Mon", "", "only a zone"},
    {"05:40^\tUTC", "minute", "cannot follow a number"},
    {"^7", "", "hour:minute"},
    {"^test", "", "hour:minute"},
    {"^dayly", "", "did you mean \"daily\"?"},
    {"^secondly", "", "hour:minute"},
    {"^Foo *-*-*", "", "hour:minute"},
    {"Mon ^Tue", "", "hour:minute"},
    {"^Mond 5:00", "day-of-week", "Mon, Tue, Wed"},
    {"Mon,^,", "day-of-week", "Mon, Tue, Wed"},
    {"Mon,^05:40", "day-of-week", "Mon, Tue, Wed"},
    {"Mon^.Fri", "day-of-week", "two dots"},
    {"Mon..^", "day-of-week", "Mon, Tue, Wed"},
    {"^Fri..Mon", "day-of-week", "Fri..Sun,Mon"},
    {"^Mon..Wed..Fri", "day-of-week", "two ends"},
    {"Tue,^Sun..Tue", "day-of-week", "Monday to Sunday"},
    {"*:^60", "minute", "minute 60 is out of range 0 to 59"},
    {"^24:00", "hour", "hour 24 is out of range 0 to 23"},
    {"^18446744073709551616:00", "hour", "out of range 0 to 23"},
    {"00:00:^60", "second", "0 to 59.999"},
    {"00:00:^2300", "second", "0 to 59.999"},
    {"*-^13-1", "month", "month 13 is out of range 1 to 12"},
    {"*-^0-1", "month", "out of range 1 to 12"},
    {"*-*-^32", "day-of-month", "out of range 1 to 31"},
    {"*-*-^0", "day-of-month", "out of range 1 to 31"},
    {"^2200-1-1", "year", "out of range 1970 to 2199"},
    {"^100-1-1", "year", "year 100 is out of range"},
    {"^1969-1-1", "year", "out of range"},
    {"*~^0", "day-of-month", "1 to 28"},
    {"*~^29", "day-of-month", "1 to 28"},
    {"*-*~^3..29", "day-of-month", "1 to 28"},
    {"*-*~^1/1", "day-of-month", "first step"},
    {"*^~1-1", "", "before the day only"},
    {"*-*~1^-1", "day-of-month", "cannot follow a number"},
    {"*-*-^*/0", "day-of-month", "\"*\" is allowed only alone"},
    {"*:^*/5", "minute", "\"*\" is allowed only alone"},
    {"*:4,30:5,^*", "second", "\"*\" is allowed only alone"},
    {"*:4,30:^*\n", "second", "\"*\" is allowed only alone"},
    {"*:^0/0", "minute", "above 0"},
    {"*:^0/60", "minute", "first step"},
    {"*-*-^31/1", "day-of-month", "first step"},
    {"*-*-^5..3", "day-of-month", "smaller to the larger"},
    {"^2000..1999-1-1", "year", "smaller to the larger"},
    {"1,^,2-1-1", "year", "a number is missing"},
    {"1,^-1-1", "year", "a number is missing"},
    {"*-^~1", "month", "a number is missing"},
    {"^1..", "", "hour:minute"},
    {"1..^:00", "hour", "a number is missing"},
    {"2000-03-05^.23 00:00:00", "day-of-month", "cannot follow a number"},
    {"2012-11-23^T11:12:13", "day-of-month", "cannot follow a number"},
    {"*-*-* *:*:*^:*", "", "only a zone"},
    {"^+5:00", "hour", "expected a number"},
    {"^-00:+00/-5", "year", "a number is missing"},
    {"10:00:5.^", "second", "digits are missing"},
    {"10:00:^.5", "second", "expected a number"},
    {"10:00:^1..1.5", "second", "needs a step"},
    {"10:00:0.123^4", "second", "the resolution is a millisecond"},
    {"00:00:00/0.0000000^1", "second", "the resolution is a millisecond"},
    {"10:00:^.5,1,2,3,4,5,6,7,8", "second", "expected a number"},
    {"10:00:^0.5,1,2,3,4,5,6,7,8", "second", "at most 8 items"},
    {"^@", "", "whole seconds"},
    {"^@-5", "", "whole seconds"},
    {"^@+5", "", "whole seconds"},
    {"^@5.5", "", "whole seconds"},
    {"^@5 10:00", "", "whole seconds"},
    {"^@7258118400", "", "@7258118399"},
    {"^@88588582097858858", "", "@7258118399"},
};

static void errors_name_the_field_the_column_and_the_remedy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *mark = strchr(wrong[i].text, '^');
        size_t at = (size_t)(mark - wrong[i].text);
        struct cron cron = {.parts = 77};
        struct str zone = STR("kept");
        struct err err;
        char text[128];

        snprintf(text, sizeof text, "%.*s%s", (int)at, wrong[i].text, mark + 1);
        if (oncalendar_parse(str_of(text), &cron, &zone, &err) != RC_INVALID)
            fail_msg("\"%s\" is accepted", text);
        if (err.at != (int)at || strcmp(err.field, wrong[i].field) != 0 ||
            !strstr(err.text, wrong[i].says) || err.at + err.len > (int)strlen(text))
            fail_msg("\"%s\": at %d+%d [%s] %s; expected at %zu [%s] …%s…", text, err.at,
                     err.len, err.field, err.text, at, wrong[i].field, wrong[i].says);
        assert_int_equal(cron.parts, 77);
        assert_true(str_eq(zone, STR("kept")));
    }
}

static void long_texts_are_refused(void **state)
{
    size_t len = 10 << 20;
    char *text = malloc(len);
    struct cron cron;
    struct str zone;
    struct err err;

    (void)state;
    memset(text, '1', len);
    assert_int_equal(oncalendar_parse((struct str){text, len}, &cron, &zone, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "10485760 bytes; the limit is 1024"));
    free(text);
    assert_int_equal(oncalendar_parse((struct str){NULL, 0}, &cron, &zone, &err), RC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_texts_agree_with_systemd),
        cmocka_unit_test(the_examples_of_the_manual_are_their_normal_forms),
        cmocka_unit_test(each_field_has_its_bits),
        cmocka_unit_test(a_tilde_counts_from_the_end_of_the_month),
        cmocka_unit_test(times_without_wildcards_are_fixed),
        cmocka_unit_test(fractions_are_kept_to_the_millisecond),
        cmocka_unit_test(an_at_sign_and_a_number_is_an_instant),
        cmocka_unit_test(the_last_word_may_be_a_zone),
        cmocka_unit_test(errors_name_the_field_the_column_and_the_remedy),
        cmocka_unit_test(long_texts_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
