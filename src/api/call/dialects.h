/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The APIs through which a schedule can be written.  The numbers are stored; only add new ones.
 */
#pragma once

#include <assert.h>
#include <stdint.h>

enum dialects {
    DIALECTS_NATIVE = 0,
    DIALECTS_AGENTS = 1,
    DIALECTS_CONDUCTOR = 2,
    DIALECTS_JOBS = 3,
    DIALECTS_TEMPORAL = 4,
};
static_assert(DIALECTS_AGENTS == 1, "SQL_DIALECTS_AGENTS in store/sql_numbers.h");

static inline const char *dialects_text(int64_t dialect)
{
    static const char *const texts[] = {"native", "agents", "conductor", "jobs", "temporal"};

    return dialect >= 0 && dialect < 5 ? texts[dialect] : "native";
}
