/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a zone's clocks show at one second: offset, abbreviation and whether it is summer time.
 *
 * Pure.  A struct tz has only offsets, so this reads the bytes of the TZif file.
 */
#pragma once

#include "core/time/tz.h"

enum { TZ_ABBREVIATION_MAX = 31 }; /* bytes; POSIX requires three letters, and six are usual */

struct tz_type {
    int32_t offset; /* seconds to add to UTC */
    bool is_dst;
    char abbreviation[TZ_ABBREVIATION_MAX + 1]; /* longer ones are cut */
};

/* At UTC second `s`.  Errors as in tz_parse(). */
MUST_USE enum rc tz_type_at(struct str name, const uint8_t *bytes, size_t len, int64_t s,
                            struct tz_type *ret, struct err *reterr);

/* A zone of a list. */
struct tz_now {
    struct str name;
    struct tz_type type;
    int64_t next; /* UTC second of the next clock change; TZ_TIME_MAX: none */
};
