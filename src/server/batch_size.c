/* SPDX-License-Identifier: Apache-2.0 */
#include "server/batch_size.h"

#include "engine/turn.h"

enum {
    SMALL_TURN = 8,       /* things done: what it costs is what every turn costs     */
    LEAST_PACE = 8,       /* small turns until a new cost of them is mostly believed */
    LEAST_SHARE = 5,      /* of a large turn at most a fifth is such cost            */
    ROW_PACE = 2,         /* large turns until a new cost of rows is mostly believed */
    ROWS_FIRST = 1024,    /* and what they cost: a guess until something is measured */
    ROW_NS_FIRST = 25000, /* with the usual goal of 25 ms */
    NS = 1000,            /* in a unit of a span          */
};

void batch_size_begin(struct batch_size *batch, int most)
{
    *batch = (struct batch_size){.rows = most < ROWS_FIRST ? most : ROWS_FIRST,
                                 .row_ns = ROW_NS_FIRST};
}

void batch_size_adapt(struct batch_size *batch, const struct batch_turn *turn)
{
    span goal = turn->goal;
    int64_t rows;

    if (turn->done <= SMALL_TURN)
        batch->least += (turn->spent - batch->least) / LEAST_PACE;
    if (goal < batch->least * LEAST_SHARE)
        goal = batch->least * LEAST_SHARE;
    if (turn->rows < TURN_ROWS_MIN || turn->rows < turn->commands)
        return;
    batch->row_ns += (turn->spent * NS / turn->rows - batch->row_ns) / ROW_PACE;
    rows = batch->row_ns > 0 ? goal * NS / batch->row_ns : turn->most;
    if (rows < TURN_ROWS_MIN)
        rows = TURN_ROWS_MIN;
    batch->rows = rows < turn->most ? (int)rows : turn->most;
}
