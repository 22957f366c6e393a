/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which members of an object are told: a set with a bit for each, in the order of its names.
 *
 * Made once, of what a request asks for: where many objects are printed no name is compared,
 * and what nobody asked for is neither looked up nor written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "wire/json/json.h"

enum { FIELDS_ASKED_MAX = 64 }; /* names of one request: no object has as many members */

typedef uint64_t field_set;

#define FIELD(field) (UINT64_C(1) << (field))
#define FIELDS_ALL   UINT64_MAX

/* The members of one object; those of `always` are told whatever is asked for. */
struct field_names {
    const char *const *names;
    int count; /* at most 64 */
    field_set always;
};

/* Names as a list of texts, or as one text with commas; errors list those that there are. */
MUST_USE enum rc fields_from_json(const json_t *value, const struct field_names *names,
                                  field_set *ret, struct err *reterr);
MUST_USE enum rc fields_from_text(struct str text, const struct field_names *names,
                                  field_set *ret, struct err *reterr);

static inline bool fields_have(field_set fields, int field)
{
    return fields >> field & 1;
}
