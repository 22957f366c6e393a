/* SPDX-License-Identifier: Apache-2.0 */
/*
 * belfry-sim: simulates worlds, one per seed, and reports which of them broke a promise.
 *
 * Worlds run in a child, so that one which ends the process (a failed must(), an endless loop)
 * is a failed seed like any other, and the rest still run.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "sim/outage.h"
#include "sim/world.h"
#include "sim/zones.h"

enum {
    SEED_SECONDS_MAX = 300, /* of one world, with sanitizers; most take less than a second */
    MINUTES_MAX = 100000,
    MUTATIONS_MAX = 100000,
};

#define YEAR (365.2425 * (double)SPAN_DAY)

struct options {
    uint64_t first;
    uint64_t count;
    int64_t minutes; /* of CPU time; 0: no limit */
    struct world_options world;
    bool wants_digests;
};

/* A child's result for one seed; small enough for one atomic write to a pipe. */
struct result {
    uint64_t seed;
    enum rc rc;
    struct tally tally;
    char text[ERR_TEXT_MAX];
};

static int usage(FILE *to, int status)
{
    fprintf(
        to,
        "usage: belfry-sim [--seed N] [--count K] [--minutes M] [--verbose] [--digests]\n"
        "                  [--canary] [--mutations K] [--outage]\n"
        "\n"
        "Simulates the worlds of seeds N, N+1 and so on: the engine on its store, with\n"
        "faults; then checks the invariants.  A seed always gives the same world.\n"
        "\n"
        "  --seed N     first seed (default 1)\n"
        "  --count K    number of seeds (default 1)\n"
        "  --minutes M  stop after M minutes of CPU time (default: no limit)\n"
        "  --verbose    print all events as they happen\n"
        "  --digests    print the digest of each world\n"
        "  --canary     remove a row from each record: the judge must fail it\n"
        "  --mutations K  falsify each record of one node and a steady clock K times:\n"
        "               a row of the ledger, a started slot or a mark; the judge must\n"
        "               notice each\n"
        "  --outage     instead stop a world without faults for some time, and compare what\n"
        "               becomes of each slot with the forecast of POST /what-if\n"
        "  --help       print this help\n"
        "\n"
        "The exit status is 1 if a seed failed.\n");
    return status;
}

static int64_t cpu_us(int who)
{
    struct rusage used;

    must(getrusage(who, &used) == 0);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * SPAN_S + used.ru_utime.tv_usec +
           used.ru_stime.tv_usec;
}

/* The child: runs worlds until the last one or the end of its time. */
static void simulate(const struct options *options, uint64_t seed, uint64_t end, int to)
{
    int64_t left = options->minutes * SPAN_MIN - cpu_us(RUSAGE_CHILDREN);
    struct zones *zones = zones_new();
    struct zone_source source = zones_source(zones);

    if (options->world.is_verbose)
        setvbuf(stdout, NULL, _IOLBF, 0); /* the output of a dying world is complete */
    for (; seed < end && (options->minutes == 0 || cpu_us(RUSAGE_SELF) < left); seed++) {
        struct result result = {.seed = seed};
        struct err err = {.text = ""};

        alarm(SEED_SECONDS_MAX);
        result.rc = (options->world.is_outage ? outage_run : world_run)(
            seed, &source, &options->world, &result.tally, &err);
        snprintf(result.text, sizeof result.text, "%s", err.text);
        fflush(stdout);
        must(write(to, &result, sizeof result) == sizeof result);
    }
    zones_free(zones);
}

static void print_failure(uint64_t seed, const char *text)
{
    printf("seed %" PRIu64 " failed: %s\n  replay: build/belfry-sim --seed %" PRIu64
           " --verbose\n",
           seed, text, seed);
    fflush(stdout);
}

static void add(struct tally *sum, const struct tally *one)
{
    struct digest digest = {sum->digest};

    sum->seeds += one->seeds;
    sum->turns += one->turns;
    sum->fires += one->fires;
    sum->lived += one->lived;
    sum->doctored += one->doctored;
    for (int i = 0; i < FAULT_COUNT; i++)
        sum->faults[i] += one->faults[i];
    digest_int(&digest, (int64_t)one->digest);
    sum->digest = digest.sum;
}

/* Reads results until the child ends; returns the first seed without one. */
static uint64_t listen_to(int from, uint64_t seed, bool wants_digests, struct tally *sum,
                          int64_t *failures)
{
    struct result result;

    while (read(from, &result, sizeof result) == sizeof result) {
        add(sum, &result.tally);
        if (wants_digests)
            printf("seed %" PRIu64 " digest %016" PRIx64 "\n", result.seed,
                   result.tally.digest);
        if (result.rc != RC_OK) {
            print_failure(result.seed, result.text);
            ++*failures;
        }
        seed = result.seed + 1;
    }
    return seed;
}

static void explain_death(uint64_t seed, int status)
{
    char text[ERR_TEXT_MAX];

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(text, sizeof text, "no end after %d seconds", SEED_SECONDS_MAX);
    else if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "the process died: %s", strsignal(WTERMSIG(status)));
    else
        snprintf(text, sizeof text, "the process ended with status %d", WEXITSTATUS(status));
    print_failure(seed, text);
}

/* One child after another, each starting after the seed that ended the previous one. */
static int64_t simulate_all(const struct options *options, struct tally *sum)
{
    uint64_t seed = options->first, end = options->first + options->count;
    int64_t failures = 0;

    while (seed < end) {
        int ends[2], status = 0;
        pid_t child;

        must(pipe(ends) == 0);
        fflush(stdout);
        child = fork();
        must(child >= 0);
        if (child == 0) {
            close(ends[0]);
            simulate(options, seed, end, ends[1]);
            _exit(0);
        }
        close(ends[1]);
        seed = listen_to(ends[0], seed, options->wants_digests, sum, &failures);
        close(ends[0]);
        must(waitpid(child, &status, 0) == child);
        if (status == 0)
            break;
        explain_death(seed++, status);
        failures++;
        sum->seeds++;
    }
    return failures;
}

static bool take_number(const char *text, int64_t max, int64_t *ret)
{
    struct str s = str_of(text);

    return str_take_number(&s, max, ret) > 0 && s.len == 0 && *ret <= max;
}

static bool read_options(int argc, char **argv, struct options *ret)
{
    for (int i = 1; i < argc; i++) {
        struct str arg = str_of(argv[i]);
        int64_t number = 0;

        if (str_eq(arg, STR("--verbose"))) {
            ret->world.is_verbose = true;
            continue;
        }
        if (str_eq(arg, STR("--canary"))) {
            ret->world.is_canary = true;
            continue;
        }
        if (str_eq(arg, STR("--outage"))) {
            ret->world.is_outage = true;
            continue;
        }
        if (str_eq(arg, STR("--digests"))) {
            ret->wants_digests = true;
            continue;
        }
        if (++i == argc || !take_number(argv[i], INT64_MAX / 4, &number))
            return false;
        if (str_eq(arg, STR("--seed")))
            ret->first = (uint64_t)number;
        else if (str_eq(arg, STR("--count")) && number > 0)
            ret->count = (uint64_t)number;
        else if (str_eq(arg, STR("--mutations")) && number <= MUTATIONS_MAX)
            ret->world.mutations = (int)number;
        else if (str_eq(arg, STR("--minutes")) && number > 0 && number <= MINUTES_MAX)
            ret->minutes = number;
        else
            return false;
    }
    return true;
}

static void print_sum(const struct tally *sum, int64_t failures)
{
    printf("%" PRId64 " seeds, %" PRId64 " failed; %" PRId64 " turns, %" PRId64
           " fires, %.1f schedule-years; CPU %.1f s\n",
           sum->seeds, failures, sum->turns, sum->fires, (double)sum->lived / YEAR,
           (double)cpu_us(RUSAGE_CHILDREN) / (double)SPAN_S);
    if (sum->doctored > 0)
        printf("doctored: %" PRId64 "\n", sum->doctored);
    printf("faults:");
    for (int i = 0; i < FAULT_COUNT; i++)
        printf("%s %s %" PRId64, i > 0 ? "," : "", fault_text((enum rec_fault_kind)i),
               sum->faults[i]);
    printf("\ndigest %016" PRIx64 "\n", sum->digest);
}

int main(int argc, char **argv)
{
    struct options options = {.first = 1, .count = 1};
    struct tally sum = {0};
    int64_t failures;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout, EXIT_SUCCESS);
    if (!read_options(argc, argv, &options))
        return usage(stderr, 2);
    failures = simulate_all(&options, &sum);
    print_sum(&sum, failures);
    return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
