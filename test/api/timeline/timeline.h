/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for tests of slots and load of many schedules.  The world begins on Monday,
 * 2026-01-05, at 10:00 UTC.
 */
#pragma once

#include "timeline_texts.h"

static inline void make(const char *name, const char *spec, const char *rest)
{
    assert_int_equal(
        ask(js("PUT /api/v1/schedules/%s", name), NULL,
            js("{'spec':%s,'action':{'type':'queue','queue':'q-%s'}%s}", spec, name, rest)),
        201);
}

/* Claims a run of the schedule and completes it, or lets it fail. */
static inline void work(const char *name, bool succeeds)
{
    struct str id;

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q-%s'],'worker':'w'}", name)),
                     200);
    id = text_at("runs.0.id");
    assert_int_equal(
        post(js("/api/v1/runs/%s/%s", id.ptr, succeeds ? "complete" : "fail"),
             js("{'fence':%s%s}", json_at("runs.0.fence"), succeeds ? "" : ",'error':'no'")),
        200);
}

/*
 * Writes `count` successful triggers of each schedule, in the hour from 10:00 on, at equal
 * distances.  A key has the milliseconds since 2020 in its high bits.
 */
static inline void add_history(int count)
{
    struct err err = {.text = ""};
    char sql[1200];

    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n (i, ms) AS (SELECT CAST(0 AS BIGINT), CAST(0 AS BIGINT)"
             " UNION ALL SELECT i + 1, (i + 1) * 3600000 / %d FROM n WHERE i < %d),"
             " ends (i, ms) AS (SELECT i, ms + 1767607200000 FROM n)"
             " INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits, outcome,"
             " reason, last, due, created_at, started_at, ended_at, expire_at, queue, node)"
             " SELECT (ms - 1577836800000) * 4194304 + (id & 4194303), id, ms * 1000, i + 1,"
             " 1, 1, 1, 10, 0, 1, ms * 1000, 0, ms * 1000, ms * 1000, 9223372036854775807,"
             " 0, 0 FROM ends, schedules",
             count, count - 1);
    if (db_exec(world.db, str_of(sql), &err) != RC_OK)
        fail_msg("%s", err.text);
    if (db_exec(world.db, STR("UPDATE cursors SET last_end = 1767610800000000"), &err) != RC_OK)
        fail_msg("%s", err.text);
}
