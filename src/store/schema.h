/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of Belfry, as numbered migrations.  See docs/decisions/0011. */
#pragma once

#include "db/migrate.h"

extern const struct migration schema_migrations[];
extern const int schema_migration_count;

/* Migrates the database to the schema of this program. */
MUST_USE enum rc schema_migrate(struct db *db, instant now, struct arena *arena,
                                struct err *reterr);

/* RC_CONFLICT if a program that only reads cannot use the database; see migrate.h. */
MUST_USE enum rc schema_check_reader(struct db *db, struct arena *arena, struct err *reterr);
