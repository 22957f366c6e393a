/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of APIs.
 */
#include "api/agents/agents.h"
#include "api/agents/agents_event.h"
#include "api/call/api_dialect.h"
#include "api/conductor/conductor.h"
#include "api/jobs/jobs.h"
#include "api/temporal/temporal.h"

const struct api_dialect api_dialects[DIALECTS_COUNT] = {
    [DIALECTS_NATIVE] = {.name = "native"},
    [DIALECTS_AGENTS] = {.name = "agents",
                         .prefixes = {"schedules", "executions"},
                         .refuse = agents_error_reply,
                         .events = &agents_event_terms},
    [DIALECTS_CONDUCTOR] = {.name = "conductor",
                            .prefixes = {"scheduler", "workflow", "token", "metadata"},
                            .token_field = {"X-Authorization", 15},
                            .forwarded = conductor_path,
                            .upstream = UPSTREAM_CONDUCTOR,
                            .upstream_name = "conductor",
                            .refuse = conductor_error_reply},
    [DIALECTS_JOBS] = {.name = "jobs",
                       .prefixes = {"orgs"},
                       .namespace = jobs_namespace,
                       .missing = jobs_no_org,
                       .refuse = jobs_error_reply},
    [DIALECTS_TEMPORAL] = {.name = "temporal",
                           .namespace = temporal_namespace,
                           .missing = temporal_no_namespace,
                           .forwarded = temporal_rpc,
                           .upstream = UPSTREAM_TEMPORAL,
                           .upstream_name = "temporal",
                           .refuse = temporal_error_reply,
                           .is_grpc = true},
};
