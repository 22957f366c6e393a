/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of one attempt, gathered into portions on their way to the run's log.
 *
 * A portion is handed on when it is full or when its first line has waited long enough.  What
 * an attempt may say is bounded: lines beyond that are counted, and the last line says how
 * many.  Texts become UTF-8 without a zero byte here, whatever a program wrote.  It neither
 * stores lines nor knows who reads them.  For the loop's thread.
 */
#pragma once

#include "base/instant.h"
#include "base/str.h"
#include "io/loop.h"

enum {
    RUN_LOG_PORTION = 16 * 1024, /* bytes of packed lines in one report                     */
    RUN_LOG_MAX = 1 << 20,       /* of one attempt: as much as the store keeps of a run     */
    RUN_LOG_LINE_MAX = 8 * 1024, /* of a text; a longer one is cut                          */
};

#define RUN_LOG_DELAY (250 * SPAN_MS) /* a reader takes it for at once; 4 reports a second */

struct run_log; /* opaque */

/* `hand_on` gets packed lines, good during the call; it may not call these functions. */
struct run_log *run_log_new(struct loop *loop, void (*hand_on)(void *arg, struct str lines),
                            void *arg);
struct run_log *run_log_free(struct run_log *log); /* accepts NULL, returns NULL */

/*
 * `stream` is an enum log_stream of store/logs.h, the first two as those of io/process/exec.h.
 */
void run_log_add(struct run_log *log, instant now, int stream, struct str text);

/*
 * The end: lines that were not handed on, with a last one on what was left out of the log or,
 * with `lost_bytes` above 0, never came to it.  Good until the log is freed.
 */
struct str run_log_finish(struct run_log *log, instant now, int64_t lost_bytes);

/* Bytes that are not UTF-8, and zero bytes, become `?`. */
void text_mend(char *bytes, size_t len);
