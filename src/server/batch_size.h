/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The size of the next turn.  Pure: the caller passes the measurements in.
 *
 * `rows` is the number of rows that fit into the target duration, judging by the cost of recent
 * rows.  Smaller turns cannot reduce the overhead of a turn, which is mostly the latency of the
 * disk.  If the overhead is large, a turn may take a few times as long as the target.  Turns
 * with few rows, or with more commands than rows, do not change the estimated cost of a row.
 *
 * `bulk` is the number of commands of large requests.  All other clients wait for them, so they
 * may take only a part of a turn.  Their cost varies: the number halves after a turn that
 * computed too long, and doubles after a short one.  Only the processor time of the turn counts
 * for this: with a slow disk or a busy machine, smaller turns would not be shorter.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

struct batch_size {
    int rows;       /* of the next turn                        */
    int bulk;       /* its commands of large requests          */
    span overhead;  /* cost of a turn that does almost nothing */
    int64_t row_ns; /* cost of a row in a large turn           */
};

struct batch_turn {
    int items;     /* everything that the turn did, of any kind   */
    int rows;      /* schedules, runs and reports among the items */
    int commands;  /* commands among the items                    */
    int bulk;      /* those of large requests                     */
    span took;     /* duration of the turn                        */
    span computed; /* processor time of the turn                 */
    span target;   /* duration to aim at                          */
    int rows_max;  /* maximum of `rows`                           */
};

void batch_size_begin(struct batch_size *batch, int rows_max);
void batch_size_adapt(struct batch_size *batch, const struct batch_turn *turn);
