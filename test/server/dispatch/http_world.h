/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dispatcher and a misbehaving HTTP server on one loop.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bad_server.h"
#include "dispatch_fixture.h"
#include "wire/json/json.h"

enum { ACTION_TEXT_MAX = 4096 };

struct world {
    struct dispatch_fixture *fixture;
    struct bad_server server;
    json_t *result, *error; /* of the last report */
};

static inline int world_begin(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    void *fixture;

    assert_non_null(world);
    fixture_setup(&fixture);
    world->fixture = fixture;
    world->fixture->options.exec = 0;
    bad_server_start(&world->server, loop_uv(world->fixture->loop));
    *state = world;
    return 0;
}

static inline int world_end(void **state)
{
    struct world *world = *state;
    void *fixture = world->fixture;

    bad_server_stop(&world->server);
    while (world->server.peers)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    uv_run(loop_uv(world->fixture->loop), UV_RUN_NOWAIT); /* closes the listener */
    json_decref(world->result);
    json_decref(world->error);
    fixture_teardown(&fixture);
    free(world);
    return 0;
}

/*
 * Creates an order that calls `path` of the server; `more` holds further fields of the action.
 */
static inline struct dispatch_order *world_order(struct world *world, const char *path,
                                                 const char *more)
{
    char action[ACTION_TEXT_MAX];

    if (!world->fixture->dispatcher)
        fixture_open(world->fixture);
    snprintf(action, sizeof action, "{\"type\":\"http\",\"url\":\"http://127.0.0.1:%d%s\"%s%s}",
             world->server.port, path, more[0] ? "," : "", more);
    return fixture_order(world->fixture, LANE_HTTP, action);
}

static inline json_t *world_json(struct str text)
{
    json_t *json = NULL;
    struct err err;

    if (text.len > 0 && json_read(text, &json, &err) != RC_OK)
        fail_msg("%.*s: %s", STR_ARG(text), err.text);
    return json;
}

/* Runs it to its end and parses result and error. */
static inline const struct report *world_run(struct world *world, struct dispatch_order *order)
{
    const struct report *report;

    fixture_forget(world->fixture);
    report = fixture_run(world->fixture, order);
    json_decref(world->result);
    json_decref(world->error);
    world->result = world_json(report->result);
    world->error = world_json(report->error);
    return report;
}

static inline const struct report *world_get(struct world *world, const char *path,
                                             const char *more)
{
    return world_run(world, world_order(world, path, more));
}

static inline void world_script(struct world *world, const char *path, struct str bytes,
                                enum bad_end end)
{
    bad_server_script(&world->server,
                      (struct bad_script){.path = path, .bytes = bytes, .end = end});
}

static inline void world_wait_seen(struct world *world, int count)
{
    while (world->server.seen_count < count)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
}

/* Returns a member of the error, or "". */
static inline const char *world_error(const struct world *world, const char *name)
{
    const char *text = json_string_value(json_object_get(world->error, name));

    return text ? text : "";
}

/* Checks outcome, code, and that error and report agree about a retry. */
static inline void world_assert_end(const struct world *world, const struct report *report,
                                    enum outcome outcome, const char *code, bool is_retryable)
{
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, outcome);
    assert_string_equal(world_error(world, "code"), code);
    assert_int_equal(report->is_retryable, is_retryable);
    assert_int_equal(json_is_true(json_object_get(world->error, "retryable")), is_retryable);
    assert_true(strlen(world_error(world, "message")) > 0);
}

/* Returns a member of the result as one line. */
static inline const char *world_kept(const struct world *world, const char *name)
{
    static char text[1 << 16];
    struct buf out = BUF(text);
    const json_t *value = json_object_get(world->result, name);

    if (!value)
        return "";
    json_print(value, JSON_STYLE_LINE, &out);
    assert_false(out.cut);
    return text;
}
