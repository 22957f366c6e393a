/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of the program: one line per event, in logfmt or JSON.
 *
 * It reads no clock and opens no file: the caller passes the time, and each line goes to a
 * sink, which accepts it whole or refuses it at once.  Refused lines are counted; their number
 * is logged before the next line that the sink accepts.  Any number of threads may write to
 * one log; lines are never mixed.
 *
 *     log_say(&log, now, LEVEL_INFO, "listening", LOG_STR("address", address),
 *             LOG_INT("port", port));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/instant.h"
#include "base/str.h"

enum {
    LOG_LINE_MAX = 4096,  /* bytes with the line break: an atomic pipe write (PIPE_BUF) */
    LOG_VALUE_MAX = 1024, /* bytes of one text as written; a longer one ends with … */
    LOG_FIELDS_MAX = 16,  /* fields of one line; more than any event needs          */
};

enum log_level { LEVEL_DEBUG, LEVEL_INFO, LEVEL_WARN, LEVEL_ERROR, LEVEL_COUNT };

enum log_format { LOG_LOGFMT, LOG_JSON, LOG_FORMATS };

enum log_type { LOG_TYPE_STR, LOG_TYPE_INT, LOG_TYPE_BOOL, LOG_TYPE_INSTANT };

/* `key` consists of a-z, 0-9 and _; time, level, msg and cut are reserved. */
struct log_field {
    const char *key;
    enum log_type type;
    struct str text;
    int64_t number; /* of the other types */
};

#define LOG_STR(name, s)      ((struct log_field){(name), LOG_TYPE_STR, (s), 0})
#define LOG_TEXT(name, t)     ((struct log_field){(name), LOG_TYPE_STR, str_of(t), 0})
#define LOG_INT(name, n)      ((struct log_field){(name), LOG_TYPE_INT, {NULL, 0}, (n)})
#define LOG_BOOL(name, b)     ((struct log_field){(name), LOG_TYPE_BOOL, {NULL, 0}, (b)})
#define LOG_INSTANT(name, at) ((struct log_field){(name), LOG_TYPE_INSTANT, {NULL, 0}, (at)})

struct log_sink {
    bool (*take)(void *arg, struct str line); /* false: no room; any thread may call it */
    void *arg;
};

struct log {
    struct log_sink sink;
    _Atomic int level, format;
    _Atomic int64_t lost; /* lines that the sink refused and that are not yet reported */
};

void log_open(struct log *log, struct log_sink sink, enum log_level level,
              enum log_format format);

/* Applies a changed configuration.  Any thread may call it at any time. */
void log_set(struct log *log, enum log_level level, enum log_format format);

/* True if lines of this level are written.  For callers that must first collect the fields. */
bool log_wants(const struct log *log, enum log_level level);

/*
 * `msg` is a few constant words; variable parts go into `fields`, which end with a field whose
 * key is NULL.
 */
void log_write(struct log *log, instant now, enum log_level level, const char *msg,
               const struct log_field *fields);

/* (log, now, level, msg, fields...) */
#define log_say(log, now, level, ...) log_say_to(log, now, level, __VA_ARGS__, {.key = NULL})
#define log_say_to(log, now, level, msg, ...) \
    log_write((log), (now), (level), (msg), (struct log_field[]){__VA_ARGS__})

/* Reports lost lines, if any.  Call it when the sink may have room again. */
void log_report_lost(struct log *log, instant now);

/*
 * Formats one line with its line break; at most LOG_LINE_MAX bytes.  A field that does not
 * fit is left out, and the line then has cut=true.
 */
void log_line(enum log_format format, instant now, enum log_level level, const char *msg,
              const struct log_field *fields, struct buf *out);
