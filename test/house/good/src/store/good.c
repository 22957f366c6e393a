/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements whose numbers have names.
 */
#include "core/run.h"

static const char *const statements[] = {
    "SELECT id FROM runs WHERE state = " SQL_RUN_READY " AND outcome = $1 AND pass > 0",
    "SELECT id FROM runs WHERE state IN (" SQL_RUN_CLAIMED ", " SQL_RUN_RUNNING ") LIMIT 5",
};

const char *good_statement(int i)
{
    return statements[i]; /* where state = 3 */
}
