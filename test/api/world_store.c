/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the database and the engine of the test server.
 */
#include "world_store.h"

#include <stdlib.h>
#include <unistd.h>

#include "../db/empty.h"
#include "core/cursor.h"
#include "store/schema.h"
#include "world.h"
#include "zones.h"

static char dir[64], url[256];

void world_must(enum rc rc, const struct err *err)
{
    if (rc != RC_OK)
        fail_msg("%s", err->text);
}

bool world_is_on_postgres(void)
{
    const char *kind = getenv("BELFRY_TEST_DB");

    return kind && strcmp(kind, "postgres") == 0;
}

enum { DEADLINE_MS = 60 * 1000 }; /* of a statement: machines may be busy */
static const struct db_options patient = {.deadline_ms = DEADLINE_MS};

/* A new SQLite file, or an emptied PostgreSQL database. */
static void open_empty(void)
{
    struct err err = {.text = ""};

    if (!world_is_on_postgres()) {
        snprintf(dir, sizeof dir, "/tmp/belfry-api-XXXXXX");
        assert_non_null(mkdtemp(dir));
        snprintf(url, sizeof url, "sqlite:%s/test.db", dir);
        world_must(db_open(url, &patient, &world.db, &err), &err);
        world_must(db_exec(world.db, STR("PRAGMA synchronous=OFF"), &err), &err);
        return;
    }
    assert_non_null(getenv("BELFRY_TEST_URL"));
    snprintf(url, sizeof url, "%s", getenv("BELFRY_TEST_URL"));
    world_must(empty_database(url, &err), &err);
    world_must(db_open(url, &patient, &world.db, &err), &err);
}

static void start(span dispatch_jitter)
{
    struct engine_options options = {
        .node = STR("a"), .zones = {.find = zone_find}, .dispatch_jitter = dispatch_jitter};
    struct err err = {.text = ""};

    world.engine = engine_new(&options);
    world_must(engine_boot(world.engine, world.db, world.now, &err), &err);
}

void world_open(void)
{
    struct db_options readonly = {.readonly = true, .deadline_ms = DEADLINE_MS};
    struct arena *arena = arena_new(64 << 20);
    struct err err = {.text = ""};

    open_empty();
    world_must(schema_migrate(world.db, world.now, arena, &err), &err);
    world_must(db_open(url, &readonly, &world.reader, &err), &err);
    start(0);
    arena_free(arena);
}

void restart_server(span dispatch_jitter)
{
    engine_free(world.engine);
    world.context.dispatch_jitter = dispatch_jitter;
    start(dispatch_jitter);
}

void quarantine_schedules(void)
{
    struct err err = {.text = ""};
    char sql[100];

    snprintf(sql, sizeof sql, "UPDATE cursors SET bits = bits | %d", CURSOR_QUARANTINED);
    world_must(db_exec(world.db, str_of(sql), &err), &err);
    restart_server(0); /* it caches what it has written itself */
}

struct engine *start_second_node(const struct db_fault *fault, struct db **ret_db)
{
    struct engine *engine = engine_new(
        &(struct engine_options){.node = STR("b"), .zones = {.find = zone_find}});
    struct err err = {.text = ""};

    assert_true(world_is_on_postgres());
    world_must(db_open(url, &(struct db_options){.fault = fault, .deadline_ms = DEADLINE_MS},
                       ret_db, &err),
               &err);
    world_must(engine_boot(engine, *ret_db, world.now, &err), &err);
    return engine;
}

void reconnect(void)
{
    struct err err = {.text = ""};

    db_close(world.db);
    world_must(db_open(url, &patient, &world.db, &err), &err);
    engine_attach(world.engine, world.db);
}

struct db *world_connect(void)
{
    struct db_options readonly = {.readonly = true, .deadline_ms = DEADLINE_MS};
    struct err err = {.text = ""};
    struct db *db;

    world_must(db_open(url, &readonly, &db, &err), &err);
    return db;
}

int world_close(void)
{
    static const char *const names[] = {"", "-wal", "-shm", ".lock", ".ballast"};
    char path[160];

    world_close_catalogue();
    db_close(world.reader);
    db_close(world.db);
    if (world_is_on_postgres())
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/test.db%s", dir, names[i]);
        unlink(path);
    }
    return rmdir(dir);
}

const char *world_file(void)
{
    return url + strlen("sqlite:");
}

/*
 * Reads twice, except a stream: if a read takes too long or the connection breaks, the server
 * discards the members from `arg` on and reads again.
 */
enum call_step world_read(struct call *call)
{
    const size_t from = offsetof(struct call, arg);
    const struct call before = *call;
    enum call_step step = CALL_ANSWER;

    for (int i = 0; i < 2 && step != CALL_STREAM; i++) {
        memcpy((char *)call + from, (const char *)&before + from, sizeof before - from);
        db_begin(world.reader);
        step = call->operation->read(call, world.reader);
        db_rollback(world.reader);
    }
    return step;
}

enum call_step world_read_within_budget(struct call *call)
{
    struct budget budget = {.left = world.read_steps};
    enum call_step step;

    call->budget = world.read_steps > 0 ? &budget : NULL;
    step = world_read(call);
    call->budget = NULL;
    return budget.is_over ? call_limit_budget(call) : step;
}
