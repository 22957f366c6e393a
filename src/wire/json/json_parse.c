/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json/json_parse.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "base/must.h"
#include "wire/json/json.h"

enum {
    DIGITS_MAX = 18,   /* no number of as many is beyond 64 bits                  */
    ESCAPED_MAX = 512, /* bytes of a string with escapes, which are taken out here */
};

struct scan {
    const char *at, *end;
    int depth, values;
    char room[ESCAPED_MAX];
};

/* The next byte that is not blank, 0 at the end. */
static char look(struct scan *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t'))
        s->at++;
    return s->at < s->end ? *s->at : '\0';
}

static bool take(struct scan *s, char c)
{
    if (look(s) != c)
        return false;
    s->at++;
    return true;
}

/* What a letter behind a backslash stands for; 0: not known here. */
static char meaning(char letter)
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

/* From the first backslash on; `len` bytes before it are as they are. */
static bool take_escaped(struct scan *s, const char *from, size_t len, struct str *ret)
{
    if (len > ESCAPED_MAX)
        return false;
    memcpy(s->room, from, len);
    for (; s->at < s->end && *s->at != '"'; s->at++) {
        char c = *s->at;

        if (c == '\\')
            c = ++s->at < s->end ? meaning(*s->at) : '\0';
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

/* Past bytes that mean nothing but themselves, eight at a time as long as there are as many. */
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
        if (found != 0) { /* the lowest is one; those above it may be none */
            s->at += __builtin_ctzll(found) / 8;
            return;
        }
        s->at += 8;
    }
    while (s->at < s->end && *s->at != '"' && *s->at != '\\' && (unsigned char)*s->at >= ' ')
        s->at++;
}

/* Behind its first quote.  It lives until the next one is taken. */
static bool take_string(struct scan *s, struct str *ret)
{
    const char *from = s->at;

    skip_plain(s);
    if (s->at == s->end || (unsigned char)*s->at < ' ')
        return false;
    if (*s->at == '\\')
        return take_escaped(s, from, (size_t)(s->at - from), ret);
    *ret = (struct str){from, (size_t)(s->at - from)};
    s->at++;
    return true;
}

static json_t *made(json_t *value)
{
    must(value != NULL);
    return value;
}

/* What follows a number is looked at by whoever goes on: a point is not expected there. */
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
    return made(json_integer(is_negative ? -n : n));
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

    /* The value may need the room of a key with escapes. */
    if (!take(s, '"') || !take_string(s, &key) || key.ptr == s->room || !take(s, ':'))
        return false;
    value = parse_value(s);
    if (!value)
        return false;
    must(json_object_setn_new_nocheck(object, key.ptr, key.len, value) == 0);
    return json_object_size(object) > before; /* else it stands twice */
}

static bool fill_object(struct scan *s, json_t *object)
{
    if (take(s, '}'))
        return true;
    do
        if (!add_member(s, object))
            return false;
    while (take(s, ','));
    return take(s, '}');
}

static bool fill_list(struct scan *s, json_t *list)
{
    if (take(s, ']'))
        return true;
    do {
        json_t *value = parse_value(s);

        if (!value)
            return false;
        must(json_array_append_new(list, value) == 0);
    } while (take(s, ','));
    return take(s, ']');
}

/* Calls itself through its members, JSON_DEPTH_MAX deep at most. */
static json_t *parse_nest(struct scan *s, bool is_object)
{
    json_t *nest;
    bool is_whole;

    if (s->depth == JSON_DEPTH_MAX)
        return NULL;
    s->at++;
    s->depth++;
    nest = made(is_object ? json_object() : json_array());
    is_whole = is_object ? fill_object(s, nest) : fill_list(s, nest);
    s->depth--;
    if (is_whole)
        return nest;
    json_decref(nest);
    return NULL;
}

static json_t *parse_value(struct scan *s)
{
    char c = look(s);
    struct str text;

    if (++s->values > JSON_VALUES_MAX)
        return NULL;
    switch (c) {
    case '{':
    case '[':
        return parse_nest(s, c == '{');
    case '"':
        s->at++;
        return take_string(s, &text) ? made(json_stringn_nocheck(text.ptr, text.len)) : NULL;
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

    if (value && (look(&s) != '\0' || s.at < s.end)) {
        json_decref(value);
        value = NULL;
    }
    return value;
}
