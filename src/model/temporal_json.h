/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporal's ScheduleSpec ↔ JSON, in the shape of protobuf's JSON mapping.
 *
 * Fields that are not known are ignored, as in every dialect but the native one.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "model/temporal_spec.h"
#include "wire/json/json.h"

/* Types and counts only; temporal_canonical() checks the rest. */
MUST_USE enum rc temporal_from_json(const json_t *json, struct arena *arena,
                                    struct temporal_spec *ret, struct err *reterr);

/* All the way to the core: read, made canonical, converted. */
MUST_USE enum rc temporal_def_from_json(const json_t *json, struct arena *arena,
                                        struct spec_def *ret, struct err *reterr);

enum temporal_form {
    TEMPORAL_STORED,    /* ranges as kept                                      */
    TEMPORAL_DESCRIBED, /* as shown: end at least start, step at least 1       */
};

/* A canonical spec; only what is set.  The caller owns the result. */
json_t *temporal_to_json(const struct temporal_spec *spec, enum temporal_form form);
