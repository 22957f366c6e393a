/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes members as JSON text without building JSON values, because every save needs it.
 */
#include <string.h>

#include "core/time/text.h"
#include "model/member.h"
#include "wire/json/json_text.h"

enum { BYTES_FIRST = 1024, BYTES_FACTOR = 4 };

/* A word from a table, which needs no escaping. */
static void write_word(const char *word, struct buf *out)
{
    buf_char(out, '"');
    buf_text(out, word);
    buf_char(out, '"');
}

static void write_null(struct buf *out)
{
    buf_text(out, "null");
}

static void write_number(const struct member *m, int64_t n, struct buf *out)
{
    if (m->has_none && n == m->none)
        write_null(out);
    else
        json_write_int(out, n);
}

/* No form of a time needs escaping. */
static void write_time(const struct member *m, int64_t t, struct buf *out)
{
    if (m->has_none && t == m->none) {
        write_null(out);
        return;
    }
    buf_char(out, '"');
    if (m->kind == MEMBER_SPAN)
        duration_format(t, out);
    else if (m->kind == MEMBER_INSTANT)
        instant_format_ms(t, out);
    else if (m->kind == MEMBER_TIME)
        time_of_day_format((int32_t)t, out);
    else
        date_format(t, out);
    buf_char(out, '"');
}

/* Stored JSON is written unchanged. */
static void write_text(const struct member *m, struct str s, struct buf *out)
{
    if (m->has_none && s.len == 0)
        write_null(out);
    else if (m->kind == MEMBER_TEXT)
        json_write_str(out, s);
    else
        buf_str(out, s.len > 0 ? s : STR("{}"));
}

/* False: the member is not printed. */
static bool write_other(const struct member *m, const void *from, struct buf *out)
{
    json_auto_t *value = m->print ? m->print(from, SPEC_BRIEF) : NULL;

    if (value)
        json_print(value, JSON_STYLE_LINE, out);
    return value != NULL;
}

static bool write_member(const struct member *m, const void *from, const void *initial,
                         struct buf *out);

static void write_list(const struct member *m, const void *from, struct buf *out)
{
    const char *items;
    int count = member_items(m, from, &items);

    buf_char(out, '[');
    for (int i = 0; i < count && !out->cut; i++) {
        if (i > 0)
            buf_char(out, ',');
        write_member(m->item, items + (size_t)i * m->size, m->initial, out);
    }
    buf_char(out, ']');
}

static void write_object(const struct member *m, const void *from, const void *initial,
                         struct buf *out)
{
    const struct str *at = (const void *)((const char *)from + m->offset);
    struct str brief = m->brief ? m->brief(from) : (struct str){0};

    if (m->has_none && at->len == 0)
        write_null(out);
    else if (brief.len > 0)
        json_write_str(out, brief);
    else
        members_write(m->members, from, initial, out);
}

static bool write_member(const struct member *m, const void *from, const void *initial,
                         struct buf *out)
{
    const void *at = (const char *)from + m->offset;

    switch (m->kind) {
    case MEMBER_BOOL:
        buf_text(out, *(const bool *)at ? "true" : "false");
        return true;
    case MEMBER_CHOICE:
        write_word(m->words[*(const bool *)at ? 1 : 0], out);
        return true;
    case MEMBER_WORD:
        write_word(m->text(at), out);
        return true;
    case MEMBER_INT32:
        write_number(m, *(const int32_t *)at, out);
        return true;
    case MEMBER_INT64:
        write_number(m, *(const int64_t *)at, out);
        return true;
    case MEMBER_SPAN:
    case MEMBER_INSTANT:
        write_time(m, *(const int64_t *)at, out);
        return true;
    case MEMBER_TIME:
    case MEMBER_DATE:
        write_time(m, *(const int32_t *)at, out);
        return true;
    case MEMBER_TEXT:
    case MEMBER_JSON:
    case MEMBER_MAP:
        write_text(m, *(const struct str *)at, out);
        return true;
    case MEMBER_OBJECT:
        write_object(m, from, initial, out);
        return true;
    case MEMBER_LIST:
        write_list(m, from, out);
        return true;
    case MEMBER_OTHER:
        break;
    }
    return write_other(m, from, out);
}

/* member_is_initial() may return false although such a value is initial; its text decides. */
static bool is_compared_as_text(const struct member *m)
{
    return m->kind == MEMBER_JSON || m->kind == MEMBER_MAP || m->kind == MEMBER_OBJECT ||
           m->kind == MEMBER_OTHER;
}

/* Returns whether the text in `out` from `at` on differs from that of the initial value. */
static bool is_changed(const struct member *m, const void *initial, size_t at, struct buf *out)
{
    size_t len = out->len - at;
    bool is_same;

    if (m->show == SHOW_ALWAYS || !is_compared_as_text(m))
        return true;
    is_same = write_member(m, initial, initial, out) && out->len - at == 2 * len &&
              memcmp(out->ptr + at, out->ptr + at + len, len) == 0;
    out->len = at + len;
    return !is_same;
}

void members_write(const struct members *members, const void *from, const void *initial,
                   struct buf *out)
{
    const char *before = "{";

    for (int i = 0; i < members->count; i++) {
        const struct member *m = &members->list[i];
        size_t start = out->len, at;

        if (m->show != SHOW_ALWAYS && member_is_initial(m, from, initial))
            continue;
        buf_text(out, before);
        write_word(m->name, out);
        buf_char(out, ':');
        at = out->len;
        if (write_member(m, from, initial, out) && is_changed(m, initial, at, out))
            before = ",";
        else
            out->len = start;
    }
    if (before[0] == '{')
        buf_char(out, '{');
    buf_char(out, '}');
}

struct str members_keep(const struct members *members, const void *from, const void *initial,
                        struct arena *arena)
{
    struct buf out = {.cap = BYTES_FIRST, .cut = true};

    for (; out.cut; out.cap *= BYTES_FACTOR) {
        out.ptr = arena_take(arena, out.cap);
        out.len = 0;
        out.cut = false;
        members_write(members, from, initial, &out);
    }
    return buf_as_str(&out);
}
