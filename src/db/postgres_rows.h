/* SPDX-License-Identifier: Apache-2.0 */
/* Converts values to and from libpq, in PostgreSQL's binary format. */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "db/driver.h"

struct pg_result; /* libpq's PGresult */

/* The parameters of one statement in libpq's form. */
struct postgres_params {
    unsigned types[DB_PARAMS_MAX];
    const char *values[DB_PARAMS_MAX];
    int lengths[DB_PARAMS_MAX];
    int formats[DB_PARAMS_MAX];
    char numbers[DB_PARAMS_MAX][8];
};

/* `ret` points into itself and into the entry. */
void postgres_params(const struct db_entry *entry, struct postgres_params *ret);

/*
 * Copies an answer into the arena.  RC_LIMIT, with nothing copied, if it is too large;
 * RC_INVALID for a type that no column of Belfry has.
 */
enum rc postgres_rows(const struct db *db, const struct pg_result *answer, struct arena *arena,
                      struct db_result *ret, struct err *reterr);

/* Rows that the statement inserted, updated or deleted. */
int64_t postgres_changed(struct pg_result *answer);
