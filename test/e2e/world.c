/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets up and tears down the environment of an end-to-end test.
 */
#include "world.h"

#include <fts.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "../db/empty.h"
#include "core/event.h"
#include "db/db.h"
#include "server.h"

enum { NOTIFY_MAX = 64, PATHS = 4, READ_BYTES_MAX = 64 << 20 };

void world_pause(void)
{
    poll(NULL, 0, PAUSE_MS);
}

json_t *world_keep(struct world *world, json_t *json)
{
    if (!json)
        return NULL;
    assert_true(world->answer_count < WORLD_ANSWERS_MAX);
    world->answers[world->answer_count++] = json;
    return json;
}

const char *world_path(const struct world *world, const char *name)
{
    static char paths[PATHS][WORLD_PATH_MAX];
    static int next;
    char *path = paths[next++ % PATHS];

    snprintf(path, WORLD_PATH_MAX, "%s/%s", world->dir, name);
    return path;
}

const char *world_write(const struct world *world, const char *name, const char *text)
{
    const char *path = world_path(world, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* ---- the database ---- */

static struct db *open_db(const char *url, bool is_readonly)
{
    struct db_options options = {.readonly = is_readonly};
    struct db *db = NULL;
    struct err err;

    if (db_open(url, &options, &db, &err) != RC_OK)
        fail_msg("%s: %s", url, err.text);
    return db;
}

static void read_rows(const char *url, const char *sql, struct arena *arena,
                      struct db_result *ret)
{
    const struct db_stmt stmt = {.sql = sql};
    struct db *db = open_db(url, true);
    struct err err;

    db_send(db, &stmt, NULL, ret);
    if (db_flush(db, arena, &err) != RC_OK)
        fail_msg("%s: %s", sql, err.text);
    db_close(db);
}

int64_t world_number(const struct world *world, const char *sql)
{
    struct arena *arena = arena_new(READ_BYTES_MAX);
    struct db_result result = {0};
    int64_t number;

    read_rows(world->url, sql, arena, &result);
    assert_int_equal(result.rows, 1);
    number = db_int_at(&result, 0, 0);
    arena_free(arena);
    return number;
}

static int count_events(struct str body, const char *name)
{
    struct event event;
    struct err err;
    bool any = true;
    int count = 0;

    while (event_unpack(&body, &event, &any, &err) == RC_OK && any)
        count += strcmp(event_text((enum event_type)event.type), name) == 0;
    assert_false(any);
    return count;
}

int world_events(const struct world *world, const char *name)
{
    struct arena *arena = arena_new(READ_BYTES_MAX);
    struct db_result rows = {0};
    int count = 0;

    read_rows(world->url, "SELECT body FROM events ORDER BY node, seq", arena, &rows);
    for (int i = 0; i < rows.rows; i++)
        count += count_events(db_blob_at(&rows, i, 0), name);
    arena_free(arena);
    return count;
}

/* ---- systemd ---- */

int world_notify_open(const struct world *world)
{
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/notify", world->dir);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    return fd;
}

const char *world_notify_env(const struct world *world)
{
    static char text[WORLD_PATH_MAX];

    snprintf(text, sizeof text, "NOTIFY_SOCKET=%s/notify", world->dir);
    return text;
}

void world_notify_await(int fd, const char *words)
{
    char text[NOTIFY_MAX];

    do {
        ssize_t n = recv(fd, text, sizeof text - 1, 0);

        assert_true(n > 0);
        text[n] = '\0';
    } while (strcmp(text, "WATCHDOG=1") == 0 && strcmp(text, words) != 0);
    assert_string_equal(text, words);
}

void world_notify_drop(int fd)
{
    char text[NOTIFY_MAX];

    while (recv(fd, text, sizeof text, MSG_DONTWAIT) > 0)
        ;
}

/* ---- setup and teardown ---- */

int world_set_up(void **state)
{
    const char *kind = getenv("BELFRY_TEST_DB"), *pg_url = getenv("BELFRY_TEST_URL");
    const char *program = getenv("BELFRY");
    struct world *world = calloc(1, sizeof *world);
    struct err err;

    if (!world || !kind || !program)
        fail_msg("set BELFRY to the program and BELFRY_TEST_DB to sqlite or postgres");
    snprintf(world->program, sizeof world->program, "%s", program);
    snprintf(world->dir, sizeof world->dir, "/tmp/belfry-e2e-XXXXXX");
    assert_non_null(mkdtemp(world->dir));
    world->is_postgres = strcmp(kind, "postgres") == 0;
    if (world->is_postgres && !pg_url)
        fail_msg("run this through test/db/with_postgres.sh");
    if (world->is_postgres) {
        snprintf(world->url, sizeof world->url, "%s", pg_url);
        if (empty_database(pg_url, &err) != RC_OK)
            fail_msg("%s: %s", pg_url, err.text);
    } else {
        snprintf(world->url, sizeof world->url, "sqlite:%s/belfry.db", world->dir);
    }
    *state = world;
    return 0;
}

static void remove_all(const char *dir)
{
    char *const paths[] = {(char *)dir, NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    const FTSENT *entry;

    assert_non_null(tree);
    while ((entry = fts_read(tree)) != NULL) {
        if (entry->fts_info == FTS_DP)
            rmdir(entry->fts_path);
        else if (entry->fts_info != FTS_D)
            unlink(entry->fts_path);
    }
    fts_close(tree);
}

int world_tear_down(void **state)
{
    struct world *world = *state;

    for (int i = 0; i < world->server_count; i++)
        server_free(world->servers[i]);
    for (int i = 0; i < world->answer_count; i++)
        json_decref(world->answers[i]);
    remove_all(world->dir);
    free(world);
    return 0;
}
