/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between Temporal's ScheduleSpec and JSON, as defined by protobuf's JSON mapping.
 *
 * Unknown fields are ignored, as in every dialect except the native one.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "model/temporal_spec.h"
#include "wire/json/json.h"

/* Checks types and counts only; temporal_canonical() checks the rest. */
MUST_USE enum rc temporal_from_json(const json_t *json, struct arena *arena,
                                    struct temporal_spec *ret, struct err *reterr);

/* Reads, makes canonical and converts for the core in one call. */
MUST_USE enum rc temporal_def_from_json(const json_t *json, struct arena *arena,
                                        struct spec_def *ret, struct err *reterr);

enum temporal_form {
    TEMPORAL_STORED,    /* ranges as stored */
    TEMPORAL_DESCRIBED, /* as shown: end at least start, step at least 1 */
};

/* Prints the fields that are set of a canonical spec.  The caller owns the result. */
json_t *temporal_to_json(const struct temporal_spec *spec, enum temporal_form form);
