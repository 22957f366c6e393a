/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the program with the oracle in millions of cases.
 *
 *   a  offsets of every zone, around every change of 1970-2100 and at random instants
 *   b  every zone, every change of 1970-2100: expressions near the change, under all policies
 *   c  random expressions, zones and instants
 *
 * The same seed gives the same cases.  A difference is printed in one line, with the option
 * that runs only this case; after ten differences the run ends.  The exit status is 1 if there
 * was a difference.  A control run (--spoil) makes one answer wrong and succeeds if exactly
 * this one is detected.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_case.h"
#include "compare_prng.h"
#include "compare_text.h"
#include "compare_zones.h"
#include "oracle_civil.h"
#include "oracle_dialect.h"
#include "subject.h"

#define SECOND_US INT64_C(1000000)

enum {
    HOUR = 3600,
    DAY = 86400,
    CASE_LENGTH = 512,
};

struct options {
    const char *zoneinfo;
    const char *parts;
    const char *only_case;
    const char *only_offset;
    uint64_t seed;
    int64_t stride;  /* part b uses one of this many changes */
    int64_t each;    /* expressions per change               */
    int64_t offsets; /* random instants per zone in part a   */
    int64_t count;   /* cases of part c                      */
};

struct driver {
    struct options options;
    struct compare_prng prng;
    struct compare_tally tally;
    struct compare_zones zones;
    struct oracle_rule rule;
};

static const char *const policies[] = {
    NULL,        "vixie",      "literal",     "once",       "last",
    "shift",     "skip/first", "skip/last",   "skip/both",  "next/first",
    "next/last", "next/both",  "shift/first", "shift/last", "shift/both",
};
enum { POLICY_COUNT = sizeof policies / sizeof policies[0] };

static bool goes_on(const struct driver *driver)
{
    bool is_control = driver->tally.spoil != COMPARE_SPOIL_NOTHING;

    return driver->tally.failures < (is_control ? 1 : COMPARE_FAILURES_MAX);
}

static int64_t start_of_year(int year)
{
    return oracle_day_number(year, 1, 1) * DAY;
}

static const struct oracle_dialect *any_dialect(struct driver *driver)
{
    int count = 0;

    while (oracle_dialect_at(count) != NULL)
        count++;
    return oracle_dialect_at(prng_below(&driver->prng, count));
}

/* Parses query->expr into the rule of the driver; returns the clock in force, or NULL. */
static struct oracle_clock *prepare(struct driver *driver, const struct compare_case *query)
{
    bool is_valid = oracle_parse(query->dialect, query->expr, &driver->rule) == 0;
    const char *name = *driver->rule.zone != '\0' ? driver->rule.zone : query->zone;
    struct compare_zone *zone = compare_zones_find(&driver->zones, name);

    if (is_valid && zone != NULL)
        return &zone->clock;
    compare_rejected(&driver->tally, query, "the oracle");
    return NULL;
}

/* Part a. */

static void check_zone(struct driver *driver, const struct compare_zone *zone)
{
    static const int64_t beside[] = {-HOUR, -1, 0, 1, HOUR};
    int64_t end = start_of_year(2101);
    int64_t change = oracle_tz_change(zone->tz, start_of_year(1970) - 1);

    for (; change < end && goes_on(driver); change = oracle_tz_change(zone->tz, change)) {
        for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
            compare_offset(&driver->tally, zone->name, zone->tz, change + beside[i]);
    }
    for (int64_t i = 0; i < driver->options.offsets && goes_on(driver); i++) {
        /* Half of them in the years with recorded changes. */
        int64_t last = i % 2 == 0 ? start_of_year(2100) : start_of_year(10000) - 1;
        int64_t at = prng_between(&driver->prng, start_of_year(1850), last);
        compare_offset(&driver->tally, zone->name, zone->tz, at);
    }
}

static void run_a(struct driver *driver)
{
    for (size_t i = 0; i < driver->zones.count && goes_on(driver); i++)
        check_zone(driver, &driver->zones.zone[i]);
}

/* Part b. */

/* The instant from which slots are requested, near a clock change. */
static int64_t any_start(struct compare_prng *prng, int64_t change)
{
    int choice = prng_below(prng, 100);

    if (choice < 50)
        return change - prng_between(prng, 2 * HOUR, 30 * HOUR);
    if (choice < 70)
        return change - prng_between(prng, 0, 2 * HOUR);
    if (choice < 80)
        return change - prng_between(prng, 0, 600);
    if (choice < 88)
        return change + prng_between(prng, -3, 3);
    return change + prng_between(prng, 0, 4 * HOUR);
}

static int64_t with_fraction(struct compare_prng *prng, int64_t second)
{
    return second * SECOND_US + (prng_percent(prng, 50) ? 0 : prng_between(prng, 1, 999999));
}

/* Sometimes the zone is in the text, and the query names another one. */
static const char *place_zone(struct driver *driver, const struct oracle_dialect *dialect,
                              const char *zone, char ret_expr[static CASE_LENGTH])
{
    char text[256];

    if (!dialect->has_zone || !prng_percent(&driver->prng, 4))
        return zone;
    snprintf(text, sizeof text, "%s", ret_expr);
    snprintf(ret_expr, CASE_LENGTH, "%s=%s %s",
             prng_percent(&driver->prng, 50) ? "TZ" : "CRON_TZ", zone, text);
    return driver->zones.zone[prng_below(&driver->prng, (int)driver->zones.count)].name;
}

static void check_change(struct driver *driver, const struct compare_zone *zone, int64_t change)
{
    struct compare_prng *prng = &driver->prng;
    const struct oracle_dialect *dialect = any_dialect(driver);
    int64_t old_local = change + oracle_tz_offset(zone->tz, change - 1);
    int64_t target = old_local + prng_between(prng, -2 * HOUR, 3 * HOUR);
    char expr[CASE_LENGTH];

    compare_text(prng, dialect, target, prng_percent(prng, 95), expr);
    struct compare_case query = {.dialect = dialect->name, .expr = expr};
    query.zone = place_zone(driver, dialect, zone->name, expr);
    query.after_us = with_fraction(prng, any_start(prng, change));
    query.count = (int)prng_between(prng, 6, 10);
    struct oracle_clock *clock = prepare(driver, &query);
    int failures = driver->tally.failures;
    /* One difference for an expression is enough to print. */
    for (size_t i = 0; i < POLICY_COUNT && failures == driver->tally.failures; i++) {
        query.dst = policies[i];
        if (clock != NULL)
            compare_case(&driver->tally, &query, &driver->rule, clock);
    }
}

static void run_b(struct driver *driver)
{
    int64_t begin = start_of_year(1970) + 3 * DAY; /* so that no instant is before 1970 */
    int64_t end = start_of_year(2101);
    int64_t turn = prng_between(&driver->prng, 0, driver->options.stride - 1);

    for (size_t i = 0; i < driver->zones.count && goes_on(driver); i++) {
        const struct compare_zone *zone = &driver->zones.zone[i];
        int64_t change = oracle_tz_change(zone->tz, begin);
        for (; change < end && goes_on(driver); change = oracle_tz_change(zone->tz, change)) {
            bool is_taken = turn++ % driver->options.stride == 0;
            for (int64_t n = 0; is_taken && n < driver->options.each && goes_on(driver); n++)
                check_change(driver, zone, change);
        }
    }
}

/* Part c. */

/* An instant in the years of the dialect: temporal and aws have some years only. */
static int64_t any_instant(struct compare_prng *prng, const struct oracle_dialect *dialect)
{
    if (dialect->has_century_horizon)
        return prng_between(prng, start_of_year(1971), start_of_year(2110));
    if (dialect->is_wrapped)
        return prng_between(prng, start_of_year(1971), start_of_year(2150));
    return prng_between(prng, start_of_year(1900), start_of_year(2200));
}

/* Writes @every, if the document of the dialect says from when it counts. */
static bool put_every(struct compare_prng *prng, const struct oracle_dialect *dialect,
                      char ret[static CASE_LENGTH])
{
    int seconds = (int)prng_between(prng, 1, 3 * DAY);

    if (!dialect->has_every || dialect->days == ORACLE_DAYS_BELFRY || !prng_percent(prng, 3))
        return false;
    if (!dialect->is_epoch_based)
        snprintf(ret, CASE_LENGTH, "@every %dm%ds", seconds / 60, seconds % 60);
    else if (prng_percent(prng, 50))
        snprintf(ret, CASE_LENGTH, "@every %ds", seconds);
    else
        snprintf(ret, CASE_LENGTH, "@every %ds/%ds", seconds, prng_below(prng, seconds));
    return true;
}

static void check_random(struct driver *driver)
{
    struct compare_prng *prng = &driver->prng;
    const struct oracle_dialect *dialect = any_dialect(driver);
    int index = prng_below(prng, (int)driver->zones.count);
    struct compare_zone *zone = &driver->zones.zone[index];
    int64_t after = any_instant(prng, dialect);
    char expr[CASE_LENGTH];

    if (!put_every(prng, dialect, expr))
        compare_text(prng, dialect, after + prng_between(prng, 0, 2 * DAY), false, expr);
    struct compare_case query = {.dialect = dialect->name, .expr = expr};
    query.zone = place_zone(driver, dialect, zone->name, expr);
    query.after_us = with_fraction(prng, after);
    query.count = (int)prng_between(prng, 1, 10);
    query.dst = policies[prng_below(prng, POLICY_COUNT)];
    struct oracle_clock *clock = prepare(driver, &query);
    if (clock != NULL)
        compare_case(&driver->tally, &query, &driver->rule, clock);
}

static void run_c(struct driver *driver)
{
    for (int64_t i = 0; i < driver->options.count && goes_on(driver); i++)
        check_random(driver);
}

/* Repeats one case. */

static char *cut_before(char **rest)
{
    char *start = *rest;
    char *bar = strchr(start, '|');

    if (bar == NULL)
        bar = start + strlen(start);
    *rest = bar + (*bar != '\0');
    *bar = '\0';
    return start;
}

static void run_case(struct driver *driver, const char *text)
{
    char copy[CASE_LENGTH];
    char *rest = copy;

    snprintf(copy, sizeof copy, "%s", text);
    struct compare_case query = {.dialect = cut_before(&rest)};
    query.expr = cut_before(&rest);
    query.zone = cut_before(&rest);
    query.dst = cut_before(&rest);
    query.after_us = strtoll(cut_before(&rest), NULL, 10);
    query.count = (int)strtol(cut_before(&rest), NULL, 10);
    if (*query.dst == '\0')
        query.dst = NULL;
    struct oracle_clock *clock = prepare(driver, &query);
    if (clock != NULL && query.count > 0 && query.count <= COMPARE_SLOTS_MAX)
        compare_case(&driver->tally, &query, &driver->rule, clock);
}

static void run_offset(struct driver *driver, const char *text)
{
    char copy[CASE_LENGTH];
    char *rest = copy;

    snprintf(copy, sizeof copy, "%s", text);
    const struct compare_zone *zone = compare_zones_find(&driver->zones, cut_before(&rest));
    if (zone != NULL)
        compare_offset(&driver->tally, zone->name, zone->tz,
                       strtoll(cut_before(&rest), NULL, 10));
}

/* Options. */

static int usage(void)
{
    fputs("compare [option value]...\n"
          "  --zoneinfo DIR   zone files (default /usr/share/zoneinfo)\n"
          "  --seed N         random seed (default 1)\n"
          "  --parts abc      parts to run (default abc)\n"
          "  --offsets N      part a: random instants per zone (default 40)\n"
          "  --stride N       part b: use one of N changes (default 1)\n"
          "  --each N         part b: expressions per change, each under 15 policies\n"
          "                   (default 1)\n"
          "  --count N        part c: random cases (default 100000)\n"
          "  --spoil WHAT     control run: make the 1000th next, prev, count or offset\n"
          "                   wrong, and succeed if exactly this is detected\n"
          "  --case TEXT      run one case, in the form that a difference prints\n"
          "  --offset TEXT    compare one offset, in the form that a difference prints\n",
          stderr);
    return 2;
}

static bool read_spoil(struct compare_tally *tally, const char *what)
{
    static const char *const names[] = {"nothing", "next", "prev", "count", "offset"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(what, names[i]) == 0) {
            tally->spoil = (enum compare_spoil)i;
            return true;
        }
    }
    return false;
}

static bool read_number(const char *text, int64_t least, int64_t *ret)
{
    char *end;
    long long value = strtoll(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < least)
        return false;
    *ret = value;
    return true;
}

static bool read_option(struct driver *driver, const char *name, const char *value)
{
    struct options *options = &driver->options;
    int64_t seed;

    if (strcmp(name, "--zoneinfo") == 0)
        return (options->zoneinfo = value) != NULL;
    if (strcmp(name, "--parts") == 0)
        return (options->parts = value) != NULL;
    if (strcmp(name, "--case") == 0)
        return (options->only_case = value) != NULL;
    if (strcmp(name, "--offset") == 0)
        return (options->only_offset = value) != NULL;
    if (strcmp(name, "--spoil") == 0)
        return read_spoil(&driver->tally, value);
    if (strcmp(name, "--stride") == 0)
        return read_number(value, 1, &options->stride);
    if (strcmp(name, "--each") == 0)
        return read_number(value, 0, &options->each);
    if (strcmp(name, "--offsets") == 0)
        return read_number(value, 0, &options->offsets);
    if (strcmp(name, "--count") == 0)
        return read_number(value, 0, &options->count);
    if (strcmp(name, "--seed") != 0 || !read_number(value, 0, &seed))
        return false;
    options->seed = (uint64_t)seed;
    return true;
}

static void run(struct driver *driver)
{
    const struct options *options = &driver->options;

    if (options->only_case != NULL || options->only_offset != NULL) {
        if (options->only_case != NULL)
            run_case(driver, options->only_case);
        if (options->only_offset != NULL)
            run_offset(driver, options->only_offset);
        return;
    }
    if (strchr(options->parts, 'a') != NULL)
        run_a(driver);
    if (strchr(options->parts, 'b') != NULL)
        run_b(driver);
    if (strchr(options->parts, 'c') != NULL)
        run_c(driver);
}

int main(int argc, char **argv)
{
    static struct driver driver = {
        .options = {.zoneinfo = "/usr/share/zoneinfo",
                    .parts = "abc",
                    .seed = 1,
                    .stride = 1,
                    .each = 1,
                    .offsets = 40,
                    .count = 100000},
    };

    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !read_option(&driver, argv[i], argv[i + 1]))
            return usage();
    }
    driver.prng.state = driver.options.seed;
    compare_zones_load(&driver.zones, driver.options.zoneinfo);
    if (driver.zones.count == 0 || subject_open(driver.options.zoneinfo) != 0) {
        fprintf(stderr, "compare: no zones in %s\n", driver.options.zoneinfo);
        return 2;
    }
    run(&driver);
    printf("%zu zones, %" PRIu64 " offsets, %" PRIu64 " cases, %" PRIu64 " answers, %" PRIu64
           " slots compared; %d differences; seed %" PRIu64 "\n",
           driver.zones.count, driver.tally.offsets, driver.tally.cases, driver.tally.answers,
           driver.tally.slots, driver.tally.failures, driver.options.seed);
    compare_zones_free(&driver.zones);
    if (driver.tally.spoil != COMPARE_SPOIL_NOTHING)
        return driver.tally.noticed == driver.tally.spoil ? 0 : 1;
    return driver.tally.failures > 0;
}
