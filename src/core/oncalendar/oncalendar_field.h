/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One field of an OnCalendar text: `*`, or a list of values, ranges and steps.
 *
 * Pure.  For core/oncalendar/oncalendar.c only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "core/cron/cron.h"

enum oncalendar_field {
    ONCALENDAR_YEAR,
    ONCALENDAR_MONTH,
    ONCALENDAR_DAY,
    ONCALENDAR_LAST, /* days counted from the end of the month: `~` */
    ONCALENDAR_HOUR,
    ONCALENDAR_MINUTE,
    ONCALENDAR_SECOND,
};

struct oncalendar_values {
    bool is_any;       /* `*`                                                      */
    bool is_interval;  /* written with `*`, `..` or `/`                            */
    bool has_fraction; /* seconds have a fraction: use `part`                      */
    uint64_t bits[4];  /* bit n: value n; for years 1970 + n                       */
    int parts;         /* items of seconds; at most CRON_PARTS_MAX if has_fraction */
    struct cron_part part[CRON_PARTS_MAX];
};

/* Offsets in errors count from `origin`; reterr->field is the name of the field. */
MUST_USE enum rc oncalendar_field_parse(struct str text, enum oncalendar_field field,
                                        const char *origin, struct oncalendar_values *ret,
                                        struct err *reterr);

/* The part of `s` before the first of the characters `stops`, or all of `s`. */
struct str oncalendar_until(struct str s, const char *stops);

/* The character at `i`; '\0' after the end. */
static inline char oncalendar_peek(struct str s, size_t i)
{
    return i < s.len ? s.ptr[i] : '\0';
}
