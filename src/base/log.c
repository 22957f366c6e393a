/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats log lines as logfmt or JSON, passes them to the sink and counts those it refuses.
 */
#include "base/log.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "base/must.h"

enum {
    EPOCH_DAY = 719468,  /* days from 0000-03-01 to 1970-01-01                      */
    CYCLE_DAYS = 146097, /* the calendar repeats after 400 years                    */
    TAIL_ROOM = 16,      /* for the end of a line: ,"cut":true} or cut=true, and \n */
    ESCAPE_LEN = 6,      /* \u001b                                                  */
    ELLIPSIS_LEN = 3,    /* … in UTF-8                                              */
};

static const char *const level_names[LEVEL_COUNT] = {"debug", "info", "warn", "error"};

static const char *log_level_text(enum log_level level)
{
    must(level >= 0 && level < LEVEL_COUNT);
    return level_names[level];
}

/*
 * Computes the date with years that begin in March, so that the leap day is the last day of
 * its year.  This layer may not use the calendar of the core; a test compares the two.
 */
static void write_instant(instant t, struct buf *out)
{
    int64_t seconds, days, cycle, day, year, month;
    int tod;

    t = instant_clamp(t);
    seconds = instant_seconds(t);
    days = (seconds - INSTANT_MIN / SPAN_S) / 86400 + INSTANT_MIN / SPAN_S / 86400;
    tod = (int)(seconds - days * 86400);
    days += EPOCH_DAY;
    cycle = days / CYCLE_DAYS;
    day = days % CYCLE_DAYS;
    year = (day - day / 1460 + day / 36524 - day / (CYCLE_DAYS - 1)) / 365;
    day -= 365 * year + year / 4 - year / 100;
    month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5;
    month = month < 10 ? month + 3 : month - 9;
    year += cycle * 400 + (month <= 2);
    buf_printf(out, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)year, (int)month, (int)day + 1,
               tod / 3600, tod / 60 % 60, tod % 60,
               (int)((t - instant_of_seconds(seconds)) / SPAN_MS));
}

/* The code point of the first character of `s`, which is `n` bytes of well-formed UTF-8. */
static uint32_t code_point(struct str s, size_t n)
{
    uint32_t code = (unsigned char)s.ptr[0];

    if (n == 1)
        return code;
    code &= 0x7fu >> n;
    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)s.ptr[i] & 0x3fu);
    return code;
}

/* Control characters, line breaks, and characters that change the text direction. */
static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* Writes one character, escaped as in JSON; an invalid byte becomes U+FFFD. */
static size_t write_char(struct str s, struct buf *out)
{
    size_t n = str_utf8_length(s);
    uint32_t code = n > 0 ? code_point(s, n) : 0xfffd;

    if (n == 0 || is_unsafe(code))
        buf_printf(out, "\\u%04x", (unsigned)code);
    else if (code == '"' || code == '\\')
        buf_printf(out, "\\%c", (char)code);
    else
        buf_add(out, s.ptr, n);
    return n > 0 ? n : 1;
}

static void write_quoted(struct str s, struct buf *out)
{
    size_t most = out->len + 1 + LOG_VALUE_MAX - ESCAPE_LEN - ELLIPSIS_LEN;

    buf_char(out, '"');
    while (s.len > 0 && out->len <= most)
        s = str_from(s, write_char(s, out));
    if (s.len > 0)
        buf_text(out, "\u2026");
    buf_char(out, '"');
}

/* True for a value that logfmt can write without quotes. */
static bool is_bare(struct str s)
{
    if (s.len == 0 || s.len > LOG_VALUE_MAX / 2)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] <= ' ' || s.ptr[i] >= 0x7f || s.ptr[i] == '"' || s.ptr[i] == '=' ||
            s.ptr[i] == '\\')
            return false;
    return true;
}

static void write_text(enum log_format format, struct str s, struct buf *out)
{
    if (format == LOG_LOGFMT && is_bare(s))
        buf_str(out, s);
    else
        write_quoted(s, out);
}

static void write_key(enum log_format format, const char *key, struct buf *out)
{
    if (format == LOG_JSON)
        buf_printf(out, "%s\"%s\":", out->len == 0 ? "{" : ",", key);
    else
        buf_printf(out, "%s%s=", out->len == 0 ? "" : " ", key);
}

static void write_instant_value(enum log_format format, instant at, struct buf *out)
{
    const char *quote = format == LOG_JSON ? "\"" : "";

    buf_text(out, quote);
    write_instant(at, out);
    buf_text(out, quote);
}

static bool is_key(const char *key)
{
    static const char *const reserved[] = {"time", "level", "msg", "cut"};
    size_t n = 0;

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(key, reserved[i]) == 0)
            return false;
    while ((key[n] >= 'a' && key[n] <= 'z') || char_is_digit(key[n]) || key[n] == '_')
        n++;
    return n > 0 && key[n] == '\0';
}

static void write_field(enum log_format format, const struct log_field *field, struct buf *out)
{
    must(is_key(field->key));
    write_key(format, field->key, out);
    switch (field->type) {
    case LOG_TYPE_STR:
        write_text(format, field->text, out);
        break;
    case LOG_TYPE_INT:
        buf_printf(out, "%" PRId64, field->number);
        break;
    case LOG_TYPE_BOOL:
        buf_text(out, field->number ? "true" : "false");
        break;
    case LOG_TYPE_INSTANT:
        write_instant_value(format, field->number, out);
        break;
    }
}

void log_line(enum log_format format, instant now, enum log_level level, const char *msg,
              const struct log_field *fields, struct buf *out)
{
    char text[LOG_LINE_MAX - TAIL_ROOM + 1];
    struct buf line = BUF(text);
    bool is_cut = false;

    write_key(format, "time", &line);
    write_instant_value(format, now, &line);
    write_key(format, "level", &line);
    write_text(format, str_of(log_level_text(level)), &line);
    write_key(format, "msg", &line);
    write_text(format, str_of(msg), &line);
    for (int i = 0; fields[i].key; i++) {
        size_t before = line.len;

        must(i < LOG_FIELDS_MAX);
        write_field(format, &fields[i], &line);
        if (line.cut) {
            line.len = before;
            line.cut = false;
            is_cut = true;
        }
    }
    must(!line.cut);
    buf_str(out, buf_as_str(&line));
    if (is_cut)
        buf_text(out, format == LOG_JSON ? ",\"cut\":true" : " cut=true");
    buf_text(out, format == LOG_JSON ? "}\n" : "\n");
}

void log_open(struct log *log, struct log_sink sink, enum log_level level,
              enum log_format format)
{
    log->sink = sink;
    atomic_init(&log->lost, 0);
    atomic_init(&log->level, (int)level);
    atomic_init(&log->format, (int)format);
}

void log_set(struct log *log, enum log_level level, enum log_format format)
{
    atomic_store_explicit(&log->level, (int)level, memory_order_relaxed);
    atomic_store_explicit(&log->format, (int)format, memory_order_relaxed);
}

bool log_wants(const struct log *log, enum log_level level)
{
    return (int)level >= atomic_load_explicit(&log->level, memory_order_relaxed);
}

static bool send_line(struct log *log, instant now, enum log_level level, const char *msg,
                      const struct log_field *fields)
{
    char text[LOG_LINE_MAX + 1];
    struct buf line = BUF(text);
    int format = atomic_load_explicit(&log->format, memory_order_relaxed);

    log_line((enum log_format)format, now, level, msg, fields, &line);
    return log->sink.take(log->sink.arg, buf_as_str(&line));
}

void log_report_lost(struct log *log, instant now)
{
    int64_t lost;

    if (atomic_load_explicit(&log->lost, memory_order_relaxed) == 0)
        return;
    /* Reset first, so that two threads cannot report the same lines. */
    lost = atomic_exchange(&log->lost, 0);
    if (lost > 0 && !send_line(log, now, LEVEL_WARN, "log lines lost",
                               (struct log_field[]){LOG_INT("lines", lost), {.key = NULL}}))
        atomic_fetch_add(&log->lost, lost);
}

void log_write(struct log *log, instant now, enum log_level level, const char *msg,
               const struct log_field *fields)
{
    if (!log_wants(log, level))
        return;
    log_report_lost(log, now);
    if (!send_line(log, now, level, msg, fields))
        atomic_fetch_add(&log->lost, 1);
}
