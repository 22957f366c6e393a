/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of Belfry, as numbered migrations.  docs/decisions/0011 says why they are so.
 */
#pragma once

#include "db/migrate.h"

extern const struct migration schema_migrations[];
extern const int schema_migration_count;

/* Brings the database to the tables that this program knows. */
MUST_USE enum rc schema_migrate(struct db *db, instant now, struct arena *arena,
                                struct err *reterr);
