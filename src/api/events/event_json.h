/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native JSON of an event.
 */
#pragma once

#include "api/call/answer.h"
#include "api/events/event_filter.h"
#include "store/event_pages.h"

/* What an event itself lacks: its time, and the names of its schedule, zone and node. */
struct event_scene {
    instant at;
    const struct event_owner *owner; /* of its schedule or zone; NULL: none, or not found */
    struct str node;                 /* the node that it is about, or that recorded it    */
};

/* Prints every member, null where the event has no value. */
event_print_fn event_print;

/* The node that an event is about; 0: none. */
int64_t event_subject(const struct event *event);
