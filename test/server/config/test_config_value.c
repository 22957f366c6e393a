/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests single values.  Expected values: the types in server/config/config_keys.h and the
 * ranges of its table.
 */
#include "server/config/config_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct config config;

static int set_up(void **state)
{
    (void)state;
    config.arena = arena_new(1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    config.arena = arena_free(config.arena);
    return 0;
}

static void check_good(enum config_id id, const char *text, const char *expected)
{
    char shown[CONFIG_SHOWN_MAX];
    struct buf out = BUF(shown);
    struct err err;

    if (config_value_read(&config_keys[id], str_of(text), &config, &err) != RC_OK)
        fail_msg("%s = %s: %s", config_keys[id].name, text, err.text);
    config_value_write(&config_keys[id], &config, &out);
    assert_string_equal(shown, expected);
}

/* Also checks that the value is unchanged. */
static void check_bad(enum config_id id, const char *text, int at, const char *expected)
{
    char before_text[CONFIG_SHOWN_MAX], after_text[CONFIG_SHOWN_MAX];
    struct buf before = BUF(before_text), after = BUF(after_text);
    struct err err;

    config_value_write(&config_keys[id], &config, &before);
    assert_int_equal(config_value_read(&config_keys[id], str_of(text), &config, &err),
                     RC_INVALID);
    assert_string_equal(err.text, expected);
    assert_int_equal(err.at, at);
    config_value_write(&config_keys[id], &config, &after);
    assert_string_equal(before_text, after_text);
}

static void texts_have_lengths_and_no_control_characters(void **state)
{
    (void)state;
    check_good(CONFIG_DEFAULT_TIMEZONE, "Europe/Berlin", "Europe/Berlin");
    assert_int_equal(config.default_timezone.ptr[config.default_timezone.len], '\0');
    check_bad(CONFIG_DEFAULT_TIMEZONE, "", 0, "must have 1 to 64 bytes");
    check_bad(CONFIG_DEFAULT_TIMEZONE, "a\x1b", 1, "control character is not allowed");
    check_bad(CONFIG_DEFAULT_TIMEZONE, "\xff", 0, "invalid UTF-8");
    check_good(CONFIG_ZONEINFO, "/usr/share/zoneinfo", "/usr/share/zoneinfo");
    check_good(CONFIG_ZONEINFO, "", "");
}

static void database_urls_have_a_supported_scheme(void **state)
{
    (void)state;
    check_good(CONFIG_DB, "sqlite:x.db", "sqlite:x.db");
    check_good(CONFIG_DB, "postgres://u:p@h/n", "postgres://u:p@h/n");
    check_good(CONFIG_DB, "postgresql://h", "postgresql://h");
    check_bad(CONFIG_DB, "mysql://u:secret@h", 0,
              "invalid database URL; use sqlite:FILE or "
              "postgres://USER@HOST/NAME");
    check_bad(CONFIG_DB, "sqlite:", 0,
              "invalid database URL; use sqlite:FILE or "
              "postgres://USER@HOST/NAME");
}

static void an_invalid_choice_lists_the_valid_ones(void **state)
{
    (void)state;
    check_good(CONFIG_LOG, "json", "json");
    assert_int_equal(config.log, LOG_JSON);
    check_good(CONFIG_LOG_LEVEL, "warn", "warn");
    assert_int_equal(config.log_level, LEVEL_WARN);
    check_bad(CONFIG_LOG, "xml", 0, "must be logfmt or json");
    check_bad(CONFIG_LOG_LEVEL, "WARN", 0, "must be debug, info, warn or error");
    check_bad(CONFIG_LOG_LEVEL, "", 0, "must be debug, info, warn or error");
}

static void booleans_have_four_spellings(void **state)
{
    static const char *const words[] = {"true", "on", "Yes", "1", "false", "OFF", "no", "0"};

    (void)state;
    for (int i = 0; i < 8; i++)
        check_good(CONFIG_EXEC, words[i], i < 4 ? "true" : "false");
    check_bad(CONFIG_EXEC, "", 0, "must be true or false");
    check_bad(CONFIG_EXEC, "maybe", 0, "must be true or false");
}

static void numbers_are_whole_and_in_range(void **state)
{
    (void)state;
    check_good(CONFIG_TURN_MS, "1", "1");
    check_good(CONFIG_TURN_MS, "0001000", "1000");
    check_bad(CONFIG_TURN_MS, "0", 0, "must be a whole number from 1 to 1000");
    check_bad(CONFIG_TURN_MS, "1001", 0, "must be a whole number from 1 to 1000");
    check_bad(CONFIG_TURN_MS, "99999999999999999999", 0,
              "must be a whole number from 1 to 1000");
    check_bad(CONFIG_TURN_MS, "-1", 0, "must be a whole number from 1 to 1000");
    check_bad(CONFIG_TURN_MS, "5ms", 0, "must be a whole number from 1 to 1000");
    check_bad(CONFIG_TURN_MS, "", 0, "must be a whole number from 1 to 1000");
    check_good(CONFIG_QUOTA_SCHEDULES, "1000000000", "1000000000");
}

static void durations_have_units_and_a_range(void **state)
{
    (void)state;
    check_good(CONFIG_LEASE, "90s", "1m30s");
    assert_int_equal(config.lease, 90 * SPAN_S);
    check_good(CONFIG_GRACE, "0s", "0s");
    check_bad(CONFIG_LEASE, "2d", 0, "must be from 1s to 1d");
    check_bad(CONFIG_LEASE, "999ms", 0, "must be from 1s to 1d");
    check_bad(CONFIG_LEASE, "90", 2,
              "a number needs a unit; write it like 250ms, 90s, 1h30m or 7d");
    check_bad(CONFIG_LEASE, "90x", 2, "unknown unit; use d, h, m, s, ms, us or ns");
}

static void lists_of_addresses_are_separated_by_commas(void **state)
{
    (void)state;
    check_good(CONFIG_LISTEN, "8080", "127.0.0.1:8080, [::1]:8080");
    check_good(CONFIG_LISTEN, " 0.0.0.0:80 ,[::]:80", "0.0.0.0:80, [::]:80");
    assert_int_equal(config.listen.count, 2);
    assert_int_equal(config.listen.list[1].port, 80);
    check_bad(CONFIG_LISTEN, "8080, 127.0.0.1:x", 16,
              "invalid port \"x\"; use a number from 0 to 65535");
    check_bad(CONFIG_LISTEN, "8080,", 5, "missing address; write it as 127.0.0.1:7227");
    check_bad(CONFIG_LISTEN, "", 0, "missing address; write it as 127.0.0.1:7227");
    check_good(CONFIG_GRPC, "none", "none");
    assert_int_equal(config.grpc.count, 0);
}

static void lists_of_texts_are_separated_by_commas(void **state)
{
    char many[3 * CONFIG_TEXTS_MAX + 3] = "";
    struct buf out = BUF(many);
    struct err err;

    (void)state;
    check_good(CONFIG_EXEC_ALLOW, "/bin/true,/srv/my jobs/", "/bin/true, /srv/my jobs/");
    assert_int_equal(config.exec_allow.count, 2);
    assert_string_equal(config.exec_allow.list[1].ptr, "/srv/my jobs/");
    check_bad(CONFIG_EXEC_ALLOW, "/bin/true, true", 11,
              "invalid program; use a full path such as /usr/bin/true, a directory such as "
              "/srv/jobs/, or * for all");
    check_bad(CONFIG_EXEC_ALLOW, "/bin/true,", 10, "must have 1 to 4096 bytes");
    check_good(CONFIG_EXEC_ALLOW, "none", "none");
    for (int i = 0; i < CONFIG_TEXTS_MAX; i++)
        buf_text(&out, i > 0 ? ",/x" : "/x");
    assert_int_equal(
        config_value_read(&config_keys[CONFIG_EXEC_ALLOW], buf_as_str(&out), &config, &err),
        RC_OK);
    assert_int_equal(config.exec_allow.count, CONFIG_TEXTS_MAX);
    buf_text(&out, ",/x");
    assert_int_equal(
        config_value_read(&config_keys[CONFIG_EXEC_ALLOW], buf_as_str(&out), &config, &err),
        RC_LIMIT);
}

static void the_length_of_a_value_is_limited(void **state)
{
    static char wide[CONFIG_VALUE_MAX + 1];
    struct err err;

    (void)state;
    memset(wide, 'w', sizeof wide);
    assert_int_equal(config_value_read(&config_keys[CONFIG_SEED_DIR],
                                       (struct str){wide, CONFIG_VALUE_MAX}, &config, &err),
                     RC_OK);
    assert_int_equal(config_value_read(&config_keys[CONFIG_SEED_DIR],
                                       (struct str){wide, CONFIG_VALUE_MAX + 1}, &config, &err),
                     RC_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_lengths_and_no_control_characters),
        cmocka_unit_test(database_urls_have_a_supported_scheme),
        cmocka_unit_test(an_invalid_choice_lists_the_valid_ones),
        cmocka_unit_test(booleans_have_four_spellings),
        cmocka_unit_test(numbers_are_whole_and_in_range),
        cmocka_unit_test(durations_have_units_and_a_range),
        cmocka_unit_test(lists_of_addresses_are_separated_by_commas),
        cmocka_unit_test(lists_of_texts_are_separated_by_commas),
        cmocka_unit_test(the_length_of_a_value_is_limited),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
