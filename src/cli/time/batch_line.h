/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry next --batch`: reads a query as JSON from each line, prints the answer as JSON.
 */
#pragma once

#include "base/arena.h"
#include "cli/frame/args.h"
#include "cli/frame/printer.h"
#include "cli/time/batch_query.h"
#include "io/zoneinfo.h"

enum { BATCH_LINE_MAX = 1 << 20 }; /* bytes of one line */

/* Bytes of arena for one line: its spec as read and as compiled. */
#define BATCH_ARENA_MAX ((size_t)64 << 20)

struct batch {
    struct printer *out;
    struct arena *arena;
    struct zoneinfo *zones;
    struct batch_query defaults; /* for fields that a line omits */
    char id_room[BATCH_QUERY_ID_MAX];
    int64_t line; /* number of the current line, from 1 */
};

/* Answers all lines of the file, or of standard input for "-"; returns the exit status. */
int batch_run(const char *path, const struct args *args);

/* Prints exactly one object and a line break to batch->out. */
void batch_line(struct batch *batch, struct str line);

/* Prints the answer to a line that could not be read. */
void batch_refuse(struct batch *batch, const struct err *err);
