/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the results of `belfry explain` as JSON.
 */
#include "cli/time/findings.h"
#include "core/time/text.h"
#include "wire/json/json.h"

/* Enough for the whole output, since every text in it is bounded. */
enum { JSON_ROOM = 4 << 20 };

static json_t *json_instant(instant t)
{
    char text[INSTANT_TEXT_MAX];
    struct buf buf = BUF(text);

    instant_format(t, &buf);
    return json_new_str(buf_as_str(&buf));
}

static json_t *json_local(instant t, const struct tz *tz)
{
    char text[INSTANT_TEXT_MAX];
    struct buf buf = BUF(text);

    instant_format_local(t, tz_offset(tz, instant_seconds(t)), &buf);
    return json_new_str(buf_as_str(&buf));
}

static json_t *json_slot(const struct findings *f, const struct slot *slot)
{
    const struct spec_argument *s = f->argument;
    char text[EXPLAIN_TEXT_MAX] = "", name[32];
    struct buf note = BUF(text), entry = BUF(name);
    json_t *object = json_new_object();

    explain_entry(&s->spec, slot->entry, &entry);
    json_put(object, "due", json_instant(slot->due));
    json_put(object, "slot", json_instant(slot->at));
    json_put(object, "local", json_local(slot->due, spec_argument_tz(&s->spec, slot->entry)));
    json_put(object, "entry", json_new_str(buf_as_str(&entry)));
    if (explain_note(&s->spec, &s->ctx, slot, &note))
        json_put(object, "note", json_new_str(buf_as_str(&note)));
    return object;
}

static json_t *json_moment(const struct findings *f, int i)
{
    const struct explain *why = &f->why[i];
    json_t *object = json_new_object();

    json_put(object, "at", f->in_gap ? json_null() : json_instant(f->moment[i]));
    json_put(object, "isSlot", json_boolean(why->why == WHY_SLOT));
    json_put(object, "why", json_new_str(str_of(why->text)));
    json_put(object, "before", why->has_prev ? json_slot(f, &why->prev) : json_null());
    json_put(object, "after", why->has_next ? json_slot(f, &why->next) : json_null());
    return object;
}

static json_t *json_change(const struct findings *f, const struct explain_change *change)
{
    json_t *object = json_new_object();
    struct str zone = f->argument->spec.zones[change->zone].name;

    json_put(object, "at", json_instant(instant_of_seconds(change->at)));
    json_put(object, "timezone", json_new_str(zone));
    json_put(object, "offsetBefore", json_new_int(change->before));
    json_put(object, "offsetAfter", json_new_int(change->after));
    json_put(object, "touches", json_boolean(change->touches));
    if (change->touches)
        json_put(object, "effect", json_new_str(str_of(change->text)));
    return object;
}

static json_t *json_findings(const struct findings *f)
{
    json_t *object = json_new_object();
    json_t *next = json_new_list(), *changes = json_new_list(), *notes = json_new_list();

    json_put(object, "description", json_new_str(str_of(f->description)));
    for (int i = 0; i < f->next_count; i++)
        json_add(next, json_slot(f, &f->next[i]));
    json_put(object, "next", next);
    json_put(object, "perDay", json_new_int(f->per_day));
    if (f->moment_count > 0) {
        json_t *moments = json_new_list();

        for (int i = 0; i < f->moment_count; i++)
            json_add(moments, json_moment(f, i));
        json_put(object, "at", moments);
    }
    for (int i = 0; i < f->change_count; i++)
        json_add(changes, json_change(f, &f->changes[i]));
    json_put(object, "clockChanges", changes);
    for (int i = 0; i < f->warning_count; i++)
        json_add(notes, json_new_str(str_of(f->warnings[i].text)));
    json_put(object, "warnings", notes);
    return object;
}

void findings_print_json(const struct findings *f, struct printer *out)
{
    static char room[JSON_ROOM];
    struct buf text = BUF(room);
    json_auto_t *json = json_findings(f);

    json_print(json, JSON_STYLE_PRETTY, &text);
    printer_str(out, buf_as_str(&text));
    printer_text(out, "\n");
}
