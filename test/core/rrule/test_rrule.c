/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrence rules.  Expected values: the examples of RFC 5545 and other implementations. */
#include "core/rrule/rrule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/cron/cron.h"
#include "core/time/civil.h"

enum {
    TIMES_MAX = 64,
    LINE_BYTES_MAX = 2048,
};

/* ---- helpers ---- */

static struct rrule rule_of(const char *start, const char *rule)
{
    char text[LINE_BYTES_MAX];
    struct rrule ret;
    struct str zone;
    struct err err;

    snprintf(text, sizeof text, "DTSTART:%s\nRRULE:%s", start, rule);
    if (rrule_parse(str_of(text), &ret, &zone, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return ret;
}

/* 19970902T090000; a missing time is 09:00:00, as in the examples of the RFC. */
static int64_t local_of(const char *text)
{
    struct civil c = {.hour = 9};
    int n = sscanf(text, "%4d%2d%2dT%2d%2d%2d", &c.date.year, &c.date.month, &c.date.day,
                   &c.hour, &c.minute, &c.second);

    assert_true(n == 3 || n >= 5);
    return local_of_civil(&c);
}

static int locals_of(const char *text, int64_t *ret)
{
    char copy[LINE_BYTES_MAX], *save = NULL;
    int n = 0;

    assert_true(strlen(text) < sizeof copy);
    memcpy(copy, text, strlen(text) + 1);
    for (char *t = strtok_r(copy, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
        assert_true(n < TIMES_MAX);
        ret[n++] = local_of(t);
    }
    return n;
}

static int64_t next(const char *start, const char *rule, const char *from)
{
    struct rrule r = rule_of(start, rule);

    return rrule_next_local(&r, local_of(from));
}

/* Forward from before DTSTART: the expected instances and, if `ends`, no more. */
static void expect_forward(const struct rrule *r, const char *name, const int64_t *want,
                           int count, bool ends)
{
    int64_t at = r->start - DAY_SECONDS;

    for (int i = 0; i < count; i++) {
        int64_t found = rrule_next_local(r, at);

        if (found != want[i])
            fail_msg("%s: instance %d is %lld, expected %lld", name, i, (long long)found,
                     (long long)want[i]);
        if (rrule_next_local(r, found) != found)
            fail_msg("%s: instance %d is not at or after itself", name, i);
        at = found + 1;
    }
    if (ends && rrule_next_local(r, at) != LOCAL_NEVER)
        fail_msg("%s: goes on after instance %d", name, count);
}

/* Backward from the last expected instance: the same, and none before DTSTART. */
static void expect_backward(const struct rrule *r, const char *name, const int64_t *want,
                            int count)
{
    for (int i = count - 1; i >= 0; i--) {
        int64_t before = rrule_prev_local(r, want[i] - 1);

        if (rrule_prev_local(r, want[i]) != want[i])
            fail_msg("%s: instance %d is not at or before itself", name, i);
        if (before != (i > 0 ? want[i - 1] : LOCAL_NONE))
            fail_msg("%s: before instance %d comes %lld", name, i, (long long)before);
    }
}

static void expect_rule(const char *start, const char *rule, const char *times)
{
    struct rrule r = rule_of(start, rule);
    int64_t want[TIMES_MAX];
    int count = locals_of(times, want);

    expect_forward(&r, rule, want, count, r.until_local != LOCAL_NEVER);
    expect_backward(&r, rule, want, count);
}

/* ---- RFC 5545, 3.8.5.3, and the two of 3.3.10; UNTIL in local time ---- */

static const struct {
    const char *start, *rule, *times;
} examples[] = {
    {"19970902T090000", "FREQ=DAILY;COUNT=10",
     "19970902 19970903 19970904 19970905 19970906 19970907 19970908 19970909 19970910 "
     "19970911"},
    {"19970902T090000", "FREQ=DAILY;INTERVAL=2",
     "19970902 19970904 19970906 19970908 19970910 19970912 19970914 19970916 19970918 "
     "19970920 19970922 19970924 19970926 19970928 19970930 19971002 19971004"},
    {"19970902T090000", "FREQ=DAILY;INTERVAL=10;COUNT=5",
     "19970902 19970912 19970922 19971002 19971012"},
    {"19970902T090000", "FREQ=WEEKLY;COUNT=10",
     "19970902 19970909 19970916 19970923 19970930 19971007 19971014 19971021 19971028 "
     "19971104"},
    {"19970902T090000", "FREQ=WEEKLY;UNTIL=19971224T000000",
     "19970902 19970909 19970916 19970923 19970930 19971007 19971014 19971021 19971028 "
     "19971104 19971111 19971118 19971125 19971202 19971209 19971216 19971223"},
    {"19970902T090000", "FREQ=WEEKLY;INTERVAL=2;WKST=SU",
     "19970902 19970916 19970930 19971014 19971028 19971111 19971125 19971209 19971223 "
     "19980106 19980120 19980203 19980217"},
    {"19970902T090000", "FREQ=WEEKLY;UNTIL=19971007T000000;WKST=SU;BYDAY=TU,TH",
     "19970902 19970904 19970909 19970911 19970916 19970918 19970923 19970925 19970930 "
     "19971002"},
    {"19970901T090000", "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000;WKST=SU;BYDAY=MO,WE,FR",
     "19970901 19970903 19970905 19970915 19970917 19970919 19970929 19971001 19971003 "
     "19971013 19971015 19971017 19971027 19971029 19971031 19971110 19971112 19971114 "
     "19971124 19971126 19971128 19971208 19971210 19971212 19971222"},
    {"19970902T090000", "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
     "19970902 19970904 19970916 19970918 19970930 19971002 19971014 19971016"},
    {"19970905T090000", "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
     "19970905 19971003 19971107 19971205 19980102 19980206 19980306 19980403 19980501 "
     "19980605"},
    {"19970905T090000", "FREQ=MONTHLY;UNTIL=19971224T000000;BYDAY=1FR",
     "19970905 19971003 19971107 19971205"},
    {"19970907T090000", "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
     "19970907 19970928 19971102 19971130 19980104 19980125 19980301 19980329 19980503 "
     "19980531"},
    {"19970922T090000", "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
     "19970922 19971020 19971117 19971222 19980119 19980216"},
    {"19970928T090000", "FREQ=MONTHLY;BYMONTHDAY=-3",
     "19970928 19971029 19971128 19971229 19980129 19980226"},
    {"19970902T090000", "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
     "19970902 19970915 19971002 19971015 19971102 19971115 19971202 19971215 19980102 "
     "19980115"},
    {"19970930T090000", "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
     "19970930 19971001 19971031 19971101 19971130 19971201 19971231 19980101 19980131 "
     "19980201"},
    {"19970910T090000", "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
     "19970910 19970911 19970912 19970913 19970914 19970915 19990310 19990311 19990312 "
     "19990313"},
    {"19970902T090000", "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
     "19970902 19970909 19970916 19970923 19970930 19971104 19971111 19971118 19971125 "
     "19980106 19980113 19980120 19980127 19980303 19980310 19980317 19980324 19980331"},
    {"19970610T090000", "FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
     "19970610 19970710 19980610 19980710 19990610 19990710 20000610 20000710 20010610 "
     "20010710"},
    {"19970310T090000", "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
     "19970310 19990110 19990210 19990310 20010110 20010210 20010310 20030110 20030210 "
     "20030310"},
    {"19970101T090000", "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
     "19970101 19970410 19970719 20000101 20000409 20000718 20030101 20030410 20030719 "
     "20060101"},
    {"19970519T090000", "FREQ=YEARLY;BYDAY=20MO", "19970519 19980518 19990517"},
    {"19970512T090000", "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "19970512 19980511 19990517"},
    {"19970313T090000", "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
     "19970313 19970320 19970327 19980305 19980312 19980319 19980326 19990304 19990311 "
     "19990318 19990325"},
    {"19970605T090000", "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
     "19970605 19970612 19970619 19970626 19970703 19970710 19970717 19970724 19970731 "
     "19970807 19970814 19970821 19970828 19980604 19980611"},
    {"19970902T090000", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
     "19980213 19980313 19981113 19990813 20001013"},
    {"19970913T090000", "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
     "19970913 19971011 19971108 19971213 19980110 19980207 19980307 19980411 19980509 "
     "19980613"},
    {"19961105T090000", "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
     "19961105 20001107 20041102"},
    {"19970904T090000", "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
     "19970904 19971007 19971106"},
    {"19970929T090000", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
     "19970929 19971030 19971127 19971230 19980129 19980226 19980330"},
    {"19970902T090000", "FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000",
     "19970902T090000 19970902T120000 19970902T150000"},
    {"19970902T090000", "FREQ=MINUTELY;INTERVAL=15;COUNT=6",
     "19970902T0900 19970902T0915 19970902T0930 19970902T0945 19970902T1000 19970902T1015"},
    {"19970902T090000", "FREQ=MINUTELY;INTERVAL=90;COUNT=4",
     "19970902T0900 19970902T1030 19970902T1200 19970902T1330"},
    {"19970902T090000", "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40",
     "19970902T0900 19970902T0920 19970902T0940 19970902T1000 19970902T1020 19970902T1040 "
     "19970902T1100 19970902T1120 19970902T1140 19970902T1200 19970902T1220 19970902T1240 "
     "19970902T1300 19970902T1320 19970902T1340 19970902T1400 19970902T1420 19970902T1440 "
     "19970902T1500 19970902T1520 19970902T1540 19970902T1600 19970902T1620 19970902T1640 "
     "19970903T0900 19970903T0920"},
    {"19970902T090000", "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16",
     "19970902T0900 19970902T0920 19970902T0940 19970902T1000 19970902T1020 19970902T1040 "
     "19970902T1100 19970902T1120 19970902T1140 19970902T1200 19970902T1220 19970902T1240 "
     "19970902T1300 19970902T1320 19970902T1340 19970902T1400 19970902T1420 19970902T1440 "
     "19970902T1500 19970902T1520 19970902T1540 19970902T1600 19970902T1620 19970902T1640 "
     "19970903T0900 19970903T0920"},
    {"19970805T090000", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
     "19970805 19970810 19970819 19970824"},
    {"19970805T090000", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
     "19970805 19970817 19970819 19970831"},
    {"20070115T090000", "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
     "20070115 20070130 20070215 20070315 20070330"},
    /* 3.3.10: Sundays in January at half past eight and nine, in every other year. */
    {"19970105T083000", "FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=SU;BYHOUR=8,9;BYMINUTE=30",
     "19970105T0830 19970105T0930 19970112T0830 19970112T0930 19970119T0830 19970119T0930 "
     "19970126T0830 19970126T0930 19990103T0830"},
    {"19970131T090000", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
     "19970131 19970228 19970331 19970430 19970530 19970630"},
};

static void the_examples_of_the_rfc_come_out_in_both_directions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        expect_rule(examples[i].start, examples[i].rule, examples[i].times);
}

static void a_daily_rule_runs_to_its_until(void **state)
{
    struct rrule r = rule_of("19970902T090000", "FREQ=DAILY;UNTIL=19971224T000000");
    int64_t at = r.start;

    (void)state;
    for (int i = 0; i < 113; i++) {
        assert_int_equal(rrule_next_local(&r, at), r.start + i * DAY_SECONDS);
        at = r.start + i * DAY_SECONDS + 1;
    }
    assert_int_equal(rrule_next_local(&r, at), LOCAL_NEVER);
    assert_int_equal(rrule_prev_local(&r, INT64_MAX), local_of("19971223"));
}

static void every_day_in_january_is_the_same_by_year_and_by_day(void **state)
{
    struct rrule a = rule_of("19980101T090000", "FREQ=YEARLY;UNTIL=20000131T090000;BYMONTH=1;"
                                                "BYDAY=SU,MO,TU,WE,TH,FR,SA");
    struct rrule b = rule_of("19980101T090000", "FREQ=DAILY;UNTIL=20000131T090000;BYMONTH=1");
    int64_t at = a.start;
    int count = 0;

    (void)state;
    for (; at != LOCAL_NEVER; count++) {
        int64_t found = rrule_next_local(&a, at);

        assert_int_equal(rrule_next_local(&b, at), found);
        if (found == LOCAL_NEVER)
            break;
        assert_int_equal(civil_of_local(found).date.month, 1);
        at = found + 1;
    }
    assert_int_equal(count, 93);
}

/* ---- results of other implementations ---- */

static void random_rules_agree_with_two_other_implementations(void **state)
{
    static char line[LINE_BYTES_MAX];
    FILE *file = fopen("test/data/rrule_facts.tsv", "r");
    int64_t want[TIMES_MAX];
    int rows = 0;

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *save = NULL, *start, *rule, *times;
        struct rrule r;
        int count;

        if (line[0] == '#')
            continue;
        start = strtok_r(line, "\t\n", &save);
        rule = strtok_r(NULL, "\t\n", &save);
        times = strtok_r(NULL, "\t\n", &save);
        r = rule_of(start, rule);
        count = locals_of(times, want);
        expect_forward(&r, rule, want, count, count < 10 && r.count == 0);
        expect_backward(&r, rule, want, count);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 500);
}

/* ---- where common libraries differ from the RFC ---- */

static void plain_and_numbered_weekdays_of_one_list_add_up(void **state)
{
    (void)state;
    expect_rule("20240101T090000", "FREQ=MONTHLY;BYDAY=MO,1WE",
                "20240101 20240103 20240108 20240115 20240122 20240129 20240205 20240207");
}

static void bysetpos_counts_in_the_whole_first_week(void **state)
{
    (void)state;
    /* DTSTART is a Wednesday, after the first day of that week's set, Monday. */
    expect_rule("20180103T090000", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=1",
                "20180108 20180115 20180122");
}

static void byweekno_alone_means_the_weekday_of_dtstart(void **state)
{
    (void)state;
    /* ISO weeks: 2018-W01-3, 2019-W01-3, 2020-W01-3 ... */
    expect_rule("20180103T090000", "FREQ=YEARLY;BYWEEKNO=1",
                "20180103 20190102 20200101 20210106");
}

static void weeks_belong_to_the_year_with_four_of_their_days(void **state)
{
    (void)state;
    /* ISO: 2019-W01-1, 2020-W01-1 and 2025-W01-1 lie in December. */
    expect_rule("20180101T090000", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO",
                "20180101 20181231 20191230 20210104 20220103 20230102 20240101 20241230");
    expect_rule("20180101T090000", "FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO",
                "20180101 20191230 20220103 20240101 20251229");
    /* Years with 53 weeks: 2020, 2026, 2032, 2037. */
    expect_rule("20180101T090000", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU",
                "20210103 20270103 20330102 20380103");
    expect_rule("20180101T090000", "FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU",
                "20181230 20191229 20210103 20220102");
    /* DTSTART itself is in week 53 of the year before. */
    expect_rule("20210101T090000", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR", "20210101 20270101");
    /* With weeks from Sunday, 2021-01-03 begins week 1. */
    expect_rule("20210101T090000", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=SU",
                "20210103 20220102 20230101 20231231");
}

static void second_sixty_never_comes(void **state)
{
    (void)state;
    assert_int_equal(next("20240101T000000", "FREQ=DAILY;BYSECOND=60", "20240101"),
                     LOCAL_NEVER);
    assert_int_equal(next("20240101T000000", "FREQ=SECONDLY;BYSECOND=60", "20240101"),
                     LOCAL_NEVER);
    expect_rule("20240101T000000", "FREQ=DAILY;BYSECOND=0,60",
                "20240101T000000 20240102T000000 20240103T000000");
}

/* ---- edge cases ---- */

static void rules_that_cannot_match_have_no_instance(void **state)
{
    static const char *const rules[] = {
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1",
        "FREQ=YEARLY;BYWEEKNO=20;BYMONTH=12;BYDAY=MO",
        "FREQ=YEARLY;BYMONTH=1;BYSETPOS=2",
        "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTH=2",
        "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2",
        "FREQ=DAILY;INTERVAL=7;BYDAY=TU",
        "FREQ=DAILY;BYMONTH=11;BYMONTHDAY=31",
        "FREQ=HOURLY;INTERVAL=168;BYDAY=TU",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=1",
        "FREQ=HOURLY;BYMINUTE=5;BYSETPOS=-2",
        "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1",
        "FREQ=SECONDLY;INTERVAL=2;BYSECOND=1,3,59",
        "FREQ=SECONDLY;INTERVAL=60;BYSECOND=1",
        "FREQ=SECONDLY;BYMONTH=2;BYYEARDAY=-1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct rrule r = rule_of("20240101T000000", rules[i]); /* a Monday */

        if (rrule_next_local(&r, r.start) != LOCAL_NEVER ||
            rrule_prev_local(&r, INT64_MAX) != LOCAL_NONE)
            fail_msg("%s: finds something", rules[i]);
    }
}

static void rare_matches_are_found(void **state)
{
    (void)state;
    assert_int_equal(next("20240101T000000", "FREQ=SECONDLY;INTERVAL=7;BYYEARDAY=366;BYHOUR=3",
                          "20240101T0000"),
                     local_of("20241231T030002"));
    /* 29 February on a Monday: every 28 years, except that 2100 has no 29 February. */
    expect_rule("20720301T090000", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
                "21120229 21400229 21680229");
    /* One second later each day: 23:59:59 after 86399 days. */
    assert_int_equal(next("20240101T000000",
                          "FREQ=SECONDLY;INTERVAL=86401;BYHOUR=23;BYMINUTE=59;BYSECOND=59",
                          "20240101T0000"),
                     local_of("20240101T0000") + INT64_C(86399) * 86401);
}

static void a_search_far_from_dtstart_jumps_there(void **state)
{
    struct rrule r = rule_of("19970902T090000", "FREQ=SECONDLY;INTERVAL=7");
    int64_t far = local_of("90000101T0000");
    int64_t want = r.start + (far - r.start + 6) / 7 * 7;

    (void)state;
    assert_int_equal(rrule_next_local(&r, far), want);
    assert_int_equal(rrule_prev_local(&r, far), want - 7);
    /* 7002 years are 1400 steps of 5 and 2 years more. */
    assert_int_equal(next("19980601T090000", "FREQ=YEARLY;INTERVAL=5", "90000101"),
                     local_of("90030601"));
}

static void the_calendar_ends_in_the_year_9999(void **state)
{
    struct rrule r = rule_of("99991230T120000", "FREQ=DAILY");

    (void)state;
    assert_int_equal(rrule_next_local(&r, r.start + 1), local_of("99991231T1200"));
    assert_int_equal(rrule_next_local(&r, local_of("99991231T120001")), LOCAL_NEVER);
    assert_int_equal(rrule_next_local(&r, INT64_MAX), LOCAL_NEVER);
    assert_int_equal(rrule_prev_local(&r, INT64_MAX), local_of("99991231T1200"));
    assert_int_equal(next("99990101T090000", "FREQ=YEARLY", "99990102"), LOCAL_NEVER);
    assert_int_equal(next("99991201T090000", "FREQ=MONTHLY", "99991202"), LOCAL_NEVER);
    assert_int_equal(next("99991231T090000", "FREQ=WEEKLY;WKST=FR", "99991231T0901"),
                     LOCAL_NEVER);
    assert_int_equal(next("99991231T090000", "FREQ=YEARLY;BYWEEKNO=1;WKST=FR", "99991231"),
                     local_of("99991231"));
}

static void the_calendar_begins_in_the_year_1(void **state)
{
    static const char *const rules[] = {"FREQ=YEARLY", "FREQ=MONTHLY", "FREQ=WEEKLY;WKST=TU",
                                        "FREQ=DAILY",  "FREQ=HOURLY",  "FREQ=SECONDLY"};

    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct rrule r = rule_of("00010101T000000", rules[i]);

        assert_int_equal(rrule_next_local(&r, INT64_MIN), DAY_MIN * DAY_SECONDS);
        assert_int_equal(rrule_prev_local(&r, INT64_MIN), LOCAL_NONE);
        assert_int_equal(rrule_prev_local(&r, DAY_MIN * DAY_SECONDS), DAY_MIN * DAY_SECONDS);
    }
    /* Weeks from Tuesday: 0001-01-01, a Monday, belongs to the last week of the year before. */
    assert_int_equal(
        next("00010101T090000", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=TU;WKST=TU", "00010101"),
        local_of("00010102"));
}

static void large_intervals_do_not_overflow(void **state)
{
    static const char *const freqs[] = {"YEARLY", "MONTHLY",  "WEEKLY",  "DAILY",
                                        "HOURLY", "MINUTELY", "SECONDLY"};
    char rule[64];

    (void)state;
    for (size_t i = 0; i < sizeof freqs / sizeof freqs[0]; i++) {
        struct rrule r;
        int64_t second;

        snprintf(rule, sizeof rule, "FREQ=%s;INTERVAL=1000000000", freqs[i]);
        r = rule_of("20240101T090000", rule);
        second = rrule_next_local(&r, r.start + 1);
        assert_int_equal(rrule_next_local(&r, r.start), r.start);
        assert_int_equal(rrule_prev_local(&r, INT64_MAX - 1) >= r.start, true);
        if (i < 5)
            assert_int_equal(second, LOCAL_NEVER);
        else
            assert_int_equal(second, r.start + INT64_C(1000000000) * (i == 5 ? 60 : 1));
    }
}

static void bysetpos_counts_days_and_times_together(void **state)
{
    (void)state;
    /* The first and the last of the twelve months, by the day of DTSTART. */
    expect_rule("20240101T000000",
                "FREQ=YEARLY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYSETPOS=1,-1",
                "20240101T000000 20241201T000000 20250101T000000");
    expect_rule("20240101T000000",
                "FREQ=DAILY;BYHOUR=0,12;BYMINUTE=0,1,2,3,4,5;BYSECOND=0,30;BYSETPOS=13,-1,24",
                "20240101T120000 20240101T120530 20240102T120000 20240102T120530");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfc_come_out_in_both_directions),
        cmocka_unit_test(a_daily_rule_runs_to_its_until),
        cmocka_unit_test(every_day_in_january_is_the_same_by_year_and_by_day),
        cmocka_unit_test(random_rules_agree_with_two_other_implementations),
        cmocka_unit_test(plain_and_numbered_weekdays_of_one_list_add_up),
        cmocka_unit_test(bysetpos_counts_in_the_whole_first_week),
        cmocka_unit_test(byweekno_alone_means_the_weekday_of_dtstart),
        cmocka_unit_test(weeks_belong_to_the_year_with_four_of_their_days),
        cmocka_unit_test(second_sixty_never_comes),
        cmocka_unit_test(rules_that_cannot_match_have_no_instance),
        cmocka_unit_test(rare_matches_are_found),
        cmocka_unit_test(a_search_far_from_dtstart_jumps_there),
        cmocka_unit_test(the_calendar_ends_in_the_year_9999),
        cmocka_unit_test(the_calendar_begins_in_the_year_1),
        cmocka_unit_test(large_intervals_do_not_overflow),
        cmocka_unit_test(bysetpos_counts_days_and_times_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
