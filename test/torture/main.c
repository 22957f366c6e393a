/* SPDX-License-Identifier: Apache-2.0 */
/* belfry-torture: runs one world after the other; world.h says what a world is. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/clock.h"
#include "world.h"

enum {
    CYCLES = 1000,
    CYCLES_MAX = 1000000,
    WORLD_CYCLES = 50,      /* of one world: then a new one is created              */
    WORLD_CYCLES_SLOW = 20, /* likewise: a minute, as many slots as 50 fast cycles  */
};

static const char usage[] =
    "usage: belfry-torture --victim PROGRAM [--db sqlite|postgres] [--cycles N] [--seed S]\n"
    "                      [--slow] [--keep]\n"
    "       belfry-torture --judge DIR\n"
    "\n"
    "Kills the server N times (default 1000), at named points and at random instants, while\n"
    "clients use it; up to 50 times in one world.  Each world is judged by its database and\n"
    "the journal of its clients.  With --slow, HTTP calls take up to 6 s, and all kills are\n"
    "at random instants, 0.2 s to 5 s after the start.  BELFRY_TEST_URL names PostgreSQL, see\n"
    "test/db/with_postgres.sh.\n";

struct torture_options {
    const char *victim, *judge;
    bool is_postgres, keeps_dir, is_slow;
    int64_t cycles, seed;
};

static bool read_options(int argc, char **argv, struct torture_options *ret)
{
    static const struct option known[] = {
        {"victim", required_argument, NULL, 'v'}, {"db", required_argument, NULL, 'd'},
        {"cycles", required_argument, NULL, 'c'}, {"seed", required_argument, NULL, 's'},
        {"keep", no_argument, NULL, 'k'},         {"slow", no_argument, NULL, 'w'},
        {"judge", required_argument, NULL, 'j'},  {NULL, 0, NULL, 0}};
    int option;

    *ret = (struct torture_options){.cycles = CYCLES, .seed = 1};
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        struct str text = str_of(optarg);

        if (option == 'v')
            ret->victim = optarg;
        else if (option == 'j')
            ret->judge = optarg;
        else if (option == 'k')
            ret->keeps_dir = true;
        else if (option == 'w')
            ret->is_slow = true;
        else if (option == 'd' && strcmp(optarg, "postgres") == 0)
            ret->is_postgres = true;
        else if (option == 'd' && strcmp(optarg, "sqlite") == 0)
            ret->is_postgres = false;
        else if (option == 'c' && str_take_number(&text, CYCLES_MAX, &ret->cycles) > 0)
            continue;
        else if (option == 's' && str_take_number(&text, INT64_MAX - 1, &ret->seed) > 0)
            continue;
        else
            return false;
    }
    return (ret->victim || ret->judge) && ret->cycles >= 1 && ret->cycles <= CYCLES_MAX &&
           optind == argc;
}

static void print_counts(const struct torture_options *options, const struct world_counts *c,
                         double took)
{
    const struct verdict_counts *j = &c->judged;

    printf("%s: %d cycles in %.1f s, %.2f cycles/s\n",
           options->is_postgres ? "PostgreSQL" : "SQLite", c->cycles, took, c->cycles / took);
    printf("deaths: %d workers; the server %d at random instants, %d while starting,\n"
           "        %d while ending",
           c->workers, c->at_random, c->at_start, c->at_end);
    for (int i = 0; i < VICTIM_POINTS; i++)
        printf(", %d %s", c->at_point[i], victim_points[i]);
    printf("\njudged: %d schedules, %d requests (%d without an answer), %d runs, %d attempts,\n"
           "        %d deliveries, %d reports of workers, %d slots not started\n",
           j->schedules, j->ops, j->infos, j->runs, j->attempts, j->deliveries, j->reports,
           j->skipped);
}

static enum rc torture(const struct torture_options *options, const char *postgres_url,
                       struct world_counts *counts, struct err *reterr)
{
    int64_t full = options->is_slow ? WORLD_CYCLES_SLOW : WORLD_CYCLES;
    /* At least two worlds of fast cycles: on PostgreSQL the second one has two servers. */
    int64_t most = options->cycles < 2 * full && !options->is_slow ? (options->cycles + 1) / 2
                                                                   : full;
    enum rc rc = RC_OK;

    for (int64_t world = 0; rc == RC_OK && counts->cycles < options->cycles; world++) {
        int64_t left = options->cycles - counts->cycles;
        struct world_options one = {.program = options->victim,
                                    .postgres_url = postgres_url,
                                    .seed = (uint64_t)(options->seed + world),
                                    .cycles = (int)(left < most ? left : most),
                                    .nodes = postgres_url && world % 2 == 1 ? 2 : 1,
                                    .keeps_dir = options->keeps_dir,
                                    .is_slow = options->is_slow};

        rc = world_run(&one, counts, reterr);
        printf("seed %" PRId64 ", %d node%s: %d of %" PRId64 " cycles%s", options->seed + world,
               one.nodes, one.nodes == 1 ? "" : "s", counts->cycles, options->cycles,
               rc == RC_OK ? ", nothing lost or doubled\n" : "\n");
        fflush(stdout);
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct world_counts counts = {0};
    struct err err = {.text = ""};
    struct torture_options options;
    const char *postgres_url;
    int64_t begin = clock_boot_us();
    enum rc rc;

    if (!read_options(argc, argv, &options)) {
        fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    postgres_url = options.is_postgres ? getenv("BELFRY_TEST_URL") : NULL;
    if (options.is_postgres && !postgres_url) {
        fprintf(stderr, "belfry-torture: run this through test/db/with_postgres.sh\n");
        return EXIT_FAILURE;
    }
    rc = options.judge ? world_judge(options.judge, &counts, &err)
                       : torture(&options, postgres_url, &counts, &err);
    if (rc != RC_OK)
        printf("%s\n", err.text);
    print_counts(&options, &counts, (double)(clock_boot_us() - begin) / 1e6);
    return rc == RC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
