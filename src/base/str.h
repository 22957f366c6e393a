/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings as pointer and length, and the few things parsers do with them.
 *
 * A str does not own its bytes and is not terminated.  Nothing here depends on a locale.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_ARG(s)   (int)((s).len > 200 ? 200 : (s).len), (s).ptr /* for "%.*s" in messages */

static inline struct str str_of(const char *text)
{
    return (struct str){text, text ? strlen(text) : 0};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len &&
           (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline struct str str_from(struct str s, size_t at)
{
    return (struct str){s.ptr + at, s.len - at};
}

static inline bool char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline char char_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static inline bool char_is_alpha(char c)
{
    char l = char_lower(c);

    return l >= 'a' && l <= 'z';
}

/* Equal but for the case of ASCII letters. */
bool str_eq_folded(const char *a, const char *b, size_t len);

static inline bool str_eq_nocase(struct str a, struct str b)
{
    return a.len == b.len && str_eq_folded(a.ptr, b.ptr, a.len);
}

/* Whether it stands anywhere in `s`, in letters of either case; an empty part does. */
bool str_contains_nocase(struct str s, struct str part);

/* At most so many bytes of it, and no character of UTF-8 cut apart. */
struct str str_head(struct str s, size_t most);

/* Without spaces and tabs at both ends. */
struct str str_trim(struct str s);

/* Splits off what stands before the first `sep`; false when there is no `sep`. */
bool str_cut(struct str s, char sep, struct str *ret_head, struct str *ret_tail);

/*
 * Reads decimal digits from the start of *s and advances it.  No sign, no blank.  A number
 * above `max` (below INT64_MAX) reads as max + 1, so that no length of input can wrap.
 * Returns the digits read; 0 means there was no number and *s and *ret are untouched.
 */
size_t str_take_number(struct str *s, int64_t max, int64_t *ret);

/* Bytes of the UTF-8 sequence that `s` begins with; 0 when it is malformed or cut off. */
size_t str_utf8_length(struct str s);

/* True for well-formed UTF-8 (no overlong form, no surrogate, at most U+10FFFF). */
bool str_is_utf8(struct str s);

/*
 * The entry of `names` that a person may have meant by `wrong`: fewest edits, at most a
 * third of the entry's length, rounded up; -1 when nothing is near.
 */
int str_nearest(struct str wrong, const char *const *names, int count);
