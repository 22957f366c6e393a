/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the clocks of a zone show at one second, compared with the C library, which reads the
 * same files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/prng.h"
#include "core/limits.h"
#include "core/time/tz_type.h"

enum { TIMES = 3000 };

#define FROM  INT64_C(0)          /* 1970: before the first change, the library differs */
#define UNTIL INT64_C(7258118400) /* 2200-01-01: long after the last change of any file */

static uint8_t bytes[TZ_FILE_MAX];

static size_t read_zone(const char *name)
{
    char path[200];
    FILE *file;
    size_t len;

    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return len;
}

static void compare(const char *name, size_t len, int64_t s)
{
    struct tz_type type;
    struct err err = {.text = ""};
    time_t t = (time_t)s;
    struct tm tm;

    if (tz_type_at(str_of(name), bytes, len, s, &type, &err) != RC_OK)
        fail_msg("%s: %s", name, err.text);
    localtime_r(&t, &tm);
    if (type.offset != tm.tm_gmtoff || type.is_dst != (tm.tm_isdst > 0) ||
        strcmp(type.abbreviation, tm.tm_zone) != 0)
        fail_msg("%s at %lld: %d %s %d, not %ld %s %d", name, (long long)s, type.offset,
                 type.abbreviation, type.is_dst, tm.tm_gmtoff, tm.tm_zone, tm.tm_isdst);
}

static void zones_are_as_in_the_c_library(void **state)
{
    static const char *const names[] = {
        "UTC",
        "Europe/Berlin",
        "Europe/Dublin",
        "Europe/Moscow",
        "Africa/Casablanca",
        "Africa/Cairo",
        "America/New_York",
        "America/Nuuk",
        "America/Sao_Paulo",
        "America/St_Johns",
        "Antarctica/Troll",
        "Asia/Gaza",
        "Asia/Kolkata",
        "Asia/Tehran",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "Pacific/Chatham",
        "Pacific/Honolulu",
        "Etc/GMT+5",
        "America/Santiago",
    };
    struct prng prng;

    (void)state;
    prng_seed(&prng, 1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t len = read_zone(names[i]);

        setenv("TZ", names[i], 1);
        tzset();
        for (int j = 0; j < TIMES; j++)
            compare(names[i], len, prng_between(&prng, FROM, UNTIL));
    }
}

static void the_second_of_a_change_is_after_it(void **state)
{
    size_t len = read_zone("America/New_York");
    struct tz_type type;
    struct err err;

    (void)state;
    assert_int_equal(tz_type_at(STR("x"), bytes, len, 1710053999, &type, &err), RC_OK);
    assert_string_equal(type.abbreviation, "EST");
    assert_int_equal(tz_type_at(STR("x"), bytes, len, 1710054000, &type, &err), RC_OK);
    assert_string_equal(type.abbreviation, "EDT");
    assert_true(type.is_dst);
    assert_int_equal(type.offset, -4 * 3600);
}

static void a_damaged_file_is_refused(void **state)
{
    size_t len = read_zone("America/New_York");
    struct tz_type type;
    struct err err;

    (void)state;
    for (size_t i = 0; i < len; i += 7)
        assert_int_equal(tz_type_at(STR("x"), bytes, i, 0, &type, &err), RC_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_are_as_in_the_c_library),
        cmocka_unit_test(the_second_of_a_change_is_after_it),
        cmocka_unit_test(a_damaged_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
