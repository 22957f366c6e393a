/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of `belfry next --batch`: a question as JSON in, an answer as JSON out.
 */
#pragma once

#include "base/arena.h"
#include "cli/frame/printer.h"
#include "cli/time/batch_query.h"
#include "io/zoneinfo.h"

enum { BATCH_LINE_MAX = JSON_BYTES_MAX }; /* bytes of one line */

/* Bytes of arena that one line may take: its spec, both as read and compiled. */
#define BATCH_BYTES_MAX ((size_t)64 << 20)

struct batch {
    struct printer *out;
    struct arena *arena;
    struct zoneinfo *zones;
    struct batch_query defaults; /* what lines mean that do not say     */
    char id_room[BATCH_QUERY_ID_MAX];
    int64_t line; /* number of the current one, from 1   */
};

/* Exactly one object and a line end go to batch->out. */
void batch_line(struct batch *batch, struct str line);

/* The answer to a line that could not be taken at all. */
void batch_refuse(struct batch *batch, const struct err *err);
