/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the oracle with the vectors, without the program: the oracle itself must be right.
 *
 * The vectors are in the directory BELFRY_VECTORS, default test/data/vectors; the zones in
 * BELFRY_ZONEINFO, default /usr/share/zoneinfo.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "oracle_civil.h"
#include "oracle_cron.h"
#include "oracle_jitter.h"
#include "oracle_next.h"
#include "oracle_tz.h"

enum {
    PATH_LENGTH = 512,
    LINE_LENGTH = 8192,
    TIMES_MAX = 32,
    ZONES_MAX = 700, /* tzdata has some 600 names */
};

/* One expectation: these are the next slots and, if is_complete, the only ones. */
struct expectation {
    const char *id;
    const char *dialect;
    const char *expr;
    const char *zone;
    const char *dst;
    int64_t after;
    int count;
    bool is_complete;
    int64_t time[TIMES_MAX];
};

static struct {
    char name[ORACLE_ZONE_MAX];
    struct oracle_tz *tz;
} zones[ZONES_MAX];
static size_t zone_count;
static struct oracle_rule rule;

static const char *from_environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value == NULL ? otherwise : value;
}

static const char *vector_path(const char *file)
{
    static char path[PATH_LENGTH];

    snprintf(path, sizeof path, "%s/%s",
             from_environment("BELFRY_VECTORS", "test/data/vectors"), file);
    return path;
}

/* "+05:30" and "-03:00" as in Java; all others are files. */
static struct oracle_tz *open_zone(const char *name)
{
    char path[PATH_LENGTH];
    int hours, minutes;

    if ((*name == '+' || *name == '-') && sscanf(name + 1, "%2d:%2d", &hours, &minutes) == 2)
        return oracle_tz_fixed((*name == '-' ? -1 : 1) * (hours * 3600 + minutes * 60));
    snprintf(path, sizeof path, "%s/%s",
             from_environment("BELFRY_ZONEINFO", "/usr/share/zoneinfo"), name);
    return oracle_tz_load(path);
}

static const struct oracle_tz *find_zone(const char *name)
{
    for (size_t i = 0; i < zone_count; i++) {
        if (strcmp(zones[i].name, name) == 0)
            return zones[i].tz;
    }
    assert_true(zone_count < ZONES_MAX);
    zones[zone_count].tz = open_zone(name);
    if (zones[zone_count].tz == NULL)
        fail_msg("zone %s cannot be read", name);
    snprintf(zones[zone_count].name, ORACLE_ZONE_MAX, "%s", name);
    return zones[zone_count++].tz;
}

/* Whole seconds of "2024-01-15T12:00:00[.fraction]Z". */
static int64_t read_instant(const char *text)
{
    int year, month, day, hour, minute, second;

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) !=
        6)
        fail_msg("invalid instant %s", text);
    return oracle_day_number(year, month, day) * ORACLE_DAY_SECONDS + hour * 3600 +
           minute * 60 + second;
}

/* Returns 1 if the oracle agrees; otherwise prints the difference and returns 0. */
static int agrees(const struct expectation *want)
{
    int64_t got[TIMES_MAX + 1];
    struct oracle_policy policy;

    if (oracle_parse(want->dialect, want->expr, &rule) != 0 ||
        oracle_policy_of(&rule, want->dst, &policy) != 0) {
        print_error("%s: %s '%s' is rejected\n", want->id, want->dialect, want->expr);
        return 0;
    }
    struct oracle_clock clock = {find_zone(*rule.zone ? rule.zone : want->zone), NULL, 0, 0};
    int asked = want->count + want->is_complete;
    int found = oracle_list(&clock, &rule, policy, want->after, asked, got);
    oracle_clock_free(&clock);
    if (found != want->count) {
        print_error("%s: %s '%s' %s: %d slots, %d wanted\n", want->id, want->dialect,
                    want->expr, want->zone, found, want->count);
        return 0;
    }
    for (int i = 0; i < found; i++) {
        if (got[i] != want->time[i]) {
            print_error("%s: %s '%s' %s: slot %d is %lld, %lld wanted\n", want->id,
                        want->dialect, want->expr, want->zone, i + 1, (long long)got[i],
                        (long long)want->time[i]);
            return 0;
        }
    }
    return 1;
}

static json_t *load_json(const char *file)
{
    json_error_t error;
    json_t *json = json_load_file(vector_path(file), 0, &error);

    if (json == NULL)
        fail_msg("%s: %s", vector_path(file), error.text);
    return json;
}

static const char *get_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void read_times(const json_t *list, struct expectation *ret)
{
    size_t index;
    json_t *time;

    json_array_foreach(list, index, time)
    {
        assert_true(ret->count < TIMES_MAX);
        ret->time[ret->count++] = read_instant(json_string_value(time));
    }
}

/* False for languages other than cron, and for hashed values. */
static bool is_supported(const json_t *vector)
{
    const char *dialect = get_text(vector, "dialect");
    const char *expr = get_text(vector, "expr");

    if (strcmp(dialect, "systemd") == 0 || strcmp(dialect, "rrule") == 0)
        return false;
    return strcmp(dialect, "jenkins") != 0 || strpbrk(expr, "H@") == NULL;
}

static void public_vectors_agree(void **state)
{
    json_t *list = load_json("cron-public.json");
    int good = 0, all = 0, rejected = 0, invalid = 0;
    size_t index;
    json_t *vector;

    (void)state;
    json_array_foreach(list, index, vector)
    {
        if (!is_supported(vector))
            continue;
        if (json_is_true(json_object_get(vector, "error"))) {
            bool is_rejected = oracle_parse(get_text(vector, "dialect"),
                                            get_text(vector, "expr"), &rule) != 0;
            if (!is_rejected)
                print_error("%s: '%s' is accepted\n", get_text(vector, "id"),
                            get_text(vector, "expr"));
            rejected += is_rejected;
            invalid++;
            continue;
        }
        struct expectation want = {
            .id = get_text(vector, "id"),
            .dialect = get_text(vector, "dialect"),
            .expr = get_text(vector, "expr"),
            .zone = get_text(vector, "tz"),
            .dst = get_text(vector, "dst"),
            .after = read_instant(get_text(vector, "after")),
            .is_complete = json_is_true(json_object_get(vector, "complete")),
        };
        read_times(json_object_get(vector, "expect"), &want);
        good += agrees(&want);
        all++;
    }
    json_decref(list);
    print_message("%d of %d vectors agree, %d of %d errors are rejected\n", good, all, rejected,
                  invalid);
    assert_true(all > 400 && invalid > 150);
    assert_int_equal(good, all);
    assert_int_equal(rejected, invalid);
}

/* True for one cron string and a zone; other features of specs have their own tests. */
static bool is_plain_cron(const json_t *vector)
{
    const json_t *spec = json_object_get(vector, "spec");
    size_t known = 1 + (json_object_get(spec, "timezoneName") != NULL);

    return json_array_size(json_object_get(spec, "cronString")) == 1 &&
           json_object_size(spec) == known && !json_is_true(json_object_get(vector, "error"));
}

static int check_temporal(const json_t *list, const char *expect, int *ret_all)
{
    int good = 0;
    size_t index;
    json_t *vector;

    json_array_foreach(list, index, vector)
    {
        if (!is_plain_cron(vector))
            continue;
        const json_t *spec = json_object_get(vector, "spec");
        const char *zone = get_text(spec, "timezoneName");
        struct expectation want = {
            .id = get_text(vector, "name"),
            .dialect = "temporal",
            .expr = json_string_value(json_array_get(json_object_get(spec, "cronString"), 0)),
            .zone = zone == NULL ? "UTC" : zone,
            .after = read_instant(get_text(vector, "after")),
            .is_complete = json_is_true(json_object_get(vector, "exhausted")),
        };
        read_times(json_object_get(vector, expect), &want);
        good += agrees(&want);
        ++*ret_all;
    }
    return good;
}

static void temporal_cron_strings_agree(void **state)
{
    json_t *file = load_json("temporal-spec.json");
    int all = 0;

    (void)state;
    int good = check_temporal(json_object_get(file, "vectors"), "expect", &all);
    good += check_temporal(json_object_get(file, "quirkVectors"), "documented", &all);
    json_decref(file);
    print_message("%d of %d vectors agree\n", good, all);
    assert_true(all > 40);
    assert_int_equal(good, all);
}

static FILE *open_vectors(const char *file)
{
    FILE *stream = fopen(vector_path(file), "r");

    if (stream == NULL)
        fail_msg("%s cannot be read", vector_path(file));
    return stream;
}

/* Removes the text up to a separator from *rest; NULL if there is no more. */
static char *cut_before(char **rest, const char *separator)
{
    char *start = *rest;
    char *end = start == NULL ? NULL : strstr(start, separator);

    *rest = NULL;
    if (end != NULL) {
        *end = '\0';
        *rest = end + strlen(separator);
    }
    return start;
}

static void spring_table_agrees(void **state)
{
    FILE *stream = open_vectors("spring-cron.tsv");
    char line[LINE_LENGTH];
    int good = 0, all = 0;

    (void)state;
    while (fgets(line, sizeof line, stream) != NULL) {
        char *rest = line;
        char id[32];
        if (*line == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(id, sizeof id, "row %d", ++all);
        struct expectation want = {
            .id = id, .dialect = "spring", .expr = cut_before(&rest, "\t")};
        want.zone = cut_before(&rest, "\t");
        want.after = oracle_floor_div(strtoll(cut_before(&rest, "\t"), NULL, 10), 1000);
        for (char *time; (time = cut_before(&rest, "\t")) != NULL;) {
            if (strcmp(time, "-") == 0)
                want.is_complete = true;
            else
                want.time[want.count++] = strtoll(time, NULL, 10) / 1000;
        }
        good += agrees(&want);
    }
    fclose(stream);
    print_message("%d of %d rows agree\n", good, all);
    assert_int_equal(all, 1000);
    assert_int_equal(good, all);
}

/* "expr" | ACCEPT or "expr" | REJECT */
static int check_verdict(char *line)
{
    char *rest = line + 1;
    const char *expr = cut_before(&rest, "\" | ");
    bool is_accepted = oracle_parse("spring", expr, &rule) == 0;

    assert_non_null(rest);
    if (is_accepted == (strcmp(rest, "ACCEPT") == 0))
        return 1;
    print_error("'%s' is %s\n", expr, is_accepted ? "accepted" : "rejected");
    return 0;
}

/* expr | zone | from | instant(local) instant(local) ... or null */
static int check_named(char *line)
{
    char *rest = line;
    struct expectation want = {
        .id = "named", .dialect = "spring", .expr = cut_before(&rest, " | ")};

    want.zone = cut_before(&rest, " | ");
    want.after = read_instant(cut_before(&rest, " | "));
    want.is_complete = strcmp(rest, "null") == 0;
    for (char *time; !want.is_complete && (time = cut_before(&rest, " ")) != NULL;) {
        assert_true(want.count < TIMES_MAX);
        want.time[want.count++] = read_instant(time);
    }
    return agrees(&want);
}

static void named_spring_rows_agree(void **state)
{
    FILE *stream = open_vectors("spring-cron-named.txt");
    char line[LINE_LENGTH];
    int good = 0, all = 0;

    (void)state;
    while (fgets(line, sizeof line, stream) != NULL) {
        if (*line == '#' || strstr(line, "[SPRING-BUG]") != NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        good += *line == '"' ? check_verdict(line) : check_named(line);
        all++;
    }
    fclose(stream);
    print_message("%d of %d rows agree\n", good, all);
    assert_true(all > 150);
    assert_int_equal(good, all);
}

/*
 * Rules of docs/semantics.md that no vector covers; each row ends with the number of its rule.
 * 2024-01-01 was a Monday; New York changed on 2024-03-10 at 07:00Z and 2024-11-03 at 06:00Z.
 */
static const struct {
    const char *dialect;
    const char *expr;
    const char *zone;
    const char *dst;
    const char *after;
    const char *times;
} rules[] = {
    {"vixie", "0 0 */2 * 1", "UTC", NULL, "2024-01-01T00:00:00Z",
     "2024-01-15T00:00:00Z 2024-01-29T00:00:00Z 2024-02-05T00:00:00Z"}, /* T-32 */
    {"belfry", "0/30 2 * * *", "America/New_York", NULL, "2024-03-10T05:00:00Z",
     "2024-03-11T06:00:00Z 2024-03-11T06:30:00Z"}, /* T-25: a slash makes an interval */
    {"vixie", "0/30 2 * * *", "America/New_York", NULL, "2024-03-10T05:00:00Z",
     NULL}, /* T-30 */
    {"vixie", "0-30/30 2 * * *", "America/New_York", NULL, "2024-03-10T05:00:00Z",
     "2024-03-10T07:00:00Z 2024-03-11T06:00:00Z"}, /* T-25: only a leading star does */
    {"cronie", "30 2 * * *", "America/New_York", NULL, "2024-03-10T05:00:00Z",
     "2024-03-10T07:00:00Z 2024-03-11T06:30:00Z"}, /* T-26 */
    {"robfig", "30 2 * * *", "America/New_York", NULL, "2024-03-10T05:00:00Z",
     "2024-03-11T06:30:00Z"}, /* T-26 */
    {"belfry", "30 2 * * *", "America/New_York", "shift", "2024-03-10T05:00:00Z",
     "2024-03-10T07:30:00Z 2024-03-11T06:30:00Z"}, /* T-24 */
    {"vixie", "30 1 * * *", "America/New_York", NULL, "2024-11-03T04:00:00Z",
     "2024-11-03T05:30:00Z 2024-11-04T06:30:00Z"}, /* T-26 */
    {"quartz", "0 30 1 * * ?", "America/New_York", NULL, "2024-11-03T04:00:00Z",
     "2024-11-03T06:30:00Z 2024-11-04T06:30:00Z"}, /* T-26 */
    {"vixie", "*/30 * * * *", "America/New_York", NULL, "2024-11-03T04:45:00Z",
     "2024-11-03T05:00:00Z 2024-11-03T05:30:00Z 2024-11-03T06:00:00Z 2024-11-03T06:30:00Z "
     "2024-11-03T07:00:00Z"}, /* T-26 */
    {"belfry", "*/30 * * * *", "America/New_York", "once", "2024-11-03T04:45:00Z",
     "2024-11-03T05:00:00Z 2024-11-03T05:30:00Z 2024-11-03T07:00:00Z"}, /* T-24 */
    {"quartz", "0 */30 * * * ?", "America/New_York", NULL, "2024-11-03T04:45:00Z",
     "2024-11-03T06:00:00Z 2024-11-03T06:30:00Z 2024-11-03T07:00:00Z"}, /* T-26 */
    {"cronie", "0 */2 * * *", "America/New_York", NULL, "2024-03-10T05:00:00Z",
     "2024-03-10T08:00:00Z 2024-03-10T10:00:00Z"}, /* T-26 */
    {"vixie", "0,30 1 * * *", "America/New_York", NULL, "2024-11-03T04:45:00Z",
     "2024-11-03T05:00:00Z 2024-11-03T05:30:00Z 2024-11-04T06:00:00Z"}, /* T-26 */
    {"belfry", "0 22-4/3 * * *", "UTC", NULL, "2024-01-01T00:00:00Z",
     "2024-01-01T01:00:00Z 2024-01-01T04:00:00Z 2024-01-01T22:00:00Z "
     "2024-01-02T01:00:00Z"}, /* T-31 */
    {"belfry", "0 0 * * 5-7", "UTC", NULL, "2024-01-01T00:00:00Z",
     "2024-01-05T00:00:00Z 2024-01-06T00:00:00Z 2024-01-07T00:00:00Z "
     "2024-01-12T00:00:00Z"}, /* T-31 */
    {"belfry", "0 0 * * 7-2", "UTC", NULL, "2024-01-01T00:00:00Z",
     "2024-01-02T00:00:00Z 2024-01-07T00:00:00Z 2024-01-08T00:00:00Z "
     "2024-01-09T00:00:00Z"}, /* T-31 */
    {"belfry", "0 0 13 * +5", "UTC", NULL, "2024-01-01T00:00:00Z",
     "2024-09-13T00:00:00Z 2024-12-13T00:00:00Z"},                        /* T-32 */
    {"belfry", "0 0 */2 * 1", "UTC", NULL, "2024-01-01T00:00:00Z", NULL}, /* T-32 */
    {"belfry", "*/60 * * * *", "UTC", NULL, "2024-01-01T00:00:00Z",
     "2024-01-01T01:00:00Z"},                                              /* T-30 */
    {"belfry", "*/61 * * * *", "UTC", NULL, "2024-01-01T00:00:00Z", NULL}, /* T-30 */
    {"belfry", "0 0 * * 5#L", "UTC", NULL, "2024-01-01T00:00:00Z",
     "2024-01-26T00:00:00Z 2024-02-23T00:00:00Z"}, /* T-33 */
    {"quartz", "0 0 0 ? * L", "UTC", NULL, "2024-01-01T00:00:00Z",
     "2024-01-06T00:00:00Z 2024-01-13T00:00:00Z"}, /* T-30 */
};

static void rules_without_a_vector_agree(void **state)
{
    int good = 0, all = sizeof rules / sizeof rules[0];

    (void)state;
    for (int i = 0; i < all; i++) {
        char times[512];
        char *rest = times;
        struct expectation want = {
            .id = "rule",
            .dialect = rules[i].dialect,
            .expr = rules[i].expr,
            .zone = rules[i].zone,
            .dst = rules[i].dst,
            .after = read_instant(rules[i].after),
        };
        if (rules[i].times == NULL) {
            good += oracle_parse(want.dialect, want.expr, &rule) != 0;
            continue;
        }
        snprintf(times, sizeof times, "%s", rules[i].times);
        while (rest != NULL)
            want.time[want.count++] = read_instant(cut_before(&rest, " "));
        good += agrees(&want);
    }
    assert_int_equal(good, all);
}

/* vectors/temporal-spec.json, asserted by tests of Temporal's server. */
static void jitter_is_that_of_temporal(void **state)
{
    static const struct {
        const char *seed, *at;
        int64_t most_ms, delay_ms;
    } list[] = {
        {"", "2022-04-07T13:55:00Z", 3600000, 146927},
        {"", "2022-03-24T00:00:00Z", 3600000, 2124276},
        {"seed-1", "2022-03-24T00:00:00Z", 3600000, 372519},
        {"", "2022-03-23T12:00:00Z", 1000, 162},
        {"", "2022-03-23T13:30:00Z", 1000, 587},
        {"00000000-0000-0000-0000-000000000001-nightly", "2022-01-01T00:05:00Z", 30000, 28010},
        {"00000000-0000-0000-0000-000000000001-nightly", "2022-01-01T00:20:00Z", 30000, 24621},
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        assert_int_equal(oracle_jitter(list[i].seed, strlen(list[i].seed),
                                       read_instant(list[i].at) * 1000000, list[i].most_ms),
                         list[i].delay_ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jitter_is_that_of_temporal),
        cmocka_unit_test(rules_without_a_vector_agree),
        cmocka_unit_test(public_vectors_agree),
        cmocka_unit_test(temporal_cron_strings_agree),
        cmocka_unit_test(spring_table_agrees),
        cmocka_unit_test(named_spring_rows_agree),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    for (size_t i = 0; i < zone_count; i++)
        oracle_tz_free(zones[i].tz);
    return failed;
}
