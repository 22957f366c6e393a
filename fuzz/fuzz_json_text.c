/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as JSON that is scanned without building values, and as a string to write.
 *
 * For any bytes, no result points outside of them; for an object, the members are exactly
 * those that jansson finds, in its order; a string that is written reads back the same; a text
 * that is parsed gives the same value as jansson, and only if jansson accepts it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/must.h"
#include "wire/json/json.h"
#include "wire/json/json_parse.h"
#include "wire/json/json_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static bool is_within(struct str part, struct str all)
{
    return part.ptr >= all.ptr && part.ptr + part.len <= all.ptr + all.len;
}

static size_t walk(struct str text)
{
    struct str rest = text, key, value;
    size_t count = 0;

    while (json_next_member(&rest, &key, &value)) {
        must(is_within(key, text) && is_within(value, text) && is_within(rest, text));
        must(value.len > 0 && rest.ptr == value.ptr + value.len);
        count++;
    }
    return count;
}

/* The text of a value parses as the value. */
static void check_value(struct str written, const json_t *value)
{
    json_error_t error;
    json_t *read = json_loadb(written.ptr, written.len, JSON_DECODE_ANY, &error);

    must(read && json_equal(read, value));
    json_decref(read);
}

static void check_object(struct str text, json_t *object)
{
    struct str rest = text, key, value;

    must(walk(text) == json_object_size(object));
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        json_t *name = json_string(json_object_iter_key(i));

        must(json_next_member(&rest, &key, &value));
        check_value((struct str){key.ptr - 1, key.len + 2}, name); /* with its quotes */
        check_value(value, json_object_iter_value(i));
        json_decref(name);
    }
}

static void check_string(struct str text)
{
    struct buf out = {.cap = json_str_room(text) + 1};
    json_t *value;

    if (!str_is_utf8(text))
        return;
    out.ptr = malloc(out.cap);
    must(out.ptr != NULL);
    json_write_str(&out, text);
    must(!out.cut);
    value = json_loadb(out.ptr, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    must(value &&
         str_eq(text, (struct str){json_string_value(value), json_string_length(value)}));
    json_decref(value);
    free(out.ptr);
}

static void check_parse(struct str text)
{
    json_t *own = str_is_utf8(text) ? json_parse(text) : NULL, *theirs;

    if (!own)
        return;
    theirs = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    must(theirs && json_equal(own, theirs));
    json_decref(theirs);
    json_decref(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};
    json_t *json = NULL;
    struct err err;

    if (len == 0)
        return 0;
    walk(text);
    check_string(text);
    check_parse(text);
    if (json_read(text, &json, &err) == RC_OK && json_is_object(json))
        check_object(text, json);
    json_decref(json);
    return 0;
}
