/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Valid and invalid TZif files, composed here byte by byte according to RFC 9636.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/must.h"
#include "core/time/civil.h"
#include "core/time/tz.h"

enum { H = 3600, M = 60, BYTES_MAX = 1 << 16 };

/* A file that a test composes, and the zone parsed from it. */
static struct {
    uint8_t bytes[BYTES_MAX];
    size_t len;
    struct err err;
} file;

static struct tz *tz, *untouched;

struct change {
    int64_t at;
    uint8_t type;
};

/* The content of a block; fields that a test does not set have the usual values. */
struct content {
    const struct change *changes;
    uint32_t change_count;
    const int32_t *offsets; /* of the types */
    uint32_t type_count;
    uint32_t leap_count, isstd_count, isut_count;
};

static int64_t utc(int year, int month, int day, int hour, int minute, int second)
{
    return day_of_date(year, month, day) * DAY_SECONDS + hour * H + minute * M + second;
}

static void put(const void *bytes, size_t len)
{
    must(file.len + len <= BYTES_MAX);
    memcpy(file.bytes + file.len, bytes, len);
    file.len += len;
}

static void put_number(uint64_t value, int size)
{
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
        put(&(uint8_t){(uint8_t)(value >> shift)}, 1);
}

static void put_header(char version, const struct content *content)
{
    static const uint8_t unused[15];

    put("TZif", 4);
    put(&version, 1);
    put(unused, sizeof unused);
    put_number(content->isut_count, 4);
    put_number(content->isstd_count, 4);
    put_number(content->leap_count, 4);
    put_number(content->change_count, 4);
    put_number(content->type_count, 4);
    put_number(4, 4); /* "ABC" and its zero */
}

static void put_block(char version, int time_size, const struct content *content)
{
    put_header(version, content);
    for (uint32_t i = 0; i < content->change_count; i++)
        put_number((uint64_t)content->changes[i].at, time_size);
    for (uint32_t i = 0; i < content->change_count; i++)
        put_number(content->changes[i].type, 1);
    for (uint32_t i = 0; i < content->type_count; i++) {
        put_number((uint32_t)content->offsets[i], 4);
        put_number(0, 2);
    }
    put("ABC", 4);
    for (uint32_t i = 0; i < content->leap_count; i++) {
        put_number(i, time_size);
        put_number(i, 4);
    }
    for (uint32_t i = 0; i < content->isstd_count + content->isut_count; i++)
        put_number(0, 1);
}

static const struct content *const stub = &(const struct content){
    .offsets = (const int32_t[]){0},
    .type_count = 1,
};

/* A file of version 2 or later, whose first block is the stub that slim files have. */
static void make(char version, const struct content *content, const char *rule)
{
    file.len = 0;
    put_block(version, 4, stub);
    put_block(version, 8, content);
    put("\n", 1);
    put(rule, strlen(rule));
    put("\n", 1);
}

/* A file with only a rule. */
static void make_rule(const char *rule)
{
    make('3', stub, rule);
}

static enum rc parse_bytes(const uint8_t *bytes, size_t len)
{
    return tz_parse(STR("Test/Zone"), bytes, len, tz, TZ_BYTES_MAX, &file.err);
}

static void accept(void)
{
    if (parse_bytes(file.bytes, file.len) != RC_OK)
        fail_msg("%s", file.err.text);
    assert_string_equal(tz->name, "Test/Zone");
}

static void refuse(enum rc rc, const char *why)
{
    memset(tz, 0, TZ_BYTES_MAX);
    assert_int_equal(parse_bytes(file.bytes, file.len), rc);
    assert_int_equal(file.err.rc, rc);
    if (!strstr(file.err.text, why))
        fail_msg("\"%s\" does not say \"%s\"", file.err.text, why);
    assert_memory_equal(tz, untouched, TZ_BYTES_MAX);
}

/* The two changes of Eastern time in 1967, the zone before, and the types of both. */
static const int32_t eastern_offsets[] = {-17762, -4 * H, -5 * H};
static const struct change eastern_changes[] = {{-84387600, 1}, {-68666400, 2}};
static const struct content eastern = {
    .changes = eastern_changes,
    .change_count = 2,
    .offsets = eastern_offsets,
    .type_count = 3,
};

static void check_eastern_1967(void)
{
    assert_int_equal(tz_offset(tz, utc(1, 1, 1, 0, 0, 0)), -17762);
    assert_int_equal(tz_offset(tz, -84387601), -17762);
    assert_int_equal(tz_offset(tz, -84387600), -4 * H);
    assert_int_equal(tz_offset(tz, -68666401), -4 * H);
    assert_int_equal(tz_offset(tz, -68666400), -5 * H);
}

static void a_file_of_version_1_has_32_bits_and_no_rule(void **state)
{
    (void)state;
    file.len = 0;
    put_block('\0', 4, &eastern);
    accept();
    check_eastern_1967();
    assert_int_equal(tz_offset(tz, utc(9999, 7, 1, 0, 0, 0)), -5 * H);
}

static void later_versions_have_64_bits_after_a_block_that_is_skipped(void **state)
{
    static const struct change wrong[] = {{-84387600, 0}, {5, 1}};
    static const int32_t offsets[] = {7 * H, 8 * H};
    const struct content first = {.changes = wrong,
                                  .change_count = 2,
                                  .offsets = offsets,
                                  .type_count = 2,
                                  .leap_count = 3,
                                  .isstd_count = 2,
                                  .isut_count = 2};

    (void)state;
    for (char version = '2'; version <= '4'; version++) {
        file.len = 0;
        put_block(version, 4, &first);
        put_block(version, 8, &eastern);
        put("\n\n", 2);
        accept();
        check_eastern_1967();
    }
}

static void an_empty_last_line_means_that_the_last_offset_goes_on(void **state)
{
    (void)state;
    make('2', &eastern, "");
    accept();
    assert_int_equal(tz_offset(tz, utc(9999, 12, 31, 0, 0, 0)), -5 * H);
    assert_true(tz->cycle_from == TZ_TIME_MAX);
    assert_int_equal(tz->count, 3);
}

static void the_rule_goes_on_where_the_table_ends(void **state)
{
    (void)state;
    make('2', &eastern, "EST5EDT,M4.5.0,M10.5.0");
    accept();
    check_eastern_1967();
    assert_int_equal(tz_offset(tz, utc(1968, 4, 28, 6, 59, 59)), -5 * H);
    assert_int_equal(tz_offset(tz, utc(1968, 4, 28, 7, 0, 0)), -4 * H);
    assert_int_equal(tz_offset(tz, utc(9999, 10, 31, 5, 59, 59)), -4 * H);
    assert_int_equal(tz_offset(tz, utc(9999, 10, 31, 6, 0, 0)), -5 * H);
}

static void where_the_last_change_contradicts_the_rule_the_rule_holds(void **state)
{
    (void)state;
    /* By this rule DST ends on 5 November; the table ends it on 29 October. */
    make('2', &eastern, "EST5EDT,M3.2.0,M11.1.0");
    accept();
    assert_int_equal(tz_offset(tz, -68666400), -4 * H);
    assert_int_equal(tz_offset(tz, utc(1967, 11, 5, 5, 59, 59)), -4 * H);
    assert_int_equal(tz_offset(tz, utc(1967, 11, 5, 6, 0, 0)), -5 * H);
}

static void a_rule_without_dst_needs_no_cycle(void **state)
{
    (void)state;
    make('2', &eastern, "EST5");
    accept();
    assert_int_equal(tz->count, 3);
    assert_true(tz->cycle_from == TZ_TIME_MAX);
}

static void a_rule_alone_holds_for_all_times(void **state)
{
    static const int years[] = {1, 2, 399, 400, 401, 402, 1899, 1999, 2172, 9998};

    (void)state;
    make_rule("AEST-10AEDT,M10.1.0,M4.1.0/3");
    accept();
    for (size_t i = 0; i < sizeof years / sizeof years[0]; i++) {
        assert_int_equal(tz_offset(tz, utc(years[i], 1, 1, 0, 0, 0)), 11 * H);
        assert_int_equal(tz_offset(tz, utc(years[i], 7, 1, 0, 0, 0)), 10 * H);
        assert_int_equal(tz_offset(tz, utc(years[i], 12, 31, 23, 59, 59)), 11 * H);
    }
    make_rule("JST-9");
    accept();
    assert_int_equal(tz->count, 1);
    assert_int_equal(tz->seg[0].offset, 9 * H);
}

static void dst_may_last_all_year(void **state)
{
    int64_t at;
    int32_t before, after;

    (void)state;
    /* RFC 9636 names this one: from new year to the last hour, without a break. */
    make('3', &eastern, "XXX3EDT4,0/0,J365/23");
    accept();
    for (int year = 1968; year < 2500; year++) {
        assert_int_equal(tz_offset(tz, utc(year, 1, 1, 3, 0, 0) - 1), -4 * H);
        assert_int_equal(tz_offset(tz, utc(year, 1, 1, 3, 0, 0)), -4 * H);
    }
    assert_false(tz_next_change(tz, utc(1968, 1, 1, 0, 0, 0), &at, &before, &after));
    assert_true(tz->cycle_from == TZ_TIME_MAX);
}

static void dst_may_pause_only_in_leap_years(void **state)
{
    int64_t at;
    int32_t before, after;

    (void)state;
    /* Day 364 is 31 December in a common year, but 30 December in a leap year. */
    make('3', &eastern, "AAA0BBB,0/0,364/25");
    accept();
    assert_true(tz_next_change(tz, utc(1985, 1, 1, 0, 0, 0), &at, &before, &after));
    assert_int_equal(at, utc(1988, 12, 31, 0, 0, 0));
    assert_int_equal(after, 0);
    /* 2100 is not a leap year; nor is 2500, 400 years later. */
    assert_true(tz_next_change(tz, utc(2097, 1, 1, 0, 0, 0), &at, &before, &after));
    assert_int_equal(at, utc(2104, 12, 31, 0, 0, 0));
    assert_true(tz_next_change(tz, utc(2497, 1, 1, 0, 0, 0), &at, &before, &after));
    assert_int_equal(at, utc(2504, 12, 31, 0, 0, 0));
}

static void a_local_time_in_a_gap_may_exist_after_the_next_change(void **state)
{
    (void)state;
    /* On 1 January the clock goes from 21:00 to 23:00, and an hour later back to 22:00. */
    make('3', &eastern, "XXX2EDT4,0/0,J365/21");
    accept();
    assert_int_equal(tz_utc_of_local(tz, utc(1999, 12, 31, 20, 59, 59)),
                     utc(2000, 1, 1, 0, 59, 59));
    assert_int_equal(tz_utc_of_local(tz, utc(1999, 12, 31, 21, 30, 0)),
                     utc(2000, 1, 1, 1, 0, 0));
    assert_int_equal(tz_utc_of_local(tz, utc(1999, 12, 31, 22, 30, 0)),
                     utc(2000, 1, 1, 2, 30, 0));
    assert_int_equal(tz_utc_of_local(tz, utc(1999, 12, 31, 23, 30, 0)),
                     utc(2000, 1, 1, 1, 30, 0));
}

static void neighbours_with_equal_offsets_are_merged(void **state)
{
    static const struct change changes[] = {{0, 1}, {1000, 2}, {2000, 1}, {3000, 0}, {4000, 1}};
    static const int32_t offsets[] = {H, 2 * H, 2 * H};
    const struct content content = {changes, 5, offsets, 3, 0, 0, 0};

    (void)state;
    make('2', &content, "<+02>-2");
    accept();
    assert_int_equal(tz->count, 4);
    assert_int_equal(tz->seg[1].start, 0);
    assert_int_equal(tz->seg[2].start, 3000);
    assert_int_equal(tz->seg[3].start, 4000);
}

static void changes_outside_of_the_calendar_are_dropped(void **state)
{
    static const struct change changes[] = {
        {INT64_MIN, 1}, {-(INT64_C(1) << 59), 2}, {0, 0}, {INT64_MAX, 1}};
    static const int32_t offsets[] = {H, 2 * H, 3 * H};
    const struct content content = {changes, 4, offsets, 3, 0, 0, 0};

    (void)state;
    make('2', &content, "EST5EDT,M3.2.0,M11.1.0");
    accept();
    assert_int_equal(tz->count, 2);
    assert_int_equal(tz_offset(tz, utc(1, 1, 1, 0, 0, 0)), 3 * H);
    assert_int_equal(tz_offset(tz, utc(9999, 12, 31, 23, 59, 59)), H);
}

static void a_change_in_the_last_year_is_read(void **state)
{
    static const int32_t offsets[] = {0, -5 * H};
    struct change change = {0, 1};
    const struct content content = {&change, 1, offsets, 2, 0, 0, 0};

    (void)state;
    change.at = utc(9999, 12, 1, 0, 0, 0);
    make('2', &content, "EST5EDT,M3.2.0,M11.1.0");
    accept();
    assert_int_equal(tz_offset(tz, change.at - 1), 0);
    assert_int_equal(tz_offset(tz, utc(9999, 12, 31, 23, 59, 59)), -5 * H);
}

static void a_truncated_file_is_refused(void **state)
{
    size_t len;

    (void)state;
    make('2', &eastern, "EST5EDT,M3.2.0,M11.1.0");
    len = file.len;
    accept();
    for (file.len = 0; file.len < len; file.len++)
        refuse(RC_CORRUPT, file.len < 4 ? "not of the TZif format" : "is broken");
    file.len = 0;
    put_block('\0', 4, &eastern);
    len = file.len;
    accept();
    for (file.len = 0; file.len < len; file.len++)
        refuse(RC_CORRUPT, file.len < 4 ? "not of the TZif format" : "is broken");
}

static void files_of_another_kind_are_refused(void **state)
{
    (void)state;
    file.len = 0;
    put("#!/bin/sh\n", 10);
    refuse(RC_CORRUPT, "not of the TZif format");
    make('5', &eastern, "");
    refuse(RC_CORRUPT, "version is not 1 to 4");
    make('1', &eastern, "");
    refuse(RC_CORRUPT, "version is not 1 to 4");
}

static void counts_beyond_the_file_are_refused(void **state)
{
    (void)state;
    for (size_t field = 0; field < 6; field++) {
        make('2', &eastern, "");
        memset(file.bytes + 20 + 4 * field, 0xff, 4);
        refuse(RC_CORRUPT, "ends too early");
        make('2', &eastern, "");
        memset(file.bytes + 44 + 6 + 4 + 20 + 4 * field, 0xff, 4); /* of the second block */
        refuse(RC_CORRUPT, "ends too early");
    }
}

static void leap_seconds_are_refused(void **state)
{
    struct content content = eastern;

    (void)state;
    content.leap_count = 1;
    make('2', &content, "EST5");
    refuse(RC_INVALID, "leap seconds");
    file.len = 0;
    put_block('\0', 4, &content);
    refuse(RC_INVALID, "leap seconds");
}

static void contradictions_are_refused(void **state)
{
    static const struct change twice[] = {{5, 1}, {5, 2}}, back[] = {{6, 1}, {5, 2}};
    static const struct change absent[] = {{5, 1}, {6, 3}};
    static const int32_t far_east[] = {0, 0, 26 * H + 1}, far_west[] = {INT32_MIN, 0, 0};
    struct content content = eastern;

    (void)state;
    content.changes = twice;
    make('2', &content, "");
    refuse(RC_CORRUPT, "do not ascend");
    content.changes = back;
    make('2', &content, "");
    refuse(RC_CORRUPT, "do not ascend");
    content.changes = absent;
    make('2', &content, "");
    refuse(RC_CORRUPT, "type is missing");
    content = eastern;
    content.offsets = far_east;
    make('2', &content, "");
    refuse(RC_CORRUPT, "26 hours");
    content.offsets = far_west;
    make('2', &content, "");
    refuse(RC_CORRUPT, "26 hours");
    content = eastern;
    content.isstd_count = 2;
    make('2', &content, "");
    refuse(RC_CORRUPT, "contradict");
    content.isstd_count = 0;
    content.isut_count = 1;
    make('2', &content, "");
    refuse(RC_CORRUPT, "contradict");
    content = (struct content){.type_count = 0};
    make('2', &content, "");
    refuse(RC_CORRUPT, "no local time types");
}

static void an_abbreviation_that_is_not_there_is_refused(void **state)
{
    (void)state;
    file.len = 0;
    put_block('\0', 4, &eastern);
    file.bytes[44 + 2 * 5 + 5] = 3; /* the terminating zero: an empty abbreviation, but valid */
    accept();
    file.bytes[44 + 2 * 5 + 5] = 4;
    refuse(RC_CORRUPT, "abbreviation");
}

static void a_wrong_last_line_is_refused(void **state)
{
    (void)state;
    make('2', &eastern, "EST5EDT");
    refuse(RC_CORRUPT, "byte 8 of the time zone rule");
    make('2', &eastern, "\x1b[31m");
    refuse(RC_CORRUPT, "byte 1 of the time zone rule");
    assert_null(strchr(file.err.text, '\x1b'));
    make('2', &eastern, "");
    file.bytes[file.len - 2] = ' ';
    refuse(RC_CORRUPT, "last line is missing");
}

static void more_changes_than_fit_are_refused(void **state)
{
    static struct change changes[TZ_SEGMENTS_MAX];
    static const int32_t offsets[] = {0, H};
    struct content content = {changes, TZ_SEGMENTS_MAX, offsets, 2, 0, 0, 0};

    (void)state;
    for (int i = 0; i < TZ_SEGMENTS_MAX; i++)
        changes[i] = (struct change){i * INT64_C(100000), (uint8_t)(1 - i % 2)};
    make('2', &content, "AAA0BBB,M3.2.0,M11.1.0");
    refuse(RC_LIMIT, "4096 clock changes");
    /* The rule needs 400 years with two changes and a few more; the rest is for the file. */
    content.change_count = TZ_SEGMENTS_MAX - 814;
    make('2', &content, "AAA0BBB,M3.2.0,M11.1.0");
    accept();
    assert_true(tz->count > TZ_SEGMENTS_MAX - 10 && tz->count <= TZ_SEGMENTS_MAX);
    content.change_count++;
    make('2', &content, "AAA0BBB,M3.2.0,M11.1.0");
    refuse(RC_LIMIT, "clock changes");
}

static void a_name_that_does_not_fit_is_refused(void **state)
{
    char name[ZONE_NAME_MAX + 1];

    (void)state;
    memset(name, 'x', sizeof name);
    make_rule("UTC0");
    assert_int_equal(tz_parse((struct str){name, ZONE_NAME_MAX + 1}, file.bytes, file.len, tz,
                              TZ_BYTES_MAX, &file.err),
                     RC_LIMIT);
    assert_int_equal(tz_parse((struct str){name, ZONE_NAME_MAX}, file.bytes, file.len, tz,
                              TZ_BYTES_MAX, &file.err),
                     RC_OK);
    assert_int_equal(strlen(tz->name), ZONE_NAME_MAX);
}

static int set_up(void **state)
{
    (void)state;
    tz = test_malloc(TZ_BYTES_MAX);
    untouched = test_calloc(1, TZ_BYTES_MAX);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_free(tz);
    test_free(untouched);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_version_1_has_32_bits_and_no_rule),
        cmocka_unit_test(later_versions_have_64_bits_after_a_block_that_is_skipped),
        cmocka_unit_test(an_empty_last_line_means_that_the_last_offset_goes_on),
        cmocka_unit_test(the_rule_goes_on_where_the_table_ends),
        cmocka_unit_test(where_the_last_change_contradicts_the_rule_the_rule_holds),
        cmocka_unit_test(a_rule_without_dst_needs_no_cycle),
        cmocka_unit_test(a_rule_alone_holds_for_all_times),
        cmocka_unit_test(dst_may_last_all_year),
        cmocka_unit_test(dst_may_pause_only_in_leap_years),
        cmocka_unit_test(a_local_time_in_a_gap_may_exist_after_the_next_change),
        cmocka_unit_test(neighbours_with_equal_offsets_are_merged),
        cmocka_unit_test(changes_outside_of_the_calendar_are_dropped),
        cmocka_unit_test(a_change_in_the_last_year_is_read),
        cmocka_unit_test(a_truncated_file_is_refused),
        cmocka_unit_test(files_of_another_kind_are_refused),
        cmocka_unit_test(counts_beyond_the_file_are_refused),
        cmocka_unit_test(leap_seconds_are_refused),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(an_abbreviation_that_is_not_there_is_refused),
        cmocka_unit_test(a_wrong_last_line_is_refused),
        cmocka_unit_test(more_changes_than_fit_are_refused),
        cmocka_unit_test(a_name_that_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
