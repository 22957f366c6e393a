/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fast parser for common JSON text; see wire/json/json_parse.h.
 */
#include "wire/json/json_parse.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "base/must.h"
#include "wire/json/json.h"

enum {
    DIGITS_MAX = 18,   /* a number with that many digits fits into 64 bits */
    ESCAPED_MAX = 512, /* bytes of a string with escapes, which are decoded here */
};

struct scan {
    const char *at, *end;
    int depth, values;
    char room[ESCAPED_MAX];
};

/* The next byte that is not blank, 0 at the end. */
static char peek_byte(struct scan *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t'))
        s->at++;
    return s->at < s->end ? *s->at : '\0';
}

static bool skip_byte(struct scan *s, char c)
{
    if (peek_byte(s) != c)
        return false;
    s->at++;
    return true;
}

/* The meaning of a letter after a backslash; 0: not handled here. */
static char escaped_char(char letter)
{
    switch (letter) {
    case '"':
    case '\\':
    case '/':
        return letter;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return '\0';
    }
}

/* Decodes from the first backslash on; the `len` bytes before it are literal. */
static bool read_escaped(struct scan *s, const char *from, size_t len, struct str *ret)
{
    if (len > ESCAPED_MAX)
        return false;
    memcpy(s->room, from, len);
    for (; s->at < s->end && *s->at != '"'; s->at++) {
        char c = *s->at;

        if (c == '\\')
            c = ++s->at < s->end ? escaped_char(*s->at) : '\0';
        else if ((unsigned char)c < ' ')
            return false;
        if (c == '\0' || len == ESCAPED_MAX)
            return false;
        s->room[len++] = c;
    }
    if (s->at == s->end)
        return false;
    s->at++;
    *ret = (struct str){s->room, len};
    return true;
}

/* Skips literal bytes, eight at a time while as many are left. */
static void skip_plain(struct scan *s)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = 0x80 * ones;

    while (s->end - s->at >= 8) {
        uint64_t x, quotes, slashes, found;

        memcpy(&x, s->at, sizeof x);
        x = le64toh(x);
        quotes = x ^ ('"' * ones);
        slashes = x ^ ('\\' * ones);
        found = (((x - ' ' * ones) & ~x) | ((quotes - ones) & ~quotes) |
                 ((slashes - ones) & ~slashes)) &
                high;
        if (found != 0) { /* the lowest one is real; those above it may be false */
            s->at += __builtin_ctzll(found) / 8;
            return;
        }
        s->at += 8;
    }
    while (s->at < s->end && *s->at != '"' && *s->at != '\\' && (unsigned char)*s->at >= ' ')
        s->at++;
}

/* Reads a string after its first quote.  It is valid until the next one is read. */
static bool read_string(struct scan *s, struct str *ret)
{
    const char *from = s->at;

    skip_plain(s);
    if (s->at == s->end || (unsigned char)*s->at < ' ')
        return false;
    if (*s->at == '\\')
        return read_escaped(s, from, (size_t)(s->at - from), ret);
    *ret = (struct str){from, (size_t)(s->at - from)};
    s->at++;
    return true;
}

static json_t *must_exist(json_t *value)
{
    must(value != NULL);
    return value;
}

/* Reads digits only: the caller rejects a point or an exponent after them. */
static json_t *parse_number(struct scan *s)
{
    bool is_negative = *s->at == '-';
    const char *first = s->at + is_negative, *at = first;
    int64_t n = 0;

    while (at < s->end && char_is_digit(*at) && at - first < DIGITS_MAX)
        n = n * 10 + (*at++ - '0');
    if (at == first || (at < s->end && char_is_digit(*at)) || (*first == '0' && at - first > 1))
        return NULL;
    s->at = at;
    return must_exist(json_integer(is_negative ? -n : n));
}

static json_t *parse_word(struct scan *s, struct str word, json_t *value)
{
    if ((size_t)(s->end - s->at) < word.len || memcmp(s->at, word.ptr, word.len) != 0)
        return NULL;
    s->at += word.len;
    return value;
}

static json_t *parse_value(struct scan *s);

static bool add_member(struct scan *s, json_t *object)
{
    size_t before = json_object_size(object);
    json_t *value;
    struct str key;

    /* The value may need the buffer that a key with escapes would use. */
    if (!skip_byte(s, '"') || !read_string(s, &key) || key.ptr == s->room || !skip_byte(s, ':'))
        return false;
    value = parse_value(s);
    if (!value)
        return false;
    must(json_object_setn_new_nocheck(object, key.ptr, key.len, value) == 0);
    return json_object_size(object) > before; /* otherwise the key is a duplicate */
}

static bool fill_object(struct scan *s, json_t *object)
{
    if (skip_byte(s, '}'))
        return true;
    do
        if (!add_member(s, object))
            return false;
    while (skip_byte(s, ','));
    return skip_byte(s, '}');
}

static bool fill_list(struct scan *s, json_t *list)
{
    if (skip_byte(s, ']'))
        return true;
    do {
        json_t *value = parse_value(s);

        if (!value)
            return false;
        must(json_array_append_new(list, value) == 0);
    } while (skip_byte(s, ','));
    return skip_byte(s, ']');
}

/* Recurses through its members, at most JSON_DEPTH_MAX deep. */
static json_t *parse_container(struct scan *s, bool is_object)
{
    json_t *container;
    bool is_whole;

    if (s->depth == JSON_DEPTH_MAX)
        return NULL;
    s->at++;
    s->depth++;
    container = must_exist(is_object ? json_object() : json_array());
    is_whole = is_object ? fill_object(s, container) : fill_list(s, container);
    s->depth--;
    if (is_whole)
        return container;
    json_decref(container);
    return NULL;
}

static json_t *parse_value(struct scan *s)
{
    char c = peek_byte(s);
    struct str text;

    if (++s->values > JSON_VALUES_MAX)
        return NULL;
    switch (c) {
    case '{':
    case '[':
        return parse_container(s, c == '{');
    case '"':
        s->at++;
        return read_string(s, &text) ? must_exist(json_stringn_nocheck(text.ptr, text.len))
                                     : NULL;
    case 't':
        return parse_word(s, STR("true"), json_true());
    case 'f':
        return parse_word(s, STR("false"), json_false());
    case 'n':
        return parse_word(s, STR("null"), json_null());
    default:
        return c == '-' || char_is_digit(c) ? parse_number(s) : NULL;
    }
}

json_t *json_parse(struct str text)
{
    struct scan s = {.at = text.ptr, .end = text.ptr + text.len};
    json_t *value = text.len > 0 ? parse_value(&s) : NULL;

    if (value && (peek_byte(&s) != '\0' || s.at < s.end)) {
        json_decref(value);
        value = NULL;
    }
    return value;
}
