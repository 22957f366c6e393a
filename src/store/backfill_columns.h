/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of table backfills, as lists for store/columns.h.  Column `started` is older than
 * the counters: it counts the starts that were requested.
 */
#pragma once

/* The formatter would indent each line of a list more than the line before. */
/* clang-format off */

#define BACKFILL_COLUMNS(FIRST, NEXT)                                                       \
    FIRST(1, id, INT) NEXT(2, schedule, INT) NEXT(3, pass, INT) NEXT(4, from_at, INT, from) \
    NEXT(5, until_at, INT, until) NEXT(6, mark, INT) NEXT(7, overlap, INT)                  \
    NEXT(8, started, INT, requested) NEXT(9, created_at, INT) NEXT(10, created_by, TEXT)    \
    NEXT(11, stage, INT) NEXT(12, flags, INT) NEXT(13, slots, INT) NEXT(14, begun, INT)     \
    NEXT(15, skipped, INT) NEXT(16, withdrawn, INT) NEXT(17, cancelled, INT)                \
    NEXT(18, succeeded, INT) NEXT(19, failed, INT) NEXT(20, ended_at, INT)                  \
    NEXT(21, namespace, INT)
#define BACKFILL_PROGRESS(FIRST, NEXT)                                                      \
    FIRST(2, mark, INT) NEXT(3, started, INT, requested) NEXT(4, stage, INT)                \
    NEXT(5, flags, INT) NEXT(6, begun, INT) NEXT(7, skipped, INT) NEXT(8, withdrawn, INT)   \
    NEXT(9, cancelled, INT) NEXT(10, succeeded, INT) NEXT(11, failed, INT)                  \
    NEXT(12, ended_at, INT)

/* clang-format on */
