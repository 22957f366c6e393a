/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletes expired rows: see prune.h.
 */
#include "engine/prune.h"

#include "base/must.h"
#include "engine/engine_internal.h"
#include "store/events_requests.h"
#include "store/key.h"
#include "store/logs.h"

enum {
    /* Rows examined per row written: a pass over N rows ends before N / 4 new ones exist. */
    ROWS_PER_WRITE = 4,
    BATCH_MAX = ROWS_PER_WRITE * TURN_REPORTS_MAX, /* for what the largest turn writes */
    /* The next pass begins when 1/8 of the rows of the last one, plus 4096, were written. */
    REST_DIVISOR = 8,
    REST_ROWS = 4096, /* so that a small table is rarely walked */
};
#define PRUNE_PAUSE SPAN_H /* the next pass begins at the latest after this time */

static void prune_old_schedules(struct db *db, int64_t after, int64_t until, instant before,
                                struct db_result *ret)
{
    (void)ret;
    prune_schedules(db, after, until, before);
}

static const struct {
    void (*batch)(struct db *db, int64_t after, int limit, struct db_result *ret);
    void (*prune)(struct db *db, int64_t after, int64_t until, instant now,
                  struct db_result *ret);
} tables[PRUNE_TABLES] = {
    [PRUNE_HISTORY] = {prune_history_batch_end, prune_history},
    [PRUNE_LEDGER] = {prune_ledger_batch_end, prune_ledger},
    [PRUNE_LOGS] = {prune_logs_batch_end, prune_logs},
    [PRUNE_SCHEDULES] = {prune_schedules_batch_end, prune_old_schedules},
};

/* Rows that are written during the pass are left to the next one: otherwise it never ends. */
static void begin_pass(const struct turn *turn, struct walk *walk)
{
    *walk = (struct walk){.is_running = true, .until = key_of(turn->now)};
}

static void end_pass(const struct turn *turn, struct walk *walk)
{
    *walk = (struct walk){.start_at = turn->now + PRUNE_PAUSE,
                          .start_after_rows = walk->examined / REST_DIVISOR + REST_ROWS};
}

bool prune_waits_for_stats(const struct engine_memory *memory)
{
    const struct walk *walk = &memory->walks[PRUNE_HISTORY];

    return walk->is_running && walk->after >= memory->counted_to;
}

bool prune_waits_for_days(const struct engine_memory *memory)
{
    const struct walk *history = &memory->walks[PRUNE_HISTORY];
    const struct walk *ledger = &memory->walks[PRUNE_LEDGER];
    int64_t counted = memory->days.mark.counted;

    return (history->is_running && history->until > counted) ||
           (ledger->is_running && ledger->until > counted);
}

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Rows that daily_stats.c and schedule_days.c have not counted yet must stay. */
static int64_t counted_end(const struct engine_memory *m, enum prune_table table)
{
    int64_t days = lower(m->days.mark.counted, m->others_counted_to);

    return table == PRUNE_HISTORY  ? lower(m->counted_to, days)
           : table == PRUNE_LEDGER ? days
                                   : INT64_MAX;
}

void prune_send(struct turn *turn)
{
    for (int i = 0; i < PRUNE_TABLES; i++) {
        struct walk *walk = &turn->memory.walks[i];
        int64_t rows;

        if (turn->is_periodic && !walk->is_running &&
            (turn->now >= walk->start_at || walk->written >= walk->start_after_rows))
            begin_pass(turn, walk);
        if (!walk->is_running || turn->in->rows == 0 ||
            (!turn->is_periodic && walk->written < BATCH_ROWS) ||
            walk->after >= counted_end(&turn->memory, i))
            continue;
        rows = BATCH_ROWS + ROWS_PER_WRITE * walk->written;
        rows = rows < BATCH_MAX ? rows : BATCH_MAX;
        tables[i].batch(turn->db, walk->after, (int)rows, &turn->batches[i]);
        turn->has_batch[i] = true;
        walk->written = 0;
        walk->examined += rows;
    }
}

void prune_read(struct turn *turn)
{
    for (int i = 0; i < PRUNE_TABLES; i++) {
        struct walk *walk = &turn->memory.walks[i];
        const struct db_result *row = &turn->batches[i];
        int64_t until;

        if (!turn->has_batch[i])
            continue;
        if (row->rows == 0) {
            end_pass(turn, walk);
            continue;
        }
        until = db_int_at(row, 0, 0);
        until = lower(until, counted_end(&turn->memory, i));
        tables[i].prune(turn->db, walk->after, until,
                        i == PRUNE_SCHEDULES ? turn->now - turn->engine->options.events_age
                                             : turn->now,
                        NULL);
        walk->after = until;
        if (walk->after >= walk->until)
            end_pass(turn, walk);
    }
}
