/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters that are not allowed, and what to type instead.
 */
#include "core/cron/cron_char.h"

#include <stdint.h>

#include "base/must.h"

#define CODE_NONE UINT32_MAX /* malformed UTF-8 */

static const struct {
    uint32_t from, to;
    const char *advice;
} look_alikes[] = {
    {0x0000, 0x0008, "remove it"},
    {0x0009, 0x000d, "use a space"},
    {0x000e, 0x001f, "remove it"},
    {0x007f, 0x007f, "remove it"},
    {0x00a0, 0x00a0, "use a space"},
    {0x00ad, 0x00ad, "use \"-\""},
    {0x00b4, 0x00b4, "leave out quotation marks"},
    {0x00d7, 0x00d7, "use \"*\""},
    {0x1680, 0x1680, "use a space"},
    {0x2000, 0x200a, "use a space"},
    {0x200b, 0x200f, "remove it"},
    {0x2010, 0x2015, "use \"-\""},
    {0x2018, 0x201f, "leave out quotation marks"},
    {0x2028, 0x2029, "use a space"},
    {0x202f, 0x202f, "use a space"},
    {0x2044, 0x2044, "use \"/\""},
    {0x204e, 0x204e, "use \"*\""},
    {0x205f, 0x205f, "use a space"},
    {0x2060, 0x2060, "remove it"},
    {0x2212, 0x2212, "use \"-\""},
    {0x2215, 0x2215, "use \"/\""},
    {0x2217, 0x2217, "use \"*\""},
    {0x3000, 0x3000, "use a space"},
    {0x3001, 0x3001, "use \",\""},
    {0xfe58, 0xfe58, "use \"-\""},
    {0xfe63, 0xfe63, "use \"-\""},
    {0xfeff, 0xfeff, "remove it"},
};

/* The full-width forms of ! to ~ have the order of ASCII. */
enum { WIDE_FIRST = 0xff01, WIDE_LAST = 0xff5e, WIDE_SHIFT = 0xff01 - '!' };

const char *cron_find_bad_byte(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < ' ' || text.ptr[i] > '~')
            return text.ptr + i;
    return NULL;
}

/* Length of the UTF-8 sequence that this byte starts; 1 if it starts none. */
static size_t sequence_length(unsigned char lead)
{
    return lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
}

static uint32_t code_point(const char *at, size_t len)
{
    uint32_t code = (unsigned char)at[0];

    if (len == 1)
        return code < 0x80 ? code : CODE_NONE;
    if (!str_is_utf8((struct str){at, len}))
        return CODE_NONE;
    code &= 0x7fu >> len;
    for (size_t i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)at[i] & 0x3f);
    return code;
}

enum rc cron_reject_byte(const char *origin, const char *at, const char *end,
                         struct err *reterr)
{
    size_t len = sequence_length((unsigned char)*at);
    int column = (int)(at - origin);
    uint32_t code;

    must(at < end);
    code = len <= (size_t)(end - at) ? code_point(at, len) : CODE_NONE;
    if (code == CODE_NONE)
        return err_set(reterr, RC_INVALID, column, 1, "byte 0x%02X is not allowed; use ASCII",
                       (unsigned char)*at);
    if (code >= WIDE_FIRST && code <= WIDE_LAST)
        return err_set(reterr, RC_INVALID, column, (int)len,
                       "character U+%04X is not allowed; use \"%c\"", (unsigned)code,
                       (int)(code - WIDE_SHIFT));
    for (size_t i = 0; i < sizeof look_alikes / sizeof look_alikes[0]; i++)
        if (code >= look_alikes[i].from && code <= look_alikes[i].to)
            return err_set(reterr, RC_INVALID, column, (int)len,
                           "character U+%04X is not allowed; %s", (unsigned)code,
                           look_alikes[i].advice);
    return err_set(reterr, RC_INVALID, column, (int)len,
                   "character U+%04X is not allowed; use ASCII", (unsigned)code);
}
