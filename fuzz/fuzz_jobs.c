/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the JSON of a schedule of the jobs API.
 *
 * A schedule that can be read and stored is shown as JSON that reads back as the same
 * document: an empty PATCH changes nothing.
 */
#include "api/jobs/jobs_doc.h"
#include "base/must.h"
#include "model/schedule_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static bool read(const json_t *json, struct arena *arena, struct schedule_doc *ret)
{
    struct err err;

    *ret = schedule_doc_default();
    if (jobs_read(json, STR("org"), arena, ret, &err) == RC_OK) {
        must(schedule_check(ret, arena, &err) == RC_OK);
        return true;
    }
    must(err.text[0] != '\0');
    return false;
}

static void check_shown(const struct schedule_doc *doc, struct arena *arena)
{
    json_auto_t *shown = NULL, *first = schedule_to_json(doc, SPEC_FULL), *second = NULL;
    struct schedule_texts texts;
    struct schedule_view view = {0};
    struct schedule_doc again;
    struct err err;

    if (schedule_keep(doc, arena, &texts, &err) != RC_OK)
        return; /* too long to store */
    view.row = (struct schedule_row){.name = STR("a"),
                                     .spec = texts.spec,
                                     .action = texts.action,
                                     .policies = texts.policies,
                                     .extra = texts.extra,
                                     .description = doc->description,
                                     .created_by = STR("b")};
    view.cursor.flags = doc->is_enabled ? 0 : CURSOR_DISABLED;
    must(jobs_show(&view, STR("org"), arena, &shown, &err) == RC_OK);
    must(read(shown, arena, &again));
    second = schedule_to_json(&again, SPEC_FULL);
    must(json_equal(first, second));
    jobs_hide_secrets(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct arena *arena;
    json_auto_t *json = NULL;
    struct schedule_doc doc;
    struct err err;

    if (!arena)
        arena = arena_new(SCHEDULE_BYTES_MAX);
    arena_reset(arena);
    if (json_read((struct str){(const char *)bytes, len}, &json, &err) == RC_OK &&
        read(json, arena, &doc))
        check_shown(&doc, arena);
    return 0;
}
