/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as what Conductor's clients send: the query of a search, its order, and the JSON of a
 * schedule.  Every input is read or refused; a schedule that is read has a valid document.
 */
#include <stddef.h>
#include <stdint.h>

#include "api/conductor/conductor_doc.h"
#include "api/conductor/conductor_query.h"
#include "base/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_query(struct str text)
{
    static const struct conductor_found found = {
        .id = {"e", 1}, .schedule = {"s", 1}, .workflow = {"w", 1}, .slot = SPAN_S};
    struct conductor_sort sort = conductor_sort_read(text);
    struct conductor_query query;
    struct err err;

    if (conductor_query_read(text, text, &query, &err) != RC_OK) {
        must(err.rc == RC_INVALID && err.text[0] != '\0');
        return;
    }
    must(query.schedules.count <= QUERY_LIST_MAX && query.states.count <= QUERY_LIST_MAX);
    must(query.slot_before > SPAN_S || !conductor_query_fits(&query, &found));
    must(conductor_sort_compare(&sort, &found, &found) == 0);
}

/* Like a real source, it knows no name that is too long. */
static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    if (name.len <= ZONE_NAME_MAX)
        return user;
    err_set(reterr, RC_NOT_FOUND, -1, 0, "unknown time zone");
    return NULL;
}

static void check_schedule(struct str text)
{
    static char zone; /* its address is a zone: nothing is compiled */
    static const struct zone_source zones = {find_zone, &zone};
    static struct arena *arena;
    struct schedule_doc doc = schedule_doc_default();
    struct conductor_wanted wanted;
    json_auto_t *json = NULL;
    struct err err = {.text = ""};

    if (!arena)
        arena = arena_new((size_t)2 * SCHEDULE_BYTES_MAX);
    arena_reset(arena);
    if (json_read(text, &json, &err) != RC_OK)
        return;
    if (conductor_read(json, &zones, arena, &doc, &wanted, &err) != RC_OK) {
        must(err.text[0] != '\0');
        return;
    }
    must(doc.id.len > 0 && doc.spec.cron_count > 0);
    must(schedule_check(&doc, arena, &err) == RC_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};

    check_query(text);
    check_schedule(text);
    return 0;
}
