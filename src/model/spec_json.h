/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between a spec and the "spec" object of the native JSON.
 *
 * Reading checks types, ranges and counts; spec_compile() (core/spec/spec.h) checks the grammar
 * of expressions and whether a zone exists.  Printing is canonical: the output reads back as
 * the same spec and prints as the same text again.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "core/spec/spec_def.h"
#include "wire/json/json.h"

/*
 * Everything that *ret points to is in `arena`, SPEC_DEF_BYTES_MAX at most.  Errors name the
 * field as seen from the spec, `cron[0].expr`; a caller that reads a larger document prepends
 * its own name with err_in().
 *
 * Instants are truncated to the millisecond.  Excluded dates are sorted and duplicates removed;
 * all other lists keep their order.  A blank field of a calendar becomes its default.
 */
MUST_USE enum rc spec_from_json(const json_t *json, struct arena *arena, struct spec_def *ret,
                                struct err *reterr);

/* The same from text, parsed by json_read(). */
MUST_USE enum rc spec_from_text(struct str text, struct arena *arena, struct spec_def *ret,
                                struct err *reterr);

enum spec_form {
    SPEC_FULL,  /* every field, even with its default */
    SPEC_BRIEF, /* only differences from the default; a plain cron entry is a string */
};

/* Appends the brief form as one line of text.  Returns false if it does not fit. */
MUST_USE bool spec_write(const struct spec_def *def, struct buf *out);

/* The caller owns the result. */
json_t *spec_to_json(const struct spec_def *def, enum spec_form form);
