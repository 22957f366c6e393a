/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removes everything from the PostgreSQL database of a test; the server outlives the test.
 *
 * The tables of the previous test may still be locked: by the server process of a killed
 * client, or by autovacuum, which PostgreSQL cancels only after its deadlock_timeout of a
 * second.
 */
#pragma once

#include "db/db.h"

static inline enum rc empty_database(const char *url, struct err *reterr)
{
    const struct db_options patient = {.deadline_ms = 60 * 1000, .lock_ms = 60 * 1000};
    struct db *db = NULL;
    enum rc rc = db_open(url, &patient, &db, reterr);

    if (rc == RC_OK)
        rc = db_exec(db, STR("DROP SCHEMA public CASCADE"), reterr);
    if (rc == RC_OK)
        rc = db_exec(db, STR("CREATE SCHEMA public"), reterr);
    db_close(db);
    return rc;
}
