/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks search attributes against those that the namespace or its upstream defines.  For the
 * begin() of an operation.
 *
 * An upstream's list that is missing or old is read first.  Before a request is rejected, the
 * list is read again: the attribute may be new.  If the upstream does not answer, its last list
 * counts, and without one everything is valid.
 */
#pragma once

#include "api/call/call.h"
#include "api/temporal/temporal_query.h"

#define TEMPORAL_ATTRIBUTES_AGE   SPAN_MIN /* of a list that needs not be read again   */
#define TEMPORAL_ATTRIBUTES_AGAIN SPAN_S   /* of a list that is not read before an error */

/*
 * Those of a schedule and of its workflows; either may be NULL.  Adds the defined types to
 * their payloads.  False: see the step.
 */
bool temporal_attributes_check(struct call *call, Temporal__Fields *of_schedule,
                               Temporal__Fields *of_action, enum call_step *ret_step);

/* Those of a query. */
bool temporal_attributes_query(struct call *call, const struct temporal_query *query,
                               enum call_step *ret_step);
