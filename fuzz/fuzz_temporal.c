/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the JSON of Temporal's spec, and as one of its cron strings.
 *
 * A canonical spec does not change when it is made canonical again or printed and read; its
 * calendars are text that both the dialect and the native grammar accept.  A cron string is
 * accepted if and only if the core accepts it, with the same meaning.
 */
#include <string.h>

#include "base/must.h"
#include "core/limits.h"
#include "model/temporal_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_same(const struct temporal_spec *a, const struct temporal_spec *b,
                       enum temporal_form form)
{
    json_auto_t *x = temporal_to_json(a, form);
    json_auto_t *y = temporal_to_json(b, form);

    must(json_equal(x, y));
}

static void check_canonical(const struct temporal_spec *spec, struct arena *arena)
{
    struct temporal_spec again;
    struct err err;

    must(temporal_canonical(spec, arena, &again, &err) == RC_OK);
    check_same(spec, &again, TEMPORAL_STORED);
    for (int form = TEMPORAL_STORED; form <= TEMPORAL_DESCRIBED; form++) {
        json_auto_t *json = temporal_to_json(spec, (enum temporal_form)form);

        must(temporal_from_json(json, arena, &again, &err) == RC_OK);
        must(temporal_canonical(&again, arena, &again, &err) == RC_OK);
        check_same(spec, &again, TEMPORAL_DESCRIBED);
    }
}

static void check_calendars(const struct calendar_def *defs, int count)
{
    struct cron cron;
    struct err err;

    for (int i = 0; i < count; i++) {
        must(calendar_parse(&defs[i].text, DIALECT_TEMPORAL, &cron, &err) == RC_OK);
        must(calendar_parse(&defs[i].text, DIALECT_BELFRY, &cron, &err) == RC_OK);
    }
}

static void check_def(const struct temporal_spec *spec, struct arena *arena)
{
    struct spec_def def = temporal_spec_def(spec, arena);

    must(def.start <= def.end && def.end <= TEMPORAL_HORIZON);
    check_calendars(def.calendars, def.calendar_count);
    check_calendars(def.not_calendars, def.not_calendar_count);
    for (int i = 0; i < def.interval_count; i++)
        must(def.intervals[i].every >= SPAN_S && def.intervals[i].phase >= 0 &&
             def.intervals[i].phase < def.intervals[i].every);
}

static void check_json(struct str text, struct arena *arena)
{
    json_auto_t *json = NULL;
    struct temporal_spec spec;
    struct err err;

    if (json_read(text, &json, &err) != RC_OK ||
        temporal_from_json(json, arena, &spec, &err) != RC_OK)
        return;
    if (temporal_canonical(&spec, arena, &spec, &err) != RC_OK) {
        must(str_is_utf8(str_of(err.text)) && err.text[0] != '\0');
        return;
    }
    check_canonical(&spec, arena);
    check_def(&spec, arena);
}

/* The two parsers differ in which bytes zone names and comments may have. */
static bool is_plain(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < ' ' || text.ptr[i] > '~')
            return false;
    return text.len <= CRON_TEXT_MAX;
}

static void check_cron(struct str text, struct arena *arena)
{
    struct temporal_spec spec = {.cron_strings = &text, .cron_count = 1};
    struct spec_def def;
    struct cron_text core;
    struct cron cron;
    struct err err;
    enum rc rc = cron_parse(text, DIALECT_TEMPORAL, (struct str){0}, &core, &err);
    enum rc own = temporal_canonical(&spec, arena, &spec, &err);

    if (!is_plain(text) || own == RC_LIMIT)
        return;
    /* This parser drops the comment of an interval; the core limits its length. */
    if (spec.interval_count > 0 && memchr(text.ptr, '#', text.len))
        return;
    must((own == RC_OK) == (rc == RC_OK));
    if (rc != RC_OK || core.is_every)
        return;
    def = temporal_spec_def(&spec, arena);
    must(def.calendar_count == 1 && str_eq(spec.zone, core.zone));
    must(calendar_parse(&def.calendars[0].text, DIALECT_TEMPORAL, &cron, &err) == RC_OK);
    must(cron.second == core.cron.second && cron.minute == core.cron.minute &&
         cron.hour == core.cron.hour && cron.day == core.cron.day &&
         cron.month == core.cron.month && cron.weekday == core.cron.weekday);
    /* The core treats a list of all years as no limit: the same from 2000 to 2100. */
    must((cron.flags | core.cron.flags) & CRON_ANY_YEAR ||
         memcmp(cron.year, core.cron.year, sizeof cron.year) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct arena *arena = arena_new((size_t)64 << 20);
    struct str text = {(const char *)bytes, len};

    check_json(text, arena);
    check_cron(text, arena);
    arena_free(arena);
    return 0;
}
