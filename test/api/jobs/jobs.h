/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for the tests of the jobs API.
 */
#pragma once

#include "world.h"

#define ORG "/api/orgs/acme/schedules"

/* The required members of an hourly schedule; `more`: members after a comma. */
static inline int create(const char *more)
{
    return post(ORG, js("{'name':'Backup','serverInstanceId':'srv-1',"
                        "'cronExpression':'0 * * * *','jobType':'backup'%s}",
                        more));
}

/* Creates it and returns its path, which is valid for the next seven calls. */
static inline const char *created(const char *more)
{
    static char path[8][128];
    static int turn;
    char *to = path[turn++ % 8];

    assert_int_equal(create(more), 201);
    snprintf(to, 128, ORG "/%s", text_at("id").ptr);
    return to;
}

static inline int patch(const char *path, const char *body)
{
    return ask(js("PATCH %s", path), NULL, js("%s", body));
}

/* A worker claims the runs of the organisation; returns their number. */
static inline int claim(const char *org)
{
    assert_int_equal(post(js("/api/v1/queues/claim?namespace=%s", org),
                          js("{'queues':['jobs:%s'],'max':10}", org)),
                     200);
    return (int)json_array_size(json_object_get(world.json, "runs"));
}

/* The worker of the first claimed run reports its result. */
static inline void report(const char *verb)
{
    char id[64], fence[16];

    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
    assert_int_equal(
        post(js("/api/v1/runs/%s/%s?namespace=acme", id, verb), js("{'fence':%s}", fence)),
        200);
}
