/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the log lines of one attempt into batches for the run's log.
 *
 * A batch is flushed when it is full or when its first line has waited long enough.  The log of
 * an attempt is limited: further lines are counted, and the last line shows the number.  Text
 * becomes UTF-8 without zero bytes.  For the io thread.
 */
#pragma once

#include "base/instant.h"
#include "base/str.h"
#include "io/loop.h"

enum {
    RUN_LOG_BATCH = 16 * 1024,   /* bytes of packed lines per report                  */
    RUN_LOG_MAX = 1 << 20,       /* bytes per attempt: the limit of the store per run */
    RUN_LOG_LINE_MAX = 8 * 1024, /* bytes of a text; longer ones are cut              */
};

#define RUN_LOG_DELAY (250 * SPAN_MS) /* feels immediate to a reader; 4 reports per second */

struct run_log; /* opaque */

/* `on_lines` gets packed lines, valid during the call; it must not call these functions. */
struct run_log *run_log_new(struct loop *loop, void (*on_lines)(void *arg, struct str lines),
                            void *arg);
struct run_log *run_log_free(struct run_log *log); /* accepts NULL, returns NULL */

/*
 * `stream` is an enum log_stream of store/logs.h; the first two equal those of
 * io/process/exec.h.
 */
void run_log_add(struct run_log *log, instant now, int stream, struct str text);

/*
 * Returns the lines that were not flushed, with a last line about dropped lines and, if
 * `lost_bytes` is above 0, about output that was never read.  Valid until the log is freed.
 */
struct str run_log_finish(struct run_log *log, instant now, int64_t lost_bytes);

/* Replaces zero bytes and bytes that are not UTF-8 by `?`. */
void text_repair(char *bytes, size_t len);
