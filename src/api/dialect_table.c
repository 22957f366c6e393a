/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of APIs.
 */
#include "api/call/api_dialect.h"
#include "api/jobs/jobs.h"
#include "api/temporal/temporal.h"

const struct api_dialect api_dialects[DIALECTS_COUNT] = {
    [DIALECTS_NATIVE] = {.name = "native"},
    [DIALECTS_AGENTS] = {.name = "agents", .prefixes = {"schedules", "executions"}},
    [DIALECTS_CONDUCTOR] = {.name = "conductor",
                            .prefixes = {"scheduler", "workflow", "token", "metadata"},
                            .token_field = {"X-Authorization", 15}},
    [DIALECTS_JOBS] = {.name = "jobs",
                       .prefixes = {"orgs"},
                       .namespace = jobs_namespace,
                       .missing = jobs_no_org},
    [DIALECTS_TEMPORAL] = {.name = "temporal",
                           .namespace = temporal_namespace,
                           .missing = temporal_no_namespace,
                           .is_grpc = true},
};
