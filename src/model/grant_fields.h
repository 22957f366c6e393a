/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a run that a worker can request when it polls; model/payload.h prints them. */
#pragma once

#include "model/fields.h"

/* In the order in which they are printed. */
enum grant_field {
    GRANT_FIELD_ID,
    GRANT_FIELD_SCHEDULE,
    GRANT_FIELD_KIND,
    GRANT_FIELD_SLOT,
    GRANT_FIELD_DUE,
    GRANT_FIELD_STATE,
    GRANT_FIELD_ATTEMPT,
    GRANT_FIELD_FENCE,
    GRANT_FIELD_QUEUE,
    GRANT_FIELD_WORKER,
    GRANT_FIELD_LEASE_UNTIL,
    GRANT_FIELD_SOURCE,
    GRANT_FIELD_INPUT,
    GRANT_FIELD_CREATED_AT,
    GRANT_FIELD_STARTED_AT,
    GRANT_FIELD_PROGRESS,
    GRANT_FIELD_LAST_RUN_AT,
    GRANT_FIELD_IDEMPOTENCY_KEY,
    GRANT_FIELD_TRACEPARENT,
    GRANT_FIELD_NAMESPACE,
    GRANT_FIELD_ACTION,
    GRANT_FIELD_LAST_RESULT,
    GRANT_FIELD_LAST_FAILURE,
    GRANT_FIELDS
};

/* id and fence are always included: a worker cannot report about a run without them. */
extern const struct field_names grant_fields;
