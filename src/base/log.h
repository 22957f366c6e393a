/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program says about itself while it runs: one line per event, logfmt or JSON.
 *
 * Knows no clock and no descriptor: the time is handed in, and a line goes to a sink, which
 * takes it whole or refuses it at once.  What was refused is counted, and told before the
 * next line that is taken.  Any number of threads may write to one log; lines never mix.
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
    LOG_LINE_MAX = 4096,  /* with its line break: what a pipe takes whole (PIPE_BUF)     */
    LOG_VALUE_MAX = 1024, /* of a text as it is written; the rest is left out, shown by … */
    LOG_FIELDS_MAX = 16,  /* of one line; more is a story, not an event                  */
};

enum log_level { LEVEL_DEBUG, LEVEL_INFO, LEVEL_WARN, LEVEL_ERROR, LEVEL_COUNT };

enum log_format { LOG_LOGFMT, LOG_JSON, LOG_FORMATS };

enum log_type { LOG_TYPE_STR, LOG_TYPE_INT, LOG_TYPE_BOOL, LOG_TYPE_INSTANT };

/* `key` is a to z, 0 to 9 and _, not time, level, msg or cut, which every line may have. */
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
    bool (*take)(void *arg, struct str line); /* false: no room; may be called by any thread */
    void *arg;
};

struct log {
    struct log_sink sink;
    _Atomic int level, format;
    _Atomic int64_t lost; /* lines that the sink refused and that were not told yet */
};

void log_open(struct log *log, struct log_sink sink, enum log_level level,
              enum log_format format);

/* At any time, by any thread: a changed configuration. */
void log_set(struct log *log, enum log_level level, enum log_format format);

/* True when a line of this level is written; for callers that must gather what they say. */
bool log_wants(const struct log *log, enum log_level level);

/*
 * `msg` is a few constant words; what differs from line to line goes into fields, which end
 * with one whose key is NULL.
 */
void log_write(struct log *log, instant now, enum log_level level, const char *msg,
               const struct log_field *fields);

/* (log, now, level, msg, fields...) */
#define log_say(log, now, level, ...) log_say_to(log, now, level, __VA_ARGS__, {.key = NULL})
#define log_say_to(log, now, level, msg, ...) \
    log_write((log), (now), (level), (msg), (struct log_field[]){__VA_ARGS__})

/* Tells of lost lines if there are any; for when the sink has room again but nobody writes. */
void log_pulse(struct log *log, instant now);

/*
 * The line alone, with its line break; at most LOG_LINE_MAX bytes.  A field that does not fit
 * is left out, and the line says so (cut=true).
 */
void log_line(enum log_format format, instant now, enum log_level level, const char *msg,
              const struct log_field *fields, struct buf *out);

const char *log_level_text(enum log_level level);
