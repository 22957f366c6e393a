/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the cost of a turn and of a row, and derives the size of the next turn.
 */
#include "server/batch_size.h"

#include "engine/turn.h"

enum {
    SMALL_TURN = 8,       /* items; such a turn costs little more than the overhead       */
    OVERHEAD_PACE = 8,    /* small turns until a new overhead has mostly replaced the old */
    OVERHEAD_SHARE = 5,   /* overhead may be at most a fifth of a large turn              */
    ROW_PACE = 2,         /* large turns until a new row cost has mostly replaced the old */
    ROWS_FIRST = 1024,    /* initial guess: takes about 25 ms, the default target         */
    ROW_NS_FIRST = 25000, /* initial guess of the cost of a row                           */
    NS_PER_US = 1000,
    BULK_FIRST = 16,
    BULK_SHARE = 5, /* large requests may take a fifth of the target to compute */
};

void batch_size_begin(struct batch_size *batch, int rows_max)
{
    *batch = (struct batch_size){.rows = rows_max < ROWS_FIRST ? rows_max : ROWS_FIRST,
                                 .bulk = BULK_FIRST,
                                 .row_ns = ROW_NS_FIRST};
}

static void adapt_bulk(struct batch_size *batch, const struct batch_turn *turn)
{
    span target = turn->target / BULK_SHARE;

    if (turn->bulk > 0 && turn->computed > target)
        batch->bulk = batch->bulk > 1 ? batch->bulk / 2 : 1;
    else if (turn->bulk == batch->bulk && turn->computed < target / 2)
        batch->bulk = batch->bulk * 2 < TURN_COMMANDS_MAX ? batch->bulk * 2 : TURN_COMMANDS_MAX;
}

void batch_size_adapt(struct batch_size *batch, const struct batch_turn *turn)
{
    span target = turn->target;
    int64_t rows;

    if (turn->items <= SMALL_TURN)
        batch->overhead += (turn->took - batch->overhead) / OVERHEAD_PACE;
    if (target < batch->overhead * OVERHEAD_SHARE)
        target = batch->overhead * OVERHEAD_SHARE;
    adapt_bulk(batch, turn);
    if (turn->rows < TURN_ROWS_MIN || turn->rows < turn->commands)
        return;
    batch->row_ns += (turn->took * NS_PER_US / turn->rows - batch->row_ns) / ROW_PACE;
    rows = batch->row_ns > 0 ? target * NS_PER_US / batch->row_ns : turn->rows_max;
    if (rows < TURN_ROWS_MIN)
        rows = TURN_ROWS_MIN;
    batch->rows = rows < turn->rows_max ? (int)rows : turn->rows_max;
}
