/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of answers as short texts, for comparisons.
 */
#pragma once

#include "world.h"

/* "HH:MM", or "DD.HH:MM" of another day than the first one. */
static inline void put_clock(struct buf *out, const json_t *at)
{
    const char *text = json_string_value(at);

    assert_non_null(text);
    if (strncmp(text, "2026-01-05", 10) == 0)
        buf_printf(out, "%.5s", text + 11);
    else
        buf_printf(out, "%.2s.%.5s", text + 8, text + 11);
}

static inline const char *word(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* "11:00 started [succeeded]", "12:00 planned/paused", "10:00 started [ready] trigger" */
static inline void put_slot(struct buf *out, const json_t *slot)
{
    const json_t *run = json_object_get(slot, "run");

    put_clock(out, json_object_get(slot, "slot"));
    buf_printf(out, " %s", word(slot, "outcome") ? word(slot, "outcome") : "planned");
    if (word(slot, "reason"))
        buf_printf(out, "/%s", word(slot, "reason"));
    if (json_object_get(slot, "count"))
        buf_printf(out, " x%d", (int)json_integer_value(json_object_get(slot, "count")));
    if (json_is_object(run))
        buf_printf(out, " [%s]",
                   word(run, "outcome") ? word(run, "outcome") : word(run, "state"));
    if (word(slot, "kind") && strcmp(word(slot, "kind"), "slot") != 0)
        buf_printf(out, " %s", word(slot, "kind"));
}

/* "10:00 open=1 succeeded=2" */
static inline void put_bucket(struct buf *out, const json_t *bucket)
{
    const char *name;
    json_t *value;

    put_clock(out, json_object_get(bucket, "at"));
    json_object_foreach((json_t *)bucket, name, value) if (json_is_integer(value))
        buf_printf(out, " %s=%d", name, (int)json_integer_value(value));
    if (word(bucket, "busy"))
        buf_printf(out, " busy=%s", word(bucket, "busy"));
}

/* "plan 10:05 +1m x115" */
static inline void put_series(struct buf *out, const json_t *series)
{
    buf_text(out, "plan ");
    put_clock(out, json_object_get(series, "first"));
    if (word(series, "step"))
        buf_printf(out, " +%s", word(series, "step"));
    buf_printf(out, " x%d", (int)json_integer_value(json_object_get(series, "count")));
    if (word(series, "reason"))
        buf_printf(out, "/%s", word(series, "reason"));
}

static inline void put_list(struct buf *out, const json_t *list,
                            void (*put)(struct buf *out, const json_t *item))
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (out->len > 0)
            buf_text(out, ", ");
        put(out, json_array_get(list, i));
    }
}

/* The row of a schedule in the last answer; NULL: it has none. */
static inline const json_t *row_of(const char *id)
{
    const json_t *rows = json_object_get(world.json, "schedules");

    for (size_t i = 0; i < json_array_size(rows); i++)
        if (strcmp(word(json_array_get(rows, i), "id"), id) == 0)
            return json_array_get(rows, i);
    return NULL;
}

static inline const char *row_text(const char *id)
{
    static char text[8000];
    struct buf out = BUF(text);
    const json_t *row = row_of(id);

    text[0] = '\0';
    assert_non_null(row);
    put_list(&out, json_object_get(row, "slots"), put_slot);
    put_list(&out, json_object_get(row, "buckets"), put_bucket);
    put_list(&out, json_object_get(row, "planned"), put_series);
    assert_false(out.cut);
    return text;
}

/* The row of schedule "s". */
static inline const char *slots(const char *query)
{
    assert_int_equal(get(js("/api/v1/slots?schedule=s%s", query)), 200);
    return row_text("s");
}

/* The ids of a page, such as "a b". */
static inline const char *ids(void)
{
    static char text[2000];
    struct buf out = BUF(text);
    const json_t *rows = json_object_get(world.json, "schedules");

    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(rows); i++)
        buf_printf(&out, "%s%s", i > 0 ? " " : "", word(json_array_get(rows, i), "id"));
    return text;
}
