/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in the terms of the agents' API: ten types, and the members of each.
 *
 * Pure.  Events that this API has no type for are left out.
 */
#pragma once

#include "api/events/event_json.h"

enum agents_event {
    AGENTS_EVENT_NONE,
    AGENTS_EXEC_PLANNED,
    AGENTS_EXEC_CLAIMED,
    AGENTS_EXEC_STARTED,
    AGENTS_EXEC_FINISHED,
    AGENTS_EXEC_RETRYING,
    AGENTS_EXEC_CANCELLED,
    AGENTS_SCHEDULE_CREATED,
    AGENTS_SCHEDULE_UPDATED,
    AGENTS_SCHEDULE_DISABLED,
    AGENTS_MIDNIGHT_REBUILD,
    AGENTS_EVENT_COUNT
};

/* "EXEC_STARTED,SCHEDULE_*" as bits 1 << enum agents_event. */
MUST_USE enum rc agents_events_parse(struct str text, uint64_t *ret, struct err *reterr);

/* Types are enum agents_event. */
extern const struct event_terms agents_event_terms;
