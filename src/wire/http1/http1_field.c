/* SPDX-License-Identifier: Apache-2.0 */
/* Parses tokens, lists and field lines: RFC 9110 section 5, RFC 9112 sections 5 and 7.1. */
#include <endian.h>

#include "wire/http1/http1_parts.h"

int http1_hex(char c)
{
    char l = char_lower(c);

    if (char_is_digit(c))
        return c - '0';
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

static bool is_control(char byte)
{
    unsigned char c = (unsigned char)byte;

    return (c < ' ' && c != '\t') || c == 0x7f;
}

/* The first of eight bytes that may be a control byte (below a blank, from 0x7f on), or 8. */
static size_t first_unusual(const char *bytes)
{
    const uint64_t ones = 0x0101010101010101, high = 0x80 * ones;
    uint64_t eight, flipped, unusual;

    memcpy(&eight, bytes, sizeof eight);
    eight = le64toh(eight);
    flipped = eight ^ (0x7f * ones);
    unusual = (eight | (eight - ' ' * ones) | (flipped - ones)) & high;
    return unusual == 0 ? 8 : (size_t)__builtin_ctzll(unusual) / 8;
}

size_t http1_text_length(struct str s)
{
    size_t n = 0, plain;

    while (n + 8 <= s.len) {
        plain = first_unusual(s.ptr + n);
        n += plain;
        if (plain < 8 && is_control(s.ptr[n]))
            return n;
        n += plain < 8;
    }
    while (n < s.len && !is_control(s.ptr[n]))
        n++;
    return n;
}

/* Letters, digits and !#$%&'*+-.^_`|~; 32 ASCII characters per line. */
static bool is_token_byte(char byte)
{
    static const char map[] = "................................"
                              ".x.xxxxx..xx.xx.xxxxxxxxxx......"
                              ".xxxxxxxxxxxxxxxxxxxxxxxxxx...xx"
                              "xxxxxxxxxxxxxxxxxxxxxxxxxxx.x.x.";
    unsigned char c = (unsigned char)byte;

    return c < sizeof map - 1 && map[c] == 'x';
}

size_t http1_token_length(struct str s)
{
    size_t n = 0;

    while (n < s.len && is_token_byte(s.ptr[n]))
        n++;
    return n;
}

/* An unreserved byte of a URL: a-z, A-Z, 0-9 and -._~ */
static bool is_plain(char byte)
{
    static const char map[] = "................................"
                              ".............xx.xxxxxxxxxx......"
                              ".xxxxxxxxxxxxxxxxxxxxxxxxxx....x"
                              ".xxxxxxxxxxxxxxxxxxxxxxxxxx...x.";
    unsigned char c = (unsigned char)byte;

    return c < sizeof map - 1 && map[c] == 'x';
}

size_t http1_plain_length(struct str s)
{
    size_t n = 0;

    while (n < s.len && is_plain(s.ptr[n]))
        n++;
    return n;
}

bool http1_is_token(struct str s)
{
    return s.len > 0 && http1_token_length(s) == s.len;
}

bool http1_list_next(struct str *list, struct str *ret)
{
    while (list->len > 0) {
        struct str member = *list, rest = str_from(*list, list->len);

        str_cut(*list, ',', &member, &rest);
        *list = rest;
        member = str_trim(member);
        if (member.len > 0) {
            *ret = member;
            return true;
        }
    }
    return false;
}

enum rc http1_field_parse(struct http1 *p, struct str line, struct http1_field *ret,
                          struct err *reterr)
{
    struct str name, value;

    if (line.ptr[0] == ' ' || line.ptr[0] == '\t')
        return HTTP1_REFUSE(p, 400, reterr,
                            "a header line begins with a blank; a field must be on one line");
    if (!str_cut(line, ':', &name, &value))
        return HTTP1_REFUSE(p, 400, reterr,
                            "a header line must be NAME: VALUE; \"%.*s\" has no colon",
                            STR_ARG(line));
    if (str_trim(name).len != name.len)
        return HTTP1_REFUSE(p, 400, reterr,
                            "blank before the colon of the field %.*s; remove it",
                            STR_ARG(str_trim(name)));
    if (!http1_is_token(name))
        return HTTP1_REFUSE(p, 400, reterr,
                            "\"%.*s\" is not a field name; use letters, digits and -",
                            STR_ARG(name));
    *ret = (struct http1_field){name, str_trim(value)};
    return RC_OK;
}

bool http1_find(const struct http1_request *request, struct str name, struct str *ret)
{
    for (int i = 0; i < request->field_count; i++) {
        if (str_eq_nocase(request->fields[i].name, name)) {
            *ret = request->fields[i].value;
            return true;
        }
    }
    return false;
}

static bool list_has(struct str list, struct str token)
{
    struct str member;

    while (http1_list_next(&list, &member))
        if (str_eq_nocase(member, token))
            return true;
    return false;
}

bool http1_list_has(const struct http1_request *request, struct str name, struct str token)
{
    for (int i = 0; i < request->field_count; i++)
        if (str_eq_nocase(request->fields[i].name, name) &&
            list_has(request->fields[i].value, token))
            return true;
    return false;
}

bool http1_is_coded(const struct http1_request *request)
{
    for (int i = 0; i < request->field_count; i++) {
        struct str list = request->fields[i].value, coding;

        if (!str_eq_nocase(request->fields[i].name, STR("content-encoding")))
            continue;
        while (http1_list_next(&list, &coding))
            if (coding.len > 0 && !str_eq_nocase(coding, STR("identity")))
                return true;
    }
    return false;
}

/* `;q=0`, `; q=0.000` and the like; an invalid weight is not zero. */
static bool weight_is_zero(struct str weight)
{
    weight = str_trim(weight);
    if (weight.len < 3 || char_lower(weight.ptr[0]) != 'q' || weight.ptr[1] != '=')
        return false;
    for (size_t i = 2; i < weight.len; i++)
        if (weight.ptr[i] != '0' && weight.ptr[i] != '.')
            return false;
    return true;
}

enum preference { PREFERENCE_NONE, PREFERENCE_NO, PREFERENCE_YES };

bool http1_accepts_gzip(const struct http1_request *request)
{
    enum preference gzip = PREFERENCE_NONE, any = PREFERENCE_NONE;

    for (int i = 0; i < request->field_count; i++) {
        struct str list = request->fields[i].value, member;

        if (!str_eq_nocase(request->fields[i].name, STR("accept-encoding")))
            continue;
        while (http1_list_next(&list, &member)) {
            struct str coding = member, weight = {NULL, 0};
            enum preference preference;

            str_cut(member, ';', &coding, &weight);
            preference = weight_is_zero(weight) ? PREFERENCE_NO : PREFERENCE_YES;
            coding = str_trim(coding);
            if (str_eq_nocase(coding, STR("gzip")) || str_eq_nocase(coding, STR("x-gzip")))
                gzip = preference;
            else if (str_eq(coding, STR("*")))
                any = preference;
        }
    }
    return gzip == PREFERENCE_NONE ? any == PREFERENCE_YES : gzip == PREFERENCE_YES;
}
