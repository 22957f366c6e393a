/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zone reader of the oracle, on files composed here with features that tzdata does not use
 * today.  The instants are derived from RFC 9636 and POSIX by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "oracle_civil.h"
#include "oracle_tz.h"

enum { FILE_LENGTH = 512 };

/* The TZif file that is being written. */
struct image {
    unsigned char byte[FILE_LENGTH];
    size_t length;
};

static void put_bytes(struct image *image, const void *bytes, size_t length)
{
    assert_true(image->length + length <= FILE_LENGTH);
    memcpy(image->byte + image->length, bytes, length);
    image->length += length;
}

static void put_int(struct image *image, int64_t value, int width)
{
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
        unsigned char byte = (unsigned char)((uint64_t)value >> shift);
        put_bytes(image, &byte, 1);
    }
}

/* Two types: 0 is `before`, 1 is `after`; one transition to type 1 or none. */
struct plan {
    char version;
    bool has_transition;
    int64_t at;
    int32_t before;
    int32_t after;
    int leaps;
};

static void put_block(struct image *image, const struct plan *plan, int width)
{
    static const unsigned char reserved[15];

    put_bytes(image, "TZif", 4);
    put_bytes(image, &plan->version, 1);
    put_bytes(image, reserved, sizeof reserved);
    const int counts[] = {0, 0, plan->leaps, plan->has_transition, 2, 4};
    for (int i = 0; i < 6; i++)
        put_int(image, counts[i], 4);
    if (plan->has_transition) {
        put_int(image, plan->at, width);
        put_int(image, 1, 1);
    }
    put_int(image, plan->before, 4);
    put_int(image, 0, 2);
    put_int(image, plan->after, 4);
    put_int(image, 0, 2);
    put_bytes(image, "XXX", 4);
    for (int i = 0; i < plan->leaps; i++) {
        put_int(image, 1, width);
        put_int(image, 1, 4);
    }
}

static struct oracle_tz *load(const struct image *image)
{
    char path[] = "/tmp/oracle-tz-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, image->byte, image->length), (ssize_t)image->length);
    close(fd);
    struct oracle_tz *tz = oracle_tz_load(path);
    unlink(path);
    return tz;
}

/* A version 2 file without transitions: the footer applies to all times. */
static struct oracle_tz *load_footer(const char *footer)
{
    struct image image = {.length = 0};
    const struct plan plan = {.version = '2'};

    put_block(&image, &plan, 4);
    put_block(&image, &plan, 8);
    put_bytes(&image, "\n", 1);
    put_bytes(&image, footer, strlen(footer));
    put_bytes(&image, "\n", 1);
    return load(&image);
}

static int64_t utc(int year, int month, int day, int hour)
{
    return oracle_day_number(year, month, day) * ORACLE_DAY_SECONDS + hour * 3600;
}

/* The offset becomes `after` hours at this instant and was `before` hours until then. */
static void assert_change(const struct oracle_tz *tz, int64_t at, int before, int after)
{
    assert_non_null(tz);
    assert_int_equal(oracle_tz_offset(tz, at - 1), before * 3600);
    assert_int_equal(oracle_tz_offset(tz, at), after * 3600);
    assert_true(oracle_tz_change(tz, at - 1) == at);
}

static void julian_days_never_count_february_29th(void **state)
{
    struct oracle_tz *tz = load_footer("EST5EDT,J60,J300");

    (void)state;
    assert_change(tz, utc(2023, 3, 1, 7), -5, -4);
    assert_change(tz, utc(2024, 3, 1, 7), -5, -4);
    assert_change(tz, utc(2024, 10, 27, 6), -4, -5);
    oracle_tz_free(tz);
}

static void days_from_zero_count_february_29th(void **state)
{
    struct oracle_tz *tz = load_footer("EST5EDT,59,300");

    (void)state;
    assert_change(tz, utc(2023, 3, 1, 7), -5, -4);
    assert_change(tz, utc(2024, 2, 29, 7), -5, -4);
    oracle_tz_free(tz);
}

static void times_of_a_rule_reach_other_days(void **state)
{
    /* Nuuk: Saturday 22:00 before the last Sunday; Gaza: 50 hours after a Thursday. */
    struct oracle_tz *tz = load_footer("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");

    (void)state;
    assert_change(tz, utc(2025, 3, 30, 1), -2, -1);
    oracle_tz_free(tz);
    tz = load_footer("EET-2EEST,M3.4.4/50,M10.4.4/50");
    assert_change(tz, utc(2025, 3, 29, 0), 2, 3);
    oracle_tz_free(tz);
}

static void winter_time_may_be_the_exception(void **state)
{
    struct oracle_tz *tz = load_footer("IST-1GMT0,M10.5.0,M3.5.0/1");

    (void)state;
    assert_change(tz, utc(2025, 3, 30, 1), 0, 1);
    assert_change(tz, utc(2025, 10, 26, 1), 1, 0);
    oracle_tz_free(tz);
}

static void summer_time_all_year_never_changes(void **state)
{
    struct oracle_tz *tz = load_footer("EST5EDT,0/0,J365/25");

    (void)state;
    assert_non_null(tz);
    for (int year = 1990; year < 2030; year++) {
        assert_int_equal(oracle_tz_offset(tz, utc(year, 1, 1, 4)), -4 * 3600);
        assert_int_equal(oracle_tz_offset(tz, utc(year, 1, 1, 5)), -4 * 3600);
    }
    assert_true(oracle_tz_change(tz, utc(1990, 1, 1, 0)) == ORACLE_NO_CHANGE);
    oracle_tz_free(tz);
}

static void files_of_the_first_version_are_read(void **state)
{
    struct image image = {.length = 0};
    const struct plan plan = {'\0', true, -1000, 3600, 7200, 0};

    (void)state;
    put_block(&image, &plan, 4);
    struct oracle_tz *tz = load(&image);
    assert_change(tz, -1000, 1, 2);
    assert_true(oracle_tz_change(tz, -1000) == ORACLE_NO_CHANGE);
    oracle_tz_free(tz);
}

static void later_versions_use_the_second_block(void **state)
{
    const int64_t at = INT64_C(-5000000000); /* does not fit 32 bits */

    (void)state;
    for (char version = '2'; version <= '4'; version++) {
        struct image image = {.length = 0};
        put_block(&image, &(struct plan){version, true, 5, 0, 3600, 0}, 4);
        put_block(&image, &(struct plan){version, true, at, 7200, 10800, 0}, 8);
        put_bytes(&image, "\nABC-3\n", 7);
        struct oracle_tz *tz = load(&image);
        assert_change(tz, at, 2, 3);
        oracle_tz_free(tz);
    }
}

static void leap_seconds_and_broken_files_are_refused(void **state)
{
    struct image image = {.length = 0};
    const struct plan plan = {'2', true, 5, 0, 3600, 0};

    (void)state;
    put_block(&image, &(struct plan){'2', true, 5, 0, 3600, 1}, 4);
    put_block(&image, &(struct plan){'2', true, 5, 0, 3600, 1}, 8);
    put_bytes(&image, "\nABC-1\n", 7);
    assert_null(load(&image));
    assert_null(load_footer("EST"));
    assert_null(load_footer("EST5EDT"));
    assert_null(load_footer("EST5EDT,M13.1.0,M11.1.0"));
    image.length = 0;
    put_block(&image, &plan, 4);
    put_block(&image, &plan, 8);
    for (; image.length > 0; image.length--)
        assert_null(load(&image));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(julian_days_never_count_february_29th),
        cmocka_unit_test(days_from_zero_count_february_29th),
        cmocka_unit_test(times_of_a_rule_reach_other_days),
        cmocka_unit_test(winter_time_may_be_the_exception),
        cmocka_unit_test(summer_time_all_year_never_changes),
        cmocka_unit_test(files_of_the_first_version_are_read),
        cmocka_unit_test(later_versions_use_the_second_block),
        cmocka_unit_test(leap_seconds_and_broken_files_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
