/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the JSON of a spec.
 *
 * A spec that can be read prints as text that reads back as the same spec, in both forms; one
 * that compiles has its next slot after the given time, or none.
 */
#include <string.h>

#include "base/must.h"
#include "core/limits.h"
#include "core/spec/spec.h"
#include "model/spec_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { TEXT_MAX = 16 << 20 }; /* over ten times the full form of the longest text */

static char first[TEXT_MAX], second[TEXT_MAX];

static struct str print(const struct spec_def *def, enum spec_form form, char *text)
{
    json_auto_t *json = spec_to_json(def, form);
    struct buf out = {text, 0, TEXT_MAX, false};

    json_print(json, JSON_STYLE_LINE, &out);
    must(!out.cut);
    return buf_as_str(&out);
}

/* Without the size limit: the full form may be longer than a client may send. */
static void check_form(const struct spec_def *def, enum spec_form form, struct arena *arena)
{
    struct str text = print(def, form, first);
    json_auto_t *json = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    struct spec_def again;
    struct err err;

    must(json != NULL);
    must(spec_from_json(json, arena, &again, &err) == RC_OK);
    must(str_eq(print(&again, form, second), text));
}

/* Only zones with a fixed offset: core/time/tz.h has its own fuzz target. */
static const struct tz *find_zone(void *arena, struct str name, struct err *err)
{
    struct tz *tz = arena_take(arena, TZ_BYTES_MAX);

    return tz_fixed(name, tz, TZ_BYTES_MAX, err) == RC_OK ? tz : NULL;
}

static void check_slots(const struct spec_def *def, struct arena *arena)
{
    const struct zone_source zones = {find_zone, arena};
    struct spec_ctx ctx = spec_ctx(INT64_C(1700000000000000));
    instant after = ctx.created;
    struct slot slot;
    struct spec spec;
    struct err err;

    if (spec_compile(def, STR("seed"), &zones, arena, &spec, &err) != RC_OK)
        return;
    for (int i = 0; i < 3 && spec_next(&spec, &ctx, after, &slot); i++) {
        must(slot.at > after && slot.due >= slot.at);
        after = slot.at;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct arena *arena = arena_new((size_t)64 << 20);
    struct str text = {(const char *)bytes, len};
    struct spec_def def;
    struct err err;

    if (spec_from_text(text, arena, &def, &err) == RC_OK) {
        check_form(&def, SPEC_FULL, arena);
        check_form(&def, SPEC_BRIEF, arena);
        check_slots(&def, arena);
    } else {
        must(err.rc != RC_OK && err.text[0] != '\0');
        must(str_is_utf8(str_of(err.text)) && str_is_utf8(str_of(err.field)));
    }
    arena_free(arena);
    return 0;
}
