/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the JSON of a whole schedule.
 *
 * A schedule that can be read prints as text that reads back as the same schedule, in both
 * forms and through the columns; one that compiles packs to bytes that unpack to the same
 * plan; its URL and headers contain nothing that could end a line.
 */
#include <string.h>

#include "base/must.h"
#include "model/schedule_draft.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { TEXT_MAX = 16 << 20 }; /* over ten times the full form of the longest text */

static char first[TEXT_MAX], second[TEXT_MAX], whole[TEXT_MAX];
static char packed[PLAN_PACKED_MAX + 1], again[PLAN_PACKED_MAX + 1];

static struct str print(const struct schedule_doc *doc, enum spec_form form, char *text)
{
    json_auto_t *json = schedule_to_json(doc, form);
    struct buf out = {text, 0, TEXT_MAX, false};

    json_print(json, JSON_STYLE_LINE, &out);
    must(!out.cut);
    return buf_as_str(&out);
}

/* Without the size limit: the full form may be longer than a client may send. */
static void check_form(const struct schedule_doc *doc, enum spec_form form, struct arena *arena)
{
    struct str text = print(doc, form, first), full = print(doc, SPEC_FULL, whole);
    json_auto_t *json = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    struct schedule_doc back;
    struct err err;

    must(json != NULL);
    must(schedule_from_json(json, arena, false, &back, &err) == RC_OK);
    must(str_eq(print(&back, form, second), text));
    must(str_eq(print(&back, SPEC_FULL, second), full));
}

static void check_columns(const struct schedule_doc *doc, struct arena *arena)
{
    struct schedule_doc back = *doc, bare = *doc;
    struct governor_def none = governor_def_empty();
    struct schedule_texts texts;
    struct err err;

    if (schedule_keep(doc, arena, &texts, &err) != RC_OK) {
        must(err.rc == RC_LIMIT);
        return;
    }
    must(schedule_recall(&texts, arena, &back, &err) == RC_OK);
    bare.governor.hint_interval = none.hint_interval;
    bare.governor.hint_at = none.hint_at;
    bare.governor.hint_expires = none.hint_expires;
    bare.governor.hint_reason = none.hint_reason;
    must(str_eq(print(&back, SPEC_FULL, first), print(&bare, SPEC_FULL, second)));
}

/* Only zones with a fixed offset: core/time/tz.h has its own fuzz target. */
static const struct tz *find_zone(void *arena, struct str name, struct err *err)
{
    struct tz *tz = arena_take(arena, TZ_FIXED_BYTES);

    return tz_fixed(name, tz, TZ_FIXED_BYTES, err) == RC_OK ? tz : NULL;
}

static void check_draft(struct schedule_doc *doc, struct arena *arena)
{
    const struct draft_options options = {{find_zone, arena}, false};
    struct buf once = BUF(packed), twice = BUF(again);
    struct schedule_draft draft;
    struct plan plan;
    struct err err;

    if (doc->id.len == 0)
        doc->id = STR("made");
    if (schedule_draft(doc, &options, arena, &draft, &err) != RC_OK)
        return;
    plan_pack(&draft.plan, &once);
    must(!once.cut);
    must(plan_unpack(buf_as_str(&once), arena, &plan, &err) == RC_OK);
    plan_pack(&plan, &twice);
    must(str_eq(buf_as_str(&once), buf_as_str(&twice)));
    must((draft.plan.lane == LANE_PULL) == (draft.queue.len > 0));
}

static void check_line(struct str s)
{
    must(!memchr(s.ptr, '\r', s.len) && !memchr(s.ptr, '\n', s.len));
    must(!memchr(s.ptr, '\0', s.len));
}

static void check_http(const struct action *action)
{
    if (action->type != ACTION_HTTP)
        return;
    check_line(action->http.method);
    check_line(action->http.url);
    for (int i = 0; i < action->http.headers.count; i++) {
        check_line(action->http.headers.list[i].name);
        check_line(action->http.headers.list[i].value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct arena *arena = arena_new((size_t)8 * SCHEDULE_BYTES_MAX);
    struct str text = {(const char *)bytes, len};
    struct schedule_doc doc;
    struct err err;

    if (schedule_from_text(text, arena, false, &doc, &err) == RC_OK) {
        check_form(&doc, SPEC_FULL, arena);
        check_form(&doc, SPEC_BRIEF, arena);
        check_columns(&doc, arena);
        check_http(&doc.action);
        check_draft(&doc, arena);
        must(schedule_from_text(text, arena, true, &doc, &err) == RC_OK);
    } else {
        must(err.rc != RC_OK && err.text[0] != '\0');
        must(str_is_utf8(str_of(err.text)) && str_is_utf8(str_of(err.field)));
    }
    arena_free(arena);
    return 0;
}
