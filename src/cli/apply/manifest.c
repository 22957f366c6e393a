/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the entries of a manifest, and reports errors with their position.
 */
#include "cli/apply/manifest.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/apply/manifest_parts.h"
#include "cli/frame/report.h"
#include "wire/yaml/yaml.h"

const char *manifest_kind_text(enum manifest_kind kind)
{
    static const char *const texts[] = {
        [MANIFEST_CALENDAR] = "calendar",
        [MANIFEST_GATE] = "gate",
        [MANIFEST_SCHEDULE] = "schedule",
    };

    return texts[kind];
}

void manifest_error(struct manifest *manifest, const struct manifest_entry *entry,
                    const char *field, const char *text)
{
    char path[sizeof entry->place.path + ERR_FIELD_MAX];
    struct buf out = BUF(path);
    int line;

    if (++manifest->errors > MANIFEST_ERRORS_MAX)
        return;
    buf_text(&out, entry->place.path);
    if (out.len > 0 && field[0] != '\0')
        buf_char(&out, '.');
    buf_text(&out, field);
    line = entry->place.line + yaml_line(entry->place.text, path) - 1;
    if (entry->id.len > 0)
        report_note("%s:%d: document %d, %s \"%.*s\": %s%s%s", entry->place.file, line,
                    entry->place.document, manifest_kind_text(entry->kind), STR_ARG(entry->id),
                    field, field[0] != '\0' ? ": " : "", text);
    else
        report_note("%s:%d: document %d: %s%s%s", entry->place.file, line,
                    entry->place.document, field, field[0] != '\0' ? ": " : "", text);
}

void manifest_file_error(struct manifest *manifest, const char *file, int line,
                         const char *text)
{
    if (++manifest->errors > MANIFEST_ERRORS_MAX)
        return;
    if (line > 0)
        report_note("%s:%d: %s", file, line, text);
    else
        report_note("%s: %s", file, text);
}

/* ---- one entry ---- */

static struct manifest_entry *new_entry(struct manifest *m)
{
    if (m->count == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        m->entries = realloc(m->entries, (size_t)m->room * sizeof *m->entries);
        must(m->entries);
    }
    return &m->entries[m->count++];
}

void manifest_add(struct manifest *m, const json_t *value, const struct manifest_entry *place)
{
    struct manifest_entry entry = *place;
    char *text;

    if (json_is_null(value))
        return; /* an empty document */
    if (!manifest_check(m, value, &entry))
        return;
    if (m->count == MANIFEST_ENTRIES_MAX) {
        manifest_file_error(m, entry.place.file, entry.place.line,
                            "too many entries; the limit is 1000000");
        return;
    }
    text = json_dumps(value, JSON_COMPACT);
    must(text);
    entry.id = arena_str(m->arena, entry.id);
    entry.order = m->count;
    if (strlen(text) > MANIFEST_ENTRY_MAX) {
        char message[80];

        snprintf(message, sizeof message, "too large; the limit is %d bytes as JSON",
                 MANIFEST_ENTRY_MAX);
        manifest_error(m, &entry, "", message);
    } else {
        entry.json = arena_str(m->arena, str_of(text));
        *new_entry(m) = entry;
    }
    free(text);
}

/* Adds one entry, or those of a list or {"items": […]}. */
void manifest_add_all(struct manifest *m, const json_t *value,
                      const struct manifest_entry *place)
{
    const json_t *list = json_is_array(value) ? value : json_object_get(value, "items");
    struct manifest_entry one = *place;

    if (!json_is_array(list)) {
        manifest_add(m, value, place);
        return;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct buf path = BUF(one.place.path);

        buf_printf(&path, "%s[%zu]", list == value ? "" : "items", i);
        manifest_add(m, json_array_get(list, i), &one);
    }
}

/* ---- all entries ---- */

static int by_name(const void *a, const void *b)
{
    const struct manifest_entry *x = *(const struct manifest_entry *const *)a;
    const struct manifest_entry *y = *(const struct manifest_entry *const *)b;
    size_t len = x->id.len < y->id.len ? x->id.len : y->id.len;
    int order;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    order = memcmp(x->id.ptr, y->id.ptr, len);
    if (order != 0 || x->id.len != y->id.len)
        return order != 0 ? order : x->id.len < y->id.len ? -1 : 1;
    return x < y ? -1 : 1; /* in the order of the files */
}

static void check_duplicates(struct manifest *m)
{
    const struct manifest_entry **sorted = calloc((size_t)m->count + 1, sizeof *sorted);

    must(sorted);
    for (int i = 0; i < m->count; i++)
        sorted[i] = &m->entries[i];
    qsort(sorted, (size_t)m->count, sizeof *sorted, by_name);
    for (int i = 1; i < m->count; i++) {
        const struct manifest_entry *a = sorted[i - 1], *b = sorted[i];
        char text[400];
        struct buf out = BUF(text);

        if (a->kind != b->kind || !str_eq(a->id, b->id) || a->has_wrong_id || b->has_wrong_id)
            continue;
        buf_printf(&out, "duplicate; already in %.*s:%d", STR_ARG(str_of(a->place.file)),
                   a->place.line + yaml_line(a->place.text, a->place.path) - 1);
        manifest_error(m, b, "", text);
    }
    free(sorted);
}

/* Calendars, then gates, then schedules; each in the order of the files. */
static int by_kind(const void *a, const void *b)
{
    const struct manifest_entry *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->order - y->order;
}

void manifest_print_rest(const struct manifest *m)
{
    if (m->errors > MANIFEST_ERRORS_MAX)
        report_note("… and %d more errors", m->errors - MANIFEST_ERRORS_MAX);
}

int manifest_finish(struct manifest *m)
{
    check_duplicates(m);
    if (m->count > 1)
        qsort(m->entries, (size_t)m->count, sizeof *m->entries, by_kind);
    manifest_print_rest(m);
    return m->errors > 0 ? STATUS_USAGE : STATUS_OK;
}

void manifest_free(struct manifest *m)
{
    for (int i = 0; i < m->count; i++)
        json_decref(m->entries[i].changes);
    free(m->entries);
    arena_free(m->arena);
    *m = (struct manifest){.arena = NULL};
}
