/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules and cursors of all namespaces in large batches, for the catalogue of a node.
 *
 * Nothing here locks; it is for read-only connections.  Statements are queued.
 */
#pragma once

#include "core/cursor.h"
#include "db/db.h"

enum { CATALOGUE_KEYS_MAX = 32 }; /* keys of one statement: DB_PARAMS_MAX */

/* A schedule that is not deleted, with its cursor. */
struct catalogue_stored {
    int64_t namespace, version;
    struct str name, description, labels, action, spec;
    struct cursor cursor;
};

/* Rows with keys after `after`, in order of the keys. */
void catalogue_rows_after(struct db *db, int64_t after, int limit, struct db_result *ret);
/* Those with these keys, at most CATALOGUE_KEYS_MAX, in any order. */
void catalogue_rows_get(struct db *db, const int64_t *keys, int count, struct db_result *ret);
void catalogue_rows_read(const struct db_result *result, int row, struct catalogue_stored *ret);

/* (id, name, packed) of those with these keys that are not deleted; packed: core/plan.h. */
void catalogue_plans_get(struct db *db, const int64_t *keys, int count, struct db_result *ret);

/* The same for cursors alone, for cursors_read(); also of deleted schedules. */
void catalogue_cursors_after(struct db *db, int64_t after, int limit, struct db_result *ret);
void catalogue_cursors_get(struct db *db, const int64_t *keys, int count,
                           struct db_result *ret);
