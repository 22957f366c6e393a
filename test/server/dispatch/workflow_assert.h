/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions on reports, for the tests of workflows of any upstream.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine/turn.h"
#include "wire/json/json.h"

static inline void assert_error(const struct report *report, const char *code,
                                bool is_retryable, const char *message)
{
    json_auto_t *error = NULL;
    struct err err;

    assert_int_equal(json_read(report->error, &error, &err), RC_OK);
    assert_string_equal(json_string_value(json_object_get(error, "code")), code);
    if (message)
        assert_string_equal(json_string_value(json_object_get(error, "message")), message);
    assert_int_equal(report->is_retryable, is_retryable);
}

static inline void assert_text(struct str s, const char *expected)
{
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.ptr ? s.ptr : "", expected, s.len);
}
