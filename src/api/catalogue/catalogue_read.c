/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only stored texts are read, which were checked when they were written; a member of another
 * type counts as absent, so a damaged schedule is still in the catalogue.
 */
#include "api/catalogue/catalogue_read.h"

#include <string.h>

#include "core/outcome.h"
#include "model/action.h"
#include "model/schedule_state.h"
#include "wire/json/json.h"

/* The engine processes a slot at wake_at, which includes its jitter. */
static instant late_at(const struct cursor *c)
{
    bool is_stopped = (c->flags & (CURSOR_BARRED | CURSOR_QUARANTINED | CURSOR_CLOSED |
                                   CURSOR_DELETED | CURSOR_FULL)) != 0;

    if (is_stopped || c->next_at == INSTANT_NEVER || c->remaining == 0 ||
        c->wake_at > INSTANT_MAX)
        return INSTANT_NEVER;
    return c->wake_at + CATALOGUE_LATE_AFTER;
}

static enum catalogue_status status_of(const struct cursor *c)
{
    const char *word = schedule_status(c);

    if (strcmp(word, "closed") == 0)
        return STATUS_CLOSED;
    return strcmp(word, "paused") == 0 ? STATUS_PAUSED : STATUS_ACTIVE;
}

/* The tail is the outcome of the last slots if they were not started, see struct cursor. */
static uint8_t flags_of(const struct cursor *c)
{
    bool is_missed = c->tail == OUTCOME_MISSED * 256 + REASON_WINDOW ||
                     c->tail == OUTCOME_MISSED * 256 + REASON_CLOCK;

    return (uint8_t)((c->flags & CURSOR_QUARANTINED ? CATALOGUE_QUARANTINED : 0) |
                     (is_missed ? CATALOGUE_MISSED : 0));
}

struct catalogue_entry catalogue_read_cursor(const struct cursor *c)
{
    bool is_known = c->last_outcome >= OUTCOME_NONE && c->last_outcome <= OUTCOME_UNKNOWN;

    return (struct catalogue_entry){
        .id = c->id,
        .version = c->version,
        .next_at = schedule_next_at(c),
        .last_start = c->last_start,
        .late_at = late_at(c),
        .lateness = c->last_late,
        .failures = c->failures,
        .status = (uint8_t)status_of(c),
        .outcome = is_known ? (uint8_t)c->last_outcome : OUTCOME_NONE,
        .flags = flags_of(c),
    };
}

static struct str copy_member(const json_t *object, const char *name, struct arena *arena)
{
    const json_t *value = json_object_get(object, name);

    if (!json_is_string(value))
        return (struct str){NULL, 0};
    return arena_str(arena, (struct str){json_string_value(value), json_string_length(value)});
}

/* A workflow without a queue waits in the queue that has the workflow's name. */
static void read_action(struct str text, struct arena *arena, struct catalogue_entry *ret)
{
    static const char *const types[ACTION_COUNT] = {"http", "exec", "queue", "workflow"};
    json_auto_t *action = json_of_kept(text);
    struct str type = copy_member(action, "type", arena);

    for (int i = 0; i < ACTION_COUNT; i++)
        if (str_eq(type, str_of(types[i])))
            ret->action = (uint8_t)i;
    ret->queue = copy_member(action, "queue", arena);
    if (ret->queue.len == 0 && ret->action == ACTION_WORKFLOW)
        ret->queue = copy_member(action, "name", arena);
}

/* True for an expression that has a zone in its text, and for a few that only seem to. */
static bool may_name_zone(const json_t *cron)
{
    const json_t *expr = json_is_string(cron) ? cron : json_object_get(cron, "expr");
    const char *dialect = json_string_value(json_object_get(cron, "dialect"));

    return (dialect && strcmp(dialect, dialect_text(DIALECT_SYSTEMD)) == 0) ||
           (json_is_string(expr) && strstr(json_string_value(expr), "TZ"));
}

/* The zone of the spec, or of its first cron expression that has one. */
static void read_zone(struct str text, struct arena *arena, struct catalogue_entry *ret)
{
    json_auto_t *spec = json_of_kept(text);
    const json_t *crons = json_object_get(spec, "cron");
    struct str zone = copy_member(spec, "timezone", arena);

    for (size_t i = 0; i < json_array_size(crons); i++) {
        const json_t *cron = json_array_get(crons, i);
        struct str other = copy_member(cron, "timezone", arena);

        if (zone.len == 0)
            zone = other;
        if ((other.len > 0 && !str_eq(other, zone)) || may_name_zone(cron))
            ret->flags |= CATALOGUE_ZONES;
    }
    ret->zone = zone.len == 0 ? STR("UTC") : zone;
}

static void read_labels(struct str text, struct arena *arena, struct catalogue_entry *ret)
{
    json_auto_t *labels = text.len == 0 ? NULL : json_of_kept(text);
    const char *name;
    json_t *value;

    ret->labels = arena_array(arena, CATALOGUE_LABELS_MAX, sizeof *ret->labels);
    json_object_foreach(labels, name, value)
    {
        if (ret->label_count == CATALOGUE_LABELS_MAX)
            break;
        ret->labels[ret->label_count++] = (struct catalogue_label){
            .name = arena_str(arena, str_of(name)),
            .value = copy_member(labels, name, arena),
        };
    }
}

struct catalogue_entry catalogue_read_stored(const struct catalogue_stored *stored,
                                             struct arena *arena)
{
    struct catalogue_entry entry = catalogue_read_cursor(&stored->cursor);

    entry.has_texts = true;
    entry.version = stored->version;
    entry.namespace = stored->namespace;
    entry.name = arena_str(arena, stored->name);
    entry.description = arena_str(arena, stored->description);
    read_zone(stored->spec, arena, &entry);
    read_action(stored->action, arena, &entry);
    read_labels(stored->labels, arena, &entry);
    return entry;
}
