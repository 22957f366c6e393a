/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the text of a log field, and as an instant.
 *
 * A line of JSON is read back by a JSON parser: the text is the same, except for invalid bytes
 * and a cut end; no line has a control byte, is too long or is not UTF-8; logfmt uses the same
 * escapes.  Times agree with the calendar of the core.
 */
#include <jansson.h>
#include <stdint.h>

#include "base/log.h"
#include "base/must.h"
#include "core/time/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_line(struct str line)
{
    must(line.len > 0 && line.len <= LOG_LINE_MAX && line.ptr[line.len - 1] == '\n');
    must(str_is_utf8(line));
    for (size_t i = 0; i + 1 < line.len; i++)
        must((unsigned char)line.ptr[i] >= 0x20 && line.ptr[i] != 0x7f);
}

/* `got` is `sent` with U+FFFD for every invalid byte, or a prefix of it followed by … */
static void check_text(struct str sent, struct str got)
{
    while (got.len > 0) {
        size_t n = str_utf8_length(sent);

        if (got.len == 3 && memcmp(got.ptr, "\u2026", 3) == 0 && sent.len > 0)
            return;
        must(sent.len > 0);
        if (n == 0) {
            must(got.len >= 3 && memcmp(got.ptr, "\ufffd", 3) == 0);
            got = str_from(got, 3);
            sent = str_from(sent, 1);
            continue;
        }
        must(got.len >= n && memcmp(got.ptr, sent.ptr, n) == 0);
        got = str_from(got, n);
        sent = str_from(sent, n);
    }
    must(sent.len == 0);
}

static void check_value(const json_t *object, const char *key, struct str sent)
{
    const json_t *value = json_object_get(object, key);

    must(json_is_string(value));
    check_text(sent, (struct str){json_string_value(value), json_string_length(value)});
}

static instant some_instant(struct str s)
{
    uint64_t number = 0;

    for (size_t i = 0; i < s.len && i < sizeof number; i++)
        number = number << 8 | (unsigned char)s.ptr[i];
    return INSTANT_MIN + (instant)(number % (uint64_t)(INSTANT_MAX - INSTANT_MIN));
}

static void check_json(struct str text, instant now)
{
    char line[LOG_LINE_MAX + 1], moment[INSTANT_TEXT_MAX];
    struct buf out = BUF(line), time = BUF(moment);
    struct log_field fields[] = {LOG_STR("text", text), LOG_INT("n", now), {.key = NULL}};
    json_error_t error;
    json_t *object;

    log_line(LOG_JSON, now, LEVEL_INFO, "msg", fields, &out);
    must(!out.cut);
    check_line(buf_as_str(&out));
    object = json_loadb(line, out.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    must(object);
    check_value(object, "text", text);
    must(json_integer_value(json_object_get(object, "n")) == now);
    instant_format_ms(now, &time);
    must(strcmp(json_string_value(json_object_get(object, "time")), moment) == 0);
    json_decref(object);
}

/* A quoted value is a JSON string; an unquoted one is the text itself. */
static void check_logfmt(struct str text)
{
    char line[LOG_LINE_MAX + 1];
    struct buf out = BUF(line);
    struct log_field fields[] = {LOG_STR("text", text), {.key = NULL}};
    struct str value;
    json_t *string;

    log_line(LOG_LOGFMT, 0, LEVEL_INFO, "msg", fields, &out);
    must(!out.cut);
    check_line(buf_as_str(&out));
    value = str_of(strstr(line, " text=") + sizeof " text=" - 1);
    value.len--;
    if (value.ptr[0] != '"') {
        must(str_eq(value, text) && !memchr(value.ptr, ' ', value.len));
        return;
    }
    string = json_loadb(value.ptr, value.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    must(json_is_string(string));
    check_text(text, (struct str){json_string_value(string), json_string_length(string)});
    json_decref(string);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};

    check_json(text, some_instant(text));
    check_logfmt(text);
    return 0;
}
