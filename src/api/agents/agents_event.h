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

/*
 * The type of an event of an agents' schedule, which the caller has to check.  `is_of_day`: the
 * run is of a planned slot, which the event of its day has reported; other runs are reported
 * when they become ready.
 */
enum agents_event agents_event_of(const struct event *event, bool is_of_day);
const char *agents_event_text(enum agents_event type);

/* "EXEC_STARTED,SCHEDULE_*" as bits 1 << enum agents_event. */
MUST_USE enum rc agents_events_parse(struct str text, uint64_t *ret, struct err *reterr);

/* The agent and the project of a schedule, from its stored "extra". */
void agents_event_party(struct str extra, struct arena *arena, struct str *ret_agent,
                        struct str *ret_project);

/* Prints an event whose note has an agents_type. */
void agents_event_print(const struct event *event, const struct event_note *note,
                        const struct event_scene *scene, struct answer *out);
