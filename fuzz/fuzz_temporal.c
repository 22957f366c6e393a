/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the JSON of Temporal's spec, and as one of its cron strings.
 *
 * A canonical spec does not change when it is made canonical again or sent as a message; its
 * calendars are text that both the dialect and the native grammar accept.  A cron string is
 * accepted if and only if the core accepts it, with the same meaning.
 */
#include <string.h>

#include "base/must.h"
#include "core/limits.h"
#include "model/temporal_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* As clients see it. */
static struct str shown_form(const struct temporal_spec *spec, struct arena *arena)
{
    return proto_pack(&temporal_spec_message(spec, arena)->base, arena);
}

static void check_canonical(const struct temporal_spec *spec, struct arena *arena)
{
    struct str shown = shown_form(spec, arena);
    struct temporal_spec again;
    ProtobufCMessage *message;
    struct err err;

    must(temporal_canonical(spec, arena, &again, &err) == RC_OK);
    must(str_eq(shown, shown_form(&again, arena)));
    must(proto_unpack(&temporal__schedule_spec__descriptor, shown, arena, &message, &err) ==
         RC_OK);
    must(temporal_spec_of((const Temporal__ScheduleSpec *)message, arena, &again, &err) ==
         RC_OK);
    must(temporal_canonical(&again, arena, &again, &err) == RC_OK);
    must(str_eq(shown, shown_form(&again, arena)));
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

    if (json_read(text, &json, &err) != RC_OK)
        return;
    if (temporal_spec_from_json(json, arena, &spec, &err) != RC_OK) {
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
    enum rc canonical_rc = temporal_canonical(&spec, arena, &spec, &err);

    if (!is_plain(text) || canonical_rc == RC_LIMIT)
        return;
    /* This parser drops the comment of an interval; the core limits its length. */
    if (spec.interval_count > 0 && memchr(text.ptr, '#', text.len))
        return;
    must((canonical_rc == RC_OK) == (rc == RC_OK));
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
