/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table logs: the output of runs, in parts as it was reported; and the packing of lines into
 * parts.
 *
 * Statements are queued; see store/cursors.h.  Rows never change.  The caller of logs_insert()
 * must hold the lock of the run or of its schedule's cursor, so that the parts of a run follow
 * each other.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "db/db.h"

enum {
    LOGS_LINE_MAX = 16 * 1024, /* maximum bytes of one line */
    LOG_PART_MAX = 256 * 1024, /* maximum bytes of packed lines per report, as for a result */
    /* maximum bytes of a run's log; the part that exceeds it is the last */
    LOG_RUN_MAX = 1024 * 1024,
    LOG_LINE_HEAD = 13, /* bytes of a packed line without its text */
};

enum log_stream { LOG_STDOUT = 0, LOG_STDERR = 1, LOG_WORKER = 2, LOG_STREAM_COUNT };

struct log_line {
    instant at;
    enum log_stream stream;
    struct str text; /* any bytes; the part beyond LOGS_LINE_MAX is not packed */
};

void log_line_pack(const struct log_line *line, struct buf *out);
/*
 * Removes one line from the front of *bytes; *ret_any is false when they are used up.
 * RC_CORRUPT: invalid line.
 */
MUST_USE enum rc log_line_unpack(struct str *bytes, struct log_line *ret, bool *ret_any,
                                 struct err *reterr);

struct log_part {
    int64_t id, schedule;
    instant slot;
    int64_t pass, attempt;
    instant at;
    /* bytes of the run's log up to and including this part, which order the parts */
    int64_t total;
    instant expire_at;
    struct str body; /* packed lines */
};

/* True if the log ends here: later output of the run was not stored. */
static inline bool log_is_full(const struct log_part *part)
{
    return part->total >= LOG_RUN_MAX;
}

/* Appends to the run's log (the statement computes total) unless the log is full. */
void logs_insert(struct db *db, const struct log_part *part, struct db_result *ret);

/* The parts of a run's log whose total is above `after`, in order. */
void logs_of_run(struct db *db, const struct log_part *run, int64_t after, int limit,
                 struct db_result *ret);
void logs_read(const struct db_result *result, int row, struct log_part *ret);

/* As for history in store/events_requests.h. */
void prune_logs(struct db *db, int64_t after, int64_t until, instant now,
                struct db_result *ret);
void prune_logs_batch_end(struct db *db, int64_t after, int limit, struct db_result *ret);
