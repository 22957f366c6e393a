/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle as its own subject: the comparison must find no difference, and one if an answer
 * is made wrong.  It tests the driver, not the program.
 */
#include <stdio.h>
#include <string.h>

#include "oracle_civil.h"
#include "oracle_next.h"
#include "subject.h"

#define SECOND_US INT64_C(1000000)

enum {
    PATH_LENGTH = 512,
    COUNT_MAX = 1000, /* the driver counts at most what it requested */
};

static char directory[PATH_LENGTH / 2];
static struct oracle_rule rule;
static struct oracle_policy policy;

/* The last zone and expression; the driver sends several queries for each. */
static char zone_name[ORACLE_ZONE_MAX];
static char rule_dialect[ORACLE_ZONE_MAX];
static char rule_text[ORACLE_TEXT_MAX + 1];
static struct oracle_clock zone_clock;
static struct oracle_tz *zone_tz;

int subject_open(const char *zoneinfo_dir)
{
    int length = snprintf(directory, sizeof directory, "%s", zoneinfo_dir);

    return length > 0 && (size_t)length < sizeof directory ? 0 : -1;
}

static int use_zone(const char *name)
{
    char path[PATH_LENGTH];

    if (strcmp(name, zone_name) == 0)
        return 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    struct oracle_tz *tz = oracle_tz_load(path);
    if (tz == NULL)
        return -1;
    oracle_clock_free(&zone_clock);
    oracle_tz_free(zone_tz);
    zone_clock.tz = zone_tz = tz;
    snprintf(zone_name, sizeof zone_name, "%s", name);
    return 0;
}

static int use_query(const struct subject_query *query)
{
    if (strcmp(query->expr, rule_text) != 0 || strcmp(query->dialect, rule_dialect) != 0) {
        if (oracle_parse(query->dialect, query->expr, &rule) != 0)
            return -1;
        snprintf(rule_text, sizeof rule_text, "%s", query->expr);
        snprintf(rule_dialect, sizeof rule_dialect, "%s", query->dialect);
    }
    if (use_zone(*rule.zone != '\0' ? rule.zone : query->zone) != 0)
        return -1;
    return oracle_policy_of(&rule, query->dst, &policy);
}

int subject_next(const struct subject_query *query, int64_t after_us, int n, int64_t *ret_us)
{
    if (use_query(query) != 0)
        return -1;
    int found = oracle_list(&zone_clock, &rule, policy, oracle_floor_div(after_us, SECOND_US),
                            n, ret_us);
    for (int i = 0; i < found; i++)
        ret_us[i] *= SECOND_US;
    return found;
}

static bool next_is_before(int64_t after, int64_t before, int64_t *ret)
{
    return oracle_next(&zone_clock, &rule, policy, after, ret) && *ret < before;
}

/* The last slot before an instant: steps back until there is a slot, then bisects. */
static bool last_before(int64_t before, int64_t *ret)
{
    int64_t low = before - 3600;
    int64_t high = before;

    while (!next_is_before(low, before, ret)) {
        low -= 8 * (before - low);
        if (before - low > INT64_C(800) * 366 * ORACLE_DAY_SECONDS)
            return false;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (next_is_before(middle, before, ret))
            low = middle;
        else
            high = middle;
    }
    return next_is_before(low, before, ret);
}

int subject_prev(const struct subject_query *query, int64_t before_us, int n, int64_t *ret_us)
{
    int64_t before = oracle_floor_div(before_us - 1, SECOND_US) + 1;
    int found = 0;

    if (use_query(query) != 0)
        return -1;
    while (found < n && last_before(before, &before))
        ret_us[found++] = before * SECOND_US;
    return found;
}

int64_t subject_count(const struct subject_query *query, int64_t from_us, int64_t to_us)
{
    if (use_query(query) != 0)
        return -1;
    int64_t count = 0;
    int64_t at = oracle_floor_div(from_us, SECOND_US);
    while (count < COUNT_MAX && oracle_next(&zone_clock, &rule, policy, at, &at) &&
           at * SECOND_US <= to_us)
        count++;
    return count;
}

int subject_offset(const char *zone, int64_t utc_s, int32_t *ret)
{
    if (use_zone(zone) != 0)
        return -1;
    *ret = oracle_tz_offset(zone_clock.tz, utc_s);
    return 0;
}
