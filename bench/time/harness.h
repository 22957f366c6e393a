/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness of the C programs of this benchmark: the instants, the expressions, the
 * timed loops and the line that reports one cell.
 *
 * The loops are inlined into their caller, so that the function under test is called
 * directly and no implementation pays for an indirection.  peers/cases.mjs and
 * peers/croniter_bench.py draw the same instants; a checksum in the report shows if
 * they differ.
 */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    BENCH_INSTANTS = 1000, /* few enough that a slow peer gets all of them in one run */
    BENCH_CHAINS = 100,    /* chains of one pass                                      */
    BENCH_CHAIN = 1000,    /* slots of one chain: the cost of its start is negligible */
    BENCH_EXPRS = 5,
    BENCH_ZONES = 2,
    BENCH_NEVERS = 2,
    BENCH_MS_MAX = 10000, /* per cell; more is a typing error */
};

#define BENCH_INLINE __attribute__((always_inline)) static inline

/* 2020-01-01 to 2030-01-01, in seconds: twenty clock changes of New York. */
#define BENCH_FIRST INT64_C(1577836800)
#define BENCH_SPAN  INT64_C(315619200)
#define BENCH_LAST  (BENCH_FIRST + BENCH_SPAN)
#define BENCH_SEED  UINT64_C(0x9e3779b97f4a7c15)
#define BENCH_NS    INT64_C(1000000000)

static const char *const BENCH_EXPR[BENCH_EXPRS] = {
    "* * * * *", "*/15 9-17 * * 1-5", "30 2 * * *", "0 0 1 * *", "0 0 29 2 *",
};

static const char *const BENCH_NEVER[BENCH_NEVERS] = {"0 0 30 2 *", "0 0 31 2,4,6,9,11 *"};

static const char *const BENCH_ZONE[BENCH_ZONES] = {"UTC", "America/New_York"};

struct bench_result {
    double ns;    /* per operation                           */
    uint64_t sum; /* of the answers of one pass, modulo 2^64 */
    int64_t ops;  /* operations that were timed              */
};

/* The first match later than `after`; both in the unit of the program. */
typedef int64_t bench_next(const void *schedule, int64_t after);

/* One pass over all instants: returns the number of operations and sums the answers. */
typedef int64_t bench_pass(const void *schedule, const int64_t *instants, uint64_t *ret_sum);

/* The only argument of a program: the milliseconds per cell. */
static inline int64_t bench_budget(int argc, char **argv)
{
    long ms = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

    if (ms < 1 || ms > BENCH_MS_MAX) {
        fprintf(stderr, "usage: %s MILLISECONDS (1 to %d, per cell)\n", argv[0], BENCH_MS_MAX);
        exit(2);
    }
    return ms * (BENCH_NS / 1000);
}

static inline int64_t bench_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * BENCH_NS + now.tv_nsec;
}

/* Seconds since 1970, times `unit`. */
static inline void bench_instants(int64_t instants[static BENCH_INSTANTS], int64_t unit)
{
    uint64_t x = BENCH_SEED;

    for (int i = 0; i < BENCH_INSTANTS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        instants[i] = (BENCH_FIRST + (int64_t)(x % (uint64_t)BENCH_SPAN)) * unit;
    }
}

/*
 * Repeats a pass for `budget` nanoseconds.  Measures processor time, so that other load on a
 * shared machine does not count.
 */
BENCH_INLINE struct bench_result bench_time(bench_pass *pass, const void *schedule,
                                            const int64_t *instants, int64_t budget)
{
    struct bench_result result = {0};
    uint64_t again = 0;
    int64_t begin, used;

    pass(schedule, instants, &result.sum);
    begin = bench_clock(CLOCK_MONOTONIC);
    used = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    do {
        result.ops += pass(schedule, instants, &again);
    } while (bench_clock(CLOCK_MONOTONIC) - begin < budget);
    used = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - used;
    if (again != result.sum) {
        fprintf(stderr, "two passes over the same instants give different answers\n");
        exit(EXIT_FAILURE);
    }
    result.ns = (double)used / (double)result.ops;
    return result;
}

/* A pass of independent searches: the next match after each instant. */
BENCH_INLINE int64_t bench_random(bench_next *next, const void *schedule,
                                  const int64_t *instants, uint64_t *ret_sum)
{
    uint64_t sum = 0;

    for (int i = 0; i < BENCH_INSTANTS; i++)
        sum += (uint64_t)next(schedule, instants[i]);
    *ret_sum = sum;
    return BENCH_INSTANTS;
}

/* One line of the protocol that `run` reads: who, what, zone, expression, ns, sum. */
static inline void bench_print(const char *who, const char *what, const char *zone,
                               const char *expr, struct bench_result result)
{
    printf("%s\t%s\t%s\t%s\t%.2f\t%" PRIu64 "\n", who, what, zone, expr, result.ns, result.sum);
}
