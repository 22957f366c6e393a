/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the document of a stored schedule and applies merge patches to it.
 */
#include "api/native/native_document.h"

#include "base/must.h"
#include "model/schedule_json.h"

/* A schedule of another dialect may have a longer reason, which is truncated. */
static struct str pause_reason(const struct schedule_view *view)
{
    return str_head(view->row.reason, REASON_TEXT_MAX);
}

enum rc native_document(const struct call *call, const struct schedule_view *view,
                        struct arena *scratch, enum spec_form form, json_t **ret,
                        struct err *reterr)
{
    struct schedule_doc doc;

    if (view_recall(&view->row, scratch, &doc, reterr) != RC_OK)
        return reterr->rc;
    doc.namespace = call->namespace_name;
    doc.is_enabled = !(view->cursor.flags & CURSOR_DISABLED);
    if (view->cursor.flags & CURSOR_PAUSED)
        doc.pause = (struct pause_def){true, true, view->cursor.paused_until,
                                       pause_reason(view)};
    *ret = schedule_to_json(&doc, form);
    if (json_is_object(json_object_get(*ret, "governor")))
        json_object_del(json_object_get(*ret, "governor"), "hint");
    return RC_OK;
}

enum rc native_document_base(const struct call *call, const struct schedule_view *view,
                             struct str *ret, struct err *reterr)
{
    struct answer out = answer_new(call->arena);
    json_t *json = NULL;

    if (native_document(call, view, call->arena, SPEC_FULL, &json, reterr) != RC_OK)
        return reterr->rc;
    json_object_del(json, "paused");
    answer_json(&out, json);
    *ret = answer_done(&out);
    return RC_OK;
}

/* Recursive; the parser has checked that the depth is at most JSON_DEPTH_MAX. */
static void merge_patch(json_t *target, const json_t *patch)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)patch, key, value)
    {
        json_t *old = json_object_get(target, key);

        if (json_is_null(value)) {
            json_object_del(target, key);
        } else if (!json_is_object(value)) {
            json_put(target, key, json_deep_copy(value));
        } else {
            if (!json_is_object(old)) {
                old = json_new_object();
                json_put(target, key, old);
            }
            merge_patch(old, value);
        }
    }
}

static bool has_other_type(const json_t *document, const json_t *patch)
{
    const json_t *old = json_object_get(json_object_get(document, "action"), "type");
    const json_t *new = json_object_get(json_object_get(patch, "action"), "type");

    return new && !json_equal((json_t *)old, (json_t *)new);
}

json_t *native_document_patched(struct str document, const json_t *patch)
{
    json_t *json = json_loadb(document.ptr, document.len, 0, NULL);

    must(json_is_object(json) && json_is_object(patch));
    if (has_other_type(json, patch))
        json_object_del(json, "action");
    merge_patch(json, patch);
    return json;
}
