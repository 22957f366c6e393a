/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the JSON of an agent's schedule.
 *
 * A schedule that can be read prints as JSON that reads back as the same schedule.  A complete
 * schedule fills a valid document, unless a member is wrong, and has a name that needs no
 * escaping in a path.
 */
#include <string.h>

#include "api/agents/agents_doc.h"
#include "base/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_name(const struct agents_schedule *schedule, struct arena *arena)
{
    struct str name = agents_name(schedule->agent, schedule->project, arena);

    must(name.len > 6 && name.len < AGENT_NAME_MAX);
    for (size_t i = 0; i < name.len; i++)
        must(char_is_alpha(name.ptr[i]) || char_is_digit(name.ptr[i]) ||
             memchr("-_.~:@", name.ptr[i], 6));
}

static void check_document(const struct agents_schedule *schedule, struct arena *arena)
{
    struct schedule_doc doc = schedule_doc_default();
    struct err err;

    if (agents_fill(schedule, arena, &doc, &err) == RC_OK)
        must(schedule_check(&doc, arena, &err) == RC_OK);
    else
        must(err.text[0] != '\0' && str_is_utf8(str_of(err.text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct arena *arena = arena_new((size_t)2 * SCHEDULE_BYTES_MAX);
    struct agents_schedule schedule = agents_initial(STR("UTC")), again = schedule;
    json_auto_t *json = NULL;
    struct err err;

    if (json_read((struct str){(const char *)bytes, len}, &json, &err) == RC_OK &&
        agents_read(json, arena, &schedule, &err) == RC_OK &&
        agents_check(&schedule, &err) == RC_OK) {
        json_auto_t *first = agents_print(&schedule), *second = NULL;

        must(agents_read(first, arena, &again, &err) == RC_OK);
        second = agents_print(&again);
        must(json_equal(first, second));
        check_name(&schedule, arena);
        check_document(&schedule, arena);
    }
    arena_free(arena);
    return 0;
}
