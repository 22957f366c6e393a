/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String operations that are not inline: comparison, splitting, numbers, UTF-8, and the
 * nearest name for "did you mean".
 */
#include "base/str.h"

bool str_eq_folded(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i] && char_lower(a[i]) != char_lower(b[i]))
            return false;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct str str_trim(struct str s)
{
    while (s.len > 0 && is_blank(s.ptr[0]))
        s = str_from(s, 1);
    while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool str_cut(struct str s, char sep, struct str *ret_head, struct str *ret_tail)
{
    const char *at = s.len ? memchr(s.ptr, sep, s.len) : NULL;

    if (!at)
        return false;
    *ret_head = (struct str){s.ptr, (size_t)(at - s.ptr)};
    *ret_tail = str_from(s, ret_head->len + 1);
    return true;
}

size_t str_take_number(struct str *s, int64_t max, int64_t *ret)
{
    size_t n = 0;
    int64_t value = 0;

    while (n < s->len && char_is_digit(s->ptr[n])) {
        int digit = s->ptr[n] - '0';

        if (value > max || digit > max || value > (max - digit) / 10)
            value = max + 1;
        else
            value = value * 10 + digit;
        n++;
    }
    if (n > 0) {
        *ret = value;
        *s = str_from(*s, n);
    }
    return n;
}

size_t str_utf8_length(struct str s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t n;
    uint32_t code;

    if (s.len == 0)
        return 0;
    n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (n == 1)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n > s.len)
        return 0;
    code = p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    return n;
}

static bool are_ascii(const char *bytes)
{
    uint64_t eight;

    memcpy(&eight, bytes, sizeof eight);
    return (eight & 0x8080808080808080) == 0;
}

/* Number of leading ASCII bytes; checks eight at a time, so it may return fewer. */
static size_t ascii_length(struct str s)
{
    size_t n = 0;

    while (n + 8 <= s.len && are_ascii(s.ptr + n))
        n += 8;
    if (n > 0 && n + 8 > s.len && are_ascii(s.ptr + s.len - 8))
        return s.len; /* the last eight, which overlap the ones before */
    return n;
}

struct str str_head(struct str s, size_t most)
{
    size_t len = most;

    if (s.len <= most)
        return s;
    while (len > 0 && most - len < 3 && ((unsigned char)s.ptr[len] & 0xc0) == 0x80)
        len--;
    return (struct str){s.ptr, len};
}

struct str str_whole(struct str s)
{
    size_t back = 0;
    unsigned char first;

    while (back < 3 && back + 1 < s.len &&
           ((unsigned char)s.ptr[s.len - 1 - back] & 0xc0) == 0x80)
        back++;
    first = s.len > 0 ? (unsigned char)s.ptr[s.len - 1 - back] : 0;
    if (first >= 0xc0 && str_utf8_length(str_from(s, s.len - 1 - back)) != back + 1)
        s.len -= back + 1;
    return s;
}

size_t str_quoted_length(struct str s)
{
    for (size_t i = 1; i < s.len; i++) {
        if (s.ptr[i] == '"')
            return i + 1;
        if (s.ptr[i] == '\\')
            i++;
    }
    return 0;
}

bool str_contains_nocase(struct str s, struct str part)
{
    for (size_t i = 0; i + part.len <= s.len && part.len > 0; i++)
        if (str_eq_folded(s.ptr + i, part.ptr, part.len))
            return true;
    return part.len == 0;
}

bool str_is_utf8(struct str s)
{
    while (s.len > 0) {
        size_t plain = ascii_length(s), n = plain > 0 ? plain : str_utf8_length(s);

        if (n == 0)
            return false;
        s = str_from(s, n);
    }
    return true;
}

enum { NEAREST_LEN_MAX = 40 }; /* longer words are not misspellings of Belfry's names */

/* Edits (insert, delete, replace) that turn a into b, ignoring case. */
static int edit_distance(struct str a, struct str b)
{
    int row[NEAREST_LEN_MAX + 1];

    for (size_t j = 0; j <= b.len; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a.len; i++) {
        int diagonal = row[0];

        row[0] = (int)i;
        for (size_t j = 1; j <= b.len; j++) {
            int cost = char_lower(a.ptr[i - 1]) == char_lower(b.ptr[j - 1]) ? 0 : 1;
            int best = diagonal + cost;

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[b.len];
}

int str_nearest(struct str wrong, const char *const *names, int count)
{
    int best = -1, best_edits = 0;

    if (wrong.len == 0 || wrong.len > NEAREST_LEN_MAX)
        return -1;
    for (int i = 0; i < count; i++) {
        struct str name = str_of(names[i]);
        int edits;

        if (name.len > NEAREST_LEN_MAX)
            continue;
        edits = edit_distance(wrong, name);
        if (edits <= (int)(name.len + 2) / 3 && (best < 0 || edits < best_edits)) {
            best = i;
            best_edits = edits;
        }
    }
    return best;
}
