/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests old names of settings.  Expected values: the settings of the systems that Belfry
 * replaces; each sets a key of Belfry or says why it has no effect.
 */
#include "server/config/config_old.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/config/config_keys.h"

enum { PAGE_BYTES = 1 << 18 };

static struct config *read_sources(struct str text, const char *const *env)
{
    struct config_sources sources = {.file = "belfry.conf", .text = text, .env = env};
    struct config *config = NULL;
    struct err err;

    if (config_read(&sources, &config, &err) != RC_OK)
        fail_msg("%s", err.text);
    return config;
}

static void check_refused(struct str text, const char *const *env, const char *expected)
{
    struct config_sources sources = {.file = "belfry.conf", .text = text, .env = env};
    struct config *config = NULL;
    struct err err;

    assert_int_equal(config_read(&sources, &config, &err), RC_INVALID);
    assert_string_equal(err.text, expected);
}

/* Checks the value and the source of a key after reading this line. */
static void check_line(const char *line, enum config_id id, const char *value)
{
    static const char *const env[] = {"HOME=/home/ada", NULL};
    struct config *config = read_sources(str_of(line), env);
    char value_text[CONFIG_SHOWN_MAX], source_text[200];
    struct buf shown = BUF(value_text), from = BUF(source_text);

    config_format(config, id, &shown);
    config_source_text(config, id, &from);
    assert_string_equal(value_text, value);
    assert_string_equal(source_text, "belfry.conf:1");
    assert_non_null(config->olds);
    assert_int_equal(config->olds->old->id, id);
    assert_null(config->olds->next);
    config_free(config);
}

static void settings_of_conductor_have_their_effect(void **state)
{
    (void)state;
    check_line("conductor.scheduler.enabled=false", CONFIG_ENABLED, "false");
    check_line("conductor.scheduler.jitter-max-ms=200", CONFIG_DISPATCH_JITTER, "200ms");
    check_line("conductor.scheduler.archival-max-records=3", CONFIG_CONDUCTOR_KEEP, "3");
    check_line("conductor.scheduler.redis.archival-ttl-days=7", CONFIG_RETENTION, "7d");
}

static void settings_of_temporal_have_their_effect(void **state)
{
    (void)state;
    check_line("MaxBufferSize = 500", CONFIG_BUFFER_LIMIT, "500");
    check_line("MinInterval = 10s", CONFIG_MIN_INTERVAL, "10s");
    check_line("BackfillsPerIteration = 10", CONFIG_BACKFILL_PORTION, "10");
}

static void settings_of_cronicorn_have_their_effect(void **state)
{
    (void)state;
    check_line("SHUTDOWN_TIMEOUT_MS=45000", CONFIG_DRAIN, "45s");
    check_line("ZOMBIE_RUN_THRESHOLD_MS=3600000", CONFIG_MAX_RUN_TIME, "1h");
}

static void settings_of_javaclaw_have_their_effect(void **state)
{
    (void)state;
    check_line("javaclaw.scheduler.enabled=false", CONFIG_ENABLED, "false");
    check_line("javaclaw.scheduler.lease-duration-seconds=120", CONFIG_LEASE, "2m");
    check_line("javaclaw.scheduler.lease-heartbeat-seconds=20", CONFIG_HEARTBEAT, "20s");
    check_line("javaclaw.scheduler.default-timezone=America/Denver", CONFIG_DEFAULT_TIMEZONE,
               "America/Denver");
    check_line("javaclaw.scheduler.past-execution-ttl-days=30", CONFIG_RETENTION, "30d");
    check_line("javaclaw.scheduler.future-execution-ttl-hours=72", CONFIG_FUTURE_TTL, "3d");
}

/* The same names as in Spring. */
static void kebab_camel_and_upper_case_names_are_equal(void **state)
{
    (void)state;
    check_line("conductor.scheduler.jitterMaxMs = 50", CONFIG_DISPATCH_JITTER, "50ms");
    check_line("conductor.scheduler.jitter_max_ms = 50ms", CONFIG_DISPATCH_JITTER, "50ms");
    check_line("CONDUCTOR_SCHEDULER_JITTERMAXMS = 50", CONFIG_DISPATCH_JITTER, "50ms");
}

/* A key of Belfry that differs only in - or _ is not an old name. */
static void a_key_is_not_taken_for_an_old_name(void **state)
{
    static const char *const env[] = {"HOME=/home/ada", NULL};
    struct config *config = read_sources(STR("min_interval = 10s\n"), env);

    (void)state;
    assert_int_equal(config->min_interval, 10 * SPAN_S);
    assert_null(config->olds);
    config_free(config);
}

static void settings_without_effect_are_accepted_and_recorded(void **state)
{
    static const char *const env[] = {"HOME=/home/ada", NULL};
    static const char text[] = "conductor.scheduler.polling-interval = 100\n"
                               "conductor.scheduler.poll-batch-size = 50\n"
                               "conductor.scheduler.polling-thread-count = 4\n"
                               "javaclaw.scheduler.executor-pool-size = 4\n"
                               "BATCH_SIZE = 10\n";
    struct config *given = read_sources(str_of(text), env),
                  *without = read_sources(STR(""), env);
    struct config_change changes[CONFIG_KEYS];
    int count = 0;

    (void)state;
    assert_int_equal(config_changes(given, without, changes), 0);
    for (const struct config_old_use *use = given->olds; use; use = use->next) {
        assert_int_equal(use->old->id, OLD_NO_EFFECT);
        assert_int_equal(use->source.line, ++count);
    }
    assert_int_equal(count, 5);
    config_free(given);
    config_free(without);
}

static void the_environment_accepts_only_names_with_a_system_prefix(void **state)
{
    static const char *const env[] = {"HOME=/home/ada",
                                      "CONDUCTOR_SCHEDULER_JITTER_MAX_MS=200",
                                      "CONDUCTOR_SCHEDULER_ENABLED=",
                                      "JAVACLAW_SCHEDULER_ENABLED=false",
                                      "JAVACLAW_DEFAULT_TZ=America/Denver",
                                      "SHUTDOWN_TIMEOUT_MS=1",
                                      "MaxBufferSize=7",
                                      NULL};
    struct config *config = read_sources(STR(""), env);

    (void)state;
    assert_int_equal(config->dispatch_jitter, 200 * SPAN_MS);
    assert_false(config->enabled);
    assert_string_equal(config->default_timezone.ptr, "America/Denver");
    assert_int_equal(config->drain, 30 * SPAN_S); /* may belong to another program */
    assert_int_equal(config->buffer_limit, 1000);
    assert_int_equal(config->source[CONFIG_ENABLED].from, CONFIG_FROM_ENV);
    config_free(config);
}

static void a_belfry_name_overrides_an_old_name(void **state)
{
    static const char *const env[] = {"HOME=/home/ada", "BELFRY_DISPATCH_JITTER=1s",
                                      "CONDUCTOR_SCHEDULER_JITTER_MAX_MS=200", NULL};
    struct config *config = read_sources(STR(""), env);

    (void)state;
    assert_int_equal(config->dispatch_jitter, SPAN_S);
    config_free(config);
    check_refused(STR("drain = 1s\nSHUTDOWN_TIMEOUT_MS = 5\n"), NULL,
                  "belfry.conf:2:1: drain is already set in line 1");
}

static void an_invalid_value_is_rejected_with_its_position(void **state)
{
    static const char *const env[] = {"CONDUCTOR_SCHEDULER_JITTER_MAX_MS=x", NULL};

    (void)state;
    check_refused(STR("conductor.scheduler.enabled = perhaps\n"), NULL,
                  "belfry.conf:1:31: must be true or false");
    check_refused(STR("javaclaw.scheduler.lease-duration-seconds = 0\n"), NULL,
                  "belfry.conf:1:45: must be from 1s to 1d");
    check_refused(
        STR(""), env,
        "CONDUCTOR_SCHEDULER_JITTER_MAX_MS=x: a number is missing; write it like 250ms, "
        "90s, 1h30m or 7d");
}

/* Each name finds itself, has exactly one effect, and is in the table of docs/operations.md. */
static void each_old_name_is_complete_and_documented(void **state)
{
    static char page[PAGE_BYTES];
    FILE *file = fopen("docs/operations.md", "r");
    size_t len;

    (void)state;
    assert_non_null(file);
    len = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[len] = '\0';
    for (int i = 0; i < config_old_count; i++) {
        const struct config_old *old = &config_olds[i];
        char text[256];
        struct buf description = BUF(text);

        assert_ptr_equal(config_old_find(str_of(old->name)), old);
        assert_true((old->id == OLD_NO_EFFECT) == (old->why != NULL));
        config_old_describe(old, &description);
        assert_false(description.cut);
        snprintf(text, sizeof text, "| `%s` |", old->name);
        if (!strstr(page, text))
            fail_msg("docs/operations.md does not name %s", old->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_of_conductor_have_their_effect),
        cmocka_unit_test(settings_of_temporal_have_their_effect),
        cmocka_unit_test(settings_of_cronicorn_have_their_effect),
        cmocka_unit_test(settings_of_javaclaw_have_their_effect),
        cmocka_unit_test(kebab_camel_and_upper_case_names_are_equal),
        cmocka_unit_test(a_key_is_not_taken_for_an_old_name),
        cmocka_unit_test(settings_without_effect_are_accepted_and_recorded),
        cmocka_unit_test(the_environment_accepts_only_names_with_a_system_prefix),
        cmocka_unit_test(a_belfry_name_overrides_an_old_name),
        cmocka_unit_test(an_invalid_value_is_rejected_with_its_position),
        cmocka_unit_test(each_old_name_is_complete_and_documented),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
