/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A spec ↔ the "spec" object of the native JSON.
 *
 * Reading checks types, ranges and counts; the grammar of expressions and whether a zone
 * exists is for spec_compile() (core/spec/spec.h).  Printing is canonical: what is printed
 * reads back as the same spec, and prints as the same text again.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "core/spec/spec_def.h"
#include "wire/json/json.h"

/*
 * Everything that *ret points to is in `arena`, SPEC_DEF_BYTES_MAX at most.  Errors name the
 * field as seen from the spec, `cron[0].expr`; a caller that read the spec out of something
 * larger puts its own name in front (err_in()).
 *
 * Instants are cut to the millisecond.  Excluded dates are sorted, each kept once; all other
 * lists keep their order.  A blank field of a calendar becomes its default.
 */
MUST_USE enum rc spec_from_json(const json_t *json, struct arena *arena, struct spec_def *ret,
                                struct err *reterr);

/* The same from text, with wire/json/json.h's strictness. */
MUST_USE enum rc spec_from_text(struct str text, struct arena *arena, struct spec_def *ret,
                                struct err *reterr);

enum spec_form {
    SPEC_FULL,  /* every field, whether or not it has its default                          */
    SPEC_BRIEF, /* only what differs from the default; a plain cron entry is a plain string */
};

/*
 * The brief form as one line of text, appended; false, with a part of it written, for a spec
 * that is not an everyday one or does not fit: then spec_to_json() is the way.
 */
MUST_USE bool spec_write(const struct spec_def *def, struct buf *out);

/* The caller owns the result. */
json_t *spec_to_json(const struct spec_def *def, enum spec_form form);
