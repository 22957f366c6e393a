/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time zones that the schedules of a namespace use, their clock changes, and the schedules
 * of each.  Closed schedules do not count.
 *
 * The catalogue has one zone per schedule; the specs of those that may have more are read.
 */
#pragma once

#include "api/catalogue/catalogue_visit.h"
#include "core/time/tz.h"

enum {
    CLOCK_ZONES_MAX = 1024,   /* in use; tzdata has 600 names            */
    CLOCK_MANY_MAX = 1000,    /* schedules whose specs are read          */
    CLOCK_CHANGES_MAX = 4096, /* of all zones                            */
    CLOCK_EXAMINED_MAX = 500, /* schedules of one answer: some 50 ms     */
};

struct clock_zone {
    struct str name;
    const struct tz *tz;
    int64_t schedules;
    int first; /* its first change; -1: none */
};

struct zone_change {
    int64_t at; /* UTC second */
    int32_t before, after;
    int zone;
    int next; /* of the same zone; -1: none */
};

/* A schedule to examine for one change. */
struct clock_member {
    int change;
    int64_t id;
};

struct clock_zones {
    struct clock_zone *at;
    int count;
    struct zone_change *changes; /* by time, then by the name of the zone */
    int change_count;
    const char *cut; /* what was left out; NULL: nothing */
    instant as_of;
    /* Schedules of several zones: one member per zone; `change` is the zone. */
    struct clock_member *many;
    int many_count;
};

struct clock_query {
    struct str zone; /* only this one; empty: all */
    instant from, until;
    bool all; /* not only the next change of each zone */
};

/* False with *ret_step after an error. */
bool clock_zones_read(struct call *call, struct db *db, const struct clock_query *query,
                      struct clock_zones *ret, enum call_step *ret_step);

struct clock_members {
    struct clock_member *at; /* by change and id, at most CLOCK_EXAMINED_MAX */
    int count;
    bool has_more;
};

/* The schedules after `after`.  False with *ret_step after an error. */
bool clock_zones_members(struct call *call, const struct clock_zones *zones,
                         const struct clock_member *after, struct clock_members *ret,
                         enum call_step *ret_step);
