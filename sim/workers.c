/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A holding is identified by its place and a serial number, both in the tag of its reports: a
 * place is reused, and what was meant for the previous holding must not reach the next.
 */
#include "sim/workers.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "sim/node.h"
#include "sim/world.h"

enum {
    WORKER_RUNS_MAX = 4, /* that one worker holds at once */
    TAG_BITS = 16,       /* of a tag for the place */
};

static_assert(HOLDINGS_MAX <= 1 << TAG_BITS, "the place fits into the tag");

static uint64_t tag_of(const struct world *world, const struct holding *holding)
{
    return holding->serial << TAG_BITS | (uint64_t)(holding - world->workers.holdings);
}

/* NULL if it has ended. */
static struct holding *find(struct world *world, uint64_t tag)
{
    struct holding *h = &world->workers.holdings[tag & ((1U << TAG_BITS) - 1)];

    return h->is_used && h->serial == tag >> TAG_BITS ? h : NULL;
}

static void step_at(struct world *world, const struct holding *h, instant at)
{
    int index = (int)(h - world->workers.holdings);

    world_at(world, at, HAPPEN_HOLDER, index, h->serial);
}

static void step_in(struct world *world, const struct holding *h, span most)
{
    step_at(world, h, world->now + world_delay(world, most));
}

/* The work has ended: its worker or node has room for another run. */
static void end_work(struct world *world, struct holding *h)
{
    if (h->is_idle)
        return;
    h->is_idle = true;
    if (h->worker >= 0)
        world->workers.list[h->worker].holdings--;
    else if (world->nodes[h->node].boot == h->boot)
        world->nodes[h->node].dispatches--;
}

static void drop(struct world *world, struct holding *h)
{
    end_work(world, h);
    h->is_used = false;
}

/* Polls. */

static void poll_in(struct world *world, int worker, span most)
{
    struct sim_worker *w = &world->workers.list[worker];

    world_at(world, world->now + world_delay(world, most), HAPPEN_POLL, worker, ++w->serial);
}

void workers_begin(struct world *world)
{
    const struct operator* op = & world->operator;

    for (int i = 0; i < world->profile.workers; i++) {
        struct sim_worker *w = &world->workers.list[i];

        snprintf(w->name, sizeof w->name, "w%d", i);
        w->dead_until = INSTANT_NONE;
        w->max = (int)prng_between(&world->prng, 1, WORKER_RUNS_MAX);
        /* The first serves all queues, so that none is without a worker. */
        for (int q = 0; q < SIM_QUEUES; q++)
            if (i == 0 || q == 0 || prng_chance(&world->prng, 1, 2))
                w->queues[w->queue_count++] = op->queues[q];
        poll_in(world, i, world->profile.unit);
    }
}

/* Uses the node it knows, or another if that one is down. */
static struct sim_node *node_for(struct world *world, int *node)
{
    struct sim_node *known = &world->nodes[*node];
    struct sim_node *any;

    if (node_is_up(known) && !prng_chance(&world->prng, 1, 16))
        return known;
    any = node_any(world);
    if (any)
        *node = any->index;
    return any;
}

void workers_poll(struct world *world, int worker, uint64_t serial)
{
    struct sim_worker *w = &world->workers.list[worker];
    struct sim_node *node;

    if (serial != w->serial)
        return;
    w->dead_until = INSTANT_NONE;
    node = w->holdings < WORKER_RUNS_MAX ? node_for(world, &w->node) : NULL;
    if (!node) {
        poll_in(world, worker, world->profile.unit);
        return;
    }
    w->is_polling = w->is_new = true;
    node_wake(world, node, world->now + world_delay(world, world->profile.unit / 2));
}

int workers_polls(const struct world *world, int node, struct poll *ret)
{
    int count = 0;

    for (int i = 0; i < world->profile.workers; i++) {
        const struct sim_worker *w = &world->workers.list[i];

        if (!w->is_polling || w->node != node)
            continue;
        ret[count] = (struct poll){
            .tag = (uint64_t)i,
            .queue_count = w->queue_count,
            .max = w->max,
            .worker = str_of(w->name),
            .is_new = w->is_new,
        };
        memcpy(ret[count].queues, w->queues, sizeof w->queues);
        count++;
    }
    return count;
}

void workers_seen(struct world *world, int node)
{
    for (int i = 0; i < world->profile.workers; i++)
        if (world->workers.list[i].node == node)
            world->workers.list[i].is_new = false;
}

void workers_hear(struct world *world, int node)
{
    for (int i = 0; i < world->profile.workers; i++)
        if (world->workers.list[i].node == node && world->workers.list[i].is_polling)
            world->workers.list[i].is_new = true;
}

void workers_die(struct world *world, int worker)
{
    struct sim_worker *w = &world->workers.list[worker];

    w->is_polling = false;
    w->dead_until = world_back_at(world, 20 * world->profile.unit);
    for (int i = 0; i < world->workers.used; i++)
        if (world->workers.holdings[i].is_used && world->workers.holdings[i].worker == worker)
            drop(world, &world->workers.holdings[i]);
    world_at(world, w->dead_until, HAPPEN_POLL, worker, ++w->serial);
}

/* Holdings. */

static struct holding *new_holding(struct world *world)
{
    struct workers *all = &world->workers;
    int i = 0;

    while (i < all->used && all->holdings[i].is_used)
        i++;
    must(i < HOLDINGS_MAX);
    if (i == all->used)
        all->used++;
    all->holdings[i] = (struct holding){.is_used = true, .serial = ++all->serial};
    return &all->holdings[i];
}

/* After the healing all behave well, and quickly. */
static void draw_manner(struct world *world, struct holding *h,
                        const struct assignment *assignment)
{
    bool is_well = world->now >= world->healed;
    span unit = world->profile.unit;
    span lease = assignment->run.lease_until == INSTANT_NEVER
                     ? world->profile.node_lease
                     : assignment->run.lease_until - world_clock(world);

    h->manner = is_well ? MANNER_SUCCEED : world_profile_manner(&world->profile, &world->prng);
    h->ends_at = world->now + world_delay(world, is_well ? unit / 5 : 3 * unit);
    if (h->worker >= 0 && lease > 0)
        h->beat = lease / 3 / SPAN_MS * SPAN_MS;
    if (h->manner == MANNER_LATE)
        h->ends_at = world->now + lease + world_delay(world, 10 * unit);
    if (h->manner == MANNER_LATE || h->manner == MANNER_HANG || h->manner == MANNER_DIE)
        h->beat = 0;
    if (h->manner == MANNER_HANG || h->manner == MANNER_FOREVER || h->manner == MANNER_DIE)
        h->ends_at = INSTANT_NEVER;
    /* A node gives up on a dispatch in time; workers have to watch their own deadlines. */
    if (h->worker < 0 && assignment->deadline != INSTANT_NEVER &&
        assignment->deadline - world->offset < h->ends_at) {
        h->ends_at = assignment->deadline - world->offset;
        h->manner = MANNER_HANG;
    }
}

/* A dispatch unless the caller changes it. */
static struct holding *add_holding(struct world *world, const struct assignment *assignment,
                                   int node)
{
    struct holding *h = new_holding(world);

    h->run = (struct run_id){.schedule = assignment->run.schedule,
                             .slot_ms = assignment->run.slot / SPAN_MS,
                             .pass = (uint32_t)assignment->run.pass};
    h->fence = assignment->run.fence;
    h->node = node;
    h->boot = world->nodes[node].boot;
    h->worker = -1;
    return h;
}

void workers_hand_back(struct world *world, const struct assignment *assignment, int node,
                       instant at)
{
    struct holding *h = add_holding(world, assignment, node);

    h->manner = MANNER_RELEASE;
    h->ends_at = at;
    world->nodes[node].dispatches++;
    step_at(world, h, at);
}

void workers_take(struct world *world, const struct assignment *assignment, int node,
                  bool is_grant)
{
    struct holding *h = add_holding(world, assignment, node);

    h->worker = is_grant ? (int)assignment->poll : -1;
    draw_manner(world, h, assignment);
    if (is_grant && world->workers.list[h->worker].dead_until != INSTANT_NONE) {
        h->is_used = false; /* it is never delivered */
        return;
    }
    if (!is_grant) {
        world->nodes[node].dispatches++;
        if (h->ends_at != INSTANT_NEVER)
            step_at(world, h, h->ends_at > world->now ? h->ends_at : world->now + SPAN_MS);
        return;
    }
    world->workers.list[h->worker].holdings++;
    world->workers.list[h->worker].is_polling = false;
    poll_in(world, h->worker, world->profile.unit / 4);
    if (h->manner == MANNER_DIE)
        workers_die(world, h->worker);
    else if (h->manner == MANNER_HANG)
        step_in(world, h, 40 * world->profile.unit);
    else if (h->beat > 0)
        step_in(world, h, world->profile.unit / 10);
    else if (h->ends_at != INSTANT_NEVER)
        step_at(world, h, h->ends_at);
}

void workers_stop(struct world *world, const struct stop *stop)
{
    for (int i = 0; i < world->workers.used; i++) {
        struct holding *h = &world->workers.holdings[i];

        if (!h->is_used || h->worker >= 0 || h->fence != stop->fence ||
            h->run.schedule != stop->run.schedule || h->run.slot_ms != stop->run.slot_ms ||
            h->run.pass != stop->run.pass)
            continue;
        if (stop->is_terminated) {
            drop(world, h);
        } else if (!h->is_waiting) {
            h->is_cancelled = true;
            h->ends_at = world->now;
            step_in(world, h, world->profile.unit / 10);
        }
    }
}

static void fill_end(struct world *world, const struct holding *h, struct report *ret)
{
    ret->kind = h->manner == MANNER_RELEASE ? REPORT_RELEASE : REPORT_DONE;
    if (h->is_cancelled) {
        ret->outcome = OUTCOME_CANCELLED;
    } else if (h->manner == MANNER_HANG) {
        ret->outcome = OUTCOME_TIMED_OUT;
        ret->is_retryable = true;
    } else if (h->manner == MANNER_FAIL || h->manner == MANNER_REFUSE) {
        ret->outcome = OUTCOME_FAILED;
        ret->is_retryable = h->manner == MANNER_FAIL;
        ret->error = STR("{\"error\":\"as the simulator wants\"}");
        if (prng_chance(&world->prng, 1, 4))
            ret->retry_after = world_delay(world, 5 * world->profile.unit);
    } else {
        ret->outcome = OUTCOME_SUCCEEDED;
        ret->result = STR("{\"ok\":true}");
    }
}

void workers_step(struct world *world, int holding, uint64_t serial)
{
    struct holding *h = &world->workers.holdings[holding];
    struct report report = {0};
    struct sim_node *node;

    if (!h->is_used || h->serial != serial || h->is_waiting)
        return;
    if (h->manner == MANNER_HANG && h->worker >= 0) {
        drop(world, h); /* it was ended elsewhere, without a report */
        return;
    }
    node = h->worker >= 0 ? node_for(world, &h->node) : &world->nodes[h->node];
    if (!node || !node_is_up(node)) {
        step_in(world, h, world->profile.unit);
        return;
    }
    report.tag = tag_of(world, h);
    report.run = h->run;
    report.fence = h->fence;
    if (world->now < h->ends_at) {
        report.kind = REPORT_ALIVE;
        report.progress = prng_chance(&world->prng, 1, 4) ? STR("{\"half\":1}") : STR("");
    } else {
        fill_end(world, h, &report);
        end_work(world, h);
    }
    h->is_waiting = true;
    h->said = report.kind;
    node_report(world, node, &report);
}

static void heard_alive(struct world *world, struct holding *h,
                        const struct report_reply *reply)
{
    instant next = h->beat > 0 ? world->now + h->beat : h->ends_at;

    if (reply->rc != RC_OK) {
        drop(world, h);
        return;
    }
    /* Some ignore it. */
    if (reply->is_cancelled && !prng_chance(&world->prng, 1, 4)) {
        h->is_cancelled = true;
        h->ends_at = world->now;
        next = world->now + SPAN_MS;
    }
    if (h->ends_at < next)
        next = h->ends_at > world->now ? h->ends_at : world->now + SPAN_MS;
    if (next != INSTANT_NEVER)
        step_at(world, h, next);
}

void workers_heard(struct world *world, const struct report_reply *reply)
{
    struct holding *h = find(world, reply->tag);

    if (!h)
        return;
    h->is_waiting = false;
    if (reply->rc == RC_BUSY) {
        step_in(world, h, world->profile.unit / 10);
    } else if (h->said == REPORT_ALIVE) {
        heard_alive(world, h, reply);
    } else if (h->manner == MANNER_TWICE && !h->is_answered) {
        h->is_answered = true;
        step_in(world, h, 2 * world->profile.unit);
    } else {
        drop(world, h);
    }
}

/* Sometimes the answer to a dispatch reaches the next boot, with the old fence. */
static bool draw_stray(struct world *world)
{
    return prng_chance(&world->prng, 1, 8);
}

void workers_unheard(struct world *world, uint64_t tag)
{
    struct holding *h = find(world, tag);

    if (!h)
        return;
    h->is_waiting = false;
    if (h->worker < 0 && !draw_stray(world))
        drop(world, h);
    else
        step_in(world, h, 2 * world->profile.unit);
}

void workers_node_died(struct world *world, int node)
{
    for (int i = 0; i < world->workers.used; i++) {
        struct holding *h = &world->workers.holdings[i];

        if (h->is_used && h->worker < 0 && h->node == node && !h->is_waiting &&
            !draw_stray(world))
            drop(world, h);
    }
    for (int i = 0; i < world->profile.workers; i++) {
        struct sim_worker *w = &world->workers.list[i];

        if (w->node != node || !w->is_polling)
            continue;
        w->is_polling = false;
        poll_in(world, i, 2 * world->profile.unit);
    }
}
