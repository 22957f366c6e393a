/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule as people see it, from the texts that are kept of it.
 *
 * Written as text, for it is written with every read: no value is built for what changes
 * with each run, and what was written by people is a function of the text that was kept, so
 * that whoever shows many may remember it.
 */
#pragma once

#include "base/arena.h"
#include "model/fields.h"
#include "model/schedule_state.h"
#include "wire/json/json.h"

/* What is kept in a column of its own and shown as it was written, with every default. */
enum schedule_part {
    PART_LABELS,
    PART_SPEC,
    PART_ACTION,
    PART_POLICIES,
    PART_EXTRA,
    PART_COUNT
};

/*
 * The full form of a kept text; an empty one is the default.  RC_CORRUPT when it cannot have
 * been kept.  The caller owns *ret; `scratch` is for what is needed meanwhile.
 */
MUST_USE enum rc schedule_part_show(enum schedule_part part, struct str kept,
                                    struct arena *scratch, json_t **ret, struct err *reterr);

/* Likewise the governor, with the hint that counts now. */
MUST_USE enum rc schedule_governor_show(struct str kept, const struct schedule_state *state,
                                        struct arena *scratch, json_t **ret,
                                        struct err *reterr);

/* In the order in which they are told. */
enum schedule_field {
    SCHEDULE_FIELD_ID,
    SCHEDULE_FIELD_NAMESPACE,
    SCHEDULE_FIELD_DESCRIPTION,
    SCHEDULE_FIELD_LABELS,
    SCHEDULE_FIELD_ENABLED,
    SCHEDULE_FIELD_SPEC,
    SCHEDULE_FIELD_ACTION,
    SCHEDULE_FIELD_POLICIES,
    SCHEDULE_FIELD_GOVERNOR,
    SCHEDULE_FIELD_STATE,
    SCHEDULE_FIELD_EXTRA,
    SCHEDULE_FIELDS
};

extern const struct field_names schedule_fields;

/* What is not told of it may be empty. */
struct schedule_face {
    struct str id, namespace, description;
    struct str parts[PART_COUNT], governor; /* full forms, as JSON */
    const struct schedule_state *state;
    field_set fields;
};

/* Appends; out->cut tells when it did not fit. */
void schedule_show(const struct schedule_face *face, struct buf *out);
