/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bare loop: the minimum of database work for a fire, without any decisions.
 *
 * It uses the tables and indexes of Belfry, writes the same columns in the same batches, and
 * adds a minute to a slot to get the next.  It reads no schedule, checks no version and has no
 * policies.  With Belfry it shares only the migrations and the lists of columns.
 */
#include "bare.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "core/outcome.h"
#include "core/plan.h"
#include "core/run.h"
#include "store/schema.h"

enum { MIGRATE_BYTES_MAX = 16 << 20 };

/* Keys as the engine makes them: milliseconds since 2020, 10 bits of node, 12 of counter. */
#define KEY_FIRST   (INT64_C(189388800000) << 22)
#define RUN_FIRST   (INT64_C(189388860000) << 22)
#define ENDED_FIRST (INT64_C(189388860000) << 22)

#define CURSOR     SQL_NAMES(CURSOR_COLUMNS)
#define SET_CURSOR SQL_UPDATE("cursors", CURSOR_STATE) " WHERE id = $1"

/* As SQL_INSERT(), but all texts are NULL: their parameters are not used. */
#define INSERT(table, list) \
    "INSERT INTO " table " (" SQL_NAMES(list) ") VALUES (" list(FIRST_TEXT, NEXT_TEXT) ")"
#define FIRST_TEXT(n, column, ...) TEXT_OF(n, __VA_ARGS__, )
#define NEXT_TEXT(n, column, ...)  ", " TEXT_OF(n, __VA_ARGS__, )
#define TEXT_OF(n, kind, ...)      PARAM_##kind(n)
#define PARAM_INT(n)               "$" #n
#define PARAM_BITS(n)              "$" #n
#define PARAM_OPTIONAL(n)          "NULL"

const char bare_insert_cursor[] = SQL_INSERT("cursors", CURSOR_COLUMNS);

const struct bare_sql bare_sql[BARE_COUNT] = {
    [BARE_DUE] = {"SELECT " CURSOR " FROM cursors WHERE wake_at >= $1 AND wake_at <= $2"
                  " ORDER BY wake_at, id LIMIT $3",
                  3},
    [BARE_START_CURSOR] = {SET_CURSOR, CURSOR_WIDTH},
    [BARE_INSERT_RUN] = {INSERT("runs", RUN_COLUMNS), RUN_WIDTH},
    [BARE_END_CURSOR] = {SET_CURSOR, CURSOR_WIDTH},
    [BARE_DELETE_RUN] = {"DELETE FROM runs WHERE id = $1", 1},
    [BARE_INSERT_HISTORY] = {INSERT("history", HISTORY_WRITTEN), HISTORY_WIDTH},
};

struct bare {
    const struct bare_driver *driver;
    void *db;
    struct load load;
    int64_t turns, started;
    instant floor; /* no cursor is due before */
    int64_t rows[BATCH][CURSOR_WIDTH];
    int count; /* of rows; their runs are open */
};

void bare_cursor(const struct load *load, int64_t index, int64_t row[static CURSOR_WIDTH])
{
    instant first = EPOCH + load_phase(load, index);

    memset(row, 0, CURSOR_WIDTH * sizeof row[0]);
    row[C_id] = KEY_FIRST + index;
    row[C_wake_at] = row[C_next_at] = first;
    row[C_mark] = row[C_active_at] = EPOCH;
    row[C_version] = 1;
    row[C_paused_until] = row[C_hint_at] = INSTANT_NEVER;
    row[C_hint_expires] = INSTANT_NONE;
    row[C_last_slot] = row[C_last_start] = row[C_last_end] = INSTANT_NONE;
    row[C_last_held] = row[C_last_ok] = INSTANT_NONE;
    row[C_last_late] = -1;
    row[C_remaining] = -1;
}

static void make_tables(const char *url)
{
    struct arena *arena = arena_new(MIGRATE_BYTES_MAX);
    struct db *db = NULL;
    struct err err;

    if (db_open(url, NULL, &db, &err) != RC_OK ||
        schema_migrate(db, EPOCH, arena, &err) != RC_OK)
        DIE("%s", err.text);
    db_close(db);
    arena_free(arena);
}

static const struct bare_driver *driver_of(const struct load *load)
{
    return str_starts(str_of(load->url), STR("sqlite:")) ? &bare_sqlite : &bare_postgres;
}

static void bare_make(const struct load *load)
{
    make_tables(load->url);
    driver_of(load)->load(load);
}

static void *bare_open(const struct load *load)
{
    struct bare *bare = calloc(1, sizeof *bare);

    if (!bare)
        DIE("out of memory");
    bare->load = *load;
    bare->driver = driver_of(load);
    bare->db = bare->driver->open(load->url);
    bare->floor = EPOCH;
    return bare;
}

/* Starts a due schedule: moves its cursor to the next slot, inserts a claimed run. */
static void start(struct bare *bare, int64_t *row, instant now)
{
    instant slot = row[C_next_at];
    int64_t run[RUN_WIDTH] = {
        [R_id] = RUN_FIRST + bare->started++,
        [R_schedule] = row[C_id],
        [R_slot] = slot,
        [R_state] = RUN_RUNNING,
        [R_lane] = LANE_HTTP,
        [R_queue] = KEY_FIRST,
        [R_bits] = INT64_C(5) << 40 | OVERLAP_DEFAULT << 8,
        [R_due] = slot,
        [R_rank] = run_rank(slot, 5),
        [R_attempt] = 1,
        [R_fence] = 1,
        [R_node] = 1,
        [R_lease_until] = INSTANT_NEVER,
        [R_wake_at] = INSTANT_NEVER,
        [R_created_at] = now,
        [R_started_at] = now,
        [R_attempt_at] = now,
        [R_last_run_at] = row[C_last_start],
    };

    row[C_mark] = row[C_last_slot] = slot;
    row[C_wake_at] = row[C_next_at] = slot + SPAN_MIN;
    row[C_open]++;
    row[C_last_start] = row[C_active_at] = now;
    row[C_started]++;
    bare->driver->send(bare->db, BARE_START_CURSOR, row);
    bare->driver->send(bare->db, BARE_INSERT_RUN, run);
}

/* Ends a run as succeeded: deletes it, inserts a row of history, updates the cursor. */
static void end(struct bare *bare, int64_t *row, int64_t number, instant now)
{
    int64_t run = RUN_FIRST + number;
    int64_t past[HISTORY_WIDTH] = {
        [H_id] = ENDED_FIRST + number,
        [H_schedule] = row[C_id],
        [H_slot] = row[C_last_slot],
        [H_attempt] = 1,
        [H_fence] = 1,
        [H_outcome] = OUTCOME_SUCCEEDED,
        [H_last] = true,
        [H_due] = row[C_last_slot],
        [H_created_at] = row[C_last_start],
        [H_started_at] = row[C_last_start],
        [H_ended_at] = now,
        [H_expire_at] = now + 90 * SPAN_DAY,
        [H_queue] = KEY_FIRST,
        [H_node] = 1,
        [H_namespace] = KEY_FIRST,
    };

    row[C_open]--;
    row[C_last_end] = now;
    row[C_bits] = (int64_t)OUTCOME_SUCCEEDED << 40;
    row[C_succeeded]++;
    bare->driver->send(bare->db, BARE_DELETE_RUN, &run);
    bare->driver->send(bare->db, BARE_INSERT_HISTORY, past);
    bare->driver->send(bare->db, BARE_END_CURSOR, row);
}

static void end_all(struct bare *bare, instant now)
{
    for (int i = 0; i < bare->count; i++)
        end(bare, bare->rows[i], bare->started - bare->count + i, now);
    bare->count = 0;
}

/* As in a turn: ends what was started before, starts what is due, one commit. */
static int64_t turn(struct bare *bare)
{
    instant now = load_now(&bare->load, bare->turns++, bare->started);
    int64_t ended = bare->count;

    bare->driver->begin(bare->db);
    end_all(bare, now);
    bare->count = bare->driver->due(
        bare->db, (int64_t[]){bare->floor, now, load_batch(&bare->load)}, bare->rows);
    if (bare->count == 0)
        DIE("the bare loop finds nothing due");
    bare->floor = bare->rows[0][C_wake_at];
    for (int i = 0; i < bare->count; i++)
        start(bare, bare->rows[i], now);
    bare->driver->commit(bare->db);
    return ended;
}

static int64_t bare_fire(void *subject, int64_t count)
{
    int64_t ended = 0;

    while (ended < count)
        ended += turn(subject);
    return ended;
}

static void bare_close(void *subject)
{
    struct bare *bare = subject;

    bare->driver->begin(bare->db);
    end_all(bare, load_now(&bare->load, bare->turns, bare->started));
    bare->driver->commit(bare->db);
    bare->driver->close(bare->db);
    free(bare);
}

const struct subject subject_bare = {bare_make, bare_open, bare_fire, bare_close};
