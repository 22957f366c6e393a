/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as what Conductor's clients send: the query of a search, its order, and the JSON of a
 * schedule.  Every input is read or refused; a schedule that is read has a document with an
 * action.
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
    struct conductor_query query = conductor_query_read(text, text);
    struct conductor_sort sort = conductor_sort_read(text);

    must(query.schedules.count <= QUERY_LIST_MAX && query.states.count <= QUERY_LIST_MAX);
    must(query.slot_before > SPAN_S || !conductor_query_fits(&query, &found));
    must(conductor_sort_compare(&sort, &found, &found) == 0);
}

static void check_schedule(struct str text)
{
    struct conductor_wanted wanted;
    json_auto_t *json = NULL, *document = NULL;
    struct err err = {.text = ""};

    if (json_read(text, &json, &err) != RC_OK)
        return;
    if (conductor_read(json, &wanted, &err) != RC_OK) {
        must(err.text[0] != '\0');
        return;
    }
    document = wanted.document;
    must(wanted.name.len > 0);
    must(json_is_object(json_object_get(document, "action")));
    must(json_array_size(json_object_get(json_object_get(document, "spec"), "cron")) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};

    check_query(text);
    check_schedule(text);
    return 0;
}
