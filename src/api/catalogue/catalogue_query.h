/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of the schedules in a catalogue, in an order, with a filter, and with counts.
 *
 * A query is one pass over all rows.  The counts of a facet are of the schedules that match
 * all other parts of the filter, so that a client can show what another choice would give.
 */
#pragma once

#include "api/catalogue/catalogue.h"
#include "base/arena.h"
#include "core/outcome.h"

enum catalogue_sort {
    SORT_NAME,
    SORT_NEXT,
    SORT_LAST,
    SORT_OUTCOME,
    SORT_FAILURES,
    SORT_LATENESS,
    SORT_COUNT,
};

/* The same words as the health of one schedule (api/native/native_schedule_health.c). */
enum catalogue_health {
    HEALTH_OK,
    HEALTH_LATE,
    HEALTH_FAILING,
    HEALTH_PAUSED,
    HEALTH_CLOSED,
    HEALTH_COUNT,
};

enum {
    CATALOGUE_OUTCOMES = OUTCOME_UNKNOWN + 1,
    CATALOGUE_ACTIONS = 4,       /* ACTION_COUNT                                    */
    CATALOGUE_VALUES = 50,       /* of a facet: those with the highest counts       */
    CATALOGUE_ROWS_PER_STEP = 8, /* of struct budget */
};

/* Each text and each mask that is empty matches all schedules. */
struct catalogue_filter {
    int64_t namespace;
    struct str prefix, search; /* as in struct schedule_filter */
    struct str label, value;
    bool has_value;
    struct str queue, zone;
    uint32_t statuses, healths, outcomes, actions; /* bits 1 << value */
};

/* Where a page begins: after this schedule, in the order of the query. */
struct catalogue_position {
    int64_t value; /* not SORT_NAME */
    struct str name;
    int64_t id;
};

struct catalogue_query {
    struct catalogue_filter filter;
    enum catalogue_sort sort;
    bool is_descending;
    bool has_after;
    struct catalogue_position after;
    int limit;
    bool wants_facets;
    instant now; /* decides what is late */
};

struct catalogue_value {
    struct str name, value; /* value: only of labels */
    int64_t count;
};

struct catalogue_values {
    int count;
    struct catalogue_value at[CATALOGUE_VALUES]; /* the highest count first */
};

struct catalogue_facets {
    int64_t status[STATUS_COUNT], health[HEALTH_COUNT];
    int64_t outcome[CATALOGUE_OUTCOMES], action[CATALOGUE_ACTIONS];
    struct catalogue_values queue, zone, label;
};

struct catalogue_page {
    struct catalogue_position *at; /* the schedules; names only for SORT_NAME */
    int count;
    bool has_more;
    int64_t total;                   /* schedules that match, on any page        */
    struct catalogue_facets *facets; /* NULL: not wanted                         */
    /* Set by the owner of the catalogue. */
    bool is_loaded; /* false: nothing else is set but `loaded`  */
    int64_t loaded; /* schedules that have been read            */
    instant as_of;  /* every change until then is in the answer */
};

enum catalogue_health catalogue_health(const struct catalogue_row *row, instant now);

/* All memory of the answer is in the arena. */
void catalogue_query(const struct catalogue *catalogue, const struct catalogue_query *query,
                     struct arena *arena, struct catalogue_page *ret);
