/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes and decodes base64.
 */
#include "wire/base64.h"

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct str bytes, struct buf *out)
{
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t bits = 0;

        for (size_t j = 0; j < 3; j++)
            bits = bits << 8 | (j < left ? (unsigned char)bytes.ptr[i + j] : 0);
        buf_char(out, letters[bits >> 18]);
        buf_char(out, letters[bits >> 12 & 63]);
        buf_char(out, left > 1 ? letters[bits >> 6 & 63] : '=');
        buf_char(out, left > 2 ? letters[bits & 63] : '=');
    }
}

/* -1: not a base64 letter. */
static int letter_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (char_is_digit(c))
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static struct str strip_padding(struct str text)
{
    for (int i = 0; i < 2 && text.len % 4 == (size_t)(i == 0 ? 0 : 3); i++)
        if (text.len > 0 && text.ptr[text.len - 1] == '=')
            text.len--;
    return text;
}

enum rc base64_read(struct str text, struct buf *out, struct err *reterr)
{
    struct str rest = strip_padding(text);
    uint32_t bits = 0;
    int held = 0;

    for (size_t i = 0; i < rest.len; i++) {
        int value = letter_value(rest.ptr[i]);

        if (value < 0)
            return err_set(reterr, RC_INVALID, (int)i, 1, "is not base64");
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            buf_char(out, (char)(bits >> held & 255));
        }
    }
    if (held == 6 || (bits & ((1U << held) - 1)) != 0)
        return err_set(reterr, RC_INVALID, (int)rest.len, 0, "is truncated base64");
    return RC_OK;
}
