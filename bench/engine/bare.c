/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bare loop: the minimum of database work for a fire, without any decisions.
 *
 * It uses the tables and indexes of Belfry, writes the same columns in the same batches, and
 * adds a minute to a slot to get the next.  It reads no schedule, checks no version and has no
 * policies.  Apart from the migrations it shares no code with Belfry.
 */
#include "bare.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "core/outcome.h"
#include "core/run.h"
#include "db/db.h"
#include "store/schema.h"

enum { MIGRATE_BYTES_MAX = 16 << 20 };

/* Keys as the engine makes them: milliseconds since 2020, 10 bits of node, 12 of counter. */
#define KEY_FIRST   (INT64_C(189388800000) << 22)
#define RUN_FIRST   (INT64_C(189388860000) << 22)
#define ENDED_FIRST (INT64_C(189388860000) << 22)

enum cursor_column {
    C_ID,
    C_WAKE_AT,
    C_MARK,
    C_NEXT_AT,
    C_VERSION,
    C_BITS,
    C_PAUSED_UNTIL,
    C_OPEN,
    C_REMAINING = 10,
    C_LAST_SLOT = 13,
    C_LAST_START,
    C_LAST_END,
    C_ACTIVE_AT,
    C_HINT_AT = 18,
    C_HINT_EXPIRES,
    C_STARTED,
    C_SUCCEEDED = 25,
};

#define CURSORS                                                                            \
    "id, wake_at, mark, next_at, version, bits, paused_until, open, waiting, failures,"    \
    " remaining, pass, backfills, last_slot, last_start, last_end, active_at,"             \
    " hint_interval, hint_at, hint_expires, started, skipped, missed, dropped, cancelled," \
    " succeeded, failed"
#define SET_CURSOR                                                                       \
    "UPDATE cursors SET wake_at = $2, mark = $3, next_at = $4, version = $5, bits = $6," \
    " paused_until = $7, open = $8, waiting = $9, failures = $10, remaining = $11,"      \
    " pass = $12, backfills = $13, last_slot = $14, last_start = $15, last_end = $16,"   \
    " active_at = $17, hint_interval = $18, hint_at = $19, hint_expires = $20,"          \
    " started = $21, skipped = $22, missed = $23, dropped = $24, cancelled = $25,"       \
    " succeeded = $26, failed = $27 WHERE id = $1"

const char bare_insert_cursor[] = "INSERT INTO cursors (" CURSORS ")";
const char bare_copy_cursors[] = "COPY cursors (" CURSORS ") FROM STDIN";

const struct bare_sql bare_sql[BARE_COUNT] = {
    [BARE_DUE] = {"SELECT " CURSORS " FROM cursors WHERE wake_at >= $1 AND wake_at <= $2"
                  " ORDER BY wake_at, id LIMIT $3",
                  3},
    [BARE_MOVE] = {SET_CURSOR, CURSOR_COLUMNS},
    [BARE_START] = {"INSERT INTO runs (id, schedule, slot, pass, state, lane, queue, gate,"
                    " bits, due, rank, attempt, fence, node, lease_until, wake_at, created_at,"
                    " started_at, attempt_at, worker, input, progress) VALUES ($1, $2, $3, $4,"
                    " $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,"
                    " NULL, NULL, NULL)",
                    RUN_COLUMNS},
    [BARE_REST] = {SET_CURSOR, CURSOR_COLUMNS},
    [BARE_END] = {"DELETE FROM runs WHERE id = $1", 1},
    [BARE_PAST] = {"INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits,"
                   " outcome, reason, last, due, created_at, started_at, ended_at, expire_at,"
                   " queue, node, worker, error, result) VALUES ($1, $2, $3, $4, $5, $6, $7,"
                   " $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, NULL, NULL, NULL)",
                   HISTORY_COLUMNS},
};

struct bare {
    const struct bare_driver *driver;
    void *db;
    struct load load;
    int64_t turns, started;
    instant floor; /* no cursor is due before */
    int64_t rows[BATCH][CURSOR_COLUMNS];
    int count; /* of rows; their runs are open */
};

void bare_cursor(const struct load *load, int64_t index, int64_t row[static CURSOR_COLUMNS])
{
    instant first = EPOCH + load_phase(load, index);

    memset(row, 0, CURSOR_COLUMNS * sizeof row[0]);
    row[C_ID] = KEY_FIRST + index;
    row[C_WAKE_AT] = row[C_NEXT_AT] = first;
    row[C_MARK] = row[C_ACTIVE_AT] = EPOCH;
    row[C_VERSION] = 1;
    row[C_PAUSED_UNTIL] = row[C_HINT_AT] = INSTANT_NEVER;
    row[C_HINT_EXPIRES] = INSTANT_NONE;
    row[C_LAST_SLOT] = row[C_LAST_START] = row[C_LAST_END] = INSTANT_NONE;
    row[C_REMAINING] = -1;
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
    instant slot = row[C_NEXT_AT];
    int64_t run[RUN_COLUMNS] = {
        RUN_FIRST + bare->started++,
        row[C_ID],
        slot,
        0,
        RUN_RUNNING,
        1,
        KEY_FIRST,
        0,
        INT64_C(5) << 40 | OVERLAP_DEFAULT << 8,
        slot,
        run_rank(slot, 5),
        1,
        1,
        1,
        INSTANT_NEVER,
        INSTANT_NEVER,
        now,
        now,
        now,
    };

    row[C_MARK] = row[C_LAST_SLOT] = slot;
    row[C_WAKE_AT] = row[C_NEXT_AT] = slot + SPAN_MIN;
    row[C_OPEN]++;
    row[C_LAST_START] = row[C_ACTIVE_AT] = now;
    row[C_STARTED]++;
    bare->driver->send(bare->db, BARE_MOVE, row);
    bare->driver->send(bare->db, BARE_START, run);
}

/* Ends a run as succeeded: deletes it, inserts a row of history, updates the cursor. */
static void end(struct bare *bare, int64_t *row, int64_t number, instant now)
{
    int64_t run = RUN_FIRST + number;
    int64_t past[HISTORY_COLUMNS] = {
        ENDED_FIRST + number,
        row[C_ID],
        row[C_LAST_SLOT],
        0,
        1,
        1,
        0,
        OUTCOME_SUCCEEDED,
        0,
        1,
        row[C_LAST_SLOT],
        row[C_LAST_START],
        row[C_LAST_START],
        now,
        now + 90 * SPAN_DAY,
        KEY_FIRST,
        1,
    };

    row[C_OPEN]--;
    row[C_LAST_END] = now;
    row[C_BITS] = (int64_t)OUTCOME_SUCCEEDED << 40;
    row[C_SUCCEEDED]++;
    bare->driver->send(bare->db, BARE_END, &run);
    bare->driver->send(bare->db, BARE_PAST, past);
    bare->driver->send(bare->db, BARE_REST, row);
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
    bare->floor = bare->rows[0][C_WAKE_AT];
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
