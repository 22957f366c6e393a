/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule for display, from its stored texts.
 *
 * The parts that change with each run are written as text without building JSON values, because
 * every read needs them.  The parts that users wrote depend only on the stored text, so a
 * caller that shows many schedules can cache them.
 */
#pragma once

#include "base/arena.h"
#include "model/fields.h"
#include "model/schedule_state.h"
#include "wire/json/json.h"

/* The parts that are stored in separate columns and shown with every default. */
enum schedule_part {
    PART_LABELS,
    PART_SPEC,
    PART_ACTION,
    PART_POLICIES,
    PART_EXTRA,
    PART_COUNT
};

/*
 * The full form of a stored text; an empty text is the default.  RC_CORRUPT if it cannot have
 * been stored by Belfry.  The caller owns *ret; `scratch` is for temporary data.
 */
MUST_USE enum rc schedule_part_show(enum schedule_part part, struct str kept,
                                    struct arena *scratch, json_t **ret, struct err *reterr);

/* The same for the governor, with its current hint. */
MUST_USE enum rc schedule_governor_show(struct str kept, const struct schedule_state *state,
                                        struct arena *scratch, json_t **ret,
                                        struct err *reterr);

/* In the order in which they are printed. */
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

/* Members that are not in `fields` may be empty. */
struct schedule_face {
    struct str id, namespace, description;
    struct str parts[PART_COUNT], governor; /* full forms, as JSON */
    const struct schedule_state *state;
    field_set fields;
};

/* Appends; out->cut is true if it did not fit. */
void schedule_show(const struct schedule_face *face, struct buf *out);
