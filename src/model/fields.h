/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of an object that an answer shall contain: a set with one bit per member, in the
 * order of the names.
 *
 * A request's list of names is converted once: printing many objects then compares no names,
 * and members that were not requested are neither looked up nor written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "wire/json/json.h"

enum { FIELDS_ASKED_MAX = 64 }; /* names in one request: no object has as many members */

typedef uint64_t field_set;

#define FIELD(field) (UINT64_C(1) << (field))
#define FIELDS_ALL   UINT64_MAX

/* The members of one object; those of `always` are always included. */
struct field_names {
    const char *const *names;
    int count; /* at most 64 */
    field_set always;
};

/* Names as a list of strings, or as one comma-separated string; errors list the valid names. */
MUST_USE enum rc fields_from_json(const json_t *value, const struct field_names *names,
                                  field_set *ret, struct err *reterr);
MUST_USE enum rc fields_from_text(struct str text, const struct field_names *names,
                                  field_set *ret, struct err *reterr);

static inline bool fields_have(field_set fields, int field)
{
    return fields >> field & 1;
}
