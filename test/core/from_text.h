/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instants and zones from text; text that does not parse fails the test.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/time/text.h"
#include "zones.h"

static inline instant at(const char *text)
{
    instant t = 0;
    struct err err;

    assert_int_equal(instant_parse(str_of(text), &t, &err), RC_OK);
    return t;
}

static inline const struct tz *zone(const char *name)
{
    struct err err;
    const struct tz *tz = zone_find(NULL, str_of(name), &err);

    assert_non_null(tz);
    return tz;
}
