/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event as the native JSON shows it.
 */
#pragma once

#include "api/call/answer.h"
#include "api/events/event_filter.h"
#include "store/event_pages.h"

/* What stands around an event: its row, and the names of what it names by key. */
struct event_scene {
    instant at;
    const struct event_owner *owner; /* of its schedule or zone; NULL: none, or not known */
    struct str node;                 /* the one that it is about, or that tells it        */
};

typedef void event_print_fn(const struct event *event, const struct event_note *note,
                            const struct event_scene *scene, struct answer *out);

/* Every member is always there, null where it has nothing to say. */
void event_print(const struct event *event, const struct event_note *note,
                 const struct event_scene *scene, struct answer *out);

/* The node that an event is about; 0: it is about none. */
int64_t event_subject(const struct event *event);
