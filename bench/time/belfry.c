/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times the functions of Belfry with the same instants and expressions as bare.c and the
 * peers: the next slot from random instants (spec_next, and cron_next inside it), chains
 * (spec_walk), parsing, compiling, the proof of never, counting; and counts allocations.
 * Usage: belfry MILLISECONDS
 */
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/cron/cron_parse.h"
#include "core/spec/local.h"
#include "core/spec/spec.h"
#include "core/time/tz.h"
#include "io/zoneinfo.h"

#include "alloc_count.h"
#include "harness.h"

enum {
    ARENA_CEILING = 1 << 20, /* a spec of one entry takes a few KiB */
    REPEATS = 100,           /* of one text in one pass             */
};

/*
 * The counted range: local days of New York from 2020-01-01 to 2030-01-01, as day numbers.
 * Weekends, the noon hour and every 96th day are excluded.  Clocks change only on Sundays,
 * so a day has 86,400 seconds or is excluded, and the correct count is a short sum.
 */
enum {
    COUNT_DAY_FIRST = 18262,
    COUNT_DAY_END = 21915,
    COUNT_DAY_SLOTS = 86400 - 3600,
    HOLIDAY_STRIDE = 96,
    HOLIDAYS = (COUNT_DAY_END - COUNT_DAY_FIRST) / HOLIDAY_STRIDE + 1,
};
#define WINTER_OFFSET INT64_C(-18000) /* of New York, at both ends */

enum timed {
    TIMED_NEXT,
    TIMED_INNER,
    TIMED_CHAIN,
    TIMED_PARSE,
    TIMED_COMPILE,
    TIMED_NEVER,
    TIMED_COUNT,
    TIMED_FUNCTIONS
};

/* A timed function, and the allocations during its calls. */
struct timed_function {
    const char *what; /* in the protocol     */
    const char *name; /* the function called */
    int64_t ops, allocs;
};

/* The schedule of one pass. */
struct subject {
    const char *title;
    const char *zone;
    struct str text;
    struct cron_def cron;
    struct spec_def def;
    struct spec spec;
    struct spec_ctx ctx;
    const struct zone_source *zones;
    struct arena *scratch; /* for repeated compiling; reset each time */
};

/* The data that all cells share. */
struct bench {
    int64_t budget;
    int64_t seconds[BENCH_INSTANTS];
    instant instants[BENCH_INSTANTS];
    struct zone_source zones;
    struct arena *arena; /* of the subjects */
    struct arena *scratch;
    struct timed_function functions[TIMED_FUNCTIONS];
};

static void check(enum rc rc, struct str text, const struct err *err)
{
    if (rc == RC_OK)
        return;
    fprintf(stderr, "belfry: %.*s: %s\n", STR_ARG(text), err->text);
    exit(EXIT_FAILURE);
}

static int64_t next_by_spec(const void *subject, int64_t after)
{
    const struct subject *s = subject;
    struct slot slot;

    return spec_next(&s->spec, &s->ctx, after, &slot) ? slot.at : 0;
}

static int64_t next_by_cron(const void *subject, int64_t after)
{
    const struct subject *s = subject;
    const struct entry *entry = &s->spec.entries[0];

    return cron_next(&entry->cron, s->spec.zones[entry->zone].tz, entry->dst, after + 1);
}

/* Counts the proofs: the sum of a pass is BENCH_INSTANTS if each call returned never. */
static int64_t is_never(const void *subject, int64_t after)
{
    const struct subject *s = subject;
    struct slot slot;

    return !spec_next(&s->spec, &s->ctx, after, &slot);
}

/* The sum is in seconds, like that of the peers: it fits, and slots are whole seconds. */
static int64_t random_spec(const void *subject, const int64_t *instants, uint64_t *ret_sum)
{
    int64_t ops = bench_random(next_by_spec, subject, instants, ret_sum);

    *ret_sum /= (uint64_t)SPAN_S;
    return ops;
}

static int64_t random_cron(const void *subject, const int64_t *seconds, uint64_t *ret_sum)
{
    return bench_random(next_by_cron, subject, seconds, ret_sum);
}

static int64_t random_never(const void *subject, const int64_t *instants, uint64_t *ret_sum)
{
    return bench_random(is_never, subject, instants, ret_sum);
}

static int64_t chain(const void *subject, const int64_t *instants, uint64_t *ret_sum)
{
    const struct subject *s = subject;
    uint64_t sum = 0;
    int64_t ops = 0;

    for (int i = 0; i < BENCH_CHAINS; i++) {
        struct spec_walk walk;
        struct slot slot = {.at = instants[i]};

        spec_walk_begin(&walk, &s->spec, &s->ctx, slot.at);
        for (int step = 0; step < BENCH_CHAIN && slot.at < BENCH_LAST * SPAN_S; step++) {
            if (!spec_walk_next(&walk, &slot))
                break;
            sum += (uint64_t)slot.at;
            ops++;
        }
    }
    *ret_sum = sum;
    return ops;
}

static int64_t parse(const void *subject, const int64_t *unused, uint64_t *ret_sum)
{
    const struct subject *s = subject;
    struct cron_text parsed;
    struct err err;

    (void)unused;
    for (int i = 0; i < REPEATS; i++)
        check(cron_parse(s->text, DIALECT_BELFRY, STR(""), &parsed, &err), s->text, &err);
    *ret_sum = parsed.cron.minute;
    return REPEATS;
}

static int64_t compile(const void *subject, const int64_t *unused, uint64_t *ret_sum)
{
    const struct subject *s = subject;
    struct spec spec;
    struct err err;

    (void)unused;
    for (int i = 0; i < REPEATS; i++) {
        arena_reset(s->scratch);
        check(spec_compile(&s->def, STR(""), s->zones, s->scratch, &spec, &err), s->text, &err);
    }
    *ret_sum = spec.entries[0].cron.minute;
    return REPEATS;
}

static int64_t count(const void *subject, const int64_t *unused, uint64_t *ret_sum)
{
    const struct subject *s = subject;
    instant first = (COUNT_DAY_FIRST * INT64_C(86400) - WINTER_OFFSET) * SPAN_S;
    instant end = (COUNT_DAY_END * INT64_C(86400) - WINTER_OFFSET) * SPAN_S;

    (void)unused;
    *ret_sum = (uint64_t)spec_count(&s->spec, &s->ctx, first - 1, end - 1);
    return 1;
}

BENCH_INLINE void time_function(struct bench *bench, enum timed which, bench_pass *pass,
                                const struct subject *subject, const int64_t *instants)
{
    struct timed_function *function = &bench->functions[which];
    struct bench_result result;
    uint64_t sum;
    int64_t before;

    pass(subject, instants, &sum); /* the arena keeps its block from here on */
    before = alloc_count();
    result = bench_time(pass, subject, instants, bench->budget);
    function->allocs += alloc_count() - before;
    function->ops += result.ops;
    bench_print("belfry", function->what, subject->zone, subject->title, result);
}

/* Compiles a subject whose title, zone, text and definition are set. */
static void subject_ready(struct subject *subject, struct bench *bench)
{
    struct err err;

    subject->zones = &bench->zones;
    subject->scratch = bench->scratch;
    subject->ctx = spec_ctx(BENCH_FIRST * SPAN_S);
    subject->cron = (struct cron_def){.expr = subject->text, .dialect = DIALECT_BELFRY};
    subject->def.cron = &subject->cron;
    subject->def.cron_count = 1;
    subject->def.zone = str_of(subject->zone);
    check(spec_compile(&subject->def, STR(""), subject->zones, bench->arena, &subject->spec,
                       &err),
          subject->text, &err);
}

static void subject_make(struct subject *subject, struct bench *bench, const char *expr,
                         const char *zone)
{
    *subject = (struct subject){
        .title = expr, .zone = zone, .text = str_of(expr), .def = spec_def_empty()};
    subject_ready(subject, bench);
}

static void time_slots(struct bench *bench, const char *zone)
{
    struct subject s;

    for (int i = 0; i < BENCH_EXPRS; i++) {
        subject_make(&s, bench, BENCH_EXPR[i], zone);
        time_function(bench, TIMED_NEXT, random_spec, &s, bench->instants);
        time_function(bench, TIMED_INNER, random_cron, &s, bench->seconds);
        time_function(bench, TIMED_CHAIN, chain, &s, bench->instants);
    }
}

static void time_texts(struct bench *bench)
{
    struct subject s;

    for (int i = 0; i < BENCH_EXPRS; i++) {
        subject_make(&s, bench, BENCH_EXPR[i], BENCH_ZONE[0]);
        time_function(bench, TIMED_PARSE, parse, &s, bench->instants);
        time_function(bench, TIMED_COMPILE, compile, &s, bench->instants);
    }
}

static void time_nevers(struct bench *bench)
{
    struct subject s;

    for (int i = 0; i < BENCH_NEVERS; i++) {
        subject_make(&s, bench, BENCH_NEVER[i], BENCH_ZONE[0]);
        time_function(bench, TIMED_NEVER, random_never, &s, bench->instants);
    }
}

/* The correct count, day by day; also sets the holidays. */
static uint64_t count_slowly(int32_t holidays[static HOLIDAYS])
{
    uint64_t slots = 0;

    for (int32_t day = COUNT_DAY_FIRST; day < COUNT_DAY_END; day++) {
        int since = day - COUNT_DAY_FIRST;
        int weekday = (day + 4) % 7; /* 1970-01-01 was a Thursday */

        if (since % HOLIDAY_STRIDE == 0)
            holidays[since / HOLIDAY_STRIDE] = day;
        else if (weekday != 0 && weekday != 6)
            slots += COUNT_DAY_SLOTS;
    }
    return slots;
}

static void time_count(struct bench *bench)
{
    struct calendar_text all = {.second = STR("*"), .minute = STR("*"), .hour = STR("*")};
    struct calendar_def excluded[] = {{.text = all}, {.text = all}};
    int32_t holidays[HOLIDAYS];
    uint64_t right = count_slowly(holidays), got;
    struct subject s = {.title = "10 years of seconds",
                        .zone = BENCH_ZONE[1],
                        .text = STR("* * * * * *"),
                        .def = spec_def_empty()};

    excluded[0].text.weekday = STR("0,6");
    excluded[1].text.hour = STR("12");
    s.def.not_calendars = excluded;
    s.def.not_calendar_count = 2;
    s.def.not_dates = holidays;
    s.def.not_date_count = HOLIDAYS;
    subject_ready(&s, bench);
    count(&s, bench->instants, &got);
    if (got != right) {
        fprintf(stderr, "belfry: spec_count says %" PRIu64 ", right is %" PRIu64 "\n", got,
                right);
        exit(EXIT_FAILURE);
    }
    time_function(bench, TIMED_COUNT, count, &s, bench->instants);
}

static void print_allocations(const struct timed_function *function)
{
    struct bench_result result = {
        .ns = (double)function->allocs / (double)function->ops,
        .sum = (uint64_t)function->allocs,
    };

    bench_print("belfry", "allocations", "-", function->name, result);
}

static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    return zoneinfo_find(user, name, reterr);
}

static struct zoneinfo *open_zones(void)
{
    struct err err;
    struct zoneinfo *zones = zoneinfo_open(NULL, &err);

    if (zones == NULL)
        check(err.rc, STR("zoneinfo"), &err);
    return zones;
}

int main(int argc, char **argv)
{
    static struct bench bench = {
        .functions = {
            [TIMED_NEXT] = {.what = "next", .name = "spec_next"},
            [TIMED_INNER] = {.what = "inner", .name = "cron_next"},
            [TIMED_CHAIN] = {.what = "chain", .name = "spec_walk"},
            [TIMED_PARSE] = {.what = "parse", .name = "cron_parse"},
            [TIMED_COMPILE] = {.what = "compile", .name = "spec_compile, arena reused"},
            [TIMED_NEVER] = {.what = "never", .name = "spec_next that proves never"},
            [TIMED_COUNT] = {.what = "count", .name = "spec_count"},
        }};
    struct zoneinfo *zones = open_zones();

    bench.budget = bench_budget(argc, argv);
    bench.zones = (struct zone_source){.find = find_zone, .user = zones};
    bench.arena = arena_new(ARENA_CEILING);
    bench.scratch = arena_new(ARENA_CEILING);
    bench_instants(bench.seconds, 1);
    bench_instants(bench.instants, SPAN_S);
    for (int z = 0; z < BENCH_ZONES; z++)
        time_slots(&bench, BENCH_ZONE[z]);
    time_texts(&bench);
    time_nevers(&bench);
    time_count(&bench);
    for (int i = 0; i < TIMED_FUNCTIONS; i++)
        print_allocations(&bench.functions[i]);
    arena_free(bench.scratch);
    arena_free(bench.arena);
    zoneinfo_close(zones);
    return EXIT_SUCCESS;
}
