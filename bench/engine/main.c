/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the bare loop and the engine alternately, a part of the fires each, for every number of
 * schedules, and prints one line of raw figures per cell.  report.awk prints the table.
 */
#include <string.h>

#include "child.h"
#include "io/clock.h"
#include "subject.h"
#include "target.h"

enum {
    ROUNDS = 5, /* of both subjects, so that a disturbance hits both */
    QUICK = 2,  /* sizes of --quick                                  */
    ARGUMENTS = 3,
};

struct size {
    int64_t schedules, fires, postgres_fires;
    bool has_idle; /* memory and restart are measured too */
};

/* The largest size fires only a part of a minute: all of it would take too long. */
static const struct size sizes[] = {
    {1000, 50000, 20000, false},
    {10000, 50000, 20000, false},
    {100000, 100000, 50000, false},
    {1000000, 200000, 100000, true},
};

/* Everything once, as little as possible of it. */
static const struct size smoke[] = {{1000, 1000, 1000, true}};

static const char *const spread_text[SPREAD_COUNT] = {"minute", "random"};

struct measured {
    int64_t make_us, fires, fire_us;
};

struct side {
    const char *name;
    const struct subject *subject;
    char url[TARGET_URL_MAX];
    struct load load;
    void *state;
    struct measured got;
};

static void make_side(struct side *side, const struct bench_target *target, struct load load)
{
    int64_t begun = clock_boot_us();

    target_make(target, side->name, side->url);
    load.url = side->url;
    side->load = load;
    side->got = (struct measured){0};
    side->subject->make(&side->load);
    side->got.make_us = clock_boot_us() - begun;
    target_settle(target, side->name);
}

/* The first batch is not measured: it prepares statements and reads pages. */
static void open_side(struct side *side)
{
    side->state = side->subject->open(&side->load);
    side->subject->fire(side->state, BATCH);
}

static void fire_side(struct side *side, int64_t count)
{
    int64_t begun = clock_boot_us();

    side->got.fires += side->subject->fire(side->state, count);
    side->got.fire_us += clock_boot_us() - begun;
}

static void measure(struct side sides[2], int64_t fires)
{
    open_side(&sides[0]);
    open_side(&sides[1]);
    for (int round = 0; round < ROUNDS; round++) {
        fire_side(&sides[round % 2], fires / ROUNDS);
        fire_side(&sides[1 - round % 2], fires / ROUNDS);
    }
    sides[0].subject->close(sides[0].state);
    sides[1].subject->close(sides[1].state);
}

static void print_cell(const struct bench_target *target, const struct side *sides)
{
    const struct load *load = &sides[0].load;

    printf("cell\t%s\t%s\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\n",
           target->is_postgres ? "postgres" : "sqlite", spread_text[load->spread],
           (long long)load->schedules, (long long)sides[0].got.fires,
           (long long)sides[0].got.fire_us, (long long)sides[1].got.fires,
           (long long)sides[1].got.fire_us, (long long)sides[1].got.make_us);
    fflush(stdout);
}

static void print_child(const struct bench_target *target, const char *what, int64_t value)
{
    printf("%s\t%s\t%lld\n", what, target->is_postgres ? "postgres" : "sqlite",
           (long long)value);
    fflush(stdout);
}

/* An instant at which every schedule is due again, however often it has fired. */
static instant all_due(const struct side *side)
{
    return EPOCH + (2 + (BATCH + side->got.fires) / side->load.schedules) * SPAN_MIN;
}

static void run_cell(const struct bench_target *target, enum spread spread,
                     const struct size *size)
{
    struct side sides[2] = {{.name = "bare", .subject = &subject_bare},
                            {.name = "engine", .subject = &subject_engine}};
    struct load load = {.spread = spread, .schedules = size->schedules};
    bool has_idle = size->has_idle && spread == ON_THE_MINUTE;

    make_side(&sides[0], target, load);
    make_side(&sides[1], target, load);
    if (has_idle)
        print_child(target, "idle", child_idle(sides[1].url, EPOCH));
    measure(sides, target->is_postgres ? size->postgres_fires : size->fires);
    print_cell(target, sides);
    if (has_idle)
        print_child(target, "first", child_first(sides[1].url, all_due(&sides[1])));
    target_remove(target, sides[0].name);
    target_remove(target, sides[1].name);
}

static void run_target(const struct bench_target *target, const struct size *list, size_t count)
{
    for (int p = 0; p < SPREAD_COUNT; p++)
        for (size_t i = 0; i < count; i++)
            run_cell(target, (enum spread)p, &list[i]);
}

/* "-" instead of a directory omits that database. */
int main(int argc, char **argv)
{
    const char *option = argc == ARGUMENTS + 1 ? argv[ARGUMENTS] : "";
    bool is_quick = strcmp(option, "--quick") == 0, is_smoke = strcmp(option, "--smoke") == 0;
    const struct size *list = is_smoke ? smoke : sizes;
    size_t count = is_smoke ? 1 : is_quick ? QUICK : sizeof sizes / sizeof sizes[0];

    if (argc == CHILD_ARGUMENTS && strcmp(argv[1], "--child") == 0)
        return child_main(argv);
    if (argc != ARGUMENTS && !is_quick && !is_smoke) {
        fprintf(stderr, "usage: %s DIRECTORY SOCKET-DIRECTORY [--quick | --smoke]\n", argv[0]);
        return 2;
    }
    if (strcmp(argv[1], "-") != 0)
        run_target(&(struct bench_target){.dir = argv[1]}, list, count);
    if (strcmp(argv[2], "-") != 0)
        run_target(&(struct bench_target){.socket_dir = argv[2], .is_postgres = true}, list,
                   count);
    return EXIT_SUCCESS;
}
