/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/stride.h"

#include "engine/turn.h"

enum {
    SMALL_TURN = 8,  /* things done: what it costs is what every turn costs    */
    LEAST_PACE = 8,  /* small turns until a new cost of them is mostly believed */
    LEAST_SHARE = 5, /* of a large turn at most a fifth is such cost            */
};

void stride_begin(struct stride *stride)
{
    *stride = (struct stride){.rows = TURN_ROWS_MIN};
}

void stride_adapt(struct stride *stride, const struct stride_turn *turn)
{
    span goal = turn->goal;

    if (turn->done <= SMALL_TURN)
        stride->least += (turn->spent - stride->least) / LEAST_PACE;
    if (goal < stride->least * LEAST_SHARE)
        goal = stride->least * LEAST_SHARE;
    if (turn->spent > goal && stride->rows > TURN_ROWS_MIN)
        stride->rows = stride->rows / 2 < TURN_ROWS_MIN ? TURN_ROWS_MIN : stride->rows / 2;
    else if (turn->spent < goal / 2 && stride->rows < turn->most)
        stride->rows = stride->rows * 2 > turn->most ? turn->most : stride->rows * 2;
}
