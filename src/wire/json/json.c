/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON text strictly and checks the shape of objects; see wire/json/json.h.
 */
#include "wire/json/json.h"

#include <assert.h>
#include <string.h>

#include "base/must.h"
#include "base/thread_cache.h"
#include "wire/json/json_parse.h"

void json_use_thread_cache(void)
{
#ifndef BELFRY_SANITIZED
    json_set_alloc_funcs(thread_cache_alloc, thread_cache_free);
#endif
}

/* Reports line and column, from 1, of a byte; a column is a character, as editors count. */
static enum rc fail_at(struct str text, size_t at, struct str what, struct err *reterr)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < at && i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text.ptr[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    return err_set(reterr, RC_INVALID, (int)at, at < text.len ? 1 : 0,
                   "line %zu, column %zu: %.*s", line, column, STR_ARG(what));
}

/*
 * The position in the text: brackets and commas inside strings have no meaning.  Values are
 * counted as json_parse() counts them: one after each comma, and one after each opening bracket
 * unless a closing bracket follows.
 */
struct outline {
    bool in_string, escaped, is_opened;
    int depth, values;
};

static const char *outline_step(struct outline *o, char c)
{
    if (o->in_string) {
        o->in_string = o->escaped || c != '"';
        o->escaped = !o->escaped && c == '\\';
        return NULL;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        return NULL;
    if (c == ',' || (o->is_opened && c != ']' && c != '}'))
        o->values++;
    o->is_opened = c == '[' || c == '{';
    if (c == '"')
        o->in_string = true;
    else if (o->is_opened)
        o->depth++;
    else if (c == ']' || c == '}')
        o->depth--;
    if (o->depth > JSON_DEPTH_MAX)
        return "nested too deep; the limit is 32 levels";
    if (o->values > JSON_VALUES_MAX)
        return "too many values; the limit is 131072";
    return NULL;
}

static_assert(JSON_DEPTH_MAX == 32 && JSON_VALUES_MAX == 131072, "the messages name them");

/* Limits the parser's recursion and allocations before it starts. */
static enum rc check_outline(struct str text, struct err *reterr)
{
    struct outline outline = {.values = 1};

    for (size_t i = 0; i < text.len; i++) {
        const char *wrong = text.ptr[i] == '\0' ? "a zero byte"
                                                : outline_step(&outline, text.ptr[i]);

        if (wrong)
            return fail_at(text, i, str_of(wrong), reterr);
    }
    return RC_OK;
}

/* jansson's message, replaced where it is unclear or names a flag of jansson. */
static struct str error_text(const json_error_t *error)
{
    const char *near = strstr(error->text, " near ");

    switch (json_error_code(error)) {
    case json_error_premature_end_of_input:
        return STR("the text ends too early; a bracket or a quote is not closed");
    case json_error_end_of_input_expected:
        return STR("nothing may follow the value");
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return STR("a string must not contain \\u0000");
    case json_error_duplicate_key:
        return STR("duplicate key in an object");
    case json_error_numeric_overflow:
        return STR("this number is too large");
    default:
        return (struct str){error->text,
                            near ? (size_t)(near - error->text) : strlen(error->text)};
    }
}

enum rc json_read(struct str text, json_t **ret, struct err *reterr)
{
    json_error_t error;
    json_t *value;
    size_t at;
    enum rc rc;

    if (text.len > JSON_BYTES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "the text has %zu bytes; the limit is %d",
                       text.len, JSON_BYTES_MAX);
    if (!str_is_utf8(text))
        return err_set(reterr, RC_INVALID, -1, 0, "the text is not UTF-8");
    value = json_parse(text);
    if (value) {
        *ret = value;
        return RC_OK;
    }
    rc = check_outline(text, reterr);
    if (rc != RC_OK)
        return rc;
    value = json_loadb(text.len ? text.ptr : "", text.len,
                       JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!value) {
        must(json_error_code(&error) != json_error_out_of_memory);
        at = error.position > 0 ? (size_t)error.position - 1 : 0;
        return fail_at(text, at, error_text(&error), reterr);
    }
    *ret = value;
    return RC_OK;
}

json_t *json_of_kept(struct str text)
{
    json_t *value = str_is_utf8(text) ? json_parse(text) : NULL;

    return value
               ? value
               : json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

enum rc json_wrong_type(const json_t *value, const char *what, struct err *reterr)
{
    return err_set(reterr, RC_INVALID, -1, 0, "must be %s, not %s", what, type_name(value));
}

enum { KEY_SHOWN_MAX = 32 }; /* bytes; a longer key is not a misspelling of ours */

/* Whether a key may appear in a message and a path as it is. */
static bool key_is_plain(struct str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (!char_is_alpha(key.ptr[i]) && !char_is_digit(key.ptr[i]) && key.ptr[i] != '_')
            return false;
    return key.len > 0 && key.len <= KEY_SHOWN_MAX;
}

static enum rc unknown_field(struct str key, const char *const *names, int count,
                             struct err *reterr)
{
    char list[ERR_TEXT_MAX];
    struct buf known = BUF(list);
    int near = str_nearest(key, names, count);

    for (int i = 0; i < count; i++)
        buf_printf(&known, "%s%s", i == 0 ? "" : ", ", names[i]);
    if (near >= 0)
        err_set(reterr, RC_INVALID, -1, 0, "unknown field; did you mean %s?", names[near]);
    else
        err_set(reterr, RC_INVALID, -1, 0, "unknown field; valid fields: %s",
                count > 0 ? list : "none");
    if (key_is_plain(key))
        err_in(reterr, "%.*s", STR_ARG(key));
    return RC_INVALID;
}

/* jansson's iterators take a mutable value but do not change it. */
static json_t *iterable(const json_t *object)
{
    return (json_t *)(uintptr_t)object;
}

enum rc json_check_names(const json_t *value, const char *const *names, int count,
                         struct err *reterr)
{
    json_t *object = iterable(value);

    if (!json_is_object(value))
        return json_wrong_type(value, "an object", reterr);
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        struct str key = {json_object_iter_key(i), json_object_iter_key_len(i)};
        bool is_known = false;

        for (int n = 0; n < count && !is_known; n++)
            is_known = str_eq(key, str_of(names[n]));
        if (!is_known)
            return unknown_field(key, names, count, reterr);
    }
    return RC_OK;
}

static enum rc check_shape(const json_t *value, struct json_shape shape, struct err *reterr)
{
    const char *names[JSON_FIELDS_MAX];

    must(shape.count <= JSON_FIELDS_MAX);
    for (int i = 0; i < shape.count; i++)
        names[i] = shape.fields[i].name;
    return json_check_names(value, names, shape.count, reterr);
}

/* shape.count: no field has that name. */
static int find_field(struct json_shape shape, struct str key)
{
    int i = 0;

    while (i < shape.count && (shape.fields[i].name[0] != key.ptr[0] ||
                               !str_eq(str_of(shape.fields[i].name), key)))
        i++;
    return i;
}

/* The member of each field, NULL if absent; false: the object has other members too. */
static bool find_members(const json_t *value, struct json_shape shape,
                         const json_t *members[JSON_FIELDS_MAX])
{
    json_t *object = iterable(value);
    bool are_all_known = true;

    must(shape.count <= JSON_FIELDS_MAX);
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        struct str key = {json_object_iter_key(i), json_object_iter_key_len(i)};
        int n = find_field(shape, key);

        if (n < shape.count)
            members[n] = json_object_iter_value(i);
        else
            are_all_known = false;
    }
    return are_all_known;
}

enum rc json_take_object(const json_t *value, struct json_shape shape, void *to,
                         struct err *reterr)
{
    const json_t *members[JSON_FIELDS_MAX] = {0};
    enum rc rc = RC_OK;

    if (!json_is_object(value))
        return json_wrong_type(value, "an object", reterr);
    if (!find_members(value, shape, members))
        rc = check_shape(value, shape, reterr);
    for (int i = 0; i < shape.count && rc == RC_OK; i++) {
        const json_t *member = members[i];

        if (!member || json_is_null(member))
            continue;
        rc = shape.fields[i].read(member, to, reterr);
        if (rc != RC_OK)
            err_in(reterr, "%s", shape.fields[i].name);
    }
    return rc;
}

enum rc json_require(const json_t *object, const char *name, struct err *reterr)
{
    const json_t *member = json_object_get(object, name);

    if (member && !json_is_null(member))
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0, "%s is missing", name);
    return err_in(reterr, "%s", name);
}

enum rc json_take_count(const json_t *value, int max, int *ret, struct err *reterr)
{
    size_t count = json_array_size(value);

    if (!json_is_array(value))
        return json_wrong_type(value, "a list", reterr);
    if (count > (size_t)max)
        return err_set(reterr, RC_LIMIT, -1, 0, "has %zu entries; the limit is %d", count, max);
    *ret = (int)count;
    return RC_OK;
}

enum rc json_take_items(const json_t *value, json_item_fn *read, void *to, struct err *reterr)
{
    size_t count = json_array_size(value);

    for (size_t i = 0; i < count; i++)
        if (read(json_array_get(value, i), (int)i, to, reterr) != RC_OK)
            return err_in(reterr, "[%zu]", i);
    return RC_OK;
}

enum rc json_take_str(const json_t *value, int max, struct str *ret, struct err *reterr)
{
    size_t len = json_string_length(value);

    if (!json_is_string(value))
        return json_wrong_type(value, "a string", reterr);
    if (len > (size_t)max)
        return err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes; the limit is %d", len, max);
    *ret = (struct str){json_string_value(value), len};
    return RC_OK;
}

static json_t *must_exist(json_t *value)
{
    must(value != NULL);
    return value;
}

json_t *json_new_object(void)
{
    return must_exist(json_object());
}

json_t *json_new_list(void)
{
    return must_exist(json_array());
}

json_t *json_new_str(struct str s)
{
    return must_exist(json_stringn(s.len ? s.ptr : "", s.len));
}

json_t *json_new_int(int64_t n)
{
    return must_exist(json_integer(n));
}

void json_put(json_t *object, const char *key, json_t *value)
{
    /* keys are constants, or checked */
    must(json_object_set_new_nocheck(object, key, value) == 0);
}

void json_add(json_t *list, json_t *value)
{
    must(json_array_append_new(list, value) == 0);
}
