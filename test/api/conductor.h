/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of Conductor's API have in common.
 */
#pragma once

#include "world.h"

#define S "/api/scheduler/schedules"

/* A schedule of each minute, whose workflow is `wf`; `more`: members with a comma in front. */
static inline int save(const char *name, const char *more)
{
    return post(S, js("{'name':'%s','cronExpression':'0 * * * * ?',"
                      "'startWorkflowRequest':{'name':'wf','version':1,'input':{'k':1}}%s}",
                      name, more));
}

/* Saving is refused with 400 and a message that begins so. */
static inline void assert_wrong(const char *body, const char *message)
{
    assert_int_equal(post(S, js("%s", body)), 400);
    if (strncmp(told("message") + 1, message, strlen(message)) != 0)
        fail_msg("%s, not %s", told("message"), message);
}
