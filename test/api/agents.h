/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the agents' API have in common.  The clock begins at
 * 2026-01-05T10:00:00Z, a Monday: 03:00 in Denver.
 */
#pragma once

#include "world.h"

#define S "/api/schedules"
#define E "/api/executions"

/* A schedule of an agent; `more`: its other members, with a comma in front. */
static inline int schedule(const char *agent, const char *more)
{
    return post(S, js("{'agentId':'%s'%s}", agent, more));
}
