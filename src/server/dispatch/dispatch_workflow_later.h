/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookups of a workflow after its run has ended: docs/decisions/0052.
 */
#pragma once

#include "server/dispatch/dispatch_workflow_parts.h"

/*
 * Ends the attempt like dispatch_end(), but keeps the flow and looks for the workflow a few
 * times more.  False: no start was unanswered, the run is large, or the server stops; then
 * nothing was done.
 */
bool flow_end_doubtful(struct flow *flow, const struct dispatch_end *end);
void flow_look_later(struct flow *flow); /* may free the flow */

/* Both free the flow. */
void flow_note_found(struct flow *flow, struct str id);
void flow_leave_over(struct flow *flow);
