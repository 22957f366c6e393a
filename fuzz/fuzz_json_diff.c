/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the readers of JSON, with jansson as the reference: docs/decisions/0049.
 *
 * json_read() accepts a text if and only if jansson does and the limits of wire/json/json.h
 * hold, and gives the same value.  The fast parser json_parse() gives this value too, or NULL
 * where its header says so.  Members that the text scanner finds are those of jansson.  What
 * json_print() writes reads back to the same value.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "wire/json/json.h"
#include "wire/json/json_parse.h"
#include "wire/json/json_text.h"

enum {
    FAST_DIGITS = 18,   /* of an integer that json_parse() must take */
    FAST_ESCAPED = 512, /* bytes of a string with escapes that it must take */
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* ---- the reference ---- */

static json_t *jansson_read(struct str text)
{
    return json_loadb(text.len > 0 ? text.ptr : "", text.len,
                      JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

/* Counts values and levels of a tree; recurses as deep as jansson did. */
static int measure(json_t *value, int64_t *count)
{
    int depth = 0, below = 0;
    json_t *item;
    const char *key;
    size_t i;

    *count += 1;
    json_object_foreach(value, key, item)
    {
        below = measure(item, count);
        depth = below > depth ? below : depth;
    }
    json_array_foreach(value, i, item)
    {
        below = measure(item, count);
        depth = below > depth ? below : depth;
    }
    return depth + (json_is_object(value) || json_is_array(value));
}

/* NULL: the text is invalid, or exceeds a limit.  Jansson skips a zero byte after a number. */
static json_t *reference_read(struct str text)
{
    bool has_zero = text.len > 0 && memchr(text.ptr, '\0', text.len);
    json_t *value = has_zero ? NULL : jansson_read(text);
    int64_t count = 0;

    if (value && (measure(value, &count) > JSON_DEPTH_MAX || count > JSON_VALUES_MAX ||
                  text.len > JSON_BYTES_MAX)) {
        json_decref(value);
        return NULL;
    }
    return value;
}

/* ---- equality ---- */

/* As the one-line style writes it; the caller frees it. */
static struct str print_line(const json_t *value)
{
    struct buf out = {.cap = json_length(value) + 1};

    out.ptr = malloc(out.cap);
    must(out.ptr);
    json_print(value, JSON_STYLE_LINE, &out);
    must(!out.cut && out.len + 1 == out.cap);
    return buf_as_str(&out);
}

/* json_equal() ignores the order of members, which answers and stored texts show. */
static bool same_value(const json_t *a, const json_t *b)
{
    struct str x = print_line(a), y = print_line(b);
    bool is_same = json_equal(a, b) && str_eq(x, y);

    free((void *)(uintptr_t)x.ptr);
    free((void *)(uintptr_t)y.ptr);
    return is_same;
}

/* ---- json_parse() ---- */

/* A string after its first quote: whether json_parse() may leave it to jansson. */
static bool is_rare_string(struct str *s)
{
    size_t i = 0;
    bool has_escape = false, has_number = false;

    for (; i < s->len && s->ptr[i] != '"'; i++)
        if (s->ptr[i] == '\\' && i + 1 < s->len) {
            has_escape = true;
            has_number = has_number || s->ptr[i + 1] == 'u';
            i++;
        }
    *s = str_from(*s, i < s->len ? i + 1 : s->len);
    if (has_escape) { /* of a key: a colon follows */
        struct str rest = *s;

        while (rest.len > 0 && is_blank(rest.ptr[0]))
            rest = str_from(rest, 1);
        has_number = has_number || i > FAST_ESCAPED || (rest.len > 0 && rest.ptr[0] == ':');
    }
    return has_number;
}

static bool is_rare_number(struct str *s)
{
    size_t digits = 0;
    char c;

    if (s->ptr[0] == '-')
        *s = str_from(*s, 1);
    while (digits < s->len && char_is_digit(s->ptr[digits]))
        digits++;
    *s = str_from(*s, digits);
    c = s->len > 0 ? s->ptr[0] : '\0';
    return digits > FAST_DIGITS || c == '.' || c == 'e' || c == 'E';
}

/* For valid JSON: whether it has something that json_parse() may leave to jansson. */
static bool is_rare(struct str s)
{
    while (s.len > 0) {
        char c = s.ptr[0];

        if (c == '-' || char_is_digit(c)) {
            if (is_rare_number(&s))
                return true;
            continue;
        }
        s = str_from(s, 1);
        if (c == '"' && is_rare_string(&s))
            return true;
    }
    return false;
}

static void check_parse(struct str text, const json_t *reference)
{
    json_t *ours = json_parse(text);

    if (ours)
        must(reference && same_value(ours, reference));
    else
        must(!reference || is_rare(text));
    json_decref(ours);
}

/* ---- json_read() ---- */

static void check_read(struct str text, const json_t *reference)
{
    struct err err = {0};
    json_t *value = NULL;
    enum rc rc = json_read(text, &value, &err);

    must((rc == RC_OK) == (reference != NULL));
    if (rc == RC_OK) {
        must(same_value(value, reference));
        json_decref(value);
        return;
    }
    must(rc == RC_INVALID || (rc == RC_LIMIT && text.len > JSON_BYTES_MAX));
    must(err.text[0] != '\0' && str_is_utf8(str_of(err.text)));
    must(err.at <= (int)text.len);
}

/* ---- the scanner ---- */

static void check_value(struct str text, json_t *expected);

/* A key as written, compared with what it means. */
static void check_key(struct str key, struct str expected)
{
    json_t *name = jansson_read((struct str){key.ptr - 1, key.len + 2}); /* with its quotes */

    must(name &&
         str_eq(expected, (struct str){json_string_value(name), json_string_length(name)}));
    json_decref(name);
}

static void check_members(struct str text, json_t *object)
{
    struct str rest = text, key, value;

    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        must(json_next_member(&rest, &key, &value));
        check_key(key, (struct str){json_object_iter_key(i), json_object_iter_key_len(i)});
        check_value(value, json_object_iter_value(i));
    }
    must(!json_next_member(&rest, &key, &value));
}

/* The text of a value, without blanks around it; recurses at most JSON_DEPTH_MAX deep. */
static void check_value(struct str text, json_t *expected)
{
    json_t *value = jansson_read(text);

    must(value && same_value(value, expected));
    must(!is_blank(text.ptr[0]) && !is_blank(text.ptr[text.len - 1]));
    if (json_is_object(expected))
        check_members(text, expected);
    json_decref(value);
}

/* By name, in a text as json_print() writes it. */
static void check_found(struct str printed, json_t *object)
{
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        struct str name = {json_object_iter_key(i), json_object_iter_key_len(i)};
        struct str value = json_find_member(printed, name);
        json_t *member = json_object_iter_value(i);

        if (json_str_length(name) > name.len + 2)
            continue; /* written with escapes: searched for as written, not by its meaning */
        if (json_is_null(member))
            must(value.len == 0);
        else
            check_value(value, member);
    }
}

/* ---- printing ---- */

static void check_printed(json_t *value)
{
    struct str printed = print_line(value);
    json_t *again = json_of_kept(printed);

    must(again && same_value(again, value));
    if (json_is_object(value)) {
        check_members(printed, value);
        check_found(printed, value);
    }
    json_decref(again);
    free((void *)(uintptr_t)printed.ptr);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};
    json_t *reference = reference_read(text);

    if (str_is_utf8(text))
        check_parse(text, reference);
    else
        must(!reference);
    check_read(text, reference);
    if (reference) {
        if (json_is_object(reference))
            check_members(text, reference);
        check_printed(reference);
    }
    json_decref(reference);
    return 0;
}
