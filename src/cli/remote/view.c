/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats fields of API objects, and prints objects as table rows or as lines.
 */
#include "cli/remote/view.h"

#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/width.h"
#include "cli/remote/remote_parts.h"
#include "io/clock.h"

const struct when *remote_when(struct remote *remote)
{
    if (remote->when.now == 0)
        when_open(&remote->when, remote->is_utc, clock_now());
    return &remote->when;
}

static enum tint state_tint(const char *word)
{
    static const struct {
        const char *word;
        enum tint tint;
    } words[] = {
        {"active", TINT_GOOD},    {"succeeded", TINT_GOOD},  {"started", TINT_GOOD},
        {"running", TINT_GOOD},   {"ok", TINT_GOOD},         {"alive", TINT_GOOD},
        {"paused", TINT_WARN},    {"skipped", TINT_WARN},    {"missed", TINT_WARN},
        {"approval", TINT_WARN},  {"backoff", TINT_WARN},    {"late", TINT_WARN},
        {"cancelled", TINT_WARN}, {"terminated", TINT_WARN}, {"unknown", TINT_WARN},
        {"failed", TINT_BAD},     {"timedOut", TINT_BAD},    {"dropped", TINT_BAD},
        {"failing", TINT_BAD},    {"denied", TINT_BAD},      {"dead", TINT_BAD},
        {"closed", TINT_FAINT},   {"planned", TINT_FAINT},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].tint;
    return TINT_NONE;
}

static void write_time(const json_t *value, enum shape shape, const struct when *when,
                       struct buf *out)
{
    struct str text = str_of(json_string_value(value));
    struct err err;
    instant t;

    if (!json_is_string(value) || instant_parse(text, &t, &err) != RC_OK) {
        buf_str(out, text);
        return;
    }
    if (shape != SHAPE_AWAY)
        when_time(when, t, out);
    if (shape == SHAPE_BOTH)
        buf_text(out, " (");
    if (shape != SHAPE_TIME)
        when_distance(t, when->now, out);
    if (shape == SHAPE_BOTH)
        buf_char(out, ')');
}

static void write_scalar(const json_t *value, struct buf *out)
{
    char *text;

    if (json_is_string(value)) {
        buf_add(out, json_string_value(value), json_string_length(value));
    } else if (json_is_boolean(value)) {
        buf_text(out, json_is_true(value) ? "yes" : "no");
    } else {
        text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        must(text);
        buf_text(out, text);
        free(text);
    }
}

static void write_value(const json_t *value, struct buf *out)
{
    const char *key;
    json_t *member;
    size_t i;
    bool any = false;

    if (json_is_array(value)) {
        json_array_foreach(value, i, member)
        {
            buf_text(out, any ? ", " : "");
            write_scalar(member, out);
            any = true;
        }
    } else if (json_is_object(value)) {
        json_object_foreach((json_t *)(uintptr_t)value, key, member)
        {
            buf_printf(out, "%s%s=", any ? ", " : "", key);
            write_scalar(member, out);
            any = true;
        }
    } else {
        write_scalar(value, out);
    }
}

enum tint field_text(const struct field *field, const json_t *object, const struct when *when,
                     struct buf *out)
{
    const json_t *value = field->path ? member_at(object, field->path) : NULL;

    if (field->show)
        field->show(object, out);
    if (!value)
        return field->shape == SHAPE_STATE ? state_tint(out->ptr) : TINT_NONE;
    switch (field->shape) {
    case SHAPE_TIME:
    case SHAPE_AWAY:
    case SHAPE_BOTH:
        write_time(value, field->shape, when, out);
        return TINT_NONE;
    case SHAPE_COUNT:
        buf_printf(out, "%zu", json_array_size(value));
        return TINT_NONE;
    case SHAPE_TEXT:
    case SHAPE_NUMBER:
    case SHAPE_STATE:
        break;
    }
    write_value(value, out);
    return field->shape == SHAPE_STATE ? state_tint(out->ptr) : TINT_NONE;
}

void view_rows(const struct view *view, const json_t *items, const struct when *when,
               struct printer *out)
{
    struct table_column columns[TABLE_COLUMNS_MAX];
    struct table *table;
    const json_t *item;
    size_t i;

    for (int c = 0; c < view->column_count; c++)
        columns[c] = (struct table_column){
            .title = view->columns[c].title,
            .is_number = view->columns[c].shape == SHAPE_NUMBER ||
                         view->columns[c].shape == SHAPE_COUNT,
            .shrinks = view->columns[c].shrinks,
        };
    table = table_new(columns, view->column_count);
    json_array_foreach(items, i, item)
    {
        for (int c = 0; c < view->column_count; c++) {
            char text[VIEW_TEXT_MAX] = "";
            struct buf cell = BUF(text);
            enum tint tint = field_text(&view->columns[c], item, when, &cell);

            table_add(table, buf_as_str(&cell), tint);
        }
    }
    table_print(table, out, printer_width(out));
    table_free(table);
}

static size_t label_width(const struct field *lines, int count)
{
    size_t widest = 0;

    for (int i = 0; i < count; i++)
        if (strlen(lines[i].title) > widest)
            widest = strlen(lines[i].title);
    return widest;
}

void view_one(const struct view *view, const json_t *object, const struct when *when,
              struct printer *out)
{
    const struct field *lines = view->lines ? view->lines : view->columns;
    int count = view->lines ? view->line_count : view->column_count;
    size_t width = label_width(lines, count);

    for (int i = 0; i < count; i++) {
        char text[VIEW_TEXT_MAX] = "";
        struct buf value = BUF(text);
        enum tint tint = field_text(&lines[i], object, when, &value);

        if (value.len == 0)
            continue;
        printer_tint(out, TINT_FAINT);
        printer_printf(out, "%-*s", (int)width, lines[i].title);
        printer_tint(out, TINT_END);
        printer_text(out, "  ");
        printer_tint(out, tint);
        printer_safe(out, buf_as_str(&value));
        printer_tint(out, tint == TINT_NONE ? TINT_NONE : TINT_END);
        printer_text(out, value.cut ? "\u2026\n" : "\n");
    }
}
