/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON strings and finds members in JSON text.
 */
#include "wire/json/json_text.h"

#include <string.h>

/* The letter after the backslash, 'u' for those without one; 0: not escaped. */
static char escape_of(unsigned char c)
{
    static const char letters[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

    if (c == '"' || c == '\\')
        return (char)c;
    if (c >= sizeof letters)
        return 0;
    return letters[c] ? letters[c] : 'u';
}

static void write_escaped(struct buf *out, unsigned char c, char letter)
{
    static const char digits[] = "0123456789ABCDEF";
    char text[6] = {'\\', letter, '0', '0', digits[c >> 4], digits[c & 15]};

    buf_add(out, text, letter == 'u' ? 6 : 2);
}

/* Whether eight bytes are all literal: none below 0x20, no quote, no backslash. */
static bool are_plain(const char *bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t x, quotes, slashes;

    memcpy(&x, bytes, sizeof x);
    quotes = x ^ ('"' * ones);
    slashes = x ^ ('\\' * ones);
    return ((((x - 0x20 * ones) & ~x) | ((quotes - ones) & ~quotes) |
             ((slashes - ones) & ~slashes)) &
            (0x80 * ones)) == 0;
}

static bool is_plain(char byte)
{
    unsigned char c = (unsigned char)byte;

    return c >= 0x20 && c != '"' && c != '\\';
}

/* The number of literal bytes from `at` on. */
static size_t plain_length(struct str s, size_t at)
{
    size_t i = at;

    while (i + 8 <= s.len && are_plain(s.ptr + i))
        i += 8;
    if (i > at && i + 8 > s.len && are_plain(s.ptr + s.len - 8))
        return s.len - at; /* the last eight, some of them checked twice */
    while (i < s.len && is_plain(s.ptr[i]))
        i++;
    return i - at;
}

void json_write_str(struct buf *out, struct str s)
{
    size_t i = 0;

    buf_char(out, '"');
    while (i < s.len) {
        size_t plain = plain_length(s, i);

        buf_add(out, s.ptr + i, plain);
        i += plain;
        if (i < s.len) {
            unsigned char c = (unsigned char)s.ptr[i++];

            write_escaped(out, c, escape_of(c));
        }
    }
    buf_char(out, '"');
}

size_t json_str_length(struct str s)
{
    size_t len = s.len + 2, i = plain_length(s, 0);

    for (; i < s.len; i += 1 + plain_length(s, i + 1))
        len += escape_of((unsigned char)s.ptr[i]) == 'u' ? 5 : 1;
    return len;
}

void json_write_int(struct buf *out, int64_t n)
{
    buf_int(out, n);
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
}

static struct str skip_separators(struct str s)
{
    while (s.len > 0 && is_separator(s.ptr[0]))
        s = str_from(s, 1);
    return s;
}

/* Bytes of the object or list at the start of `s`; 0: it has no end. */
static size_t container_length(struct str s)
{
    int64_t depth = 0;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        size_t n = c == '"' ? str_quoted_length(str_from(s, i)) : 1;

        if (n == 0)
            return 0;
        i += n - 1;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

static size_t value_length(struct str s)
{
    size_t n = 0;

    if (s.len > 0 && s.ptr[0] == '"')
        return str_quoted_length(s);
    if (s.len > 0 && (s.ptr[0] == '{' || s.ptr[0] == '['))
        return container_length(s);
    while (n < s.len && !is_separator(s.ptr[n]) && s.ptr[n] != '}' && s.ptr[n] != ']')
        n++;
    return n;
}

bool json_next_member(struct str *rest, struct str *ret_key, struct str *ret_value)
{
    struct str s = skip_separators(*rest), key;
    size_t n;

    if (s.len > 0 && s.ptr[0] == '{')
        s = skip_separators(str_from(s, 1));
    n = s.len > 0 && s.ptr[0] == '"' ? str_quoted_length(s) : 0;
    if (n == 0)
        return false;
    key = (struct str){s.ptr + 1, n - 2};
    s = skip_separators(str_from(s, n));
    n = value_length(s);
    if (n == 0)
        return false;
    *ret_key = key;
    *ret_value = (struct str){s.ptr, n};
    *rest = str_from(s, n);
    return true;
}

struct str json_find_member(struct str object, struct str name)
{
    struct str key, value;

    while (json_next_member(&object, &key, &value))
        if (str_eq(key, name))
            return str_eq(value, STR("null")) ? (struct str){0} : value;
    return (struct str){0};
}
