/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of settings in the systems that Belfry replaces.
 *
 * Belfry reads them from the file and, if they include the name of their system, from the
 * environment.  Some set a key of Belfry.  The others have no effect, and the table says why.
 * docs/operations.md has the same table for users.
 */
#pragma once

#include "server/config/config.h"

/* The unit of a number without a unit. */
enum config_unit { UNIT_NONE, UNIT_MS, UNIT_S, UNIT_HOURS, UNIT_DAYS };

struct config_old {
    const char *name; /* "conductor.scheduler.jitter-max-ms"      */
    const char *env;  /* another variable name; NULL: only `name` */
    int id;           /* enum config_id, or OLD_NO_EFFECT         */
    enum config_unit unit;
    const char *why; /* why it has no effect; otherwise NULL */
};

enum { OLD_NO_EFFECT = -1 };

/* An old name that is in use. */
struct config_old_use {
    const struct config_old *old;
    struct config_source source;
    struct str value; /* as in the source */
    struct config_old_use *next;
};

extern const struct config_old config_olds[];
extern const int config_old_count;

/* Ignores case, dots, - and _, as Spring does; returns NULL if there is none. */
const struct config_old *config_old_find(struct str name);

/* The same for a variable; finds only names that include the name of their system. */
const struct config_old *config_old_find_env(struct str name);

/* Prints the value in the syntax of the key: "100" in milliseconds becomes "100ms". */
void config_old_value(const struct config_old *old, struct str value, struct buf *out);

/*
 * Prints "conductor.scheduler.jitter-max-ms sets dispatch_jitter", or why it has no effect.
 */
void config_old_describe(const struct config_old *old, struct buf *out);
