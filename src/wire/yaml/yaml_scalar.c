/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads plain scalars by the core schema of YAML 1.2 (section 10.3.2), and nothing beyond it.
 */
#include "base/must.h"
#include "wire/yaml/yaml_parts.h"

enum { NUMBER_MAX = 400 }; /* maximum bytes of a number; a double has 300 digits */

static bool is_one_of(struct str text, const char *const *words)
{
    for (; *words; words++)
        if (str_eq(text, str_of(*words)))
            return true;
    return false;
}

static size_t count_digits(struct str s, size_t at)
{
    size_t n = 0;

    while (at + n < s.len && char_is_digit(s.ptr[at + n]))
        n++;
    return n;
}

static bool is_integer(struct str s)
{
    size_t sign = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+');

    return s.len > sign && count_digits(s, sign) == s.len - sign;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_float(struct str s)
{
    size_t at = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+');
    size_t whole = count_digits(s, at), part = 0;

    at += whole;
    if (at < s.len && s.ptr[at] == '.') {
        part = count_digits(s, at + 1);
        at += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (at < s.len && (s.ptr[at] == 'e' || s.ptr[at] == 'E')) {
        size_t exponent;

        at++;
        at += at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+');
        exponent = count_digits(s, at);
        if (exponent == 0)
            return false;
        at += exponent;
    }
    return at == s.len;
}

/* 0o17 and 0x1F; 0 if it is neither. */
static int number_base(struct str s)
{
    int base = 0;

    if (s.len > 2 && s.ptr[0] == '0' && s.ptr[1] == 'o')
        base = 8;
    else if (s.len > 2 && s.ptr[0] == '0' && s.ptr[1] == 'x')
        base = 16;
    for (size_t i = 2; base != 0 && i < s.len; i++) {
        char c = char_lower(s.ptr[i]);
        bool is_digit = base == 8 ? c >= '0' && c <= '7'
                                  : char_is_digit(c) || (c >= 'a' && c <= 'f');

        if (!is_digit)
            return 0;
    }
    return base;
}

static enum rc set_too_large(struct err *reterr)
{
    return err_set(reterr, RC_INVALID, -1, 0, "this number is too large");
}

/* The same number in JSON: no plus, no leading zeros, digits around the point. */
static void write_json(struct str s, struct buf *out)
{
    size_t at = s.ptr[0] == '-' || s.ptr[0] == '+', whole;

    if (s.ptr[0] == '-')
        buf_char(out, '-');
    while (at + 1 < s.len && s.ptr[at] == '0' && char_is_digit(s.ptr[at + 1]))
        at++;
    whole = count_digits(s, at);
    if (whole == 0)
        buf_char(out, '0');
    for (size_t i = at; i < s.len; i++) {
        buf_char(out, s.ptr[i]);
        if (s.ptr[i] == '.' && count_digits(s, i + 1) == 0)
            buf_char(out, '0');
    }
}

/* jansson reads decimal numbers, so that both forms of a file mean the same. */
static enum rc read_decimal(struct str text, json_t **ret, struct err *reterr)
{
    char bytes[NUMBER_MAX + 8];
    struct buf out = BUF(bytes);

    if (text.len > NUMBER_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "this number is too long");
    write_json(text, &out);
    must(!out.cut);
    *ret = json_loadb(out.ptr, out.len, JSON_DECODE_ANY, NULL);
    return *ret ? RC_OK : set_too_large(reterr);
}

static enum rc read_based(struct str text, int base, json_t **ret, struct err *reterr)
{
    int64_t number = 0;

    for (size_t i = 2; i < text.len; i++) {
        char c = char_lower(text.ptr[i]);
        int digit = char_is_digit(c) ? c - '0' : c - 'a' + 10;

        if (number > (INT64_MAX - digit) / base)
            return set_too_large(reterr);
        number = number * base + digit;
    }
    *ret = json_new_int(number);
    return RC_OK;
}

enum rc yaml_plain(struct str text, json_t **ret, struct err *reterr)
{
    static const char *const nothing[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const yes[] = {"true", "True", "TRUE", NULL};
    static const char *const no[] = {"false", "False", "FALSE", NULL};
    static const char *const not_finite[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf",
                                             "+.INF", "-.inf", "-.Inf", "-.INF", ".nan",
                                             ".NaN",  ".NAN",  NULL};

    if (is_one_of(text, nothing))
        *ret = json_null();
    else if (is_one_of(text, yes))
        *ret = json_true();
    else if (is_one_of(text, no))
        *ret = json_false();
    else if (is_one_of(text, not_finite))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "infinite numbers are not supported; put a string into quotes");
    else if (is_integer(text) || is_float(text))
        return read_decimal(text, ret, reterr);
    else if (number_base(text) > 0)
        return read_based(text, number_base(text), ret, reterr);
    else
        *ret = json_new_str(text);
    return RC_OK;
}
