/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of the worker's tests: start a run, and read its report.
 */
#pragma once

#include "fake_server.h"

/* ---- the report ---- */

static inline const char *member(const struct fake_run *run, const char *name)
{
    static char text[600 * 1024];
    struct buf out = BUF(text);
    json_t *value = json_object_get(run->item, name);

    if (!value)
        return "(none)";
    json_print(value, JSON_STYLE_LINE, &out);
    assert_false(out.cut);
    return text;
}

static inline const char *error_code(const struct fake_run *run)
{
    return json_string_value(json_object_get(json_object_get(run->item, "error"), "code"));
}

static inline bool is_retryable(const struct fake_run *run)
{
    return json_is_true(json_object_get(json_object_get(run->item, "error"), "retryable"));
}

static inline const char *message(const struct fake_run *run)
{
    return json_string_value(json_object_get(json_object_get(run->item, "error"), "message"));
}

/* Executes one run with `sh -c script`; returns the worker's exit status. */
static inline int once(struct fake *fake, const char *script)
{
    fake_add(fake);
    WORKER(fake, "--once", "--", "sh", "-c", script);
    return fake_await_exit(fake);
}

static inline bool run_0_is_up(const struct fake *fake)
{
    return fake->runs[0].log && strstr(fake->runs[0].log, "up\n");
}

static inline bool has_one_poll(const struct fake *fake)
{
    return fake->poll_count == 1;
}
