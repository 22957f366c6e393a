/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings as pointer and length, and the few operations that parsers need.
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
/* For "%.*s" in messages: up to STR_SHOWN_MAX bytes, whole characters. */
#define STR_ARG(s) str_shown_length(s), (s).ptr

enum { STR_SHOWN_MAX = 200 };

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

/* Length of the quoted string at the start of `s`, with both quotes; 0: not terminated. */
size_t str_quoted_length(struct str s);

/* True if `s` contains `part`, ignoring ASCII case; an empty part is always contained. */
bool str_contains_nocase(struct str s, struct str part);

/* The first `most` bytes, or up to three fewer so that no UTF-8 character is cut. */
struct str str_head(struct str s, size_t most);

static inline int str_shown_length(struct str s)
{
    return (int)(s.len <= STR_SHOWN_MAX ? s.len : str_head(s, STR_SHOWN_MAX).len);
}

/* Without an incomplete UTF-8 character at the end. */
struct str str_whole(struct str s);

/* Without the spaces and tabs at both ends. */
struct str str_trim(struct str s);

/* Splits `s` at the first `sep`; returns false if there is no `sep`. */
bool str_cut(struct str s, char sep, struct str *ret_head, struct str *ret_tail);

/*
 * Reads decimal digits from the start of *s and advances *s.  No sign, no blank.  A number
 * above `max` (which is below INT64_MAX) reads as max + 1, so that long input cannot overflow.
 * Returns the number of digits; if it is 0, *s and *ret are unchanged.
 */
size_t str_take_number(struct str *s, int64_t max, int64_t *ret);

/* Length of the UTF-8 sequence at the start of `s`; 0 if it is malformed or incomplete. */
size_t str_utf8_length(struct str s);

/* True for well-formed UTF-8 (no overlong form, no surrogate, at most U+10FFFF). */
bool str_is_utf8(struct str s);

/*
 * The index of the name that the user may have meant by `wrong`: the one with the fewest
 * edits, at most a third of its length, rounded up; -1 if none is near.
 */
int str_nearest(struct str wrong, const char *const *names, int count);
