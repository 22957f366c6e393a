/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times the bare loop of bare_loop.h: the five expressions in UTC and New York, from
 * random instants and as a chain, and the proof that two impossible dates never occur.
 * Usage: bare MILLISECONDS
 */
#include "bare_loop.h"
#include "harness.h"

enum { EVERY_WEEKDAY = 0x7f, WORKING_DAYS = 0x3e };

static const uint64_t EVERY_MINUTE = 0x0fffffffffffffffU;
static const uint64_t QUARTERS = 1U | 1U << 15 | 1U << 30 | 1ULL << 45;
static const uint32_t EVERY_HOUR = 0x00ffffff;
static const uint32_t NINE_TO_FIVE = 0x0003fe00;
static const uint32_t EVERY_DAY = 0xfffffffe;
static const uint32_t EVERY_MONTH = 0x00001ffe;
static const uint64_t MICROSECONDS = 1000000;

static void schedules_make(struct bare made[static BENCH_EXPRS], const struct bare_zone *zone)
{
    made[0] = (struct bare){EVERY_MINUTE, EVERY_HOUR, EVERY_DAY, EVERY_MONTH, .zone = zone};
    made[1] = (struct bare){QUARTERS, NINE_TO_FIVE, EVERY_DAY, EVERY_MONTH, .zone = zone};
    made[2] = (struct bare){1U << 30, 1U << 2, EVERY_DAY, EVERY_MONTH, .zone = zone};
    made[3] = (struct bare){1, 1, 1U << 1, EVERY_MONTH, .zone = zone};
    made[4] = (struct bare){1, 1, 1U << 29, 1U << 2, .zone = zone};
    for (int i = 0; i < BENCH_EXPRS; i++) {
        made[i].fixed = i >= 2;
        bare_compile(&made[i], i == 1 ? WORKING_DAYS : EVERY_WEEKDAY);
    }
}

static int64_t random_utc(const void *bare, const int64_t *instants, uint64_t *ret_sum)
{
    return bench_random(bare_next_utc, bare, instants, ret_sum);
}

static int64_t random_zone(const void *bare, const int64_t *instants, uint64_t *ret_sum)
{
    return bench_random(bare_next_zone, bare, instants, ret_sum);
}

/* Consecutive slots; the sum is in microseconds, like that of Belfry. */
BENCH_INLINE int64_t chain(bench_next *next, const void *bare, const int64_t *instants,
                           uint64_t *ret_sum)
{
    uint64_t sum = 0;
    int64_t ops = 0;

    for (int i = 0; i < BENCH_CHAINS; i++) {
        int64_t at = instants[i];
        for (int step = 0; step < BENCH_CHAIN && at < BENCH_LAST; step++) {
            at = next(bare, at);
            sum += (uint64_t)at;
            ops++;
        }
    }
    *ret_sum = sum * MICROSECONDS;
    return ops;
}

static int64_t chain_utc(const void *bare, const int64_t *instants, uint64_t *ret_sum)
{
    return chain(bare_next_utc, bare, instants, ret_sum);
}

static int64_t chain_zone(const void *bare, const int64_t *instants, uint64_t *ret_sum)
{
    return chain(bare_next_zone, bare, instants, ret_sum);
}

/* Counts the proofs: the sum of a pass is BENCH_INSTANTS if each call returned never. */
static int64_t is_never(const void *bare, int64_t after)
{
    return bare_next_utc(bare, after) == BARE_NEVER;
}

static int64_t random_never(const void *bare, const int64_t *instants, uint64_t *ret_sum)
{
    return bench_random(is_never, bare, instants, ret_sum);
}

static void time_nevers(const int64_t *instants, int64_t budget)
{
    struct bare never[BENCH_NEVERS] = {
        {1, 1, 1U << 30, 1U << 2, .fixed = true},
        {1, 1, 1U << 31, 1U << 2 | 1U << 4 | 1U << 6 | 1U << 9 | 1U << 11, .fixed = true},
    };

    for (int i = 0; i < BENCH_NEVERS; i++) {
        bare_compile(&never[i], EVERY_WEEKDAY);
        bench_print("bare", "never", "UTC", BENCH_NEVER[i],
                    bench_time(random_never, &never[i], instants, budget));
    }
}

int main(int argc, char **argv)
{
    static struct bare_zone zone;
    int64_t instants[BENCH_INSTANTS];
    struct bare made[BENCH_EXPRS];
    int64_t budget = bench_budget(argc, argv);

    if (!bare_zone_read("/usr/share/zoneinfo/America/New_York", &zone) ||
        zone.segment[zone.count - 1].start < BENCH_LAST) {
        fprintf(stderr, "bare: needs a file America/New_York that lists its changes to 2030\n");
        return EXIT_FAILURE;
    }
    bench_instants(instants, 1);
    schedules_make(made, &zone);
    for (int i = 0; i < BENCH_EXPRS; i++) {
        bench_print("bare", "next", BENCH_ZONE[0], BENCH_EXPR[i],
                    bench_time(random_utc, &made[i], instants, budget));
        bench_print("bare", "next", BENCH_ZONE[1], BENCH_EXPR[i],
                    bench_time(random_zone, &made[i], instants, budget));
        bench_print("bare", "chain", BENCH_ZONE[0], BENCH_EXPR[i],
                    bench_time(chain_utc, &made[i], instants, budget));
        bench_print("bare", "chain", BENCH_ZONE[1], BENCH_EXPR[i],
                    bench_time(chain_zone, &made[i], instants, budget));
    }
    time_nevers(instants, budget);
    return EXIT_SUCCESS;
}
