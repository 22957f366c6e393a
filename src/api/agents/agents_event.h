/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in the agents' words: ten types, and what each tells.
 *
 * Pure.  What agents have no word for is not told to them.
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
 * Whether it is an agent's is for the caller to know.  A run of a slot that its schedule
 * planned was told of with its day; others are when they can be taken.
 */
enum agents_event agents_event_of(const struct event *event, bool is_of_day);
const char *agents_event_text(enum agents_event type);

/* "EXEC_STARTED,SCHEDULE_*" as bits 1 << enum agents_event. */
MUST_USE enum rc agents_events_parse(struct str text, uint64_t *ret, struct err *reterr);

/* Whose schedule it is, by what is kept of it. */
void agents_event_party(struct str extra, struct arena *arena, struct str *ret_agent,
                        struct str *ret_project);

/* Of a note whose `own` is set. */
void agents_event_print(const struct event *event, const struct event_note *note,
                        const struct event_scene *scene, struct answer *out);
