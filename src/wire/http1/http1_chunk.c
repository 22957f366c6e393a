/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the line before a chunk: RFC 9112 section 7.1.
 *
 * Extensions are checked and ignored.  Blanks around `;` and `=` are rejected: the RFC calls
 * them bad, and readers interpret them differently.
 */
#include "wire/http1/http1_parts.h"

/* The bytes of one `;name`, `;name=token` or `;name="text"`; 0 if it is invalid. */
static size_t extension_length(struct str s)
{
    size_t name, value, at;

    if (s.ptr[0] != ';')
        return 0;
    name = http1_token_length(str_from(s, 1));
    if (name == 0)
        return 0;
    at = 1 + name;
    if (at == s.len || s.ptr[at] != '=')
        return at;
    s = str_from(s, at + 1);
    value = s.len > 0 && s.ptr[0] == '"' ? str_quoted_length(s) : http1_token_length(s);
    return value > 0 ? at + 1 + value : 0;
}

enum rc http1_chunk_parse(struct http1 *p, struct str line, uint64_t *ret_size, size_t *ret_ext,
                          struct err *reterr)
{
    struct str rest;
    uint64_t size = 0;
    size_t digits = 0, ext, n;

    for (; digits < line.len && http1_hex(line.ptr[digits]) >= 0; digits++)
        size = size << 4 | (uint64_t)http1_hex(line.ptr[digits]);
    if (digits == 0 || digits > HTTP1_SIZE_DIGITS_MAX)
        return HTTP1_REFUSE(p, 400, reterr,
                            "a chunk must begin with its size, 1 to %d hexadecimal digits, "
                            "not \"%.*s\"",
                            HTTP1_SIZE_DIGITS_MAX, STR_ARG(line));
    rest = str_from(line, digits);
    ext = rest.len;
    for (; rest.len > 0; rest = str_from(rest, n)) {
        n = extension_length(rest);
        if (n == 0)
            return HTTP1_REFUSE(p, 400, reterr,
                                "invalid \"%.*s\" after the size of a chunk; only ;name=value "
                                "may follow",
                                STR_ARG(rest));
    }
    *ret_size = size;
    *ret_ext = ext;
    return RC_OK;
}
