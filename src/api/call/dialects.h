/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The APIs through which a schedule can be written.  The numbers are stored; only add new ones.
 */
#pragma once

#include <assert.h>

enum dialects {
    DIALECTS_NATIVE = 0,
    DIALECTS_AGENTS = 1,
    DIALECTS_CONDUCTOR = 2,
    DIALECTS_JOBS = 3,
    DIALECTS_TEMPORAL = 4,
    DIALECTS_COUNT
};
static_assert(DIALECTS_AGENTS == 1, "SQL_DIALECTS_AGENTS in store/sql_numbers.h");
