/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints values.  The one-line style is written by hand, identical to jansson's: every answer
 * uses it, and jansson visits each letter twice.
 */
#include "base/must.h"
#include "wire/json/json.h"
#include "wire/json/json_text.h"

enum { REAL_MAX = 32 }; /* bytes of any number with 17 digits */

static int add_bytes(const char *bytes, size_t len, void *out)
{
    buf_add(out, bytes, len);
    return 0;
}

/* jansson's iterators take a mutable value but do not change it. */
static json_t *iterable(const json_t *object)
{
    return (json_t *)(uintptr_t)object;
}

static struct str string_value(const json_t *value)
{
    return (struct str){json_string_value(value), json_string_length(value)};
}

static void print_line(const json_t *value, struct buf *out);

static void print_object(json_t *object, struct buf *out)
{
    const char *before = "{";

    if (json_object_size(object) == 0)
        buf_char(out, '{');
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        buf_char(out, before[0]);
        json_write_str(out, (struct str){json_object_iter_key(i), json_object_iter_key_len(i)});
        buf_char(out, ':');
        print_line(json_object_iter_value(i), out);
        before = ",";
    }
    buf_char(out, '}');
}

static void print_list(const json_t *list, struct buf *out)
{
    size_t count = json_array_size(list);

    buf_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_char(out, ',');
        print_line(json_array_get(list, i), out);
    }
    buf_char(out, ']');
}

/* Recursion is as deep as the value; its reader limits that to JSON_DEPTH_MAX. */
static void print_line(const json_t *value, struct buf *out)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        print_object(iterable(value), out);
        break;
    case JSON_ARRAY:
        print_list(value, out);
        break;
    case JSON_STRING:
        json_write_str(out, string_value(value));
        break;
    case JSON_INTEGER:
        json_write_int(out, json_integer_value(value));
        break;
    case JSON_REAL:
        must(json_dump_callback(value, add_bytes, out, JSON_ENCODE_ANY) == 0);
        break;
    case JSON_TRUE:
        buf_text(out, "true");
        break;
    case JSON_FALSE:
        buf_text(out, "false");
        break;
    case JSON_NULL:
        buf_text(out, "null");
        break;
    }
}

void json_print(const json_t *value, enum json_style style, struct buf *out)
{
    if (style == JSON_STYLE_PRETTY)
        must(json_dump_callback(value, add_bytes, out, JSON_INDENT(2) | JSON_ENCODE_ANY) == 0);
    else
        print_line(value, out);
}

static size_t object_length(json_t *object)
{
    size_t count = json_object_size(object), len = count == 0 ? 2 : 1 + 2 * count;

    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i))
        len += json_str_length(
                   (struct str){json_object_iter_key(i), json_object_iter_key_len(i)}) +
               json_length(json_object_iter_value(i));
    return len;
}

static size_t list_length(const json_t *list)
{
    size_t count = json_array_size(list), len = count == 0 ? 2 : 1 + count;

    for (size_t i = 0; i < count; i++)
        len += json_length(json_array_get(list, i));
    return len;
}

static size_t number_length(const json_t *value)
{
    char text[REAL_MAX];
    struct buf out = BUF(text);

    print_line(value, &out);
    must(!out.cut);
    return out.len;
}

size_t json_length(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return object_length(iterable(value));
    case JSON_ARRAY:
        return list_length(value);
    case JSON_STRING:
        return json_str_length(string_value(value));
    case JSON_FALSE:
        return 5;
    case JSON_TRUE:
    case JSON_NULL:
        return 4;
    case JSON_INTEGER:
    case JSON_REAL:
        break;
    }
    return number_length(value);
}
