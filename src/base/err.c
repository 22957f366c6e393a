/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills struct err: a formatted text that is valid UTF-8, and the path of the field.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/must.h"

/* Removes a character that truncation cut in two; any other invalid byte becomes `?`. */
static void make_utf8(char *text, bool is_cut)
{
    struct str rest = str_of(text);

    while (rest.len > 0) {
        size_t n = str_utf8_length(rest);
        char *at = text + (rest.ptr - text);

        if (n == 0 && is_cut && rest.len < 4 && (*at & 0xc0) == 0xc0) {
            *at = '\0';
            return;
        }
        if (n == 0)
            *at = '?';
        rest = str_from(rest, n > 0 ? n : 1);
    }
}

enum rc err_set(struct err *reterr, enum rc rc, int at, int len, const char *fmt, ...)
{
    va_list args;
    int n;

    must(rc != RC_OK);
    reterr->rc = rc;
    reterr->at = at;
    reterr->len = len < 0 ? 0 : len;
    reterr->field[0] = '\0';
    va_start(args, fmt);
    n = vsnprintf(reterr->text, sizeof reterr->text, fmt, args);
    va_end(args);
    make_utf8(reterr->text, n >= ERR_TEXT_MAX);
    return rc;
}

enum rc err_in(struct err *reterr, const char *fmt, ...)
{
    char inner[ERR_FIELD_MAX];
    struct buf field = BUF(reterr->field);
    va_list args;
    int n;

    memcpy(inner, reterr->field, sizeof inner);
    va_start(args, fmt);
    n = vsnprintf(reterr->field, sizeof reterr->field, fmt, args);
    va_end(args);
    field.len = n < 0 ? 0 : n < ERR_FIELD_MAX ? (size_t)n : ERR_FIELD_MAX - 1;
    if (inner[0] != '\0' && inner[0] != '[')
        buf_char(&field, '.');
    buf_text(&field, inner);
    make_utf8(reterr->field, field.cut || n >= ERR_FIELD_MAX); /* it may be a user's key */
    return reterr->rc;
}

enum rc err_field(struct err *reterr, const char *field, const char *text)
{
    err_set(reterr, RC_INVALID, -1, 0, "%s", text);
    return err_in(reterr, "%s", field);
}

enum rc err_rename(struct err *reterr, const char *field)
{
    reterr->field[0] = '\0';
    return err_in(reterr, "%s", field);
}

const char *rc_name(enum rc rc)
{
    static const char *const names[RC_COUNT] = {
        [RC_OK] = "ok",
        [RC_INVALID] = "invalid",
        [RC_NOT_FOUND] = "not_found",
        [RC_CONFLICT] = "conflict",
        [RC_LIMIT] = "limit",
        [RC_BUSY] = "busy",
        [RC_LOST] = "lost",
        [RC_CORRUPT] = "corrupt",
        [RC_UNKNOWN] = "unknown",
    };

    must(rc >= 0 && rc < RC_COUNT);
    return names[rc];
}
