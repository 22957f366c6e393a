/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a configuration file into lines, keys and values.
 */
#include "server/config/config_file.h"

#include <string.h>

#define BYTE_ORDER_MARK STR("\xef\xbb\xbf") /* some editors add it */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_key_char(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_' || c == '-' || c == '.';
}

static size_t skip_blanks(struct str line, size_t at)
{
    while (at < line.len && is_blank(line.ptr[at]))
        at++;
    return at;
}

void config_file_begin(struct config_file *file, struct str text)
{
    if (str_starts(text, BYTE_ORDER_MARK))
        text = str_from(text, BYTE_ORDER_MARK.len);
    *file = (struct config_file){text, 0};
}

/* Returns the next line without its end, \n or \r\n. */
static struct str take_line(struct config_file *file)
{
    struct str line = file->rest, rest = {"", 0};

    str_cut(file->rest, '\n', &line, &rest);
    file->rest = rest;
    file->line++;
    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

static enum rc check_text(struct str line, struct err *reterr)
{
    for (size_t at = 0; at < line.len;) {
        size_t n = str_utf8_length(str_from(line, at));
        unsigned char c = (unsigned char)line.ptr[at];

        if (n == 0)
            return err_set(reterr, RC_INVALID, (int)at, 1, "invalid UTF-8");
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return err_set(reterr, RC_INVALID, (int)at, 1,
                           "control character (0x%02x) is not allowed", c);
        at += n;
    }
    return RC_OK;
}

/* Only a comment may follow. */
static enum rc check_tail(struct str line, size_t at, struct err *reterr)
{
    at = skip_blanks(line, at);
    if (at < line.len && line.ptr[at] != '#')
        return err_set(reterr, RC_INVALID, (int)at, (int)(line.len - at),
                       "only a comment may follow the closing quote");
    return RC_OK;
}

/* Starts at the opening quote. */
static enum rc read_quoted(struct str line, size_t at, struct config_line *ret,
                           struct err *reterr)
{
    size_t n = 0, from = at++;

    while (at < line.len && line.ptr[at] != '"') {
        if (line.ptr[at] == '\\') {
            at++;
            if (at == line.len || (line.ptr[at] != '"' && line.ptr[at] != '\\'))
                return err_set(reterr, RC_INVALID, (int)at - 1, 1,
                               "in quotes, write a backslash as \\\\ and a quote as \\\"");
            ret->has_escapes = true;
        }
        if (n == sizeof ret->unescaped)
            return err_set(reterr, RC_LIMIT, (int)from, 1,
                           "value is too long; the limit is %d bytes", CONFIG_VALUE_MAX);
        ret->unescaped[n++] = line.ptr[at++];
    }
    if (at == line.len)
        return err_set(reterr, RC_INVALID, (int)from, 1, "missing closing quote");
    ret->value = (struct str){ret->unescaped, n};
    ret->value_at = (int)from + 1;
    return check_tail(line, at + 1, reterr);
}

/* Ends before a comment and the blanks in front of it. */
static enum rc read_plain(struct str line, size_t at, struct config_line *ret,
                          struct err *reterr)
{
    size_t end = at;

    while (end < line.len &&
           !(line.ptr[end] == '#' && (end == at || is_blank(line.ptr[end - 1]))))
        end++;
    ret->value = str_trim((struct str){line.ptr + at, end - at});
    ret->value_at = (int)at;
    if (ret->value.len > CONFIG_VALUE_MAX)
        return err_set(reterr, RC_LIMIT, (int)at, 1, "value is too long; the limit is %d bytes",
                       CONFIG_VALUE_MAX);
    return RC_OK;
}

static enum rc read_line(struct str line, size_t at, struct config_line *ret,
                         struct err *reterr)
{
    size_t end = at;

    if (line.ptr[at] == '[')
        return err_set(reterr, RC_INVALID, (int)at, (int)(line.len - at),
                       "sections are not supported; use key = value lines");
    while (end < line.len && is_key_char(line.ptr[end]))
        end++;
    if (end == at)
        return err_set(reterr, RC_INVALID, (int)at, 1,
                       "missing key; write key = value, or # before a comment");
    ret->key = (struct str){line.ptr + at, end - at};
    ret->key_at = (int)at;
    at = skip_blanks(line, end);
    if (at == line.len || line.ptr[at] != '=')
        return err_set(reterr, RC_INVALID, (int)at, at < line.len ? 1 : 0,
                       "missing =; write key = value");
    at = skip_blanks(line, at + 1);
    if (at < line.len && line.ptr[at] == '"')
        return read_quoted(line, at, ret, reterr);
    return read_plain(line, at, ret, reterr);
}

enum rc config_file_next(struct config_file *file, struct config_line *ret, bool *ret_found,
                         struct err *reterr)
{
    while (file->rest.len > 0) {
        struct str line = take_line(file);
        size_t at = skip_blanks(line, 0);
        enum rc rc = check_text(line, reterr);

        if (rc != RC_OK)
            return rc;
        if (at == line.len || line.ptr[at] == '#')
            continue;
        ret->line = file->line;
        ret->has_escapes = false;
        rc = read_line(line, at, ret, reterr);
        if (rc == RC_OK)
            *ret_found = true;
        return rc;
    }
    *ret_found = false;
    return RC_OK;
}

static bool needs_quotes(struct str value)
{
    if (value.len == 0 || is_blank(value.ptr[0]) || is_blank(value.ptr[value.len - 1]))
        return true;
    return value.ptr[0] == '"' || memchr(value.ptr, '#', value.len) != NULL;
}

void config_file_write(struct str value, struct buf *out)
{
    if (!needs_quotes(value)) {
        buf_str(out, value);
        return;
    }
    buf_char(out, '"');
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] == '"' || value.ptr[i] == '\\')
            buf_char(out, '\\');
        buf_char(out, value.ptr[i]);
    }
    buf_char(out, '"');
}
