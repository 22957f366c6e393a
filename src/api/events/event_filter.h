/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event as it is told, and which of them somebody wants to hear.
 */
#pragma once

#include "api/call/request.h"
#include "core/event.h"
#include "core/run_id.h"

/* The texts are of whoever made it. */
struct event_note {
    int64_t node, seq;
    enum event_type type;
    int64_t namespace;   /* 0: of none, or of one that is not known any more */
    struct str schedule; /* its name; empty: none                            */
    bool has_run;
    struct run_id run;
    struct str id;   /* the place behind it, see api/events/event_cursor.h */
    struct str json; /* all of it                                    */
    /* In the agents' words, where they were asked for and have some. */
    int agents_type;           /* enum agents_event */
    struct str agent, project; /* whose it is       */
    struct str own_json;
};

struct event_filter {
    uint64_t types; /* bits 1 << enum event_type; 0: all */
    struct str schedule;
    bool has_run;
    struct run_id run;
    bool is_everything;    /* of all namespaces, and of none */
    int64_t namespace;     /* else of this one               */
    bool is_agents;        /* only what agents have words for, in these words */
    uint64_t agents_types; /* then: bits 1 << enum agents_event; 0: all       */
    struct str agent, project;
};

#define EVENT_FILTER_PARAMETERS "type", "schedule", "run", "everything"
enum { EVENT_FILTER_COUNT = 4 };

/*
 * From the query, for begin(); the namespace is to be set once its key is known.  `everything`
 * is refused by the caller.  Errors name the parameter.
 */
MUST_USE enum rc event_filter_read(const struct call *call, struct event_filter *ret,
                                   struct err *reterr);

/* By what the event itself says, before anything is looked up. */
bool event_filter_may_want(const struct event_filter *filter, const struct event *event);
bool event_filter_wants(const struct event_filter *filter, const struct event_note *note);

/* What a note is called and how it reads, in the words that were asked for. */
struct str event_note_name(const struct event_filter *filter, const struct event_note *note);
struct str event_note_json(const struct event_filter *filter, const struct event_note *note);

/* Whether it tells of one run, or of one slot that could have become one. */
bool event_has_run(const struct event *event);
