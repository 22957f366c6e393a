/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the zones in use in one pass over the catalogue, and the schedules of a page in
 * another.
 */
#include "api/overview/clock_zones.h"

#include <stdlib.h>

#include "api/call/read_size.h"
#include "api/catalogue/catalogue_select.h"
#include "api/catalogue/catalogue_words.h"
#include "api/schedules/view.h"
#include "core/plan.h"
#include "store/catalogue_rows.h"

enum { NO_ZONE = -1 };

/* ---- the zones in use ---- */

struct zone_look {
    struct call *call;
    const struct clock_query *query;
    struct clock_zones *zones;
    int64_t *keys; /* of schedules that may have several zones */
    int key_count;
};

static bool is_wanted(const struct clock_query *query, struct str zone)
{
    return query->zone.len == 0 || str_eq(query->zone, zone);
}

/* The index of a zone, which is added if it is new; NO_ZONE: it is not wanted, or too many. */
static int find_zone(const struct zone_look *look, struct str name)
{
    struct clock_zones *zones = look->zones;

    if (!is_wanted(look->query, name))
        return NO_ZONE;
    for (int i = 0; i < zones->count; i++)
        if (str_eq(zones->at[i].name, name))
            return i;
    if (zones->count == CLOCK_ZONES_MAX) {
        zones->cut = "there are too many time zones; ask for one with zone";
        return NO_ZONE;
    }
    zones->at[zones->count] = (struct clock_zone){.name = arena_str(look->call->arena, name),
                                                  .first = -1};
    return zones->count++;
}

static void note_row(struct zone_look *look, const struct catalogue_row *row, int64_t *counts)
{
    if (row->id == 0 || row->namespace != look->call->namespace || row->status == STATUS_CLOSED)
        return;
    if (!(row->flags & CATALOGUE_ZONES))
        counts[row->zone]++;
    else if (look->key_count < CLOCK_MANY_MAX)
        look->keys[look->key_count++] = row->id;
    else
        look->zones->cut = "there are too many schedules with several time zones";
}

static void look_for_zones(void *arg, const struct catalogue *catalogue)
{
    struct zone_look *look = arg;
    const struct catalogue_words *words = catalogue_words_of(catalogue);
    uint32_t end = catalogue_words_end(words), rows = catalogue_rows(catalogue);
    int64_t *counts = arena_array(look->call->arena, (size_t)end + 1, sizeof *counts);

    for (uint32_t i = 0; i < rows; i++)
        note_row(look, catalogue_row_at(catalogue, i), counts);
    for (uint32_t word = 1; word < end; word++) {
        int zone = counts[word] > 0 ? find_zone(look, catalogue_words_get(words, word).name)
                                    : NO_ZONE;

        if (zone != NO_ZONE)
            look->zones->at[zone].schedules = counts[word];
    }
}

static void add_member(struct zone_look *look, int64_t id, struct str name)
{
    struct clock_zones *zones = look->zones;
    int zone = find_zone(look, name);

    if (zone == NO_ZONE)
        return;
    zones->at[zone].schedules++;
    zones->many[zones->many_count++] = (struct clock_member){zone, id};
}

/* Adds the schedule to each zone that some entry of its spec uses. */
static void add_spec(struct zone_look *look, int64_t id, const struct spec *spec)
{
    for (int zone = 0; zone < spec->zone_count; zone++)
        for (int i = 0; i < spec->entry_count; i++)
            if (spec->entries[i].zone == zone) {
                add_member(look, id, spec->zones[zone].name);
                break;
            }
}

static void add_plans(struct zone_look *look, const struct db_result *rows)
{
    for (int i = 0; i < rows->rows; i++) {
        struct plan plan;
        struct err err;

        if (plan_unpack(db_blob_at(rows, i, 2), look->call->arena, &plan, &err) == RC_OK)
            add_spec(look, db_int_at(rows, i, 0), &plan.spec);
    }
}

static enum rc read_many(struct zone_look *look, struct db *db, struct err *reterr)
{
    struct read_size size = read_size_of(CATALOGUE_KEYS_MAX);
    enum rc rc = RC_OK;

    look->zones->many = arena_array(look->call->arena,
                                    (size_t)look->key_count * (SPEC_ZONES_MAX + 1),
                                    sizeof *look->zones->many);
    for (int done = 0; rc == RC_OK && done < look->key_count;) {
        int part = look->key_count - done < size.rows ? look->key_count - done : size.rows;
        struct db_result rows = {0};

        catalogue_plans_get(db, &look->keys[done], part, &rows);
        rc = db_flush(db, look->call->arena, reterr);
        if (read_size_is_cut(&size, db, rc)) {
            rc = RC_OK;
            continue;
        }
        if (rc == RC_OK)
            add_plans(look, &rows);
        done += part;
    }
    return rc;
}

/* ---- their changes ---- */

static void add_changes(struct clock_zones *zones, int zone, const struct clock_query *query)
{
    const struct tz *tz = zones->at[zone].tz;
    struct zone_change change = {.zone = zone, .at = instant_seconds(query->from)};

    while (tz_next_change(tz, change.at, &change.at, &change.before, &change.after) &&
           change.at <= instant_seconds(query->until)) {
        if (zones->change_count == CLOCK_CHANGES_MAX) {
            zones->cut = "there are too many clock changes; ask for an earlier until";
            return;
        }
        zones->changes[zones->change_count++] = change;
        if (!query->all)
            return;
    }
}

static int compare_names(struct str a, struct str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.ptr, b.ptr, len);

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_name(const void *a, const void *b)
{
    return compare_names(((const struct clock_zone *)a)->name,
                         ((const struct clock_zone *)b)->name);
}

/* Zones are sorted by name. */
static int by_time(const void *a, const void *b)
{
    const struct zone_change *x = a, *y = b;

    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : x->zone - y->zone;
}

static void link_changes(struct clock_zones *zones)
{
    for (int i = zones->change_count - 1; i >= 0; i--) {
        struct zone_change *change = &zones->changes[i];

        change->next = zones->at[change->zone].first;
        zones->at[change->zone].first = i;
    }
}

/* Sorting moves the zones, so their members are found again by name. */
static void sort_zones(struct call *call, struct clock_zones *zones)
{
    struct str *names = arena_array(call->arena, (size_t)zones->count, sizeof *names);

    for (int i = 0; i < zones->count; i++)
        names[i] = zones->at[i].name;
    qsort(zones->at, (size_t)zones->count, sizeof *zones->at, by_name);
    for (int i = 0; i < zones->many_count; i++) {
        const struct clock_zone key = {.name = names[zones->many[i].change]};
        const struct clock_zone *found = bsearch(&key, zones->at, (size_t)zones->count,
                                                 sizeof *zones->at, by_name);

        zones->many[i].change = (int)(found - zones->at);
    }
}

static void find_changes(struct call *call, struct clock_zones *zones,
                         const struct clock_query *query)
{
    const struct zone_source *source = &call->context->zones;

    sort_zones(call, zones);
    zones->changes = arena_array(call->arena, CLOCK_CHANGES_MAX, sizeof *zones->changes);
    for (int i = 0; i < zones->count; i++) {
        struct err err;

        zones->at[i].tz = source->find(source->user, zones->at[i].name, &err);
        if (zones->at[i].tz)
            add_changes(zones, i, query);
        else
            zones->cut = "the server does not know some of the time zones";
    }
    qsort(zones->changes, (size_t)zones->change_count, sizeof *zones->changes, by_time);
    link_changes(zones);
}

bool clock_zones_read(struct call *call, struct db *db, const struct clock_query *query,
                      struct clock_zones *ret, enum call_step *ret_step)
{
    struct zone_look look = {.call = call, .query = query, .zones = ret};
    struct catalogue_visit visit = {.look = look_for_zones, .arg = &look};
    struct err err;

    *ret = (struct clock_zones){.count = 0};
    ret->at = arena_array(call->arena, CLOCK_ZONES_MAX, sizeof *ret->at);
    look.keys = arena_array(call->arena, CLOCK_MANY_MAX, sizeof *look.keys);
    if (!catalogue_visit(call, &visit, ret_step))
        return false;
    ret->as_of = visit.as_of;
    if (read_many(&look, db, &err) != RC_OK) {
        *ret_step = view_failed(call, &err);
        return false;
    }
    find_changes(call, ret, query);
    return true;
}

/* ---- the schedules of a page ---- */

struct member_look {
    struct call *call;
    const struct clock_zones *zones;
    const struct clock_member *after;
    struct catalogue_select select;
};

static void add_candidates(struct member_look *look, int zone, int64_t id)
{
    const struct clock_member *after = look->after;

    for (int i = look->zones->at[zone].first; i >= 0; i = look->zones->changes[i].next) {
        struct catalogue_candidate candidate = {.key = i, .id = id};

        if (i > after->change || (i == after->change && id > after->id))
            catalogue_select_add(&look->select, &candidate);
    }
}

static void look_for_members(void *arg, const struct catalogue *catalogue)
{
    struct member_look *look = arg;
    const struct catalogue_words *words = catalogue_words_of(catalogue);
    uint32_t end = catalogue_words_end(words), rows = catalogue_rows(catalogue);
    int *zone_of = arena_array(look->call->arena, (size_t)end + 1,
                               sizeof *zone_of); /* its index plus one */

    for (int i = 0; i < look->zones->count; i++)
        zone_of[catalogue_words_find(words, WORD_ZONE, look->zones->at[i].name,
                                     (struct str){NULL, 0})] = i + 1;
    zone_of[WORD_NONE] = 0;
    for (uint32_t i = 0; i < rows; i++) {
        const struct catalogue_row *row = catalogue_row_at(catalogue, i);

        if (row->id != 0 && row->namespace == look->call->namespace &&
            row->status != STATUS_CLOSED && !(row->flags & CATALOGUE_ZONES) &&
            zone_of[row->zone] > 0)
            add_candidates(look, zone_of[row->zone] - 1, row->id);
    }
}

bool clock_zones_members(struct call *call, const struct clock_zones *zones,
                         const struct clock_member *after, struct clock_members *ret,
                         enum call_step *ret_step)
{
    struct member_look look = {.call = call, .zones = zones, .after = after};
    struct catalogue_visit visit = {.look = look_for_members, .arg = &look};

    look.select = catalogue_select_begin(CLOCK_EXAMINED_MAX + 1, call->arena);
    if (!catalogue_visit(call, &visit, ret_step))
        return false;
    for (int i = 0; i < zones->many_count; i++)
        add_candidates(&look, zones->many[i].change, zones->many[i].id);
    catalogue_select_end(&look.select);
    ret->has_more = look.select.count > CLOCK_EXAMINED_MAX;
    ret->count = ret->has_more ? CLOCK_EXAMINED_MAX : look.select.count;
    ret->at = arena_array(call->arena, (size_t)ret->count, sizeof *ret->at);
    for (int i = 0; i < ret->count; i++)
        ret->at[i] = (struct clock_member){(int)look.select.at[i].key, look.select.at[i].id};
    return true;
}
