/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that settings have in the systems that Belfry succeeds.
 *
 * They are read in the file and, where they carry the name of their system, in the
 * environment.  Some have become a key; the others have no effect here, and the table says
 * why, so that nobody has to guess.  docs/operations.md has the same table for people.
 */
#pragma once

#include "server/config/config.h"

/* What a number without a unit is of. */
enum config_unit { UNIT_NONE, UNIT_MS, UNIT_S, UNIT_HOURS, UNIT_DAYS };

struct config_old {
    const char *name; /* "conductor.scheduler.jitter-max-ms"                        */
    const char *env;  /* a variable of another name; NULL: by `name`                */
    int id;           /* enum config_id; OLD_NO_EFFECT                              */
    enum config_unit unit;
    const char *why; /* it has no effect */
};

enum { OLD_NO_EFFECT = -1 };

/* One that was used. */
struct config_old_use {
    const struct config_old *old;
    struct config_source source;
    struct str value; /* as it was written */
    struct config_old_use *next;
};

extern const struct config_old config_olds[];
extern const int config_old_count;

/* Case, dots, - and _ make no difference, as in Spring; NULL: there is none. */
const struct config_old *config_old_find(struct str name);

/* Likewise of a variable, those alone that only one program can mean. */
const struct config_old *config_old_find_env(struct str name);

/* The value as the key has it: "100" of milliseconds becomes "100ms". */
void config_old_value(const struct config_old *old, struct str value, struct buf *out);

/*
 * A variable BELFRY_… that is no key is no error, since other programs may use the name; this
 * finds them one by one.  Begin with *at = 0; false when there is none further.
 */
bool config_unknown_env(const char *const *env, int *at, struct err *ret_note);

/* "conductor.scheduler.jitter-max-ms is dispatch_jitter here", or why it has no effect. */
void config_old_say(const struct config_old *old, struct buf *out);
