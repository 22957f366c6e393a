/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many rows the next turn may have: as many as fit into the time that one should take, by
 * what they cost of late.
 *
 * Pure: what a turn took is handed in.  What even a small turn costs, mostly the disk's own
 * time, is not to be saved by making turns smaller: where that is much, a turn may last a few
 * times as long.  Turns of few rows, or of commands in the first place, say nothing about rows.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

struct batch_size {
    int rows;       /* of the next turn                              */
    span least;     /* what a turn costs that does next to nothing   */
    int64_t row_ns; /* what one of many rows costs                   */
};

struct batch_turn {
    int done;     /* things that it did, of any kind        */
    int rows;     /* schedules, runs and reports among them */
    int commands; /* and commands                           */
    span spent;   /* time that it took                      */
    span goal;    /* that it should take                    */
    int most;     /* rows that it may have                  */
};

void batch_size_begin(struct batch_size *batch, int most);
void batch_size_adapt(struct batch_size *batch, const struct batch_turn *turn);
