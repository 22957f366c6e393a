/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seven fields of a calendar entry, in the order of every JSON form.  For the codecs of
 * this folder.
 */
#pragma once

#include <stddef.h>

#include "core/cron/cron_parse.h"

enum { CALENDAR_FIELDS = 7 };

struct calendar_field {
    const char *name;
    const char *initial; /* what a blank field means */
    size_t offset;       /* in struct calendar_text */
};

static const struct calendar_field calendar_fields[CALENDAR_FIELDS] = {
    {"second", "0", offsetof(struct calendar_text, second)},
    {"minute", "0", offsetof(struct calendar_text, minute)},
    {"hour", "0", offsetof(struct calendar_text, hour)},
    {"dayOfMonth", "*", offsetof(struct calendar_text, day)},
    {"month", "*", offsetof(struct calendar_text, month)},
    {"year", "*", offsetof(struct calendar_text, year)},
    {"dayOfWeek", "*", offsetof(struct calendar_text, weekday)},
};

static inline struct str *calendar_field_at(struct calendar_text *text, int i)
{
    return (struct str *)(void *)((char *)text + calendar_fields[i].offset);
}

static inline struct str calendar_field_of(const struct calendar_text *text, int i)
{
    return *(const struct str *)(const void *)((const char *)text + calendar_fields[i].offset);
}
