/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event as it is sent to clients, and the filter of a client.
 */
#pragma once

#include "api/call/request.h"
#include "core/event.h"
#include "core/run_id.h"

struct event_note;
struct event_scene;
struct answer;

typedef void event_print_fn(const struct event *event, const struct event_note *note,
                            const struct event_scene *scene, struct answer *out);

/* The events of the schedules of one API, in its own types and format. */
struct event_terms {
    enum dialects dialect;
    /*
     * The type of an event of such a schedule; 0: the API has no type for it.  `is_announced`:
     * the run is of a planned slot, for which there was an event run.planned.
     */
    int (*type)(const struct event *event, bool is_announced);
    const char *(*type_text)(int type);
    /* Agent and project of a schedule, from its stored "extra". */
    void (*party)(struct str extra, struct arena *arena, struct str *ret_agent,
                  struct str *ret_project);
    event_print_fn *print;
};

/* The creator owns the texts. */
struct event_note {
    int64_t node, seq;
    enum event_type type;
    int64_t namespace;   /* 0: none, or its schedule was removed */
    struct str schedule; /* its name; empty: none                */
    bool has_run;
    struct run_id run;
    struct str id;   /* the cursor after this event, see api/events/event_cursor.h */
    struct str json; /* the native form of the event                               */
    /* Set only if event_query.terms is set: the event as that API shows it. */
    int own_type;              /* 0: the API has no type for it   */
    struct str agent, project; /* the owner of the schedule       */
    struct str own_json;
};

struct event_filter {
    uint64_t types; /* bits 1 << enum event_type; 0: all */
    struct str schedule;
    bool has_run;
    struct run_id run;
    bool is_everything; /* events of all namespaces and of none              */
    int64_t namespace;  /* otherwise only events of this one                 */
    /* Only events that have a type in these terms; NULL: all events, in native terms. */
    const struct event_terms *terms;
    uint64_t own_types; /* with terms: bits 1 << type; 0: all */
    struct str agent, project;
};

#define EVENT_FILTER_PARAMETERS "type", "schedule", "run", "everything"
enum { EVENT_FILTER_COUNT = 4 };

/*
 * Parses the query, for begin().  The caller sets the namespace when it has its key, and
 * decides who may use `everything`.  Errors name the parameter.
 */
MUST_USE enum rc event_filter_read(const struct call *call, struct event_filter *ret,
                                   struct err *reterr);

/* A first check before the names are read: false only if the filter rejects the event. */
bool event_filter_may_want(const struct event_filter *filter, const struct event *event);
bool event_filter_wants(const struct event_filter *filter, const struct event_note *note);

/* The type and the JSON of a note, in the terms of the filter. */
struct str event_note_name(const struct event_filter *filter, const struct event_note *note);
struct str event_note_json(const struct event_filter *filter, const struct event_note *note);

/* Whether the event is about one run, or about one slot that could have become a run. */
bool event_has_run(const struct event *event);
