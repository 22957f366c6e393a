/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The minimum cost of creating schedules in a database: their rows, written in groups.
 *
 * Nothing is decided, checked or answered.  SQLite is called directly, with Belfry's tables and
 * settings.  The rows are copies of those of a schedule that Belfry created, with other names;
 * if its request had an id, they include the row of the request.
 */
#pragma once

#include <stdint.h>

struct bare; /* opaque */

enum { BARE_GROUP = 64 }; /* schedules per commit: as many as connections that create */

/* `model` is a Belfry database with a schedule `name`; `path` is created. */
struct bare *bare_open(const char *path, const char *model, const char *name);

/* Writes groups until the time is over; returns schedules per second. */
double bare_create(struct bare *bare, double seconds);
void bare_close(struct bare *bare);
