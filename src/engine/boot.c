/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates, boots and frees the engine.  A boot registers it as a node of the cluster.
 */
#include <string.h>

#include "base/must.h"
#include "engine/count/schedule_days.h"
#include "engine/engine_internal.h"
#include "store/key.h"
#include "store/zones.h"

enum {
    TURN_BYTES_MAX = 1 << 30, /* a turn of the largest specs and results */
    LIFETIME_BYTES_MAX =
        192 << 20, /* the caches, and 300,000 calls in flight (their list doubles) */
    MAP_HINT = 1024,
};

static void set_zones_version(struct engine *engine, struct str version)
{
    size_t len = version.len < ZONES_VERSION_MAX ? version.len : ZONES_VERSION_MAX;

    if (len > 0)
        memcpy(engine->zones_version, version.ptr, len);
    engine->options.zones_version = (struct str){engine->zones_version, len};
}

struct engine *engine_new(const struct engine_options *options)
{
    struct arena *lifetime = arena_new(LIFETIME_BYTES_MAX);
    struct engine *engine = arena_take(lifetime, sizeof(*engine));

    must(options->node.len > 0 && options->node.len <= PLAN_TEXT_MAX);
    engine->lifetime = lifetime;
    engine->options = *options;
    engine->options.node = arena_str(lifetime, options->node);
    engine->options.version = arena_str(lifetime, options->version);
    engine->options.address = arena_str(lifetime, options->address);
    set_zones_version(engine, options->zones_version);
    if (engine->options.node_lease == 0)
        engine->options.node_lease = NODE_LEASE;
    if (engine->options.events_age == 0)
        engine->options.events_age = EVENTS_AGE;
    engine->pack = arena_take(lifetime, PLAN_PACKED_MAX);
    engine->plan_cache = plan_cache_new(lifetime, options->plan_bytes > 0 ? options->plan_bytes
                                                                          : PLAN_CACHE_BYTES);
    engine->inflight = inflight_new(lifetime);
    engine->committed = committed_new(lifetime, options->committed > 0 ? options->committed
                                                                       : COMMITTED_MAX);
    engine->day_samples = day_samples_new(lifetime);
    engine->rows_limit = TURN_ROWS_MAX;
    engine->sched_map = map_new(MAP_HINT);
    engine->work_map = map_new(MAP_HINT);
    engine->gate_map = map_new(MAP_HINT);
    engine->queue_map = map_new(MAP_HINT);
    for (int i = 0; i < 2; i++)
        engine->arenas[i] = arena_new(TURN_BYTES_MAX);
    return engine;
}

struct engine *engine_free(struct engine *engine)
{
    if (!engine)
        return NULL;
    for (int i = 0; i < 2; i++)
        arena_free(engine->arenas[i]);
    plan_cache_free(engine->plan_cache);
    inflight_free(engine->inflight);
    committed_free(&engine->committed);
    day_samples_free(engine->day_samples);
    map_free(engine->sched_map);
    map_free(engine->work_map);
    map_free(engine->gate_map);
    map_free(engine->queue_map);
    arena_free(engine->lifetime); /* the engine with it */
    return NULL;
}

void engine_attach(struct engine *engine, struct db *db)
{
    engine->db = db;
}

void engine_replan(struct engine *engine, struct str zones_version)
{
    set_zones_version(engine, zones_version);
    engine->memory.replan_after = 0;
    if (engine->in_doubt) /* if the turn in doubt was committed, its memory is adopted */
        engine->doubt.memory.replan_after = 0;
}

/* The lowest id that no node has. */
static int64_t lowest_free_id(const struct db_result *rows)
{
    int64_t id = 1;

    for (int i = 0; i < rows->rows && db_int_at(rows, i, 0) == id; i++)
        id++;
    return id;
}

/* Where this node's chain of audit rows continues. */
static void set_audit_end(struct engine_memory *m, const struct db_result *last)
{
    struct str hash;

    if (last->rows == 0)
        return;
    m->audit = db_int_at(last, 0, 0);
    hash = db_blob_at(last, 0, 1);
    if (hash.len == sizeof m->audit_hash)
        memcpy(m->audit_hash, hash.ptr, hash.len);
}

static void set_memory(struct engine *engine, const struct node *node, instant now)
{
    struct engine_memory *m = &engine->memory;

    must(node->boot >= 1 && node->id >= 1 && node->id <= NODES_MAX);
    engine->node = *node;
    engine->node.name = engine->options.node;
    engine->booted = true;
    engine->in_doubt = false;
    inflight_clear(engine->inflight);
    committed_clear(&engine->committed);
    *m = (struct engine_memory){
        .turn = node->turn,
        .event = node->event,
        .key_ms = node->key_ms,
        .key_count = 0,
        .turning_since = now,
        .last_turn = now,
        .periodic_at = INSTANT_NONE,
        .scanned_at = INSTANT_NONE,
        .orphans_at = INSTANT_NONE,
        .floor = INSTANT_NONE,
        .clock_skip = INSTANT_NONE,
        .reclaim_node = node->id,
        .replan_after = INT64_MAX,
        .periodic_turn = node->turn,
        .counted_to = node->stats,
        .count_at = now,
        .days = {.maker = node->id, .mark = node->days},
        .days_frozen = key_of(node->key_ms * SPAN_MS),
        .days_at = now,
        .audit_pruned_at = INSTANT_NONE,
    };
}

/* The last planning used other zones, or its node died before the end: plan again. */
static void set_replan(struct engine *engine, const struct db_result *planned)
{
    if (planned->rows == 0 || !str_eq(db_blob_at(planned, 0, 0), engine->options.zones_version))
        engine->memory.replan_after = 0;
}

enum rc engine_boot(struct engine *engine, struct db *db, instant now, struct err *reterr)
{
    struct arena *arena = engine->arenas[engine->arena];
    struct db_result found = {0}, all = {0}, event = {0}, audit = {0}, changed = {0};
    struct db_result planned = {0};
    struct node node = {.boot = 1, .state = NODE_UP};
    int64_t now_ms = key_ms_at(now);
    enum rc rc;

    arena_reset(arena);
    engine->db = db;
    engine->booted = false;
    db_begin(db);
    nodes_find(db, engine->options.node, &found);
    nodes_list(db, &all);
    events_last(db, engine->options.node, &event);
    audit_last(db, engine->options.node, &audit);
    zones_planned_find(db, &planned);
    rc = db_flush(db, arena, reterr);
    if (rc != RC_OK) {
        db_rollback(db);
        return rc;
    }
    if (found.rows == 1)
        nodes_read(&found, 0, &node);
    else
        node.id = lowest_free_id(&all);
    if (node.id < 1 || node.boot < 1) {
        db_rollback(db);
        return err_set(reterr, RC_CORRUPT, -1, 0, "the row of this node is damaged");
    }
    if (event.rows == 1 && db_int_at(&event, 0, 0) > node.event)
        node.event = db_int_at(&event, 0, 0);
    node.name = engine->options.node;
    node.key_ms = (now_ms > node.key_ms ? now_ms : node.key_ms) + KEY_RESERVE_MS;
    node.started_at = now;
    node.lease_until = now + engine->options.node_lease;
    node.turned_at = now;
    node.version = engine->options.version;
    node.address = engine->options.address;
    if (found.rows == 0 || node.state == NODE_DOWN) /* all its history is counted */
        node.stats = node.days.counted = node.days.until = key_of(node.key_ms * SPAN_MS);
    if (found.rows == 1) {
        node.boot++;
        nodes_boot(db, &node, &changed);
    } else if (node.id <= NODES_MAX) {
        nodes_insert(db, &node, &changed);
    } else {
        db_rollback(db);
        return err_set(reterr, RC_LIMIT, -1, 0, "there are %d nodes; that is the limit",
                       NODES_MAX);
    }
    rc = db_commit(db, arena, reterr);
    if (rc == RC_OK && changed.changed == 0)
        rc = err_set(reterr, RC_BUSY, -1, 0, "another node is starting; try again");
    if (rc == RC_OK) {
        set_memory(engine, &node, now);
        set_audit_end(&engine->memory, &audit);
        set_replan(engine, &planned);
    }
    return rc;
}
