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

/* Removes defaults: an empty description counts as absent, and enabled is the default. */
static void strip(json_t *document, bool is_enabled)
{
    json_object_del(document, "description");
    if (is_enabled)
        json_object_del(document, "enabled");
}

static void check_shown(json_t *document, const struct schedule_doc *doc, struct arena *arena)
{
    json_auto_t *shown = NULL, *again = NULL;
    struct schedule_texts texts;
    struct schedule_view view = {0};
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
    must(jobs_read(shown, STR("org"), &again, &err) == RC_OK);
    strip(document, doc->is_enabled);
    strip(again, doc->is_enabled);
    must(json_equal(document, again));
    jobs_hide_secrets(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct arena *arena;
    json_auto_t *json = NULL, *document = NULL;
    struct schedule_doc doc;
    struct err err;

    if (!arena)
        arena = arena_new(SCHEDULE_BYTES_MAX);
    arena_reset(arena);
    if (json_read((struct str){(const char *)bytes, len}, &json, &err) != RC_OK ||
        jobs_read(json, STR("org"), &document, &err) != RC_OK)
        return 0;
    if (schedule_from_json(document, arena, false, &doc, &err) != RC_OK) {
        jobs_explain(&err);
        must(err.text[0] != '\0');
        return 0;
    }
    check_shown(document, &doc, arena);
    return 0;
}
