/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readable and unique ids for the schedules of a crontab.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * Appends the name of the program that a command runs, without its directory; with `is_long`
 * also its first arguments.  Never appends nothing.
 */
void import_name(struct str command, bool is_long, struct buf *out);

/* The ids that were given. */
struct import_ids {
    struct arena *arena;
    struct import_id *list; /* a hash table */
    size_t room, count;
};

struct import_ids import_ids_new(int lines, struct arena *arena);

/* Counts how often a text was asked for; returns the count. */
int import_ids_want(struct import_ids *ids, const char *text);
int import_ids_count(struct import_ids *ids, const char *text);

/* Makes an id unique: appends -2, -3, … if it was taken before. */
void import_ids_take(struct import_ids *ids, struct buf *id);
