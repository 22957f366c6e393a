/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of a simulated world, its end and its judgement.
 */
#include "sim/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "sim/gather.h"
#include "sim/judge.h"
#include "sim/mutate.h"
#include "sim/node.h"
#include "sim/trace.h"

enum { JUDGE_BYTES_MAX = 1 << 30 }; /* the judge writes lists of all slots */

span world_delay(struct world *world, span most)
{
    int64_t ms = most / SPAN_MS;

    return prng_between(&world->prng, 1, ms > 1 ? ms : 1) * SPAN_MS;
}

instant world_back_at(struct world *world, span most)
{
    instant at = world->now + world_delay(world, most);

    return at > world->healed && world->healed > world->now ? world->healed : at;
}

void world_at(struct world *world, instant at, enum happening_kind kind, int who,
              uint64_t serial)
{
    int index = world->free_happening;

    if (index >= 0) {
        world->free_happening = world->happenings[index].next_free;
    } else {
        index = world->happening_count++;
        world->happenings = recorder_room(world->happenings, index, sizeof *world->happenings);
    }
    world->happenings[index] = (struct happening){.kind = kind, .who = who, .serial = serial};
    heap_push(world->heap,
              (struct heap_item){.at = at, .seq = world->pushed++, .index = index});
}

bool world_is_calm(const struct world *world)
{
    return !world->operator.has_begun || world->now >= world->healed;
}

void world_fail(struct world *world, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    if (world->has_failed)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    err_set(&world->why, RC_CORRUPT, -1, 0, "%s", text);
    world->has_failed = true;
    world_say(world, "FAILED: %s", text);
}

void world_say(const struct world *world, const char *fmt, ...)
{
    va_list args;

    if (!world->options.is_verbose)
        return;
    printf("%10.3f ", (double)(world->now - world->profile.begin) / (double)SPAN_S);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
}

static void happen(struct world *world, const struct happening *h)
{
    switch (h->kind) {
    case HAPPEN_TURN:
        if (world->nodes[h->who].wake_at == world->now && node_answers(&world->nodes[h->who]))
            node_turn(world, &world->nodes[h->who]);
        break;
    case HAPPEN_UP:
        node_up(world, &world->nodes[h->who]);
        break;
    case HAPPEN_OPERATE:
        operator_act(world);
        break;
    case HAPPEN_HAND_IN:
        operator_hand_in(world, h->who);
        break;
    case HAPPEN_HOLDER:
        workers_step(world, h->who, h->serial);
        break;
    case HAPPEN_POLL:
        workers_poll(world, h->who, h->serial);
        break;
    case HAPPEN_ROOM:
        sim_vfs_arm(world->vfs, SIM_FULL, 0, false);
        world->disk_is_full = false;
        world_say(world, "the disk has room again");
        break;
    }
}

static void run(struct world *world)
{
    struct heap_item item;
    bool has_healed = false;

    while (!world->has_failed && heap_pop(world->heap, &item) && item.at < world->end) {
        struct happening h = world->happenings[item.index];

        world->happenings[item.index].next_free = world->free_happening;
        world->free_happening = item.index;
        world->now = item.at;
        if (!has_healed && world->now >= world->healed) {
            has_healed = true;
            world->recorder.record.healed = world_clock(world);
            world_say(world, "HEALED");
        }
        sim_vfs_set_now(world->vfs, world->now);
        happen(world, &h);
    }
}

/* All processes end; the content of the store then counts. */
static enum rc read_back(struct world *world, struct err *reterr)
{
    struct db *db = NULL;
    enum rc rc;

    world->recorder.record.end = world_clock(world);
    for (int i = 0; i < world->profile.nodes; i++)
        node_free(&world->nodes[i]);
    rc = db_open(WORLD_URL, NULL, &db, reterr);
    if (rc == RC_OK)
        rc = gather(db, &world->recorder, reterr);
    db_close(db);
    return rc;
}

/* Whether all rows of a schedule are kept, by every draft that it ever had. */
static bool keeps_all(const struct record *r, int64_t schedule)
{
    for (int i = 0; i < r->command_count; i++) {
        const struct rec_command *c = &r->commands[i];

        if (c->draft >= 0 && c->reply.schedule == schedule &&
            r->drafts[c->draft].policies.retention_count > 0)
            return false;
    }
    return true;
}

/*
 * The canary: removes the end of a run from history.  False if there is none that must exist.
 */
static bool remove_end(struct record *r)
{
    int i = 0;

    while (i < r->history_count &&
           (!r->history[i].last || !keeps_all(r, r->history[i].schedule)))
        i++;
    if (i == r->history_count)
        return false;
    r->history_count--;
    for (; i < r->history_count; i++)
        r->history[i] = r->history[i + 1];
    return true;
}

static enum rc judge_once(const struct record *record, struct err *reterr)
{
    struct arena *arena = arena_new(JUDGE_BYTES_MAX);
    enum rc rc = judge(record, arena, reterr);

    arena_free(arena);
    return rc;
}

/* Falsifies the record in several ways, one at a time; the judge must reject each. */
static enum rc judge_mutations(struct world *world, struct tally *tally, struct err *reterr)
{
    struct record *record = &world->recorder.record;
    struct mutation mutation;

    for (int i = 0; i < world->options.mutations; i++) {
        enum rc rc;

        if (!mutate(record, &world->prng, &mutation))
            return RC_OK;
        rc = judge_once(record, reterr);
        mutate_back(record, &mutation);
        tally->doctored++;
        if (rc == RC_OK)
            return err_set(reterr, RC_INVALID, -1, 0,
                           "the judge accepted %s: schedule %" PRId64 ", slot %" PRId64 " ms",
                           mutation.what, mutation.schedule, mutation.slot / SPAN_MS);
    }
    return RC_OK;
}

static enum rc conclude(struct world *world, struct tally *tally, struct err *reterr)
{
    enum rc rc = read_back(world, reterr);

    if (rc == RC_OK && world->options.is_verbose)
        trace_store(&world->recorder.record);
    if (world->has_failed) {
        *reterr = world->why;
        return world->why.rc;
    }
    if (rc != RC_OK)
        return rc;
    tally->doctored += world->options.is_canary && remove_end(&world->recorder.record);
    rc = judge_once(&world->recorder.record, reterr);
    return rc == RC_OK ? judge_mutations(world, tally, reterr) : rc;
}

static void add_up(const struct world *world, struct tally *tally)
{
    const struct record *r = &world->recorder.record;
    struct digest digest = {tally->digest};

    tally->seeds++;
    tally->turns += world->turns;
    tally->lived += world->operator.lived;
    for (int i = 0; i < r->delivery_count; i++)
        tally->fires += r->deliveries[i].run.kind == RUN_SLOT &&
                        r->deliveries[i].run.attempt == 1;
    for (int i = 0; i < r->fault_count; i++)
        tally->faults[r->faults[i].kind]++;
    digest_int(&digest, (int64_t)world->recorder.digest.sum);
    tally->digest = digest.sum;
}

static void begin_world(struct world *world, uint64_t seed)
{
    prng_seed(&world->prng, seed);
    world_profile_draw(&world->profile, &world->prng);
    world->now = world->profile.begin;
    world->offset = world->profile.fraction;
    world->healed = world->now + world->profile.trouble;
    world->end = world->healed + world->profile.drain;
    world->heap = heap_new();
    world->free_happening = -1;
    world->vfs = sim_vfs_new("world", seed);
    recorder_begin(&world->recorder, seed);
    world->recorder.record.begin = world->now;
    world->recorder.record.healed = world->healed;
    sim_vfs_set_now(world->vfs, world->now);
    if (world->options.is_verbose)
        world_profile_print(&world->profile);
    for (int i = 0; i < world->profile.nodes; i++)
        node_init(world, i);
    for (int i = 0; i < world->profile.nodes; i++)
        node_start(world, &world->nodes[i]);
    operator_begin(world);
}

enum rc world_run(uint64_t seed, const struct zone_source *zones,
                  const struct world_options *options, struct tally *tally, struct err *reterr)
{
    struct world *world = calloc(1, sizeof *world);
    enum rc rc;

    must(world);
    world->zones = *zones;
    world->options = *options;
    begin_world(world, seed);
    run(world);
    operator_end(world);
    rc = conclude(world, tally, reterr);
    add_up(world, tally);
    recorder_end(&world->recorder);
    sim_vfs_free(world->vfs);
    heap_free(world->heap);
    free(world->happenings);
    free(world);
    return rc;
}
