/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects packed lines in a buffer, and flushes it when it is full or old enough.
 */
#include "server/dispatch/run_log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "store/logs.h"

enum { NOTE_BYTES = 256 }; /* the packed last line: three numbers of 19 digits */

static_assert(RUN_LOG_BATCH + NOTE_BYTES <= LOG_PART_MAX,
              "a batch fits into one part of a log");
static_assert((int)RUN_LOG_MAX <= (int)LOG_RUN_MAX,
              "the log of an attempt fits into the log of a run");
static_assert((int)RUN_LOG_LINE_MAX <= (int)LOGS_LINE_MAX, "a line is stored whole");

struct run_log {
    struct loop_timer *timer;
    void (*on_lines)(void *arg, struct str lines);
    void *arg;
    int64_t bytes; /* packed, in all batches */
    int64_t dropped_lines, dropped_bytes;
    struct buf batch;
    char room[RUN_LOG_BATCH + NOTE_BYTES];
};

void text_repair(char *bytes, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t n = bytes[at] == '\0' ? 0 : str_utf8_length((struct str){bytes + at, len - at});

        if (n == 0)
            bytes[at] = '?';
        at += n > 0 ? n : 1;
    }
}

static void flush(void *arg)
{
    struct run_log *log = arg;

    loop_timer_stop(log->timer);
    if (log->batch.len == 0)
        return;
    log->on_lines(log->arg, buf_as_str(&log->batch));
    log->batch.len = 0;
}

struct run_log *run_log_new(struct loop *loop, void (*on_lines)(void *arg, struct str lines),
                            void *arg)
{
    struct run_log *log = calloc(1, sizeof *log);

    must(log != NULL);
    log->on_lines = on_lines;
    log->arg = arg;
    log->batch = BUF(log->room);
    log->timer = loop_timer_new(loop, flush, log);
    return log;
}

struct run_log *run_log_free(struct run_log *log)
{
    if (log)
        loop_timer_free(log->timer);
    free(log);
    return NULL;
}

static void drop(struct run_log *log, struct str text)
{
    log->dropped_lines++;
    log->dropped_bytes += (int64_t)text.len;
}

void run_log_add(struct run_log *log, instant now, int stream, struct str text)
{
    char line[RUN_LOG_LINE_MAX];
    size_t len = str_head(text, RUN_LOG_LINE_MAX).len;
    size_t packed = LOG_LINE_HEAD + len;

    if (log->bytes + (int64_t)packed > RUN_LOG_MAX) {
        log->bytes = RUN_LOG_MAX; /* after a dropped line, no shorter one may follow */
        drop(log, text);
        return;
    }
    if (log->batch.len + packed > RUN_LOG_BATCH)
        flush(log);
    if (log->batch.len == 0)
        loop_timer_set(log->timer, RUN_LOG_DELAY);
    if (len > 0)
        memcpy(line, text.ptr, len);
    text_repair(line, len);
    log_line_pack(&(struct log_line){now, (enum log_stream)stream, {line, len}}, &log->batch);
    log->bytes += (int64_t)packed;
}

struct str run_log_finish(struct run_log *log, instant now, int64_t lost_bytes)
{
    char text[NOTE_BYTES - LOG_LINE_HEAD];
    struct buf note = BUF(text);

    loop_timer_stop(log->timer);
    if (log->dropped_lines > 0)
        buf_printf(&note, "%" PRId64 " lines with %" PRId64 " bytes were left out of the log",
                   log->dropped_lines, log->dropped_bytes);
    if (lost_bytes > 0)
        buf_printf(&note, "%s%" PRId64 " bytes of output were not read",
                   note.len > 0 ? "; " : "", lost_bytes);
    must(!note.cut);
    if (note.len > 0)
        log_line_pack(&(struct log_line){now, LOG_WORKER, buf_as_str(&note)}, &log->batch);
    must(!log->batch.cut);
    return buf_as_str(&log->batch);
}
