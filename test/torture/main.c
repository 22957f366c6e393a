/* SPDX-License-Identifier: Apache-2.0 */
/* belfry-torture: worlds in which the server is killed, one after the other. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/clock.h"
#include "ordeal.h"

enum {
    CYCLES = 1000,
    CYCLES_MAX = 1000000,
    WORLD_CYCLES = 50, /* of one world: then a new one is created */
};

static const char usage[] =
    "usage: belfry-torture --victim PROGRAM [--db sqlite|postgres] [--cycles N] [--seed S]\n"
    "                      [--keep]\n"
    "       belfry-torture --judge DIR\n"
    "\n"
    "Kills the server N times (default 1000), at named points and at random instants, while\n"
    "clients use it; up to 50 times in one world.  Each world is judged by its database and\n"
    "the journal of its clients.  BELFRY_TEST_URL names PostgreSQL, see\n"
    "test/db/with_postgres.sh.\n";

struct asked {
    const char *victim, *judge;
    bool is_postgres, keeps;
    int64_t cycles, seed;
};

static bool read_options(int argc, char **argv, struct asked *ret)
{
    static const struct option options[] = {{"victim", required_argument, NULL, 'v'},
                                            {"db", required_argument, NULL, 'd'},
                                            {"cycles", required_argument, NULL, 'c'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"keep", no_argument, NULL, 'k'},
                                            {"judge", required_argument, NULL, 'j'},
                                            {NULL, 0, NULL, 0}};
    int option;

    *ret = (struct asked){.cycles = CYCLES, .seed = 1};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        struct str text = str_of(optarg);

        if (option == 'v')
            ret->victim = optarg;
        else if (option == 'j')
            ret->judge = optarg;
        else if (option == 'k')
            ret->keeps = true;
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

static void print_counts(const struct asked *asked, const struct ordeal_counts *c, double took)
{
    const struct verdict_counts *j = &c->judged;

    printf("%s: %d cycles in %.1f s, %.2f cycles/s\n",
           asked->is_postgres ? "PostgreSQL" : "SQLite", c->cycles, took, c->cycles / took);
    printf("deaths: %d workers; the server %d at random instants, %d while starting,\n"
           "        %d while ending",
           c->workers, c->at_random, c->at_start, c->at_end);
    for (int i = 0; i < VICTIM_POINTS; i++)
        printf(", %d %s", c->at_point[i], victim_points[i]);
    printf("\njudged: %d schedules, %d requests (%d without an answer), %d runs, %d attempts,\n"
           "        %d deliveries, %d reports of workers, %d slots not started\n",
           j->schedules, j->wishes, j->infos, j->runs, j->attempts, j->deliveries, j->reports,
           j->skipped);
}

static enum rc torture(const struct asked *asked, const char *server,
                       struct ordeal_counts *counts, struct err *reterr)
{
    /* At least two worlds: on PostgreSQL the second one has two servers. */
    int64_t most = asked->cycles < 2 * WORLD_CYCLES ? (asked->cycles + 1) / 2 : WORLD_CYCLES;
    enum rc rc = RC_OK;

    for (int64_t world = 0; rc == RC_OK && counts->cycles < asked->cycles; world++) {
        int64_t left = asked->cycles - counts->cycles;
        struct ordeal ordeal = {.program = asked->victim,
                                .server = server,
                                .seed = (uint64_t)(asked->seed + world),
                                .cycles = (int)(left < most ? left : most),
                                .nodes = server && world % 2 == 1 ? 2 : 1,
                                .keeps = asked->keeps};

        rc = ordeal_run(&ordeal, counts, reterr);
        printf("seed %" PRId64 ", %d node%s: %d of %" PRId64 " cycles%s", asked->seed + world,
               ordeal.nodes, ordeal.nodes == 1 ? "" : "s", counts->cycles, asked->cycles,
               rc == RC_OK ? ", nothing lost or doubled\n" : "\n");
        fflush(stdout);
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct ordeal_counts counts = {0};
    struct err err = {.text = ""};
    struct asked asked;
    const char *server;
    int64_t begin = clock_boot_us();
    enum rc rc;

    if (!read_options(argc, argv, &asked)) {
        fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    server = asked.is_postgres ? getenv("BELFRY_TEST_URL") : NULL;
    if (asked.is_postgres && !server) {
        fprintf(stderr, "belfry-torture: run this through test/db/with_postgres.sh\n");
        return EXIT_FAILURE;
    }
    rc = asked.judge ? ordeal_judge(asked.judge, &counts, &err)
                     : torture(&asked, server, &counts, &err);
    if (rc != RC_OK)
        printf("%s\n", err.text);
    print_counts(&asked, &counts, (double)(clock_boot_us() - begin) / 1e6);
    return rc == RC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
